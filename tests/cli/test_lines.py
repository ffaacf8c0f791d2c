from __future__ import annotations

import io
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.cli.lines import Line, numbered_lines, parse_line
from bethink.errors import InvalidInput

GOOD = b'{"role": "user", "content": "hello", "session": "s"}'


class Slow(io.RawIOBase):
    """A stream that gives a few bytes at a time."""

    def __init__(self, data: bytes, step: int) -> None:
        self._data, self._step = io.BytesIO(data), step

    def read(self, size: int = -1, /) -> bytes:
        return self._data.read(min(size, self._step))


@given(st.lists(st.binary().filter(lambda line: b"\n" not in line)), st.integers(1, 50), st.booleans())
async def test_lines_come_whole_and_numbered_however_the_stream_is_cut(
    lines: list[bytes], step: int, ended: bool
) -> None:
    data = b"\n".join(lines) + (b"\n" if ended else b"")
    found = [line async for some, _ in numbered_lines(Slow(data, step)) for line in some]
    expected = data.split(b"\n")
    if not expected[-1]:
        expected.pop()
    assert found == list(enumerate(expected, start=1))


async def test_a_line_is_there_before_the_stream_ends() -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb", buffering=0) as stream:
        lines = numbered_lines(stream)
        os.write(writer, GOOD + b"\n")
        assert await anext(lines) == ([(1, GOOD)], len(GOOD) + 1)
        os.close(writer)
        with pytest.raises(StopAsyncIteration):
            await anext(lines)


async def test_a_folder_cannot_be_read() -> None:
    class Failing(io.RawIOBase):
        def read(self, _size: int = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(InvalidInput, match="Input/output error"):
        await anext(numbered_lines(Failing()))


def test_a_line_is_a_message_of_a_session() -> None:
    line = parse_line(1, GOOD, None)
    assert isinstance(line, Line)
    assert (line.session, line.draft.role, line.draft.content) == ("s", "user", "hello")


@pytest.mark.parametrize("name", ["session", "sessionId", "session_id"])
def test_the_session_of_a_line_goes_before_the_default(name: str) -> None:
    line = parse_line(1, json.dumps({"role": "user", "content": "x", name: "mine"}).encode(), "default")
    assert line is not None
    assert line.session == "mine"


def test_the_default_session_is_taken_where_a_line_names_none() -> None:
    line = parse_line(1, b'{"role": "user", "content": "x"}', "default")
    assert line is not None
    assert line.session == "default"


def test_times_ids_and_speakers_are_kept() -> None:
    raw = (
        b'{"role": "user", "content": "x", "id": "m1", "name": "Anna", "sentAt": "2025-01-01T10:00:00+02:00"}'
    )
    line = parse_line(1, raw, "s")
    assert line is not None
    assert (line.draft.external_id, line.draft.name, line.draft.sent_offset) == ("m1", "Anna", 120)


@pytest.mark.parametrize("raw", [b"", b"   ", b"\r", b"\xef\xbb\xbf"])
def test_a_blank_line_is_nothing(raw: bytes) -> None:
    assert parse_line(1, raw, "s") is None


def test_the_mark_some_editors_put_first_is_no_mistake() -> None:
    assert parse_line(1, b"\xef\xbb\xbf" + GOOD, None) is not None


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"{", "not valid JSON"),
        (b"[1]", "must be a JSON object"),
        (b'"text"', "must be a JSON object"),
        (b"\xff", "not UTF-8"),
        (b'{"content": "x", "session": "s"}', "role: must be there"),
        (b'{"session": "s"}', "role and content: must be there"),
        (b'{"role": "user", "content": "x"}', "--session"),
        (b'{"role": "user", "content": "x", "session": 5}', "--session"),
        (b'{"role": "king", "content": "x", "session": "s"}', "role: "),
        (b'{"role": "user", "content": 5, "session": "s"}', "content: "),
        (b'{"role": "user", "content": "x", "session": "s", "sentAt": "soon"}', "sentAt: "),
        (b'{"role": "user", "content": "x", "session": "s", "color": 1}', "color: "),
        (b'{"role": "user", "content": "a\\u0000b", "session": "s"}', "NUL"),
        (b'{"role": "user", "content": "x", "session": "s", "metadata": ' + b"9" * 5000 + b"}", "JSON"),
        (b"[" * 100_000, "JSON"),
    ],
)
def test_a_wrong_line_is_named_by_its_number(raw: bytes, reason: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_line(17, raw, None)
    assert refused.value.message.startswith("line 17: ")
    assert reason in refused.value.message
