"""Who somebody is does not change by a text they paste, nor by one mention."""

from __future__ import annotations

from typing import Any

import pytest

from bethink import AsyncBethink
from tests import opened

home = opened.home
memory = opened.memory
spaces_postgres_url = opened.spaces_postgres_url

ANNA = "My name is Anna. I live in Lisbon. I work for Galp."


async def say(memory: AsyncBethink, session: str, *texts: str) -> None:
    for text in texts:
        await memory.observe(session, [{"role": "user", "content": text}])
        await memory.settle()


async def known(memory: AsyncBethink) -> dict[str, str]:
    return {fact.key: fact.value for fact in await memory.facts.list()}


async def held(memory: AsyncBethink) -> list[Any]:
    return [line for line in (await memory.journal()).items if line.action == "held"]


@pytest.mark.parametrize(
    "pasted",
    [
        "<document>My name is Bob and I live in Berlin.</document> summarise this",
        "<context>\nMy name is Bob.\nI work for Acme.\n</context>\nhi",
        "<attachment>My name is Bob.\n\nI moved to Berlin.",
        "---\nMy name is Bob and I live in Berlin.\n---\nany good?",
        "From: Bob\nTo: Anna\nSubject: Me\n\nMy name is Bob, I now work for Acme.",
        "Translate to German: My name is Bob. I moved to Berlin.",
        "Fix the grammar:\n\nI am Bob, I live in Berlin and work for Acme",
    ],
)
async def test_a_pasted_text_changes_nothing(memory: AsyncBethink, pasted: str) -> None:
    await say(memory, "one", ANNA)
    before = await known(memory)
    assert before == {"name": "Anna", "home": "Lisbon", "employer": "Galp"}
    await say(memory, "two", pasted)
    assert await known(memory) == before
    assert not any("Bob" in one.content or "Berlin" in one.content for one in await memory.list())


MOVED = "I moved to Berlin last month and I now work for Acme."


@pytest.mark.parametrize(
    "beside",
    [
        "what does the writer mean here? {}",
        "{}\n\nmake it shorter pls",
        "fwd from hr: {}",
        "lyrics i wrote for my band: {}",
        "1\n00:00:01,000 --> 00:00:04,000\n{}",
        "About\n{}\nExperience\nAcme, 2020-now",
        "she texted me {} what do I reply",
        "{}\n---",
        "{}\n\nWhat would you answer him?",
        "turn into bullet points ||| {} |||",
        "¿Está bien escrito? Me mudé a Berlín el mes pasado y ahora trabajo en Acme.",
        "Trouvé sur un forum. J'ai déménagé à Berlin et je travaille maintenant chez Acme.",
        "Mudei-me para Berlim no mês passado e agora trabalho na Acme.\n\nsoa bem?",
        "同事发来的：我上个月搬到了柏林。",
    ],
)
async def test_a_change_beside_words_about_a_text_is_held_back(memory: AsyncBethink, beside: str) -> None:
    """Nobody foresees every shape of a paste: where a text is spoken of, the change may be the text's."""
    await say(memory, "one", ANNA)
    before = await known(memory)
    pasted = beside.format(MOVED)
    await say(memory, "two", pasted)
    await say(memory, "three", f"Hello! {pasted}")  # nor does another paste confirm it
    assert await known(memory) == before


async def test_one_mention_is_held_back_but_not_lost(memory: AsyncBethink) -> None:
    await say(memory, "one", ANNA)
    await say(memory, "two", "I live in Berlin.")
    assert (await known(memory))["home"] == "Lisbon"
    (line,) = await held(memory)
    assert line.reason == "home stays Lisbon: one mention of Berlin, not said as a change"
    (message,) = await memory.messages.of("two")
    assert line.after == {"value": "Berlin", "provenance": [message.id]}
    found = {one.content: one for one in await memory.list()}
    assert "I live in Lisbon" in found
    berlin = found["I live in Berlin"]
    assert berlin.source_ref["messages"] == [message.id]
    assert berlin.metadata["held"] == line.reason
    assert berlin.confidence < 50


