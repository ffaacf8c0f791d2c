"""What can be added to Bethink without changing it: every extension point, in one file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Scope


@dataclass(frozen=True)
class Surface:
    """Another application under this roof: where it is, how much it takes, how it says no.

    `paths`, `shapes` and `security` are its part of the OpenAPI document.
    """

    prefix: str
    app: ASGIApp
    max_body_bytes: int
    setting: str
    refuse: Callable[[Scope, str, int, str], ASGIApp]
    paths: Mapping[str, Any] = field(default_factory=dict)
    shapes: Mapping[str, Any] = field(default_factory=dict)
    security: Mapping[str, Any] = field(default_factory=dict)
