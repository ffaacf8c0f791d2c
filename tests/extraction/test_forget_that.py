"""What the user asks to have forgotten leaves memories, facts, recall and prompt, and can be brought back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from bethink import AsyncBethink, Conflict
from bethink.extraction.asked_to_forget import marked, named_in
from bethink.extraction.forget_that import Request, considered, meant, requests
from bethink.memory import AsyncSpace
from bethink.models.worth import Unit
from bethink.records import Space
from bethink.store.units import Spoken
from bethink.store.vectors import Vector
from tests import opened
from tests.opened import texts
from tests.store import samples
from tests.store.samples import NOW

home = opened.home
memory = opened.memory
spaces_postgres_url = opened.spaces_postgres_url

WORK = "I work at Siemens as an engineer."
MIA = "My daughter Mia starts school in August."
LISBON = "I live in Lisbon with my two cats."
FORGET = "Please forget what I told you about Siemens."


def user(text: str, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **fields}


async def say(space: AsyncBethink, *said: str, session: str = "chat") -> None:
    await space.observe(session, [user(text) for text in said])
    await space.settle()


async def everywhere(space: AsyncSpace, word: str) -> dict[str, bool]:
    """Where a word is found: memories, facts, the prompt's halves, recall."""
    prompt = await space.prompt(f"Tell me about {word}")
    return {
        "memories": any(word in one.content for one in await space.list()),
        "facts": any(word in one.value for one in await space.facts.list()),
        "stable": word in prompt.stable,
        "recall": any(
            word in one for one in texts(await space.recall(word)) if "forget" not in one.casefold()
        ),
    }


async def test_the_turn_after_tells_what_became_of_it(memory: AsyncBethink) -> None:
    await say(memory, WORK, MIA)
    assert (await memory.observe("chat", [user(FORGET)])).withdrawn == 0
    await memory.settle()
    assert (await memory.prompt("hello", session_id="chat")).withdrawn == 1
    assert (await memory.observe("other", [user("Hi")])).withdrawn == 0
    assert (await memory.observe("chat", [user("Thanks!")])).withdrawn == 1
    assert (await memory.observe("chat", [user("Bye!")])).withdrawn == 0


@pytest.mark.parametrize("session", ["chat", "another"])
async def test_what_is_named_is_withdrawn_everywhere(memory: AsyncBethink, session: str) -> None:
    await say(memory, WORK)
    await say(memory, LISBON, session="elsewhere")
    assert set((await everywhere(memory, "Siemens")).values()) == {True}
    await say(memory, FORGET, session=session)
    assert set((await everywhere(memory, "Siemens")).values()) == {False}
    assert set((await everywhere(memory, "Lisbon")).values()) == {True}
    assert "forget" not in (await memory.prompt("What did I tell you about Siemens?")).text, "nor the request"
    (stored,) = [one for one in await memory.messages.of("chat") if one.content == WORK]
    lines = (await memory.journal(record_id=stored.id)).items
    assert [(line.action, line.reason) for line in lines] == [("withdrawn", "the user asked to forget it")]
    reading = (await memory.extractions())[0]
    assert reading.counts["withdrawn"] == 1


async def test_undoing_brings_each_back(memory: AsyncBethink) -> None:
    await say(memory, WORK, MIA)
    await say(memory, FORGET, session="b")
    reason = "the user asked to forget it"
    for line in [line for line in (await memory.journal()).items if line.reason == reason]:
        undone = await memory.undo(line.id)
        if line.noun == "message":
            restored = undone
    assert set((await everywhere(memory, "Siemens")).values()) == {True}
    await memory.undo(restored.entry.id)
    found = await memory.recall("Siemens", layers=["message"])
    assert WORK not in texts(found), "that can be undone too"


async def test_after_an_edit_there_is_nothing_to_bring_back(memory: AsyncBethink) -> None:
    await memory.observe("a", [user(WORK, id="m1")])
    await memory.settle()
    await say(memory, FORGET, session="b")
    (line,) = [line for line in (await memory.journal()).items if line.action == "withdrawn"]
    await memory.observe("a", [user(MIA, id="m1")])
    await memory.settle()
    with pytest.raises(Conflict, match="says something else now"):
        await memory.undo(line.id)


