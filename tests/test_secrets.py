"""What becomes of secrets, through the library on both databases: where they are masked, who sees them."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bethink import AsyncBethink
from bethink.store import units
from bethink.testing import HashEmbedder
from tests import opened
from tests.opened import Home, WatchedEmbedder
from tests.store.samples import unit

home = opened.home
memory = opened.memory
spaces_postgres_url = opened.spaces_postgres_url

PASSWORD, PIN, CODE = "Tulip!77x", "4471", "8812#"
SAID = f"The wifi password is {PASSWORD} and my card pin is {PIN}."
SHOWN = "The wifi password is [password] and my card pin is [PIN]."
LATER = f"By the way, the garage door code is {CODE}"


async def fill(space: AsyncBethink) -> str:
    """Say, note and set secrets; the id of the memory."""
    await space.observe("s", [{"role": "user", "content": SAID}, {"role": "user", "content": LATER}])
    await space.facts.set("home", "wifi_password", "sunflower", promoted=True)
    noted = await space.remember(f"Ana's netflix password is {PASSWORD}", tags=["tv"])
    await space.settle()
    return noted.id


def is_clean(text: str) -> bool:
    alone = re.search(rf"(?<![\da-f.-]){PIN}(?![\da-f-])", text)  # not as a part of an id or of a duration
    return not alone and not any(secret in text for secret in (PASSWORD, CODE, "sunflower"))


async def test_recall_and_prompt_show_marks(memory: AsyncBethink) -> None:
    await fill(memory)
    result = await memory.recall("what is the wifi password?")
    assert SHOWN in [hit.text for hit in result.hits]
    assert is_clean(result.model_dump_json())
    prompt = await memory.prompt("what is the wifi password and the garage code?")
    assert "[password]" in prompt.stable
    assert "[password]" in prompt.volatile
    assert is_clean(prompt.model_dump_json())


async def test_what_is_listed_shows_marks(memory: AsyncBethink) -> None:
    id_ = await fill(memory)
    await memory.update(id_, pinned=True)
    await memory.facts.set("home", "wifi_password", "marigold")
    await memory.facts.set("alarm", "code", "8812#")
    listed: list[Any] = [
        await memory.get(id_), *await memory.list(), *await memory.messages.of("s"),
        *await memory.facts.list(),
        *await memory.facts.history("home", "wifi_password"), await memory.page(), await memory.journal(),
        await memory.facts.search("wifi"), await memory.page(query="netflix"),
    ]  # fmt: skip
    for record in listed:
        assert is_clean(record.model_dump_json())
        assert "marigold" not in record.model_dump_json()
    assert (await memory.messages.of("s"))[0].content == SHOWN


async def test_messages_are_kept_as_they_were_said_and_shown_so_when_asked(memory: AsyncBethink) -> None:
    id_ = await fill(memory)
    assert [message.content for message in await memory.messages.of("s", secrets=True)] == [SAID, LATER]
    assert PASSWORD in (await memory.get(id_, secrets=True)).content
    fact = await memory.facts.get("home", "wifi_password", secrets=True)
    assert fact is not None
    assert fact.value == "sunflower"
    found = await memory.recall("what is the wifi password?", secrets=True)
    assert SAID in [hit.text for hit in found.hits]


async def test_the_journal_notes_who_was_shown_secrets(memory: AsyncBethink) -> None:
    await fill(memory)
    await memory.observe("plain", [{"role": "user", "content": "Tea at four"}])
    await memory.space(memory.name, actor="Ana").messages.of("s", secrets=True)
    await memory.space(memory.name, actor="Ben").messages.of("plain", secrets=True)  # there is none
    noted = [line for line in (await memory.journal()).items if line.action == "revealed"]
    assert [(line.actor, line.reason) for line in noted] == [("Ana", "2 records with secrets")]


async def test_neither_terms_nor_vectors_are_made_of_secrets(home: Home) -> None:
    embedder = WatchedEmbedder()
    async with home.memory(embedder) as memory:
        await fill(memory)
        await memory.recall(f"is my password {PASSWORD}?")
        assert is_clean(" ".join([*embedder.documents, *embedder.queries]))
        for secret in ("sunflower", "Tulip", PIN, "8812"):
            found = await memory.recall(secret)
            assert [hit.terms for hit in found.hits if hit.terms] == []


async def test_archives_have_marks_unless_secrets_are_asked_for(memory: AsyncBethink) -> None:
    await fill(memory)
    masked, whole = io.BytesIO(), io.BytesIO()
    made = await memory.export(masked)
    assert made.masked == 4
    assert is_clean(masked.getvalue().decode())
    assert (await memory.export(whole, secrets=True)).masked == 0
    assert SAID in whole.getvalue().decode()
    copy = memory.space(f"{memory.name}-copy")
    whole.seek(0)
    await copy.import_(whole)
    assert [message.content for message in await copy.messages.of("s", secrets=True)] == [SAID, LATER]


async def test_dropped_secrets_are_never_stored(home: Home) -> None:
    async with home.memory(capture={"secrets": "drop"}) as memory:
        id_ = await fill(memory)
        assert (await memory.messages.of("s", secrets=True))[0].content == SHOWN
        assert (await memory.get(id_, secrets=True)).content == "Ana's netflix password is [password]"
        await memory.conversations.follow("t", [{"role": "user", "content": SAID}])
        await memory.conversations.follow(
            "t", [{"role": "user", "content": SAID}, {"role": "assistant", "content": "Noted."}]
        )
        assert [message.content for message in await memory.messages.of("t")] == [SHOWN, "Noted."]
        archive = io.BytesIO()
        await memory.export(archive, secrets=True)
        assert is_clean(archive.getvalue().decode())
        chat = json.dumps({"session": "x", "role": "user", "content": SAID}).encode()
        await memory.import_(io.BytesIO(chat), format="jsonl")
    async with home.memory() as memory:
        for session in await memory.sessions():
            for message in await memory.messages.of(session.id, secrets=True):
                assert is_clean(message.content)


async def test_kept_secrets_are_shown(home: Home) -> None:
    async with home.memory(capture={"secrets": "keep"}) as memory:
        id_ = await fill(memory)
        assert [message.content for message in await memory.messages.of("s")] == [SAID, LATER]
        assert PASSWORD in (await memory.get(id_)).content
        assert SAID in [hit.text for hit in (await memory.recall("what is the wifi password?")).hits]
        assert "sunflower" in (await memory.prompt("wifi")).stable


async def test_a_turn_with_a_secret_is_not_recalled_into_its_own_conversation(memory: AsyncBethink) -> None:
    await memory.observe("s", [{"role": "user", "content": SAID}])
    await memory.settle()
    talk = [{"role": "user", "content": SAID}, {"role": "assistant", "content": "Noted."}]
    asked = {"role": "user", "content": "which wifi password did I say?"}
    prompt = await memory.prompt(messages=[*talk, asked])
    assert "[password]" not in prompt.volatile


async def test_no_memory_is_made_of_a_secret_in_any_language(memory: AsyncBethink) -> None:
    for number, text in enumerate(
        [
            "Remember that my alarm code is 7716.",
            "Merk dir, dass der Türcode 1904 ist.",
            "Recuerda que la clave de la alarma es 9012.",
            "Souviens-toi que le code de la porte est 4589A.",
            "Lembra que a senha do cofre é 7712.",
            "记住，我家门禁密码是 2580。",
        ]
    ):
        await memory.observe(f"s{number}", [{"role": "user", "content": text}])
    await memory.settle()
    assert await memory.list() == []


class TestMemoryFile:
    """MEMORY.md shows marks, and what people write beside them is taken in."""

    @pytest.fixture
    def settings(self, tmp_path: Path) -> dict[str, Any]:
        return {"files": {"folder": str(tmp_path / "files")}}

    async def test_it_shows_marks(self, home: Home, settings: dict[str, Any]) -> None:
        async with home.memory(**settings) as memory:
            await fill(memory)
            text = await memory.texts.memory_file()
            file = await self._file(memory)
        assert text == file.read_text()
        assert "- wifi_password: [password]\n" in text
        assert is_clean("".join(path.read_text() for path in file.parent.rglob("*.md")))

    async def test_a_new_secret_is_taken_in_and_masked(self, home: Home, settings: dict[str, Any]) -> None:
        async with home.memory(**settings) as memory:
            await fill(memory)
            file = await self._file(memory)
            file.write_text(
                file.read_text().replace("[password]", "marigold") + "\n## home\n\n- city: Porto\n"
            )
            done = await memory.texts.sync()
            assert (done.facts_set, done.conflicts, done.problems) == (2, [], [])
            fact = await memory.facts.get("home", "wifi_password", secrets=True)
            assert fact is not None
            assert fact.value == "marigold"
            assert "[password]" in file.read_text()

    async def test_a_mark_is_never_taken_for_the_secret(self, home: Home, settings: dict[str, Any]) -> None:
        async with home.memory(**settings) as memory:
            await fill(memory)
            file = await self._file(memory)
            file.write_text(file.read_text().replace("[password]", "it is [password], ask Ana"))
            done = await memory.texts.sync()
            assert (done.facts_set, len(done.problems), len(done.kept)) == (0, 1, 1)
            fact = await memory.facts.get("home", "wifi_password", secrets=True)
            assert fact is not None
            assert fact.value == "sunflower"

    async def _file(self, memory: AsyncBethink) -> Path:
        await memory.texts.sync()
        folder = await memory.texts.folder()
        assert folder is not None
        return folder / "MEMORY.md"


async def test_an_audit_finds_secrets_in_messages_facts_and_memories_and_erases_them(
    memory: AsyncBethink,
) -> None:
    await fill(memory)
    await memory.observe("s", [{"role": "user", "content": "Tea at four"}])
    audit = await memory.audit()
    assert audit.messages == 3
    assert audit.counts == {"secret": 4}
    assert sorted(one.noun for one in audit.found) == ["fact", "memory", "message", "message"]
    assert is_clean(audit.model_dump_json())
    done = await memory.fix(kinds=["secret"])
    assert (done.fixed, done.forgotten) == (4, 4)
    assert (await memory.audit()).found == []
    archive = io.BytesIO()
    await memory.export(archive, secrets=True)
    assert is_clean(archive.getvalue().decode())
    assert [message.content for message in await memory.messages.of("s")] == ["Tea at four"]


async def test_secrets_of_the_global_space_stay_masked(home: Home) -> None:
    async with home.memory(HashEmbedder()) as memory:
        await memory.space("global").remember(f"The office door code is {CODE}, says {home.space}")
        await memory.settle()
        found = await memory.recall("office door code", include_global=True, secrets=True)
    theirs = [hit.text for hit in found.hits if hit.space == "global"]
    assert theirs
    assert is_clean(" ".join(theirs))


async def test_what_was_read_in_messages_is_masked_in_prompts(memory: AsyncBethink) -> None:
    """Also where the reader took the sentence for one that is worth telling."""
    await fill(memory)
    core, space = await memory.inside.here()
    told = (await memory.messages.of("s", secrets=True))[1]
    read = [unit(space, told.id, last=len(LATER))]
    await core.driver.write(units.put, space.id, [told.id], read)
    asked = "what is the garage door code?"
    for prompt in (await memory.prompt(asked), await memory.prompt(asked, max_tokens=8000)):
        assert "garage door code is [access code]" in prompt.text
        assert is_clean(prompt.model_dump_json())
    await core.driver.write(units.put, space.id, [told.id], [replace(read[0], worth=0.25)])
    prompt = await memory.prompt(asked)  # not worth a place in every prompt, but an answer
    assert "garage door code is [access code]" in prompt.volatile
    assert is_clean(prompt.model_dump_json())
