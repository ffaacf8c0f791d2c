from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bethink import AsyncBethink, InvalidInput, Layer, TooLarge
from bethink.shapes.outcomes import Hit
from bethink.testing import FrozenClock
from tests.opened import Home, about, add_person, texts

DAY = timedelta(days=1)
NOTES = [
    "The spare key is under the blue pot", "The boiler was serviced in May", "Anna is allergic to peanuts",
    "The car needs new tyres", "Grandma's birthday is in June", "The wifi password is on the fridge",
    "The dentist is on Elm Street", "The piano is in the attic", "Milk is bought on Mondays",
    "The cat is called Oscar", "The fuse box is behind the door", "The gym opens at six",
]  # fmt: skip
KEYWORDS = {"source": "none"}


async def fill(memory: AsyncBethink, count: int = len(NOTES)) -> None:
    await memory.remember_many([{"content": note} for note in NOTES[:count]])
    await memory.settle()


def parts(hit: Hit) -> float:
    return hit.fused + hit.pinned + hit.person + hit.speaker + hit.answer + hit.recency + hit.rerank


async def test_an_empty_memory_and_a_space_nobody_knew_answer_with_nothing(memory: AsyncBethink) -> None:
    for space in (memory, memory.space(f"{memory.name}-unknown")):
        for query in ("keys", ""):
            result = await space.recall(query)
            assert (result.hits, result.engine, result.tokens) == ([], "none", 0)


async def test_the_best_answer_comes_first_and_scores_fall(memory: AsyncBethink) -> None:
    await fill(memory)
    result = await memory.recall("what is Anna allergic to?")
    assert result.query == "what is Anna allergic to?"
    assert result.hits[0].text == NOTES[2]
    assert result.hits[0].layer == Layer.MEMORY
    assert result.hits[0].record.content == NOTES[2]  # type: ignore[union-attr]  # a memory, as its layer says
    assert result.hits[0].fused_by.keys() == {"terms", "vector"}
    for hit in result.hits:
        assert sum(hit.fused_by.values()) == pytest.approx(hit.fused)
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)
    assert result.tokens == sum(hit.tokens for hit in result.hits)
    assert result.latency_ms > 0


async def test_a_setting_says_how_much_the_scores_count_beside_the_ranks(home: Home) -> None:
    for share in (0.0, 0.5, 1.0):
        async with home.memory(embed=KEYWORDS, recall={"score_share": share}) as memory:
            await fill(memory)
            await memory.remember("Oscar the cat hides in the piano at night")
            first, last = (await memory.recall("Oscar the cat at night")).hits
            assert first.fused == pytest.approx(1)
            assert sum(last.fused_by.values()) == pytest.approx(last.fused)
            assert first.fused_by == {"terms": pytest.approx(1)}
            assert last.fused == pytest.approx((1 - share) * 11 / 12)  # second by rank, last by score


async def test_few_memories_all_come_back_whatever_is_asked(home: Home) -> None:
    async with home.memory(embed=KEYWORDS) as memory:
        await fill(memory, 5)
        result = await memory.recall("dentist")
        assert (result.engine, set(texts(result))) == ("few", set(NOTES[:5]))
        best = (await memory.recall("boiler")).hits
        assert (best[0].text, best[0].engine, best[1].engine) == (NOTES[1], "terms", "few")
        assert best[1].fused == 0
        await memory.remember(NOTES[5])
        assert (await memory.recall("dentist")).hits == []


async def test_few_is_counted_among_what_the_filters_leave(home: Home) -> None:
    async with home.memory(embed=KEYWORDS) as memory:
        await fill(memory)
        await memory.remember("The bike is red", tags=["bike"])
        result = await memory.recall("nothing of the kind", tags=["bike"])
        assert (result.engine, texts(result)) == ("few", ["The bike is red"])


@pytest.mark.parametrize("count", [0, 3])
async def test_how_many_are_few_is_a_setting(home: Home, count: int) -> None:
    async with home.memory(embed=KEYWORDS, recall={"few_memories": count}) as memory:
        await fill(memory, 3)
        assert len((await memory.recall("zebra")).hits) == count


@pytest.mark.parametrize("query", ["", "   "])
async def test_without_a_query_the_newest_come_back(memory: AsyncBethink, query: str) -> None:
    await fill(memory)
    result = await memory.recall(query, limit=3)
    assert (result.engine, texts(result)) == ("recent", NOTES[:-4:-1])
    assert {hit.engine for hit in result.hits} == {"recent"}


