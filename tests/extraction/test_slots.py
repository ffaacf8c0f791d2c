"""What is said of somebody becomes clean facts, and what is over ends them."""

from __future__ import annotations

from typing import Any

import pytest

from bethink import AsyncBethink
from tests import opened

home = opened.home
memory = opened.memory
spaces_postgres_url = opened.spaces_postgres_url


async def say(memory: AsyncBethink, *texts: str, session: str = "one", **fields: Any) -> None:
    for text in texts:
        await memory.observe(session, [{"role": "user", "content": text, **fields}])
        await memory.settle()


async def known(memory: AsyncBethink) -> dict[str, str]:
    return {f"{fact.category}/{fact.key}": fact.value for fact in await memory.facts.list()}


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ("I moved to Porto in May.", {"identity/home": "Porto"}),
        (
            "I work at Feedzai as a data engineer.",
            {"identity/employer": "Feedzai", "identity/role": "data engineer"},
        ),
        (
            "Trabalho na Galp como analista.",
            {"identity/employer": "Galp", "identity/role": "analista"},
        ),
        ("I'm allergic to peanuts anyway.", {"health/allergy_peanuts": "peanuts"}),
        (
            "I'm allergic to peanuts and shellfish.",
            {"health/allergy_peanuts": "peanuts", "health/allergy_shellfish": "shellfish"},
        ),
        ("I take metformin 500 mg every morning.", {"health/medicine_metformin_500_mg": "metformin 500 mg"}),
        ("I have asthma.", {"health/condition_asthma": "asthma"}),
        ("Ich wohne seit März in Leipzig.", {"identity/home": "Leipzig"}),
        ("Soy alérgica a los cacahuetes desde pequeña.", {"health/allergy_cacahuetes": "cacahuetes"}),
        ("J'habite à Lyon depuis deux ans.", {"identity/home": "Lyon"}),
        ("Moro em Braga há dois anos.", {"identity/home": "Braga"}),
        ("Sou alérgico a amendoim.", {"health/allergy_amendoim": "amendoim"}),
        ("我对花生过敏。", {"health/allergy_花生": "花生"}),
        ("My sister is allergic to nuts.", {"health/sister_allergy_nuts": "nuts"}),
        ("My boss is called Ines.", {"identity/boss_name": "Ines"}),
        ("My dog takes apoquel.", {"health/dog_medicine_apoquel": "apoquel"}),
        ("I live in it.", {}),
    ],
)
async def test_a_statement_makes_clean_facts(memory: AsyncBethink, said: str, facts: dict[str, str]) -> None:
    await say(memory, said)
    assert await known(memory) == facts


async def test_one_object_is_one_fact_however_it_is_said(memory: AsyncBethink) -> None:
    await say(memory, "I'm allergic to peanuts.", "I am really allergic to peanut.", "I'm allergic to kiwi.")
    assert await known(memory) == {"health/allergy_peanuts": "peanuts", "health/allergy_kiwi": "kiwi"}


async def test_what_was_known_by_another_name_stays_one_record(memory: AsyncBethink) -> None:
    await memory.facts.set("health", "allergies", "peanuts")
    await memory.facts.set("personal", "city", "Lisbon")
    await say(memory, "I'm allergic to peanuts.", "I moved to Porto.")
    assert await known(memory) == {"health/allergies": "peanuts", "personal/city": "Porto"}


@pytest.mark.parametrize(
    ("before", "said", "left"),
    [
        ("I work at Galp.", "I quit my job last week.", {}),
        ("I work at Galp as an analyst.", "I no longer work at Galp.", {}),
        ("I work at Galp.", "I no longer work at Shell.", {"identity/employer": "Galp"}),
        ("My wife is called Ana.", "We broke up in March.", {}),
        ("I drive a Golf.", "I sold my Golf.", {}),
        ("I take metformin.", "I stopped taking metformin.", {}),
        ("I take metformin.", "I stopped taking my pills.", {"health/medicine_metformin": "metformin"}),
        ("I'm allergic to peanuts.", "I'm not allergic to peanuts any more.", {}),
        (
            "I'm allergic to pine nuts.",
            "I'm no longer allergic to nuts.",
            {"health/allergy_pine_nuts": "pine nuts"},
        ),
        ("I'm allergic to peanuts.", "I have no allergies.", {"health/allergy_peanuts": "peanuts"}),
        ("I'm vegan.", "I'm no longer vegan.", {}),
        ("I live in Lisbon.", "I don't live in Lisbon any more.", {}),
        ("My dog is called Rex.", "My dog died yesterday.", {}),
        (
            "My sister is allergic to nuts.",
            "I'm not allergic to nuts any more.",
            {"health/sister_allergy_nuts": "nuts"},
        ),
        ("Ich nehme Metformin.", "Ich nehme Metformin nicht mehr.", {}),
        ("Trabajo en Galp.", "Ya no trabajo en Galp.", {}),
        ("Je travaille chez Galp.", "J'ai quitté mon travail.", {}),
        ("Trabalho na Galp.", "Larguei o meu emprego.", {}),
        ("I work at Galp.", "What if I quit my job?", {"identity/employer": "Galp"}),
    ],
)
async def test_what_is_over_ends_without_a_new_value(
    memory: AsyncBethink, before: str, said: str, left: dict[str, str]
) -> None:
    await say(memory, before)
    assert await known(memory)
    await say(memory, said, session="two")
    assert await known(memory) == left


