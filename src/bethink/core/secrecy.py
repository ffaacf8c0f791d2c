"""What becomes of secrets, as the setting `capture.secrets` says: what is shown, and what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVar

from bethink.clock import new_id
from bethink.records import JournalEntry, Record, Space
from bethink.settings.sections import SecretsPolicy
from bethink.shapes.masking import masked_record
from bethink.store import Tx, journal
from bethink.text.secrets import masked

T = TypeVar("T")
R = TypeVar("R", bound=Record)
REVEALED = "revealed"


class Secrecy:
    """Masks secrets in what is shown, unless they are kept in the open; and before storing, if so chosen."""

    def __init__(self, policy: SecretsPolicy) -> None:
        self.masks, self.drops = policy != "keep", policy == "drop"

    def shown(self, value: T) -> T:
        """A record, a list of them or a text as it may be shown."""
        return _masked(value) if self.masks else value

    def hidden_in(self, value: object) -> int:
        """How many records are shown otherwise than they are."""
        if not self.masks:
            return 0
        values = value if isinstance(value, list) else [value]
        return sum(_masked(one) != one for one in values)

    def to_store(self, drafts: Sequence[R]) -> list[R]:
        """Drafts as they are to be stored."""
        return [masked_record(draft) for draft in drafts] if self.drops else list(drafts)

    def text_to_store(self, text: str) -> str:
        """A text as it is to be stored."""
        return masked(text) if self.drops else text


def note_reveal(tx: Tx, space: Space, actor: str, what: str, now: datetime) -> None:
    """Let the journal say that secrets of a space were shown."""
    line = JournalEntry(
        id=new_id(), space_id=space.id, at=now, actor=actor, action=REVEALED, noun="space",
        record_id=space.id, reason=what,
    )  # fmt: skip
    journal.add(tx, [line])


def _masked(value: Any) -> Any:
    if isinstance(value, list):
        return [_masked(one) for one in value]
    if isinstance(value, str):
        return masked(value)
    return masked_record(value) if isinstance(value, Record) else value