async def test_the_recent_strategy_goes_by_time_alone(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        for note in NOTES:
            clock.advance(DAY)
            await memory.remember(note)
        result = await memory.recall("spare key", strategy="recent", limit=12)
        assert (result.engine, texts(result)) == ("recent", NOTES[::-1])


async def test_the_semantic_strategy_goes_by_vector_alone(memory: AsyncBethink) -> None:
    await fill(memory)
    result = await memory.recall("spare key", strategy="semantic")
    assert (result.engine, result.hits[0].text) == ("vector", NOTES[0])
    assert all(hit.terms is None and hit.vector is not None for hit in result.hits)
    assert result.hits[0].fused == pytest.approx(1)


async def test_the_limit_and_its_default(memory: AsyncBethink) -> None:
    await fill(memory)
    assert len((await memory.recall("the")).hits) == 8
    assert len((await memory.recall("the", limit=3)).hits) == 3
    assert len((await memory.recall("the", limit=200)).hits) == len(NOTES)


async def test_hits_keep_to_the_token_budget_but_one_always_comes(memory: AsyncBethink) -> None:
    await fill(memory)
    result = await memory.recall("spare key", max_tokens=25)
    assert 1 < len(result.hits) <= 4
    assert result.tokens <= 25
    for budget in (0, -5, 1):
        assert texts(await memory.recall("spare key", max_tokens=budget)) == [NOTES[0]]
    assert len((await memory.recall("the", limit=12, max_tokens=20)).hits) < 12


async def test_who_asks_for_a_number_is_not_cut_by_the_default_budget(home: Home) -> None:
    async with home.memory(recall={"max_tokens": 30}) as memory:
        await fill(memory)
        assert len((await memory.recall("the")).hits) < 8
        assert len((await memory.recall("the", limit=8)).hits) == 8


async def test_a_cut_by_similarity_leaves_what_the_terms_find(memory: AsyncBethink) -> None:
    await fill(memory)
    near = (await memory.recall("spare key", min_similarity=0.5)).hits
    assert texts_of(near) == [NOTES[0]]
    assert (await memory.recall("zebra", min_similarity=0.99)).hits == []


def texts_of(hits: list[Hit]) -> list[str]:
    return [hit.text for hit in hits]


async def test_when_nothing_matches_the_most_recent_come_back_if_asked_for(home: Home) -> None:
    async with home.memory(embed=KEYWORDS) as memory:
        await fill(memory)
        assert (await memory.recall("zebra")).hits == []
        result = await memory.recall("zebra", fallback=True, limit=50)
        assert (result.engine, texts(result)) == ("recent", NOTES[:-11:-1])
        assert texts(await memory.recall("boiler", fallback=True)) == [NOTES[1]]


@pytest.mark.parametrize(
    ("query", "first_turn", "found"), [("hello!", True, 0), ("hello!", False, 5), ("key?", True, 5)]
)
async def test_a_bare_greeting_on_the_first_turn_brings_nothing(
    memory: AsyncBethink, query: str, first_turn: bool, found: int
) -> None:
    await fill(memory, 5)
    result = await memory.recall(query, first_turn=first_turn)
    assert len(result.hits) == found
    assert (result.engine == "none") is (found == 0)


async def test_the_score_is_the_sum_of_its_parts(memory: AsyncBethink) -> None:
    ann = await add_person(memory, "Ann")
    with FrozenClock() as clock:
        await memory.remember("Ann keeps the spare key", person_id=ann, pinned=True)
        await fill(memory)
        await memory.facts.set("house", "spare key", "under the pot", person_id=ann)
        turns = [("Ines", "Where is the spare key?"), ("Noor", "Under the pot"), ("Ines", "The spare key!")]
        await memory.observe("chat", [{"name": name, "content": said} for name, said in turns])
        clock.advance(30 * DAY)
        hits = (await memory.recall("what did Ines say of the spare key?", person_hints=[ann], limit=50)).hits
    for name in ("fused", "pinned", "person", "speaker", "answer", "recency"):
        assert any(getattr(hit, name) for hit in hits), f"no hit has a part {name}"
    for hit in hits:
        assert hit.score == pytest.approx(parts(hit))
        assert 0 <= hit.fused <= 1
        assert hit.recency <= 0


async def test_what_is_pinned_ranks_higher_and_does_not_age(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        await memory.remember("The spare key is in the shed", pinned=True)
        await memory.remember("The spare key is in the barn")
        clock.advance(90 * DAY)
        await memory.remember("The spare key is in the hall")
        hits = {hit.text.split()[-1]: hit for hit in (await memory.recall("where is the spare key?")).hits}
        assert {where: round(hit.recency, 3) for where, hit in hits.items()} == {
            "shed": 0, "barn": -0.1, "hall": 0,
        }  # fmt: skip
        assert {where: hit.pinned for where, hit in hits.items()} == {"shed": 0.2, "barn": 0, "hall": 0}
        assert hits["shed"].score > hits["hall"].score > hits["barn"].score
        neutral = (await memory.recall("where is the spare key?", recency="neutral")).hits
        assert all(hit.recency == 0 for hit in neutral)


async def test_what_is_about_a_hinted_person_ranks_higher(memory: AsyncBethink) -> None:
    ann, bob = await add_person(memory, "Ann"), await add_person(memory, "Bob")
    for who in (ann, bob):
        await memory.remember("Likes green tea", person_id=who)
    for who in (ann, bob):
        hits = (await memory.recall("green tea", person_hints=[who])).hits
        assert about(hits[0]) == who
        assert [hit.person for hit in hits] == [pytest.approx(0.15), 0]


async def test_a_query_that_is_too_long_is_refused(home: Home) -> None:
    async with home.memory(limits={"query_chars": 100}) as memory:
        await memory.recall("x" * 100)
        with pytest.raises(TooLarge, match="query: 101 is over the limit of 100") as caught:
            await memory.recall("x" * 101)
        assert caught.value.field == "query"


@pytest.mark.parametrize(
    ("options", "field"),
    [({"colour": "red"}, "colour"), ({"limit": 0}, "limit"), ({"layers": ["dream"]}, "layers.0"),
     ({"strategy": "magic"}, "strategy"), ({"since": "soon"}, "since"), ({"tags": "one"}, "tags")],
)  # fmt: skip
async def test_a_wrong_option_is_refused_and_named(
    memory: AsyncBethink, options: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        await memory.recall("keys", **options)
    assert caught.value.field == field


async def test_words_can_be_added_to_short_questions_about_oneself(home: Home) -> None:
    async with home.memory(embed=KEYWORDS, recall={"expand_terms": "height weight"}) as memory:
        await fill(memory)
        await memory.remember("Height 180 cm")
        assert texts(await memory.recall("how big am I?")) == ["Height 180 cm"]
        assert (await memory.recall("how big is he?")).hits == []


@pytest.mark.parametrize(
    "options", [{}, {"strategy": "semantic"}, {"strategy": "recent"}, {"fallback": True}]
)
async def test_what_has_expired_comes_back_on_no_path(memory: AsyncBethink, options: dict[str, Any]) -> None:
    with FrozenClock() as clock:
        soon = clock.now + DAY
        await memory.remember("The gate code is 4711", expires_at=soon)
        await memory.facts.set("gate", "code", "4711", expires_at=soon)
        assert len((await memory.recall("gate code", **options)).hits) == 2
        clock.advance(DAY)
        for few in (True, False):
            if not few:
                await fill(memory)
            for query in ("gate code", ""):
                found = (await memory.recall(query, limit=50, **options)).hits
                assert not any("4711" in hit.text for hit in found)


async def test_only_memories_count_as_few_and_messages_come_back_where_they_match(home: Home) -> None:
    async with home.memory(embed=KEYWORDS) as memory:
        await fill(memory, 2)
        said = ["The dentist is on Tuesday", "The lamp is green"]
        for number, text in enumerate(said):
            await memory.observe(f"chat {number}", [{"content": text}])
        await memory.facts.set("food", "drink", "tea")
        assert set(texts(await memory.recall("zebra"))) == set(NOTES[:2])
        assert set(texts(await memory.recall("dentist"))) == {said[0], *NOTES[:2]}
        for number in range(10):
            await memory.observe("chat", [{"content": f"The dentist called, {number}"}])
        assert set(NOTES[:2]) <= set(texts(await memory.recall("dentist", limit=50)))
        assert texts(await memory.recall("zebra", layers=[Layer.MESSAGE, Layer.FACT])) == []


async def test_without_memories_nothing_comes_back_unasked(home: Home) -> None:
    async with home.memory(embed=KEYWORDS) as memory:
        await memory.observe("chat", [{"content": "The lamp is green"}])
        assert (await memory.recall("zebra")).hits == []
        assert texts(await memory.recall("zebra", fallback=True)) == ["The lamp is green"]
