"""Written by `python -m bethink.sync.stubs`; do not edit."""

import builtins
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from os import PathLike
from pathlib import Path
from typing import IO, Any, Self, Unpack

from bethink.models.chat import Chat
from bethink.models.embed import Embedder, State
from bethink.records import (
    Context,
    Device,
    Document,
    Extraction,
    Fact,
    Json,
    Memory,
    Message,
    Person,
    Run,
    Session,
    Summary,
)
from bethink.records import Household as HouseholdRecord
from bethink.settings import Settings
from bethink.settings.keywords import SettingOverrides
from bethink.shapes.accounts import IssuedKey, ListedKey, ListedSpace
from bethink.shapes.audits import Audit, Fixed
from bethink.shapes.documents import (
    DocumentAdded,
    DocumentPage,
    DocumentProgress,
    DocumentResults,
    DocumentText,
    UploadProgress,
)
from bethink.shapes.households import HouseholdChanged, PersonMatch, Speaker
from bethink.shapes.ingest import Ingested, IngestMapping
from bethink.shapes.inputs import MemoryDraft, MessageDraft
from bethink.shapes.insights import Digest, Insight, InsightPage, InsightUsage, RankedInsight
from bethink.shapes.keywords import (
    ContextChanges,
    EraseChoice,
    ExtractionWord,
    FactFields,
    FactFilters,
    FindingWord,
    HouseholdChanges,
    ImportOptions,
    InsightChanges,
    InsightFields,
    InsightFilters,
    JournalFilters,
    KeyChanges,
    KeyFields,
    MemoryChanges,
    MemoryFields,
    MemoryFilters,
    MemoryInput,
    MessageChanges,
    MessageFilters,
    MessageInput,
    MessageSearchOptions,
    OptionChanges,
    PersonChanges,
    PersonFields,
    PromptOptions,
    RecallOptions,
    SessionFields,
    SpaceChanges,
    SummaryFilters,
    VectorPlaceChanges,
)
from bethink.shapes.notes import NoteLines, NoteList, NotesSynced, NoteText
from bethink.shapes.options import Scope, SpaceOptions
from bethink.shapes.outcomes import (
    CacheStats,
    Compaction,
    Doubt,
    ExtractRun,
    FactSet,
    FactsFound,
    FilesSynced,
    Forgotten,
    Growth,
    InsightSet,
    Integrity,
    MemoryPage,
    MessageDetail,
    MessageList,
    MessageResults,
    Observed,
    Progress,
    RecallResult,
    Remembered,
    Stats,
    SummaryList,
    Vitals,
)
from bethink.shapes.prompts import Prompt
from bethink.shapes.rights import Exported, Imported, JournalPage, Receipt, Undone
from bethink.shapes.status import (
    ChatHealth,
    EmbeddingSource,
    EngineStatus,
    Health,
    Preview,
    ReindexStarted,
    ReindexStatus,
    SpaceMap,
)
from bethink.shapes.tools import ToolFormat, ToolResult
from bethink.shapes.upkeep import SweepStatus
from bethink.shapes.vectors import StoreHealth, VectorPlace, VectorsCleaned, VectorsFound

class Facts:
    """The facts of a space: (category, key) → value, every version kept."""

    def set(self, category: str, key: str, value: str, **fields: Unpack[FactFields]) -> FactSet:
        """Make a value current: `memory.facts.set("home", "city", "Lisbon")`."""

    def get(
        self,
        category: str,
        key: str,
        *,
        person_id: str | None = None,
        as_of: datetime | date | str | None = None,
        secrets: bool = False,
    ) -> Fact | None:
        """The version that holds now, or held at a time; None when there is none.

        With `secrets`, with those in it, which the journal notes.
        """

    def history(
        self, category: str, key: str, *, person_id: str | None = None, secrets: bool = False
    ) -> builtins.list[Fact]:
        """Every version, newest first; with `secrets`, with those in them."""

    def forget(
        self, category: str, key: str, *, person_id: str | None = None, reason: str | None = None
    ) -> Fact:
        """End the current version; its history stays, and the journal keeps the `reason`."""

    def restore(self, fact_id: str, *, reason: str | None = None) -> FactSet:
        """Make an earlier version current again, as a new one; `history` has the ids of the versions."""

    def search(
        self, query: str, *, limit: int = 15, secrets: bool = False, **filters: Unpack[FactFilters]
    ) -> FactsFound:
        """The facts near to a query in meaning, nearest first; when none are, those that hold its text.

        How near is near enough says the setting `similarity.facts_distance`.
        """

    def doubts(self, *, limit: int = 5, secrets: bool = False) -> builtins.list[Doubt]:
        """A few facts that nobody has confirmed for long, most worth asking about first.

        Setting the same value again confirms one.
        """

    def list(
        self, *, limit: int = 200, secrets: bool = False, **filters: Unpack[FactFilters]
    ) -> builtins.list[Fact]:
        """The facts that hold now, or held at a time, by category and key; with `secrets`, with those."""

class Index:
    """The index of a space, and the models behind it."""

    def cache(self) -> CacheStats:
        """How the cache of embeddings is doing."""

    def preview(self, query: str, **options: Unpack[RecallOptions]) -> Preview:
        """What `recall` would bring back, and with what. Nothing is counted as used; secrets stay masked."""

    def growth(self, *, days: int = 90) -> Growth:
        """How many records each of the last `days` has brought, and how many are older."""

    def map(self, *, limit: int = 1000) -> SpaceMap:
        """The newest records on a plane, by their vectors: those that mean the like lie near each other."""

    def check_chat(self) -> ChatHealth:
        """Ask the chat model for one word, which costs a few tokens, and see whether it answers."""

    def start_reindex(self, *, force: bool = False) -> ReindexStarted:
        """Make what is missing, or with `force` the whole index anew, in the background."""

    def reindex_status(self) -> ReindexStatus:
        """How far making vectors has come."""

    def sources(self) -> list[EmbeddingSource]:
        """Every embedding source: whether it could be chosen, why not, and its model."""

    def compare(self) -> dict[str, int]:
        """Compare records and index both ways: how many of each kind do not agree; `{}` where all do.

        Changes nothing: `memory.upkeep.run("repair")` mends it.
        """

    def check(self) -> Health:
        """Write something, find it by its words and by its vector, delete it. No trace of it stays."""

    def status(self) -> EngineStatus:
        """How the space is searched, with what, and what is wrong."""

class Upkeep:
    """The sweeps that keep a space in order. They run by themselves; here they are looked at and run now."""

    def list(self) -> builtins.list[SweepStatus]:
        """Every sweep: how much is due, whether it is running, and how it went."""

    def run(
        self, name: str, *, dry_run: bool = False, progress: Callable[[Progress], None] | None = None
    ) -> Run:
        """Run a sweep now; with `dry_run` only count what it would do.

        The status is `skipped_locked` when a run of it is under way, in this process or in another.
        """

    def history(self, name: str | None = None, *, limit: int = 50) -> builtins.list[Run]:
        """What the sweeps did, or one of them, newest first.

        A run that nobody asked for and that found nothing to do is left out.
        """