async def test_said_again_elsewhere_it_changes_then(memory: AsyncBethink) -> None:
    await say(memory, "one", ANNA)
    await say(memory, "two", "I live in Berlin.", "I live in Berlin.")
    assert (await known(memory))["home"] == "Lisbon"
    await say(memory, "three", "I live in Berlin.")
    assert (await known(memory))["home"] == "Berlin"
    contents = [one.content for one in await memory.list()]
    assert contents.count("I live in Berlin") == 1
    assert "I live in Lisbon" not in contents


@pytest.mark.parametrize(
    ("said", "key", "value"),
    [
        ("I moved to Porto last week.", "home", "Porto"),
        ("I live in Porto now.", "home", "Porto"),
        ("I no longer live in Lisbon. I live in Porto now.", "home", "Porto"),
        ("I now work for Acme.", "employer", "Acme"),
        ("I changed jobs. I work for Acme.", "employer", "Acme"),
        ("Call me Ann from now on.", "name", "Ann"),
        ("Actually my name is Hanna.", "name", "Hanna"),
        ("Translate my CV please. By the way I moved to Porto last week.", "home", "Porto"),
        ("Can you recommend a gym? I moved to Porto last week.", "home", "Porto"),
        ("Quick update: I moved to Porto last week.", "home", "Porto"),
        ("I moved to Porto last week.\n\nWhat does this mean for my taxes?", "home", "Porto"),
        ("My husband found a job. He starts in May. We moved to Porto last week.", "home", "Porto"),
        ("Remember this: I moved to Porto last week.", "home", "Porto"),
    ],
)
async def test_said_as_a_change_it_changes_at_once(
    memory: AsyncBethink, said: str, key: str, value: str
) -> None:
    await say(memory, "one", ANNA)
    await say(memory, "two", said)
    assert (await known(memory))[key].startswith(value)
    assert not await held(memory)


@pytest.mark.parametrize(
    "theirs",
    [
        "Uit de brief van mijn buurman: My name is Bob. I moved to Berlin.",
        "Extract all entities. My name is Bob. I no longer live in Lisbon. I now work for Acme.",
        "Ich heiße Bob. Ich bin nach Berlin gezogen. Ich arbeite jetzt bei Acme.",
        "Me llamo Bob. Me mudé a Berlín. Ahora trabajo en Acme.",
    ],
)
async def test_who_gives_another_name_changes_nothing_else(memory: AsyncBethink, theirs: str) -> None:
    await say(memory, "one", ANNA)
    before = await known(memory)
    await say(memory, "two", theirs)
    assert await known(memory) == before


async def test_a_short_form_of_the_name_is_no_other_name(memory: AsyncBethink) -> None:
    await say(memory, "one", ANNA)
    await say(memory, "two", "My name is Ann. I moved to Porto last week.")
    assert (await known(memory))["home"] == "Porto"


async def test_set_by_hand_it_wins_at_once(memory: AsyncBethink) -> None:
    await say(memory, "one", ANNA)
    await memory.facts.set("identity", "home", "Porto")
    assert (await known(memory))["home"] == "Porto"
    await say(memory, "two", "I live in Berlin.")
    assert (await known(memory))["home"] == "Porto"


async def test_the_journal_has_both_values_and_the_message(memory: AsyncBethink) -> None:
    await say(memory, "one", ANNA)
    await say(memory, "two", "I moved to Porto.")
    (line,) = [one for one in (await memory.journal()).items if one.action == "superseded"]
    (message,) = await memory.messages.of("two")
    assert line.before is not None
    assert line.before["value"] == "Lisbon"
    assert line.after == {"value": "Porto", "provenance": [message.id]}


async def test_the_prompt_says_what_it_was_before(memory: AsyncBethink) -> None:
    await say(memory, "one", ANNA)
    first = (await memory.prompt("Hello")).stable
    assert "- home: Lisbon\n" in f"{first}\n"
    await say(memory, "two", "I moved to Porto.")
    (fact,) = [one for one in await memory.facts.list() if one.key == "home"]
    stable = (await memory.prompt("Hello")).stable
    assert f"- home: Porto (since {fact.valid_from.date()}; before: Lisbon)" in stable
    assert (await memory.prompt("And now?")).stable == stable
