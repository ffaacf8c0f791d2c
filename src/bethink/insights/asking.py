"""Insights out of the messages of one channel with a chat model, whose answer is checked like any other."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, Field, model_validator

from bethink.extraction.extractors.ask import ask
from bethink.extraction.templates import Templates
from bethink.extraction.transcripts import transcript
from bethink.insights.drafts import DESCRIPTION_CHARS, TITLE_CHARS, Closing, Step, clipped
from bethink.insights.small_models import plainly, without_broken
from bethink.models.chat import Chat, validated
from bethink.records import Json, Message
from bethink.settings.sections import ExtractionSettings
from bethink.shapes.insights import (
    Importance,
    Insight,
    InsightDraft,
    InsightKind,
    Urgency,
    said,
)
from bethink.text.secrets import masked

SHOWN = 50  # open insights that the model is shown, the newest
STRETCH = 60  # messages that it is asked about together
MOST = 40  # insights of one answer
_BECAUSE = {"done", "answered", "past"}
_Shown = tuple[str, str, str]  # the bot, the key and the title of an insight


class Found(BaseModel):
    """An insight as the model gives it."""

    kind: InsightKind
    title: str
    description: str = ""
    importance: Importance = Importance.MEDIUM
    urgency: Urgency = Urgency.MEDIUM
    people: list[str] = Field(default_factory=list)
    due: str | None = None
    messages: list[int]
    same_as: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _plainly(cls, given: Any) -> Any:
        return plainly(given)


class Ended(BaseModel):
    """An end as the model gives it."""

    insight: int
    message: int
    because: str = "done"

    @model_validator(mode="before")
    @classmethod
    def _plainly(cls, given: Any) -> Any:
        return plainly(given)


class Answer(BaseModel):
    """What the model answers."""

    insights: list[Found] = Field(default_factory=list)
    closed: list[Ended] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _plainly(cls, given: Any) -> Any:
        return without_broken(given, {"insights": Found, "closed": Ended})


class Asking:
    """Asks a chat model what is going on in a channel."""

    def __init__(self, chat: Chat, settings: ExtractionSettings, templates: Templates) -> None:
        self._chat, self._settings, self._templates = chat, settings, templates

    async def steps(self, messages: Sequence[Message], open_: Sequence[Insight]) -> list[Step]:
        """What the messages make of a channel. Raises `ExtractionFailure` when the model is of no use."""
        found: list[Step] = []
        shown = [(one.bot_id, one.dedupe_key, one.title) for one in open_[:SHOWN]]
        for start in range(0, len(messages), STRETCH):
            stretch = messages[start : start + STRETCH]
            listed = [f"[{number}] {masked(title)}" for number, (_, _, title) in enumerate(shown, 1)]
            asked = self._templates.messages(
                "insights",
                OPEN="\n".join(listed) or "(none)",
                TRANSCRIPT=transcript(stretch, limit=self._settings.transcript_chars).text or "(nothing)",
            )
            answered = await ask(
                self._chat,
                asked,
                lambda text: validated(text, Answer),
                self._templates,
                schema=Answer,
                max_tokens=self._settings.max_tokens,
            )
            steps, shown = _steps(answered.value, stretch, shown)
            found += steps
        return found


def _steps(
    answer: Answer, messages: Sequence[Message], shown: Sequence[_Shown]
) -> tuple[list[Step], list[_Shown]]:
    """What an answer says, and what is open after it. What names no message is left out."""
    turns = dict(enumerate(messages, 1))
    steps: list[Step] = []
    numbered: list[_Shown | None] = [*shown]  # as the model counts them
    for one in answer.insights[:MOST]:
        sources = [turns[number] for number in dict.fromkeys(one.messages) if number in turns]
        title = clipped(masked(" ".join(one.title.split())), TITLE_CHARS)
        if not sources or not title:
            numbered.append(None)
            continue
        old = shown[one.same_as - 1] if one.same_as and 0 < one.same_as <= len(shown) else None
        draft = _draft(one, title, sources, old)
        steps.append(draft)
        if old is None:
            numbered.append((draft.bot_id, draft.dedupe_key or "", title))
    over: set[_Shown] = set()
    for end in answer.closed[:MOST]:
        if 0 < end.insight <= len(numbered) and end.message in turns:
            ended = numbered[end.insight - 1]
            if ended is None:
                continue
            because = end.because if end.because in _BECAUSE else "done"
            steps.append(Closing(ended[0], ended[1], because, turns[end.message]))
            over.add(ended)
    return steps, [one for one in numbered if one and one not in over]


def _draft(one: Found, title: str, sources: Sequence[Message], old: _Shown | None) -> InsightDraft:
    first, last = sources[0], sources[-1]
    return InsightDraft(
        title=title,
        kind=one.kind,
        description=clipped(masked(one.description), DESCRIPTION_CHARS),
        importance=one.importance,
        urgency=one.urgency,
        details=[_line(message) for message in sources],
        people=list(dict.fromkeys(name[:250] for name in one.people if name.strip()))[:50],
        platforms=[first.platform],
        channels=[first.channel] if first.channel else [],
        bot_id=old[0] if old else first.bot_id or "",
        dedupe_key=old[1] if old else f"{one.kind.value}:{first.id}",
        provenance=[message.id for message in sources],
        due_at=_time(one.due),
        observed_at=last.sent_at,
    )


def _line(message: Message) -> Json:
    text = clipped(masked(message.content), DESCRIPTION_CHARS)
    return said(message.sent_at, text, message.name, message.id)


def _time(text: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None  # the model wrote something else
    return found.replace(tzinfo=UTC) if found and found.tzinfo is None else found
