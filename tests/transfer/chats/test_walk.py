from __future__ import annotations

import json
from io import BytesIO
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink import InvalidInput
from bethink.transfer.chats import walk
from bethink.transfer.chats.sources import Source
from bethink.transfer.chats.walk import Walker

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


def walker(raw: bytes) -> Walker:
    stream = BytesIO(raw)
    source = Source(stream, "some.json")
    stream.seek(0)
    return Walker(stream, source)


def taken(at: Walker, depth: int) -> Any:
    """A value gone into as deep as given, and loaded below."""
    if depth and at.kind() == "{":
        return {name: taken(at, depth - 1) for name in at.names()}
    if depth and at.kind() == "[":
        return [taken(at, depth - 1) for _ in at.items()]
    return at.load()


@given(value=values, depth=st.integers(0, 4), chunk=st.integers(1, 30), indent=st.none() | st.integers(0, 2))
def test_what_is_walked_is_what_json_reads(value: Any, depth: int, chunk: int, indent: int | None) -> None:
    raw = json.dumps(value, ensure_ascii=bool(chunk % 2), indent=indent).encode()
    with patch.object(walk, "CHUNK_BYTES", chunk):
        at = walker(raw)
        assert taken(at, depth) == value
        at.finish()
        passed = walker(b"[" + raw + b", 7]")
        items = passed.items()
        next(items)
        passed.skip()
        next(items)
        assert passed.load() == 7


@given(value=values, cut=st.integers(1, 50))
def test_what_is_cut_off_is_refused_with_its_place(value: Any, cut: int) -> None:
    raw = json.dumps([value]).encode()[:-cut]
    with pytest.raises(InvalidInput, match=r"^some\.json: byte [\d,]+: "):
        taken(walker(raw), 2)


def test_only_so_much_is_kept_of_one_value() -> None:
    with patch.object(walk, "LONGEST_VALUE", 1000), patch.object(walk, "CHUNK_BYTES", 100):
        long = json.dumps(["a" * 5000, 1]).encode()
        at = walker(long)
        items = at.items()
        next(items)
        at.skip()  # is not kept
        next(items)
        assert at.load() == 1
        with pytest.raises(InvalidInput, match="larger than 1,000 bytes"):
            walker(long).load()