class Vectors:
    """The vector store of this memory; the rows of the database, where there is none beside it."""

    def get(self) -> VectorPlace:
        """Which store is searched, and where it is."""

    def update(self, **changes: Unpack[VectorPlaceChanges]) -> VectorPlace:
        """Change where vectors are searched; the new store is filled while the one before answers."""

    def check(self) -> StoreHealth:
        """Ask the store for an answer, and how long that took."""

    def search(self, query: str, *, top_k: int = 5) -> VectorsFound:
        """What the store finds by vectors alone; an error where it does not answer."""

    def cleanup(self, *, dry_run: bool = False) -> VectorsCleaned:
        """Count what the store need not hold, then compare it with the rows and mend what differs."""

class Household:
    """The household of a space: its name, mode, timezone and locale, and the people in it."""

    def get(self) -> HouseholdRecord:
        """The household as it is."""

    def update(self, **changes: Unpack[HouseholdChanges]) -> HouseholdChanged:
        """Change what is given: all of it happens, or nothing.

        `persons` is everyone who is to live there; who is left out leaves. Someone known is meant by `id`, or
        by their name.
        """

class People:
    """The people of a space."""

    def list(self) -> builtins.list[Person]:
        """Who lives there, in the order they came."""

    def get(self, person_id: str) -> Person:
        """One person by id, also one who has left."""

    def add(self, display_name: str, **fields: Unpack[PersonFields]) -> Person:
        """Let someone live there: `memory.people.add("Anna", role="spouse")`."""

    def update(self, person_id: str, **changes: Unpack[PersonChanges]) -> Person:
        """Change what is known of someone; what is left out stays."""

    def remove(self, person_id: str) -> HouseholdChanged:
        """Let someone leave: facts about them end, what they said and what is remembered of them stays."""

    def resolve(self, ref: str) -> PersonMatch:
        """Who is meant by a name, an alias, a role or a relation (`Zoë`, `mom`, `my wife`).

        Nobody when it could be several; then the candidates are listed.
        """

    def speaker(
        self,
        text: str = "",
        *,
        device: str | None = None,
        voice: str | None = None,
        person: str | None = None,
    ) -> Speaker:
        """Who is speaking: by their voice, by the device, because they live alone, or by what they say.

        `person`, an id or a name, is for a caller who knows.
        """

class Devices:
    """The devices of a space, by the ids their callers give them."""

    def list(self) -> builtins.list[Device]:
        """Every device, in the order they came."""

    def get(self, device_id: str) -> Device:
        """One device by its id."""

    def put(self, device_id: str, *, name: str, primary_person_id: str | None = None) -> Device:
        """Add a device, or change the one of this id; `primary_person_id` usually speaks through it."""

    def remove(self, device_id: str) -> Device:
        """Remove a device; what it was is returned and kept in the journal."""

class Texts:
    """The texts of a space. SOUL.md says how the assistant is to be; MEMORY.md mirrors promoted facts."""

    def soul(self, *, secrets: bool = False) -> str:
        """The soul: the owner's own words about how the assistant is to be. Empty when there are none.

        With `secrets`, with those in it, which the journal notes; SOUL.md itself always has them.
        """

    def set_soul(self, text: str) -> str:
        """Replace the soul, in the database and in its file."""

    def narrative(self) -> str:
        """What is remembered about the user as one text; empty when nobody has written one.

        Empty, too, while it tells of a fact that has expired: the sweep `expire` has it written anew.
        """

    def set_narrative(self, text: str) -> str:
        """Replace the narrative."""

    def memory_file(self) -> str:
        """What MEMORY.md holds: the promoted facts, at most 20 of them."""

    def set_memory_file(self, text: str, *, base: str | None = None) -> FilesSynced:
        """Take in a changed MEMORY.md: a new or changed line sets a fact, a line that is gone ends one.

        `base` is the text that was changed, from which it is told what others did meanwhile: what contradicts
        that is in `conflicts`. What cannot be read is in `problems`. The rest is taken in.
        """

    def folder(self) -> Path | None:
        """Where SOUL.md and MEMORY.md of this space are; None when they are not kept as files."""

    def sync(self) -> FilesSynced:
        """Bring SOUL.md and MEMORY.md and the database together: edits of the files are taken in.

        An edit that contradicts a change of the database is reported, and kept in a file beside.
        """

class Options:
    """The options of a space: what is switched and tuned while Bethink runs, kept in the database."""

    def get(self) -> SpaceOptions:
        """What holds now, and where it was chosen."""

    def update(self, *, scope: Scope = "space", **changes: Unpack[OptionChanges]) -> SpaceOptions:
        """Change some options, for this space or for the server; the others stay.

        The embedding source, the rerank model and the vector store are the server's, whatever the scope.
        """

    def reset(self, *names: str, scope: Scope = "space") -> SpaceOptions:
        """Take back choices, so that the server's, or the settings', hold again; without names, all."""

class Messages:
    """The messages of a space: what was said, word for word."""

    def of(
        self, session: str, *, after: int = 0, limit: int = 100, secrets: bool = False
    ) -> builtins.list[Message]:
        """The messages of a conversation in order, beginning after a position.

        Secrets in them are masked; with `secrets` they are as they were said, which the journal notes.
        """

    def list(
        self,
        *,
        limit: int = 50,
        cursor: str | None = None,
        original: bool = False,
        secrets: bool = False,
        **filters: Unpack[MessageFilters],
    ) -> MessageList:
        """Messages of all conversations, newest first; `cursor` is the `next_cursor` of the page before.

        An archived one says how it begins; with `original` all that was said.
        """

    def count(self, **filters: Unpack[MessageFilters]) -> int:
        """How many messages there are, or how many of them the filters choose."""

    def search(self, query: str, **options: Unpack[MessageSearchOptions]) -> MessageResults:
        """Messages that answer a query, best first: `memory.messages.search("boiler", limit=5)`.

        Where fewer than `least` do, summaries are searched too, and `fallback` says so: with one, all come
        newest first. Without a query, what was said in the time from `since` to `until`.
        """

    def get(self, message_id: str, *, original: bool = False, secrets: bool = False) -> MessageDetail:
        """One message by its id, which counts as a use of it; an archived one in short, or its `original`."""

    def update(self, message_id: str, **fields: Unpack[MessageChanges]) -> Message:
        """Change who said it, what it is worth, whether it is pinned or archived; the rest stays.

        What was taken from it is read again when somebody else said it.
        """

    def pin(self, message_id: str, pinned: bool = True) -> Message:
        """Pin a message, so that it ranks higher and is never archived by itself; or unpin it."""

    def archive(self, message_id: str, archived: bool = True) -> Message:
        """Archive a message: it is kept, and no longer found by a recall. Or take it out of the archive."""

    def forget(self, *message_ids: str, reason: str | None = None) -> builtins.list[Message]:
        """Delete messages, and what was taken from them alone; the journal keeps what they were."""

