"""What stands between a source and its users: a rest after a failure, and a check of what it answers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from bethink.clock import now
from bethink.errors import BethinkError, ModelError
from bethink.models.embed.protocol import Embedder, EmbedRole, is_finite, signature, unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Rest:
    """Remembers the last failure and, for `seconds` after it, repeats it instead of trying again.

    So a host that is down costs one timeout now and then, not one for every recall.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._failure: ModelError | None = None
        self._until = 0.0
        self.last: tuple[str, datetime] | None = None  # what failed last and when, also when it works again

    @property
    def problem(self) -> str | None:
        """Why the last try failed; None when it did not."""
        return self._failure.message if self._failure else None

    def check(self) -> None:
        """Raise the last failure again if it is too early for another try."""
        if self._failure is None or (left := self._until - self._clock()) <= 0:
            return
        message = f"{self._failure.message} The next try is in {math.ceil(left)} s."
        resting = type(self._failure)(message, field=self._failure.field)
        resting.retry_after = left
        raise resting

    def begin(self, failure: ModelError) -> None:
        """Rest from now on, because of `failure`: for as long as it asks, or else for the usual time."""
        if failure.retry_after is None:
            failure.retry_after = self._seconds
        self._failure = failure
        self.last = (failure.message, now())
        self._until = self._clock() + failure.retry_after

    def end(self) -> None:
        """It works again."""
        self._failure = None

    def forget(self) -> None:
        """Do not keep the words of a failure, which may quote a text; the next try is made at once."""
        self._failure = self.last = None


class GuardedEmbedder:
    """An embedder whose every failure is a `ModelError`, followed by a rest."""

    def __init__(self, embedder: Embedder, rest: Rest) -> None:
        self._embedder = embedder
        self._rest = rest
        # Fixed here: a source that changed them later would mix vectors under one signature.
        self.source = embedder.source
        self.model = embedder.model
        self.dimensions = embedder.dimensions
        self.signature = signature(embedder)

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        """The source's rows, scaled to length 1, if they are numbers, as many and as long as due."""
        self._rest.check()
        try:
            rows = await self._embedder.embed(texts, role)
            self._check_shape(rows.shape, len(texts))
            rows = unit(rows)
            if not is_finite(rows):
                raise ModelError(
                    f"The embedding source {self.source} gave vectors that are not numbers; check it."
                )
        except ModelError as error:
            self._rest.begin(error)
            raise
        except BethinkError:
            raise
        except Exception as error:
            failure = ModelError(f"The embedding source {self.source} failed: {error!r}.")
            self._rest.begin(failure)
            raise failure from error
        self._rest.end()
        return rows

    def _check_shape(self, shape: tuple[int, ...], texts: int) -> None:
        if shape != (texts, self.dimensions):
            raise ModelError(
                f"The embedding source {self.source} answered with an array of shape {shape} where"
                f" {(texts, self.dimensions)} was due; correct the source, or reopen the memory if its"
                " model was changed."
            )
