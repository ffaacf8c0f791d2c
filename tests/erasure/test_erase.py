"""What is erased is gone: from every table, the index, the journal, the caches, the bytes of the files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from bethink import AsyncBethink, InvalidInput, ModelError, NotFound
from bethink.clock import new_id, now
from bethink.index.passages import Passages
from bethink.models.embed import EmbedRole
from bethink.models.embed.cache import CachedEmbedder
from bethink.records import Context, Extraction, ExtractionStatus
from bethink.shapes.rights import Receipt
from bethink.store import Tx, extractions, survey
from bethink.testing import HashEmbedder
from tests.opened import Home, add_person, texts

SECRET = "The zebra cipher opens the Quillfeather vault at midnight"
CONTROL = "The giraffe likes marmalade on Sundays in the garden"
RARE = ("zebra", "quillfeath", "cipher")


def bytes_of(url: str) -> bytes:
    return b"".join(Path(url + end).read_bytes() for end in ("", "-wal", "-shm") if Path(url + end).exists())


async def everything_in(memory: AsyncBethink) -> str:
    """Every text of the space in the database."""
    core, space = await memory.inside.here()

    def read(tx: Tx) -> str:
        found = survey.columns(tx)
        return "\n".join(
            sorted(
                repr(row) for table, names in found.items() for row in survey.rows(tx, space.id, table, names)
            )
        )

    return await core.driver.read(read)


def assert_complete(receipt: Receipt) -> None:
    assert receipt.complete, receipt
    assert receipt.proof is not None
    assert receipt.proof.elsewhere == []
    assert receipt.proof.tables > 10
    assert receipt.proof.rows > 0
    assert receipt.proof.texts > 0


@pytest.fixture
def home_with_files(tmp_path: Path) -> Home:
    return Home(str(tmp_path / "erase.db"))


async def test_no_byte_of_it_is_left_in_the_files(home_with_files: Home) -> None:
    home = home_with_files
    async with home.memory() as memory:
        kept = await memory.remember(CONTROL)
        stored = await memory.remember(SECRET, title=f"{SECRET} (title)", tags=["cipher"])
        await memory.update(stored.id, content=f"{SECRET}, and once more")
        await memory.update(stored.id, content="something short")
        for number in range(300):  # so that pages are filled, split and freed
            await memory.remember(f"{SECRET} number {number}", key=f"k{number}")
        await memory.settle()
        await memory.recall(SECRET)
        assert SECRET.encode() in bytes_of(home.url)
        ids = [known.id for known in await memory.list(limit=1000) if known.id != kept.id]
        receipt = await memory.erase(memory_ids=ids[:200])
        assert receipt.erased["memories"] == 200
        receipt = await memory.erase(memory_ids=ids[200:])
        assert_complete(receipt)
        assert receipt.storage is not None
        assert receipt.storage.scrubbed
        left = bytes_of(home.url)
        assert CONTROL.encode() in left
        assert SECRET.encode() not in left
        for term in RARE:
            assert term.encode() not in left, term
        assert SECRET not in receipt.model_dump_json()
        assert texts(await memory.recall("giraffe")) == [CONTROL]
    assert SECRET.encode() not in bytes_of(home.url)


async def test_a_log_that_another_process_reads_is_told(home_with_files: Home) -> None:
    home = home_with_files
    async with home.memory(store={"busy_seconds": 0.2}) as memory:
        stored = await memory.remember(SECRET)
        reader = apsw.Connection(home.url)
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM memories").fetchall()
        receipt = await memory.erase(memory_ids=[stored.id])
        assert receipt.storage is not None
        assert not receipt.storage.scrubbed
        assert "Another process was reading" in receipt.storage.notes[0]
        reader.close()
        other = await memory.remember("another")
        receipt = await memory.erase(memory_ids=[other.id])
        assert receipt.storage is not None
        assert receipt.storage.scrubbed
        assert SECRET.encode() not in bytes_of(home.url)


async def test_a_memory_goes_with_its_journal_and_its_facts(memory: AsyncBethink) -> None:
    await memory.remember(CONTROL)
    stored = await memory.remember(SECRET)
    other = await memory.remember("another")
    await memory.update(stored.id, content=SECRET + "!", reason=f"because {SECRET}")
    await memory.facts.set("vault", "opens", "at the hour of midnight", provenance=[stored.id])
    await memory.facts.set("mixed", "sources", "stays", provenance=[stored.id, other.id])
    await memory.settle()
    receipt = await memory.erase(memory_ids=[stored.id])
    assert_complete(receipt)
    assert (receipt.erased["memories"], receipt.erased["facts"]) == (1, 1)
    left = await everything_in(memory)
    assert SECRET not in left
    assert stored.id not in left
    assert CONTROL in left
    mixed = await memory.facts.get("mixed", "sources")
    assert mixed is not None
    assert mixed.provenance == [other.id]
    assert await memory.facts.history("vault", "opens") == []
    line = (await memory.journal(limit=1)).items[0]
    assert (line.noun, line.action, line.record_id) == ("erasure", "erased", receipt.id)
    with pytest.raises(NotFound):
        await memory.get(stored.id)
    assert all(SECRET not in hit.text for hit in (await memory.recall(SECRET, limit=50)).hits)


async def test_what_was_forgotten_is_erased_from_the_journal(memory: AsyncBethink) -> None:
    stored = await memory.remember(SECRET)
    await memory.forget(stored.id)
    assert SECRET in await everything_in(memory)
    receipt = await memory.erase(memory_ids=[stored.id])
    assert receipt.erased["journal"] == 2
    left = await everything_in(memory)
    assert SECRET not in left
    assert stored.id not in left
    with pytest.raises(NotFound, match=f"There is no memory '{stored.id}'"):
        await memory.erase(memory_ids=[stored.id])


async def test_a_session_goes_and_its_neighbours_forget_its_words(memory: AsyncBethink) -> None:
    await memory.observe("vault", [{"content": SECRET, "name": "Quill"}, {"content": "I see"}])
    await memory.observe("other", [{"content": CONTROL}])
    await memory.remember("made from the vault conversation", session_id="vault")
    await memory.settle()
    receipt = await memory.erase(session_id="vault")
    assert_complete(receipt)
    assert receipt.erased | {"journal": 0} == {
        "memories": 1, "messages": 2, "facts": 0, "contexts": 0, "insights": 0, "persons": 0, "sessions": 1,
        "summaries": 0,
        "documents": 0, "passages": 0,
        "journal": 0, "journal lines blanked": 0, "session titles": 0, "session ids": 0,
    }  # fmt: skip
    assert [session.id for session in await memory.sessions()] == ["other"]
    assert SECRET not in await everything_in(memory)


async def test_words_of_an_erased_turn_are_no_context_any_more(memory: AsyncBethink) -> None:
    said = [{"content": "hello there"}, {"content": SECRET}, {"content": "a longer goodbye"}]
    await memory.observe("chat", said)
    receipt = await memory.erase(query="zebra CIPHER")
    assert_complete(receipt)
    assert [message.content for message in await memory.messages.of("chat")] == [
        "hello there",
        "a longer goodbye",
    ]
    found = await memory.recall("cipher", layers=["message"], strategy="hybrid")
    assert all(hit.terms is None for hit in found.hits)


async def test_a_person_goes_with_all_that_is_of_them(memory: AsyncBethink) -> None:
    quill = await add_person(memory, "Quillfeather", aliases=["Quilly"])
    ana = await add_person(memory, "Ana")
    await memory.devices.put("phone", name="Phone", primary_person_id=quill)
    await memory.remember(SECRET, person_id=quill)
    await memory.remember(CONTROL, person_id=ana)
    await memory.facts.set("vault", "code", "four nine two one, said quietly", person_id=quill)
    await memory.facts.set("vault", "code", "changed to something else", person_id=quill)
    await memory.observe("chat", [{"content": "I am the owner of it all", "person_id": quill}])
    await memory.remember("Quillfeather")
    receipt = await memory.erase(person_id=quill)
    assert receipt.complete
    assert receipt.proof is not None
    assert [(place.noun, place.field) for place in receipt.proof.elsewhere] == [("memory", "content")]
    assert (receipt.erased["persons"], receipt.erased["facts"], receipt.erased["messages"]) == (1, 2, 1)
    assert quill not in await everything_in(memory)
    assert (await memory.devices.get("phone")).primary_person_id is None
    assert "Ana" in [person.display_name for person in await memory.people.list()]


async def test_someone_lives_in_a_space_whose_only_person_was_erased(memory: AsyncBethink) -> None:
    only = (await memory.people.list())[0]
    assert (await memory.erase(person_id=only.id)).complete
    fresh = await memory.people.list()
    assert len(fresh) == 1
    assert fresh[0].id != only.id


async def test_a_fact_goes_with_all_its_versions(memory: AsyncBethink) -> None:
    first = await memory.facts.set("vault", "code", "one two three four five six")
    await memory.facts.set("vault", "code", "six five four three two one")
    await memory.facts.set("other", "fact", "tea")
    receipt = await memory.erase(fact_ids=[first.id])
    assert_complete(receipt)
    assert receipt.erased["facts"] == 2
    assert [fact.key for fact in await memory.facts.list()] == ["fact"]
    left = await everything_in(memory)
    assert "six five four" not in left
    assert first.id not in left


async def test_a_version_that_a_query_finds_leaves_no_link_and_no_quotation(memory: AsyncBethink) -> None:
    await memory.facts.set("vault", "code", "the zebra one of old")
    await memory.facts.set("vault", "code", "a new one")  # its line in the journal quotes the old
    receipt = await memory.erase(query="zebra")
    assert_complete(receipt)
    assert receipt.erased["journal lines blanked"] == 1
    assert [fact.value for fact in await memory.facts.history("vault", "code")] == ["a new one"]
    assert "zebra" not in await everything_in(memory)


async def test_a_dry_run_says_what_would_go_and_changes_nothing(memory: AsyncBethink) -> None:
    stored = await memory.remember(SECRET)
    await memory.remember(CONTROL)
    await memory.settle()
    before = await everything_in(memory)
    for choice in ({"query": "ZEBRA"}, {"memory_ids": [stored.id]}):
        receipt = await memory.erase(**choice, dry_run=True)
        assert (receipt.dry_run, receipt.complete, receipt.proof) == (True, False, None)
        assert receipt.erased["memories"] == 1
        assert [(place.noun, place.id) for place in receipt.records] == [("memory", stored.id)]
    assert (await memory.erase(everything=True, dry_run=True)).erased["memories"] == 2
    assert await everything_in(memory) == before


async def test_a_short_value_does_not_take_the_journal_of_others_with_it(memory: AsyncBethink) -> None:
    fact = await memory.facts.set("drink", "morning", "tea")
    note = await memory.remember("Ana drinks tea")
    await memory.update(note.id, content="Ana drinks green tea")
    receipt = await memory.erase(fact_ids=[fact.id])
    assert receipt.complete
    assert receipt.erased["journal lines blanked"] == 0
    await memory.undo((await memory.journal(noun="memory", limit=1)).items[0].id)


async def test_what_others_say_too_is_told(memory: AsyncBethink) -> None:
    await memory.observe("chat", [{"content": f"Listen: {SECRET}"}])
    stored = await memory.remember(SECRET)
    receipt = await memory.erase(memory_ids=[stored.id])
    assert receipt.complete
    assert receipt.proof is not None
    assert [(place.noun, place.field) for place in receipt.proof.elsewhere] == [("message", "content")]


async def test_everything_goes_and_the_space_can_be_used_again(memory: AsyncBethink) -> None:
    other = memory.space(f"{memory.name}-other")
    await other.remember(CONTROL)
    await memory.remember(SECRET)
    await memory.observe("chat", [{"content": SECRET}])
    await memory.facts.set("a", "b", SECRET)
    await memory.texts.set_soul(SECRET)
    await memory.household.update(display_name="Quillfeather Manor")
    await memory.settle()
    receipt = await memory.erase(everything=True)
    assert receipt.complete, receipt
    assert receipt.erased["messages"] == 1
    left = await everything_in(memory)
    assert SECRET not in left
    assert "Quillfeather" not in left
    assert (await memory.stats()).layers == {}
    assert texts(await other.recall("giraffe")) == [CONTROL]
    await memory.remember("A new beginning")
    assert texts(await memory.recall("beginning")) == ["A new beginning"]
    assert [line.action for line in (await memory.journal()).items] == ["stored", "erased"]


async def test_caches_of_the_process_are_emptied(home: Home) -> None:
    async with home.memory(HashEmbedder()) as memory:
        await memory.remember(SECRET)
        await memory.settle()
        await memory.facts.set("vault", "code", SECRET)
        await memory.recall("vault", strategy="semantic")
        core, space = await memory.inside.here()
        embedder = core.resolution.embedder
        assert isinstance(embedder, CachedEmbedder)
        assert embedder.statistics.size > 0
        await memory.settle()
        await memory.prompt("vault")
        await memory.erase(query=SECRET)
        assert embedder.statistics.size == 0
        assert SECRET not in repr(vars(getattr(core.driver, "_local", Home)))
        copies: Any = getattr(core.index.ladder.ground.index, "_copies", {})
        assert space.number not in copies


@pytest.mark.parametrize("place", ["file", ":memory:"])
async def test_what_is_erased_while_the_model_reads_a_query_is_not_recalled(home: Home, place: str) -> None:
    class Slow(HashEmbedder):
        """Reads a query when it may."""

        asked, may = asyncio.Event(), asyncio.Event()

        async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
            if role == "query":
                self.asked.set()
                await self.may.wait()
            return await super().embed(texts, role)

    slow = Slow()
    async with AsyncBethink(
        home.url if place == "file" else place, embedder=slow, space=home.space
    ) as memory:
        kept = [(await memory.remember(f"Anna eats no peanuts, not even {n}")).id for n in range(5)]
        await memory.settle()
        slow.may.set()
        assert {hit.id for hit in (await memory.recall("peanuts")).hits} == set(kept)
        slow.may.clear()
        slow.asked.clear()
        recalling = asyncio.create_task(memory.recall("does Anna eat peanuts"))
        await slow.asked.wait()
        await asyncio.sleep(0.2)  # meanwhile the best by their terms are looked up
        assert (await memory.erase(memory_ids=kept[:1])).complete
        slow.may.set()
        assert {hit.id for hit in (await recalling).hits} == set(kept[1:])


@pytest.mark.parametrize(
    "choice",
    [{}, {"query": "a", "session_id": "b"}, {"everything": True, "person_id": "p"}, {"query": ""}, {"x": 1}],
)
async def test_one_thing_is_to_be_named(memory: AsyncBethink, choice: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        await memory.erase(**choice)


async def test_what_is_not_there_is_not_erased(memory: AsyncBethink) -> None:
    for choice in ({"memory_ids": ["x"]}, {"person_id": "x"}, {"session_id": "x"}, {"fact_ids": ["x"]}):
        with pytest.raises(NotFound, match="'x'"):
            await memory.erase(**choice)


async def test_what_a_failed_extraction_says_of_it_goes_too(memory: AsyncBethink) -> None:
    await memory.observe("chat", [{"content": SECRET}])
    await memory.observe("other", [{"content": CONTROL}])
    core, space = await memory.inside.here()
    made = [
        Extraction(
            id=new_id(), space_id=space.id, session_id=session, extractor="facts", first_position=1,
            last_position=1, status=ExtractionStatus.FAILED, reason=f"the host said: {said}", at=now(),
        )
        for session, said in (("other", SECRET), ("other", CONTROL), ("chat", "no answer"))
    ]  # fmt: skip
    await core.driver.write(extractions.add, made)
    assert_complete(await memory.erase(session_id="chat"))
    left = await core.driver.read(lambda tx: extractions.newest(tx, space.id, extractor="facts", limit=10))
    assert {one.id: one.reason for one in left} == {made[0].id: None, made[1].id: made[1].reason}


async def test_no_turn_keeps_the_words_of_one_whose_conversation_was_called_by_it(
    memory: AsyncBethink,
) -> None:
    await memory.options.update(extractors=[])
    said = ["Zanzibar has the best marmalade", "That sounds good"]
    await memory.observe("zanzibar-trip", [{"content": text} for text in said])
    assert (await memory.erase(query="zanzibar")).complete
    (left,) = (await memory.recall("marmalade", layers=["message"])).hits
    assert (left.text, left.terms) == ("That sounds good", None)


class QuotingEmbedder(HashEmbedder):
    """Fails for the secret, and says it while doing so, as hosts of models do."""

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        if quoted := [text for text in texts if SECRET in text]:
            raise ModelError(f"This text was refused: {quoted[0]}")
        return await super().embed(texts, role)


async def test_no_failure_that_is_remembered_quotes_what_is_erased(home: Home) -> None:
    async with home.memory(QuotingEmbedder(), embed={"retry_seconds": 0}) as memory:

        async def told() -> str:
            return repr(
                (await memory.upkeep.list(), await memory.index.reindex_status(), await memory.index.status())
            )

        await memory.remember(SECRET)
        await memory.settle()
        await memory.index.start_reindex()
        await memory.settle()
        core, _ = await memory.inside.here()
        core.index.last_failure = (f"The search failed: {SECRET}", now())
        before = await told()
        assert before.count("Quillfeather") >= 4
        assert (await memory.erase(everything=True)).complete
        await memory.settle()
        assert "Quillfeather" not in await told()


async def test_the_vectors_of_an_erased_context_are_not_kept(home: Home) -> None:
    async with home.memory() as memory:
        core, space = await memory.inside.here()
        context = Context(
            id="house", space_id=space.id, name="house", content=SECRET, created_at=now(), updated_at=now()
        )
        signature, (row,) = await core.index.vector_maker.documents([SECRET])
        passages = core.part(Passages)
        assert await passages.closest(context, signature, np.array(row, np.float32)) > 0.9
        assert passages.kept
        await memory.erase(everything=True)
        assert not passages.kept


@pytest.mark.parametrize(
    "written",
    ["Jose\u0301 Marques", "JOSÉ MARQUES", "Ｊｏｓé Marques", "José Mar\u00adques", "Jo\u200bsé Marques"],
)
async def test_a_name_is_found_however_its_letters_are_composed(memory: AsyncBethink, written: str) -> None:
    await memory.remember(f"{written} likes tea")
    await memory.observe(f"about {written}", [{"role": "user", "content": f"What would {written} say?"}])
    await memory.settle()
    await memory.remember("Nobody likes rain")
    receipt = await memory.erase(query="José Marques")
    assert receipt.complete
    assert (receipt.erased["memories"], receipt.erased["messages"]) == (1, 1)
    assert receipt.erased["session ids"] == 1
    assert [one.content for one in await memory.list()] == ["Nobody likes rain"]


async def test_a_text_that_nobody_sees_erases_nothing(memory: AsyncBethink) -> None:
    await memory.remember("Nobody likes rain")
    receipt = await memory.erase(query="\u200b")
    assert sum(receipt.erased.values()) == 0
    assert len(await memory.list()) == 1