class Summaries:
    """The summaries of a space: what old messages come to. The messages themselves are kept."""

    def list(
        self, *, limit: int = 50, cursor: str | None = None, **filters: Unpack[SummaryFilters]
    ) -> SummaryList:
        """Summaries, those of the newest messages first; `cursor` is the `next_cursor` of the page before."""

    def get(self, summary_id: str) -> Summary:
        """One summary by its id."""

    def messages(self, summary_id: str, *, secrets: bool = False) -> builtins.list[Message]:
        """The messages that a summary was made from, as they were said."""

class Insights:
    """The insights of a space: what is going on in its channels, those that count most first."""

    def add(self, title: str, **fields: Unpack[InsightFields]) -> InsightSet:
        """Add an insight; one with its key is extended: `memory.insights.add("Renew the lease")`."""

    def list(self, *, limit: int = 50, offset: int = 0, **filters: Unpack[InsightFilters]) -> InsightPage:
        """Insights, those that count most first: `memory.insights.list(kinds=["task"], status="open")`."""

    def get(self, insight_id: str, *, person_id: str | None = None, secrets: bool = False) -> RankedInsight:
        """One insight and how much it counts; that it was looked at is not noted."""

    def view(self, insight_id: str, *, person_id: str | None = None) -> RankedInsight:
        """The same, and note that somebody looked at it."""

    def favourite(
        self, insight_id: str, favourite: bool = True, *, person_id: str | None = None
    ) -> RankedInsight:
        """Make it a favourite, or no longer."""

    def weigh(self, insight_id: str, multiplier: float, *, person_id: str | None = None) -> RankedInsight:
        """Let it count so many times as much, from 0.1 to 5; 1 is as usual."""

    def update(self, insight_id: str, **fields: Unpack[InsightChanges]) -> Insight:
        """Change what is given of it; the rest stays."""

    def resolve(self, insight_id: str, because: str = "done", *, message_id: str | None = None) -> Insight:
        """Close it, in your own words why, and with the message that closes it."""

    def reopen(self, insight_id: str) -> Insight:
        """Open it again."""

    def merge(self, into: str, *others: str) -> Insight:
        """Make several one: what was said of the others, and done with them, goes to the first."""

    def forget(self, *insight_ids: str, reason: str | None = None) -> builtins.list[Insight]:
        """Delete insights; the journal keeps what they were."""

    def usage(self, **filters: Unpack[InsightFilters]) -> InsightUsage:
        """How insights are used: views, activity and trend over all of them, or over those chosen."""

    def generate(self) -> Run:
        """Read what is new in the channels now; a sweep does so by itself on a server."""

class Contexts:
    """The contexts of a space. What stands in one is not remembered again from a conversation."""

    def add(self, name: str, content: str) -> Context:
        """Store a context."""

    def list(self, *, session: str | None = None) -> builtins.list[Context]:
        """Every context, or those given to a session."""

    def get(self, context_id: str, *, secrets: bool = False) -> Context:
        """One context by its id; with `secrets`, with those in it, which the journal notes."""

    def update(self, context_id: str, **fields: Unpack[ContextChanges]) -> Context:
        """Change what is given of it; the rest stays."""

    def remove(self, context_id: str) -> Context:
        """Delete it, and take it from every session."""

class Documents:
    """The documents of a space: its knowledge base."""

    def add(
        self, source: str | Path | bytes | IO[bytes], name: str | None = None, *, follow: bool = False
    ) -> DocumentAdded:
        """Keep a file, and have it read soon: `memory.documents.add("cv.pdf")`.

        With `follow`, the same path replaces the document once the file is another.
        """

    def replace(
        self, document_id: str, source: str | Path | bytes | IO[bytes], name: str | None = None
    ) -> DocumentAdded:
        """Give a document another file; passages that it still says keep their ids and vectors."""

    def upload(self, sha256: str, data: bytes, name: str, *, offset: int, size: int) -> UploadProgress:
        """Take in a piece of a file that comes in pieces; the last one adds it.

        `sha256` and `size` are those of the whole file. What was interrupted goes on at `uploaded(sha256)`.
        """

    def uploaded(self, sha256: str) -> UploadProgress:
        """How much is there of a file that comes in pieces."""

    def list(self, *, limit: int = 50, offset: int = 0, status: str | None = None) -> DocumentPage:
        """A piece of the list of documents, newest first; only those in some state."""

    def get(self, document_id: str) -> Document:
        """One document by its id."""

    def text(
        self, document_id: str, *, offset: int = 0, limit: int | None = None, secrets: bool = False
    ) -> DocumentText:
        """The whole text of a document, or so many characters of it from an offset."""

    def search(
        self, query: str, *, limit: int = 5, document_ids: Sequence[str] | None = None
    ) -> DocumentResults:
        """The passages that answer, best first, with where they stand; only of some documents."""

    def remove(self, document_id: str) -> Document:
        """Delete a document: its passages, their vectors, and the file that is kept."""

    def retry(self, document_id: str) -> Document:
        """Read a document again that failed."""

    def original(self, document_id: str) -> bytes:
        """The file itself."""

    def wait(
        self, document_id: str, *, progress: Callable[[DocumentProgress], None] | None = None
    ) -> DocumentProgress:
        """Wait until a document is ready or has failed; `progress` is told whenever it got further.

        Where it goes no further for now, as while no model answers, the `problem` says why.
        """

class Notes:
    """The notes of a space: Markdown and JSON files in a folder, which people and programs write."""

    def folder(self) -> Path | None:
        """Where the notes are; None when the database keeps no files."""

    def sync(self) -> NotesSynced:
        """Take in notes that are new or changed as documents, and remove those that are gone.

        A running server does so by itself, as soon as a file changes.
        """

    def list(self, *, kind: str | None = None) -> NoteList:
        """The notes, or those in one folder: `memory.notes.list(kind="people")`."""

    def search(self, text: str, *, kind: str | None = None, limit: int = 50) -> NoteLines:
        """The lines that hold a text, whatever its case: `memory.notes.search("budget")`.

        What means the like is found by `documents.search`.
        """

    def read(self, file: str, *, secrets: bool = False) -> NoteText:
        """A note as it is: `memory.notes.read("people/anna.md")`."""

