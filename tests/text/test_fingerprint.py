from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.index.describe import VERSION, fingerprint, fnv64a


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"", 0xCBF29CE484222325),
        (b"a", 0xAF63DC4C8601EC8C),
        (b"b", 0xAF63DF4C8601F1A5),
        (b"foo", 0xDCB27518FED9D577),
        (b"foobar", 0x85944171F73967E8),
        (b"chongo was here!\n", 0x46810940EFF5F915),
    ],
)
def test_published_vectors(data: bytes, value: int) -> None:
    assert fnv64a(data) == value


def test_the_fingerprint_covers_version_and_text() -> None:
    assert fingerprint("hello") == f"{fnv64a(f'{VERSION}:hello'.encode()):016x}"
    assert fingerprint("hello") != fingerprint("hello", version="another")
    assert fingerprint("hello") != fingerprint("hellp")


@given(st.text(st.characters()))
def test_any_text_has_sixteen_digits(text: str) -> None:
    assert re.fullmatch("[0-9a-f]{16}", fingerprint(text))
    assert fingerprint(text) != fingerprint(text + "x")
