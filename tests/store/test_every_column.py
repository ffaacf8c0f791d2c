"""Whatever column of whatever noun is damaged: a deep look names the record and the column."""

from __future__ import annotations

import json
from typing import Any

import apsw
import psycopg

from bethink import AsyncBethink
from bethink.errors import Damaged
from bethink.nouns import NOUNS
from bethink.store.rows import kind_of
from bethink.store.soundness import read_everything
from bethink.testing import HashEmbedder
from tests.store.test_damage import execute
from tests.transfer.test_archive import furnish

FAR = 9_000_000_000_000_000_000
NO_TEXT = b"\xffA\xfe"  # no UTF-8
OF_KIND: dict[str, list[Any]] = {
    "datetime": [FAR],
    "list": ["[broken", '"text"'],
    "dict": ["[broken", "[1]"],
    "bool": [7],
    "int": [-FAR, "nonsense"],
    "float": ["nonsense"],
    "str": [NO_TEXT],
}
OF_COLUMN = {
    ("space", "mode"): [NO_TEXT, "nonsense"],
    ("space", "timezone"): [NO_TEXT, "Nowhere/At all"],
    ("setting", "value"): [NO_TEXT, "[broken"],  # JSON of any kind
}


def damages(noun: str, column: str, kind: type) -> list[Any]:
    """What cannot be in a column; bytes stand for text."""
    return OF_COLUMN.get((noun, column)) or OF_KIND.get(kind.__name__) or [NO_TEXT, "nonsense"]


def put(url: str, noun: str, column: str, value: Any, row: Any) -> bool:
    """Write a value into a row, known by its id or its name; whether the database takes it."""
    of = NOUNS.by_name[noun]
    key = "id" if "id" in of.record.model_fields else "name"
    if isinstance(value, bytes) and "://" in url:
        return False  # it takes nothing but text
    value = json.dumps(value) if isinstance(value, dict | list) else value  # as PostgreSQL hands it out
    given, known = ("CAST(? AS TEXT)" if isinstance(one, bytes) else "?" for one in (value, row))
    try:
        execute(url, f"UPDATE {of.table} SET {column} = {given} WHERE {key} = {known}", value, row)
    except (apsw.Error, psycopg.Error):
        return False
    return True


def is_named(damaged: list[Damaged], noun: str, column: str, row: str | None) -> bool:
    return any(one.noun == noun and column in one.problem and row in (one.record_id, None) for one in damaged)


async def test_each_is_named(database_url: str) -> None:
    tried, unseen = 0, []
    async with AsyncBethink(database_url, embedder=HashEmbedder()) as memory:
        await furnish(memory)
        await memory.keys.create("spare", space="default")
        await memory.upkeep.run("vectors")
        assert (await memory.integrity(deep=True)).sound
        core, _ = await memory.inside.here()
        for noun in NOUNS:
            key = "id" if "id" in noun.record.model_fields else "name"
            ((row,),) = execute(database_url, f"SELECT {key} FROM {noun.table} ORDER BY {key} LIMIT 1")
            for column, field in noun.record.model_fields.items():
                ((before,),) = execute(
                    database_url, f"SELECT {column} FROM {noun.table} WHERE {key} = ?", row
                )
                for bad in damages(noun.name, column, kind_of(field.annotation)):
                    if put(database_url, noun.name, column, bad, row):
                        tried += 1
                        _, found = await core.driver.read(read_everything)
                        if not is_named(found, noun.name, column, None if column == key else row):
                            unseen.append((noun.name, column, bad))
                        assert put(database_url, noun.name, column, before, bad if column == key else row)
        execute(database_url, "UPDATE spaces SET mode = 'nonsense'")
        deep = await memory.integrity(deep=True)
    assert [(one.noun, one.problem.partition(" ")[0]) for one in deep.damaged] == [("space", "mode")]
    assert not deep.sound
    assert unseen == []
    assert tried > (50 if "://" in database_url else 150)
