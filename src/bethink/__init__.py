"""Bethink: long-term memory for AI assistants and agents.

    from bethink import Bethink

    with Bethink("notes.db") as memory:
        memory.remember("Anna is allergic to peanuts")
        print(memory.recall("what must Anna not eat?").hits[0].text)

`AsyncBethink` is the same with `await`. Names are loaded on first use, so importing the package is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bethink.client import AsyncBethinkClient as AsyncBethinkClient
    from bethink.errors import AccessDenied as AccessDenied
    from bethink.errors import BethinkError as BethinkError
    from bethink.errors import Closed as Closed
    from bethink.errors import Conflict as Conflict
    from bethink.errors import InvalidInput as InvalidInput
    from bethink.errors import ModelBusy as ModelBusy
    from bethink.errors import ModelError as ModelError
    from bethink.errors import NotFound as NotFound
    from bethink.errors import SettingsError as SettingsError
    from bethink.errors import StoreError as StoreError
    from bethink.errors import TooLarge as TooLarge
    from bethink.memory import AsyncBethink as AsyncBethink
    from bethink.memory import AsyncSpace as AsyncSpace
    from bethink.models.chat import Chat as Chat
    from bethink.models.embed import Embedder as Embedder
    from bethink.records import Context as Context
    from bethink.records import Device as Device
    from bethink.records import Document as Document
    from bethink.records import DocumentStatus as DocumentStatus
    from bethink.records import Extraction as Extraction
    from bethink.records import ExtractionStatus as ExtractionStatus
    from bethink.records import Fact as Fact
    from bethink.records import Household as Household
    from bethink.records import JournalEntry as JournalEntry
    from bethink.records import Layer as Layer
    from bethink.records import Memory as Memory
    from bethink.records import MemoryType as MemoryType
    from bethink.records import Message as Message
    from bethink.records import MessageTier as MessageTier
    from bethink.records import Mode as Mode
    from bethink.records import Passage as Passage
    from bethink.records import Person as Person
    from bethink.records import Role as Role
    from bethink.records import Run as Run
    from bethink.records import Session as Session
    from bethink.records import Summary as Summary
    from bethink.records import SummaryTier as SummaryTier
    from bethink.records import Switch as Switch
    from bethink.settings import Settings as Settings
    from bethink.settings.keywords import SettingOverrides as SettingOverrides
    from bethink.shapes.accounts import IssuedKey as IssuedKey
    from bethink.shapes.accounts import ListedKey as ListedKey
    from bethink.shapes.accounts import ListedSpace as ListedSpace
    from bethink.shapes.audits import Audit as Audit
    from bethink.shapes.audits import Finding as Finding
    from bethink.shapes.audits import Fixed as Fixed
    from bethink.shapes.documents import DocumentAdded as DocumentAdded
    from bethink.shapes.documents import DocumentHit as DocumentHit
    from bethink.shapes.documents import DocumentPage as DocumentPage
    from bethink.shapes.documents import DocumentProgress as DocumentProgress
    from bethink.shapes.documents import DocumentResults as DocumentResults
    from bethink.shapes.documents import DocumentText as DocumentText
    from bethink.shapes.documents import UploadProgress as UploadProgress
    from bethink.shapes.households import HouseholdChanged as HouseholdChanged
    from bethink.shapes.households import PersonDraft as PersonDraft
    from bethink.shapes.households import PersonMatch as PersonMatch
    from bethink.shapes.households import Speaker as Speaker
    from bethink.shapes.ingest import Ingested as Ingested
    from bethink.shapes.ingest import IngestMapping as IngestMapping
    from bethink.shapes.inputs import MemoryDraft as MemoryDraft
    from bethink.shapes.inputs import MessageDraft as MessageDraft
    from bethink.shapes.insights import Digest as Digest
    from bethink.shapes.insights import Importance as Importance
    from bethink.shapes.insights import Insight as Insight
    from bethink.shapes.insights import InsightKind as InsightKind
    from bethink.shapes.insights import InsightPage as InsightPage
    from bethink.shapes.insights import InsightStatus as InsightStatus
    from bethink.shapes.insights import InsightUsage as InsightUsage
    from bethink.shapes.insights import RankedInsight as RankedInsight
    from bethink.shapes.insights import Urgency as Urgency
    from bethink.shapes.keywords import ContextChanges as ContextChanges
    from bethink.shapes.keywords import EraseChoice as EraseChoice
    from bethink.shapes.keywords import FactFields as FactFields
    from bethink.shapes.keywords import FactFilters as FactFilters
    from bethink.shapes.keywords import HouseholdChanges as HouseholdChanges
    from bethink.shapes.keywords import ImportOptions as ImportOptions
    from bethink.shapes.keywords import InsightChanges as InsightChanges
    from bethink.shapes.keywords import InsightFields as InsightFields
    from bethink.shapes.keywords import InsightFilters as InsightFilters
    from bethink.shapes.keywords import JournalFilters as JournalFilters
    from bethink.shapes.keywords import KeyChanges as KeyChanges
    from bethink.shapes.keywords import KeyFields as KeyFields
    from bethink.shapes.keywords import MemoryChanges as MemoryChanges
    from bethink.shapes.keywords import MemoryFields as MemoryFields
    from bethink.shapes.keywords import MemoryFilters as MemoryFilters
    from bethink.shapes.keywords import MemoryInput as MemoryInput
    from bethink.shapes.keywords import MessageChanges as MessageChanges
    from bethink.shapes.keywords import MessageFilters as MessageFilters
    from bethink.shapes.keywords import MessageInput as MessageInput
    from bethink.shapes.keywords import MessageSearchOptions as MessageSearchOptions
    from bethink.shapes.keywords import OptionChanges as OptionChanges
    from bethink.shapes.keywords import PersonChanges as PersonChanges
    from bethink.shapes.keywords import PersonFields as PersonFields
    from bethink.shapes.keywords import PersonInput as PersonInput
    from bethink.shapes.keywords import PromptOptions as PromptOptions
    from bethink.shapes.keywords import RecallOptions as RecallOptions
    from bethink.shapes.keywords import SessionFields as SessionFields
    from bethink.shapes.keywords import SpaceChanges as SpaceChanges
    from bethink.shapes.keywords import SummaryFilters as SummaryFilters
    from bethink.shapes.keywords import VectorPlaceChanges as VectorPlaceChanges
    from bethink.shapes.notes import Note as Note
    from bethink.shapes.notes import NoteLine as NoteLine
    from bethink.shapes.notes import NoteLines as NoteLines
    from bethink.shapes.notes import NoteList as NoteList
    from bethink.shapes.notes import NotesSynced as NotesSynced
    from bethink.shapes.notes import NoteText as NoteText
    from bethink.shapes.options import SpaceOptions as SpaceOptions
    from bethink.shapes.outcomes import CacheStats as CacheStats
    from bethink.shapes.outcomes import Compaction as Compaction
    from bethink.shapes.outcomes import Doubt as Doubt
    from bethink.shapes.outcomes import ExtractRun as ExtractRun
    from bethink.shapes.outcomes import FactSet as FactSet
    from bethink.shapes.outcomes import FactsFound as FactsFound
    from bethink.shapes.outcomes import FilesSynced as FilesSynced
    from bethink.shapes.outcomes import Forgotten as Forgotten
    from bethink.shapes.outcomes import Growth as Growth
    from bethink.shapes.outcomes import Hit as Hit
    from bethink.shapes.outcomes import InsightSet as InsightSet
    from bethink.shapes.outcomes import Integrity as Integrity
    from bethink.shapes.outcomes import KeptSearchStats as KeptSearchStats
    from bethink.shapes.outcomes import MemoryPage as MemoryPage
    from bethink.shapes.outcomes import MessageDetail as MessageDetail
    from bethink.shapes.outcomes import MessageList as MessageList
    from bethink.shapes.outcomes import MessageResults as MessageResults
    from bethink.shapes.outcomes import Observed as Observed
    from bethink.shapes.outcomes import Progress as Progress
    from bethink.shapes.outcomes import RecallResult as RecallResult
    from bethink.shapes.outcomes import Remembered as Remembered
    from bethink.shapes.outcomes import Stats as Stats
    from bethink.shapes.outcomes import SummaryList as SummaryList
    from bethink.shapes.outcomes import Vitals as Vitals
    from bethink.shapes.prompts import Prompt as Prompt
    from bethink.shapes.rights import Exported as Exported
    from bethink.shapes.rights import Imported as Imported
    from bethink.shapes.rights import JournalPage as JournalPage
    from bethink.shapes.rights import Receipt as Receipt
    from bethink.shapes.rights import Undone as Undone
    from bethink.shapes.status import ChatHealth as ChatHealth
    from bethink.shapes.status import EmbeddingSource as EmbeddingSource
    from bethink.shapes.status import EngineStatus as EngineStatus
    from bethink.shapes.status import Health as Health
    from bethink.shapes.status import Preview as Preview
    from bethink.shapes.status import ReindexStarted as ReindexStarted
    from bethink.shapes.status import ReindexStatus as ReindexStatus
    from bethink.shapes.status import SpaceMap as SpaceMap
    from bethink.shapes.tools import ToolResult as ToolResult
    from bethink.shapes.upkeep import SweepStatus as SweepStatus
    from bethink.shapes.vectors import StoreHealth as StoreHealth
    from bethink.shapes.vectors import VectorPlace as VectorPlace
    from bethink.shapes.vectors import VectorsCleaned as VectorsCleaned
    from bethink.shapes.vectors import VectorsFound as VectorsFound
    from bethink.sync import Bethink as Bethink
    from bethink.sync import BethinkClient as BethinkClient
    from bethink.sync import Space as Space

_HOMES = {
    "AccessDenied": "errors",
    "AsyncBethink": "memory",
    "AsyncBethinkClient": "client",
    "AsyncSpace": "memory",
    "Audit": "shapes.audits",
    "Bethink": "sync",
    "BethinkClient": "sync",
    "BethinkError": "errors",
    "CacheStats": "shapes.outcomes",
    "Compaction": "shapes.outcomes",
    "Doubt": "shapes.outcomes",
    "Chat": "models.chat",
    "ChatHealth": "shapes.status",
    "Closed": "errors",
    "Conflict": "errors",
    "Context": "records",
    "ContextChanges": "shapes.keywords",
    "Device": "records",
    "Digest": "shapes.insights",
    "Document": "records",
    "DocumentAdded": "shapes.documents",
    "DocumentHit": "shapes.documents",
    "DocumentPage": "shapes.documents",
    "DocumentProgress": "shapes.documents",
    "DocumentResults": "shapes.documents",
    "DocumentStatus": "records",
    "DocumentText": "shapes.documents",
    "Embedder": "models.embed",
    "EmbeddingSource": "shapes.status",
    "EngineStatus": "shapes.status",
    "EraseChoice": "shapes.keywords",
    "Exported": "shapes.rights",
    "ExtractRun": "shapes.outcomes",
    "Extraction": "records",
    "ExtractionStatus": "records",
    "Fact": "records",
    "FactFields": "shapes.keywords",
    "FactFilters": "shapes.keywords",
    "FactSet": "shapes.outcomes",
    "FactsFound": "shapes.outcomes",
    "FilesSynced": "shapes.outcomes",
    "Finding": "shapes.audits",
    "Fixed": "shapes.audits",
    "Forgotten": "shapes.outcomes",
    "Growth": "shapes.outcomes",
    "Health": "shapes.status",
    "Hit": "shapes.outcomes",
    "Household": "records",
    "HouseholdChanged": "shapes.households",
    "HouseholdChanges": "shapes.keywords",
    "ImportOptions": "shapes.keywords",
    "Importance": "shapes.insights",
    "Imported": "shapes.rights",
    "IngestMapping": "shapes.ingest",
    "Ingested": "shapes.ingest",
    "Insight": "shapes.insights",
    "InsightChanges": "shapes.keywords",
    "InsightFields": "shapes.keywords",
    "InsightFilters": "shapes.keywords",
    "InsightKind": "shapes.insights",
    "InsightPage": "shapes.insights",
    "InsightSet": "shapes.outcomes",
    "InsightStatus": "shapes.insights",
    "InsightUsage": "shapes.insights",
    "Integrity": "shapes.outcomes",
    "InvalidInput": "errors",
    "IssuedKey": "shapes.accounts",
    "JournalEntry": "records",
    "JournalFilters": "shapes.keywords",
    "JournalPage": "shapes.rights",
    "KeptSearchStats": "shapes.outcomes",
    "KeyChanges": "shapes.keywords",
    "KeyFields": "shapes.keywords",
    "Layer": "records",
    "ListedKey": "shapes.accounts",
    "ListedSpace": "shapes.accounts",
    "Memory": "records",
    "MemoryChanges": "shapes.keywords",
    "MemoryDraft": "shapes.inputs",
    "MemoryFields": "shapes.keywords",
    "MemoryFilters": "shapes.keywords",
    "MemoryInput": "shapes.keywords",
    "MemoryPage": "shapes.outcomes",
    "MemoryType": "records",
    "Message": "records",
    "MessageChanges": "shapes.keywords",
    "MessageDetail": "shapes.outcomes",
    "MessageDraft": "shapes.inputs",
    "MessageFilters": "shapes.keywords",
    "MessageInput": "shapes.keywords",
    "MessageSearchOptions": "shapes.keywords",
    "MessageList": "shapes.outcomes",
    "MessageResults": "shapes.outcomes",
    "MessageTier": "records",
    "Mode": "records",
    "ModelBusy": "errors",
    "ModelError": "errors",
    "NotFound": "errors",
    "Note": "shapes.notes",
    "NoteLine": "shapes.notes",
    "NoteLines": "shapes.notes",
    "NoteList": "shapes.notes",
    "NoteText": "shapes.notes",
    "NotesSynced": "shapes.notes",
    "Observed": "shapes.outcomes",
    "OptionChanges": "shapes.keywords",
    "Passage": "records",
    "Person": "records",
    "PersonChanges": "shapes.keywords",
    "PersonDraft": "shapes.households",
    "PersonFields": "shapes.keywords",
    "PersonInput": "shapes.keywords",
    "PersonMatch": "shapes.households",
    "Preview": "shapes.status",
    "Progress": "shapes.outcomes",
    "Prompt": "shapes.prompts",
    "PromptOptions": "shapes.keywords",
    "RankedInsight": "shapes.insights",
    "RecallOptions": "shapes.keywords",
    "RecallResult": "shapes.outcomes",
    "Receipt": "shapes.rights",
    "ReindexStarted": "shapes.status",
    "ReindexStatus": "shapes.status",
    "Remembered": "shapes.outcomes",
    "Role": "records",
    "Run": "records",
    "Session": "records",
    "SessionFields": "shapes.keywords",
    "SettingOverrides": "settings.keywords",
    "Settings": "settings",
    "SettingsError": "errors",
    "Space": "sync",
    "SpaceChanges": "shapes.keywords",
    "SpaceMap": "shapes.status",
    "SpaceOptions": "shapes.options",
    "Speaker": "shapes.households",
    "Stats": "shapes.outcomes",
    "StoreError": "errors",
    "StoreHealth": "shapes.vectors",
    "Summary": "records",
    "SummaryFilters": "shapes.keywords",
    "SummaryList": "shapes.outcomes",
    "SummaryTier": "records",
    "SweepStatus": "shapes.upkeep",
    "Switch": "records",
    "TooLarge": "errors",
    "ToolResult": "shapes.tools",
    "Undone": "shapes.rights",
    "UploadProgress": "shapes.documents",
    "Urgency": "shapes.insights",
    "VectorPlace": "shapes.vectors",
    "VectorPlaceChanges": "shapes.keywords",
    "VectorsCleaned": "shapes.vectors",
    "VectorsFound": "shapes.vectors",
    "Vitals": "shapes.outcomes",
}
__all__ = list(_HOMES)
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'bethink' has no attribute {name!r}")
    return getattr(import_module(f"bethink.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
