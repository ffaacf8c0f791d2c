"""Take in a conversation that is sent whole each time: only what is new is stored, and nothing twice.

What is sent is laid beside what is stored so that the most turns meet. What follows the turns that meet is
new; where something else is stored there already, it was said anew and takes its place."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bethink.clock import new_id, now
from bethink.conversations.observe import observe
from bethink.conversations.repeats import overlap, says_same
from bethink.core import Handle
from bethink.index.describe import Style
from bethink.records import Message, Space
from bethink.shapes.fields import check_name, check_sizes, checked_all
from bethink.shapes.inputs import MessageDraft
from bethink.shapes.keywords import MessageInput
from bethink.shapes.outcomes import Observed
from bethink.store import Tx, messages
from bethink.text.fold import collapsed

PLATFORM = "gateway"
REACH = 400  # turns compared, from the end; older ones are behind us
BRANCHES = 20  # conversations with the same opening that are looked at, the newest first


@dataclass(frozen=True)
class Meeting:
    """Where a conversation goes on: its first new turn, and the place among those stored where it belongs."""

    new: int
    at: int
    met: bool


def meet(stored: Sequence[tuple[str, str]], sent: Sequence[tuple[str, str]]) -> Meeting:
    """How turns that were sent (role and text) continue those that are stored."""
    apart = Meeting(0, len(stored), met=False)
    places: dict[tuple[str, str], list[int]] = {}
    for place, turn in enumerate(stored):
        places.setdefault(turn, []).append(place)
    votes = Counter(place - number for number, turn in enumerate(sent) for place in places.get(turn, ()))
    if not votes:
        return apart
    shift = max(votes, key=lambda shift: (votes[shift], shift == 0, shift))
    same = [_at(stored, number + shift) == turn for number, turn in enumerate(sent)]
    first = same.index(True)
    new = same.index(False, first) if False in same[first:] else len(sent)
    at = new + shift
    answered = any(role == "assistant" for role, _ in sent[first:new])
    if not answered and (shift != 0 or len(stored) - at > 1):
        return apart  # the same words once more, by someone who sends only what is new
    return Meeting(new, at, met=True)


def continues(stored: Sequence[tuple[str, str]], sent: Sequence[tuple[str, str]]) -> bool:
    """Whether turns go on with what is stored, or put something else for its last exchange at most."""
    if not stored:
        return True
    meeting = meet(stored, sent)
    changed = 2 if meeting.new < len(sent) else 1
    return meeting.met and len(stored) - meeting.at <= changed


def _at(stored: Sequence[tuple[str, str]], place: int) -> tuple[str, str] | None:
    return stored[place] if 0 <= place < len(stored) else None


def is_new(tx: Tx, space: Space, opening: str) -> bool:
    """Whether nothing is stored of a conversation that began so."""
    return not messages.last_position(tx, space.id, opening)


def locate(tx: Tx, space: Space, opening: str, drafts: Sequence[MessageDraft]) -> str:
    """The session that a conversation with this opening goes on with, or the name of a new one.

    Many conversations begin alike. One that went another way is not overwritten: a new one gets a number.
    """
    branches = _branches(tx, space, opening)
    for number in range(branches, max(branches - BRANCHES, 0), -1):
        name = _branch(opening, number)
        if continues(*_turns(_stored(tx, space, name), drafts[-REACH:])):
            return name
    return _branch(opening, branches + 1)


def _branches(tx: Tx, space: Space, opening: str) -> int:
    """How many conversations have this opening, found without looking at each."""

    def is_free(number: int) -> bool:
        return is_new(tx, space, _branch(opening, number))

    beyond = 1
    while not is_free(beyond):
        beyond *= 2
    return bisect_left(range(1, beyond), True, key=is_free)


def _branch(opening: str, number: int) -> str:
    return opening if number == 1 else f"{opening}~{number}"


def answered(tx: Tx, space: Space, external_id: str) -> str | None:
    """The session in which an answer with this id was given."""
    found = messages.by_external_ids(tx, space.id, PLATFORM, [external_id])
    return found[external_id].session_id if found else None


def follow(
    tx: Tx,
    space: Space,
    session_id: str,
    drafts: Sequence[MessageDraft],
    now: datetime,
    actor: str,
    style: Style,
    *,
    whole: bool,
    after: str | None = None,
) -> Observed:
    """Store what is new of a conversation. `whole` says that what was said before is sent again; otherwise
    `after` is the id of the answer that it goes on from."""
    stored, sent = _stored(tx, space, session_id), drafts[-REACH:]
    known = 0 if whole or after is None else _known_after(stored, sent, after)
    meeting = meet(*_turns(stored, sent)) if whole else Meeting(known, len(stored), met=False)
    fresh: list[MessageDraft] = []
    replaced = list(stored[meeting.at :])
    taken = set(_known_ids(tx, space, sent[meeting.new :]))
    for draft in sent[meeting.new :]:
        old = replaced.pop(0) if replaced else None
        platform, external_id = PLATFORM, draft.external_id
        if old and old.role == draft.role and old.external_id:
            platform, external_id = old.platform, old.external_id
        else:
            replaced.clear()
            if external_id is None or external_id in taken:
                external_id = new_id()
        fresh.append(draft.model_copy(update={"external_id": external_id, "platform": platform}))
    return observe(tx, space, session_id, fresh, now, actor, style)


def _known_after(stored: Sequence[Message], sent: Sequence[MessageDraft], answer: str) -> int:
    """How many of the first turns sent are known: said up to an answer, or after it when it was asked before.

    Some programs send what was said before along with the answer's id; and a request may be sent again.
    """
    places = [place for place, message in enumerate(stored) if message.external_id == answer]
    beyond = places[-1] + 1 if places else len(stored)
    known = overlap(stored[:beyond], sent)
    for message, draft in zip(stored[beyond:], sent[known:], strict=False):
        if not says_same(message, draft):
            break
        known += 1
    return known


def _stored(tx: Tx, space: Space, session_id: str) -> list[Message]:
    last = messages.last_position(tx, space.id, session_id)
    return messages.window(tx, space.id, session_id, last - REACH + 1, last)


def _known_ids(tx: Tx, space: Space, drafts: Sequence[MessageDraft]) -> list[str]:
    """Ids that a host gave before; not every host's are unique."""
    given = [draft.external_id for draft in drafts if draft.external_id]
    return list(messages.by_external_ids(tx, space.id, PLATFORM, given)) if given else []


