"""What a channel message is about, by words that tell it: a table of cues for each language. Pure.

The languages are read together, because the words of one mean nothing in the others and short messages do not
tell their language.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from bethink.shapes.insights import InsightKind

LANGUAGES = ("en", "de", "es", "fr", "pt", "zh")
KINDS = (  # in the order in which they are looked for
    InsightKind.DECISION,
    InsightKind.PREFERENCE,
    InsightKind.FEATURE_REQUEST,
    InsightKind.BUG_REPORT,
    InsightKind.INCIDENT,
    InsightKind.RELATIONSHIP,
    InsightKind.TASK,
)
SHORTEST = 3  # letters that say anything
_NEVER = "(?!)"
_QUESTION = re.compile(r"[?？]\W*$")
_CLOCK = re.compile(
    r"(?<!\d)(?:[01]?\d|2[0-3])\s?(?::|h|\.|：)\s?(?:[0-5]\d)?(?!\d)|\b(?:at|um|a las|à|às) \d{1,2}\b"
    r"|\b\d{1,2} ?(?:uhr|pm|am|h)\b|[一二三四五六七八九十两\d]{1,3}点",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:today|tomorrow|tonight|next week)\b"
    r"|\b(?:mon|diens|donners|frei|sams|sonn)tags?\b|\bmittwochs?\b|\b(?:heute|morgen|übermorgen)\b"
    r"|\b(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo|hoy|mañana)\b"
    r"|\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|aujourd'hui|demain)\b"
    r"|\b(?:segunda|terça|quarta|quinta|sexta|hoje|amanhã)\b|周[一二三四五六日天]|今天|明天|后天|星期",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cues:
    """What a message says of itself: its kind if it has one, and whether it may close or repeat another."""

    kind: InsightKind | None
    done: bool = False  # something was done, fixed, sent
    meeting_over: bool = False
    again: bool = False  # something is still, or again, as it was
    urgent: bool = False
    small: bool = False  # a greeting, thanks, a yes


@cache
def _table() -> dict[str, re.Pattern[str]]:
    found: dict[str, list[str]] = {}
    for language in LANGUAGES:
        text = files("bethink.insights").joinpath("cues", f"{language}.toml").read_text("utf-8")
        for name, patterns in tomllib.loads(text).items():
            found.setdefault(name, []).extend(patterns)
    return {name: re.compile("|".join(patterns), re.IGNORECASE) for name, patterns in found.items()}


def _says(name: str, text: str) -> bool:
    return _table()[name].search(text) is not None


def asks(text: str) -> bool:
    """Whether a question is in it."""
    return "?" in text or "？" in text


def says(text: str) -> list[float]:
    """Which cues of any language a message has, as the learned heads read them."""
    found = [pattern.search(text) is not None for _, pattern in sorted(_table().items())]
    found += [asks(text), _QUESTION.search(text) is not None, _speaks_of_time(text)]
    found += [any(map(str.isdigit, text)), _CLOCK.search(text) is not None, _DAY.search(text) is not None]
    return [float(one) for one in found]


def read(text: str) -> Cues:
    """What a message is about."""
    small = is_small(text)
    if small:
        return Cues(None, small=small, meeting_over=_says("meeting_over", text))
    question = _QUESTION.search(text) is not None
    kind, again = _kind(text, question), _says("again", text)
    done = _says("done", text) and not again and kind not in (InsightKind.INCIDENT, InsightKind.TASK)
    return Cues(
        kind,
        done=not question and (done or _says("restored", text)),
        meeting_over=not question and _says("meeting_over", text),
        again=again,
        urgent=_says("urgent", text),
    )


def is_small(text: str) -> bool:
    """Whether it is a greeting, thanks, a yes."""
    letters = sum(map(str.isalpha, text))
    if letters < SHORTEST and not any(map(str.isdigit, text)):
        return True
    return _says("ack", text)


def decides(text: str) -> bool:
    """Whether it says that something was decided."""
    return _says("decision", text)


def gives_task(text: str) -> bool:
    """Whether it asks for something to be done, or says that it must be."""
    return _says("task", text)


def _kind(text: str, question: bool) -> InsightKind | None:
    is_meeting = _says("meeting", text) and _speaks_of_time(text)
    for kind in KINDS:
        if not _says(kind.value, text) or (question and kind in _TOLD):
            continue
        if kind is InsightKind.TASK and is_meeting:
            return InsightKind.MEETING
        return kind
    if is_meeting and not question:
        return InsightKind.MEETING
    return InsightKind.QUESTION if question else None


_TOLD = {InsightKind.DECISION, InsightKind.RELATIONSHIP, InsightKind.PREFERENCE, InsightKind.INCIDENT}


def _speaks_of_time(text: str) -> bool:
    return _CLOCK.search(text) is not None or _DAY.search(text) is not None
