"""Whether what a chat model says was said: by the users themselves, and in earnest.

A model is asked for what users tell of themselves, and gives what a play, a quotation or a pasted letter says
too. What it gives is kept only if its words stand where the rules may take them from: in what the user wrote
and did not hand over, and there in units that the model of worth takes for no play, no quotation, no pasted
text and no secret. What a small model gives must also stand in a unit that is worth a fact, unless the user
asks for it to be remembered: a small model lists what is asked for, too, and what its example says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bethink.extraction.noise import own_words
from bethink.extraction.patterns.material import own_text
from bethink.extraction.worth import RULED_DOUBT, UNWORTHY, without_secrets
from bethink.models.worth import Unit, Worth
from bethink.records import Message
from bethink.text.terms import query_terms

HANDED_OVER = "only a text that was handed over says it"
NOT_IN_EARNEST = "only words say it that are a play's, somebody else's, or to be kept secret"
UNSAID = "nobody says it in these words"
LEAST_WORTH = 0.6  # of what a small model may take a fact from
_EVERY = 1_000_000  # terms of a message

Terms = frozenset[str]


@dataclass(frozen=True, slots=True)
class _Read:
    """The terms of a message: all, the user's own, those said in earnest, and those worth a fact."""

    every: Terms
    own: Terms
    earnest: Terms
    worthy: Terms


class Evidence:
    """What users said in the turns of a stretch, beside all that stands there. Each message is read once.

    `before` is what was said before the first turn. Without a model of worth all that is the users' own was
    said in earnest.
    """

    def __init__(
        self, turns: Sequence[Message], worth: Worth | None = None, *, before: str = "", small: bool = False
    ) -> None:
        contents = [before, *(turn.content for turn in turns)]
        self._before = {turn.id: said for turn, said in zip(turns, contents, strict=False)}
        self._worth, self._small = worth, small
        self._known: dict[str, _Read] = {}

    def why_not(self, text: str, said: Sequence[Message], *, asked: bool = False) -> str | None:
        """Why a text is not kept that a model takes from these messages; None where it is.

        `asked`: the user asks for it to be remembered.
        """
        if any(message.role != "user" for message in said):
            return None  # what tools gave is no user's
        read = [self._read(message) for message in said]
        every, own = _all(one.every for one in read), _all(one.own for one in read)
        shared = every.intersection(_terms(text))
        if (every and not own) or _mostly_beyond(shared, own):
            return HANDED_OVER
        if _mostly_beyond(shared, _all(one.earnest for one in read)):
            return NOT_IN_EARNEST
        if not self._small:
            return None
        if not shared:
            return UNSAID
        worthy = _all(one.worthy for one in read)
        return UNWORTHY if not asked and _mostly_beyond(shared, worthy) else None

    def _read(self, message: Message) -> _Read:
        if message.id not in self._known:
            self._known[message.id] = self._judged(message)
        return self._known[message.id]

    def _judged(self, message: Message) -> _Read:
        text = own_words(message.content)
        every, own = _terms(message.content), _terms(own_text(message.content))
        before = self._before.get(message.id, "")
        units = self._worth.read_now(before, text) if self._worth and text.strip() else None
        if units is None:
            return _Read(every, own, own, own)
        earnest = [unit for unit in without_secrets(text, units) if unit.harm < RULED_DOUBT]
        worthy = [unit for unit in earnest if unit.worth >= LEAST_WORTH]
        return _Read(every, own, own & _of(text, earnest), own & _of(text, worthy))


def _of(text: str, units: Sequence[Unit]) -> Terms:
    return _terms(" \n".join(text[unit.start : unit.end] for unit in units))


def _terms(text: str) -> Terms:
    return frozenset(query_terms(text, _EVERY))


def _all(terms: Iterable[Terms]) -> Terms:
    return frozenset[str]().union(*terms)


def _mostly_beyond(shared: Terms, allowed: Terms) -> bool:
    """Whether at least half of the shared terms stand nowhere that is allowed."""
    return bool(shared) and 2 * len(shared - allowed) >= len(shared)