def _turns(
    stored: Sequence[Message], sent: Sequence[MessageDraft]
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    return [_turn(message) for message in stored], [_turn(draft) for draft in sent]


def _turn(message: Message | MessageDraft) -> tuple[str, str]:
    return message.role, collapsed(message.content)


class AsyncConversations:
    """Conversations that are sent whole each time; what was said before is known again by its words."""

    def __init__(self, space: Handle) -> None:
        self._space = space

    async def follow(
        self,
        session: str,
        messages: Sequence[MessageInput | MessageDraft | Mapping[str, Any]],
        *,
        whole: bool = True,
        after: str | None = None,
    ) -> Observed:
        """Take in a conversation so far: what is new of it is stored, what was said anew is replaced.

        Not `whole`, the messages only go on with what is stored, whatever they say; or with the answer that
        has the id `after`, and then turns that are stored there already are not stored again.
        """
        core, space = await self._space.inside.here()
        drafts = core.secrecy.to_store(checked_all(MessageDraft, messages, "messages"))
        check_name(session, "session")
        check_sizes(core.settings.limits, count=len(drafts), texts=[draft.content for draft in drafts])
        style, actor = core.settings.index.text_form, self._space.inside.actor
        seen = await core.driver.write(
            follow, space, session, drafts, now(), actor, style, whole=whole, after=after
        )
        await core.changed("message", space, session_id=session)
        return seen

    async def locate(
        self, opening: str, messages: Sequence[MessageInput | MessageDraft | Mapping[str, Any]]
    ) -> str:
        """The session that a conversation goes on with; `opening` names all that begin like it."""
        core, space = await self._space.inside.here()
        check_name(opening, "opening")
        drafts = core.secrecy.to_store(checked_all(MessageDraft, messages, "messages"))
        if await core.driver.peek(is_new, space, opening):
            return opening
        return await core.driver.read(locate, space, opening, drafts)

    async def answered(self, answer_id: str) -> str | None:
        """The session in which an answer was given, by the id that its host gave it."""
        core, space = await self._space.inside.here()
        check_name(answer_id, "answer_id")
        return await core.driver.read(answered, space, answer_id)
