"""How values look in columns, and how ids are put together: rules without a database."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from itertools import combinations

from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from bethink.records import Layer
from bethink.store.rows import LAYER_CODES, every_layer, id_range, id_ranges, micros, moment, to_json

MOMENTS = st.datetimes(timezones=st.just(UTC))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NUMBERS = st.integers(1, 2**31 - 1)


@given(MOMENTS)
def test_a_time_comes_back_to_the_microsecond(at: datetime) -> None:
    assert moment(micros(at)) == at
    assert moment(micros(at)).tzinfo is UTC


@given(MOMENTS, MOMENTS)
def test_times_keep_their_order(first: datetime, second: datetime) -> None:
    assert (first < second) == (micros(first) < micros(second))


def test_a_time_is_counted_from_1970_in_utc_whatever_its_zone() -> None:
    assert micros(datetime(1970, 1, 1, tzinfo=UTC)) == 0
    assert micros(datetime(1970, 1, 1, 5, 45, tzinfo=timezone(timedelta(hours=5, minutes=45)))) == 0
    assert micros(datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)) == -1


@given(JSON)
@hypothesis_settings(max_examples=50)
def test_json_comes_back(value: object) -> None:
    assert json.loads(to_json(value)) == value


@given(st.dictionaries(st.text(), JSON, max_size=5))
@hypothesis_settings(max_examples=50)
def test_equal_objects_are_equal_text(value: dict[str, object]) -> None:
    assert to_json(dict(reversed(value.items()))) == to_json(value)


@given(NUMBERS, NUMBERS)
def test_no_two_spaces_or_layers_share_an_id(first: int, second: int) -> None:
    ranges = [id_range(number, layer) for number in {first, second} for layer in Layer]
    for (low, high), (other_low, other_high) in combinations(ranges, 2):
        assert high < other_low or other_high < low


@given(NUMBERS)
def test_the_range_of_a_space_holds_all_its_layers(number: int) -> None:
    low, high = id_range(number)
    assert all(low < id_range(number, layer)[0] < id_range(number, layer)[1] <= high for layer in Layer)
    assert high < 2**63, "an id fits a column"


def test_the_layers_chosen_are_the_ranges_searched() -> None:
    assert id_ranges(5, None) == [id_range(5)]
    assert id_ranges(5, []) == []
    chosen = [Layer.MESSAGE, Layer.FACT, Layer.MESSAGE]
    assert sorted(id_ranges(5, chosen)) == sorted([id_range(5, Layer.FACT), id_range(5, Layer.MESSAGE)])


def test_every_layer_has_a_code_of_four_bits() -> None:
    assert set(LAYER_CODES) == set(Layer) == set(every_layer())
    assert len(set(LAYER_CODES.values())) == len(LAYER_CODES)
    assert all(0 < code < 16 for code in LAYER_CODES.values())
