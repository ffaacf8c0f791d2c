"""The model of worth as it runs: a message in, its units and what they are worth out."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from bethink.models.onnx import open_session
from bethink.models.weights import MODELS, Weights, required
from bethink.models.worth.channel import TOKENS, State
from bethink.models.worth.said import MARKS, Floats, Unit, said_of, topic_of
from bethink.models.worth.units import cut, place_of
from bethink.models.worth.windows import windows

LONGEST = 40_000  # characters of a message that are read, half of them from its end
_BEFORE_CHARS = 600  # of the turn before
_SAID = ("tokens", "whole", "marks")  # what the network says of a window
_LAYERS = ("layer4", "layer6", "layer8")  # and what some of its layers make of each token


def load_worth() -> WorthModel:
    """Check the digests of the model's files and load them; all memories of a process share one."""
    return _loaded(required(MODELS["worth"]))


@lru_cache(maxsize=1)
def _loaded(weights: Weights) -> WorthModel:
    return WorthModel(*open_session(weights))


class WorthModel:
    """A loaded model. Several threads may use it at once."""

    def __init__(self, session: Any, tokenizer: Any) -> None:
        self._session, self._tokenizer = session, tokenizer
        self._ends = tokenizer.token_to_id("<s>"), tokenizer.token_to_id("</s>")

    def read(self, before: str, text: str) -> list[Unit]:
        """The units of a message, in order; `before` is the turn before it."""
        if len(text) > LONGEST:
            half = LONGEST // 2
            last = self._read(before, text[-half:])
            shift = len(text) - half
            return [*self._read(before, text[:half]), *(_shifted(unit, shift) for unit in last)]
        return self._read(before, text)

    def state(self, before: str, text: str) -> State:
        """What the layers make of a message of a channel, as far as it fits a window; `before` are the
        messages before it."""
        head = self._tokenizer.encode(before, add_special_tokens=False).ids
        message = self._tokenizer.encode(text[:LONGEST], add_special_tokens=False).ids
        window = next(windows(head, message, *self._ends, TOKENS))
        given = {"ids": np.array([window.ids]), "types": np.array([window.types])}
        tokens, whole, *layers = self._session.run((*_SAID[:2], *_LAYERS), given)
        own = slice(window.first, window.first + max(window.end - window.start, 1))
        states = np.stack([layer[0, own] for layer in layers])
        return State(states.mean(1), states.max(1), topic_of(tokens[own].mean(0) + whole))

    def _read(self, before: str, text: str) -> list[Unit]:
        head = self._tokenizer.encode(before[-_BEFORE_CHARS:], add_special_tokens=False).ids
        message = self._tokenizer.encode(text, add_special_tokens=False)
        found: list[Unit] = []
        for window in windows(head, message.ids, *self._ends):
            given = {"ids": np.array([window.ids]), "types": np.array([window.types])}
            tokens, whole, marks = self._session.run(_SAID, given)
            answered = slice(window.first, window.first + window.end - window.start)
            offsets = message.offsets[window.start : window.end]
            found += _units(text, offsets, tokens[answered], whole, marks[answered])
        return found


def _units(
    text: str, offsets: list[tuple[int, int]], tokens: Floats, whole: Floats, marks: Floats
) -> list[Unit]:
    begins = marks[:, MARKS.index("begins")].tolist()
    return [
        said_of(place_of(text, offsets, unit), tokens[unit[0] : unit[1]].mean(0) + whole)
        for unit in cut(text, offsets, begins)
    ]


def _shifted(unit: Unit, by: int) -> Unit:
    return replace(unit, start=unit.start + by, end=unit.end + by)
