"""Look through what is remembered for what should not be there. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from bethink.extraction.duplicates import compare, differ, plain
from bethink.extraction.noise import has_injected, why_noise
from bethink.extraction.patterns.keys import slug
from bethink.records import Fact, Memory, Message
from bethink.shapes.audits import Finding, Found
from bethink.text.secrets import kinds_of_secrets, name_of
from bethink.text.slots import Named, named
from bethink.text.traces import strings_in

BLOCK = 512  # memories compared with all others at once
SHORTEST = 3  # characters that can say anything
STALE_AFTER = timedelta(days=365)  # since a fact was last said or confirmed
SURE = 0.9  # worth from which on it is not for words alone to say that something is junk
_PEOPLES = ("note", "user_explicit", "import")  # sources by which somebody stored it on purpose


def look(
    memories: Sequence[Memory], facts: Sequence[Fact], messages: Sequence[Message],
    vectors: Mapping[str, NDArray[np.float32]], least: float, now: datetime, names: Sequence[str] = (),
) -> list[Found]:  # fmt: skip
    """Everything that is found, each memory at most once as junk or as one of several that say the same.

    `names` are those of the only person of a space; without them, facts of several people stay apart.
    """
    found = list(_unfit(memories))
    seen = {id_ for one in found for id_ in one.records}
    rest = [memory for memory in memories if memory.id not in seen]
    same = list(_same_words(rest))
    seen |= {id_ for one in same for id_ in one.records[1:]}
    rest = [memory for memory in rest if memory.id not in seen]
    told = list(_telling(facts, messages))
    hidden = {one.records[0] for one in told}
    open_ = [fact for fact in facts if fact.id not in hidden]
    opposed = list(_opposed(open_))
    said = {id_ for one in opposed for id_ in one.records}
    split = _split([fact for fact in open_ if fact.id not in said], names)
    return [*found, *told, *same, *_near(rest, vectors, least), *opposed, *split, *_stale(open_, now)]


def _unfit(memories: Sequence[Memory]) -> Iterator[Found]:
    for memory in memories:
        if kinds := kinds_of_secrets(f"{memory.title or ''}\n{memory.content}"):
            yield Found.of(Finding.SECRET, "memory", [memory.id], [], f"it holds {kinds}")
        elif reason := _why_junk(memory):
            yield Found.of(Finding.JUNK, "memory", [memory.id], [memory.content], reason)


def _telling(facts: Sequence[Fact], messages: Sequence[Message]) -> Iterator[Found]:
    """Facts and messages with secrets in them; of a message also what it has besides its text."""
    for fact in facts:
        if kinds := kinds_of_secrets(f"{name_of(fact).replace('_', ' ')}: {fact.value}"):
            yield Found.of(Finding.SECRET, "fact", [fact.id], [], f"it holds {kinds}")
    for message in messages:
        texts = [message.content, *strings_in(message.metadata), *strings_in(message.attachments)]
        if kinds := kinds_of_secrets("\n".join(texts)):
            yield Found.of(Finding.SECRET, "message", [message.id], [], f"it holds {kinds}")


def _why_junk(memory: Memory) -> str | None:
    if has_injected(memory.content):
        return "it holds text that memory itself put into a prompt"
    if len(plain(memory.content)) < SHORTEST:
        return "it is too short to say anything"
    if memory.pinned or memory.source in _PEOPLES or _was_weighed(memory):
        return None
    return why_noise(memory.content)


def _was_weighed(memory: Memory) -> bool:
    """Whether the model of worth took it for worth keeping, which read it in its message: "when I ask you
    something, answer in one line" is no question.
    """
    worth = memory.metadata.get("worth")
    return isinstance(worth, (int, float)) and worth >= SURE


def _same_words(memories: Sequence[Memory]) -> Iterator[Found]:
    groups: defaultdict[tuple[str | None, str | None, str], list[Memory]] = defaultdict(list)
    for memory in memories:
        groups[memory.person_id, memory.title, plain(memory.content)].append(memory)
    for group in groups.values():
        if len(group) > 1:
            yield _group(Finding.DUPLICATE, group, "they say the same in the same words")


def _near(
    memories: Sequence[Memory], vectors: Mapping[str, NDArray[np.float32]], least: float
) -> Iterator[Found]:
    """Memories that say the same in other words, or the opposite in nearly the same."""
    rows = [memory for memory in memories if memory.id in vectors]
    if not rows:
        return
    matrix = np.stack([vectors[memory.id] for memory in rows])
    taken: set[int] = set()
    for start in range(0, len(rows), BLOCK):
        close = matrix[start : start + BLOCK] @ matrix.T >= least
        for place, other in zip(*np.nonzero(close), strict=True):
            one = start + int(place)
            if one >= other or one in taken or other in taken:
                continue
            pair = rows[one], rows[int(other)]
            if found := _compared(*pair, float(matrix[one] @ matrix[int(other)]), least):
                taken.add(int(other))
                yield found


def _compared(one: Memory, other: Memory, cosine: float, least: float) -> Found | None:
    if (one.person_id, one.title) != (other.person_id, other.title):
        return None
    if compare(one.content, other, cosine, least):
        reason = f"they say the same in other words (similarity {cosine:.2f})"
        return _group(Finding.NEAR_DUPLICATE, [one, other], reason)
    if why := differ(one.content, other.content):
        return _newest_first(Finding.CONTRADICTION, [one, other], why)
    return None


def _opposed(facts: Sequence[Fact]) -> Iterator[Found]:
    """Facts of the same name under several categories with several values."""
    groups: defaultdict[tuple[str | None, str], list[Fact]] = defaultdict(list)
    for fact in facts:
        groups[fact.person_id, slug(fact.key)].append(fact)
    for group in groups.values():
        if len({plain(fact.value) for fact in group}) > 1:
            ordered = sorted(group, key=lambda fact: (fact.valid_from, fact.id), reverse=True)
            texts = [f"{fact.category}/{fact.key}: {fact.value}" for fact in ordered]
            ids = [fact.id for fact in ordered]
            yield Found.of(Finding.CONTRADICTION, "fact", ids, texts, "they give one thing several values")


def _split(facts: Sequence[Fact], names: Sequence[str]) -> Iterator[Found]:
    """Facts about one thing under several names, as `home`, `city` and, of the only person, `anna_home`."""
    groups: defaultdict[tuple[str | None, Named], list[Fact]] = defaultdict(list)
    for fact in facts:
        if about := about_of(fact, names):
            groups[None if names else fact.person_id, about].append(fact)
    for group in groups.values():
        if len(group) > 1:
            ordered = sorted(group, key=lambda fact: (fact.valid_from, fact.id), reverse=True)
            texts = [f"{fact.category}/{fact.key}: {fact.value}" for fact in ordered]
            reason = "they are several records of one thing"
            yield Found.of(Finding.SPLIT_FACT, "fact", [fact.id for fact in ordered], texts, reason)


def about_of(fact: Fact, names: Sequence[str]) -> Named | None:
    """What a fact is about, without the name of the only person before it: `anna_home` is their home."""
    for name in sorted(map(slug, names), key=len, reverse=True):
        if fact.key.startswith(f"{name}_"):
            return named(fact.category, fact.key.removeprefix(f"{name}_"), fact.value)
    return named(fact.category, fact.key, fact.value)


def _stale(facts: Sequence[Fact], now: datetime) -> Iterator[Found]:
    for fact in facts:
        last = fact.last_verified_at or fact.valid_from
        reason = None
        if fact.expires_at is not None and fact.expires_at <= now:
            reason = f"it held until {fact.expires_at:%Y-%m-%d}"
        elif now - last > STALE_AFTER:
            reason = f"nobody has said it since {last:%Y-%m-%d}"
        if reason:
            text = f"{fact.category}/{fact.key}: {fact.value}"
            yield Found.of(Finding.STALE_FACT, "fact", [fact.id], [text], reason)


def _group(kind: Finding, group: Sequence[Memory], reason: str) -> Found:
    """The oldest first, but a pinned one before all: that is the one to keep."""
    ordered = sorted(group, key=lambda memory: (not memory.pinned, memory.created_at, memory.id))
    return _listed(kind, ordered, reason)


def _newest_first(kind: Finding, group: Sequence[Memory], reason: str) -> Found:
    ordered = sorted(group, key=lambda memory: (memory.observed_at, memory.id), reverse=True)
    return _listed(kind, ordered, reason)


def _listed(kind: Finding, ordered: Sequence[Memory], reason: str) -> Found:
    ids, texts = [memory.id for memory in ordered], [memory.content for memory in ordered]
    return Found.of(kind, "memory", ids, texts, reason)
