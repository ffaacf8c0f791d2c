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
    from bethink.errors import AccessDenied as AccessDenied
    from bethink.errors import BethinkError as BethinkError
    from bethink.errors import Closed as Closed
    from bethink.errors import Conflict as Conflict
    from bethink.errors import InvalidInput as InvalidInput
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
    from bethink.records import Extraction as Extraction
    from bethink.records import ExtractionStatus as ExtractionStatus
    from bethink.records import Fact as Fact
    from bethink.records import Household as Household
    from bethink.records import JournalEntry as JournalEntry
    from bethink.records import Layer as Layer
    from bethink.records import Memory as Memory
    from bethink.records import MemoryType as MemoryType
    from bethink.records import Message as Message
    from bethink.records import Mode as Mode
    from bethink.records import Person as Person
    from bethink.records import Role as Role
    from bethink.records import Run as Run
    from bethink.records import Session as Session
    from bethink.records import Switch as Switch
    from bethink.settings import Settings as Settings
    from bethink.settings.keywords import SettingOverrides as SettingOverrides
    from bethink.shapes.accounts import IssuedKey as IssuedKey
    from bethink.shapes.accounts import ListedKey as ListedKey
    from bethink.shapes.accounts import ListedSpace as ListedSpace
    from bethink.shapes.audits import Audit as Audit
    from bethink.shapes.audits import Finding as Finding
    from bethink.shapes.audits import Fixed as Fixed
    from bethink.shapes.households import HouseholdChanged as HouseholdChanged
    from bethink.shapes.households import PersonDraft as PersonDraft
    from bethink.shapes.households import PersonMatch as PersonMatch
    from bethink.shapes.households import Speaker as Speaker
    from bethink.shapes.inputs import MemoryDraft as MemoryDraft
    from bethink.shapes.inputs import MessageDraft as MessageDraft
    from bethink.shapes.keywords import ContextChanges as ContextChanges
    from bethink.shapes.keywords import EraseChoice as EraseChoice
    from bethink.shapes.keywords import FactFields as FactFields
    from bethink.shapes.keywords import FactFilters as FactFilters
    from bethink.shapes.keywords import HouseholdChanges as HouseholdChanges
    from bethink.shapes.keywords import ImportOptions as ImportOptions
    from bethink.shapes.keywords import JournalFilters as JournalFilters
    from bethink.shapes.keywords import KeyChanges as KeyChanges
    from bethink.shapes.keywords import KeyFields as KeyFields
    from bethink.shapes.keywords import MemoryChanges as MemoryChanges
    from bethink.shapes.keywords import MemoryFields as MemoryFields
    from bethink.shapes.keywords import MemoryFilters as MemoryFilters
    from bethink.shapes.keywords import MemoryInput as MemoryInput
    from bethink.shapes.keywords import MessageInput as MessageInput
    from bethink.shapes.keywords import OptionChanges as OptionChanges
    from bethink.shapes.keywords import PersonChanges as PersonChanges
    from bethink.shapes.keywords import PersonFields as PersonFields
    from bethink.shapes.keywords import PersonInput as PersonInput
    from bethink.shapes.keywords import PromptOptions as PromptOptions
    from bethink.shapes.keywords import RecallOptions as RecallOptions
    from bethink.shapes.keywords import SessionFields as SessionFields
    from bethink.shapes.keywords import SpaceChanges as SpaceChanges
    from bethink.shapes.options import SpaceOptions as SpaceOptions
    from bethink.shapes.outcomes import CacheStats as CacheStats
    from bethink.shapes.outcomes import ExtractRun as ExtractRun
    from bethink.shapes.outcomes import FactSet as FactSet
    from bethink.shapes.outcomes import FactsFound as FactsFound
    from bethink.shapes.outcomes import FilesSynced as FilesSynced
    from bethink.shapes.outcomes import Forgotten as Forgotten
    from bethink.shapes.outcomes import Hit as Hit
    from bethink.shapes.outcomes import Integrity as Integrity
    from bethink.shapes.outcomes import MemoryPage as MemoryPage
    from bethink.shapes.outcomes import Observed as Observed
    from bethink.shapes.outcomes import Progress as Progress
    from bethink.shapes.outcomes import RecallResult as RecallResult
    from bethink.shapes.outcomes import Remembered as Remembered
    from bethink.shapes.outcomes import Stats as Stats
    from bethink.shapes.outcomes import Vitals as Vitals
    from bethink.shapes.prompts import Prompt as Prompt
    from bethink.shapes.rights import Exported as Exported
    from bethink.shapes.rights import Imported as Imported
    from bethink.shapes.rights import JournalPage as JournalPage
    from bethink.shapes.rights import Receipt as Receipt
    from bethink.shapes.rights import Undone as Undone
    from bethink.shapes.status import EmbeddingSource as EmbeddingSource
    from bethink.shapes.status import EngineStatus as EngineStatus
    from bethink.shapes.status import Health as Health
    from bethink.shapes.status import Preview as Preview
    from bethink.shapes.status import ReindexStarted as ReindexStarted
    from bethink.shapes.status import ReindexStatus as ReindexStatus
    from bethink.shapes.upkeep import SweepStatus as SweepStatus
    from bethink.sync import Bethink as Bethink
    from bethink.sync import Space as Space

_HOMES = {
    "AccessDenied": "errors",
    "AsyncBethink": "memory",
    "AsyncSpace": "memory",
    "Audit": "shapes.audits",
    "Bethink": "sync",
    "BethinkError": "errors",
    "CacheStats": "shapes.outcomes",
    "Chat": "models.chat",
    "Closed": "errors",
    "Conflict": "errors",
    "Context": "records",
    "ContextChanges": "shapes.keywords",
    "Device": "records",
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
    "Health": "shapes.status",
    "Hit": "shapes.outcomes",
    "Household": "records",
    "HouseholdChanged": "shapes.households",
    "HouseholdChanges": "shapes.keywords",
    "ImportOptions": "shapes.keywords",
    "Imported": "shapes.rights",
    "Integrity": "shapes.outcomes",
    "InvalidInput": "errors",
    "IssuedKey": "shapes.accounts",
    "JournalEntry": "records",
    "JournalFilters": "shapes.keywords",
    "JournalPage": "shapes.rights",
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
    "MessageDraft": "shapes.inputs",
    "MessageInput": "shapes.keywords",
    "Mode": "records",
    "ModelError": "errors",
    "NotFound": "errors",
    "Observed": "shapes.outcomes",
    "OptionChanges": "shapes.keywords",
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
    "SpaceOptions": "shapes.options",
    "Speaker": "shapes.households",
    "Stats": "shapes.outcomes",
    "StoreError": "errors",
    "SweepStatus": "shapes.upkeep",
    "Switch": "records",
    "TooLarge": "errors",
    "Undone": "shapes.rights",
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
