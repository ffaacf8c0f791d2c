"""A file to import takes little memory and few open files, and is refused where it holds too much."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from unittest.mock import patch

import pytest

from bethink import AsyncBethink, InvalidInput, TooLarge
from bethink.transfer import bounds, shapes
from bethink.transfer.chats import formats, jsonl, sources, whatsapp
from bethink.transfer.shapes import read_foreign
from tests.transfer.chats.reading import read, source, zipped

PEAK = """
import resource, sys
from bethink.transfer.shapes import read_foreign
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with open(sys.argv[1], "rb") as stream:
    found = read_foreign(stream, 1_000_000)
    count = sum(1 for _ in found.drafts())
print(count, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
MAIL = (
    "From: Anna <anna@example.org>\nDate: Mon, 08 May 2023 10:00:00 +0200\nMessage-ID: <{0}@x>\n\nMail {0}\n"
)


def peak(file: Path) -> tuple[int, int]:
    """How many memories are in a file, and how many megabytes reading it took beyond what Python takes."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(file)], capture_output=True, text=True, check=True
    ).stdout
    count, megabytes = map(int, done.split())
    return count, megabytes


def test_a_long_list_takes_little_memory(tmp_path: Path) -> None:
    file = tmp_path / "list.json"
    file.write_text("[" + ",\n".join(['"aaaaaaaa"'] * 250_000) + "]")
    count, megabytes = peak(file)
    assert (count, megabytes < 60) == (250_000, True)


@pytest.mark.parametrize("shape", ["list", "lines", "mem0", "chroma"])
def test_a_large_file_takes_little_memory(tmp_path: Path, shape: str) -> None:
    text = json.dumps("The boiler is serviced every May. " * 120)
    texts = ",\n".join([text] * 10_000)
    numbers = ",".join(f'"{number}"' for number in range(10_000))
    objects = ",\n".join([f'{{"memory": {text}}}'] * 10_000)
    file = tmp_path / "file.json"
    file.write_text(
        {
            "list": f"[{texts}]",
            "lines": "\n".join([text] * 10_000),
            "mem0": f'{{"results": [{objects}]}}',
            "chroma": f'{{"ids": [{numbers}], "documents": [{texts}]}}',
        }[shape]
    )
    assert file.stat().st_size > 40_000_000
    count, megabytes = peak(file)
    assert (count, megabytes < 100) == (10_000, True)


def test_too_many_memories_are_refused() -> None:
    with patch.object(shapes, "MOST_ITEMS", 3):
        assert read_foreign(BytesIO(b'["a","a","a"]'), 10).count == 3
        with pytest.raises(TooLarge, match="holds more than 3 memories; split it"):
            read_foreign(BytesIO(b'["a","a","a","a"]'), 10)
        with pytest.raises(TooLarge, match="holds more than 3 memories; split it"):
            read_foreign(BytesIO(b'"a"\n' * 4), 10)


def test_a_memory_that_is_too_long_is_named() -> None:
    with pytest.raises(TooLarge, match=r"line 2: 1: 11 characters are over the limit of 10; .*content_chars"):
        read_foreign(BytesIO(b'["a",\n"aaaaaaaaaaa"]'), 10)


@pytest.mark.parametrize("raw", [b"[" * 10_000_000, b'[{"content": "a", "x": ' + b'{"a":' * 300_000])
async def test_deep_nesting_is_refused(memory: AsyncBethink, raw: bytes) -> None:
    with pytest.raises(TooLarge, match=f"nested more than {bounds.DEEPEST} deep"):
        await memory.import_(BytesIO(raw))


def test_a_value_of_too_many_parts_is_refused() -> None:
    crowd = b"[" + b"[]," * (bounds.MOST_PARTS + 1) + b"0]"
    with pytest.raises(TooLarge, match="one value holds more than 1,000,000 texts, lists and objects"):
        read_foreign(BytesIO(b'[{"content": "a", "x": ' + crowd + b"}]"), 10)
    with pytest.raises(TooLarge, match="line 2: holds more than 1,000,000"):
        read_foreign(BytesIO(b'"a"\n{"content": "a", "x": ' + crowd + b"}"), 10)
    line = b'{"role": "user", "content": "a", "metadata": {"x": ' + crowd + b"}}"
    with pytest.raises(TooLarge, match="line 1: holds more than 1,000,000"):
        read(source(line, "x.jsonl"), "jsonl")


def test_brackets_within_a_text_are_no_parts() -> None:
    text = b'{"role": "user", "content": "' + b"[" * (bounds.MOST_PARTS + 1) + b'"}'
    assert len(read(source(text, "x.jsonl"), "jsonl")) == 1


@pytest.mark.parametrize("number", [2, 30])
async def test_an_archive_of_a_line_of_too_many_parts(memory: AsyncBethink, number: int) -> None:
    header = b'{"format":"bethink","version":1,"counts":{"memory":1}}\n'
    line = b'{"noun":"memory","record":{"metadata":{"x":[' + b"[]," * (bounds.MOST_PARTS + 1) + b"0]}}}\n"
    with pytest.raises(TooLarge, match=f"line {number}: holds more than 1,000,000"):
        await memory.import_(BytesIO(header + b"\n" * (number - 2) + line))


def bomb(name: str, start: bytes, size: int) -> bytes:
    made = BytesIO()
    with (
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        archive.open(name, "w", force_zip64=True) as file,
    ):
        file.write(start)
        for _ in range(size // 1_000_000):
            file.write(b" " * 1_000_000)
    return made.getvalue()


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("conversations.json", b"["),
        ("a.mbox", b"From a@b Mon May 08 10:00:00 2023\n"),
        ("_chat.txt", b"[1.1.24, 10:00:00] A: a"),
    ],
)
async def test_a_small_archive_that_unpacks_to_much_is_refused(
    memory: AsyncBethink, name: str, start: bytes
) -> None:
    raw = bomb(name, start, 100_000_000)
    assert len(raw) < 200_000
    with pytest.raises(TooLarge, match=r"unpacks to 100,000,\d+ bytes, more than 200 times its packed size"):
        await memory.import_(BytesIO(raw), me="")


def test_an_archive_may_not_unpack_to_too_much_in_all() -> None:
    files = [(f"{number}.eml", MAIL.format(number).encode()) for number in range(4)]
    with (
        patch.object(sources, "UNPACKED_BYTES", 300),
        pytest.raises(TooLarge, match="more than 300 bytes; split"),
    ):
        read(source(zipped(*files), "x.zip"), "mail")


def test_an_archive_may_not_hold_too_many_files() -> None:
    files = [(f"{number}.eml", MAIL.format(number).encode()) for number in range(4)]
    with (
        patch.object(sources, "MOST_MEMBERS", 3),
        pytest.raises(TooLarge, match="more than 3 files; split it"),
    ):
        read(source(zipped(*files), "x.zip"), "mail")


async def test_an_archive_of_many_mails_opens_few_files(memory: AsyncBethink) -> None:
    files = [(f"{number}.eml", MAIL.format(number).encode()) for number in range(400)]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (opened + 50, hard))
    try:
        done = await memory.import_(BytesIO(zipped(*files)), me="anna@example.org")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert done.stored == {"session": 400, "message": 400}


def test_each_mail_of_an_archive_is_whole() -> None:
    files = [(f"{number}.eml", MAIL.format(number).encode()) for number in range(3)]
    box = "".join(
        f"From a@b Mon May 08 10:00:00 2023\n{MAIL.format(number)}\n" for number in range(3, 6)
    ).encode()
    said = read(source(zipped(*files, ("sent.mbox", box)), "x.zip"), "mail")
    assert sorted(one.content for one in said) == [f"Mail {number}" for number in range(6)]


def test_a_mail_of_too_many_lines_is_read_only_so_far() -> None:
    raw = MAIL.format(1).encode() + b"a\n" * 50
    with patch("bethink.transfer.chats.mime.MOST_LINES", 10):
        (said,) = read(source(raw, "x.eml"), "mail")
    assert said.content.startswith("Mail 1\na\n")
    assert said.content.count("a\n") < 10


async def test_a_mail_of_parts_within_parts_is_left_out(memory: AsyncBethink) -> None:
    head = b"From: anna@example.com\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n"
    parts = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (depth, depth) for depth in range(5_000)
    )
    done = await memory.import_(BytesIO(head + parts + b"\nhello"), format="mail", me="")
    assert done.notes == ["1 mails of too many parts within each other left out"]


def test_too_many_messages_are_refused() -> None:
    raw = "".join(
        f"From a@b Mon May 08 10:00:00 2023\n{MAIL.format(number)}\n" for number in range(4)
    ).encode()
    with (
        patch("bethink.transfer.chats.mail.MOST_ITEMS", 3),
        pytest.raises(TooLarge, match="more than 3 mails"),
    ):
        read(source(raw, "x.mbox"), "mail")


async def test_too_many_messages_of_a_chat_are_refused(memory: AsyncBethink) -> None:
    lines = b"".join(
        json.dumps({"role": "user", "content": "a", "id": str(n)}).encode() + b"\n" for n in range(4)
    )
    with (
        patch("bethink.transfer.importing.MOST_ITEMS", 3),
        pytest.raises(TooLarge, match="more than 3 messages; split"),
    ):
        await memory.import_(BytesIO(lines))
    assert await memory.sessions() == []


def test_long_lines_are_refused() -> None:
    with patch.object(jsonl, "LONGEST_LINE", 30), pytest.raises(TooLarge, match="line 1: is longer than 30"):
        read(source(b'{"role": "user", "content": "aaaaaaaaaaaaaaaaaaaaa"}', "x.jsonl"), "jsonl")
    chat = b"[1.1.24, 10:00:00] A: a\n" + b"b\n" * 30
    with (
        patch.object(whatsapp, "LONGEST_MESSAGE", 50),
        pytest.raises(TooLarge, match="longer than 50 characters"),
    ):
        read(source(chat, "_chat.txt"), "whatsapp")


def test_what_holds_less_than_the_limits_is_read() -> None:
    assert formats.detect(source(bomb("conversations.json", b'[{"mapping": {}}]', 1_000_000))) is not None
    with pytest.raises(InvalidInput):
        read_foreign(BytesIO(b"[" * bounds.DEEPEST + b"]" * bounds.DEEPEST), 10)
