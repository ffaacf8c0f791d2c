"""The parts of a space over HTTP: facts, insights, messages, contexts, upkeep. As the library has them."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, Unpack

from bethink.client.http import Http, body_of, segment
from bethink.errors import NotFound
from bethink.records import Context, Fact, Message, Record, Run
from bethink.shapes.fields import checked
from bethink.shapes.inputs import ContextChange, ContextDraft, FactDraft, FactsQuery, MessageSearch
from bethink.shapes.insights import (
    Insight,
    InsightChange,
    InsightDraft,
    InsightPage,
    InsightQuery,
    InsightUsage,
    RankedInsight,
)
from bethink.shapes.keywords import (
    ContextChanges,
    FactFields,
    FactFilters,
    InsightChanges,
    InsightFields,
    InsightFilters,
    MessageSearchOptions,
)
from bethink.shapes.outcomes import (
    Doubt,
    FactSet,
    FactsFound,
    InsightSet,
    MessageDetail,
    MessageResults,
    Progress,
)
from bethink.shapes.upkeep import SweepStatus


class _Contexts(Record):
    items: list[Context]


class _Messages(Record):
    items: list[Message]
    next_after: int | None = None


class _Facts(Record):
    items: list[Fact]


class _Doubts(Record):
    items: list[Doubt]


class _Runs(Record):
    items: list[Run]


class _Sweeps(Record):
    items: list[SweepStatus]


class ClientFacts:
    """The facts of a space: (category, key) → value, every version kept."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def set(self, category: str, key: str, value: str, **fields: Unpack[FactFields]) -> FactSet:
        """Make a value current."""
        body = body_of(FactDraft, {"category": category, "key": key, "value": value, **fields})
        return await self._http.post("/api/facts", FactSet, body, method="PUT")

    async def get(
        self,
        category: str,
        key: str,
        *,
        person_id: str | None = None,
        as_of: datetime | date | str | None = None,
        secrets: bool = False,
    ) -> Fact | None:
        """The version that holds now, or held at a time; None when there is none."""
        at = checked(FactsQuery, {"as_of": as_of}).as_of
        try:
            return await self._http.get(
                "/api/facts/current", Fact, category=category, key=key, personId=person_id, asOf=at,
                secrets=secrets,
            )  # fmt: skip
        except NotFound as error:
            if error.field != "key":
                raise
            return None

    async def history(
        self, category: str, key: str, *, person_id: str | None = None, secrets: bool = False
    ) -> builtins.list[Fact]:
        """Every version, newest first."""
        found = await self._http.get(
            "/api/facts/history", _Facts, category=category, key=key, personId=person_id, secrets=secrets
        )
        return found.items

    async def doubts(self, *, limit: int = 5, secrets: bool = False) -> builtins.list[Doubt]:
        """A few facts that nobody has confirmed for long, most worth asking about first."""
        return (await self._http.get("/api/facts/doubts", _Doubts, limit=limit, secrets=secrets)).items

    async def forget(
        self, category: str, key: str, *, person_id: str | None = None, reason: str | None = None
    ) -> Fact:
        """End the current version; its history stays."""
        return await self._http.post(
            "/api/facts", Fact, method="DELETE", category=category, key=key, personId=person_id, reason=reason
        )

    async def restore(self, fact_id: str, *, reason: str | None = None) -> FactSet:
        """Make an earlier version current again, as a new one."""
        return await self._http.post(f"/api/facts/{segment(fact_id)}/restore", FactSet, reason=reason)

    async def search(
        self, query: str, *, limit: int = 15, secrets: bool = False, **filters: Unpack[FactFilters]
    ) -> FactsFound:
        """The facts near to a query in meaning; when none are, those that hold its text."""
        return await self._found(filters, limit, secrets, query)

    async def list(
        self, *, limit: int = 200, secrets: bool = False, **filters: Unpack[FactFilters]
    ) -> builtins.list[Fact]:
        """The facts that hold now, or held at a time, by category and key."""
        return (await self._found(filters, limit, secrets, None)).items

    async def _found(
        self, filters: Mapping[str, Any], limit: int, secrets: bool, query: str | None
    ) -> FactsFound:
        wanted = checked(FactsQuery, dict(filters))
        return await self._http.get(
            "/api/facts", FactsFound, category=wanted.category, personId=wanted.person_id,
            promoted=wanted.promoted, asOf=wanted.as_of, q=query, limit=limit, secrets=secrets,
        )  # fmt: skip


