"""`facts`: every few messages, or when asked to remember something, facts and notes of the user."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field, model_validator

from bethink.extraction.extractors import drafts
from bethink.extraction.extractors.ask import ask
from bethink.extraction.extractors.contract import Extracted, Known, Unread
from bethink.extraction.templates import Templates
from bethink.extraction.transcripts import Transcript, transcript
from bethink.models.chat import Chat, ChatMessage, validated
from bethink.records import Message
from bethink.settings.sections import ExtractionSettings
from bethink.shapes.inputs import FactDraft, MemoryDraft

_STRETCH = 4  # a backlog is read in stretches of so many times `every_messages`
_EARLIER_CHARS = 3000
_REQUEST = "Reply with the JSON only."


class FactItem(BaseModel):
    """A fact as the model gives it."""

    category: str
    key: str
    value: str
    turns: list[int] = Field(default_factory=list)


class NoteItem(BaseModel):
    """A note as the model gives it, with or without where it comes from."""

    text: str
    turns: list[int] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, value: Any) -> Any:
        return {"text": value} if isinstance(value, str) else value


class FactsAnswer(BaseModel):
    """What `facts` is answered with."""

    facts: list[FactItem]
    notes: list[NoteItem]

    @model_validator(mode="before")
    @classmethod
    def _forgiving(cls, value: Any) -> Any:
        """One of the two lists may be left out, but not both: that would be another answer."""
        if isinstance(value, dict) and value.keys() & {"facts", "notes"}:
            return {"facts": [], "notes": []} | {
                name: item for name, item in value.items() if item is not None
            }
        return value


class FactsExtractor:
    """Asks a chat model for facts and notes."""

    name = "facts"

    def __init__(self, chat: Chat, settings: ExtractionSettings, templates: Templates) -> None:
        self._chat, self._settings, self._templates = chat, settings, templates

    def due(self, unread: Unread) -> list[Sequence[Message]]:
        """All that is unread, once it is enough or the user asks for it to be remembered."""
        messages = unread.messages
        if len(messages) < self._settings.every_messages and not any(
            drafts.asks_to_remember(message.content) for message in messages if message.role == "user"
        ):
            return []
        return _stretches(messages, self._settings.every_messages * _STRETCH, self._settings.transcript_chars)

    async def extract(self, turns: Sequence[Message], known: Known) -> Extracted:
        """Facts of the user, each also as a memory, and notes as memories."""
        # Long turns take long to read, so that is done off the event loop.
        asked = await asyncio.to_thread(self._asked, turns, known)
        if isinstance(asked, str):
            return Extracted(skipped=asked, attempts=0)
        read, messages = asked
        answered = await ask(
            self._chat,
            messages,
            lambda text: validated(text, FactsAnswer),
            self._templates,
            schema=FactsAnswer,
            max_tokens=self._settings.max_tokens,
        )
        work = _Work(read)
        await asyncio.to_thread(work.take, answered.value)
        return Extracted(
            memories=work.memories,
            facts=work.facts,
            left_out=work.left_out,
            attempts=answered.attempts,
            model=answered.model,
            counts={"dropped_chars": read.dropped} if read.dropped else {},
        )

    def _asked(self, turns: Sequence[Message], known: Known) -> tuple[Transcript, list[ChatMessage]] | str:
        """What the model is asked; or why it is not."""
        if reason := drafts.why_nothing_to_read(turns):
            return reason
        read = transcript(turns, limit=self._settings.transcript_chars)
        prompt = self._templates.fill(
            "facts",
            EXISTING_FACTS=drafts.known_facts(known.facts),
            EARLIER=transcript(known.before, limit=_EARLIER_CHARS).text or "(nothing)",
            TRANSCRIPT=read.text,
        )
        return read, [{"role": "system", "content": prompt}, {"role": "user", "content": _REQUEST}]


class _Work:
    """One answer, made into drafts."""

    def __init__(self, read: Transcript) -> None:
        self._turns = read.turns
        self._evidence = drafts.Evidence()
        self.facts: list[FactDraft] = []
        self.memories: list[MemoryDraft] = []
        self.left_out: list[str] = []

    def take(self, answer: FactsAnswer) -> None:
        items: list[FactItem | NoteItem] = [*answer.facts, *answer.notes]
        for item in items[: drafts.MOST]:
            reason = self._fact(item) if isinstance(item, FactItem) else self._note(item)
            if reason:
                self.left_out.append(reason)
        if more := len(items) - drafts.MOST:
            self.left_out += [f"more than {drafts.MOST} at once"] * max(more, 0)

    def _fact(self, item: FactItem) -> str | None:
        """Draft a fact and its memory, or say why not."""
        category, key = drafts.key_part(item.category), drafts.key_part(item.key)
        value = drafts.one_line(item.value)
        if reason := drafts.why_no_fact(category, key, value):
            return reason
        said = drafts.sources(item.turns, self._turns)
        if said is None:
            return "only the assistant said it"
        if self._evidence.is_handed_over(value, said):
            return drafts.HANDED_OVER
        origin, content = drafts.origin(said, FactsExtractor.name), f"{key.replace('_', ' ')}: {value}"
        person_id, confidence = origin["person_id"], origin["confidence"]
        self.facts.append(
            FactDraft(
                category=category,
                key=key,
                value=value,
                person_id=person_id,
                source="user_explicit" if confidence == drafts.ASKED_FOR else "conversation",
                confidence=confidence,
                source_context=content,
                provenance=drafts.ids_of(said),
            )
        )
        self.memories.append(
            MemoryDraft(
                content=content,
                key=f"fact:{person_id or ''}:{category}/{key}",
                category=category,
                **origin,
            )
        )
        return None

    def _note(self, item: NoteItem) -> str | None:
        text = drafts.one_line(item.text)
        if reason := drafts.why_not(text, drafts.LONGEST_NOTE):
            return reason
        said = drafts.sources(item.turns, self._turns)
        if said is None:
            return "only the assistant said it"
        if self._evidence.is_handed_over(text, said):
            return drafts.HANDED_OVER
        self.memories.append(
            MemoryDraft(content=text, **drafts.origin(said, FactsExtractor.name)),
        )
        return None


def _stretches(messages: Sequence[Message], most: int, chars: int) -> list[Sequence[Message]]:
    """Stretches of at most so many messages, and short enough to be read whole if a message is."""
    found: list[list[Message]] = []
    room = 0
    for message in messages:
        size = len(message.content) + 40  # with what stands before it
        if not found or len(found[-1]) >= most or size > room:
            found.append([])
            room = chars
        found[-1].append(message)
        room -= size
    return list(found)
