"""Insights in a memory: added, extended, weighed, closed, merged, found, taken along, undone and erased."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest

from bethink import AsyncBethink, Bethink, InvalidInput, NotFound
from bethink.memory import AsyncSpace
from bethink.testing import FrozenClock
from tests import opened

home = opened.home
memory = opened.memory
spaces_postgres_url = opened.spaces_postgres_url

DAY = timedelta(days=1)


async def titles(space: AsyncSpace, **filters: object) -> list[str]:
    page = await space.insights.list(**filters)  # type: ignore[arg-type]
    return [one.insight.title for one in page.items]


async def said(space: AsyncSpace, *texts: str) -> list[str]:
    seen = await space.observe(
        "ops", [{"content": text, "channel": "#ops", "name": "Mira"} for text in texts]
    )
    return [one.id for one in seen.outcomes]


async def test_an_insight_is_added_extended_and_opened_again_by_later_evidence(memory: AsyncBethink) -> None:
    first, second, third = await said(memory, "The mail server is down", "Still down", "Down again")
    with FrozenClock() as clock:
        made = await memory.insights.add(
            "Mail server is down", kind="incident", dedupe_key="mail", provenance=[first], people=["Mira"]
        )
        assert (made.status, made.insight.task_label) == ("stored", "incident")
        clock.advance(DAY)
        more = await memory.insights.add(
            "Mail is broken", kind="incident", dedupe_key="mail", provenance=[second], importance="critical",
            urgency="low", people=["Ben"],
        )  # fmt: skip
        assert (more.status, more.id, more.insight.title) == ("merged", made.id, "Mail server is down")
        assert (more.insight.importance, more.insight.urgency) == ("critical", "medium")
        assert (more.insight.people, more.insight.provenance) == (["Mira", "Ben"], [first, second])
        again = await memory.insights.add("x", kind="incident", dedupe_key="mail", provenance=[second])
        assert (again.status, again.insight) == ("duplicate", more.insight)
        closed = await memory.insights.resolve(made.id, "a new disk", message_id=second)
        assert (closed.status, closed.closed_by, closed.closed_because) == ("closed", second, "a new disk")
        clock.advance(DAY)
        back = await memory.insights.add("x", kind="incident", dedupe_key="mail", provenance=[third])
    assert (back.insight.status, back.insight.closed_at, back.insight.closed_by) == ("open", None, None)
    assert [line["event"] for line in back.insight.timeline] == ["opened", "evidence", "closed", "reopened"]


async def test_the_same_bot_and_key_make_the_same_id_in_a_space_and_another_elsewhere(
    memory: AsyncBethink,
) -> None:
    made = await memory.insights.add("Pay rent", dedupe_key="rent", bot_id="b1")
    other_bot = await memory.insights.add("Pay rent", dedupe_key="rent", bot_id="b2")
    elsewhere = await memory.space(f"{memory.name}-b").insights.add(
        "Pay rent", dedupe_key="rent", bot_id="b1"
    )
    assert len({made.id, other_bot.id, elsewhere.id}) == 3
    await memory.insights.forget(made.id, reason="a mistake")
    assert (await memory.insights.add("Pay rent", dedupe_key="rent", bot_id="b1")).id == made.id


async def test_what_is_viewed_favoured_and_weighed_counts_more_and_for_that_person_only(
    memory: AsyncBethink,
) -> None:
    (person,) = await memory.people.list()
    with FrozenClock() as clock:
        quiet = (await memory.insights.add("Quiet")).id
        loud = (await memory.insights.add("Loud")).id
        clock.advance(3 * DAY)
        for _ in range(3):
            viewed = await memory.insights.view(loud, person_id=person.id)
        assert (viewed.weights.access_count_7d, viewed.weights.boost) == (3, 1.1)
        liked = await memory.insights.favourite(loud, person_id=person.id)
        assert (await memory.insights.favourite(loud, person_id=person.id)).weights == liked.weights
        assert liked.weights.boost == pytest.approx(1.65)
        page = await memory.insights.list(person_id=person.id)
        assert [(one.insight.id, one.weights.current_event_rank) for one in page.items] == [
            (loud, 1), (quiet, 2)
        ]  # fmt: skip
        alone = await memory.insights.get(quiet, person_id=person.id)
        assert (alone.weights.current_event_rank, liked.weights.current_event_rank) == (2, 1)
        nobody = await memory.insights.get(loud)
        assert (nobody.weights.access_count_30d, nobody.weights.favourite) == (0, False)
        await memory.insights.weigh(quiet, 5)
        assert await titles(memory) == ["Quiet", "Loud"]
        assert await titles(memory, person_id=person.id, favourite=True) == ["Loud"]
        used = await memory.insights.usage(person_id=person.id)
        assert (used.total, used.active, used.rising, used.views_7d, used.favourites) == (2, 1, 1, 3, 1)
        assert [one.insight.id for one in used.most_viewed] == [loud]
        await memory.insights.favourite(loud, False, person_id=person.id)
        clock.advance(40 * DAY)
        later = await memory.insights.get(loud, person_id=person.id)
        assert (later.weights.activity, later.weights.decay, later.weights.favourite) == (
            "dormant", 0.7, False
        )  # fmt: skip
    with pytest.raises(InvalidInput, match="multiplier"):
        await memory.insights.weigh(quiet, 6)
    with pytest.raises(InvalidInput, match="no person"):
        await memory.insights.view(quiet, person_id="nobody")


async def test_filters_choose(memory: AsyncBethink) -> None:
    with FrozenClock() as clock:
        await memory.insights.add(
            "Fix the login", kind="task", channels=["#dev"], people=["Zoë"], platforms=["slack"],
            due_at=clock.now + DAY, importance="high",
        )  # fmt: skip
        clock.advance(DAY)
        shipped = await memory.insights.add("Ship on Fridays", kind="decision", task_label="release")
        await memory.insights.resolve(shipped.id)
        assert await titles(memory, kinds=["task"]) == ["Fix the login"]
        assert await titles(memory, kinds=[]) == []
        assert await titles(memory, status="closed") == ["Ship on Fridays"]
        assert await titles(memory, people=["zoe"], channels=["#dev"], platforms=["slack"]) == [
            "Fix the login"
        ]
        assert await titles(memory, importances=["high"], urgencies=["medium"]) == ["Fix the login"]
        assert await titles(memory, task_labels=["release"]) == ["Ship on Fridays"]
        assert await titles(memory, query="FRIDAY") == ["Ship on Fridays"]
        assert await titles(memory, since=clock.now) == ["Ship on Fridays"]
        assert await titles(memory, until=clock.now) == ["Fix the login"]
        assert await titles(memory, due_before=clock.now + DAY) == ["Fix the login"]
        assert await titles(memory, activity="active") == await titles(memory, trend="rising") == []
        page = await memory.insights.list(limit=1, offset=1)
        assert (len(page.items), page.total) == (1, 2)


async def test_merging_keeps_what_was_said_and_done(memory: AsyncBethink) -> None:
    one, two = await said(memory, "The printer jams", "Printer: paper jam again")
    kept = await memory.insights.add("Printer jams", provenance=[one], urgency="urgent")
    lost = await memory.insights.add("Paper jam", provenance=[two], importance="high", people=["Ben"])
    await memory.insights.view(lost.id)
    merged = await memory.insights.merge(kept.id, lost.id)
    assert (merged.provenance, merged.people) == ([one, two], ["Ben"])
    assert (merged.importance, merged.urgency) == ("high", "urgent")
    assert (await memory.insights.get(kept.id)).weights.access_count_7d == 1
    with pytest.raises(NotFound):
        await memory.insights.get(lost.id)
    with pytest.raises(InvalidInput, match="itself"):
        await memory.insights.merge(kept.id, kept.id)


async def test_insights_are_recalled_in_a_layer_of_their_own(memory: AsyncBethink) -> None:
    made = await memory.insights.add(
        "Offsite in Porto", kind="decision", description="The team meets there in May", people=["Ana"]
    )
    await memory.settle()
    (hit,) = (await memory.recall("where is the offsite?", layers=["insight"])).hits
    assert (hit.layer, hit.id, hit.text) == (
        "insight", made.id, "Offsite in Porto: The team meets there in May"
    )  # fmt: skip
    told = await memory.prompt("where is the offsite?")
    assert "decision (open): Offsite in Porto" in told.text


async def test_changes_are_journalled_and_undone(memory: AsyncBethink) -> None:
    made = await memory.insights.add("Renew the lease", kind="task")
    await memory.insights.update(made.id, title="Renew both leases", people=["Ana"])
    await memory.insights.resolve(made.id)
    resolved, renamed = (await memory.journal(record_id=made.id, action="updated")).items
    for line in (resolved, renamed):
        await memory.undo(line.id)
    back = (await memory.insights.get(made.id)).insight
    assert (back.title, back.status, back.people) == ("Renew the lease", "open", [])
    await memory.insights.forget(made.id)
    (gone,) = (await memory.journal(record_id=made.id, action="forgotten")).items
    await memory.undo(gone.id)
    assert [one.insight.id for one in (await memory.insights.list()).items] == [made.id]


async def test_insights_and_what_was_done_with_them_travel_in_an_archive(memory: AsyncBethink) -> None:
    (source,) = await said(memory, "We decided to move to Porto")
    made = await memory.insights.add("Move to Porto", kind="decision", provenance=[source])
    await memory.insights.view(made.id)
    await memory.insights.favourite(made.id)
    archive = BytesIO()
    await memory.export(archive)
    copy = memory.space(f"{memory.name}-copy")
    await copy.import_(BytesIO(archive.getvalue()))
    (found,) = (await copy.insights.list()).items
    assert (found.insight.title, found.weights.favourite, found.weights.access_count_7d) == (
        "Move to Porto", True, 1
    )  # fmt: skip
    assert found.insight.provenance == [one.id for one in await copy.messages.of("ops")]
    await copy.import_(BytesIO(archive.getvalue()))
    assert (await copy.insights.list()).total == 1


async def test_erasing_the_message_an_insight_is_from_erases_it(memory: AsyncBethink) -> None:
    source, other = await said(memory, "Zanzibar will be our next office", "Lunch is at noon")
    made = await memory.insights.add("Zanzibar office", provenance=[source])
    kept = await memory.insights.add("Lunch at noon", provenance=[other])
    await memory.insights.view(made.id)
    receipt = await memory.erase(message_ids=[source])
    assert receipt.complete
    assert [one.insight.id for one in (await memory.insights.list()).items] == [kept.id]
    assert (await memory.erase(query="Lunch at noon")).complete
    assert (await memory.insights.list()).total == 0


async def test_secrets_in_insights_are_masked(memory: AsyncBethink) -> None:
    made = await memory.insights.add(
        "New wifi", description="the wifi password is Tulip!77x", details=[{"text": "password: Tulip!77x"}]
    )
    shown = (await memory.insights.get(made.id)).insight
    assert "Tulip" not in shown.model_dump_json()
    assert "Tulip!77x" in (await memory.insights.get(made.id, secrets=True)).insight.description


@pytest.mark.parametrize("field", ["title", "description", "bot_id", "dedupe_key"])
async def test_what_no_database_can_keep_is_refused(memory: AsyncBethink, field: str) -> None:
    values: dict[str, Any] = {"title": "x", field: "nul \0 inside"}
    with pytest.raises(InvalidInput, match=field):
        await memory.insights.add(**values)


async def test_evidence_must_be_of_the_space(memory: AsyncBethink) -> None:
    theirs = await said(memory.space(f"{memory.name}-other"), "Secret plans")
    with pytest.raises(InvalidInput, match="no message"):
        await memory.insights.add("Plans", provenance=theirs)


def test_the_verbs_work_without_await() -> None:
    with Bethink(":memory:", embed={"source": "none"}) as memory:
        made = memory.insights.add("Buy bread", kind="task")
        assert memory.insights.view(made.id).weights.access_count_7d == 1
        assert memory.insights.reopen(memory.insights.resolve(made.id).id).status == "open"
