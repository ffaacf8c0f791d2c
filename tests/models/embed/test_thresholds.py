"""Thresholds: what the common scale says, and what it means for a model that was measured."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.models.embed import Purpose, signature, threshold
from bethink.models.embed.traits import COMMON, PURPOSES, is_measured
from bethink.testing import HashEmbedder

HASH = signature(HashEmbedder())
LOCAL = "local:bge-small-en-v1.5-int8:384"


def test_a_model_that_was_not_measured_keeps_to_the_common_scale() -> None:
    assert {purpose: threshold(HASH, purpose) for purpose in PURPOSES} == COMMON
    seeds = {"recall": 0.5, "passages": 0.7, "documents": 0.7, "facts": 0.7, "dedupe": 0.9}
    assert pytest.approx(seeds) == COMMON
    assert not is_measured(HASH)


def test_the_packaged_model_has_its_own_whatever_its_text_looks_like() -> None:
    assert is_measured(LOCAL)
    assert threshold(LOCAL, "facts") == threshold(f"{LOCAL}:aaak", "facts") == 0.62
    assert threshold(LOCAL, "dedupe") == 0.92
    assert threshold("sentence-transformers:BAAI/bge-small-en-v1.5:384", "dedupe") == 0.92


@given(purpose=st.sampled_from(PURPOSES), one=st.floats(-1, 1), other=st.floats(-1, 1))
def test_a_stricter_setting_is_never_laxer_for_a_model_and_the_ends_stay(
    purpose: Purpose, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    assert threshold(LOCAL, purpose, low) <= threshold(LOCAL, purpose, high) + 1e-12
    assert -1 - 1e-12 <= threshold(LOCAL, purpose, one) <= 1 + 1e-12
    assert threshold(LOCAL, purpose, 1.0) == pytest.approx(1)
    assert threshold(HASH, purpose, one) == pytest.approx(one)
