from __future__ import annotations

import inspect
import pickle
import re

import pytest

from bethink import errors
from bethink.errors import BethinkError, InvalidInput, NotFound

ALL = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__]


def drawn_tree() -> dict[str, str | None]:
    """Each class in the module's drawing with the class it hangs from."""
    parents: dict[str, str | None] = {}
    branch: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        if drawn := re.fullmatch(r"    ((?:│   |    )*(?:├── |└── )?)([A-Z]\w+)(?:  .*)?", line):
            depth = len(drawn[1]) // 4
            branch[depth:] = [drawn[2]]
            parents[drawn[2]] = branch[depth - 1] if depth else None
    return parents


def test_the_drawing_shows_every_error_under_its_parent() -> None:
    real = {kind.__name__: None if kind is BethinkError else kind.__bases__[0].__name__ for kind in ALL}
    assert drawn_tree() == real


@pytest.mark.parametrize("kind", ALL)
def test_the_docstring_is_the_default_message(kind: type[BethinkError]) -> None:
    error = kind()
    assert str(error) == error.message == kind.__doc__
    assert error.message.endswith(".")
    assert error.field is None


def test_a_message_and_a_field_are_kept() -> None:
    error = InvalidInput("The title is empty: give one.", field="title")
    assert (str(error), error.field) == ("The title is empty: give one.", "title")


def test_an_error_survives_the_way_between_two_processes() -> None:
    error = pickle.loads(pickle.dumps(NotFound("There is no memory 7.", field="id")))
    assert isinstance(error, NotFound)
    assert (error.message, error.field) == ("There is no memory 7.", "id")


def test_errors_are_also_what_python_calls_them() -> None:
    assert issubclass(NotFound, LookupError)
    assert issubclass(InvalidInput, ValueError)
