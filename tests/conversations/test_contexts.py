from __future__ import annotations

import pytest

from bethink import AsyncBethink
from bethink.errors import InvalidInput, NotFound
from tests import opened

home = opened.home
memory = opened.memory
spaces_postgres_url = opened.spaces_postgres_url


async def test_contexts_are_kept_changed_and_removed(memory: AsyncBethink) -> None:
    made = await memory.contexts.add("CV", "Ana has worked as a nurse in Porto since 2019.")
    assert (await memory.contexts.get(made.id)).content == made.content
    renamed = await memory.contexts.update(made.id, name="Résumé")
    assert (renamed.name, renamed.content) == ("Résumé", made.content)
    assert [context.name for context in await memory.contexts.list()] == ["Résumé"]
    await memory.begin("chat", context_ids=[made.id], title="About work")
    assert [context.id for context in await memory.contexts.list(session="chat")] == [made.id]
    await memory.contexts.remove(made.id)
    assert await memory.contexts.list() == []
    assert (await memory.sessions())[0].context_ids == []
    with pytest.raises(NotFound):
        await memory.contexts.get(made.id)
    actions = [(line.noun, line.action) for line in (await memory.journal()).items]
    assert actions[0] == ("context", "forgotten")


async def test_what_stands_in_a_context_is_not_remembered_again(memory: AsyncBethink) -> None:
    await memory.contexts.add("CV", "About me: I live in Lisbon, by the river. I have two dogs.")
    await memory.observe("chat", [{"content": "I live in Lisbon. I prefer tea over coffee."}])
    await memory.settle()
    assert [one.content for one in await memory.list()] == ["I prefer tea over coffee"]
    (read,) = await memory.extractions()
    assert read.reason == "it stands in the context 'CV'"


async def test_what_a_user_asks_to_remember_is_remembered_all_the_same(memory: AsyncBethink) -> None:
    await memory.contexts.add("CV", "I live in Lisbon.")
    await memory.observe("chat", [{"content": "Please remember that I live in Lisbon."}])
    await memory.settle()
    assert [one.content for one in await memory.list()] == ["I live in Lisbon"]


async def test_a_session_takes_only_contexts_of_its_space(memory: AsyncBethink) -> None:
    theirs = await memory.space(f"{memory.name}-other").contexts.add("secret", "theirs")
    with pytest.raises(InvalidInput, match="context_ids"):
        await memory.begin("chat", context_ids=[theirs.id])
    assert await memory.sessions() == []


async def test_beginning_again_changes_only_what_is_said(memory: AsyncBethink) -> None:
    first = await memory.begin("chat", title="Trip", metadata={"a": 1}, platform="web")
    again = await memory.begin("chat", metadata={"b": 2})
    assert (again.title, again.platform, again.metadata) == ("Trip", "web", {"a": 1, "b": 2})
    assert again.created_at == first.created_at
    assert (await memory.begin()).id != (await memory.begin()).id
    await memory.observe("chat", [{"content": "hello"}])
    assert (await memory.sessions())[0].title == "Trip"


async def test_erasing_a_text_takes_the_context_that_holds_it(memory: AsyncBethink) -> None:
    made = await memory.contexts.add("notes", "The safe code word is xylophone")
    await memory.begin("chat", context_ids=[made.id])
    receipt = await memory.erase(query="xylophone")
    assert (receipt.erased["contexts"], receipt.complete) == (1, True)
    assert await memory.contexts.list() == []
