"""Undo a change whose old value is still in the journal.

Undoing is a change like any other: it is noted, with the change it undoes as its reason, and can be undone
itself. Values that are no longer those that the change left are not touched.
"""

from bethink.undo.undo import undo
from bethink.undo.ways import final, ways

__all__ = ["final", "undo", "ways"]
