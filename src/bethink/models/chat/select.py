"""Which of a host's models to use. Pure.

The configured model, if the host lists it; else the first of the preferred small models that it lists; else
the smallest. How large a model is, its name tells: its parameters ("llama3.2:1b", "8x7b", "270m"), else a
word such as nano, mini or flash. Of each provider ("openai/…") the smallest, and of those the smallest, the
first by name where two are alike. What is not for chat (embeddings, speech, images, …) is never taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_NOT_CHAT = re.compile(
    r"embed|(?<![a-z])(?:bge|e5|gte)(?![a-z])|rerank|whisper|tts|transcri|speech|audio|voice|realtime|image"
    r"|dall-?e|sora|veo|imagen|moderation|guard|diffusion|davinci|babbage|instruct-0914|search|deep-research"
    r"|vision-only|ocr|clip|computer-use|aqa",
    re.IGNORECASE,
)
_PARAMETERS = re.compile(
    r"(?<![a-z0-9.])(?:(\d{1,3})x)?(\d{1,5}(?:\.\d{1,3})?)([bm])(?![a-z0-9])", re.IGNORECASE
)
# Billions of parameters, about, that such a word stands for; the first that a name has counts.
_WORDS = {
    "nano": 2, "tiny": 1, "micro": 2, "mini": 8, "lite": 6, "flash": 20, "haiku": 20, "small": 24, "fast": 30,
    "turbo": 40, "medium": 70, "sonnet": 150, "large": 120, "plus": 120, "pro": 200, "max": 300, "ultra": 400,
    "opus": 400,
}  # fmt: skip
_UNKNOWN = 60.0
SMALL = 9.0  # billions of parameters up to which a model is asked little at a time


@dataclass(frozen=True, slots=True)
class Selected:
    """The model taken, and why."""

    model: str
    reason: str


def select(listed: Sequence[str], wanted: str | None, preferred: Sequence[str]) -> Selected | None:
    """The model for small tasks among those a host lists; None when none of them is for chat."""
    by_name = {_bare(name): name for name in reversed(listed)}
    if wanted is not None and (found := by_name.get(_bare(wanted))):
        return Selected(found, "it is configured")
    absent = f"{wanted} is not among the host's models; " if wanted is not None else ""
    for name in preferred:
        if found := by_name.get(_bare(name)):
            return Selected(found, f"{absent}it is the first of chat.small_models that the host has")
    if smallest := _smallest([name for name in listed if not _NOT_CHAT.search(name)]):
        return Selected(smallest, f"{absent}it is the smallest of the host's models, by its name")
    return None


def size_of(name: str) -> float:
    """Billions of parameters that a model has, as far as its name tells."""
    if told := _PARAMETERS.findall(name):
        sizes = [
            int(times or 1) * float(number) / (1 if unit in "bB" else 1000) for times, number, unit in told
        ]
        return max(sizes)
    words = set(re.split(r"[^a-z]+", name.lower()))
    return float(next((size for word, size in _WORDS.items() if word in words), _UNKNOWN))


def is_small(name: str) -> bool:
    """Whether a model is small by its name: 1.5b, 8b, mini, nano."""
    return size_of(name) <= SMALL


def _smallest(names: Sequence[str]) -> str | None:
    best: dict[str, str] = {}
    for name in sorted(names):
        provider = name.partition("/")[0] if "/" in name else ""
        if provider not in best or size_of(name) < size_of(best[provider]):
            best[provider] = name
    return min(sorted(best.values()), key=size_of, default=None)


def _bare(name: str) -> str:
    """A name as it is compared: hosts add a prefix or a tag that people leave out."""
    return name.lower().removeprefix("models/").removesuffix(":latest")
