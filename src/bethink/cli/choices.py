"""The words an option may be. They are those of the records, spelled again here because loading the records
takes longer than showing help or completing a word; a test holds the two together."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

Secrets = Annotated[
    bool,
    typer.Option("--secrets", help="Show secrets as they are, not masked; the journal notes it."),
]


class LayerName(StrEnum):
    FACT = "fact"
    MEMORY = "memory"
    MESSAGE = "message"
    PASSAGE = "passage"
    SUMMARY = "summary"
    INSIGHT = "insight"


class TypeName(StrEnum):
    FACTUAL = "factual"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"
    SEMANTIC = "semantic"


class RoleName(StrEnum):
    ADMIN = "admin"
    MEMBER = "member"
    READER = "reader"


class SwitchName(StrEnum):
    ON = "on"
    OFF = "off"
    SPACE = "space"


class StrategyName(StrEnum):
    RECENT = "recent"
    SEMANTIC = "semantic"
    HYBRID = "hybrid"


class ModeName(StrEnum):
    SINGLE = "single"
    MULTI = "multi"


class HalfName(StrEnum):
    STABLE = "stable"
    VOLATILE = "volatile"


class ShapeName(StrEnum):
    OPENAI = "openai"
    RESPONSES = "responses"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"


class MessageTierName(StrEnum):
    SHORT = "short"
    MID = "mid"
    LONG = "long"


class SummaryTierName(StrEnum):
    L1 = "L1"
    L2 = "L2"
    L3 = "L3"
