"""The verbs of a space over HTTP."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import IO, Any, Self, Unpack

from bethink.client.archive import receive, send_file
from bethink.client.documents import ClientDocuments
from bethink.client.household import ClientDevices, ClientHousehold, ClientPeople
from bethink.client.http import Http, body_of, segment
from bethink.client.memories import ClientRemembering
from bethink.client.notes import ClientNotes
from bethink.client.parts import (
    ClientContexts,
    ClientFacts,
    ClientInsights,
    ClientMessages,
    ClientUpkeep,
)
from bethink.client.running import ClientIndex, ClientKeys, ClientOptions, ClientSpaces, ClientTexts
from bethink.client.token import read_token
from bethink.errors import InvalidInput
from bethink.records import Extraction, Record, Session
from bethink.shapes.audits import Audit, Fixed
from bethink.shapes.fields import checked
from bethink.shapes.ingest import Ingested, IngestMapping
from bethink.shapes.inputs import (
    MessageDraft,
    RecallRequest,
    SessionDraft,
)
from bethink.shapes.insights import Digest
from bethink.shapes.keywords import (
    EraseChoice,
    ExtractionWord,
    FindingWord,
    ImportOptions,
    JournalFilters,
    MessageInput,
    PromptOptions,
    RecallOptions,
    SessionFields,
)
from bethink.shapes.outcomes import (
    ExtractRun,
    Observed,
    Progress,
    RecallResult,
    Stats,
)
from bethink.shapes.prompts import Prompt, PromptRequest
from bethink.shapes.rights import (
    EraseRequest,
    Exported,
    Imported,
    JournalPage,
    JournalQuery,
    Receipt,
    Undone,
)

SECONDS = 60.0  # that an answer may take


class _Sessions(Record):
    items: list[Session]


class _Extractions(Record):
    items: list[Extraction]


class AsyncBethinkClient(ClientRemembering):
    """A space of a running server: `AsyncBethinkClient("http://127.0.0.1:8420")`.

    It has the verbs of the library, and raises the same errors. Without a `token`, the key in
    `~/.config/bethink/token` is sent. `space` names another space than the key's own, for an admin key.
    """

    def __init__(
        self,
        server: str,
        *,
        token: str | None = None,
        space: str | None = None,
        timeout: float = SECONDS,
    ) -> None:
        if not server.startswith(("http://", "https://")):
            raise InvalidInput(
                f"server: {server!r} is no address like http://127.0.0.1:8420.", field="server"
            )
        self._http = Http(server, token or read_token(), space, timeout)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def facts(self) -> ClientFacts:
        """The facts of the space."""
        return ClientFacts(self._http)

    @property
    def insights(self) -> ClientInsights:
        """The insights of the space."""
        return ClientInsights(self._http)

    @property
    def messages(self) -> ClientMessages:
        """The messages of the space."""
        return ClientMessages(self._http)

    @property
    def contexts(self) -> ClientContexts:
        """The contexts of the space."""
        return ClientContexts(self._http)

    @property
    def documents(self) -> ClientDocuments:
        """The documents of the space."""
        return ClientDocuments(self._http)

    @property
    def notes(self) -> ClientNotes:
        """The notes of the space."""
        return ClientNotes(self._http)

    @property
    def people(self) -> ClientPeople:
        """The people of the space."""
        return ClientPeople(self._http)

    @property
    def household(self) -> ClientHousehold:
        """The household of the space."""
        return ClientHousehold(self._http)

    @property
    def devices(self) -> ClientDevices:
        """The devices of the space."""
        return ClientDevices(self._http)

    @property
    def keys(self) -> ClientKeys:
        """The keys of the server, for an admin's key."""
        return ClientKeys(self._http)

    @property
    def spaces(self) -> ClientSpaces:
        """The spaces of the server, for an admin's key."""
        return ClientSpaces(self._http)

    @property
    def options(self) -> ClientOptions:
        """The options of the space."""
        return ClientOptions(self._http)

    @property
    def texts(self) -> ClientTexts:
        """The soul, the narrative and the files of the space."""
        return ClientTexts(self._http)

    @property
    def index(self) -> ClientIndex:
        """The index of the space."""
        return ClientIndex(self._http)

    @property
    def upkeep(self) -> ClientUpkeep:
        """The sweeps of the space."""
        return ClientUpkeep(self._http)

    async def ingest(
        self,
        platform: str,
        payload: Any,
        *,
        mapping: IngestMapping | Mapping[str, Any] | None = None,
        dry_run: bool = False,
    ) -> Ingested:
        """Take in messages as another program posts them; `mapping` says where in them what is."""
        given = None if mapping is None else checked(IngestMapping, mapping)
        body = payload if given is None else {"mapping": given.model_dump(by_alias=True), "payload": payload}
        return await self._http.post(f"/api/ingest/{segment(platform)}", Ingested, body, dryRun=dry_run)

    async def recall(self, query: str, **options: Unpack[RecallOptions]) -> RecallResult:
        """Find what answers a query, best first."""
        body = body_of(RecallRequest, {"query": query, **options})
        return await self._http.post("/api/search", RecallResult, body)

    async def prompt(self, query: str | None = None, **options: Unpack[PromptOptions]) -> Prompt:
        """The memory part of a prompt."""
        body = body_of(PromptRequest, {"query": query, **options})
        return await self._http.post("/api/prompt", Prompt, body)

    async def observe(
        self, session: str, messages: Sequence[MessageInput | MessageDraft | Mapping[str, Any]]
    ) -> Observed:
        """Take in messages of a conversation; they are durable when this returns."""
        body = {"messages": [body_of(MessageDraft, one) for one in messages]}
        return await self._http.post(f"{_session(session)}/messages", Observed, body)

    async def sessions(self, limit: int = 50) -> builtins.list[Session]:
        """Conversations, the most recently active first."""
        return (await self._http.get("/api/sessions", _Sessions, limit=limit)).items

    async def begin(self, session: str | None = None, **fields: Unpack[SessionFields]) -> Session:
        """Begin a conversation, or change what is told of it."""
        body = body_of(SessionDraft, fields) | ({"id": session} if session is not None else {})
        return await self._http.post("/api/sessions", Session, body)

    async def stats(self) -> Stats:
        """What the space holds, and how its index is doing."""
        return await self._http.get("/api/stats", Stats)

    async def digest(self, days: int = 7) -> Digest:
        """What was decided, what is due, what waits for an answer, what changed about whom."""
        return await self._http.get("/api/digest", Digest, days=days)

    async def journal(self, *, limit: int = 50, **filters: Unpack[JournalFilters]) -> JournalPage:
        """Who changed what, newest first."""
        wanted = checked(JournalQuery, filters)
        return await self._http.get(
            "/api/journal", JournalPage, limit=limit, recordId=wanted.record_id, noun=wanted.noun,
            action=wanted.action, actor=wanted.actor, since=wanted.since, until=wanted.until,
            cursor=wanted.cursor,
        )  # fmt: skip

    async def undo(self, entry_id: str) -> Undone:
        """Undo a change."""
        return await self._http.post(f"/api/journal/{segment(entry_id)}/undo", Undone)

    async def erase(self, **choice: Unpack[EraseChoice]) -> Receipt:
        """Erase every trace of one thing, and prove it."""
        return await self._http.post("/api/erase", Receipt, body_of(EraseRequest, choice))

    async def audit(self) -> Audit:
        """Look for duplicates, junk, secrets, contradictions and stale facts; changes nothing."""
        return await self._http.get("/api/audit", Audit)

    async def fix(self, *findings: str, kinds: Sequence[FindingWord] = ()) -> Fixed:
        """Mend findings of an audit, by their ids or all of some kinds."""
        return await self._http.post("/api/audit/fix", Fixed, {"ids": [*findings], "kinds": [*kinds]})

    async def extract(self, *, retry: bool = False) -> ExtractRun:
        """Read now what is due of the conversations."""
        return await self._http.post("/api/upkeep/extract", ExtractRun, retry=retry)

    async def extractions(
        self, *, status: ExtractionWord | None = None, session: str | None = None, limit: int = 50
    ) -> builtins.list[Extraction]:
        """What was read of the conversations, by which extractor, and what failed; newest first."""
        path = "/api/extractions"
        found = await self._http.get(path, _Extractions, status=status, sessionId=session, limit=limit)
        return found.items

    async def export(
        self,
        file: str | PathLike[str] | IO[bytes],
        *,
        progress: Callable[[Progress], None] | None = None,
        secrets: bool = False,
    ) -> Exported:
        """Write all that the space holds to one JSON Lines archive, at a path or to a binary stream."""
        return await receive(self._http, file, progress, secrets=secrets)

    async def import_(
        self,
        file: str | PathLike[str] | IO[bytes],
        *,
        progress: Callable[[Progress], None] | None = None,
        **options: Unpack[ImportOptions],
    ) -> Imported:
        """Take in an archive, or conversations of other programs."""
        return await send_file(self._http, file, progress, options)


def _session(session: str) -> str:
    return f"/api/sessions/{segment(session)}"
