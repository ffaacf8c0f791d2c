from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.errors import InvalidInput
from bethink.shapes.fields import (
    JSON_CHARS,
    JSON_DEPTH,
    LIST_ITEMS,
    NAME_CHARS,
    TITLE_CHARS,
    check_name,
    checked,
    checked_all,
    is_storable,
)
from bethink.shapes.inputs import FactDraft, MemoryDraft, MemoryQuery, MessageDraft, RecallRequest

STORABLE = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(-1e200, 1e200) | STORABLE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STORABLE, inner, max_size=4),
    max_leaves=12,
)


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"in": value}
    return value


@given(st.text(st.characters()))
def test_a_text_is_storable_when_databases_can_keep_it(text: str) -> None:
    try:
        text.encode()
        possible = "\0" not in text
    except UnicodeEncodeError:
        possible = False
    assert is_storable(text) is possible


@given(STORABLE.filter(str.strip), st.dictionaries(STORABLE, JSON, max_size=3))
def test_what_can_be_stored_is_taken_unchanged(content: str, metadata: dict[str, Any]) -> None:
    draft = checked(MemoryDraft, {"content": content, "metadata": metadata})
    assert (draft.content, draft.metadata) == (content, metadata)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("a\0b", "NUL"),
        ("\ud800", "surrogate"),
        ({"a\0": 1}, "NUL"),
        ({"\udfff": 1}, "surrogate"),
        ([["\0"]], "NUL"),
        (float("nan"), "finite"),
        (float("-inf"), "finite"),
        (10**400, "finite"),
        (b"bytes", "only what JSON can"),
        ({1, 2}, "only what JSON can"),
        (datetime(2024, 1, 1, tzinfo=UTC), "only what JSON can"),
        ({1: "a"}, "text as the names"),
        ({"a": 1, 2: "b"}, "text as the names"),
        ({None: "a"}, "text as the names"),
        ("x" * JSON_CHARS, f"at most {JSON_CHARS} characters"),
        (["x" * 1000] * 200, f"at most {JSON_CHARS} characters"),
        (nested(JSON_DEPTH + 1), f"at most {JSON_DEPTH} deep"),
    ],
)
@pytest.mark.parametrize("field", ["metadata", "source_ref"])
def test_json_that_would_not_come_back_is_refused(field: str, value: Any, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason) as caught:
        checked(MemoryDraft, {"content": "x", field: {"value": value}})
    assert caught.value.field == field


def test_json_is_taken_up_to_its_limits() -> None:
    room = JSON_CHARS - len('{"value": ""}')
    checked(MemoryDraft, {"content": "x", "metadata": {"value": "x" * room}})
    checked(MemoryDraft, {"content": "x", "metadata": nested(JSON_DEPTH - 1)})


