from __future__ import annotations

import inspect

import pytest

from bethink import errors
from bethink.errors import BethinkError
from bethink.gateway.refusals import refusal_of
from bethink.statuses import status_of

EVERY = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, BethinkError) and kind is not BethinkError
]


@pytest.mark.parametrize("kind", EVERY)
def test_no_error_that_was_foreseen_is_a_defect(kind: type[BethinkError]) -> None:
    assert status_of(kind()) != 500


@pytest.mark.parametrize("kind", EVERY)
def test_the_gateway_says_the_same_but_for_mistakes_which_its_clients_know_as_400(
    kind: type[BethinkError],
) -> None:
    status = status_of(kind())
    assert refusal_of(kind(), "r").status == (400 if status == 422 else status)


def test_what_nobody_foresaw_is_a_defect() -> None:
    assert status_of(KeyError()) == status_of(BethinkError()) == 500
