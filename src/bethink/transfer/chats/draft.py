"""What was said, as messages to store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from bethink.conversations.take_in import Piece
from bethink.records import Json
from bethink.shapes.fields import LIST_ITEMS, checked
from bethink.shapes.inputs import MessageDraft
from bethink.transfer.chats.people import Me
from bethink.transfer.chats.said import Said, id_of, short


@dataclass
class Drafting:
    """How the messages of one file become drafts, and what had to be changed."""

    platform: str
    me: Me
    content_chars: int
    zone: tzinfo
    left_out: Counter[str] = field(default_factory=Counter)

    def pieces(self, batch: Sequence[Said]) -> list[Piece]:
        """The messages by conversation, each in its order."""
        found: dict[str, Piece] = {}
        for said in batch:
            draft = self._draft(said)
            where = said.conversation
            name = where.id if self.platform == "chat" else id_of(f"{self.platform}:{where.id}")
            piece = found.setdefault(f"{draft.platform}\0{name}", Piece(name, where.title))
            piece.drafts.append(draft)
        return list(found.values())

    def _draft(self, said: Said) -> MessageDraft:
        role = said.role or ("user" if self.me.said(said) else "contact")
        content = said.content or _named(said.attachments)
        if len(content) > self.content_chars:
            self.left_out["messages were too long, and cut"] += 1
            content = content[: self.content_chars]
        return checked(
            MessageDraft,
            {
                "role": role,
                "content": content,
                "external_id": said.id,
                "name": short(said.name),
                "sent_at": self._local(said.at),
                "platform": self.platform,
                "channel": said.conversation.channel,
                "contact": said.conversation.contact,
                "bot_id": said.bot_id,
                "person_id": self.me.person_id if role == "user" else None,
                "attachments": said.attachments[:LIST_ITEMS],
                "metadata": said.metadata,
                **said.more,
            },
        )

    def _local(self, at: datetime) -> datetime:
        """The same moment on the user's clock, where the file tells none: "yesterday" is a day there."""
        return at if at.utcoffset() else at.astimezone(self.zone)


def _named(attachments: Sequence[Json]) -> str:
    """What stands for a message that has no words."""
    names = [str(item.get("name") or item.get("type") or "attachment") for item in attachments]
    return f"[{', '.join(names)[:1000]}]"
