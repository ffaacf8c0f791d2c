"""A hit and a listed memory say when something newer took their place, and what: the real model."""

from __future__ import annotations

from bethink import AsyncBethink
from tests import opened

home = opened.home
memory = opened.memory
spaces_postgres_url = opened.spaces_postgres_url

LEEDS = "My mum is in a care home in Leeds since June."
YORK = "We moved mum to a care home in York, the other one closed."
TOM = "My brother Tom drives a lorry for DHL."
ASKED = "Where is the care home of mum?"


async def test_what_was_replaced_names_its_successor(memory: AsyncBethink) -> None:
    for session, text in (("a", LEEDS), ("b", TOM), ("c", YORK)):
        await memory.observe(session, [{"role": "user", "content": text}])
        await memory.settle()
    kept = {one.content: one for one in await memory.list()}
    old, new = kept[LEEDS.rstrip(".")], kept[YORK.rstrip(".")]
    said = {hit.text: hit for hit in (await memory.recall(ASKED, layers=["message"])).hits}
    assert (said[LEEDS].superseded_by, said[LEEDS].until) == (new.id, said[YORK].observed_at)
    assert [said[text].superseded_by for text in (YORK, TOM)] == [None, None]
    notes = {hit.id: hit for hit in (await memory.recall(ASKED, layers=["memory"])).hits}
    assert (notes[old.id].superseded_by, notes[new.id].superseded_by) == (new.id, None)
    assert (await memory.page()).superseded_by == {old.id: new.id}
    assert (await memory.page(query=ASKED)).superseded_by == {old.id: new.id}


async def test_without_its_successor_a_memory_holds_again(memory: AsyncBethink) -> None:
    for session, text in (("a", LEEDS), ("b", YORK)):
        await memory.observe(session, [{"role": "user", "content": text, "id": f"m-{session}"}])
        await memory.settle()
    await memory.observe("b", [{"role": "user", "content": TOM, "id": "m-b"}])
    await memory.settle()
    assert (await memory.page()).superseded_by == {}
