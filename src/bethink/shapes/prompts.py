"""What the memory part of a prompt is asked with, and what it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from bethink.records import Fact, Household, Json, Layer, Record
from bethink.shapes.documents import DocumentHit
from bethink.shapes.fields import Name, Text
from bethink.shapes.households import Speaker
from bethink.shapes.outcomes import Hit
from bethink.shapes.weaving import Body, Message, Shape, weave

Reason = Literal[
    "far",
    "present",
    "duplicate",
    "superseded",
    "small_talk",
    "doubtful",
    "secret",
    "withdrawn",
    "assistant",
    "budget",
    "limit",
]
WITHOUT_RECALL = "without recalled memories: "  # how the reason begins when nothing could be recalled


class PromptRequest(Record):
    """The turn that a prompt is for."""

    query: Text | None = Field(
        None, description="What is asked; when left out, the last thing the user says in `messages`."
    )
    messages: list[Json] = Field(
        default_factory=list,
        max_length=10_000,
        description="The conversation so far: chat messages with a role and content. What is in it already is"
        " not recalled again.",
    )
    session_id: Name | None = Field(
        None, description="The conversation's session; without `messages`, none of it is recalled."
    )
    person: Name | None = Field(None, description="Who is speaking, where the caller knows: an id or a name.")
    device: Name | None = Field(None, description="The id of the device that is spoken through.")
    voice: Name | None = Field(None, description="Whom the voice recogniser heard.")
    layers: list[Layer] | None = Field(None, description="Where to recall from; everywhere, when left out.")
    limit: int | None = Field(None, ge=1, le=200, description="Most memories recalled.")
    max_tokens: int | None = Field(None, ge=100, le=100_000, description="Token budget of the whole.")
    first_turn: bool | None = Field(
        None,
        description="Whether the conversation begins here; when left out, `messages` and `session_id` tell.",
    )
    guidelines: bool | None = Field(
        None, description="Whether to tell the model when to search, save and forget memories."
    )
    catch_up: bool = Field(
        True,
        description="Whether the vectors of the newest records are made first; off, the answer does not wait"
        " and finds those by their words.",
    )
    recall_seconds: float | None = Field(
        None,
        ge=0,
        le=3600,
        description="How long recall may take; after that the prompt holds only what stands in every prompt,"
        " and `degraded` says so. As the settings say, when left out.",
    )
    enabled: bool = Field(True, description="Off, the answer is empty.")
    explain: bool = Field(
        False,
        description="Whether `leftOut.lines` tells what was recalled but is not in the prompt, and why.",
    )
    shape: Shape | None = Field(None, description="Also answer with the body of a provider's request.")


class PromptTokens(Record):
    """How many tokens each part takes, about, of a budget."""

    budget: int = 0
    soul: int = 0
    guidelines: int = 0
    facts: int = 0
    household: int = 0
    said: int = Field(0, description="What the user said that is worth knowing before anything is asked.")
    narrative: int = 0
    stable: int = Field(0, description="The stable half as a whole.")
    memories: int = 0
    documents: int = 0
    volatile: int = Field(0, description="The volatile half as a whole.")
    total: int = 0


class LeftOut(Record):
    """A record that was recalled for this turn and is not in the prompt."""

    layer: Layer
    id: str
    text: str
    score: float
    reason: Reason = Field(
        description="`far`: not near enough to the question. `present`: the stable half or the conversation"
        " says it already. `duplicate`: another line says the same. `superseded`: something newer took its"
        " place, and there was no room for it. `small_talk`: nothing in it is worth telling. `doubtful`: a"
        " quotation, a role in a play, or the like. `secret`: it holds one. `withdrawn`: the user asked to"
        " forget it. `assistant`: the assistant's own words, which nobody asked for. `budget`, `limit`: it"
        " came after the last that fitted."
    )
    instead: str | None = Field(None, description="The id of the record that says it instead, if one does.")


class PromptCuts(Record):
    """What did not fit."""

    facts: int = Field(0, description="Facts that are only found by recall.")
    said: int = Field(0, description="Things the user said that are only found by recall.")
    memories: int = Field(0, description="Recalled memories that were over the budget.")
    documents: int = Field(0, description="Passages of documents that were over the budget.")
    soul: bool = False
    narrative: bool = False
    lines: list[LeftOut] = Field(
        default_factory=list, description="With `explain`: each record that was recalled but is not told."
    )


class Prompt(Record):
    """The memory part of a prompt: a stable half that caches keep, and a volatile half for this turn."""

    enabled: bool = True
    stable: str = ""
    volatile: str = ""
    text: str = Field("", description="Both halves, with the cache boundary between them.")
    soul: str = ""
    narrative: str = ""
    household: Household | None = None
    facts: list[Fact] = Field(default_factory=list, description="The facts in the stable half.")
    speaker: Speaker | None = None
    local_time: str = ""
    memories: list[Hit] = Field(default_factory=list, description="What was recalled for this turn.")
    documents: list[DocumentHit] = Field(
        default_factory=list, description="The passages of documents in it, where documents take part."
    )
    tokens: PromptTokens = PromptTokens()
    left_out: PromptCuts = PromptCuts()
    engine: str = Field("none", description="What recall found them with.")
    withdrawn: int = Field(
        0,
        description="How many messages something was taken from, as the user asked in the turn before.",
    )
    degraded: list[str] = Field(default_factory=list)
    latency_ms: float = 0.0
    body: dict[str, Any] | None = Field(None, description="A provider's request, if a shape was asked for.")

    def shaped(self, shape: Shape, messages: Sequence[Message] = ()) -> Body:
        """The fields of a request to a provider, with the conversation around the memory part."""
        return weave(self.stable, self.volatile, messages, shape)
