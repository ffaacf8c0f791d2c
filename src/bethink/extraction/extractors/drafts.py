"""From what a model says to drafts: only what the user said, in shape, without secrets. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bethink.extraction.extractors.contract import SOURCE, from_messages
from bethink.extraction.noise import has_injected, why_noise
from bethink.extraction.patterns import extract
from bethink.extraction.patterns.keys import slug
from bethink.extraction.patterns.languages import language_for
from bethink.extraction.transcripts import clean
from bethink.records import Fact, Message
from bethink.shapes.fields import NAME_CHARS, is_storable
from bethink.text.fence import as_written
from bethink.text.secrets import NO_MEMORY, has_mark, why_secret
from bethink.text.slots import key_for, named, value_of

STATED, ASKED_FOR = 80, 90  # confidence in what the user says, and in what they ask to have remembered
LONGEST_VALUE, LONGEST_NOTE = 500, 1000  # characters
MOST = 50  # of one stretch
MOST_SOURCES = 200  # messages that one of them names, the last ones
FACTS_SHOWN = 100
_LOOKED_AT = 2000  # characters at either end of a text
NO_VALUE = "it is no value of its slot"
_HAS_WORD = re.compile(r"[^\W_]")


def why_nothing_to_read(turns: Sequence[Message]) -> str | None:
    """Why a stretch holds nothing of the user's own; None when it may."""
    first = None
    for turn in turns:
        if turn.role != "user":
            continue
        text = clean(turn.content)
        reason = why_noise(text) if text else "it is not the user's own text"
        if reason is None:
            return None
        first = first or reason
    return f"nothing in it is worth reading: {first}" if first else "the user says nothing in it"


def asks_to_remember(text: str) -> bool:
    """Whether the user asks, in one of the languages there are rules for, to have something remembered.

    Looks at the beginning and the end of a long text: amid a pasted document nobody asks for anything.
    """
    if len(text) > 2 * _LOOKED_AT:
        text = f"{text[:_LOOKED_AT]}\n\n{text[-_LOOKED_AT:]}"
    return any(found.explicit for found in extract(clean(text)))


def known_facts(facts: Sequence[Fact], most: int = FACTS_SHOWN) -> str:
    """Existing facts for a prompt, a line each."""
    lines = [f"- {clean(f'{fact.category}/{fact.key}: {fact.value}')}" for fact in facts[:most]]
    return bulleted(lines)


def bulleted(lines: Iterable[str]) -> str:
    """Lines for a prompt; says so when there are none."""
    return "\n".join(" ".join(line.split()) for line in lines) or "(none)"


def sources(
    cited: Sequence[int], turns: Mapping[int, Message], roles: Sequence[str] = ("user",)
) -> list[Message] | None:
    """The messages behind what a model says: those it names, else all of the user's; None if not theirs."""
    named = [turns[number] for number in dict.fromkeys(cited) if number in turns]
    if named:
        return [message for message in named if message.role in roles] or None
    return [message for message in turns.values() if message.role in roles] or None


def why_not(text: str, most: int) -> str | None:
    """Why what a model says is not kept; the reason quotes nothing."""
    if not text:
        return "it is empty"
    if len(text) > most:
        return f"it is longer than {most} characters"
    if not is_storable(text):
        return "it is no valid Unicode"
    if has_mark(text):
        return f"it holds the mark of a secret; {NO_MEMORY}"
    if has_injected(text):
        return "it is text that memory itself put into the prompt"
    return why_secret(text)


def why_no_fact(category: str, key: str, value: str) -> str | None:
    """Why a fact is not kept. What a value is, its key may tell: `password` and one word."""
    if not category or not key:
        return "it has no category or no key"
    return why_not(value, LONGEST_VALUE) or why_secret(f"{key.replace('_', ' ')}: {value}")


def in_slot(category: str, key: str, value: str, said: Sequence[Message]) -> tuple[str, str, str] | None:
    """The names and the value that the rules would give a fact; as they are where no slot is known by them.

    None where what is said is no value of the slot.
    """
    about = named(category, key, value)
    if about is None:
        return category, key, value
    language = language_for("\n".join(message.content for message in said))
    clean = value_of(about.slot, value, language.code if language else "")
    if clean is None:
        return None
    return about.slot.category, key_for(about.slot, about.subject, clean)[:NAME_CHARS], clean


def key_part(name: str) -> str:
    """A category or key, the same however it is cased and spaced; empty when it has no letter or digit."""
    return slug(name) if _HAS_WORD.search(name) else ""


def one_line(text: str) -> str:
    """What a model says, in one line, with what was escaped for it as the user wrote it."""
    return " ".join(as_written(text).split())


def origin(said: Sequence[Message], extractor: str) -> dict[str, Any]:
    """The fields of a memory that say where it comes from, and how sure it is."""
    asked = any(asks_to_remember(message.content) for message in said)
    return {
        "person_id": person_of(said),
        "session_id": said[-1].session_id,
        "source": SOURCE,
        "source_ref": from_messages(said[-MOST_SOURCES:]),
        "observed_at": max(message.sent_at for message in said),
        "metadata": {"extractor": extractor} | ({"explicit": True} if asked else {}),
        "confidence": ASKED_FOR if asked else STATED,
    }


def person_of(said: Sequence[Message]) -> str | None:
    """Who said it, if it was one person."""
    people = {message.person_id for message in said}
    return next(iter(people)) if len(people) == 1 else None


def ids_of(said: Sequence[Message]) -> list[str]:
    return [message.id for message in said[-MOST_SOURCES:]]
