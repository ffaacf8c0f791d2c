"""Spaces, as the rest of the system has to know them. An archive tells of its space in a form of its own."""

from __future__ import annotations

from bethink.contracts import Noun
from bethink.journal.ways import NEW
from bethink.people.undo import revert_household
from bethink.records import Space
from bethink.spaces.undo import revert_names

SPACE = Noun(
    "space",
    Space,
    "spaces",
    on_everything="stays",
    ways={"updated": revert_household, "renamed": revert_names},
    final={
        "created": NEW.format("delete the space"),
        "revealed": "what was shown was shown",
        "purged": "what was purged is gone for good",
        "deleted": "a space is deleted with all that it held, for good",
    },
)
