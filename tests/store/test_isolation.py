"""No space sees, finds or changes what is in another, not even where the two look alike."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Any

import bethink.store
from bethink.errors import StoreError
from bethink.nouns import NOUNS
from bethink.records import Space
from bethink.store import Driver, Tx, entries, keyword_search, spaces
from tests.store.isolation_cases import ANYTHING, ONLY, READS, SPACELESS, STEPS, WRITES, Place, furnish
from tests.store.samples import NOW, entry


def test_every_function_of_the_store_is_in_one_of_the_tables() -> None:
    found: dict[str, set[str]] = {}
    for module in pkgutil.iter_modules(bethink.store.__path__):
        noun = importlib.import_module(f"bethink.store.{module.name}")
        for name, function in inspect.getmembers(noun, inspect.isfunction):
            parameters = list(inspect.signature(function).parameters)
            if function.__module__ == noun.__name__ and not name.startswith("_") and parameters[:1] == ["tx"]:
                found[f"{module.name}.{name}"] = {"space", "space_id", "space_number"} & set(parameters)
    tables = [set(READS), set(WRITES), SPACELESS, STEPS]
    listed = set[str]().union(*tables)
    assert set(found) - listed == set(), "add these to READS, WRITES or SPACELESS of isolation_cases.py"
    assert listed - set(found) == set(), "these are gone"
    assert len(listed) == sum(map(len, tables)), "a function stands in two tables"
    assert {name for name in READS if not found[name]} == set(), "these cannot know a space"
    assert {name for name in SPACELESS if found[name]} == set(), "these do know a space"


def read_all(tx: Tx, mine: Place, theirs: Place) -> dict[str, Any]:
    other_dialect = ONLY["postgres" if tx.dialect == "sqlite" else "sqlite"]
    return {name: read(tx, mine, theirs) for name, read in READS.items() if name not in other_dialect}


async def test_what_another_space_holds_changes_no_answer(store: Driver, space: Space, other: Space) -> None:
    mine, theirs = Place(space), Place(other)
    await store.write(furnish, mine)
    before = await store.read(read_all, mine, theirs)
    assert {name for name, answer in before.items() if not answer} == set(), "a question without an answer"
    held = dict(zip(NOUNS.archived, before["archive.count"], strict=True))
    assert {noun for noun, total in held.items() if not total} == set(), "put some of these into `furnish`"
    await store.write(furnish, theirs)
    assert await store.read(read_all, mine, theirs) == before
    # And the other way round: nothing of mine is in their answers.
    answers = await store.read(read_all, theirs, mine)
    for name, answer in answers.items():
        assert "of home" not in repr(answer), name
        assert space.id not in repr(answer), name
    my_ids = await store.read(mine.entry_ids)
    assert not [name for name, answer in answers.items() if any(str(id_) in repr(answer) for id_ in my_ids)]


async def test_no_write_in_one_space_touches_another(store: Driver, space: Space, other: Space) -> None:
    mine, theirs = Place(space), Place(other)
    for place in (mine, theirs):
        await store.write(furnish, place)
    before = await store.read(read_all, theirs, mine)
    for name, write in WRITES.items():
        try:
            await store.write(write, mine, theirs)
        except StoreError:
            assert name == "entries.put", "only a record id that is taken may be refused"
        assert await store.read(read_all, theirs, mine) == before, name


async def test_space_numbers_that_begin_alike_are_not_mixed_up(store: Driver) -> None:
    """A term is stored with its space's number in front: 1 and 11 must not share it."""
    made = [await store.write(spaces.ensure, f"space {number}", NOW) for number in range(12)]
    by_number = {space.number: space for space in made}
    first, eleventh = by_number[1], by_number[11]
    await store.write(entries.put, first, [entry("a", "1·cat")])
    await store.write(entries.put, eleventh, [entry("b", "cat")])

    def search(tx: Tx, where: Space, term: str) -> int:
        counts = keyword_search.Counts()
        return len(keyword_search.search(tx, where, [term], ANYTHING, NOW, 9, counts))

    assert await store.read(search, first, "cat") == 0
    assert await store.read(search, first, "1·cat") == 1
    assert await store.read(search, eleventh, "cat") == 1
