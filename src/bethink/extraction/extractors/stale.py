"""`stale`: when a session has rested, the stable facts of the whole of it, from tools too."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from pydantic import BaseModel, Field, model_validator

from bethink.extraction.extractors import drafts
from bethink.extraction.extractors.ask import ask
from bethink.extraction.extractors.contract import Extracted, IsSmall, Known, Unread, never_small
from bethink.extraction.extractors.evidence import Evidence
from bethink.extraction.templates import Templates
from bethink.extraction.transcripts import Transcript, transcript
from bethink.models.chat import Chat, ChatMessage, validated
from bethink.models.worth import Worth
from bethink.records import Message
from bethink.settings.sections import ExtractionSettings
from bethink.shapes.inputs import FACT_CONFIDENCE, OTHER_CONFIDENCE, FactDraft

_TOOLS = ("tool_call", "auto_discovery")
_LONGEST_CONTEXT = 500  # characters


class StaleItem(BaseModel):
    """A fact as the model gives it."""

    category: str
    key: str
    value: str
    source: str = "conversation"
    source_context: str = ""
    turns: list[int] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, value: Any) -> Any:
        """A field that is null is a field that was left out."""
        return {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else value


class StaleAnswer(BaseModel):
    """What `stale` is answered with; the list alone will do."""

    facts: list[StaleItem]

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return {"facts": value} if isinstance(value, list) else value


class StaleExtractor:
    """Asks a chat model for the facts of a conversation that has ended."""

    name = "stale"

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
        """All of it, when nobody has spoken for long enough."""
        rested = unread.idle >= timedelta(minutes=self._settings.idle_minutes)
        return [unread.messages] if rested and unread.messages else []

    async def extract(self, turns: Sequence[Message], known: Known) -> Extracted:
        """Facts with a confidence by where they come from."""
        # Long turns take long to read, so that is done off the event loop.
        asked = await asyncio.to_thread(self._asked, turns, known)
        if isinstance(asked, str):
            return Extracted(skipped=asked, attempts=0)
        read, messages = asked
        answered = await ask(
            self._chat,
            messages,
            lambda text: validated(text, StaleAnswer),
            self._templates,
            schema=StaleAnswer,
            max_tokens=self._settings.max_tokens,
        )
        evidence = Evidence(turns, self._worth, small=await self._is_small())
        facts, left_out = await asyncio.to_thread(_drafts, answered.value.facts, read, evidence)
        return Extracted(
            facts=facts,
            left_out=left_out,
            attempts=answered.attempts,
            model=answered.model,
            counts={"dropped_chars": read.dropped} if read.dropped else {},
        )

    def _asked(self, turns: Sequence[Message], known: Known) -> tuple[Transcript, list[ChatMessage]] | str:
        """What the model is asked; or why it is not."""
        has_results = any(turn.role == "tool" and turn.content.strip() for turn in turns)
        if not has_results and (reason := drafts.why_nothing_to_read(turns)):
            return reason
        settings = self._settings
        read = transcript(
            turns, limit=settings.transcript_chars, tools=True, result_chars=settings.result_chars
        )
        messages = self._templates.messages(
            "stale", EXISTING_FACTS=drafts.known_facts(known.facts), TRANSCRIPT=read.text
        )
        return read, messages


def _drafts(
    items: Sequence[StaleItem], read: Transcript, evidence: Evidence
) -> tuple[list[FactDraft], list[str]]:
    facts: list[FactDraft] = []
    left_out = [f"more than {drafts.MOST} at once"] * max(len(items) - drafts.MOST, 0)
    for item in items[: drafts.MOST]:
        made = _draft(item, read, evidence)
        if isinstance(made, FactDraft):
            facts.append(made)
        else:
            left_out.append(made)
    return facts, left_out


def _draft(item: StaleItem, read: Transcript, evidence: Evidence) -> FactDraft | str:
    """The draft of a fact, or why there is none."""
    category, key = drafts.key_part(item.category), drafts.key_part(item.key)
    value = drafts.one_line(item.value)
    if reason := drafts.why_no_fact(category, key, value):
        return reason
    said = drafts.sources(item.turns, read.turns, ("user", "tool"))
    if said is None:
        return "only the assistant said it"
    if reason := evidence.why_not(value, said):
        return reason
    slotted = drafts.in_slot(category, key, value, said)
    if slotted is None:
        return drafts.NO_VALUE
    category, key, value = slotted
    source = _source(item.source, said)
    context = drafts.one_line(item.source_context)[:_LONGEST_CONTEXT]
    return FactDraft(
        category=category,
        key=key,
        value=value,
        person_id=drafts.person_of([message for message in said if message.role == "user"]),
        source=source,
        confidence=FACT_CONFIDENCE.get(source, OTHER_CONFIDENCE),
        source_context=None if drafts.why_not(context, _LONGEST_CONTEXT) else context,
        provenance=drafts.ids_of(said),
    )


def _source(told: str, said: Sequence[Message]) -> str:
    """Where a fact comes from, as far as the turns bear it out."""
    source = told.strip().lower()
    if source in _TOOLS and not any(message.role == "tool" for message in said):
        return "conversation"
    if source == "user_explicit" and not any(message.role == "user" for message in said):
        return "conversation"
    return source if source in (*_TOOLS, "user_explicit") else "conversation"
