"""Streams that are read for calls of tools take time in proportion to their length, however they come."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bethink.gateway.streams import MOST_HELD, Spliced, StreamedAnswer
from tests.attacks import grows_linearly


def event(delta: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps({"id": "x", "choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n"


def call(number: int, arguments: str, **more: Any) -> bytes:
    function = {"arguments": arguments}
    return event({"tool_calls": [{"index": number, "function": function} | more]})


def one_long_event(size: int) -> Iterator[bytes]:
    yield b"data: "
    for _ in range(size):
        yield b"x" * 200


def one_long_call(size: int) -> Iterator[bytes]:
    yield call(0, "", id="c")
    for _ in range(size):
        yield call(0, "abcd")


def many_calls(size: int) -> Iterator[bytes]:
    for number in range(size):
        yield call(number, "{}", id=f"c{number}")


def many_calls_of_one_index(size: int) -> Iterator[bytes]:
    for number in range(size):
        yield call(0, "{}", id=f"c{number}")


@pytest.mark.parametrize("made", [one_long_event, one_long_call, many_calls, many_calls_of_one_index])
def test_a_stream_takes_time_in_proportion_to_its_length(made: Callable[[int], Iterator[bytes]]) -> None:
    def taken(text: str) -> None:
        stream = StreamedAnswer("chat", Spliced())
        for piece in made(len(text)):
            stream.feed(piece)
        stream.answer()

    assert grows_linearly(taken, lambda size: "x" * size, 500)


def test_an_event_may_end_between_two_pieces() -> None:
    stream = StreamedAnswer("chat", Spliced())
    whole = b"".join(event({"content": word}) for word in ("a", "b")).replace(b"\n\n", b"\r\n\r\n")
    passed = [stream.feed(whole[place : place + 1]) for place in range(len(whole))]
    assert b"".join(passed) == whole
    assert sum(map(bool, passed)) == 2
    assert stream.answer().items == [{"role": "assistant", "content": "ab"}]


def test_what_is_too_long_to_be_held_goes_on_and_so_does_all_after_it() -> None:
    stream = StreamedAnswer("chat", Spliced())
    long = b"data: " + b"x" * MOST_HELD
    assert stream.feed(long) == long
    assert stream.feed(b"more") == b"more"
    assert stream.release() == b""
