"""What becomes of memory with time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, Field

from bethink.settings.sections import Section, from_json

# Words that mark what matters, by language; English ones count where a language has none here.
KEYWORDS: Mapping[str, list[str]] = {
    "english": [
        "deadline", "todo", "urgent", "risk", "decision", "blocker", "meeting", "action item", "milestone",
        "bug", "incident", "follow up",
    ],
    "german": [
        "frist", "aufgabe", "dringend", "risiko", "entscheidung", "hindernis", "besprechung", "termin",
        "meilenstein", "fehler", "vorfall", "nachfassen",
    ],
    "french": [
        "échéance", "à faire", "urgent", "risque", "décision", "bloqu", "réunion", "tâche", "jalon", "bogue",
        "incident", "relance",
    ],
    "spanish": [
        "plazo", "tarea", "urgente", "riesgo", "decisión", "bloque", "reunión", "pendiente", "hito", "error",
        "incidente", "seguimiento",
    ],
    "portuguese": [
        "prazo", "tarefa", "urgente", "risco", "decisão", "bloque", "reunião", "pendente", "marco", "erro",
        "incidente", "acompanhamento",
    ],
    "chinese": [
        "截止", "待办", "紧急", "风险", "决定", "阻碍", "会议", "行动项", "里程碑", "故障", "事故", "跟进",
    ],
}  # fmt: skip


class LifecycleSettings(Section):
    """What becomes of memory with time: tiers, summaries, and what is given up for good."""

    tiers: bool = Field(
        True,
        description="Let old messages fade into summaries, daily in the server. They are kept, archived.",
    )
    short_days: float = Field(7, gt=0, le=36_500, description="How long a message is fresh.")
    mid_days: float = Field(90, gt=0, le=36_500, description="Age at which one of the middle tier is judged.")
    long_days: float = Field(365, gt=0, le=36_500, description="Age at which one of the last tier is judged.")
    short_threshold: float = Field(0.65, ge=0, le=1.3, description="Score from which a fresh one stays.")
    mid_threshold: float = Field(0.45, ge=0, le=1.3, description="The same in the middle tier.")
    long_threshold: float = Field(0.45, ge=0, le=1.3, description="The same in the last tier.")
    short_window_days: int = Field(1, ge=1, le=366, description="Days that one summary covers, at most.")
    mid_window_days: int = Field(7, ge=1, le=366, description="The same in the middle tier.")
    long_window_days: int = Field(30, ge=1, le=366, description="The same in the last tier.")
    weighty: float = Field(
        0.8, ge=0, le=2, description="Importance from which a message stays as it is; above 1, none does."
    )
    min_group: int = Field(3, ge=2, le=1000, description="Messages that are worth a summary, at least.")
    batch: int = Field(500, ge=10, le=10_000, description="Messages in one transaction, about.")
    promote: bool = Field(
        True, description="Make facts of what comes up again and again, daily in the server."
    )
    compact_days: float = Field(
        180, ge=0, le=36_500, description="Age at which memories are compacted, where the option is on."
    )
    expired_days: float = Field(
        30,
        ge=0,
        le=36_500,
        description="How long what has expired still answers `as_of`, before it is archived.",
    )
    purge_days: float | None = Field(
        None,
        ge=1,
        le=36_500,
        description="Delete what has been in the archive so long, for good. None: never.",
    )
    keywords: Annotated[dict[str, list[str]], BeforeValidator(from_json)] = Field(
        default_factory=lambda: {language: list(words) for language, words in KEYWORDS.items()},
        description="Words that make a message important, by language. In the environment: a JSON object.",
    )
