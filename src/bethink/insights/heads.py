"""The learned heads of insights: what a message is evidence of, what it ends, of what it speaks.

They read what layers of the model of worth make of a message. Trained by `bench/insights_train.py`; the card
is beside the weights.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np

from bethink.errors import ModelError
from bethink.models.weights import MODELS, checked_file
from bethink.models.worth.channel import State
from bethink.models.worth.said import Floats

FILE = "heads.npz"
MOST = 6.0  # a number of a pair, in deviations from the mean, is no further from it
POINT_LAYERS = [0, 2]  # the layers that say what a message is about
Link = Literal["ending", "speaking"]
LINKS: tuple[Link, ...] = ("ending", "speaking")
PARTS_OF_A_LINK = ("mean", "spread", "in", "in_bias", "out", "out_bias", "none")


def load_heads() -> Heads:
    """Check the digest of the file and load it; all memories of a process share one."""
    return _loaded(str(checked_file(MODELS["insight"], FILE)))


@lru_cache(maxsize=1)
def _loaded(path: str) -> Heads:
    try:
        with np.load(path, allow_pickle=False) as found:
            return Heads({name: found[name] for name in found.files})
    except (ValueError, KeyError, OSError) as error:
        raise ModelError(f"{path} could not be loaded: {error}. Reinstall bethink.") from error


class Heads:
    """The loaded heads."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        self.weights = {name: values.astype(np.float32) for name, values in weights.items()}
        for name in (
            "says",
            "says_bias",
            "middle",
            *(f"{link}_{part}" for link in LINKS for part in PARTS_OF_A_LINK),
        ):
            if name not in self.weights:
                raise KeyError(f"{name} is missing")

    def chances(self, state: State, own: list[float]) -> Floats:
        """The chance of each of `INSIGHTS`; `own` is what the message tells by its words and its place."""
        given = np.concatenate([described(state), np.array(own, np.float32)])
        scores = given @ self.weights["says"] + self.weights["says_bias"]
        return np.asarray(1 / (1 + np.exp(-scores)), np.float32)

    def points(self, alone: State) -> Floats:
        """What a message is about, by what it says alone: a row a layer, of length 1, then the topic."""
        return points_of(alone, self.weights["middle"])

    def ending(self, rows: Floats) -> Floats:
        """Of each of what is open, the chance that the message ends it."""
        return self._linked("ending", rows)

    def speaking(self, rows: Floats) -> Floats:
        """Of each of what is open, the chance that the message speaks of it."""
        return self._linked("speaking", rows)

    def _linked(self, name: Link, rows: Floats) -> Floats:
        part = {key: self.weights[f"{name}_{key}"] for key in PARTS_OF_A_LINK}
        inside = np.tanh(
            np.clip((rows - part["mean"]) / part["spread"], -MOST, MOST) @ part["in"] + part["in_bias"]
        )
        scores = np.append(inside @ part["out"] + part["out_bias"], part["none"])
        powers = np.exp(scores - scores.max())
        return np.asarray(powers[:-1] / powers.sum(), np.float32)


def described(state: State) -> Floats:
    """A message as one row of numbers."""
    return np.concatenate([state.mean, state.most], 1).reshape(-1)


def points_of(alone: State, middle: Floats) -> Floats:
    """Each layer's mean from its middle, and the topic, all of length 1."""
    rows = [*(alone.mean[POINT_LAYERS] - middle), alone.topic]
    size = max(map(len, rows))
    made = np.zeros((len(rows), size), np.float32)
    for place, row in enumerate(rows):
        made[place, : len(row)] = row / (np.linalg.norm(row) + 1e-6)
    return made
