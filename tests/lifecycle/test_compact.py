"""Many old memories become one that tells of them; nothing is lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink import AsyncBethink, InvalidInput
from bethink.lifecycle.compact import LINES, bundles, first_sentences
from bethink.memory import AsyncSpace
from bethink.records import Memory
from bethink.shapes.outcomes import Compaction
from bethink.testing import FrozenClock
from bethink.text.terms import estimate
from tests.opened import Home, add_person, texts

DAY = timedelta(days=1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
STORIES = (
    "The boiler broke on a Sunday. The plumber came twice and it cost 300 euros in the end.",
    "We drove to the lake with the Bergs. It rained all day, and the children played cards in the hut.",
    "The green hall was painted again. Two buckets of paint were left, which stand in the cellar now.",
)


def memory_of(content: str, number: int = 0, **fields: Any) -> Memory:
    at = NOON + number * timedelta(minutes=1)
    known = {"id": f"m{number:03}", "space_id": "s", "observed_at": at, "created_at": at, "updated_at": at}
    return Memory.model_validate({**known, "content": content, **fields})


def test_a_bundle_says_the_first_sentence_of_each_with_its_type() -> None:
    (made,) = bundles([memory_of(text, number) for number, text in enumerate(STORIES)], {"m001"})
    assert made.text.splitlines() == [
        "[factual] The boiler broke on a Sunday.",
        "[factual, earlier] We drove to the lake with the Bergs.",
        "[factual] The green hall was painted again.",
    ]
    assert made.saved == sum(map(estimate, STORIES)) - estimate(made.text) > 0


def test_what_saves_nothing_stays() -> None:
    assert bundles([memory_of("Likes tea", 1), memory_of("Has a cat", 2)]) == []
    assert bundles([memory_of(STORIES[0])]) == [], "one alone"


def test_people_are_never_mixed_and_secrets_never_told() -> None:
    said = "The password of the safe is hunter2-Xy99! Nobody but us knows it, and it was changed in spring."
    of = [
        memory_of(f"{said} {number}", number, person_id="ana" if number % 2 else "ben") for number in range(4)
    ]
    made = bundles(of)
    assert [{one.person_id for one in bundle.memories} for bundle in made] == [{"ana"}, {"ben"}]
    assert "hunter2" not in "".join(bundle.text for bundle in made)


@given(st.lists(st.tuples(st.text(max_size=300), st.sampled_from(["ana", "ben", None])), max_size=60))
def test_again_over_what_is_left_changes_nothing(said: list[tuple[str, str | None]]) -> None:
    of = [memory_of(text or "x", number, person_id=person) for number, (text, person) in enumerate(said)]
    made = bundles(of)
    gone = [memory.id for bundle in made for memory in bundle.memories]
    assert len(gone) == len(set(gone))
    assert all(2 <= len(bundle.memories) <= LINES and bundle.saved > 0 for bundle in made)
    assert bundles([one for one in of if one.id not in gone]) == []


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One. Two! Three? Four.", "One. Two! Three?"),
        ("It costs 3.50 euros. Yes.\n\nNo. More", "It costs 3.50 euros. Yes.\n\nNo."),
        ("今天下雨。我们在家。他做饭。她看书。", "今天下雨。我们在家。他做饭。"),
        ("one line without an end", "one line without an end"),
        ("", ""),
    ],
)
def test_the_first_sentences_are_cut_clean(text: str, first: str) -> None:
    assert first_sentences(text, 3) == first


@given(st.text(), st.integers(0, 5))
def test_the_first_sentences_are_a_beginning(text: str, count: int) -> None:
    assert text.strip().startswith(first_sentences(text, count)) or not count
    assert len(first_sentences(text, count)) <= len(text)


async def fill(space: AsyncSpace, **fields: Any) -> list[str]:
    return [(await space.remember(story, **fields)).id for story in STORIES]


async def test_old_memories_are_told_of_by_one_and_kept(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        ids = await fill(memory)
        pinned = await memory.remember(
            "The key is under the third stone. It is wrapped in foil.", pinned=True
        )
        clock.advance(40 * DAY)
        young = await memory.remember("We bought a piano. It is a grand one from Leipzig and it is black.")
        would = await memory.compact(older_than_days=30, dry_run=True)
        assert (would.candidates, would.summaries, await memory.count()) == (3, 1, 5)
        done = await memory.compact(older_than_days=30)
        assert done == would.model_copy(update={"dry_run": False})
        (teller,) = await memory.list(sources=["compaction"])
        assert {one.id for one in await memory.list()} == {teller.id, pinned.id, young.id}
        archived = await memory.list(archived=True)
        assert [(one.id, one.archived_into) for one in archived] == [
            (id_, teller.id) for id_ in reversed(ids)
        ]
        assert teller.source_ref == {"memories": ids}
        await memory.settle()
        assert texts(await memory.recall("boiler plumber", limit=1)) == [teller.content]
        assert all("plumber" not in text for text in texts(await memory.recall("plumber", limit=50)))
        assert await memory.compact(older_than_days=30) == Compaction(candidates=0, tokens_saved=0)
        assert (await memory.get(ids[0])).content == STORIES[0]


@pytest.mark.parametrize("how", ["teller", "forgotten", "changed", "taken out", "said again", "erased"])
async def test_what_was_compacted_is_found_again_when_it_changes(memory: AsyncBethink, how: str) -> None:
    with FrozenClock(NOON) as clock:
        ids = await fill(memory)
        named = await memory.remember(
            "The cellar is dry. It was wet for years and had to be pumped.", key="cellar"
        )
        clock.advance(40 * DAY)
        assert (await memory.compact(older_than_days=30)).candidates == 4
        (teller,) = await memory.list(sources=["compaction"])
        match how:
            case "teller":
                await memory.forget(teller.id)
            case "forgotten":
                await memory.forget(ids[0])
            case "changed":
                await memory.update(ids[0], content="The boiler is new.")
            case "taken out":
                await memory.update(ids[0], archived=False)
            case "said again":
                await memory.remember("The cellar is dry, still.", key="cellar")
            case _:
                assert (await memory.erase(memory_ids=[ids[0]])).complete
        left = {*ids, named.id} - ({ids[0]} if how in ("forgotten", "erased") else set())
        assert {one.id for one in await memory.list()} == left
        assert await memory.list(archived=True) == []
        await memory.settle()
        assert len((await memory.recall("lake boiler hall cellar", limit=50)).hits) == len(left)
        if how == "forgotten":
            line = next(one for one in (await memory.journal()).items if one.record_id == ids[0])
            await memory.undo(line.id)
            assert len(await memory.list()) == 4


async def test_it_runs_by_itself_where_the_option_is_on(home: Home) -> None:
    async with home.memory(lifecycle={"compact_days": 30}) as memory:
        with FrozenClock(NOON) as clock:
            await fill(memory)
            clock.advance(40 * DAY)
            sweep = next(one for one in await memory.upkeep.list() if one.name == "compact")
            assert (sweep.enabled, sweep.due) == (False, 0)
            await memory.options.update(auto_summarize=True)
            assert [one.due for one in await memory.upkeep.list() if one.name == "compact"] == [3]
            await memory.take_over()
            await memory.settle()
            assert await memory.count() == 1
            assert (await memory.upkeep.history("compact"))[0].counts["compacted"] == 3


async def test_people_stay_apart_and_other_spaces_as_they_are(memory: AsyncBethink) -> None:
    other = memory.space(f"{memory.name}-other")
    with FrozenClock(NOON) as clock:
        ana = await add_person(memory, "Ana")
        await fill(memory)
        await fill(other)
        for number in range(3):
            await memory.remember(
                f"Ana told of trip {number}. It went on for hours and hours.", person_id=ana
            )
        clock.advance(400 * DAY)
        assert (await memory.compact()).summaries == 2
        assert {one.person_id for one in await memory.list()} == {ana, None}
        assert await other.count() == 3


async def test_a_budget_cuts_the_oldest_to_three_sentences(memory: AsyncBethink) -> None:
    long = "One thing. Another thing. A third thing. And a fourth that nobody needs any more at all."
    with FrozenClock(NOON) as clock:
        for session in ("old", "old", "new"):
            clock.advance(DAY)
            await memory.remember(f"{long} {clock.now.day}.", session_id=session)
        would = await memory.condense("old", max_tokens=estimate(long) + 2, dry_run=True)
        assert (would.candidates, would.dry_run) == (1, True)
        assert await memory.condense("old", max_tokens=estimate(long) + 2) == would.model_copy(
            update={"dry_run": False}
        )
        new, kept, cut = [one.content for one in await memory.list()]
        assert cut == "One thing. Another thing. A third thing."
        assert "fourth" in new
        assert "fourth" in kept
        assert (await memory.condense("old", max_tokens=0)).candidates == 1, "the other one; no budget at all"
        assert (await memory.condense("old", max_tokens=0)).candidates == 0
        await memory.undo((await memory.journal(limit=1)).items[0].id)
        assert any("fourth" in one.content for one in await memory.list(session_ids=["old"]))
    with pytest.raises(InvalidInput, match="max_tokens"):
        await memory.condense(max_tokens=-1)