async def test_an_ending_is_in_the_journal_and_can_be_undone(memory: AsyncBethink) -> None:
    await say(memory, "I take metformin.")
    await say(memory, "I stopped taking metformin.", session="two")
    (line,) = (await memory.journal(action="ended")).items
    (message,) = await memory.messages.of("two")
    assert line.after == {"provenance": [message.id]}
    assert line.reason == "a newer message says that it is over"
    await memory.undo(line.id)
    assert await known(memory) == {"health/medicine_metformin": "metformin"}


async def test_what_was_said_before_the_end_does_not_bring_it_back(memory: AsyncBethink) -> None:
    await say(memory, "I take metformin.", sent_at="2025-01-01T10:00:00Z")
    await say(memory, "I stopped taking metformin.", session="two", sent_at="2025-05-01T10:00:00Z")
    await say(memory, "I'm on metformin.", session="old", sent_at="2024-05-01T10:00:00Z")
    assert await known(memory) == {}
    await say(memory, "I'm on metformin again.", session="new", sent_at="2025-06-01T10:00:00Z")
    assert await known(memory) == {"health/medicine_metformin": "metformin"}


async def test_an_old_ending_ends_nothing_that_was_said_later(memory: AsyncBethink) -> None:
    await say(memory, "I take metformin.", sent_at="2025-01-01T10:00:00Z")
    await say(memory, "I stopped taking metformin.", session="old", sent_at="2024-05-01T10:00:00Z")
    assert await known(memory) == {"health/medicine_metformin": "metformin"}


async def test_a_correction_replaces_what_it_names(memory: AsyncBethink) -> None:
    await say(memory, "My sister is called Ana.", "I live in Lisbon.")
    await say(memory, "No, I meant Porto, not Lisbon.")
    assert (await known(memory))["identity/home"] == "Porto"
    await say(memory, "I'm allergic to peanuts.", "No, I meant walnuts, not peanuts.")
    allergies = {key: value for key, value in (await known(memory)).items() if "allergy" in key}
    assert allergies == {"health/allergy_walnuts": "walnuts"}


async def test_how_to_answer_has_one_value_for_each_aspect(memory: AsyncBethink) -> None:
    await say(
        memory, "Always answer in English.", "I prefer short answers.", "From now on, answer in Portuguese."
    )
    assert await known(memory) == {
        "answers/answer_style_language": "answer in Portuguese",
        "answers/answer_style_length": "I prefer short answers",
    }


async def test_in_a_space_of_one_every_turn_is_theirs(memory: AsyncBethink) -> None:
    (person,) = await memory.people.list()
    await say(memory, "I live in Lisbon.", name="Anna")
    await say(memory, "I moved to Porto.", person_id=person.id, session="two")
    await say(memory, "I moved to Braga.", session="three")
    (fact,) = await memory.facts.list()
    assert (fact.key, fact.value, fact.person_id) == ("home", "Braga", None)
    assert [one.content for one in await memory.list()] == ["I moved to Braga"]
    (person,) = await memory.people.list()
    assert person.aliases == ["Anna"]


async def test_a_fact_set_for_the_only_person_is_not_split(memory: AsyncBethink) -> None:
    (person,) = await memory.people.list()
    await memory.facts.set("identity", "home", "Lisbon", person_id=person.id)
    await say(memory, "I moved to Porto.")
    (fact,) = await memory.facts.list()
    assert (fact.value, fact.person_id) == ("Porto", person.id)


async def test_a_prompt_shows_whose_it_is_and_what_is_dangerous_first(memory: AsyncBethink) -> None:
    await say(memory, "I live in Lisbon.", "My sister is allergic to nuts.", "I'm allergic to peanuts.")
    await say(memory, "Always answer in Portuguese.")
    lines = (await memory.prompt("hello there")).stable.splitlines()
    start = lines.index("## Facts")
    assert lines[start + 1 : start + 8] == [
        "- answers:",
        "  - answer style: Always answer in Portuguese",
        "- health:",
        "  - allergy: peanuts",
        "  - sister: allergy: nuts",
        "- identity:",
        "  - home: Lisbon",
    ]
