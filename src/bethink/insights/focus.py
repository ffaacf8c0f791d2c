"""What a space wants to be told of: people and topics that matter more, channels that are not read. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bethink.insights.ranking import plain
from bethink.shapes.insights import Importance, InsightDraft

_STEPS = [*Importance]  # from the most important


@dataclass(frozen=True, slots=True)
class Focus:
    """The people, topics and channels that were chosen."""

    people: Sequence[str] = ()
    topics: Sequence[str] = ()
    muted: Sequence[str] = ()

    def mutes(self, channel: str) -> bool:
        """Whether nothing of a channel is read."""
        return plain(channel) in map(plain, self.muted)

    def raised(self, draft: InsightDraft) -> InsightDraft:
        """The draft, one step more important when it concerns one of the people or speaks of a topic."""
        text = plain(f"{draft.title}\n{draft.description}")
        names = {plain(name) for name in draft.people}
        matters = any(plain(one) in names or plain(one) in text for one in self.people)
        if not matters and not any(plain(one) in text for one in self.topics):
            return draft
        higher = _STEPS[max(_STEPS.index(draft.importance) - 1, 0)]
        return draft.model_copy(update={"importance": higher})
