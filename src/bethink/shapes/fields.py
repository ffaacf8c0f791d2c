"""What a field of an input may hold: what every database can keep. And how an input is checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, ValidationError
from pydantic_core import PydanticCustomError

from bethink.errors import InvalidInput, TooLarge
from bethink.records import Json, Record
from bethink.settings import LimitSettings
from bethink.shapes.validation_messages import SOMETHING, mistake

NAME_CHARS = 250  # longest name, key, tag or id: two of them, in any script, fit a row of a PostgreSQL index
TITLE_CHARS = 1000  # longest title
LIST_ITEMS = 200  # most items of a list field
JSON_CHARS = 200_000  # largest metadata of one record, as text
JSON_DEPTH = 50
_SURROGATE = re.compile("[\ud800-\udfff]")


def is_storable(text: str) -> bool:
    """Whether a database can keep a text as it is."""
    return "\0" not in text and not _SURROGATE.search(text)


def check_name(name: str, field: str) -> None:
    """Refuse a name that is empty, too long or nothing a database can keep."""
    if not 0 < len(name) <= NAME_CHARS or not is_storable(name):
        raise InvalidInput(
            f"{field}: a name has 1 to {NAME_CHARS} characters of valid Unicode and no NUL.", field=field
        )


def _storable(text: str) -> str:
    """Refuse what no database can keep as text, instead of changing it silently."""
    if is_storable(text):
        return text
    if "\0" in text:
        raise PydanticCustomError("nul", "must not contain NUL characters; remove them (U+0000)")
    raise PydanticCustomError("surrogate", "must be valid Unicode; it has half a surrogate pair")


def _storable_json(value: Json) -> Json:
    size = _check_json(value, 0)
    if size > JSON_CHARS:
        raise PydanticCustomError(
            "json_size", "must be at most {limit} characters of JSON", {"limit": JSON_CHARS}
        )
    return value


def _check_json(value: Any, depth: int) -> int:
    if depth > JSON_DEPTH:
        raise PydanticCustomError("json_depth", "must be nested at most {limit} deep", {"limit": JSON_DEPTH})
    match value:
        case str():
            return len(_storable(value)) + 2
        case Mapping():
            return 2 + sum(_check_name(k) + 4 + _check_json(v, depth + 1) for k, v in value.items())
        case list() | tuple():
            return 2 + sum(1 + _check_json(item, depth + 1) for item in value)
        case bool() | None:
            return 5
        case int() | float() if abs(value) < 1e300:
            return len(str(value))
        case int() | float():
            raise PydanticCustomError("json_number", "must hold only finite numbers")
        case _:
            raise PydanticCustomError(
                "json_kind", "must hold only what JSON can: text, numbers, lists, objects"
            )


def _check_name(name: Any) -> int:
    if not isinstance(name, str):
        raise PydanticCustomError("json_name", "must have only text as the names of objects' values")
    return len(_storable(name))


Text = Annotated[str, AfterValidator(_storable)]
Content = Annotated[str, Field(min_length=1, pattern=SOMETHING), AfterValidator(_storable)]
Name = Annotated[str, Field(min_length=1, max_length=NAME_CHARS), AfterValidator(_storable)]
Title = Annotated[str, Field(min_length=1, max_length=TITLE_CHARS), AfterValidator(_storable)]
Names = Annotated[list[Name], Field(max_length=LIST_ITEMS)]
Extra = Annotated[Json, AfterValidator(_storable_json)]
Extras = Annotated[list[Extra], Field(max_length=LIST_ITEMS)]


PAGE_LIMIT = 1000  # most records one listing returns
FARTHEST = 1_000_000_000  # where a listing may begin: none is longer, and every database can count so far


def check_sizes(
    limits: LimitSettings, *, texts: Sequence[str], count: int = 0, field: str = "content"
) -> None:
    """Refuse too many items, or a text that is too long."""
    if count > limits.batch:
        raise TooLarge(_over("items", count, limits.batch), field="items")
    longest = max(map(len, texts), default=0)
    if longest > limits.content_chars:
        raise TooLarge(_over(field, longest, limits.content_chars), field=field)


def check_query(limits: LimitSettings, query: str) -> None:
    """Refuse a query that is too long."""
    if len(query) > limits.query_chars:
        raise TooLarge(_over("query", len(query), limits.query_chars), field="query")


def check_page(limit: int, start: int = 0, field: str = "offset") -> None:
    """Refuse a page that is too long, or begins too far."""
    if not 1 <= limit <= PAGE_LIMIT:
        raise InvalidInput(f"limit: must be from 1 to {PAGE_LIMIT}, not {limit}.", field="limit")
    if not 0 <= start <= FARTHEST:
        raise InvalidInput(f"{field}: must be from 0 to {FARTHEST}, not {start}.", field=field)


def numbers_of(vector: Sequence[float]) -> NDArray[np.float32]:
    """A vector that a caller hands in, checked."""
    try:
        numbers = np.asarray(vector, np.float32)
    except (TypeError, ValueError):
        numbers = np.zeros((0, 0), np.float32)
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise InvalidInput("vector: must be a list of finite numbers.", field="vector")
    return numbers


def _over(field: str, size: int, limit: int) -> str:
    return (
        f"{field}: {size:,} is over the limit of {limit:,}; make it shorter or raise the limit in settings."
    )


D = TypeVar("D", bound=Record)


def checked(kind: type[D], values: Mapping[str, Any] | D) -> D:
    """A validated input; what is wrong with it is said field by field."""
    if isinstance(values, kind):
        return values
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        problems = [_told(problem, kind) for problem in error.errors(include_url=False)]
        text = "; ".join(f"{name}: {message}" for name, message in problems)
        raise InvalidInput(text, field=problems[0][0]) from None


def _told(problem: Mapping[str, Any], kind: type[Record]) -> tuple[str, str]:
    """Which field is wrong, and what is wrong with it."""
    place = problem["loc"]
    known = kind.model_fields if len(place) == 1 else ()  # what is nested has other names
    return ".".join(map(str, place)) or "input", mistake(problem, known)


class _Reason(Record):
    reason: Annotated[Text, Field(max_length=TITLE_CHARS)] | None


def checked_reason(reason: str | None) -> str | None:
    """Why something is done, in a caller's words, for the journal."""
    return checked(_Reason, {"reason": reason}).reason


def checked_all(kind: type[D], values: Sequence[Mapping[str, Any] | D], field: str) -> list[D]:
    """A validated list; an error names the place, e.g. `messages.3.content`."""
    found = []
    for number, item in enumerate(values):
        try:
            found.append(checked(kind, item))
        except InvalidInput as error:
            raise InvalidInput(
                f"{field}.{number}: {error.message}", field=f"{field}.{number}.{error.field}"
            ) from None
    return found