class Conversations:
    """Conversations that are sent whole each time; what was said before is known again by its words."""

    def follow(
        self,
        session: str,
        messages: Sequence[MessageInput | MessageDraft | Mapping[str, Any]],
        *,
        whole: bool = True,
        after: str | None = None,
    ) -> Observed:
        """Take in a conversation so far: what is new of it is stored, what was said anew is replaced.

        Not `whole`, the messages only go on with what is stored, whatever they say; or with the answer that
        has the id `after`, and then turns that are stored there already are not stored again.
        """

    def locate(
        self, opening: str, messages: Sequence[MessageInput | MessageDraft | Mapping[str, Any]]
    ) -> str:
        """The session that a conversation goes on with; `opening` names all that begin like it."""

    def answered(self, answer_id: str) -> str | None:
        """The session in which an answer was given, by the id that its host gave it."""

class Keys:
    """The keys of a server, of every space. A secret is returned when it is made; only its hash is kept."""

    def create(self, name: str, **fields: Unpack[KeyFields]) -> IssuedKey:
        """Make a key for a space, by default a member's for this one; a space that is not there is made."""

    def list(self) -> builtins.list[ListedKey]:
        """Every key, revoked ones too, in the order they were made."""

    def rename(self, key_id: str, name: str) -> ListedKey:
        """Call a key something else."""

    def update(self, key_id: str, **changes: Unpack[KeyChanges]) -> ListedKey:
        """Change what is given of a key. `memory` says whether the gateway uses it; None: as its space."""

    def rotate(self, key_id: str) -> IssuedKey:
        """Give a key a new secret. The old one is dead at once, and browsers it signed in are signed out."""

    def revoke(self, key_id: str) -> ListedKey:
        """Make a key useless from now on; browsers it signed in are signed out."""

class Spaces:
    """The spaces of a memory: isolated pools, each with its own people, keys and settings."""

    def create(self, name: str, *, display_name: str | None = None) -> ListedSpace:
        """Make a space; `Conflict` when there is one of that name."""

    def list(self) -> builtins.list[ListedSpace]:
        """Every space with how much it holds, in the order they were made."""

    def get(self, name: str) -> ListedSpace:
        """One space with how much it holds; `NotFound` when there is none of that name."""

    def rename(self, space: str, **changes: Unpack[SpaceChanges]) -> ListedSpace:
        """Change what people call a space, or the `name` by which requests mean it."""

    def delete(self, space: str, *, confirm: str) -> Receipt:
        """Delete a space, its keys and everything in it, for good; `confirm` repeats its name.

        The space you act from cannot be deleted: its journal keeps that the other was.
        """

