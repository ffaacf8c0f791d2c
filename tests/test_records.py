from __future__ import annotations

import inspect
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from bethink import records
from bethink.records import Fact, Key, Memory, Record, Role, Utc

NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)
MEMORY = {
    "id": "m",
    "space_id": "s",
    "content": "x",
    "observed_at": NOON,
    "created_at": NOON,
    "updated_at": NOON,
}


def memory(**changes: Any) -> Memory:
    return Memory.model_validate(MEMORY | changes)


def in_camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


@pytest.mark.parametrize(
    "kind",
    [kind for _, kind in inspect.getmembers(records, inspect.isclass) if issubclass(kind, Record)],
)
def test_every_field_is_camel_case_in_json(kind: type[Record]) -> None:
    fields = kind.model_json_schema(by_alias=True).get("properties", {})
    assert list(fields) == [in_camel(name) for name in kind.model_fields]


def test_a_record_makes_the_way_through_json_unchanged() -> None:
    original = memory(tags=["a"], metadata={"keep_this": {"asIs": 1}}, last_access_at=NOON)
    text = original.model_dump_json(by_alias=True)
    assert json.loads(text)["lastAccessAt"] == "2024-05-06T12:00:00Z"
    assert json.loads(text)["metadata"] == {"keep_this": {"asIs": 1}}
    assert Memory.model_validate_json(text) == original


def test_either_spelling_is_accepted() -> None:
    assert memory(person_id="p") == memory(personId="p")
    assert memory(person_id="p").person_id == "p"


def test_an_unknown_field_is_refused_by_name() -> None:
    with pytest.raises(ValidationError, match="persn_id"):
        memory(persn_id="p")


@pytest.mark.parametrize("confidence", [-1, 101])
def test_a_confidence_is_a_percentage(confidence: int) -> None:
    with pytest.raises(ValidationError, match="confidence"):
        memory(confidence=confidence)


def test_records_do_not_share_their_defaults() -> None:
    first, second = memory(), memory()
    first.tags.append("mine")
    first.metadata["mine"] = True
    assert (second.tags, second.metadata) == ([], {})


def test_the_current_version_of_a_fact_has_no_end() -> None:
    fact = Fact(id="f", space_id="s", category="c", key="k", value="v", valid_from=NOON, created_at=NOON)
    assert fact.valid_to is None


def test_a_key_has_no_place_for_its_secret() -> None:
    with pytest.raises(ValidationError, match="hash"):
        Key.model_validate(
            {"id": "k", "space_id": "s", "name": "n", "role": Role.READER, "hint": "9f", "created_at": NOON}
            | {"hash": "secret"}
        )


@pytest.mark.parametrize(
    ("given_time", "meant"),
    [
        (datetime(2024, 5, 6, 12), NOON),
        ("2024-05-06T12:00:00", NOON),
        ("2024-05-06T12:00:00Z", NOON),
        ("2024-05-06T17:45:00+05:45", NOON),
        (datetime(2024, 5, 6, 7, tzinfo=timezone(timedelta(hours=-5))), NOON),
        ("2024-05-06", datetime(2024, 5, 6, tzinfo=UTC)),
    ],
)
def test_a_time_is_kept_in_utc(given_time: datetime | str, meant: datetime) -> None:
    observed_at = memory(observed_at=given_time).observed_at
    assert observed_at == meant
    assert observed_at.utcoffset() == timedelta(0)


@given(st.datetimes(), st.integers(-23 * 60, 23 * 60))
def test_any_time_with_an_offset_is_converted_or_refused_by_validation(local: datetime, minutes: int) -> None:
    moment = local.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    try:
        kept = TypeAdapter(Utc).validate_python(moment)
    except ValidationError:
        assert local.year in (1, 9999)
    else:
        assert kept == moment
        assert kept.tzinfo is UTC


@pytest.mark.parametrize("beyond", ["9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00"])
def test_a_time_that_utc_cannot_express_is_refused_by_name(beyond: str) -> None:
    with pytest.raises(ValidationError, match=r"observed_at|observedAt"):
        memory(observed_at=beyond)


TIMES = st.datetimes(timezones=st.just(UTC))


@given(TIMES, TIMES)
def test_no_version_of_a_fact_ends_before_it_began(begins: datetime, end: datetime) -> None:
    version = Fact(id="f", space_id="s", category="c", key="k", value="v", valid_from=begins, created_at=NOON)
    ended = version.until(end)
    assert ended.valid_to == end, "what ended it is right"
    assert ended.valid_from == (begins if begins <= end else end)
    assert ended.model_copy(update={"valid_from": begins, "valid_to": None}) == version
