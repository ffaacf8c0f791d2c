"""Writes the trained model as one int8 ONNX file, and checks that it says what the trained one says.

    python -m bench.worth.export TRUNK WRITERS OUT

Reads `OUT/worth.pt`, writes `OUT/worth.onnx`. The file reads one window: token ids, and 0 or 1 for the turn
before or the message. It says of every token what it adds to the unit it stands in (`tokens`), what the
window adds to each of its units (`whole`), and of every token the chances that a unit begins with it and that
it belongs to a value (`marks`). `layer4`, `layer6` and `layer8` are what these layers make of every token.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer
from torch import nn

from bench.worth.train import SIZE, Worth, of_units, prepared, report, trunk, unpacked
from bench.worth.units import load

LAYERS = (4, 6, 8)


class Shipped(nn.Module):
    """The model as it is shipped: one window at a time."""

    def __init__(self, model: Worth) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: torch.Tensor, types: torch.Tensor) -> tuple[torch.Tensor, ...]:
        mask = torch.ones_like(ids, dtype=torch.float32)
        tokens, whole, marks = self.model(ids, types, mask)
        return tokens[0], whole[0], torch.sigmoid(marks[0])


def write(model: Worth, path: Path) -> None:
    """Export, then turn the weights into whole numbers."""
    whole = path.with_suffix(".whole.onnx")
    example = (torch.ones(1, 12, dtype=torch.long), torch.zeros(1, 12, dtype=torch.long))
    torch.onnx.export(
        Shipped(model).eval(), example, str(whole), input_names=["ids", "types"],
        output_names=["tokens", "whole", "marks"], opset_version=17, dynamo=False,
        dynamic_axes={name: {1: "count"} for name in ("ids", "types")}
        | {name: {0: "count"} for name in ("tokens", "marks")},
    )  # fmt: skip
    quantize_dynamic(
        whole, path, per_channel=True, reduce_range=False, weight_type=QuantType.QInt8,
        op_types_to_quantize=["MatMul", "Gather"],
    )  # fmt: skip
    whole.unlink()
    _tell_of_layers(path)


def _tell_of_layers(path: Path) -> None:
    """Let the file give out what some layers make of each token, which the heads of insights read."""
    made = onnx.load(str(path))
    for number in LAYERS:
        inside = f"/model/encoder/encoder/layer.{number}/output/LayerNorm/LayerNormalization_output_0"
        made.graph.node.append(onnx.helper.make_node("Identity", [inside], [f"layer{number}"]))
        kind = onnx.TensorProto.FLOAT
        made.graph.output.append(
            onnx.helper.make_tensor_value_info(f"layer{number}", kind, [1, "count", SIZE])
        )
    onnx.save(made, str(path))


def judged(path: Path, items: list[dict[str, Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """What the shipped file says of every unit, in the shape that `report` takes."""
    session = onnxruntime.InferenceSession(str(path))
    rows: dict[str, list[object]] = {
        name: [] for name in ("lang", "writer", "label", "keep", "slot", "guess")
    }
    for item in items:
        window, units = item["window"], item["units"]
        given = {"ids": np.array([window.ids]), "types": np.array([window.types])}
        tokens, whole, _ = (torch.tensor(part) for part in session.run(None, given))
        spans = torch.zeros(1, len(units), len(window.ids))
        for row, (low, high) in enumerate(item["spans"]):
            spans[0, row, low:high] = 1
        said = of_units(tokens.unsqueeze(0), whole.unsqueeze(0), spans)
        label = torch.softmax(said["label"][0], -1)
        for row, unit in enumerate(units):
            rows["lang"].append(item["turn"].lang)
            rows["writer"].append(item["turn"].writer)
            rows["label"].append(unit.label)
            rows["keep"].append(float(label[row, 0]))
            rows["guess"].append(int(label[row].argmax()))
            best = int(said["slot"][0, row].argmax())
            rows["slot"].append((best in unit.slots) if unit.slots else -1)
    return {name: np.array(values) for name, values in rows.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("trunk", type=Path)
    parser.add_argument("writers", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    saved = torch.load(options.out / "worth.pt", map_location="cpu")
    model = Worth(trunk(options.trunk, saved["layers"]))
    model.load_state_dict(unpacked(saved["state"]))
    path = options.out / "worth.onnx"
    write(model, path)
    print(f"{path.stat().st_size:,} bytes")
    held = load(options.writers)[1]
    tokenizer = Tokenizer.from_file(str(options.trunk / "tokenizer.json"))
    report("held out, as shipped", judged(path, prepared(held, tokenizer)))


if __name__ == "__main__":
    main()
