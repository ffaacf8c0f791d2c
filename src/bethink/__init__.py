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
    from bethink.records import Device as Device
    from bethink.records import Fact as Fact
    from bethink.records import Household as Household
    from bethink.records import Layer as Layer
    from bethink.records import Memory as Memory
    from bethink.records import MemoryType as MemoryType
    from bethink.records import Message as Message
    from bethink.records import Person as Person
    from bethink.settings import Settings as Settings
    from bethink.shapes.households import Speaker as Speaker
    from bethink.shapes.outcomes import Hit as Hit
    from bethink.shapes.outcomes import RecallResult as RecallResult
    from bethink.shapes.prompts import Prompt as Prompt
    from bethink.sync import Bethink as Bethink

_HOMES = {
    "AccessDenied": "errors",
    "AsyncBethink": "memory",
    "Closed": "errors",
    "Conflict": "errors",
    "Device": "records",
    "Fact": "records",
    "Hit": "shapes.outcomes",
    "Household": "records",
    "InvalidInput": "errors",
    "Layer": "records",
    "Memory": "records",
    "MemoryType": "records",
    "Message": "records",
    "ModelError": "errors",
    "NotFound": "errors",
    "Person": "records",
    "Prompt": "shapes.prompts",
    "RecallResult": "shapes.outcomes",
    "Bethink": "sync",
    "BethinkError": "errors",
    "Settings": "settings",
    "SettingsError": "errors",
    "Speaker": "shapes.households",
    "StoreError": "errors",
    "TooLarge": "errors",
}
__all__ = list(_HOMES)
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'bethink' has no attribute {name!r}")
    return getattr(import_module(f"bethink.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
