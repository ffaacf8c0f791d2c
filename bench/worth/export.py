"""Writes the trained model as one int8 ONNX file, and checks that it says what the trained one says.

    python -m bench.worth.export TRUNK WRITERS OUT

Reads `OUT/worth.pt`, writes `OUT/worth.onnx`. The file reads one window at a time: token ids, 0 or 1 for the
turn before or the message, and a row for each unit that is 1 at its tokens. It answers with chances: of each
label, kind and slot, that the unit is about somebody else, that it replaces something said before.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer
from torch import nn

from bench.worth.train import PARTS, Worth, prepared, report, trunk
from bench.worth.units import load


class Shipped(nn.Module):
    """The model as it is shipped: one window, chances instead of logits."""

    def __init__(self, model: Worth) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, ids: torch.Tensor, types: torch.Tensor, spans: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        mask = torch.ones_like(ids, dtype=torch.float32)
        label, *rest = self.model(ids, types, mask, spans.unsqueeze(0))
        return torch.softmax(label[0], -1), *(torch.sigmoid(part[0]) for part in rest)


def write(model: Worth, path: Path) -> None:
    """Export, then turn the weights into whole numbers."""
    whole = path.with_suffix(".whole.onnx")
    example = (
        torch.ones(1, 12, dtype=torch.long),
        torch.zeros(1, 12, dtype=torch.long),
        torch.ones(3, 12),
    )
    torch.onnx.export(
        Shipped(model).eval(), example, str(whole), input_names=["ids", "types", "spans"],
        output_names=list(PARTS), opset_version=17, dynamo=False,
        dynamic_axes={"ids": {1: "tokens"}, "types": {1: "tokens"}, "spans": {0: "units", 1: "tokens"}}
        | {name: {0: "units"} for name in PARTS},
    )  # fmt: skip
    quantize_dynamic(
        whole, path, per_channel=True, reduce_range=False, weight_type=QuantType.QInt8,
        op_types_to_quantize=["MatMul", "Gather"],
    )  # fmt: skip
    whole.unlink()


def judged(path: Path, items: list[dict[str, Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """What the shipped file says of every unit, in the shape that `report` takes."""
    session = onnxruntime.InferenceSession(str(path))
    rows: dict[str, list[object]] = {
        "lang": [],
        "writer": [],
        "label": [],
        "keep": [],
        "slot": [],
        "guess": [],
    }
    for item in items:
        window, units = item["window"], item["units"]
        spans = np.zeros((len(units), len(window.ids)), np.float32)
        for row, (low, high) in enumerate(window.spans):
            spans[row, low:high] = 1
        given = {"ids": np.array([window.ids]), "types": np.array([window.types]), "spans": spans}
        label, _, slot, *_ = session.run(None, given)
        for row, unit in enumerate(units):
            rows["lang"].append(item["lang"])
            rows["writer"].append(item["writer"])
            rows["label"].append(unit.label)
            rows["keep"].append(label[row, 0])
            rows["guess"].append(int(label[row].argmax()))
            rows["slot"].append((int(slot[row].argmax()) in unit.slots) if unit.slots else -1)
    return {name: np.array(values) for name, values in rows.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("trunk", type=Path)
    parser.add_argument("writers", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    saved = torch.load(options.out / "worth.pt", map_location="cpu")
    model = Worth(trunk(options.trunk, saved["layers"]))
    model.load_state_dict(saved["state"])
    path = options.out / "worth.onnx"
    write(model, path)
    print(f"{path.stat().st_size:,} bytes")
    held = load(options.writers)[1]
    tokenizer = Tokenizer.from_file(str(options.trunk / "tokenizer.json"))
    report("held out, as shipped", judged(path, prepared(held, tokenizer)))


if __name__ == "__main__":
    main()