class Space:
    """One space of a memory: everything it does, it does in there and nowhere else."""

    @property
    def name(self) -> str:
        """The space's name."""

    @property
    def facts(self) -> Facts:
        """The facts of this space."""

    @property
    def index(self) -> Index:
        """The index of this space, and the models behind it."""

    @property
    def upkeep(self) -> Upkeep:
        """The sweeps that keep this space in order, and what they did."""

    @property
    def household(self) -> Household:
        """The household of this space: its settings and its people as a whole."""

    @property
    def people(self) -> People:
        """The people of this space, one by one."""

    @property
    def texts(self) -> Texts:
        """The texts of this space: its soul, its narrative, and the files that mirror them."""

    @property
    def options(self) -> Options:
        """The options of this space: what is switched and tuned while Bethink runs."""

    @property
    def messages(self) -> Messages:
        """The messages of this space: what was said, word for word."""

    @property
    def summaries(self) -> Summaries:
        """The summaries of this space: what old messages come to."""

    @property
    def insights(self) -> Insights:
        """The insights of this space: what is going on in its channels."""

    @property
    def notes(self) -> Notes:
        """The notes of this space: Markdown and JSON files in a folder."""

    @property
    def contexts(self) -> Contexts:
        """The contexts of this space: texts that are given to conversations."""

    @property
    def documents(self) -> Documents:
        """The documents of this space: its knowledge base."""

    @property
    def conversations(self) -> Conversations:
        """Conversations that are sent whole each time, as chat clients do."""

    @property
    def devices(self) -> Devices:
        """The devices of this space."""

    @property
    def vectors(self) -> Vectors:
        """The vector store: where it is, whether it answers, what it finds by itself."""

    def recall(
        self, query: str, *, vector: Sequence[float] | None = None, **options: Unpack[RecallOptions]
    ) -> RecallResult:
        """Find what answers a query, best first: `memory.recall("what must Anna not eat?", limit=3)`.

        A `vector` at hand saves making one for the query.
        """

    def prompt(self, query: str | None = None, **options: Unpack[PromptOptions]) -> Prompt:
        """The memory part of a prompt: a stable half that provider caches keep, and one for this turn."""

    def tools(self, format: ToolFormat = "openai") -> builtins.list[Json]:
        """The tools a model may call, as `tools=` of OpenAI's chat, its responses or Anthropic takes them."""

    def call_tool(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> ToolResult:
        """Do what a model called: `memory.call_tool("recall", {"query": "tea"})`; `text` is the answer.

        `arguments` may be the text that OpenAI's models write. What is wrong with them is told in the answer,
        with `is_error`, so that the model can do better.
        """

    def reindex(self, *, force: bool = False, progress: Callable[[Progress], None] | None = None) -> int:
        """Make every vector that is missing or of another model; how many.

        With `force` the whole index is made anew: all vectors, all terms, the times that texts speak of.
        """

    def doubts(self, *, limit: int = 5) -> builtins.list[Doubt]:
        """A few facts worth confirming: `memory.doubts()` says which nobody has said for long."""

    def stats(self) -> Stats:
        """What the space holds, and how its index is doing."""

    def begin(self, session: str | None = None, **fields: Unpack[SessionFields]) -> Session:
        """Begin a conversation, or change what is told of one; without a name it is given one.

        Observing messages begins a conversation too.
        """

    def observe(
        self, session: str, messages: Sequence[MessageInput | MessageDraft | Mapping[str, Any]]
    ) -> Observed:
        """Take in messages of a conversation: `[{"role": "user", "content": "…"}, …]`.

        They are durable when this returns. OpenAI's and Anthropic's shapes are taken as they are.
        One with an `id` is taken in once, however often it comes; so are those without that repeat what the
        session ends with, as when a call is made twice or a conversation is handed in whole each time.
        """

    def ingest(
        self,
        platform: str,
        payload: Any,
        *,
        mapping: IngestMapping | Mapping[str, Any] | None = None,
        dry_run: bool = False,
    ) -> Ingested:
        """Take in messages as another program posts them, in a shape of its own.

        `mapping` says where in it what is; left out, the one that the option `ingest` has for the platform
        does. A message is taken in once under its id. A dry run shows what would be observed.
        """

    def sessions(self, limit: int = 50) -> builtins.list[Session]:
        """Conversations, the most recently active first."""

    def remember(self, content: str, **fields: Unpack[MemoryFields]) -> Remembered:
        """Store a memory: `memory.remember("Anna is allergic to peanuts", tags=["health"])`.

        The outcome says what happened: `stored`; `merged` into the memory that its key names; or `duplicate`.
        """

    def remember_many(
        self, drafts: Sequence[MemoryInput | MemoryDraft | Mapping[str, Any]]
    ) -> builtins.list[Remembered]:
        """Store many memories in one transaction; one outcome each, in order.

        For example `memory.remember_many([{"content": "Likes tea"}, {"content": "Has a cat"}])`.
        """

    def get(self, memory_id: str, *, secrets: bool = False) -> Memory:
        """One memory by its id; with `secrets`, with those in it, which the journal notes."""

    def update(
        self, memory_id: str, *, reason: str | None = None, **changes: Unpack[MemoryChanges]
    ) -> Memory:
        """Change what is given of a memory; metadata is merged one level deep. The journal keeps `reason`."""

    def pin(self, memory_id: str, pinned: bool = True) -> Memory:
        """Pin a memory, so that it ranks higher and does not age; or unpin it."""

    def replace(
        self, memory_id: str, content: str, *, reason: str | None = None, **fields: Unpack[MemoryFields]
    ) -> Memory:
        """Make a memory what this says; a field that is left out has its default again.

        Only when it was observed stays, if nothing else is said.
        """

    def forget(self, *memory_ids: str, reason: str | None = None) -> builtins.list[Memory]:
        """Delete memories, from the index too; what they were is returned and kept in the journal."""

    def forget_many(
        self, *, dry_run: bool = False, reason: str | None = None, **filters: Unpack[MemoryFilters]
    ) -> Forgotten:
        """Delete all memories that the filters choose; at least one is needed.

        With `dry_run` the answer only says how many that would be, with a sample.
        """

    def list(
        self, *, limit: int = 50, offset: int = 0, secrets: bool = False, **filters: Unpack[MemoryFilters]
    ) -> builtins.list[Memory]:
        """Memories, newest first. A filter list that is empty matches nothing.

        With `secrets`, with those in them, which the journal notes.
        """

    def page(
        self,
        *,
        query: str | None = None,
        limit: int = 50,
        offset: int = 0,
        cursor: str | None = None,
        secrets: bool = False,
        **filters: Unpack[MemoryFilters],
    ) -> MemoryPage:
        """Memories, newest first, with how many there are.

        With a `query`, those that answer it, best first and 200 deep. `cursor` is the `next_cursor` of the
        page before: nothing comes twice, whatever is added meanwhile.
        """

    def count(self, **filters: Unpack[MemoryFilters]) -> int:
        """How many memories there are, or how many of them the filters choose."""

    def extract(self, *, retry: bool = False) -> ExtractRun:
        """Read now what is due of the conversations, rather than in the background.

        With `retry` also what could not be read before.
        """

    def extractions(
        self, *, status: ExtractionWord | None = None, session: str | None = None, limit: int = 50
    ) -> builtins.list[Extraction]:
        """What was read of the conversations, by which extractor, and what failed; newest first."""

    def compact(self, *, older_than_days: int = 180, dry_run: bool = False) -> Compaction:
        """Let one memory tell of many old ones, which are archived: `memory.compact(dry_run=True)`.

        Pinned memories stay, and so does what would save no tokens. Forgetting the memory that tells of them,
        or changing one of them, lets them be found again.
        """

    def condense(
        self, session: str | None = None, *, max_tokens: int = 4000, dry_run: bool = False
    ) -> Compaction:
        """Bring the memories of a conversation, or all, into a budget of tokens.

        The newest stay whole while they fit, pinned ones always; of the others three sentences stay.
        The journal keeps what they were, and undoes it.
        """

    def digest(self, days: int = 7) -> Digest:
        """What was decided, what is due, what waits for an answer, what changed about whom, as Markdown."""

    def audit(self) -> Audit:
        """Look for duplicates, near-duplicates, junk, secrets, contradictions and stale facts.

        Secrets are looked for in memories, facts and messages. Changes nothing; each finding names the one
        step that mends it.
        """

    def fix(self, *findings: str, kinds: Sequence[FindingWord] = ...) -> Fixed:
        """Mend findings of an audit, by their ids or all of some kinds; the journal keeps what was before."""

    def journal(self, *, limit: int = 50, **filters: Unpack[JournalFilters]) -> JournalPage:
        """Who changed what, newest first; the `next_cursor` of one page is the `cursor` of the next."""

    def undo(self, journal_id: str) -> Undone:
        """Undo a change of the journal: whatever was updated, merged, edited, forgotten, removed or renamed.

        Raises `Conflict` when what it changed has changed since. Undoing is noted too, and can be undone.
        """

    def erase(self, **choice: Unpack[EraseChoice]) -> Receipt:
        """Erase every trace of one thing, and prove it: `memory.erase(query="Anna Miller")`.

        With `dry_run` the receipt only says what would go.
        """

    def export(
        self,
        file: str | PathLike[str] | IO[bytes],
        *,
        progress: Callable[[Progress], None] | None = None,
        secrets: bool = False,
    ) -> Exported:
        """Write all that the space holds to one JSON Lines archive, at a path or to a binary stream.

        Secrets in it are masked; with `secrets` they are as they are, which the journal notes.
        """

    def import_(
        self,
        file: str | PathLike[str] | IO[bytes],
        *,
        progress: Callable[[Progress], None] | None = None,
        **options: Unpack[ImportOptions],
    ) -> Imported:
        """Take in an archive, conversations of other programs, or what mem0, Chroma or a list in JSON holds.

        An empty space becomes what the archive was, to the byte; in another, what is known stays as it is.
        """

class Bethink(Space):
    """A memory: one database, many spaces. Its own verbs work in the default space.

    `Bethink("notes.db")` takes a file, `:memory:` or a `postgresql://` URL and opens on first use, or
    with `with`. Settings come from `settings`, or are loaded; keyword arguments are laid over them,
    each section as a dict: `embed={"source": "none"}`.
    An `embedder` or a `chat_model` of your own takes the place of the configured one.
    """

    @property
    def settings(self) -> Settings:
        """The settings in force."""

    @property
    def keys(self) -> Keys:
        """The keys of the server over this memory, of every space."""

    @property
    def spaces(self) -> Spaces:
        """The spaces of this memory as a whole."""

    def __init__(
        self,
        url: str | Path | None = None,
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        chat_model: Chat | None = None,
        **overrides: Unpack[SettingOverrides],
    ) -> None: ...
    def open(self) -> Self:
        """Connect now rather than on first use."""

    def close(self) -> None:
        """Finish what is under way and let go of the database. Acknowledged writes are safe without it."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def space(self, name: str, *, actor: str = "library") -> Space:
        """A handle on another space; `actor` is who the journal says made its changes."""

    def check(self) -> State:
        """Ask the database for an answer (`StoreError` if none comes); the state of the embedding source."""

    def integrity(self, *, deep: bool = False) -> Integrity:
        """Look for damage in the whole database, by its own quick check.

        `deep` also reads every record and lets the database check itself with all it has, which takes long.
        """

    def catch_up(self) -> None:
        """Go on with what was left undone: conversations unread, vectors not made, gaps in the index.

        A server does so when it starts; in a program, writing to a space does it for that space.
        """

    def take_over(self) -> None:
        """Go on with what another process over this database was at when it died. A server does so by itself.

        For example, with two servers over one database: `kill -9` one that is making vectors, and the other
        makes the rest as soon as the lease of the dead one ends.
        """

    def vitals(self) -> Vitals:
        """How the whole memory is doing, in numbers."""

    def settle(self) -> None:
        """Wait until everything written so far is read and has its vectors, or a model has failed."""

class RemoteFacts:
    """The facts of a space: (category, key) → value, every version kept."""

    def set(self, category: str, key: str, value: str, **fields: Unpack[FactFields]) -> FactSet:
        """Make a value current."""

    def get(
        self,
        category: str,
        key: str,
        *,
        person_id: str | None = None,
        as_of: datetime | date | str | None = None,
        secrets: bool = False,
    ) -> Fact | None:
        """The version that holds now, or held at a time; None when there is none."""

    def history(
        self, category: str, key: str, *, person_id: str | None = None, secrets: bool = False
    ) -> builtins.list[Fact]:
        """Every version, newest first."""

    def doubts(self, *, limit: int = 5, secrets: bool = False) -> builtins.list[Doubt]:
        """A few facts that nobody has confirmed for long, most worth asking about first."""

    def forget(
        self, category: str, key: str, *, person_id: str | None = None, reason: str | None = None
    ) -> Fact:
        """End the current version; its history stays."""

    def restore(self, fact_id: str, *, reason: str | None = None) -> FactSet:
        """Make an earlier version current again, as a new one."""

    def search(
        self, query: str, *, limit: int = 15, secrets: bool = False, **filters: Unpack[FactFilters]
    ) -> FactsFound:
        """The facts near to a query in meaning; when none are, those that hold its text."""

    def list(
        self, *, limit: int = 200, secrets: bool = False, **filters: Unpack[FactFilters]
    ) -> builtins.list[Fact]:
        """The facts that hold now, or held at a time, by category and key."""

class RemoteInsights:
    """The insights of a space: what is going on in its channels, those that count most first."""

    def add(self, title: str, **fields: Unpack[InsightFields]) -> InsightSet:
        """Add an insight; one with its key is extended."""

    def list(self, *, limit: int = 50, offset: int = 0, **filters: Unpack[InsightFilters]) -> InsightPage:
        """Insights, those that count most first."""

    def get(self, insight_id: str, *, person_id: str | None = None, secrets: bool = False) -> RankedInsight:
        """One insight and how much it counts."""

    def view(self, insight_id: str, *, person_id: str | None = None) -> RankedInsight:
        """The same, and note that somebody looked at it."""

    def favourite(
        self, insight_id: str, favourite: bool = True, *, person_id: str | None = None
    ) -> RankedInsight:
        """Make it a favourite, or no longer."""

    def weigh(self, insight_id: str, multiplier: float, *, person_id: str | None = None) -> RankedInsight:
        """Let it count so many times as much, from 0.1 to 5."""

    def update(self, insight_id: str, **fields: Unpack[InsightChanges]) -> Insight:
        """Change what is given of it; the rest stays."""

    def resolve(self, insight_id: str, because: str = "done", *, message_id: str | None = None) -> Insight:
        """Close it, in your own words why, and with the message that closes it."""

    def reopen(self, insight_id: str) -> Insight:
        """Open it again."""

    def merge(self, into: str, *others: str) -> Insight:
        """Make several one."""

    def forget(self, *insight_ids: str, reason: str | None = None) -> builtins.list[Insight]:
        """Delete insights, one after the other; the journal keeps what they were."""

    def usage(self, **filters: Unpack[InsightFilters]) -> InsightUsage:
        """How insights are used."""

    def generate(self) -> Run:
        """Read what is new in the channels now."""

class RemoteMessages:
    """The messages of a space: what was said, word for word."""

    def of(self, session: str, *, after: int = 0, limit: int = 100, secrets: bool = False) -> list[Message]:
        """The messages of a conversation, in order."""

    def search(self, query: str, **options: Unpack[MessageSearchOptions]) -> MessageResults:
        """Messages that answer a query, best first; with summaries, where they are too few, newest first."""

    def get(self, message_id: str, *, original: bool = False, secrets: bool = False) -> MessageDetail:
        """One message by its id; an archived one in short, or its `original`."""

class RemoteNotes:
    """The notes of a space: Markdown and JSON files in a folder of the server."""

    def folder(self) -> Path | None:
        """None: where the files are is the server's own business."""

    def sync(self) -> NotesSynced:
        """Let the server take in notes that are new or changed now."""

    def list(self, *, kind: str | None = None) -> NoteList:
        """The notes, or those in one folder."""

    def search(self, text: str, *, kind: str | None = None, limit: int = 50) -> NoteLines:
        """The lines that hold a text, whatever its case."""

    def read(self, file: str, *, secrets: bool = False) -> NoteText:
        """A note as it is."""

class RemoteContexts:
    """The contexts of a space: texts that are given to conversations."""

    def add(self, name: str, content: str) -> Context:
        """Store a context."""

    def list(self, *, session: str | None = None) -> builtins.list[Context]:
        """Every context, or those given to a session."""

    def get(self, context_id: str, *, secrets: bool = False) -> Context:
        """One context by its id."""

    def update(self, context_id: str, **fields: Unpack[ContextChanges]) -> Context:
        """Change what is given of it; the rest stays."""

    def remove(self, context_id: str) -> Context:
        """Delete it, and take it from every session."""

class RemotePeople:
    """The people of a space."""

    def list(self) -> builtins.list[Person]:
        """Everyone who lives there."""

    def get(self, person_id: str) -> Person:
        """One person by their id, also one who has left."""

    def add(self, display_name: str, **fields: Unpack[PersonFields]) -> Person:
        """Let someone live there."""

    def update(self, person_id: str, **changes: Unpack[PersonChanges]) -> Person:
        """Change what is known of someone; what is left out stays."""

    def remove(self, person_id: str) -> HouseholdChanged:
        """Let someone leave: facts about them end, what they said and what is remembered of them stays."""

    def resolve(self, ref: str) -> PersonMatch:
        """Who is meant by a name, an alias or a role."""

    def speaker(
        self,
        text: str = "",
        *,
        device: str | None = None,
        voice: str | None = None,
        person: str | None = None,
    ) -> Speaker:
        """Who is speaking: by their voice, by the device, because they live alone, or by what they say."""

class RemoteUpkeep:
    """The sweeps that keep a space in order."""

    def list(self) -> builtins.list[SweepStatus]:
        """Every sweep: how much is due, whether it is running, and how it went."""

    def run(
        self, name: str, *, dry_run: bool = False, progress: Callable[[Progress], None] | None = None
    ) -> Run:
        """Run a sweep now; with `dry_run` only count what it would do. `progress` is told the end only."""

    def history(self, name: str | None = None, *, limit: int = 50) -> builtins.list[Run]:
        """What the sweeps did, newest first."""

class RemoteHousehold:
    """The household of a space: its name, mode, timezone and locale, and the people in it."""

    def get(self) -> HouseholdRecord:
        """The household as it is."""

    def update(self, **changes: Unpack[HouseholdChanges]) -> HouseholdChanged:
        """Change what is given: all of it happens, or nothing."""

class RemoteDocuments:
    """The documents of a space: files that are kept, read, and searched."""

    def add(
        self, source: str | Path | bytes | IO[bytes], name: str | None = None, *, follow: bool = False
    ) -> DocumentAdded:
        """Keep a file, and have it read soon.

        The server does not see this machine's paths: with `follow`, the document of the same name is
        replaced by a file that is another.
        """

    def replace(
        self, document_id: str, source: str | Path | bytes | IO[bytes], name: str | None = None
    ) -> DocumentAdded:
        """Give a document another file; it keeps its id."""

    def upload(self, sha256: str, data: bytes, name: str, *, offset: int, size: int) -> UploadProgress:
        """Send a piece of a file; the last one adds it. `uploaded(sha256)` says where to go on."""

    def uploaded(self, sha256: str) -> UploadProgress:
        """How much is there of a file that is sent in pieces."""

    def list(self, *, limit: int = 50, offset: int = 0, status: str | None = None) -> DocumentPage:
        """The documents, newest first, each with its state."""

    def get(self, document_id: str) -> Document:
        """One document and its state."""

    def text(
        self, document_id: str, *, offset: int = 0, limit: int | None = None, secrets: bool = False
    ) -> DocumentText:
        """The whole text of a document, or a piece of it."""

    def search(
        self, query: str, *, limit: int = 5, document_ids: Sequence[str] | None = None
    ) -> DocumentResults:
        """The passages that answer, best first, with file, page and headings."""

    def remove(self, document_id: str) -> Document:
        """Delete a document with its passages and its file."""

    def retry(self, document_id: str) -> Document:
        """Read a document again that failed."""

    def original(self, document_id: str) -> bytes:
        """The file as it was added."""

    def wait(
        self, document_id: str, *, progress: Callable[[DocumentProgress], None] | None = None
    ) -> DocumentProgress:
        """Wait until a document is ready or has failed."""

class RemoteDevices:
    """The devices of a space, by the ids their callers give them."""

    def list(self) -> builtins.list[Device]:
        """Every device, in the order they came."""

    def get(self, device_id: str) -> Device:
        """One device by its id."""

    def put(self, device_id: str, *, name: str, primary_person_id: str | None = None) -> Device:
        """Add a device, or change the one of this id; `primary_person_id` usually speaks through it."""

    def remove(self, device_id: str) -> Device:
        """Remove a device; the journal keeps what it was."""

class RemoteKeys:
    """The keys of a server, for an admin's key."""

    def create(self, name: str, **fields: Unpack[KeyFields]) -> IssuedKey:
        """Make a key for a space, by default a member's for this one."""

    def list(self) -> builtins.list[ListedKey]:
        """Every key, revoked ones too, in the order they were made."""

    def rename(self, key_id: str, name: str) -> ListedKey:
        """Call a key something else."""

    def update(self, key_id: str, **changes: Unpack[KeyChanges]) -> ListedKey:
        """Change what is given of a key."""

    def rotate(self, key_id: str) -> IssuedKey:
        """Give a key a new secret; the old one is dead at once."""

    def revoke(self, key_id: str) -> ListedKey:
        """Make a key useless from now on."""

class RemoteSpaces:
    """The spaces of a server, for an admin's key."""

    def create(self, name: str, *, display_name: str | None = None) -> ListedSpace:
        """Make a space; `Conflict` when there is one of that name."""

    def list(self) -> builtins.list[ListedSpace]:
        """Every space with how much it holds, in the order they were made."""

    def get(self, name: str) -> ListedSpace:
        """One space with how much it holds."""

    def rename(self, space: str, **changes: Unpack[SpaceChanges]) -> ListedSpace:
        """Change what people call a space, or the `name` by which requests mean it."""

    def delete(self, space: str, *, confirm: str) -> Receipt:
        """Delete a space and everything in it, for good; `confirm` repeats its name."""

class RemoteOptions:
    """The options of a space: what is switched and tuned while the server runs."""

    def get(self) -> SpaceOptions:
        """What holds now, and where it was chosen."""

    def update(self, *, scope: Scope = "space", **changes: Unpack[OptionChanges]) -> SpaceOptions:
        """Change some options, for this space or for the server; the others stay."""

    def reset(self, *names: str, scope: Scope = "space") -> SpaceOptions:
        """Take back choices; without names, all."""

class RemoteTexts:
    """The texts of a space: its soul, the narrative, and the files that mirror them."""

    def soul(self, *, secrets: bool = False) -> str:
        """The owner's own words about how the assistant is to be."""

    def set_soul(self, text: str) -> str:
        """Replace the soul."""

    def narrative(self) -> str:
        """What is remembered about the user as one text."""

    def set_narrative(self, text: str) -> str:
        """Replace the narrative."""

    def memory_file(self) -> str:
        """What MEMORY.md holds: the promoted facts."""

    def set_memory_file(self, text: str, *, base: str | None = None) -> FilesSynced:
        """Take in a changed MEMORY.md; `base` is the text that was changed."""

    def folder(self) -> Path | None:
        """None: where the files are is the server's own business."""

    def sync(self) -> FilesSynced:
        """Let the server take in edits of its files now."""

class RemoteIndex:
    """The index of a space: what searches it, and how that is doing."""

    def status(self) -> EngineStatus:
        """Terms, embedding source and why, vector store, counts, last errors."""

    def sources(self) -> list[EmbeddingSource]:
        """Every embedding source, and whether it could be chosen."""

    def preview(self, query: str, **options: Unpack[RecallOptions]) -> Preview:
        """What a recall would bring back, with every part of the scores; nothing is counted as used."""

    def check(self) -> Health:
        """Write something, find it, and delete it."""

    def cache(self) -> CacheStats:
        """How often what is asked again is answered from memory."""

    def growth(self, *, days: int = 90) -> Growth:
        """How much was added, day by day."""

    def start_reindex(self, *, force: bool = False) -> ReindexStarted:
        """Make the vectors that are missing, in the background."""

    def reindex_status(self) -> ReindexStatus:
        """How far it has come."""

class BethinkClient:
    """A space of a running server: `BethinkClient("http://127.0.0.1:8420")`.

    It has the verbs of the library, and raises the same errors. Without a `token`, the key in
    `~/.config/bethink/token` is sent. `space` names another space than the key's own, for an admin key.
    """

    @property
    def facts(self) -> RemoteFacts:
        """The facts of the space."""

    @property
    def insights(self) -> RemoteInsights:
        """The insights of the space."""

    @property
    def messages(self) -> RemoteMessages:
        """The messages of the space."""

    @property
    def contexts(self) -> RemoteContexts:
        """The contexts of the space."""

    @property
    def documents(self) -> RemoteDocuments:
        """The documents of the space."""

    @property
    def notes(self) -> RemoteNotes:
        """The notes of the space."""

    @property
    def people(self) -> RemotePeople:
        """The people of the space."""

    @property
    def household(self) -> RemoteHousehold:
        """The household of the space."""

    @property
    def devices(self) -> RemoteDevices:
        """The devices of the space."""

    @property
    def keys(self) -> RemoteKeys:
        """The keys of the server, for an admin's key."""

    @property
    def spaces(self) -> RemoteSpaces:
        """The spaces of the server, for an admin's key."""

    @property
    def options(self) -> RemoteOptions:
        """The options of the space."""

    @property
    def texts(self) -> RemoteTexts:
        """The soul, the narrative and the files of the space."""

    @property
    def index(self) -> RemoteIndex:
        """The index of the space."""

    @property
    def upkeep(self) -> RemoteUpkeep:
        """The sweeps of the space."""

    def __init__(
        self, server: str, *, token: str | None = None, space: str | None = None, timeout: float = 60.0
    ) -> None: ...
    def close(self) -> None:
        """Let go of the connections."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def ingest(
        self,
        platform: str,
        payload: Any,
        *,
        mapping: IngestMapping | Mapping[str, Any] | None = None,
        dry_run: bool = False,
    ) -> Ingested:
        """Take in messages as another program posts them; `mapping` says where in them what is."""

    def recall(self, query: str, **options: Unpack[RecallOptions]) -> RecallResult:
        """Find what answers a query, best first."""

    def prompt(self, query: str | None = None, **options: Unpack[PromptOptions]) -> Prompt:
        """The memory part of a prompt."""

    def observe(
        self, session: str, messages: Sequence[MessageInput | MessageDraft | Mapping[str, Any]]
    ) -> Observed:
        """Take in messages of a conversation; they are durable when this returns."""

    def sessions(self, limit: int = 50) -> builtins.list[Session]:
        """Conversations, the most recently active first."""

    def begin(self, session: str | None = None, **fields: Unpack[SessionFields]) -> Session:
        """Begin a conversation, or change what is told of it."""

    def stats(self) -> Stats:
        """What the space holds, and how its index is doing."""

    def digest(self, days: int = 7) -> Digest:
        """What was decided, what is due, what waits for an answer, what changed about whom."""

    def journal(self, *, limit: int = 50, **filters: Unpack[JournalFilters]) -> JournalPage:
        """Who changed what, newest first."""

    def undo(self, entry_id: str) -> Undone:
        """Undo a change."""

    def erase(self, **choice: Unpack[EraseChoice]) -> Receipt:
        """Erase every trace of one thing, and prove it."""

    def audit(self) -> Audit:
        """Look for duplicates, junk, secrets, contradictions and stale facts; changes nothing."""

    def fix(self, *findings: str, kinds: Sequence[FindingWord] = ...) -> Fixed:
        """Mend findings of an audit, by their ids or all of some kinds."""

    def extract(self, *, retry: bool = False) -> ExtractRun:
        """Read now what is due of the conversations."""

    def extractions(
        self, *, status: ExtractionWord | None = None, session: str | None = None, limit: int = 50
    ) -> builtins.list[Extraction]:
        """What was read of the conversations, by which extractor, and what failed; newest first."""

    def export(
        self,
        file: str | PathLike[str] | IO[bytes],
        *,
        progress: Callable[[Progress], None] | None = None,
        secrets: bool = False,
    ) -> Exported:
        """Write all that the space holds to one JSON Lines archive, at a path or to a binary stream."""

    def import_(
        self,
        file: str | PathLike[str] | IO[bytes],
        *,
        progress: Callable[[Progress], None] | None = None,
        **options: Unpack[ImportOptions],
    ) -> Imported:
        """Take in an archive, or conversations of other programs."""

    def remember(self, content: str, **fields: Unpack[MemoryFields]) -> Remembered:
        """Store a memory."""

    def remember_many(
        self, drafts: Sequence[MemoryInput | MemoryDraft | Mapping[str, Any]]
    ) -> builtins.list[Remembered]:
        """Store memories, one after the other."""

    def get(self, memory_id: str, *, secrets: bool = False) -> Memory:
        """One memory by its id."""

    def update(
        self, memory_id: str, *, reason: str | None = None, **changes: Unpack[MemoryChanges]
    ) -> Memory:
        """Change what is given of a memory."""

    def replace(
        self, memory_id: str, content: str, *, reason: str | None = None, **fields: Unpack[MemoryFields]
    ) -> Memory:
        """Make a memory what this says; a field that is left out has its default again."""

    def pin(self, memory_id: str, pinned: bool = True) -> Memory:
        """Pin a memory, or unpin it."""

    def forget(self, *memory_ids: str, reason: str | None = None) -> builtins.list[Memory]:
        """Delete memories, one after the other; the journal keeps what they were."""

    def compact(self, *, older_than_days: int = 180, dry_run: bool = False) -> Compaction:
        """Let one memory tell of many old ones, which are archived."""

    def condense(
        self, session: str | None = None, *, max_tokens: int = 4000, dry_run: bool = False
    ) -> Compaction:
        """Bring memories into a budget of tokens; of the older ones the first three sentences stay."""

    def forget_many(
        self, *, dry_run: bool = False, reason: str | None = None, **filters: Unpack[MemoryFilters]
    ) -> Forgotten:
        """Delete all memories that the filters choose; at least one is needed."""

    def list(
        self, *, limit: int = 50, offset: int = 0, secrets: bool = False, **filters: Unpack[MemoryFilters]
    ) -> builtins.list[Memory]:
        """Memories, newest first. A filter list that is empty matches nothing."""

    def page(
        self,
        *,
        query: str | None = None,
        limit: int = 50,
        offset: int = 0,
        cursor: str | None = None,
        secrets: bool = False,
        **filters: Unpack[MemoryFilters],
    ) -> MemoryPage:
        """Memories, newest first, with how many there are; with a `query`, those that answer it."""