async def test_what_was_said_just_before_is_meant_where_nothing_is_named(memory: AsyncBethink) -> None:
    await say(memory, LISBON)
    await say(memory, MIA, session="b")
    await say(memory, "Please don't keep that.", session="b")
    found = await everywhere(memory, "Mia")
    assert (found["memories"], found["stable"], found["recall"]) == (False, False, False)
    assert (await everywhere(memory, "Lisbon"))["facts"]


async def test_reading_again_brings_nothing_back(memory: AsyncBethink) -> None:
    await memory.observe("a", [user("Good morning!", id="m1"), user(WORK, id="m2"), user(MIA, id="m3")])
    await memory.settle()
    await say(memory, FORGET, session="b")
    await memory.observe("a", [user("Good evening!", id="m1")])  # all after it is read again
    await memory.settle()
    assert set((await everywhere(memory, "Siemens")).values()) == {False}
    assert (await everywhere(memory, "Mia"))["stable"]


async def test_a_request_read_again_takes_nothing_else(memory: AsyncBethink) -> None:
    await say(memory, WORK)
    await memory.observe("b", [user("Good morning!", id="m1"), user(MIA), user(FORGET)])
    await memory.settle()
    assert (await everywhere(memory, "Mia"))["stable"]
    await memory.observe("b", [user("Good evening!", id="m1")])
    await memory.settle()
    await say(memory, "And please forget what I told you about Siemens.", session="c")
    assert (await everywhere(memory, "Mia"))["stable"]
    assert set((await everywhere(memory, "Siemens")).values()) == {False}
    withdrawn = [line for line in (await memory.journal()).items if line.action == "withdrawn"]
    assert len(withdrawn) == 1


async def test_said_anew_it_is_known_anew(memory: AsyncBethink) -> None:
    await say(memory, WORK)
    await say(memory, FORGET)
    await say(memory, "I work at Siemens as an engineer again, since Monday.", session="later")
    found = await everywhere(memory, "Siemens")
    assert (found["memories"], found["facts"], found["stable"]) == (True, True, True)


async def test_an_edited_message_can_be_found_again(memory: AsyncBethink) -> None:
    await memory.observe("a", [user(WORK, id="m1")])
    await memory.settle()
    await say(memory, FORGET, session="b")
    await memory.observe("a", [user("I work at the bakery in the old town.", id="m1")])
    await memory.settle()
    assert texts(await memory.recall("bakery"))[0].startswith("I work at the bakery")


async def test_another_space_keeps_what_it_was_told(memory: AsyncBethink) -> None:
    other = memory.space(f"{(await memory.stats()).space}-other")
    await other.observe("chat", [user(WORK)])
    await memory.settle()
    await say(memory, WORK, FORGET)
    assert set((await everywhere(memory, "Siemens")).values()) == {False}
    assert set((await everywhere(other, "Siemens")).values()) == {True}


# What is meant, without a store

SPACE = Space.model_validate(
    {"id": "s", "number": 1, "name": "s", "display_name": "s", "created_at": NOW, "updated_at": NOW}
)


def spoken(text: str, minute: int, message: str = "", **fields: Any) -> Spoken:
    at = NOW + timedelta(minutes=minute)
    unit = samples.unit(SPACE, message or f"m{minute}", sent_at=at, **fields)
    return Spoken(unit, None, None, text)


def asked(text: str, minute: int = 60, session: tuple[str, ...] = ()) -> Request:
    unit = spoken(text, minute, "request", label="forget", harm=0.9).unit
    return Request(text, unit, frozenset(session))


def test_only_what_is_older_and_named_or_of_the_conversation_is_considered() -> None:
    request = asked("forget what I told you about Siemens", session=("m3",))
    names, here, other, later, worthless, earlier_request = (
        spoken("I work at Siemens", 1),
        spoken("I ski", 3),
        spoken("I told them so", 2),
        spoken("Siemens pays well", 90),
        spoken("Siemens, hm", 4, worth=0.0),
        spoken("forget Siemens", 5, label="forget"),
    )
    found = considered(request, [names, here, other, later, worthless, earlier_request])
    assert found == [here, names]
    assert meant(request, found, {}) == [names]


