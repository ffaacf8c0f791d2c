"""What users say in passing is kept, stands in the prompt and gives way to what is newer: the real model."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bethink import AsyncBethink, Bethink
from bethink.memory import AsyncSpace
from bethink.models.weights import MODELS, InFolder
from bethink.models.worth import Worth
from bethink.prompt.render import SAID
from bethink.testing import HashEmbedder
from tests import opened
from tests.opened import Home
from tests.waiting import PATIENCE_SECONDS

home = opened.home
memory = opened.memory
spaces_postgres_url = opened.spaces_postgres_url

TOM = "My brother Tom drives a lorry for DHL."
KNEE = "My knee is still sore, I tore the meniscus in March."
LEEDS = "My mum is in a care home in Leeds since June."
YORK = "We moved mum to a care home in York, the other one closed."
MIA = "My daughter Mia starts school in August."


def user(text: str, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **fields}


async def say(space: AsyncBethink, *texts: str, session: str = "chat") -> None:
    await space.observe(session, [user(text) for text in texts])
    await space.settle()


async def contents(space: AsyncSpace) -> list[str]:
    return sorted(one.content for one in await space.list())


async def said(space: AsyncSpace) -> list[str]:
    """The lines of the stable half that say what the user said."""
    text = (await space.prompt("hello there, how are things?")).stable
    after = text.partition(SAID)[2]
    return [line for line in after.partition("\n\n")[0].splitlines() if line.startswith("- ")]


async def test_a_fact_said_in_passing_is_kept_and_stands_in_the_prompt(memory: AsyncBethink) -> None:
    await say(memory, f"{KNEE} What stretches help before a run?")
    assert await contents(memory) == [KNEE.removesuffix(".")]
    (kept,) = await memory.list()
    assert (kept.metadata["kind"], kept.metadata["slot"]) == ("health", "condition")
    (line,) = await said(memory)
    assert line.startswith("- condition, ")
    assert line.endswith(f": {KNEE}")
    assert "What stretches" not in (await memory.prompt("How is my knee?")).text
    prompt = await memory.prompt("How is my knee after I tore the meniscus?")
    assert prompt.text.count("meniscus") == 1, "the volatile half does not repeat the stable one"
    assert prompt.tokens.said > 0


async def test_what_is_said_later_makes_the_older_earlier(memory: AsyncBethink) -> None:
    await say(memory, LEEDS)
    assert "earlier" not in (await memory.prompt("hello there")).stable
    await say(memory, YORK, session="later")
    stable = (await memory.prompt("hello there")).stable
    (old,) = [line for line in stable.splitlines() if "Leeds" in line]
    (new,) = [line for line in stable.splitlines() if "York" in line]
    assert "earlier" in old
    assert "earlier" not in new
    history = [one.content for one in await memory.list()]
    assert LEEDS.removesuffix(".") in history, "nothing is deleted"


async def test_what_is_imported_late_ends_nothing_newer(memory: AsyncBethink) -> None:
    await memory.observe("new", [user(YORK, sent_at="2025-05-01T10:00:00Z")])
    await memory.settle()
    await memory.observe("old", [user(LEEDS, sent_at="2019-05-01T10:00:00Z")])
    await memory.settle()
    stable = (await memory.prompt("hello there")).stable
    assert not [line for line in stable.splitlines() if "York" in line and "earlier" in line]


async def test_once_the_newer_message_is_edited_away_the_older_holds_again(memory: AsyncBethink) -> None:
    await memory.observe("chat", [user(LEEDS, id="m1"), user("Good morning!"), user(YORK, id="m2")])
    await memory.settle()
    assert "earlier" in (await memory.prompt("hello there")).stable
    await memory.observe("chat", [user("Thanks, that is all for today.", id="m2")])
    await memory.settle()
    stable = (await memory.prompt("hello there")).stable
    assert "Leeds" in stable
    assert "earlier" not in stable
    assert "York" not in stable


@pytest.mark.parametrize(
    "text",
    [
        "Let's role-play: you are a pirate and I am Captain Jack. I have a wooden leg and I live on a ship.",
        "From: Ben Smith <ben@example.com>\nTo: me\nSubject: Moving\n\nDear Anna,\nI am allergic to nuts and"
        " I moved to Rome.\nBest, Ben\n\nCan you summarise this mail?",
        "What is 17*23?",
        "Suppose I were a doctor and lived in Rome, what would I earn?",
    ],
)
async def test_what_is_not_the_users_own_is_not_kept(memory: AsyncBethink, text: str) -> None:
    await say(memory, text)
    assert await contents(memory) == []
    assert await memory.facts.list() == []
    assert (await memory.prompt("hello there")).stable == ""


async def test_a_question_on_something_else_brings_nothing_back(home: Home) -> None:
    async with AsyncBethink(
        home.url, space=home.space
    ) as memory:  # with the embedding model that is packaged
        await say(memory, MIA, KNEE)
        await memory.remember("The boiler of the cabin leaks when the tap is open")
        assert (await memory.prompt("What is 17*23?")).memories == []
        (hit,) = (await memory.prompt("Why does the boiler of the cabin leak?")).memories
        assert hit.text.startswith("The boiler")


async def test_an_edited_message_is_read_again(memory: AsyncBethink) -> None:
    await memory.observe("chat", [user(MIA, id="m1")])
    await memory.settle()
    await memory.observe(
        "chat", [user("We're redoing the kitchen ourselves, the tiles come in May.", id="m1")]
    )
    await memory.settle()
    assert ["kitchen" in one for one in await contents(memory)] == [True]
    assert ["kitchen" in line for line in await said(memory)] == [True]


async def test_before_it_is_read_again_an_edited_message_shows_no_shreds(home: Home) -> None:
    async with home.memory() as memory:
        await memory.observe("chat", [user(MIA, id="m1")])
        await memory.settle()
        await memory.options.update(extractors=[])
        await memory.observe("chat", [user("Never mind, this is about the weather in Peru.", id="m1")])
        assert await said(memory) == []


async def test_a_memory_that_is_deleted_leaves_the_prompt_for_good(memory: AsyncBethink) -> None:
    await memory.observe("chat", [user("Good morning!", id="m1"), user(MIA, id="m2")])
    await memory.settle()
    assert len(await said(memory)) == 1
    await memory.forget(*[one.id for one in await memory.list()])
    assert await said(memory) == []
    await memory.observe("chat", [user("Good evening!", id="m1")])  # and all after it is read again
    await memory.settle()
    assert await contents(memory) == []
    assert await said(memory) == []


async def test_an_erasure_leaves_what_it_does_not_concern(memory: AsyncBethink) -> None:
    await say(memory, MIA)
    await say(memory, KNEE, session="other")
    (mia,) = [one for one in await memory.list() if "Mia" in one.content]
    receipt = await memory.erase(memory_ids=[mia.id])
    assert receipt.proof is not None
    assert (receipt.proof.ids_found, receipt.proof.texts_found) == ([], [])
    assert ["meniscus" in line for line in await said(memory)] == [True]
    receipt = await memory.erase(session_id="other")
    assert receipt.proof is not None
    assert (receipt.proof.ids_found, receipt.proof.texts_found) == ([], [])
    assert await said(memory) == []


async def test_an_erased_message_ends_nothing(memory: AsyncBethink) -> None:
    await say(memory, LEEDS)
    await say(memory, YORK, session="later")
    receipt = await memory.erase(session_id="later")
    assert receipt.proof is not None
    assert receipt.proof.ids_found == []
    stable = (await memory.prompt("hello there")).stable
    assert "Leeds" in stable
    assert "earlier" not in stable


async def test_what_one_person_says_ends_nothing_of_another(memory: AsyncBethink) -> None:
    await memory.household.update(mode="multi")
    await memory.observe("a", [user(LEEDS, name="Ann")])
    await memory.settle()
    await memory.observe("b", [user(YORK, name="Bo")])
    await memory.settle()
    stable = (await memory.prompt("hello there")).stable
    assert "Leeds" in stable
    assert "earlier" not in stable


async def test_one_space_says_nothing_of_another(memory: AsyncBethink) -> None:
    await say(memory, MIA)
    elsewhere = memory.space(f"{(await memory.stats()).space}-other")
    assert await said(elsewhere) == []


async def test_a_fact_and_the_words_it_was_said_in_stand_once(memory: AsyncBethink) -> None:
    await say(memory, "By the way, I live in Lisbon with my two cats.")
    assert [fact.value for fact in await memory.facts.list()] == ["Lisbon"]
    assert (await memory.prompt("hello there")).stable.count("Lisbon") == 1


async def test_one_mention_in_passing_is_held_back(memory: AsyncBethink) -> None:
    await say(memory, "I live in Lisbon with my two cats.")
    await say(memory, "By the way, I live in Berlin, and rents are high.", session="b")
    assert [fact.value for fact in await memory.facts.list()] == ["Lisbon"]
    (berlin,) = [one for one in await memory.list() if "Berlin" in one.content]
    assert "held" in berlin.metadata
    assert any("Lisbon" in one for one in await contents(memory))


@pytest.mark.parametrize(
    "text",
    [
        "我对花生过敏，住在上海。",
        "أعيش في القاهرة وأنا طبيب",
        "🎉🎉🎉",
        "\u200b",
        "x" * 300_000,
        f"{LEEDS} " * 7_500,
    ],
    ids=["Chinese", "Arabic", "emoji", "invisible", "one word", "long"],
)
async def test_whatever_is_said_is_read_and_stored(memory: AsyncBethink, text: str) -> None:
    await memory.observe("chat", [user(text)])
    await memory.settle()
    (read,) = await memory.extractions()
    assert read.status == "ok"
    assert len(await memory.messages.of("chat")) == 1
    prompt = await memory.prompt("hello there")
    assert prompt.tokens.total <= prompt.tokens.budget


async def test_a_message_without_words_holds_nothing(memory: AsyncBethink) -> None:
    await memory.observe("chat", [user("")])
    await memory.observe("chat", [user("   \n")])
    await memory.settle()
    assert await contents(memory) == []


async def test_without_the_model_the_rules_go_on_and_it_is_told(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(MODELS, "worth", replace(MODELS["worth"], where=InFolder(tmp_path / "nowhere")))
    async with home.memory() as memory:
        await say(memory, "I live in Lisbon.", KNEE)
        assert await contents(memory) == ["I live in Lisbon"]
        core, _ = await memory.inside.here()
        assert "nowhere" in str(core.part(Worth).problem)
        assert await said(memory) == []
        status = await memory.index.status()
        assert (status.worth.state, status.worth.problem) == ("missing", core.part(Worth).problem)
        (told,) = [line for line in status.degraded if "worth" in line]
        assert "nowhere" in told
        assert told in (await memory.stats()).degraded


async def test_switched_off_the_rules_decide_and_nothing_is_wrong(home: Home) -> None:
    async with home.memory(extraction={"worth": False}) as memory:
        await say(memory, "I live in Lisbon.", KNEE)
        assert await contents(memory) == ["I live in Lisbon"]
        status = await memory.index.status()
        assert status.worth.state == "off"
        assert status.degraded == []


async def test_two_memories_on_one_database_agree(home: Home) -> None:
    async with home.memory() as one, home.memory() as other:
        await asyncio.gather(one.observe("a", [user(LEEDS)]), other.observe("b", [user(MIA)]))
        await asyncio.gather(one.settle(), other.settle())
        assert len(await contents(one)) == 2
        assert (await one.prompt("hello there")).stable == (await other.prompt("hello there")).stable
        await say(other, YORK, session="c")
        stable = (await one.prompt("hello there")).stable
        assert ["earlier" in line for line in stable.splitlines() if "Leeds" in line] == [True]


SPEAKER = """
import sys
from bethink import Bethink
from bethink.testing import HashEmbedder

with Bethink(sys.argv[1], embedder=HashEmbedder()) as memory:
    for number, text in enumerate(sys.argv[2:]):
        memory.observe(f"{sys.argv[2]} {number}", [{"role": "user", "content": text}])
    memory.settle()
"""


def test_two_processes_read_into_one_file(tmp_path: Path) -> None:
    file = str(tmp_path / "memory.db")
    said = [
        (LEEDS, "My brother Tom drives a lorry for DHL."),
        (MIA, "We're redoing the kitchen ourselves, the tiles come in May."),
    ]
    running = [
        subprocess.Popen([sys.executable, "-c", SPEAKER, file, *texts], stderr=subprocess.PIPE, text=True)
        for texts in said
    ]
    complaints = [process.communicate(timeout=PATIENCE_SECONDS)[1] for process in running]
    assert (complaints, [process.returncode for process in running]) == (["", ""], [0, 0])
    with Bethink(file, embedder=HashEmbedder()) as memory:
        memory.settle()
        everything = [text for texts in said for text in texts]
        assert sorted(one.content for one in memory.list()) == sorted(one[:-1] for one in everything)
        stable = memory.prompt("hello there").stable
        assert all(text in stable for text in everything)
