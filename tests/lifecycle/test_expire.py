"""What has had its time is found no more at once, and leaves the index by a sweep; purging is by choice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bethink import AsyncBethink
from bethink.extraction.templates import Templates
from bethink.files.narrative import refresh
from bethink.testing import FrozenClock
from tests.opened import Home, texts

DAY = timedelta(days=1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


async def test_what_expired_is_archived_after_a_while(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        gone = await memory.remember("The guest code is 4711.", expires_at=NOON + DAY, key="code")
        await memory.remember("The house has two doors.")
        await memory.facts.set("home", "guest", "Tom", expires_at=NOON + DAY)
        await memory.settle()
        clock.advance(2 * DAY)
        assert texts(await memory.recall("guest code", limit=9)) == ["The house has two doors."]
        assert (await memory.upkeep.run("expire", dry_run=True)).counts == {"ended": 1}
        assert (await memory.upkeep.run("expire")).counts == {"ended": 1}
        (version,) = await memory.facts.history("home", "guest")
        assert version.valid_to == NOON + DAY
        before = await memory.recall("guest code", as_of=NOON, limit=9, layers=["memory"])
        assert "4711" in "".join(texts(before)) or len(before.hits) == 2, "it still answers for its time"
        clock.advance(31 * DAY)
        assert (await memory.upkeep.run("expire")).counts == {"expired": 1}
        assert [one.id for one in await memory.list(archived=True)] == [gone.id]
        assert (await memory.upkeep.run("expire")).counts == {}
        again = await memory.remember("The guest code is 0815.", key="code", expires_at=None)
        assert (again.status, again.id) == ("merged", gone.id)
        assert await memory.list(archived=True) == [], "said again, it is alive again"


async def test_a_narrative_tells_of_nothing_that_has_expired(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        await memory.facts.set("home", "guest", "Tom", expires_at=NOON + DAY)
        await memory.facts.set("home", "city", "Cork")
        core, space = await memory.inside.here()
        await refresh(core.driver, space, None, Templates(None), clock.now)
        assert "Tom" in await memory.texts.narrative()
        assert "Tom" in (await memory.prompt("where do we live?")).stable
        clock.advance(2 * DAY)
        assert await memory.texts.narrative() == ""
        assert "Tom" not in (await memory.prompt("where do we live?")).text
        await memory.upkeep.run("expire")
        told = await memory.texts.narrative()
        assert "Cork" in told
        assert "Tom" not in told


async def test_retention_archives_and_a_longer_one_lets_it_be_taken_out(memory: AsyncBethink) -> None:
    with FrozenClock(NOON) as clock:
        old = await memory.remember("The lamp is blue.")
        await memory.remember("The safe is behind the door.", pinned=True)
        await memory.observe(
            "chat", [{"content": "The lamp came by post."}, {"content": "Pinned lamp.", "pinned": True}]
        )
        clock.advance(50 * DAY)
        await memory.options.update(retention_days=30)
        found = texts(await memory.recall("lamp safe", limit=9))
        assert set(found) == {"The safe is behind the door.", "Pinned lamp."}, "at once"
        assert [one.content for one in await memory.list()] == ["The safe is behind the door."]
        assert await memory.count() == 1
        fresh = (await memory.messages.list(archived=False)).items
        assert [one.content for one in fresh] == ["Pinned lamp."]
        assert await memory.messages.count(archived=False) == 1
        assert await memory.messages.count() == 2, "what was said is kept, and listed where all is asked for"
        assert (await memory.upkeep.run("expire", dry_run=True)).counts == {"memories": 1, "messages": 1}
        assert (await memory.upkeep.run("expire")).counts == {"memories": 1, "messages": 1}
        assert (await memory.upkeep.run("expire")).counts == {}
        assert await memory.messages.count(archived=True) == 1
        await memory.options.update(retention_days=None)
        line = next(one for one in (await memory.journal()).items if one.record_id == old.id)
        assert line.reason == "it is older than the retention time"
        await memory.undo(line.id)
        assert "The lamp is blue." in texts(await memory.recall("lamp", limit=9))


async def test_nothing_is_purged_unless_somebody_says_so(home: Home) -> None:
    async with home.memory() as memory:
        with FrozenClock(NOON) as clock:
            kept = await memory.remember("The lamp is blue.")
            await memory.update(kept.id, archived=True)
            await memory.observe("chat", [{"content": f"Line {number} of the day."} for number in range(4)])
            clock.advance(8 * DAY)
            await memory.upkeep.run("tiers")
            clock.advance(1000 * DAY)
            assert (await memory.upkeep.run("purge")).counts == {}
            assert await memory.count(archived=True) == 1
            assert not next(one for one in await memory.upkeep.list() if one.name == "purge").enabled
    async with home.memory(lifecycle={"purge_days": 365}) as memory:
        with FrozenClock(NOON) as clock:
            clock.advance(200 * DAY)
            assert (await memory.upkeep.run("purge", dry_run=True)).counts == {}
            clock.advance(300 * DAY)
            assert (await memory.upkeep.run("purge", dry_run=True)).counts == {"memories": 1, "messages": 3}
            assert (await memory.upkeep.run("purge")).counts == {"memories": 1, "messages": 3}
            assert (await memory.upkeep.run("purge")).counts == {}
            (line,) = (await memory.journal(action="purged")).items
            assert line.reason
            assert line.reason.startswith("3 messages, 1 memories that were archived before")
            assert (await memory.summaries.list()).total == 1, "what they came to stays"
            await memory.observe("chat", [{"content": "A new line."}])
            assert [one.position for one in await memory.messages.of("chat")] == [4, 5]
