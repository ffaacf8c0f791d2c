"""`one-fact`: after each reply, the one fact of the exchange that is worth keeping, or nothing."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from bethink.extraction.extractors import drafts
from bethink.extraction.extractors.ask import ask
from bethink.extraction.extractors.contract import Extracted, IsSmall, Known, Unread, never_small
from bethink.extraction.extractors.evidence import Evidence
from bethink.extraction.noise import why_noise
from bethink.extraction.templates import Templates
from bethink.extraction.transcripts import clean, day_of, without_middle
from bethink.models.chat import Chat, ChatMessage, spoken
from bethink.models.worth import Worth
from bethink.records import Message
from bethink.settings.sections import ExtractionSettings
from bethink.shapes.inputs import MemoryDraft

SHORTEST = 10  # characters of a fact
_ROOM = 4  # a long text may take so many times `transcript_chars`
# In capitals anywhere, or the word alone: "is afraid of nothing" is a fact.
_NOTHING = re.compile(r"\bNOTHING\b|(?i:^\W*nothing\W*$)")
_BARE = re.compile(r"^\W*(?:yes|no)\W*$", re.IGNORECASE)
_DRESS = " \t-*•>\"'`“”„«»"


class OneFactExtractor:
    """Asks a chat model for one line."""

    name = "one-fact"

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
        """Every exchange that has been answered."""
        exchanges: list[list[Message]] = []
        for message in unread.messages:
            if not exchanges or (message.role == "user" and _is_answered(exchanges[-1])):
                exchanges.append([])
            exchanges[-1].append(message)
        if exchanges and not _is_answered(exchanges[-1]):
            exchanges.pop()
        return list(exchanges)

    async def extract(self, turns: Sequence[Message], known: Known) -> Extracted:
        """At most one memory."""
        # Long turns take long to read, so that is done off the event loop.
        if reason := await asyncio.to_thread(drafts.why_nothing_to_read, turns):
            return Extracted(skipped=reason, attempts=0)
        said = [turn for turn in turns if turn.role == "user"]
        answered = await ask(
            self._chat,
            await asyncio.to_thread(self._messages, turns, said, known),
            read_line,
            self._templates,
            schema=None,
            max_tokens=self._settings.max_tokens,
        )
        line = answered.value
        before = known.before[-1].content if known.before else ""
        evidence = Evidence(turns, self._worth, before=before, small=await self._is_small())
        made = await asyncio.to_thread(_draft, line, said, evidence) if line else None
        return Extracted(
            memories=[made] if isinstance(made, MemoryDraft) else (),
            left_out=[made] if isinstance(made, str) else [],
            attempts=answered.attempts,
            model=answered.model,
        )

    def _messages(self, turns: Sequence[Message], said: Sequence[Message], known: Known) -> list[ChatMessage]:
        room = self._settings.transcript_chars * _ROOM
        replies = [turn for turn in turns if turn.role == "assistant"]
        memories = known.memories[: self._settings.known_memories]
        return self._templates.messages(
            "one-fact",
            EXISTING_MEMORIES=drafts.bulleted(f"- {clean(memory)}" for memory in memories),
            EXISTING_CONTEXT=without_middle("\n\n".join(map(clean, known.contexts)), room)[0] or "(none)",
            USER_TEXT=without_middle(_text(said), room)[0],
            ASSISTANT_TEXT=without_middle(_text(replies), room)[0],
            DATE=day_of(said[-1]),
        )


def _draft(line: str, said: Sequence[Message], evidence: Evidence) -> MemoryDraft | str:
    """The draft of a line, or why there is none."""
    if reason := why_no_fact(line):
        return reason
    origin = drafts.origin(said, OneFactExtractor.name)
    reason = evidence.why_not(line, said, asked="explicit" in origin["metadata"])
    return reason or MemoryDraft(content=line, **origin)


def read_line(text: str) -> str | None:
    """The one line of an answer; None for NOTHING and for no answer. Raises `ValueError` for more lines."""
    lines = [
        line for line in (drafts.one_line(line).strip(_DRESS) for line in spoken(text).splitlines()) if line
    ]
    if not lines or any(_NOTHING.search(line) for line in lines):
        return None
    if len(lines) > 1:
        raise ValueError(f"it has {len(lines)} lines where one was asked for")
    return lines[0]


def why_no_fact(line: str | None) -> str | None:
    """Why a line is not kept; None when it is, or when there is none."""
    if line is None:
        return None
    if len(line) < SHORTEST:
        return f"it is shorter than {SHORTEST} characters"
    if _BARE.match(line):
        return "it only says yes or no"
    if line.endswith(("?", "？", "؟")):
        return "it is a question"
    return drafts.why_not(line, drafts.LONGEST_NOTE) or why_noise(line)


def _is_answered(exchange: Sequence[Message]) -> bool:
    """Whether the user has said something in it, and the last turn is a reply to it."""
    last = exchange[-1]
    return last.role == "assistant" and bool(last.content.strip()) and any(m.role == "user" for m in exchange)


def _text(messages: Sequence[Message]) -> str:
    return "\n\n".join(text for message in messages if (text := clean(message.content)))
