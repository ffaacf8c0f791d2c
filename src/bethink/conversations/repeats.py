"""Which of the messages that are handed in without ids say again what a session has already.

A call may be made twice, and many programs hand in the whole conversation each time. So the head of what
comes is laid over the tail of what is stored: the longest stretch that is the same is known. Words that were
said before but do not stand at the end are said anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from bethink.records import Message, Space
from bethink.shapes.inputs import MessageDraft
from bethink.store import Tx, messages
from bethink.text.fold import collapsed

RUN = 20  # as many turns in a row, or more, are known again wherever in the session they stand
_PROMPTS = 20  # system prompts of a session that are compared, the newest
_BESIDE = 20  # stored messages looked at beyond as many as come, since system prompts lie between the turns


def repeated(tx: Tx, space: Space, session_id: str, drafts: Sequence[MessageDraft]) -> Mapping[int, Message]:
    """The stored message that each draft repeats, by the draft's place; none for those with an id."""
    if all(draft.external_id for draft in drafts):
        return {}
    turns = [(place, draft) for place, draft in enumerate(drafts) if draft.role != "system"]
    prompts = [(place, draft) for place, draft in enumerate(drafts) if draft.role == "system"]
    last = messages.last_position(tx, space.id, session_id)
    reach = len(drafts) * 2 + _BESIDE if prompts else len(drafts)
    window = messages.window(tx, space.id, session_id, last - reach + 1, last)
    stored = [message for message in window if message.role != "system"]
    known = overlap(stored, [draft for _, draft in turns])
    found = {
        place: message
        for (place, _), message in zip(turns[:known], stored[len(stored) - known :], strict=True)
    }
    if not found and len(drafts) >= RUN:
        return _further_back(tx, space, session_id, drafts)
    if prompts:
        first_new = turns[known][0] if known < len(turns) else len(drafts)
        given = messages.newest_of_role(tx, space.id, session_id, "system", _PROMPTS)
        for place, draft in prompts:
            same = next((message for message in given if says_same(message, draft)), None)
            if same and place < first_new:
                found[place] = same
    return found


def overlap(stored: Sequence[Message], sent: Sequence[MessageDraft]) -> int:
    """How many messages at the end of what is stored are the first of what comes: the most there can be."""
    for count in range(min(len(stored), len(sent)), 0, -1):
        tail = stored[len(stored) - count :]
        if all(says_same(message, draft) for message, draft in zip(tail, sent, strict=False)):
            return count
    return 0


def says_same(message: Message, draft: MessageDraft) -> bool:
    """Whether a message is what is handed in: the same role and words, and whatever else the draft tells."""
    if draft.external_id:
        return (message.platform, message.external_id) == (draft.platform, draft.external_id)
    if message.role != draft.role or collapsed(message.content) != collapsed(draft.content):
        return False
    if draft.name not in (None, message.name) or draft.sent_at not in (None, message.sent_at):
        return False
    answers = draft.tool_call_id in (None, message.metadata.get("tool_call_id"))
    return answers and (bool(draft.content.strip()) or _holds_same(message, draft))


def _holds_same(message: Message, draft: MessageDraft) -> bool:
    """Whether messages without words attach and call the same."""
    calls = message.metadata.get("tool_calls"), draft.metadata.get("tool_calls")
    return message.attachments == draft.attachments and calls[0] == calls[1]


def _further_back(
    tx: Tx, space: Space, session_id: str, drafts: Sequence[MessageDraft]
) -> Mapping[int, Message]:
    """A long stretch that stands whole somewhere in the session: a file is read again, piece by piece."""
    first = drafts[0]
    for start in messages.positions_of(tx, space.id, session_id, first.role, first.content):
        window = messages.window(tx, space.id, session_id, start, start + len(drafts) - 1)
        unbroken = all(after.position - before.position == 1 for before, after in pairwise(window))
        if len(window) == len(drafts) and unbroken:
            pairs = list(zip(window, drafts, strict=True))
            if all(says_same(message, draft) for message, draft in pairs):
                return dict(enumerate(window))
    return {}
