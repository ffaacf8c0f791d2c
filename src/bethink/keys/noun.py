"""Keys, as the rest of the system has to know them. They are in no archive: a key opens one database only."""

from __future__ import annotations

from bethink.contracts import Noun
from bethink.journal.ways import NEW
from bethink.keys.undo import revert_key
from bethink.records import Key

KEY = Noun(
    "key",
    Key,
    "keys",
    counted_as="keys",
    ended_by="revoked_at",
    own_words=False,
    on_everything="stays",
    ways={"renamed": revert_key, "switched": revert_key},
    final={
        "created": NEW.format("revoke the key"),
        "rotated": "the old secret was given up for good; rotate the key again for another",
        "revoked": "a revoked key never opens anything again; make another",
    },
)