_INSIGHT_FILTERS = {
    "kinds": "kind", "status": "status", "importances": "importance", "urgencies": "urgency",
    "task_labels": "taskLabel", "people": "person", "platforms": "platform", "channels": "channel",
    "favourite": "favourite", "activity": "activity", "trend": "trend", "query": "q", "since": "since",
    "until": "until", "due_before": "dueBefore", "person_id": "personId",
}  # fmt: skip


class ClientInsights:
    """The insights of a space: what is going on in its channels, those that count most first."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def add(self, title: str, **fields: Unpack[InsightFields]) -> InsightSet:
        """Add an insight; one with its key is extended."""
        return await self._http.post(
            "/api/insights", InsightSet, body_of(InsightDraft, {"title": title, **fields})
        )

    async def list(
        self, *, limit: int = 50, offset: int = 0, **filters: Unpack[InsightFilters]
    ) -> InsightPage:
        """Insights, those that count most first."""
        if (query := _query(InsightQuery, filters, _INSIGHT_FILTERS)) is None:
            return InsightPage(items=[], total=0)
        return await self._http.get("/api/insights", InsightPage, limit=limit, offset=offset, **query)

    async def get(
        self, insight_id: str, *, person_id: str | None = None, secrets: bool = False
    ) -> RankedInsight:
        """One insight and how much it counts."""
        return await self._http.get(_insight(insight_id), RankedInsight, personId=person_id, secrets=secrets)

    async def view(self, insight_id: str, *, person_id: str | None = None) -> RankedInsight:
        """The same, and note that somebody looked at it."""
        return await self._http.post(f"{_insight(insight_id)}/view", RankedInsight, personId=person_id)

    async def favourite(
        self, insight_id: str, favourite: bool = True, *, person_id: str | None = None
    ) -> RankedInsight:
        """Make it a favourite, or no longer."""
        method = "POST" if favourite else "DELETE"
        path = f"{_insight(insight_id)}/favourite"
        return await self._http.post(path, RankedInsight, method=method, personId=person_id)

    async def weigh(
        self, insight_id: str, multiplier: float, *, person_id: str | None = None
    ) -> RankedInsight:
        """Let it count so many times as much, from 0.1 to 5."""
        body = {"multiplier": multiplier}
        path = f"{_insight(insight_id)}/weight"
        return await self._http.post(path, RankedInsight, body, method="PUT", personId=person_id)

    async def update(self, insight_id: str, **fields: Unpack[InsightChanges]) -> Insight:
        """Change what is given of it; the rest stays."""
        body = body_of(InsightChange, fields)
        return await self._http.post(_insight(insight_id), Insight, body, method="PATCH")

    async def resolve(
        self, insight_id: str, because: str = "done", *, message_id: str | None = None
    ) -> Insight:
        """Close it, in your own words why, and with the message that closes it."""
        body = {"because": because, "messageId": message_id}
        return await self._http.post(f"{_insight(insight_id)}/resolve", Insight, body)

    async def reopen(self, insight_id: str) -> Insight:
        """Open it again."""
        return await self._http.post(f"{_insight(insight_id)}/reopen", Insight)

    async def merge(self, into: str, *others: str) -> Insight:
        """Make several one."""
        return await self._http.post(f"{_insight(into)}/merge", Insight, {"others": [*others]})

    async def forget(self, *insight_ids: str, reason: str | None = None) -> builtins.list[Insight]:
        """Delete insights, one after the other; the journal keeps what they were."""
        return [
            await self._http.post(_insight(id_), Insight, method="DELETE", reason=reason)
            for id_ in insight_ids
        ]

    async def usage(self, **filters: Unpack[InsightFilters]) -> InsightUsage:
        """How insights are used."""
        query = _query(InsightQuery, filters, _INSIGHT_FILTERS)
        if query is None:
            return _NO_USAGE
        return await self._http.get("/api/insights/usage", InsightUsage, **query)

    async def generate(self) -> Run:
        """Read what is new in the channels now."""
        return await self._http.post("/api/insights/generate", Run)


_NO_USAGE = InsightUsage(
    total=0, open=0, closed=0, active=0, dormant=0, rising=0, falling=0, favourites=0, views_7d=0, views_30d=0
)


def _insight(insight_id: str) -> str:
    return f"/api/insights/{segment(insight_id)}"


def _query(
    shape: type[Record], filters: Mapping[str, Any], names: Mapping[str, str]
) -> dict[str, Any] | None:
    """Filters as the server's parameters; None when a list is empty, which matches nothing."""
    wanted = checked(shape, dict(filters))
    given = {name: getattr(wanted, name) for name in names}
    if any(value == [] for value in given.values()):
        return None
    return {names[name]: value for name, value in given.items() if value is not None}