def test_what_says_the_same_is_meant_too_and_what_does_not_is_not() -> None:
    one, same, other = (
        spoken("Nora is in rehab", 1),
        spoken("Nora went back to the clinic", 2),
        spoken("I met Nora", 3),
    )
    vectors: dict[str, Vector] = {
        "forget that about Nora": np.array([1, 0, 0], np.float32),
        one.text: np.array([0.95, 0.1, 0], np.float32),
        same.text: np.array([0.95, 0.3, 0], np.float32),
        other.text: np.array([0, 0, 1], np.float32),
    }
    request = asked("forget that about Nora")
    assert meant(request, [other, same, one], vectors) == [same, one]


def test_what_is_named_next_to_the_asking_must_be_meant() -> None:
    brother, job, sister = (
        spoken("I owe my brother Hauke 3200 for the car", 1),
        spoken("since I drive for Nordlinie I am human again", 2),
        spoken("my sister borrowed money for her salon", 3),
    )
    request = asked("forget that about the money and Hauke again, it is none of your business")
    assert meant(request, [job, brother], {}) == [brother], "`again` names nothing"
    assert meant(asked("forget that about the jet ski, it is human to fail"), [job, sister], {}) == []
    behind = asked("what I told you of Hauke you can forget, I am human after all")
    assert meant(behind, [job, brother], {}) == [brother]


def test_a_thing_is_named_by_what_it_is_called() -> None:
    wife = spoken("my wife Lena is a florist", 1, slot="role")
    mine = spoken("I gave up the ambulance job", 2, slot="role")
    assert meant(asked("forget what I said about my wife's job"), [mine, wife], {}) == [wife]
    ill = spoken("Jonas wurde gestern auf Epilepsie eingestellt", 3, slot="condition")
    assert meant(asked("vergiss das mit der Krankheit von Jonas"), [ill, mine], {}) == [ill]


def test_who_forgets_much_asks_nothing() -> None:
    assert requests([spoken("please remind me, I forget everything", 1, label="forget")]) == []


def test_nothing_said_before_is_nothing_to_forget() -> None:
    assert considered(asked("forget that"), []) == []
    assert meant(asked("forget that"), [spoken("I ski", 1)], {}) == [], "it was another conversation"


@pytest.mark.parametrize(
    "text",
    [
        "Forget what I told you about my knee.",
        "And please delete everything I told you about Siemens.",
        "Forget that I live in Lisbon.",
        "Vergiss bitte, was ich über meine Arbeit gesagt habe.",
        "Oublie ce que je t'ai dit sur mon travail.",
        "Borra lo que te dije de mi jefe.",
        "Esquece o que eu te disse sobre a Ana.",
        "请忘掉我刚才说的话",
        "take that out of your memory",
        "sacá de tu memoria lo de Ana",
    ],
)
def test_who_asks_plainly_is_understood(text: str) -> None:
    (unit,) = marked(text, [_unit(text)])
    assert (unit.label, unit.harm) == ("forget", 1.0)
    (request,) = requests([spoken(text, 1, label=unit.label, harm=unit.harm)])
    assert request.text == text


@pytest.mark.parametrize(
    "text",
    [
        "and forget me telling you about the bladder business",
        "can you wipe that about the credit union",
        "Kannst du bitte das mit Hauke löschen",
        "¿podés borrar lo de mi viejo?",
        "peux-tu effacer l'histoire du chat",
        "pode apagar aquilo da Ana",
        "帮我删掉那件事",
        "oye, aquello de Rafa que te solté, olvídalo entero",
        "that business with the loan, please forget it",
    ],
)
def test_who_begins_like_that_is_believed_when_the_model_doubts_the_words_too(text: str) -> None:
    sure, doubted = _unit(text), replace(_unit(text), harm=0.4, label="secret")
    assert marked(text, [sure]) == [sure]
    assert [unit.label for unit in marked(text, [doubted])] == ["forget"]


def test_a_request_that_was_read_in_two_is_one() -> None:
    said = [
        spoken("I have a favour to ask:", 9, "m", number=0),
        spoken("what I told you months ago of my father", 9, "m", number=1, label="forget"),
        spoken("and 2003, forget it", 9, "m", number=2, label="forget"),
        spoken("and delete the other thing", 9, "m", number=3, label="forget"),
        spoken("that of before", 9, "other", number=4, label="forget"),
    ]
    assert [(one.unit.number, one.text) for one in requests(said)] == [
        (1, "what I told you months ago of my father and 2003, forget it"),
        (3, "and delete the other thing"),
    ]


