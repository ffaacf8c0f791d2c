"""What settings are called: dotted in a file and in errors, a variable in the environment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args, get_origin

from pydantic import BaseModel

PREFIX = "BETHINK_"


def setting_names(section: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Every setting's dotted name, for references and suggestions."""
    for name, field in section.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from setting_names(kind, f"{prefix}{name}.")
        else:
            yield prefix + name


def map_names(section: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, type[BaseModel]]]:
    """The settings that are tables by name, such as `gateway.providers`, and what each such table is."""
    for name, field in section.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from map_names(kind, f"{prefix}{name}.")
        elif get_origin(kind) is dict:
            table = get_args(kind)[1]
            if isinstance(table, type) and issubclass(table, BaseModel):
                yield prefix + name, table


def variable_name(setting: str) -> str:
    """The environment variable of a dotted setting name."""
    return PREFIX + setting.replace(".", "_").upper()
