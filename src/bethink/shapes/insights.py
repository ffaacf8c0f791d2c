"""Insights: what is going on in the channels of a space, and what is handed in and given back about them."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from bethink.records import Json, Record, Utc
from bethink.shapes.fields import NAME_CHARS, Content, Extra, Extras, Name, Names, Text, Title

LEAST_MULTIPLIER, MOST_MULTIPLIER = 0.1, 5.0  # what a person may set; the seed's limit of boosts is the top


class InsightKind(StrEnum):
    DECISION = "decision"
    TASK = "task"
    QUESTION = "question"  # waits for an answer
    MEETING = "meeting"
    INCIDENT = "incident"
    BUG_REPORT = "bug_report"
    FEATURE_REQUEST = "feature_request"
    RELATIONSHIP = "relationship"
    PREFERENCE = "preference"
    EVENT = "event"


class Importance(StrEnum):
    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Urgency(StrEnum):
    IMMEDIATE = "immediate"
    URGENT = "urgent"
    MEDIUM = "medium"
    LOW = "low"


class InsightStatus(StrEnum):
    OPEN = "open"
    CLOSED = "closed"


Activity = Literal["active", "dormant"]
Trend = Literal["rising", "stable", "falling"]


class Insight(Record):
    """Something that is going on: a decision, a task, a question that waits, a meeting, an incident…"""

    id: str
    space_id: str
    kind: InsightKind
    title: str
    description: str = ""
    importance: Importance = Importance.MEDIUM
    urgency: Urgency = Urgency.MEDIUM
    status: InsightStatus = InsightStatus.OPEN
    task_label: str = Field(description="The seed's category; the kind, unless somebody says otherwise.")
    details: list[Json] = Field(
        default_factory=list, description="What was said of it: `at`, `name`, `text`, `messageId`."
    )
    timeline: list[Json] = Field(
        default_factory=list, description="What became of it, in order: `at`, `event`, `messageId`."
    )
    people: list[str] = Field(default_factory=list, description="Whom it concerns, by name.")
    platforms: list[str] = Field(default_factory=list)
    channels: list[str] = Field(default_factory=list)
    bot_id: str = ""
    dedupe_key: str
    preferences: Json = Field(default_factory=dict)
    provenance: list[str] = Field(default_factory=list, description="The messages that say so.")
    due_at: Utc | None = None
    closed_at: Utc | None = None
    closed_by: str | None = Field(None, description="The message that closed it; null where a person did.")
    closed_because: str | None = Field(None, description="`done`, `answered`, `past`, or a person's words.")
    observed_at: Utc = Field(description="When something was last said of it.")
    created_at: Utc
    updated_at: Utc


class InsightEventKind(StrEnum):
    VIEWED = "viewed"
    FAVOURITED = "favourited"
    UNFAVOURITED = "unfavourited"
    WEIGHTED = "weighted"


class InsightEvent(Record):
    """Something that a person did with an insight. All weights are computed from these."""

    id: str
    space_id: str
    insight_id: str
    person_id: str | None = None
    kind: InsightEventKind
    value: float = Field(1.0, description="Of `weighted`, the multiplier that was set.")
    at: Utc


class InsightWeights(Record):
    """How much an insight counts for a person at a moment, and every part of that."""

    value_score: float = Field(description="From 0 to 1: 0.45 frequency, 0.25 freshness, 0.20 relevance, …")
    frequency_score: float
    freshness_score: float
    relevance_score: float
    favourite_score: float
    access_count_7d: int = Field(alias="accessCount7d")
    access_count_30d: int = Field(alias="accessCount30d")
    previous_count_7d: int = Field(
        alias="previousCount7d", description="Views in the seven days before the last seven."
    )
    favourite: bool
    custom_weight_multiplier: float
    boost: float = Field(description="What favouring and viewing make of the multiplier, at most 5.0.")
    decay: float = Field(description="What is left of it after so long without a view, at least 0.3.")
    rank_score: float = Field(description="`valueScore` × `boost` × `decay`, by which insights are ordered.")
    current_event_rank: int = Field(
        0,
        description="From 1, among those asked for; of a single one, among all; 0 when too old to compare.",
    )
    activity: Activity
    trend: Trend
    last_viewed_at: Utc | None = None


class RankedInsight(Record):
    """An insight and how much it counts now."""

    insight: Insight
    weights: InsightWeights


class InsightPage(Record):
    """A piece of the list of insights, those that count most first."""

    items: list[RankedInsight]
    total: int = Field(description="How many there are in all.")


class InsightUsage(Record):
    """How insights are used: views, activity and trend over all of them."""

    total: int
    open: int
    closed: int
    active: int
    dormant: int
    rising: int
    falling: int
    favourites: int
    views_7d: int = Field(alias="views7d")
    views_30d: int = Field(alias="views30d")
    by_kind: dict[str, int] = Field(default_factory=dict)
    most_viewed: list[RankedInsight] = Field(default_factory=list, description="At most ten.")


class InsightDraft(Record):
    """An insight to add; one with the same bot and key is extended instead."""

    title: Title
    kind: InsightKind = InsightKind.EVENT
    description: Annotated[Text, Field(max_length=10_000)] = ""
    importance: Importance = Importance.MEDIUM
    urgency: Urgency = Urgency.MEDIUM
    task_label: Name | None = Field(None, description="The kind, when left out.")
    details: Extras = Field(default_factory=list)
    people: Names = Field(default_factory=list)
    platforms: Names = Field(default_factory=list)
    channels: Names = Field(default_factory=list)
    bot_id: Annotated[Text, Field(max_length=NAME_CHARS)] = ""
    dedupe_key: Name | None = Field(None, description="Made of the kind and the title, when left out.")
    preferences: Extra = Field(default_factory=dict)
    provenance: Names = Field(default_factory=list, description="The messages that say so.")
    due_at: Utc | None = None
    observed_at: Utc | None = Field(None, description="When it was said; now, when left out.")


class InsightChange(Record):
    """New values for some fields of an insight; a field that is left out stays as it is."""

    title: Title | None = None
    description: Annotated[Text, Field(max_length=10_000)] | None = None
    importance: Importance | None = None
    urgency: Urgency | None = None
    task_label: Name | None = None
    people: Names | None = None
    preferences: Extra | None = None
    due_at: Utc | None = None

    @field_validator(
        "title", "description", "importance", "urgency", "task_label", "people", "preferences", mode="before"
    )
    @classmethod
    def _keep_what_must_be(cls, value: Any) -> Any:
        if value is None:
            raise PydanticCustomError("required", "cannot be emptied; leave it out to keep it as it is")
        return value


class InsightQuery(Record):
    """Which insights are meant; an empty list matches nothing."""

    kinds: list[InsightKind] | None = None
    status: InsightStatus | None = None
    importances: list[Importance] | None = None
    urgencies: list[Urgency] | None = None
    task_labels: Names | None = None
    people: Names | None = Field(None, description="Those that concern at least one of these.")
    platforms: Names | None = None
    channels: Names | None = None
    favourite: bool | None = None
    activity: Activity | None = None
    trend: Trend | None = None
    query: Content | None = Field(None, description="Those that hold this text, whatever its case.")
    since: Utc | None = Field(None, description="Something was said of it at this time or later.")
    until: Utc | None = Field(None, description="Nothing was said of it at this time or later.")
    due_before: Utc | None = None
    person_id: Name | None = Field(
        None, description="Whose views, favourites and weights count; nobody's in particular by default."
    )


class Weighed(Record):
    """The multiplier that a person gives an insight."""

    multiplier: float = Field(ge=LEAST_MULTIPLIER, le=MOST_MULTIPLIER)


DAY = timedelta(days=1)


def said(at: datetime, text: str, name: str | None, message_id: str | None) -> Json:
    """A line of an insight's details."""
    return {"at": at.isoformat(), "name": name, "text": text, "messageId": message_id}


def happened(at: datetime, event: str, message_id: str | None = None) -> Json:
    """A line of an insight's timeline."""
    return {"at": at.isoformat(), "event": event, "messageId": message_id}


MOST_DAYS = 366  # that a digest looks back


class Digest(Record):
    """What happened in some days."""

    since: Utc
    until: Utc
    days: int
    counts: dict[str, int] = Field(description="How many lines each section has, shown or not.")
    markdown: str = Field(description="All of it.")