@pytest.mark.parametrize(
    "parts",
    [
        ("right, that Gaz business", "I told you about weeks ago.", "chuck it in the skip,"),
        ("and listen, that company interview thing I told you in July, treat it as", "unsent. erase it"),
        ("lo que te conté en diciembre,", "eso lo tiras por la ventana"),
        ("Sie erinnern sich: das mit meinem Bruder,", "Radiergummi, bitte"),
    ],
)
def test_what_is_told_in_a_picture_is_one_request_with_what_is_meant(parts: tuple[str, ...]) -> None:
    text, units, place = " ".join(parts), [], 0
    for part in parts:
        units.append(replace(_unit(part), start=place, end=place + len(part), label="keep"))
        place += len(part) + 1
    assert [unit.label for unit in marked(text, units)] == ["keep"] * len(parts)
    units[-1] = replace(units[-1], label="forget", harm=0.9)
    found = marked(text, units)
    assert {unit.label for unit in found} == {"forget"}
    said = [
        spoken(text[unit.start : unit.end], 9, "m", number=number, label="forget", harm=unit.harm)
        for number, unit in enumerate(found)
    ]
    assert [one.text for one in requests(said)] == [text]


@pytest.mark.parametrize(
    "text",
    ["You never saw it, what I told you of Gaz.", "Das mit meinem Bruder, das hast du nie gelesen, gell."],
)
def test_what_never_was_is_to_be_forgotten(text: str) -> None:
    assert [unit.label for unit in marked(text, [_unit(text)])] == ["forget"]


def test_what_is_sure_to_be_a_request_and_speaks_of_nothing_told_is_none() -> None:
    text = "no split shifts any more, imagine"
    unit = replace(_unit(text), label="forget", harm=0.9)
    assert requests([spoken(text, 1, label="forget", harm=0.9)]) == []
    assert marked(text, [unit]) == [unit]


def test_a_message_may_have_the_words_in_several_units() -> None:
    aside, loss, bee = (
        spoken("don't tell my mother but Friday", 1, "m1", number=0, worth=0.0),
        spoken("I lost four hundred at the tavern", 1, "m1", number=1),
        spoken("Tama blew up last Easter off one bee", 2),
    )
    request = asked("that Friday I told you about after Easter at the tavern, throw it in the harbour")
    assert aside in considered(request, [aside, loss, bee])
    assert meant(request, [bee, loss, aside], {}) == [loss, aside]


def test_words_that_nobody_used_mean_the_one_thing_told_in_confidence() -> None:
    job, ticket = spoken("I drive tankers now", 1), spoken("got done for 118, don't tell the missus", 2)
    request = asked("scrub that, the speeding thing")
    assert meant(request, considered(request, [job, ticket]), {}) == [ticket]
    other = spoken("between us, I owe Lachie three grand", 3)
    assert meant(request, considered(request, [job, ticket, other]), {}) == [], "it may be either"


def test_after_about_stands_what_is_meant() -> None:
    snow, wharf = spoken("four feet of snow at my door", 1), spoken("he asked me on the wharf", 2)
    request = asked("withdraw what I told you in the snow about the wharf, forget it")
    assert meant(request, [snow, wharf], {}) == [wharf]


@pytest.mark.parametrize(
    "text",
    [
        "Don't forget what I told you about my knee.",
        "Never forget what I said.",
        "Did you forget what I told you?",
        "Forget it.",
        "I forgot what I told you.",
        "He said forget what I told you about it.",
        "Vergiss nicht, was ich gesagt habe.",
        "Não esqueça o que eu disse.",
        "别忘了我说的",
        "Remind me of that, I always forget everything.",
        "Merk dir das bitte, ich vergesse alles.",
    ],
)
def test_who_asks_nothing_of_the_kind_is_not(text: str) -> None:
    for unit in (_unit(text), replace(_unit(text), harm=0.4)):
        assert marked(text, [unit]) == [unit]


def test_the_words_of_asking_name_nothing() -> None:
    assert named_in("Please forget what I told you, don't keep it") == set()
    assert named_in("forget what I said about the peanuts") == {"peanut"}


def _unit(text: str) -> Unit:
    return Unit(0, len(text), 0.1, "passing", 0.1, "identity", "home", 0.1, 0.1, 0.1, bytes(48))