class ClientMessages:
    """The messages of a space: what was said, word for word."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def of(
        self, session: str, *, after: int = 0, limit: int = 100, secrets: bool = False
    ) -> list[Message]:
        """The messages of a conversation, in order."""
        path = f"/api/sessions/{segment(session)}/messages"
        return (await self._http.get(path, _Messages, after=after, limit=limit, secrets=secrets)).items

    async def search(self, query: str, **options: Unpack[MessageSearchOptions]) -> MessageResults:
        """Messages that answer a query, best first; with summaries, where they are too few, newest first."""
        body = body_of(MessageSearch, {"query": query, **options})
        return await self._http.post("/api/messages/search", MessageResults, body)

    async def get(self, message_id: str, *, original: bool = False, secrets: bool = False) -> MessageDetail:
        """One message by its id; an archived one in short, or its `original`."""
        path = f"/api/messages/{segment(message_id)}"
        return await self._http.get(path, MessageDetail, original=original, secrets=secrets)


class ClientContexts:
    """The contexts of a space: texts that are given to conversations."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def add(self, name: str, content: str) -> Context:
        """Store a context."""
        body = body_of(ContextDraft, {"name": name, "content": content})
        return await self._http.post("/api/contexts", Context, body)

    async def list(self, *, session: str | None = None) -> builtins.list[Context]:
        """Every context, or those given to a session."""
        return (await self._http.get("/api/contexts", _Contexts, sessionId=session)).items

    async def get(self, context_id: str, *, secrets: bool = False) -> Context:
        """One context by its id."""
        return await self._http.get(f"/api/contexts/{segment(context_id)}", Context, secrets=secrets)

    async def update(self, context_id: str, **fields: Unpack[ContextChanges]) -> Context:
        """Change what is given of it; the rest stays."""
        body = body_of(ContextChange, fields)
        return await self._http.post(f"/api/contexts/{segment(context_id)}", Context, body, method="PATCH")

    async def remove(self, context_id: str) -> Context:
        """Delete it, and take it from every session."""
        return await self._http.post(f"/api/contexts/{segment(context_id)}", Context, method="DELETE")


class ClientUpkeep:
    """The sweeps that keep a space in order."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def list(self) -> builtins.list[SweepStatus]:
        """Every sweep: how much is due, whether it is running, and how it went."""
        return (await self._http.get("/api/upkeep", _Sweeps)).items

    async def run(
        self, name: str, *, dry_run: bool = False, progress: Callable[[Progress], None] | None = None
    ) -> Run:
        """Run a sweep now; with `dry_run` only count what it would do. `progress` is told the end only."""
        run = await self._http.post(f"/api/upkeep/{segment(name)}/run", Run, {"dryRun": dry_run})
        if progress:
            progress(Progress(done=run.done, total=run.done))
        return run

    async def history(self, name: str | None = None, *, limit: int = 50) -> builtins.list[Run]:
        """What the sweeps did, newest first."""
        return (await self._http.get("/api/upkeep/history", _Runs, name=name, limit=limit)).items
