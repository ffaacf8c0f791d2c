"""No table with records of a space is unknown to the nouns: it would be neither exported nor erased."""

from __future__ import annotations

from bethink.nouns import NOUNS
from bethink.store import Driver, erasure, survey


async def test_every_table_of_a_space_belongs_to_a_noun(store: Driver) -> None:
    columns = await store.read(survey.columns)
    of_spaces = {table for table, names in columns.items() if "space_id" in names}
    assert of_spaces - {*NOUNS.tables, *erasure.INDEX} == set(), "say in a noun's room whose table this is"
    assert {*NOUNS.tables, *erasure.INDEX} - of_spaces == {"spaces"}, "there are no such tables"
