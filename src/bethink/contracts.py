"""What can be added to Bethink without changing it: every extension point, in one file."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from datetime import time, timedelta
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Scope

    from bethink.records import Space


@dataclass(frozen=True, slots=True)
class Batch:
    """What one batch of a sweep did: how much of what was due, and what came of it by kind.

    Both are kept in the history of runs, so the kinds are words of the sweep and never of a record.
    """

    done: int
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a sweep runs by itself: `every` so often, or daily `at` a time of the space's own timezone.

    With a `jitter`, each space has its own moment within so long after that, so that not all begin at once.
    """

    every: timedelta | None = None
    at: time | None = None
    jitter: timedelta = timedelta()

    def __post_init__(self) -> None:
        if (self.every is None) == (self.at is None):
            raise ValueError("A schedule says either `every` or `at`.")


class Sweep(Protocol):
    """A job over state: the rows say what is due, so a run that was cut short is gone on with by the next.

    The runner gives it the rest: a lease, nudges, runs on demand with progress, a history. For example:

        class Tidying(Sweep):
            name = "tidy"

            async def due(self, space):
                return len(await untidy(space))

            async def batches(self, space, about):
                while tidied := await tidy_some(space, limit=100):
                    yield Batch(tidied, {"tidied": tidied})
    """

    name: str
    schedule: Schedule | None = None

    async def enabled(self, _space: Space, /) -> bool:
        """Whether it is to run in a space at all."""
        return True

    async def due(self, space: Space, /) -> int:
        """How much is due in a space, by the rows. Changes nothing."""

    async def dry_run(self, space: Space, /) -> Mapping[str, int]:
        """What a run would do, counted by kind. Changes nothing."""
        return {"due": await self.due(space)}

    def batches(self, space: Space, about: frozenset[str] | None, /) -> AsyncGenerator[Batch, None]:
        """Do what is due, one bounded batch after the other, each committed before it is yielded.

        `about` is what nudges named, such as sessions with something new; None means everything.
        """


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
