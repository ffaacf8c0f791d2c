"""Recollect: long-term memory for AI assistants and agents.

    from recollect import Recollect

    with Recollect("notes.db") as memory:
        memory.remember("Anna is allergic to peanuts")
        print(memory.recall("what must Anna not eat?").hits[0].text)

`AsyncRecollect` is the same with `await`. Names are loaded on first use, so importing the package is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.errors import AccessDenied as AccessDenied
    from recollect.errors import Closed as Closed
    from recollect.errors import Conflict as Conflict
    from recollect.errors import InvalidInput as InvalidInput
    from recollect.errors import ModelError as ModelError
    from recollect.errors import NotFound as NotFound
    from recollect.errors import RecollectError as RecollectError
    from recollect.errors import SettingsError as SettingsError
    from recollect.errors import StoreError as StoreError
    from recollect.errors import TooLarge as TooLarge
    from recollect.households import Speaker as Speaker
    from recollect.memory import AsyncRecollect as AsyncRecollect
    from recollect.outcomes import Hit as Hit
    from recollect.outcomes import RecallResult as RecallResult
    from recollect.prompts import Prompt as Prompt
    from recollect.records import Device as Device
    from recollect.records import Fact as Fact
    from recollect.records import Household as Household
    from recollect.records import Layer as Layer
    from recollect.records import Memory as Memory
    from recollect.records import MemoryType as MemoryType
    from recollect.records import Message as Message
    from recollect.records import Person as Person
    from recollect.settings import Settings as Settings
    from recollect.sync import Recollect as Recollect

_HOMES = {
    "AccessDenied": "errors",
    "AsyncRecollect": "memory",
    "Closed": "errors",
    "Conflict": "errors",
    "Device": "records",
    "Fact": "records",
    "Hit": "outcomes",
    "Household": "records",
    "InvalidInput": "errors",
    "Layer": "records",
    "Memory": "records",
    "MemoryType": "records",
    "Message": "records",
    "ModelError": "errors",
    "NotFound": "errors",
    "Person": "records",
    "Prompt": "prompts",
    "RecallResult": "outcomes",
    "Recollect": "sync",
    "RecollectError": "errors",
    "Settings": "settings",
    "SettingsError": "errors",
    "Speaker": "households",
    "StoreError": "errors",
    "TooLarge": "errors",
}
__all__ = list(_HOMES)
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    return getattr(import_module(f"recollect.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
