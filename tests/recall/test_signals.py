from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bethink import AsyncBethink
from bethink.testing import FrozenClock
from tests.opened import Home, add_person, texts

KEYWORDS = {"source": "none"}
TALK = [
    ("Ines", "I bought a cello last week"),
    ("Noor", "A cello! I have a trumpet"),
    ("Ines", "Where do you keep it?"),
    ("Noor", "In the cupboard, next to the brooms"),
    ("Ines", "My neighbours hear everything"),
    ("Noor", "Mine are deaf"),
    ("Ines", "Lucky you"),
    ("Noor", "See you on Sunday"),
]


async def talk(memory: AsyncBethink) -> None:
    await memory.observe("chat", [{"name": name, "content": said} for name, said in TALK])
    await memory.settle()


async def test_what_the_named_participant_said_ranks_higher(memory: AsyncBethink) -> None:
    await talk(memory)
    for name, best in (("Ines", TALK[0][1]), ("Noor", TALK[1][1])):
        hits = (await memory.recall(f"what did {name} say about a cello?")).hits
        assert hits[0].text == best
        for hit in hits:
            said_by = next(who for who, said in TALK if said == hit.text)
            assert hit.speaker == (pytest.approx(0.30) if said_by == name else 0)


@pytest.mark.parametrize(
    "query", ["who has a cello?", "did Ines or Noor buy a cello?", "what did Olga say of a cello?"]
)
async def test_without_exactly_one_participant_nobody_is_preferred(memory: AsyncBethink, query: str) -> None:
    await talk(memory)
    assert all(hit.speaker == 0 for hit in (await memory.recall(query)).hits)


async def test_a_participant_is_one_though_the_space_knows_them_by_their_full_name(
    memory: AsyncBethink,
) -> None:
    await talk(memory)
    await add_person(memory, "Ines Ferro", aliases=["Ines F."])
    hits = (await memory.recall("what did Ines say about a cello?")).hits
    assert hits[0].text == TALK[0][1]
    assert hits[0].speaker == pytest.approx(0.30)


async def test_an_answer_is_found_by_its_question(memory: AsyncBethink) -> None:
    await talk(memory)
    hits = {hit.text: hit for hit in (await memory.recall("where do you keep it?", limit=50)).hits}
    question, answer = hits[TALK[2][1]], hits[TALK[3][1]]
    assert answer.answer == pytest.approx(0.3 * (question.score - 0.25))
    assert question.answer == 0
    assert sum(hit.answer > 0 for hit in hits.values()) == 1


async def test_an_answer_comes_back_though_the_search_did_not_find_it(home: Home) -> None:
    async with home.memory(embed=KEYWORDS) as memory:
        with FrozenClock() as clock:
            await memory.observe("filler", [{"content": f"Filler {number}"} for number in range(8)])
            await memory.observe("chat", [{"content": "Which instrument do you play?"}])
            clock.advance(timedelta(days=1))  # so long that the question is not the answer's context
            await memory.observe("chat", [{"content": "The accordion"}])
            result = await memory.recall("instrument")
            assert texts(result) == ["Which instrument do you play?", "The accordion"]
            assert (result.hits[1].engine, result.hits[1].fused) == ("answer", 0)
            assert result.hits[1].answer > 0


@pytest.mark.parametrize(
    "chosen", [{"session_ids": ["other"]}, {"layers": ["memory", "fact"]}, {"tags": ["x"]}]
)
async def test_an_answer_that_a_filter_leaves_out_stays_out(
    memory: AsyncBethink, chosen: dict[str, Any]
) -> None:
    await talk(memory)
    await memory.remember("Where do you keep it? In the cupboard", tags=["x"])
    await memory.observe("other", [{"content": "Where do you keep it?"}])
    found = texts(await memory.recall("where do you keep it?", limit=50, **chosen))
    assert TALK[3][1] not in found
    assert found


async def test_only_what_follows_in_the_same_session_is_an_answer(memory: AsyncBethink) -> None:
    await memory.observe("one", [{"content": "Where is the trumpet?"}])
    await memory.observe("two", [{"content": "In the cupboard"}])
    hits = (await memory.recall("where is the trumpet?")).hits
    assert all(hit.answer == 0 for hit in hits)


async def test_a_name_in_the_query_does_not_hide_what_is_asked(memory: AsyncBethink) -> None:
    await talk(memory)
    await memory.observe("names", [{"name": "Ines", "content": "Ines Ines Ines"}] * 3)
    hits = (await memory.recall("Ines and her neighbours")).hits
    assert hits[0].text == TALK[4][1]
