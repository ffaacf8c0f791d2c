"""Files that are cut off, of another encoding, empty or something else: said with the file and the place."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink import InvalidInput
from bethink.transfer.chats.formats import FORMATS, detect, format_called
from tests.transfer.chats import making
from tests.transfer.chats.reading import DATA, read, slack_archive, source, zipped

FILES = {
    "chatgpt": (DATA / "chatgpt.json").read_bytes(),
    "claude": (DATA / "claude.json").read_bytes(),
    "slack": slack_archive(),
    "discord": (DATA / "discord.json").read_bytes(),
    "telegram": (DATA / "telegram_all.json").read_bytes(),
    "whatsapp": (DATA / "_chat.txt").read_bytes(),
    "imessage": making.imessage(),
    "signal": making.signal(),
    "messenger": making.messenger(),
    "instagram": making.meta_archive("your_instagram_activity"),
    "teams": making.teams(),
    "googlechat": making.google_messages(),
    "matrix": making.matrix(),
    "mail": (DATA / "mail.mbox").read_bytes(),
    "jsonl": (DATA / "messages.jsonl").read_bytes(),
}
BINARY = ("imessage", "instagram")


def test_every_format_is_recognised_by_what_it_holds() -> None:
    assert FILES.keys() == FORMATS.keys()
    for name, raw in FILES.items():
        found = detect(source(raw))
        assert found is not None
        assert found.name == name


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("whatsapp", "mail")])
def test_a_file_that_was_cut_off(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"^cut\.file: .+: .+"):
        read(source(FILES[name][:-20], "cut.file"), name)


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("slack", "mail", *BINARY)])
def test_a_file_of_another_encoding(name: str) -> None:
    text = FILES[name].decode().replace("I", "É").replace("Anna", "Ännä")
    with pytest.raises(InvalidInput, match=r"^odd: (byte|line) [\d,]+: is not (UTF-8|valid)"):
        read(
            source(text.encode("utf-8").replace("É".encode(), b"\xc9").replace("Ä".encode(), b"\xc4"), "odd"),
            name,
        )


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "jsonl"])
@pytest.mark.parametrize(
    "raw", [b"", b"\n\n", b"[1, 2]", b'"text"', b"{}", b"PK\x03\x04 no archive", b"hello world"]
)
def test_a_file_that_is_something_else(name: str, raw: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"^other: .+: "):
        read(source(raw, "other"), name)


def test_json_lines_say_what_is_wrong_with_a_line() -> None:
    for raw, problem in (
        (b'{"role": "user"}', r"line 1: content: must be there"),
        (b'\n{"role": "pope", "content": "x"}', r"line 2: role: "),
        (b'{"role": "user", "content": "x"', r"line 1: is not valid JSON"),
        (b"[]", r"line 1: must be a JSON object"),
        (b'{"role": "user", "content": "x", "colour": 1}', r"line 1: colour"),
    ):
        with pytest.raises(InvalidInput, match="^lines: " + problem):
            read(source(raw, "lines"), "jsonl")


def test_an_archive_without_what_is_needed() -> None:
    with pytest.raises(InvalidInput, match=r"^x\.zip: the archive: holds no file that is known"):
        detect(source(zipped(("readme.md", b"hi")), "x.zip"))
    damaged = bytearray(slack_archive())
    at = damaged.index(b"users.json")
    damaged[at : at + 5] = b"loser"  # the list of files and the files say different things
    with pytest.raises(InvalidInput, match="damaged"):
        read(source(bytes(damaged), "x.zip"), "slack")


def test_a_format_that_is_not_known() -> None:
    with pytest.raises(InvalidInput, match="known are chatgpt, claude"):
        format_called("icq")


NAMES = (
    "id", "mapping", "message", "author", "role", "content", "parts", "text", "from", "date", "type", "user",
    "ts", "files", "edited", "timestamp", "attachments", "embeds", "chat_messages", "sender", "created_at",
    "messages", "channel", "guild", "name", "photo", "metadata",
)  # fmt: skip
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(NAMES),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


SHAPED: dict[str, Callable[[object], object]] = {
    "chatgpt": lambda value: [{"mapping": {"a": {"message": value, "parent": value}}, "current_node": "a"}],
    "claude": lambda value: [{"chat_messages": [value], "uuid": value}],
    "discord": lambda value: {"guild": value, "channel": value, "messages": [value]},
    "telegram": lambda value: {"name": value, "id": value, "messages": [value], "chats": value},
    "messenger": lambda value: {
        "participants": value,
        "title": value,
        "messages": [
            {"timestamp_ms": 1683550865000, "content": value, "share": value, "photos": value},
            value,
        ],
    },
    "matrix": lambda value: {
        "room_name": value,
        "messages": [
            {"type": "m.room.message", "event_id": "1", "origin_server_ts": 1683550865000, "content": value},
            value,
        ],
    },
    "teams": lambda value: {
        "userId": value,
        "conversations": [
            {"id": value, "MessageList": [{"originalarrivaltime": "2023-05-08", "content": value}]}
        ],
        "value": [{"createdDateTime": "2023-05-08", "body": value, "from": value, "attachments": value}],
    },
    "googlechat": lambda value: {
        "messages": [{"created_date": "May 8, 2023, 10:00:00 UTC", "creator": value, "text": value}, value]
    },
}


@given(value=values, name=st.sampled_from([*SHAPED, "slack"]))
def test_whatever_stands_in_a_file_it_is_read_or_refused(value: object, name: str) -> None:
    raw = json.dumps(SHAPED[name](value) if name in SHAPED else [value]).encode()
    if name == "slack":
        raw = zipped(("users.json", raw), ("channels.json", raw), ("c/2023-01-01.json", raw))
    with contextlib.suppress(InvalidInput):
        for said in read(source(raw), name):
            assert said.at.tzinfo is not None
            said.content.encode()


LINES = st.sampled_from(
    [
        b"From a@b Mon May 08 10:00:00 2023\n",
        b"From: =?x?Q?=FF?= <a@b>\n",
        b"Date: Mon, 08 May 2023 10:00:00 +0200\n",
        b"Date: never\n",
        b"Message-ID: <1>\n",
        b"References: <1> <2>\n",
        b"Content-Type: multipart/mixed; boundary=b\n",
        b"Content-Type: text/html; charset=nope\n",
        b"Content-Transfer-Encoding: base64\n",
        b"\n",
        b"--b\n",
        b"--b--\n",
        b"> quoted\n",
        b"On Monday, May 8, 2023 A wrote:\n",
        b"<p>Hi<blockquote type=cite>x",
        b"\xff\xfe\n",
        b"-- \n",
        b"[08.05.23, 10:00:00] A: hi\n",
        b"5/8/23, 10:00 AM - A: <Media omitted>\n",
        b"31/12/23, 10:00 - \n",
        b"99/99/99, 10:00 - A: x\n",
        "\u200e[08.05.23, 10:00:00] A: \u200e<Anhang: x.jpg>\n".encode(),
        b": \n",
    ]
)


@given(
    lines=st.lists(LINES | st.binary(max_size=20), max_size=15),
    name=st.sampled_from(["mail", "whatsapp", "jsonl"]),
)
def test_whatever_lines_a_file_has_they_are_read_or_refused(lines: list[bytes], name: str) -> None:
    with contextlib.suppress(InvalidInput):
        for said in read(source(b"".join(lines)), name):
            assert said.at.tzinfo is not None
            said.content.encode()
