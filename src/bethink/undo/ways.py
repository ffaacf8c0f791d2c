"""How each kind of change is undone, and why the others cannot be: what the nouns say, for all of them."""

from __future__ import annotations

from collections.abc import Callable

from bethink.journal.change import Change, Made
from bethink.nouns import NOUNS, Kind

# Lines that tell of many records at once.
_DEEDS: dict[Kind, str] = {
    ("archive", "imported"): "it replaced nothing; forget or erase what you do not want of it",
    ("erasure", "erased"): "what was erased is gone for good",
}


def ways() -> dict[Kind, Callable[[Change], Made]]:
    """How changes are undone, by the noun and the action of their lines."""
    return dict(NOUNS.ways)


def final() -> dict[Kind, str]:
    """Why other changes cannot be undone."""
    return NOUNS.final | _DEEDS
