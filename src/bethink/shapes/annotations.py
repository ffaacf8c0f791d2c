"""How the type of a checked field is written where callers hand in a value that is still to be checked."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr

from bethink.settings.sections import Section


class Annotations:
    """Writes annotations, and collects what a module has to import for them."""

    def __init__(self, as_dict: Callable[[type[BaseModel]], str]) -> None:
        self._as_dict = as_dict
        self.words: dict[Any, str] = {}  # enumerations that have a name of their own in the module
        self._used: dict[str, set[str]] = defaultdict(set)
        self.using("typing", "TypedDict")

    @staticmethod
    def models(annotation: Any) -> Iterator[type[BaseModel]]:
        """The models that an annotation speaks of."""
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield annotation
        for part in get_args(annotation):
            yield from Annotations.models(part)

    def using(self, home: str, name: str) -> str:
        """A name that the module imports."""
        self._used[home].add(name)
        return name

    def text(self, annotation: Any) -> str:
        """What callers may write for a field of this type."""
        kind, parts = get_origin(annotation), get_args(annotation)
        if kind is Annotated:
            return self.text(parts[0])
        if kind in (Union, UnionType):
            return " | ".join(dict.fromkeys(self.text(part) for part in parts))
        if kind is Literal:
            return f"{self.using('typing', 'Literal')}[{', '.join(_quoted(part) for part in parts)}]"
        if kind is list:
            return self._list(self.text(parts[0]))
        if kind is dict:
            return f"{self.using('collections.abc', 'Mapping')}[{', '.join(map(self.text, parts))}]"
        return self._plain(annotation)

    def imports(self) -> Iterator[str]:
        """Import statements in the house order: the standard library, packages, our own."""
        ours = {home for home in self._used if home.startswith("bethink.")}
        others = self._used.keys() - ours - sys.stdlib_module_names - {"collections.abc"}
        groups = [self._used.keys() - ours - others, others, ours]
        for group in filter(None, groups):
            yield ""
            yield from (f"from {home} import {', '.join(self._sorted(home))}" for home in sorted(group))

    def _sorted(self, home: str) -> list[str]:
        return sorted(self._used[home], key=lambda name: (name.islower(), name.lower()))

    def _list(self, item: str) -> str:
        if item == "str":
            return self.using("bethink.settings.sections", "Strings")
        return f"{self.using('collections.abc', 'Sequence')}[{item}]"

    def _any_dict(self) -> str:
        # Callers have such records at hand as plain dicts, which are no TypedDicts to a type checker.
        return f"{self.using('collections.abc', 'Mapping')}[str, {self.using('typing', 'Any')}]"

    def _plain(self, kind: Any) -> str:
        if kind is Any:
            return self.using("typing", "Any")
        if kind in self.words:
            return self.words[kind]
        if kind is NoneType:
            return "None"
        if kind is datetime:
            return f"{self.using('datetime', 'datetime')} | {self.using('datetime', 'date')} | str"
        if kind is Path:
            return f"str | {self.using('os', 'PathLike')}[str]"
        if kind is SecretStr:
            return f"str | {self.using('pydantic', 'SecretStr')}"
        if issubclass(kind, Section):
            return self._as_dict(kind)
        if issubclass(kind, BaseModel):
            return (
                f"{self.using(kind.__module__, kind.__name__)} | {self._as_dict(kind)} | {self._any_dict()}"
            )
        if issubclass(kind, Enum):
            values = ", ".join(_quoted(one.value) for one in kind)
            return (
                f"{self.using(kind.__module__, kind.__name__)} | {self.using('typing', 'Literal')}[{values}]"
            )
        return str(kind.__name__)


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
