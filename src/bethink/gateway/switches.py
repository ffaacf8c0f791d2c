"""Whether a request uses memory, and for what. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from bethink.records import Key, Role, Switch
from bethink.shapes.options import Options

_YES = {"true", "1", "yes"}


@dataclass(frozen=True)
class Switches:
    """What memory does for a request: weave into it, take it in."""

    weave: bool = False
    observe: bool = False

    @property
    def on(self) -> bool:
        """Whether memory has anything to do with it."""
        return self.weave or self.observe


OFF = Switches()


def is_yes(header: str | None) -> bool:
    """Whether a header says yes."""
    return header is not None and header.strip().lower() in _YES


def switches(options: Options, key: Key, no_memory: str | None) -> Switches:
    """The request has the first word, then the key, then the space. Who may only read leaves no trace."""
    enabled = options.enabled if key.memory is None else key.memory is Switch.ON
    if is_yes(no_memory) or not enabled:
        return OFF
    return Switches(options.injection, options.extraction and key.role is not Role.READER)
