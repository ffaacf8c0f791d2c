"""The narrative: what is remembered about the user as one text, written anew when the facts have changed.

A chat model writes it where there is one. Without one, or when it fails, it is put together by rule: a
sentence for each category, the facts in the order of their keys, so that the same facts always give the same
text. A narrative that a person has written is theirs, and stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from bethink.errors import ModelError
from bethink.extraction.extractors.drafts import one_line, why_not
from bethink.extraction.templates import Templates
from bethink.extraction.transcripts import clean
from bethink.files.texts import set_text
from bethink.models.chat import Chat, spoken
from bethink.records import DEFAULT_PERSON, Fact, Space
from bethink.store import Tx, facts, journal, persons, spaces
from bethink.store.driver import Driver
from bethink.store.journal import is_undo

ACTOR = "narrative"  # who the journal says wrote it
MOST_FACTS = 200
MOST_WORDS = 300
UNSURE = 50  # below this confidence, it says so
_LONGEST = 6000  # characters
_LINES = 100  # of the journal in which to look for who wrote it
_MAX_TOKENS = 1500
_VALUE_CHARS = 300


@dataclass(frozen=True, slots=True)
class Told:
    """What became of the narrative: whether it is another now, who wrote it, and what went wrong."""

    changed: bool
    model: str | None = None
    problem: str | None = None


async def refresh(
    driver: Driver, space: Space, chat: Chat | None, templates: Templates, now: datetime
) -> Told:
    """Write the narrative of a space anew from its current facts. Never fails for want of a model."""
    known, names, is_own = await driver.read(_read, space.id, now)
    if is_own:
        return Told(changed=False, problem="the narrative was written by a person, and stays")
    model, problem, text = None, None, by_rule(known, names)
    if chat is not None and known:
        try:
            text, model = await _written(chat, known, names, templates)
        except ModelError as error:
            problem = error.message
    return Told(await driver.write(_store, space, text, now), model, problem)


def narrative(tx: Tx, space_id: str, now: datetime) -> str:
    """The narrative as it may be told: not while it tells of a fact that has expired."""
    text = spaces.text(tx, space_id, "narrative")
    return "" if text and is_over(tx, space_id, text, now) else text


def is_over(tx: Tx, space_id: str, text: str, now: datetime) -> bool:
    """Whether a text tells of a fact that has expired, and was not ended since."""
    said = text.casefold()
    return any(fact.value.casefold() in said for fact in facts.expired(tx, space_id, now, MOST_FACTS))


def by_rule(known: Sequence[Fact], names: Mapping[str, str]) -> str:
    """Current facts as sentences, grouped by person and category."""
    ordered = sorted(known, key=lambda f: (_who(f, names), f.category, f.key, f.id))
    sentences = []
    for (who, category), group in groupby(ordered, key=lambda f: (_who(f, names), f.category)):
        told = "; ".join(_said(fact) for fact in group)
        of = f"{who}, " if who else ""
        sentences.append(_sentence(f"{of}{_words(category)}: {told}"))
    return "\n".join(sentences)[:_LONGEST]


async def _written(
    chat: Chat, known: Sequence[Fact], names: Mapping[str, str], templates: Templates
) -> tuple[str, str]:
    """What a chat model makes of the facts. Raises `ModelError` for what cannot be used."""
    lines = [f"- {clean(_line(fact, names))}" for fact in known]
    messages = templates.messages("narrative", FACTS="\n".join(lines), MOST_WORDS=str(MOST_WORDS))
    reply = await chat.complete(messages, max_tokens=_MAX_TOKENS)
    text = "\n".join(line.rstrip() for line in spoken(reply.text).splitlines()).strip()
    if reason := why_not(text, _LONGEST):
        raise ModelError(f"The narrative of {reply.model} cannot be used: {reason}.")
    return text, reply.model


def _read(tx: Tx, space_id: str, now: datetime) -> tuple[list[Fact], dict[str, str], bool]:
    """Current facts, the names of people, and whether a person has written the narrative there is."""
    current = [
        fact
        for fact in facts.list_current(tx, space_id, limit=MOST_FACTS)
        if fact.expires_at is None or fact.expires_at > now
    ]
    names = {person.id: person.display_name for person in persons.everyone(tx, space_id)}
    return current, names, _is_own(tx, space_id)


def _is_own(tx: Tx, space_id: str) -> bool:
    """Whether a person wrote the text there is. Who undoes a change has not written what is back by it."""
    text = spaces.text(tx, space_id, "narrative")
    if not text:
        return False
    lines = journal.newest(tx, space_id, noun="narrative", limit=_LINES)
    wrote = (line for line in lines if line.after == {"content": text} and not is_undo(line))
    author = next(wrote, None)
    return author is None or author.actor != ACTOR


def _store(tx: Tx, space: Space, text: str, now: datetime) -> bool:
    return not _is_own(tx, space.id) and set_text(tx, space, "narrative", text, now, ACTOR)


def _line(fact: Fact, names: Mapping[str, str]) -> str:
    who = _who(fact, names)
    unsure = " (unsure)" if fact.confidence < UNSURE else ""
    return one_line(f"{f'{who}: ' if who else ''}{fact.category}/{fact.key}: {fact.value}{unsure}")


def _who(fact: Fact, names: Mapping[str, str]) -> str:
    name = names.get(fact.person_id or "", "")
    return "" if name == DEFAULT_PERSON else one_line(name)


def _said(fact: Fact) -> str:
    value = one_line(fact.value)
    shown = value if len(value) <= _VALUE_CHARS else value[: _VALUE_CHARS - 1].rstrip() + "…"
    maybe = " (perhaps)" if fact.confidence < UNSURE else ""
    return f"{_words(fact.key)}: {shown}{maybe}"


def _words(name: str) -> str:
    return one_line(name.replace("_", " "))


def _sentence(text: str) -> str:
    ended = text if text.endswith((".", "!", "?", "。", "…")) else text + "."
    return ended[:1].upper() + ended[1:]