@pytest.mark.parametrize(
    ("kind", "values", "field"),
    [
        (MemoryDraft, {}, "content"),
        (MemoryDraft, {"content": ""}, "content"),
        (MemoryDraft, {"content": "a\0b"}, "content"),
        (MemoryDraft, {"content": "\udc00"}, "content"),
        (MemoryDraft, {"content": 7}, "content"),
        (MemoryDraft, {"content": "x", "title": "x" * (TITLE_CHARS + 1)}, "title"),
        (MemoryDraft, {"content": "x", "key": ""}, "key"),
        (MemoryDraft, {"content": "x", "tags": ["a", ""]}, "tags.1"),
        (MemoryDraft, {"content": "x", "tags": ["a"] * (LIST_ITEMS + 1)}, "tags"),
        (MemoryDraft, {"content": "x", "tags": "abc"}, "tags"),
        (MemoryDraft, {"content": "x", "type": "odd"}, "type"),
        (MemoryDraft, {"content": "x", "confidence": -1}, "confidence"),
        (MemoryDraft, {"content": "x", "expires_at": "soon"}, "expires_at"),
        (MemoryDraft, {"content": "x", "observed_at": "0001-01-01T00:00:00+10:00"}, "observed_at"),
        (MemoryDraft, {"content": "x", "access_count": 5}, "access_count"),
        (MemoryDraft, {"content": "x", "id": "mine"}, "id"),
        (FactDraft, {"category": "c", "key": "k", "value": ""}, "value"),
        (FactDraft, {"category": "c", "key": "k", "value": "v", "provenance": [1]}, "provenance.0"),
        (MessageDraft, {"content": "x", "sent_offset": 1441}, "sent_offset"),
        (MessageDraft, {"content": "x", "id": ""}, "id"),
        (MessageDraft, {"content": "x", "attachments": [{"a": float("inf")}]}, "attachments.0"),
        (RecallRequest, {}, "query"),
        (RecallRequest, {"query": "a\0"}, "query"),
        (RecallRequest, {"query": "a", "limit": 0}, "limit"),
        (RecallRequest, {"query": "a", "limit": 201}, "limit"),
        (RecallRequest, {"query": "a", "layers": ["dreams"]}, "layers.0"),
        (RecallRequest, {"query": "a", "strategy": "best"}, "strategy"),
        (RecallRequest, {"query": "a", "min_similarity": float("nan")}, "min_similarity"),
        (RecallRequest, {"query": "a", "colour": "red"}, "colour"),
        (MemoryQuery, {"tags": "abc"}, "tags"),
        (MemoryQuery, {"since": "then"}, "since"),
    ],
)
def test_what_is_wrong_is_named(kind: type[Any], values: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        checked(kind, values)
    assert caught.value.field == field
    assert caught.value.message.startswith(f"{field}: ")


def test_every_mistake_is_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        checked(MemoryDraft, {"content": "", "confidence": 200})
    assert "content: " in caught.value.message
    assert "confidence: " in caught.value.message


def test_either_spelling_is_taken_and_a_draft_passes_as_it_is() -> None:
    assert checked(MemoryDraft, {"content": "x", "sourceRef": {"a": 1}}).source_ref == {"a": 1}
    draft = MemoryDraft(content="x")
    assert checked(MemoryDraft, draft) is draft


def test_one_of_many_is_named_by_its_place() -> None:
    with pytest.raises(InvalidInput) as caught:
        checked_all(MemoryDraft, [{"content": "x"}, {"content": "y", "tags": [""]}], "memories")
    assert caught.value.field == "memories.1.tags.0"
    assert caught.value.message.startswith("memories.1: tags.0: ")


@pytest.mark.parametrize(
    ("values", "offset"),
    [
        ({"sent_at": "2024-03-05T23:30:00+02:00"}, 120),
        ({"sentAt": "2024-03-05T23:30:00-03:30"}, -210),
        ({"sent_at": "2024-03-05T23:30:00Z"}, None),
        ({"sent_at": "2024-03-05"}, None),
        ({"sent_at": 1709681400}, None),
        ({"sent_at": "2024-03-05T23:30:00+02:00", "sent_offset": 60}, 60),
        ({"sent_at": "2024-03-05T23:30:00+02:00", "sentOffset": 60}, 60),
        ({}, None),
    ],
)
def test_the_offset_of_a_message_comes_from_its_time_unless_it_is_given(
    values: dict[str, Any], offset: int | None
) -> None:
    assert checked(MessageDraft, {"content": "x", **values}).sent_offset == offset


@pytest.mark.parametrize("name", ["a", "x" * NAME_CHARS, "'; DROP TABLE", "名前", "👩‍👧", " "])
def test_a_name_may_be_anything_a_database_can_keep(name: str) -> None:
    check_name(name, "session")


@pytest.mark.parametrize("name", ["", "x" * (NAME_CHARS + 1), "a\0", "\ud83d"])
def test_a_name_that_cannot_be_kept_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"session: .*{NAME_CHARS}") as caught:
        check_name(name, "session")
    assert caught.value.field == "session"


@pytest.mark.parametrize(("content", "why"), [("", "empty"), (" \n\t\u3000", "blank")])
def test_a_text_that_says_nothing_is_refused_in_plain_words(content: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=f"^content: must not be {why}$"):
        checked(MemoryDraft, {"content": content})
    with pytest.raises(InvalidInput, match=f"^value: must not be {why}$"):
        checked(FactDraft, {"category": "a", "key": "b", "value": content})


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidInput, match=r"limt: is not known here; did you mean limit\?") as caught:
        checked(RecallRequest, {"query": "x", "limt": 3})
    assert caught.value.field == "limt"
    with pytest.raises(InvalidInput, match="colour: is not known here; remove it"):
        checked(RecallRequest, {"query": "x", "colour": "red"})
