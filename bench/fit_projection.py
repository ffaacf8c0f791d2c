"""Fit the projection that reduces token vectors from 384 to 96 dimensions.

    python -m bench.fit_projection src/bethink/models/projection.npy

The principal directions of token vectors of two kinds of text, half of each: sentences of the documentation
that comes with Python, and small talk put together from the phrases below. No evaluation data is read.
"""

from __future__ import annotations

import argparse
import random
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.corpus import sentences
from bethink.models.late import DIMENSIONS
from bethink.models.onnx import load_model
from bethink.models.weights import MODELS, required

SPEAKERS = ("Anna", "Ben", "Mia", "Leo")
SUBJECTS = (
    "I",
    "We",
    "My sister",
    "My brother Tom",
    "Sarah",
    "Our neighbour",
    "Dad",
    "The team",
    "My friend Ana",
    "He",
)
EVENTS = (
    "went hiking in the mountains",
    "started a new job at the hospital",
    "adopted a puppy from the shelter",
    "baked a chocolate cake",
    "moved to a flat near the river",
    "is learning to play the guitar",
    "bought a red bicycle",
    "signed up for a pottery class",
    "had a fight about money",
    "won a chess tournament",
    "is planning a trip to Japan",
    "painted a sunset over the lake",
    "lost the keys again",
    "is worried about the exam",
    "cooked lasagne for everyone",
    "visited grandma in the hospital",
    "ran a marathon",
    "read a wonderful book about space",
    "is allergic to peanuts",
    "got married on the beach",
)
TIMES = (
    "last weekend",
    "yesterday",
    "in May 2023",
    "two years ago",
    "on Friday evening",
    "this morning",
    "next month",
    "when we were kids",
    "during the holidays",
    "for the first time",
)
REPLIES = (
    "That sounds amazing! How did it go?",
    "Wow, congratulations! I'm so proud of you.",
    "Oh no, I'm sorry to hear that. Are you okay?",
    "What made you decide to do that?",
    "Thanks, that means a lot to me.",
    "I totally get it, take it one day at a time.",
    "Haha, you always make me laugh!",
    "Do you have any pictures?",
    "It was so peaceful and the view was incredible.",
)
DOCUMENTATION, SMALL_TALK = 1500, 600  # texts of each kind
MOST_TOKENS = 20_000  # token vectors the directions are found from


def small_talk(count: int) -> list[str]:
    """Made-up turns of a conversation, the same each time."""
    chance = random.Random(0)
    turns = [
        f"{chance.choice(SPEAKERS)}: {subject} {event} {time}. {chance.choice(REPLIES)}"
        for subject, event, time in product(SUBJECTS, EVENTS, TIMES)
    ]
    chance.shuffle(turns)
    return turns[:count]


def token_vectors(texts: list[str]) -> NDArray[np.float32]:
    """The model's own vectors of every token, before any projection."""
    model = load_model(required(MODELS["late"]))
    found = [model.output([row])[0][0] for row in model.tokens(texts)]
    vectors: NDArray[np.float32] = np.concatenate(found)
    unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def fit(vectors: NDArray[np.float32]) -> NDArray[np.float16]:
    """The leading directions as columns."""
    step = max(1, len(vectors) // MOST_TOKENS)
    directions = np.linalg.svd(vectors[::step], full_matrices=False)[2][:DIMENSIONS]
    projection: NDArray[np.float16] = directions.T.astype(np.float16)
    return projection


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("path", type=Path)
    path: Path = parser.parse_args().path
    talk = token_vectors(small_talk(SMALL_TALK))
    documentation = token_vectors(sentences()[:DOCUMENTATION])[: len(talk)]
    np.save(path, fit(np.concatenate([documentation, talk])))
    print(f"{path}: fitted on {2 * len(talk)} token vectors")


if __name__ == "__main__":
    main()
