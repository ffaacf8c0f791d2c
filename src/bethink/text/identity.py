"""When what somebody says replaces who they are known to be. Pure.

A name, a home, a partner, an employer and the like change seldom, and much that sounds like them is said of
others: in a text that was pasted, a joke, a line of a play. So a fact of this kind gives way only

- when it is said as a change: "I moved to Porto", "call me Ann from now on", "not Lisbon but Porto";
- when the new value is confirmed: said in two messages, which are of two sessions or in other words;
- when the new value says the same in more words: "Anna", then "Anna Schmidt".

Nothing gives way to a message that gives another name than the one that is known: somebody else wrote it.
Nor to one that speaks of a text beside it, which may be the text.

Otherwise it stays. What somebody sets by hand is never asked here. Which facts are meant says
`slots.kind_of`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Mention:
    """A message in which a value was said."""

    message_id: str
    session_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a new value replaces the current one, and why. `same` says that there is nothing to replace."""

    replace: bool
    reason: str
    same: bool = False


def may_replace(key: str, current: str, draft: str, cue: str | None, mentions: Sequence[Mention]) -> Decision:
    """Whether `draft` takes the place of `current`.

    `cue` are the words that say it as a change, if there are any; `mentions` are the messages in which the
    new value was said, with the one that says it now.
    """
    if cue:
        return Decision(True, f"it was said as a change: {cue!r}")
    if known := _already(key, current, draft):
        return known
    old, new = _words(current), _words(draft)
    if old and old < new:
        return Decision(True, f"it says more than {current!r}")
    if is_confirmed(mentions):
        return Decision(True, "it was said again in another message")
    return Decision(False, f"{_shown(key)} stays {current}: one mention of {draft}, not said as a change")


def in_a_text(key: str, current: str, draft: str) -> Decision:
    """What becomes of a new value beside words that speak of a text: who wrote that may be another."""
    stays = f"{_shown(key)} stays {current}: {draft} is said where a text is spoken of"
    return _already(key, current, draft) or Decision(False, stays)


def _already(key: str, current: str, draft: str) -> Decision | None:
    old, new = _words(current), _words(draft)
    is_known = new == old or (new and new < old)
    return Decision(False, f"{_shown(key)} is {current} already", same=True) if is_known else None


def is_confirmed(mentions: Sequence[Mention]) -> bool:
    """Whether two messages say it, of two sessions or in other words: a message sent twice is one."""
    by_id = {mention.message_id: mention for mention in mentions}.values()
    return (
        len({mention.session_id for mention in by_id}) > 1
        or len({" ".join(mention.text.casefold().split()) for mention in by_id}) > 1
    )


def in_another_name(key: str, current: str, draft: str) -> Decision:
    """What becomes of a new value in a message that gives another name than the one that is known."""
    return Decision(False, f"{_shown(key)} stays {current}: who says {draft} gives another name")


def is_short_for(one: str, other: str) -> bool:
    """Whether two names may be one: "Ann" and "Anna"."""
    first, second = (" ".join(name.casefold().split()) for name in (one, other))
    return first.startswith(second) or second.startswith(first)


def _words(value: str) -> frozenset[str]:
    return frozenset(_WORD.findall(value.casefold()))


def _shown(key: str) -> str:
    return key.replace("_", " ")
