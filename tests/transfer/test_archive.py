"""An archive holds all of a space; an empty space becomes it again, to the byte, on either database."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from bethink import AsyncBethink, Conflict, InvalidInput
from bethink.clock import now
from bethink.records import Extraction, ExtractionStatus
from bethink.shapes.outcomes import Progress
from bethink.shapes.rights import Imported
from bethink.store import Tx, extractions, settings
from bethink.transfer import bounds
from tests.opened import Home, texts

ODD = 'line\nline "quoted" \\ 它很喜欢 👩‍👩‍👧‍👦 \u2028 end'
JSON = {
    "big": 1e20,
    "small": 1e-7,
    "zero": -0.0,
    "half": 0.5,
    "n": 2**53,
    "list": [1, {"x": None}],
    "日": "本",
}


async def furnish(memory: AsyncBethink) -> None:
    people = [{"display_name": "Ana", "notes": ODD}, {"display_name": "Zoë"}]
    await memory.household.update(
        display_name="Casa 🏠", mode="multi", timezone="Europe/Lisbon", persons=people
    )
    ana = (await memory.people.list())[0].id
    await memory.devices.put("tv / 1", name=ODD, primary_person_id=ana)
    await memory.texts.set_soul(ODD)
    await memory.texts.set_narrative("They like maps.")
    for session in ("z", "é/ü", "Chat", "a"):
        await memory.observe(
            session,
            [
                {"id": f"{session}-1", "content": ODD, "name": "Ana", "person_id": ana, "metadata": JSON},
                {"role": "assistant", "content": "", "attachments": [{"url": "x"}], "importance": 0.1},
                {"content": f"third of {session}", "sent_at": "1969-12-31T23:59:59.999999+05:30"},
            ],
        )
    await memory.observe("z", [{"id": "z-1", "content": "edited"}])
    long_ago = [{"content": f"ship {n}", "sent_at": "1975-05-05", "channel": "harbour"} for n in range(3)]
    await memory.observe("long ago", long_ago)
    await memory.messages.pin((await memory.messages.of("z"))[2].id)  # so that it stays to be found
    await memory.upkeep.run("tiers")  # and the ships come to a summary
    stored = await memory.remember(ODD, key="k", tags=["b", "a"], metadata=JSON, person_id=ana, title="t")
    for number in range(20):
        await memory.remember(f"note {number} about Lisbon", pinned=number % 2 == 0)
    await memory.update(stored.id, content="changed", metadata={"more": 1e16})
    await memory.forget((await memory.list(limit=1))[0].id, reason="why not")
    for value in ("one", "two", "three"):
        await memory.facts.set("count", "of things", value, person_id=ana, provenance=[stored.id])
    await memory.facts.set("gone", "fact", "x")
    await memory.facts.forget("gone", "fact")
    core, space = await memory.inside.here()
    await core.driver.write(settings.put, space.id, "colour", {"deep": [1.5, "blue"]}, now())
    failed = Extraction(
        id=str(uuid4()),
        space_id=space.id,
        session_id="é/ü",
        extractor="facts",
        first_position=1,
        last_position=3,
        status=ExtractionStatus.FAILED,
        reason=ODD,
        counts={"turns": 3},
        at=now(),
    )
    await core.driver.write(extractions.add, [failed])
    made = await memory.insights.add(ODD, people=["Ana"], details=[{"text": ODD}])
    await memory.insights.view(made.id)
    added = await memory.documents.add(f"# Odd\n\n{ODD}".encode("utf-8", "replace"), "odd.md")
    await memory.documents.wait(added.document.id)
    note = await memory.contexts.add(ODD, "A long text that conversations are given")
    await memory.begin("a", context_ids=[note.id], title="with a context")
    await memory.settle()


async def exported(memory: AsyncBethink) -> bytes:
    stream = BytesIO()
    made = await memory.export(stream)
    assert made.bytes == len(stream.getvalue())
    return stream.getvalue()


@pytest.fixture
async def archive(home: Home) -> AsyncIterator[bytes]:
    async with home.memory() as memory:
        await furnish(memory)
        yield await exported(memory)


@pytest.fixture(params=["sqlite", "postgres"])
def elsewhere(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """Another database."""
    if request.param == "sqlite":
        return Home(str(tmp_path / "elsewhere.db"))
    return Home(str(request.getfixturevalue("postgres_url")))


def records(archive: bytes, noun: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in archive.splitlines()]
    return [line["record"] for line in lines[1:] if line["noun"] == noun]


def changed(archive: bytes, number: int, change: Callable[[dict[str, Any]], object]) -> BytesIO:
    """The archive with another line in the place of one."""
    lines = archive.splitlines(keepends=True)
    values = json.loads(lines[number - 1])
    change(values)
    lines[number - 1] = json.dumps(values).encode() + b"\n"
    return BytesIO(b"".join(lines))


def number_of(archive: bytes, noun: str) -> int:
    """The line on which the first record of a noun stands."""
    return next(n for n, line in enumerate(archive.splitlines(), 1) if json.loads(line).get("noun") == noun)


async def test_it_holds_every_noun_and_says_how_many(archive: bytes) -> None:
    header = json.loads(archive.splitlines()[0])
    assert (header["format"], header["version"]) == ("bethink", 1)
    for noun, count in header["counts"].items():
        assert len(records(archive, noun)) == count > 0, noun
    assert [fact["value"] for fact in records(archive, "fact")][:3] == ["one", "two", "three"]
    assert [message["sessionId"] for message in records(archive, "message")][::3] == [
        "Chat", "a", "long ago", "z", "é/ü",
    ]  # fmt: skip


async def test_an_empty_space_becomes_it_to_the_byte(archive: bytes, elsewhere: Home) -> None:
    async with elsewhere.memory() as memory:
        done = await memory.import_(BytesIO(archive))
        assert done.restored
        assert done.duplicates == {}
        assert await exported(memory) == archive
        await memory.settle()
        assert await exported(memory) == archive
        found = await memory.recall("note 7 about Lisbon", limit=3)
        assert (found.hits[0].text, found.degraded) == ("note 7 about Lisbon", [])
        stats = await memory.stats()
        assert all(layer.embedded == layer.total for layer in stats.layers.values())
        line = (await memory.journal(noun="memory", action="forgotten")).items[0]
        assert line.imported
        with pytest.raises(Conflict, match="came with an archive"):
            await memory.undo(line.id)


async def test_the_index_is_rebuilt_as_it_was(home: Home, elsewhere: Home) -> None:
    async def found(memory: AsyncBethink) -> list[dict[str, float]]:
        queries = ("changed", "third things", "note 7 about Lisbon", "Ana")
        results = [await memory.recall(query, limit=200, max_tokens=8000) for query in queries]
        held = [[hit for hit in result.hits if hit.terms is not None] for result in results]
        assert all(held)
        return [{hit.id: round(hit.vector or 0, 3) for hit in hits} for hits in held]

    async with home.memory() as memory:
        await furnish(memory)
        archive, before = await exported(memory), await found(memory)
    async with elsewhere.memory() as memory:
        await memory.import_(BytesIO(archive))
        await memory.settle()
        assert await found(memory) == before


async def test_importing_it_again_changes_nothing_but_the_journal(archive: bytes, elsewhere: Home) -> None:
    async with elsewhere.memory() as memory:
        await memory.import_(BytesIO(archive))
        again = await memory.import_(BytesIO(archive))
        assert (again.restored, again.stored) == (False, {})
        assert (
            sum(again.duplicates.values()) == sum(json.loads(archive.splitlines()[0])["counts"].values()) - 1
        )
        after = (await exported(memory)).splitlines()[1:]
        assert [line for line in after if line not in archive.splitlines()] == [after[-1]]
        assert (await memory.journal(limit=1)).items[0].action == "imported"


async def test_it_is_merged_into_what_is_there(archive: bytes, elsewhere: Home) -> None:
    async with elsewhere.memory() as memory:
        await memory.household.update(mode="multi", persons=[{"display_name": "ANA"}])
        here = (await memory.people.list())[0].id
        kept = await memory.remember("mine under the same key", key="k")
        await memory.observe("z", [{"content": "mine"}, {"id": "z-1", "content": "mine too"}])
        await memory.facts.set("gone", "fact", "here it holds")
        await memory.texts.set_soul("Mine")
        done = await memory.import_(BytesIO(archive))
        assert not done.restored
        assert done.duplicates == {
            "person": 1, "memory": 1, "message": 1, "text": 1, "session": 1,
            "extraction": 1,  # of the session with messages of its own, which is read again
        }  # fmt: skip
        assert (await memory.get(kept.id)).content == "mine under the same key"
        assert await memory.texts.soul() == "Mine"
        assert [m.content for m in await memory.messages.of("z")] == ["mine", "mine too", "", "third of z"]
        counted = await memory.facts.get("count", "of things", person_id=here)
        assert counted is not None
        assert counted.value == "three"
        holds = await memory.facts.get("gone", "fact")
        assert holds is not None
        assert holds.value == "here it holds"
        assert sorted(person.display_name for person in await memory.people.list()) == ["ANA", "Zoë"]
        assert texts(await memory.recall("third of z", layers=["message"], limit=1)) == ["third of z"]


@pytest.mark.parametrize("newer", [True, False])
async def test_of_two_current_values_the_later_one_stands(home: Home, elsewhere: Home, newer: bool) -> None:
    async with home.memory() as memory, elsewhere.memory() as other:
        first, second = (other, memory) if newer else (memory, other)
        await first.facts.set("a", "b", "earlier")
        await second.facts.set("a", "b", "later")
        await other.import_(BytesIO(await exported(memory)))
        versions = await other.facts.history("a", "b")
        assert [(fact.value, fact.valid_to is None) for fact in versions] == [
            ("later", True),
            ("earlier", False),
        ]
        assert versions[1].superseded_by == versions[0].id
        assert versions[1].valid_to == versions[0].valid_from


async def test_a_copy_in_the_same_database_has_ids_of_its_own(home: Home) -> None:
    async with home.memory() as memory:
        await furnish(memory)
        archive = await exported(memory)
        copy = memory.space(f"copy-{uuid4().hex}")
        done = await copy.import_(BytesIO(archive))
        assert (done.restored, len(done.notes)) == (False, 1)
        assert await copy.count() == await memory.count()
        ours = {known.id for known in await memory.list(limit=100)}
        theirs = await copy.list(limit=100)
        assert ours.isdisjoint(known.id for known in theirs)
        ana = next(person.id for person in await copy.people.list() if person.display_name == "Ana")
        fact = await copy.facts.get("count", "of things", person_id=ana)
        assert fact is not None
        assert fact.provenance == [known.id for known in theirs if known.key == "k"]
        again = await copy.import_(BytesIO(archive))
        assert again.stored == {}
        assert await exported(memory) == archive


@pytest.mark.parametrize("batches", ["one", "many"])
async def test_what_nobody_has_read_is_read_after_a_merge(
    home: Home, elsewhere: Home, monkeypatch: pytest.MonkeyPatch, batches: str
) -> None:
    async with home.memory() as memory:
        await memory.observe("s", [{"content": f"I live at number {number}."} for number in range(30)])
        await memory.observe("other", [{"content": "I live in Lisbon."}])
        await memory.settle()
        archive = await exported(memory)
    if batches == "many":
        monkeypatch.setattr(bounds, "BATCH", 7)
    async with elsewhere.memory() as memory:
        await memory.options.update(extractors=[])
        await memory.observe("s", [{"content": "My name is Quentin Ferreira."}])
        await memory.settle()
        done = await memory.import_(BytesIO(archive))
        assert done.stored["extraction"] == 1, "what only the archive speaks of stays read"
        await memory.options.update(extractors=["patterns"])
        await memory.extract()
        assert "Quentin Ferreira" in {fact.value for fact in await memory.facts.list()}


async def test_an_erased_space_comes_back_from_its_archive(home: Home) -> None:
    async with home.memory() as memory:
        await furnish(memory)
        archive = await exported(memory)
        await memory.erase(everything=True)
        done = await memory.import_(BytesIO(archive))
        assert not done.restored  # the journal of the erasure is there
        assert records(await exported(memory), "memory") == records(archive, "memory")


async def test_to_a_file_and_back_with_progress(home: Home, elsewhere: Home, tmp_path: Path) -> None:
    file, seen = tmp_path / "out" / "archive.jsonl", list[Progress]()
    async with home.memory() as memory:
        await furnish(memory)
        with pytest.raises(InvalidInput, match=r"file: .*archive\.jsonl cannot be written"):
            await memory.export(file)
        file.parent.mkdir()
        made = await memory.export(file, progress=seen.append)
        assert file.read_bytes() == await exported(memory)
    assert file.stat().st_mode & 0o077 == 0
    assert [path.name for path in file.parent.iterdir()] == ["archive.jsonl"]
    assert (seen[-1].done, seen[-1].total) == (sum(made.counts.values()),) * 2
    async with elsewhere.memory() as memory:
        seen.clear()
        await memory.import_(str(file), progress=seen.append)
        assert seen[-1].done == seen[-1].total == sum(made.counts.values())
        assert await exported(memory) == file.read_bytes()


DEVICE = {"id": "d", "name": "d", "createdAt": "2020-01-01", "updatedAt": "2020-01-01"}


def put(**fields: Any) -> Callable[[dict[str, Any]], None]:
    """Change the record of a line."""
    return lambda line: line["record"].update(fields)


BAD: dict[str, tuple[str, Callable[[dict[str, Any]], object], str]] = {
    "format": ("header", lambda line: line.update(version=2), r"line 1: version: is 2"),
    "cut short": ("header", lambda line: line["counts"].update(fact=99), r"line 1: counts\.fact: says 99"),
    "noun": ("memory", lambda line: line.update(noun="cat"), r"line \d+: noun: 'cat' is not known"),
    "record": ("memory", lambda line: line.update(record=3), r"line \d+: record: must be an object"),
    "missing": (
        "memory",
        lambda line: line["record"].pop("content"),
        r"record\.content: is required; add it",
    ),
    "unknown": ("memory", put(colour=1), r"record\.colour: is not known here"),
    "time": ("fact", put(validFrom="soon"), r"record\.validFrom: "),
    "nul": ("message", put(content="a\0b"), r"record\.content: .*NUL"),
    "number": ("message", put(position=2**70), r"record\.position: is too large"),
    "name": ("memory", put(key="k" * 300), r"record\.key: is longer than 250"),
    "role": ("message", put(role="boss"), r"record\.role: must be one of"),
    "session": ("message", put(sessionId="nope"), r"record\.sessionId: there is no session 'nope'"),
    "person": ("fact", put(personId="nope"), r"record\.personId: there is no person 'nope'"),
    "mode": ("space", put(mode="many"), r"line 2: record\.mode: "),
    "zone": ("space", put(timezone="Nowhere/X"), r"line 2: record\.timezone: "),
    "order": ("memory", lambda line: line.update(noun="device", record=DEVICE), r"noun: a device must come"),
}


@pytest.mark.parametrize("case", BAD)
async def test_a_bad_archive_is_refused_by_line_and_field(case: str, tmp_path: Path) -> None:
    noun, change, message = BAD[case]
    async with Home(str(tmp_path / "a.db")).memory() as memory:
        await furnish(memory)
        archive = await exported(memory)
    number = 1 if noun == "header" else number_of(archive, noun)
    if case == "order":
        number += 1
    async with Home(str(tmp_path / "b.db")).memory() as memory:
        empty = await exported(memory)
        with pytest.raises(InvalidInput, match=message) as caught:
            await memory.import_(changed(archive, number, change))
        assert (caught.value.field or "").startswith(f"line {number}.")
        assert await exported(memory) == empty


async def test_a_file_that_is_cut_off_is_refused(archive: bytes, elsewhere: Home) -> None:
    async with elsewhere.memory() as memory:
        for broken, message in (
            (archive[: len(archive) // 2], r"line \d+: (is not valid JSON|.*not whole)"),
            (archive.splitlines(keepends=True)[0], r"line 1: counts\.\w+: says \d+, but there are 0"),
            (b'{"format": "bethink"}', r"line 1: version"),
        ):
            with pytest.raises(InvalidInput, match=message):
                await memory.import_(BytesIO(broken))


async def test_a_stream_that_can_be_read_once_will_do(archive: bytes, elsewhere: Home) -> None:
    class Once(BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: Any) -> int:
            raise OSError("no")

    async with elsewhere.memory() as memory:
        done: Imported = await memory.import_(Once(archive))
        assert done.restored
        assert await exported(memory) == archive


async def test_large_spaces_are_exported_row_by_row(home: Home) -> None:
    """No table is read as a whole: the rows come one after the other."""
    async with home.memory(embed={"source": "none"}) as memory:
        await memory.remember_many([{"content": f"note {number}"} for number in range(1200)])
        core, space = await memory.inside.here()

        def first_of_many(tx: Tx) -> str:
            from bethink.store import archive as rows

            each = rows.each(tx, space.id, "memory")
            first = next(each)
            assert len([first, *each]) == 1200
            return str(first.content)

        assert (await core.driver.read(first_of_many)).startswith("note ")


async def test_a_fact_that_ended_before_it_began_is_set_right(archive: bytes, elsewhere: Home) -> None:
    def turn_round(line: dict[str, Any]) -> None:
        line["record"] |= {"validFrom": "2030-01-01T00:00:00Z", "validTo": "2020-01-01T00:00:00Z"}

    wrong = changed(archive, number_of(archive, "fact"), turn_round)
    async with elsewhere.memory() as memory:
        await memory.import_(wrong)
        for fact in records(await exported(memory), "fact"):
            assert fact.get("validTo") is None or fact["validFrom"] <= fact["validTo"]
