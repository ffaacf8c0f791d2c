"""The packaged embedding model, with the attention of a layer as one operator instead of some forty.

Its file holds the model as it was exported, step by step, and onnxruntime does not recognise the attention in
that. Here it is put together, its three projections as one; and of the last layer only the first token is
computed, since nothing else of it is read. The weights are those of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bethink.models.protobuf import Bytes, fields, head, texts, written

LAYERS, HEADS, WIDTH = 12, 12, 384
_OWN = "com.microsoft"  # the operators that only onnxruntime has
# What ONNX numbers: the parts of a model, of its graph, of a step and of a tensor; types of these.
_GRAPH, _OPERATORS, _SET_NAME, _SET_VERSION = 7, 8, 1, 2
_STEP, _TENSOR, _RESULT, _RESULT_NAME, _SHAPE = 1, 5, 12, 1, 13
_NEEDS, _MAKES, _OPERATOR, _ATTRIBUTE, _DOMAIN = 1, 2, 4, 5, 7
_ATTRIBUTE_NAME, _ATTRIBUTE_NUMBER, _ATTRIBUTE_TYPE = 1, 3, 20
_SIZE, _TYPE, _FLOATS, _NAME, _RAW = 1, 2, 4, 8, 9
_TYPES = {np.dtype(np.float32): 1, np.dtype(np.int8): 3, np.dtype(np.int64): 7}
_INT32, _INTEGER = 6, 2


def put_together(model: bytes) -> bytes:
    """The same model in fewer steps."""
    parts = list(fields(memoryview(model)))
    graph = _Graph(next(value for number, value, _ in parts if number == _GRAPH))
    for layer in range(LAYERS):
        graph.join(f"encoder/layer.{layer}/attention", only_first=layer == LAYERS - 1)
    inside = graph.parts()
    others = [whole for number, _, whole in parts if number != _GRAPH]
    own = written(_OPERATORS, written(_SET_NAME, _OWN) + written(_SET_VERSION, 1))
    return b"".join([*others, own, head(_GRAPH, sum(map(len, inside))), *inside])


@dataclass(frozen=True)
class _Step:
    """An operator: what it needs and makes, and all that the file says of it."""

    needs: Sequence[str]
    makes: Sequence[str]
    whole: Bytes


class _Graph:
    """The steps of a model by what they make, in an order in which they can be taken, and its tensors."""

    def __init__(self, graph: memoryview) -> None:
        self._steps = {"attention/mask": _step("Cast", ["attention_mask"], ["attention/mask"], to=_INT32)}
        self._instead: dict[str, list[_Step]] = {}
        self._tensors: dict[str, memoryview] = {}
        self._others: list[Bytes] = []
        self._results: set[str] = set()
        for number, value, whole in fields(graph):
            if number == _STEP:
                step = _Step(texts(value, _NEEDS), texts(value, _MAKES), whole)
                self._steps[step.makes[0]] = step
            elif number == _TENSOR:
                self._tensors[texts(value, _NAME)[0]] = whole
            elif number != _SHAPE:  # by these onnxruntime would join steps that take less time apart
                self._others.append(whole)
                self._results.update(texts(value, _RESULT_NAME) if number == _RESULT else ())

    def join(self, name: str, *, only_first: bool) -> None:
        """Put the steps of an attention together; with `only_first`, for the first token alone."""
        query, key, value = parts = [f"/{name}/self/{part}" for part in ("query", "key", "value")]
        products = [self._steps[f"{part}/MatMul_output_0_output_quantized"] for part in parts]
        hidden = products[0].needs[0].removesuffix("_quantized")
        weights = [product.needs[1] for product in products]
        scales = [weight.replace("_quantized", "_scale") for weight in weights]
        biases = [f"{part[1:].replace('/', '.')}.bias" for part in parts]
        joined = [
            self._add(f"{name}/weight", self._side_by_side(weights, np.int8)),
            self._add(f"{name}/scale", scale := self._side_by_side(scales, np.float32)[0]),
            self._add(f"{name}/zero", np.zeros(len(scale), np.int8)),
            self._add(f"{name}/bias", self._side_by_side(biases, np.float32)[0]),
        ]
        steps = [
            _step("DynamicQuantizeMatMul", [hidden, *joined], [name], _OWN),
            _step("Split", [name], parts, axis=2),
        ]
        if only_first:
            one = [self._add(f"{name}/0", np.array([0])), *2 * [self._add(f"{name}/1", np.array([1]))]]
            steps.append(_step("Slice", [query, *one], [query := f"{query}/first"]))
            steps.append(_step("Slice", [hidden, *one], [f"{hidden}/first"]))
            added = self._steps[f"/{name}/output/Add_output_0"]
            others = [need for need in added.needs if need != hidden]
            self._instead[added.makes[0]] = [_step("Add", [*others, f"{hidden}/first"], added.makes)]
        end = f"/{name}/self/Reshape_3_output_0"
        whole = _step(
            "MultiHeadAttention", [query, key, value, "", "attention/mask"], [end], _OWN, num_heads=HEADS
        )
        self._instead[end] = [*steps, whole]

    def parts(self) -> list[Bytes]:
        """What the graph is made of, without what leads to none of its results."""
        steps = [new for made, step in self._steps.items() for new in self._instead.get(made, [step])]
        needed, kept = set(self._results), []
        for step in reversed(steps):
            if needed.intersection(step.makes):
                needed.update(step.needs)
                kept.append(step.whole)
        tensors = [whole for name, whole in self._tensors.items() if name in needed]
        return [*reversed(kept), *tensors, *self._others]

    def _side_by_side(self, names: Sequence[str], kind: type[np.generic]) -> NDArray[np.generic]:
        """Several tensors as one, of as many rows as they have."""
        return np.concatenate([_rows(self._tensors[name], kind) for name in names], axis=1)

    def _add(self, name: str, values: NDArray[np.generic]) -> str:
        sizes = b"".join(written(_SIZE, size) for size in values.shape)
        type_ = written(_TYPE, _TYPES[values.dtype])
        tensor = sizes + type_ + written(_NAME, name) + written(_RAW, values.tobytes())
        self._tensors[name] = memoryview(written(_TENSOR, tensor))
        return name


def _step(
    operator: str, needs: Sequence[str], makes: Sequence[str], domain: str = "", **numbers: int
) -> _Step:
    data = [written(_NEEDS, name) for name in needs] + [written(_MAKES, name) for name in makes]
    data += [written(_OPERATOR, operator), written(_DOMAIN, domain)]
    for name, number in numbers.items():
        attribute = written(_ATTRIBUTE_NAME, name) + written(_ATTRIBUTE_NUMBER, number)
        data.append(written(_ATTRIBUTE, attribute + written(_ATTRIBUTE_TYPE, _INTEGER)))
    return _Step(needs, makes, written(_STEP, b"".join(data)))


def _rows(tensor: memoryview, kind: type[np.generic]) -> NDArray[np.generic]:
    """A tensor's numbers, a row to each that is as wide as the model."""
    [(_, inside, _)] = fields(tensor)
    data = b"".join(value for number, value, _ in fields(inside) if number in (_RAW, _FLOATS))
    return np.frombuffer(data, kind).reshape(-1, WIDTH)
