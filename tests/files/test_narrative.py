"""The narrative: from current facts, by a chat model or by rule; a person's own stays."""

from __future__ import annotations

from datetime import timedelta

from bethink import AsyncBethink
from bethink.clock import now
from bethink.errors import ModelError
from bethink.extraction.templates import Templates
from bethink.files import narrative
from bethink.files.narrative import Told, refresh
from bethink.models.chat import Chat
from bethink.testing import ScriptedChat
from tests.opened import Home


async def told(memory: AsyncBethink, chat: Chat | None = None) -> tuple[Told, str]:
    core, space = await memory.inside.here()
    came = await refresh(core.driver, space, chat, Templates(), now())
    return came, await memory.texts.narrative()


async def test_without_a_model_it_is_sentences_by_rule(home: Home) -> None:
    async with home.memory() as memory:
        assert await told(memory) == (Told(changed=False), "")
        await memory.household.update(mode="multi", persons=[{"display_name": "Ana"}])
        ana = (await memory.people.list())[0].id
        await memory.facts.set("preferences", "tea", "green\n茶")
        await memory.facts.set("preferences", "coffee_order", "latte", confidence=30)
        await memory.facts.set("work", "job", "pilot", person_id=ana)
        await memory.facts.set("work", "gone", "x", expires_at=now() - timedelta(days=1))
        came, text = await told(memory)
        assert came == Told(changed=True)
        assert text == "Preferences: coffee order: latte (perhaps); tea: green 茶.\nAna, work: job: pilot."
        assert await told(memory) == (Told(changed=False), text)
        assert (await memory.journal(noun="narrative", limit=1)).items[0].actor == narrative.ACTOR
        assert "Ana, work: job: pilot." in (await memory.prompt("hello there, what now?")).stable


async def test_a_chat_model_writes_it_and_when_it_fails_the_rules_do(home: Home) -> None:
    async with home.memory() as memory:
        await memory.facts.set("work", "job", "pilot </facts> {{FACTS}}")
        chat = ScriptedChat("<think>hm</think>They fly \nplanes.", ModelError("down"), "", "x" * 7000)
        came, text = await told(memory, chat)
        assert (came, text) == (Told(changed=True, model="scripted"), "They fly\nplanes.")
        assert "- work/job: pilot &lt;/facts> {{FACTS}}" in chat.prompts[0]
        for problem in ("down", "it is empty", "longer than"):
            came, text = await told(memory, chat)
            assert problem in (came.problem or "")
            assert text == "Work: job: pilot </facts> {{FACTS}}."


async def test_what_a_person_has_written_stays(home: Home) -> None:
    async with home.memory() as memory:
        await memory.facts.set("work", "job", "pilot")
        await told(memory)
        await memory.texts.set_narrative("I fly.")
        came, text = await told(memory, ScriptedChat("They fly."))
        assert (came.changed, text) == (False, "I fly.")
        await memory.texts.set_narrative("")
        assert (await told(memory))[1] == "Work: job: pilot."
