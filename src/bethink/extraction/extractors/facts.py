"""`facts`: every few messages, or when asked to remember something, facts and notes of the user."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field, model_validator

from bethink.extraction.extractors import drafts
from bethink.extraction.extractors.ask import Answered, Unusable, ask
from bethink.extraction.extractors.contract import Extracted, IsSmall, Known, Unread, never_small
from bethink.extraction.extractors.evidence import Evidence
from bethink.extraction.templates import Templates
from bethink.extraction.transcripts import Transcript, transcript
from bethink.models.chat import Chat, ChatMessage, every, validated
from bethink.models.worth import Worth
from bethink.records import Json, Message
from bethink.settings.sections import ExtractionSettings
from bethink.shapes.inputs import FactDraft, MemoryDraft
from bethink.text.slots import label_of

_STRETCH = 4  # a backlog is read in stretches of so many times `every_messages`
_EARLIER_CHARS, _EARLIER_SMALL = 3000, 600  # characters shown of what was said before
_TOKENS_SMALL = 400  # of what a small model says of one message
_FACTS_SMALL = 20  # existing facts that a small model is shown


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


def _whole(text: str) -> FactsAnswer:
    return validated(text, FactsAnswer)


def _whole_or_part(text: str) -> FactsAnswer:
    """The answer; else the facts in it that are whole: a small model may list without end and be cut off."""
    try:
        return _whole(text)
    except ValueError:
        if facts := every(text, FactItem):
            return FactsAnswer(facts=facts, notes=[])
        raise


class FactsExtractor:
    """Asks a chat model for facts and notes."""

    name = "facts"

    def __init__(
        self,
        chat: Chat,
        settings: ExtractionSettings,
        templates: Templates,
        *,
        worth: Worth | None = None,
        is_small: IsSmall = never_small,
    ) -> None:
        self._chat, self._settings, self._templates = chat, settings, templates
        self._worth, self._is_small = worth, is_small

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
        small = await self._is_small()
        # Long turns take long to read, so that is done off the event loop.
        asked = await asyncio.to_thread(self._asked, turns, known, small)
        if isinstance(asked, str):
            return Extracted(skipped=asked, attempts=0)
        before = known.before[-1].content if known.before else ""
        work = _Work(Evidence(turns, self._worth, before=before, small=small))
        answers: list[Answered[FactsAnswer]] = []
        for place, (read, messages) in enumerate(asked, 1):
            try:
                answers.append(await self._answer(messages, small))
            except Unusable as failure:
                if place == len(asked) and not answers:
                    raise
                work.left_out.append(f"a message could not be read: {failure.message}")
            else:
                await asyncio.to_thread(work.take, answers[-1].value, read.turns)
        dropped = sum(read.dropped for read, _ in asked)
        return Extracted(
            memories=work.memories,
            facts=work.facts,
            left_out=work.left_out,
            attempts=max(one.attempts for one in answers),
            model=answers[-1].model,
            counts={"dropped_chars": dropped} if dropped else {},
        )

    async def _answer(self, messages: Sequence[ChatMessage], small: bool) -> Answered[FactsAnswer]:
        most = self._settings.max_tokens
        return await ask(
            self._chat,
            messages,
            _whole_or_part if small else _whole,
            self._templates,
            schema=FactsAnswer,
            max_tokens=min(most, _TOKENS_SMALL) if small else most,
        )

    def _asked(
        self, turns: Sequence[Message], known: Known, small: bool
    ) -> list[tuple[Transcript, list[ChatMessage]]] | str:
        """What the model is asked, a small one about each message by itself; or why it is not."""
        if reason := drafts.why_nothing_to_read(turns):
            return reason
        if not small:
            return [self._about(turns, known.before, known, _EARLIER_CHARS, drafts.FACTS_SHOWN)]
        talk = [*known.before, *turns]
        return [
            self._about([turn], talk[place - 1 : place], known, _EARLIER_SMALL, _FACTS_SMALL)
            for place, turn in enumerate(talk)
            if place >= len(known.before) and drafts.why_nothing_to_read([turn]) is None
        ]

    def _about(
        self, turns: Sequence[Message], before: Sequence[Message], known: Known, earlier: int, facts: int
    ) -> tuple[Transcript, list[ChatMessage]]:
        read = transcript(turns, limit=self._settings.transcript_chars)
        return read, self._templates.messages(
            "facts",
            EXISTING_FACTS=drafts.known_facts(known.facts, facts),
            EARLIER=transcript(before, limit=earlier).text or "(nothing)",
            TRANSCRIPT=read.text,
        )


class _Work:
    """Answers, made into drafts."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._turns: Mapping[int, Message] = {}
        self.facts: list[FactDraft] = []
        self.memories: list[MemoryDraft] = []
        self.left_out: list[str] = []

    def take(self, answer: FactsAnswer, turns: Mapping[int, Message]) -> None:
        """Draft what an answer about these turns says."""
        self._turns = turns
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
        origin = drafts.origin(said, FactsExtractor.name)
        asked = origin["confidence"] == drafts.ASKED_FOR
        if reason := self._evidence.why_not(value, said, asked=asked):
            return reason
        slotted = drafts.in_slot(category, key, value, said)
        if slotted is None:
            return drafts.NO_VALUE
        self._add(*slotted, said, origin)
        return None

    def _add(self, category: str, key: str, value: str, said: Sequence[Message], origin: Json) -> None:
        name, person_id = label_of(category, key, value).replace("_", " "), origin["person_id"]
        content = f"{name}: {value}"
        asked = origin["confidence"] == drafts.ASKED_FOR
        self.facts.append(
            FactDraft(
                category=category,
                key=key,
                value=value,
                person_id=person_id,
                source="user_explicit" if asked else "conversation",
                confidence=origin["confidence"],
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

    def _note(self, item: NoteItem) -> str | None:
        text = drafts.one_line(item.text)
        if reason := drafts.why_not(text, drafts.LONGEST_NOTE):
            return reason
        said = drafts.sources(item.turns, self._turns)
        if said is None:
            return "only the assistant said it"
        origin = drafts.origin(said, FactsExtractor.name)
        asked = origin["confidence"] == drafts.ASKED_FOR
        if reason := self._evidence.why_not(text, said, asked=asked):
            return reason
        self.memories.append(MemoryDraft(content=text, **origin))
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
