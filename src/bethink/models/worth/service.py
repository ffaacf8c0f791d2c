"""The model of worth, loaded when it is first asked; without it, or if it fails, the rules go on alone."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import TypeVar

from bethink.errors import ModelError
from bethink.models.weights import MODELS, located
from bethink.models.worth.channel import State
from bethink.models.worth.model import WorthModel, load_worth
from bethink.models.worth.said import Unit
from bethink.shapes.status import PartState

_log = logging.getLogger(__name__)
T = TypeVar("T")
_loading = threading.Lock()  # memories of a process share one model


class Worth:
    """Says what messages are worth. `problem` is why it cannot, once that is known."""

    def __init__(self, enabled: bool = True) -> None:
        self.enabled, self.problem = enabled, None if enabled else "extraction.worth is off"
        self._model: WorthModel | None = None

    @property
    def state(self) -> PartState:
        """How it is doing, without loading it."""
        if not self.enabled:
            return "off"
        if self._model is None and located(MODELS["worth"]) is None:
            return "missing"
        if self.problem is not None:
            return "failing"
        return "unopened" if self._model is None else "ready"

    async def read(self, before: str, text: str) -> list[Unit] | None:
        """The units of a message; None where only the rules can say."""
        return await asyncio.to_thread(self.read_now, before, text)

    def read_now(self, before: str, text: str) -> list[Unit] | None:
        """The same on the thread of the caller."""
        return self._asked(lambda model: model.read(before, text))

    def state_now(self, before: str, text: str) -> State | None:
        """What the layers make of a message of a channel; None where only the rules can say."""
        return self._asked(lambda model: model.state(before, text))

    def _asked(self, ask: Callable[[WorthModel], T]) -> T | None:
        if self.problem is not None:
            return None
        try:
            if self._model is None:
                with _loading:
                    self._model = load_worth()
            return ask(self._model)
        except ModelError as error:
            self.problem = error.message
            _log.warning("What is worth keeping is decided by rules alone: %s", error.message)
            return None
