"""Whether the chat model answers can be tried out."""

from __future__ import annotations

from bethink.errors import ModelError
from bethink.testing import ScriptedChat
from tests import opened
from tests.opened import Home

spaces_postgres_url = opened.spaces_postgres_url
home = opened.home


async def test_a_chat_model_is_asked_for_one_word_and_its_failure_is_told(home: Home) -> None:
    chat = ScriptedChat("ready", ModelError("The host is asleep."), model="small-one")
    async with home.memory(chat_model=chat) as memory:
        first, second = await memory.index.check_chat(), await memory.index.check_chat()
    assert (first.working, first.model, first.error) == (True, "small-one", None)
    assert (second.working, second.error) == (False, "The host is asleep.")
    assert len(chat.asked) == 2


async def test_without_one_it_says_so(home: Home) -> None:
    async with home.memory() as memory:
        checked = await memory.index.check_chat()
    assert not checked.working
    assert "chat" in str(checked.error)
