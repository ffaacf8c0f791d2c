"""Conversations of other programs in a memory: once each, as whoever said it, also after a run was killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from bethink import AsyncBethink, InvalidInput
from bethink.shapes.outcomes import Progress
from tests.opened import Home
from tests.transfer.chats.reading import DATA, slack_archive, zipped

MANY = 10_000


async def everything(memory: AsyncBethink) -> list[Any]:
    found = []
    for session in await memory.sessions(limit=1000):
        after = 0
        while page := await memory.messages.of(session.id, after=after, limit=1000):
            found += page
            after = page[-1].position
    return found


async def test_an_export_becomes_messages_with_their_times(memory: AsyncBethink) -> None:
    await memory.household.update(timezone="Europe/Berlin")
    seen: list[Progress] = []
    done = await memory.import_(DATA / "chatgpt.json", progress=seen.append)
    assert (done.format, done.stored) == ("chatgpt", {"session": 2, "message": 5})
    assert done.notes == ["2 hidden messages left out"]
    assert (seen[-1].done, seen[-1].total) == (5, 5)
    messages = await memory.messages.of("chatgpt:conv-1")
    assert [message.role for message in messages] == ["user", "assistant", "tool", "assistant"]
    assert messages[0].sent_at.isoformat() == "2023-11-14T22:13:30.250000+00:00"
    assert messages[0].sent_offset == 60
    titles = {session.title for session in await memory.sessions()}
    assert titles == {"Trip to Lisbon", "新しい会話"}
    assert (await memory.recall("Belém Tower")).hits[0].record.id in {message.id for message in messages}
    (line,) = (await memory.journal(action="imported")).items
    assert line.reason == "chatgpt: 2 session, 5 message"


@pytest.mark.parametrize(
    ("file", "me"),
    [
        ("chatgpt.json", None),
        ("claude.json", None),
        ("discord.json", "anna_b"),
        ("telegram_chat.json", "Anna"),
        ("telegram_all.json", None),
        ("WhatsApp Chat with Bob.txt", "Anna"),
        ("_chat.txt", "Anna"),
        ("mail.mbox", "anna@example.org"),
        ("letter.eml", ""),
        ("messages.jsonl", None),
        ("slack", "U1"),
    ],
)
async def test_importing_twice_stores_once(memory: AsyncBethink, file: str, me: str | None) -> None:
    def given() -> Any:
        return BytesIO(slack_archive()) if file == "slack" else DATA / file

    first = await memory.import_(given(), me=me)
    assert first.stored["message"] > 0
    before = await everything(memory)
    again = await memory.import_(given(), me=me)
    assert again.stored == {"session": 0, "message": 0}
    assert again.duplicates == {"message": first.stored["message"]}
    assert await everything(memory) == before


async def test_only_the_users_own_words_are_the_users(memory: AsyncBethink) -> None:
    archive = BytesIO(slack_archive())
    with pytest.raises(InvalidInput, match=r"me: .*which of its people you are.*Bob Baker, Anna") as raised:
        await memory.import_(archive)
    assert raised.value.field == "me"
    with pytest.raises(InvalidInput, match="nobody in it is called Carl"):
        await memory.import_(archive, me="Carl")
    assert await memory.sessions() == []
    await memory.import_(archive, me=["ANNA@example.org"])
    said = {message.content: message for message in await everything(memory)}
    assert said["I do"].role == "user"
    assert said["Who brings the cake?"].role == said["Nur für dich"].role == "contact"
    assert said["Build passed"].role == "assistant"


async def test_a_person_of_the_household_is_known_by_name(memory: AsyncBethink) -> None:
    await memory.household.update(persons=[{"display_name": "Anna Berg", "aliases": ["Anna"]}])
    person = (await memory.people.list())[0]
    await memory.import_(DATA / "telegram_chat.json")
    said = {message.content: message for message in await everything(memory)}
    own = said["See https://example.org and call @carl"]
    assert (own.role, own.person_id) == ("user", person.id)
    assert said["Будет сделано"].person_id is None
    assert said["I live on the moon"].role == "contact"  # forwarded: another's words


async def test_what_was_edited_since_is_replaced(memory: AsyncBethink) -> None:
    raw = (DATA / "claude.json").read_bytes()
    await memory.import_(BytesIO(raw))
    done = await memory.import_(BytesIO(raw.replace(b"I bake every Sunday.", b"I bake every Monday.")))
    assert done.notes[-1] == "1 messages were known with another text, which was replaced"
    assert (await memory.messages.of("claude:c-1"))[0].content == "I bake every Monday."


async def test_a_message_that_has_become_a_thread_since_stays_where_it_is(memory: AsyncBethink) -> None:
    def archive(thread: bool) -> BytesIO:
        root = {"type": "message", "user": "U1", "text": "cake?", "ts": "1683550920.000300"}
        reply = {
            "type": "message",
            "user": "U2",
            "text": "me",
            "ts": "1683550930.000300",
            "thread_ts": root["ts"],
        }
        day = [root | {"thread_ts": root["ts"]}, reply] if thread else [root]
        lists = [("users.json", b"[]"), ("channels.json", b'[{"id": "C1", "name": "g"}]')]
        return BytesIO(zipped(*lists, ("g/2023-05-08.json", json.dumps(day).encode())))

    await memory.import_(archive(False), me="U1")
    done = await memory.import_(archive(True), me="U1")
    assert (done.stored["message"], done.duplicates["message"]) == (1, 1)
    assert [message.content for message in await memory.messages.of("slack:C1")] == ["cake?"]
    assert [message.content for message in await memory.messages.of("slack:C1/1683550920.000300")] == ["me"]


async def test_nothing_is_stored_of_a_file_that_is_wrong_at_its_end(memory: AsyncBethink) -> None:
    raw = (DATA / "discord.json").read_bytes()
    with pytest.raises(InvalidInput, match=r"^bread\.json: byte [\d,]+: .*the file ends"):
        await memory.import_(BytesIO(raw[:-30]), name="bread.json", me="Anna")
    with pytest.raises(InvalidInput, match="timezone"):
        await memory.import_(BytesIO(raw), timezone="Mars/Olympus", me="Anna")
    assert await memory.sessions() == []


async def test_a_text_that_is_too_long_is_cut_and_said_so(home: Home) -> None:
    async with home.memory(limits={"content_chars": 10}) as memory:
        done = await memory.import_(BytesIO(b'{"role": "user", "content": "a long story", "id": "1"}\n'))
        assert done.notes == ["1 messages were too long, and cut"]
        assert [message.content for message in await everything(memory)] == ["a long sto"]


def write_many(file: Path, count: int) -> None:
    """A WhatsApp chat of many messages, some of them alike."""
    with file.open("w", encoding="utf-8") as out:
        for number in range(count):
            day, minute = 1 + number // 1440 % 28, number // 2 % 1440
            at = f"{day:02}.05.23, {minute // 60:02}:{minute % 60:02}"
            text = "ok" if number % 10 < 2 else f"message {number} about {'cake' if number % 3 else 'bread'}"
            if number % 50 == 7:  # said again and again, in one of five ways
                text = f"I always bake {('rye', 'corn', 'oat', 'nut', 'fig')[number // 50 % 5]} bread at home"
            out.write(f"{at} - {'Anna' if number % 2 else 'Bob'}: {text}\n")


RUN = """
import asyncio, resource, sys
from bethink import AsyncBethink
async def main():
    async with AsyncBethink(sys.argv[1], embed={"source": "none"}) as memory:
        def show(seen):
            print(seen.done, flush=True)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        done = await memory.import_(sys.argv[2], me="Anna", progress=show)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(done.stored["message"], done.duplicates["message"], (after - before) // 1024, flush=True)
asyncio.run(main())
"""


def start(database: Path, file: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", RUN, str(database), str(file)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


async def test_ten_thousand_messages_survive_a_kill_and_are_there_once(tmp_path: Path) -> None:
    file, database = tmp_path / "chat.txt", tmp_path / "m.db"
    write_many(file, MANY)
    first = start(database, file)
    assert first.stdout is not None
    with first:
        while int(first.stdout.readline()) < MANY // 4:
            continue
        os.kill(first.pid, signal.SIGKILL)
    with start(database, file) as second:
        assert second.stdout is not None
        stored, known, grown = map(int, second.stdout.read().split("\n")[-2].split())
    assert known >= MANY // 4
    assert stored > 0
    assert stored + known == MANY
    assert grown < 100  # megabytes, whatever the length of the file
    async with AsyncBethink(str(database), embed={"source": "none"}) as memory:
        messages = await everything(memory)
        assert len({message.external_id for message in messages}) == len(messages) == MANY
        assert [message.position for message in messages] == list(range(1, MANY + 1))
        again = await memory.import_(file, me="Anna")
        assert (again.stored["message"], again.duplicates["message"]) == (0, MANY)
        await memory.extract()  # what was left unread when the processes ended
        audit = await memory.audit()
        assert (audit.memories, audit.found) == (5, [])


async def test_what_is_imported_is_read_like_any_conversation(memory: AsyncBethink) -> None:
    lines = (
        "08.05.23, 10:00 - Bob: I am allergic to shrimps\n08.05.23, 10:01 - Anna: I am allergic to peanuts\n"
    )
    await memory.import_(BytesIO(lines.encode()), me="Anna")
    await memory.settle()
    kept = [found.content for found in await memory.list()] + [
        fact.value for fact in await memory.facts.list()
    ]
    assert any("peanuts" in text for text in kept)
    assert not any("shrimps" in text for text in kept)
