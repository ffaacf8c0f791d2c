from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bethink.models.protobuf import fields, texts, varint, written

NUMBERS = st.integers(1, 2**29 - 1)
VALUES = st.one_of(st.text(), st.binary(), st.integers(0, 2**64 - 1))


def stored(value: str | bytes | int) -> bytes:
    return varint(value) if isinstance(value, int) else value.encode() if isinstance(value, str) else value


@given(st.lists(st.tuples(NUMBERS, VALUES)))
def test_what_was_written_is_read_again_and_can_be_put_together_anew(given_: list[tuple[int, bytes]]) -> None:
    data = b"".join(written(number, value) for number, value in given_)
    found = list(fields(memoryview(data)))
    assert [(number, bytes(value)) for number, value, _ in found] == [(n, stored(v)) for n, v in given_]
    assert b"".join(whole for _, _, whole in found) == data


@given(st.lists(st.tuples(st.integers(1, 3), st.text())))
def test_texts_are_found_by_their_number(given_: list[tuple[int, str]]) -> None:
    data = memoryview(b"".join(written(number, text) for number, text in given_))
    assert texts(data, 2) == [text for number, text in given_ if number == 2]


def test_numbers_of_four_and_eight_bytes_are_passed_over() -> None:
    data = varint(1 << 3 | 5) + b"abcd" + varint(2 << 3 | 1) + b"abcdefgh" + written(3, "end")
    assert [(number, bytes(value)) for number, value, _ in fields(memoryview(data))] == [
        (1, b"abcd"),
        (2, b"abcdefgh"),
        (3, b"end"),
    ]
