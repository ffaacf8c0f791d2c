"""What a chat model meant to say: its JSON, however it is wrapped. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

LONGEST = 400_000  # characters that are looked at
_MOST_TRIES = 500  # places where a value may begin
_PROBLEMS_TOLD = 5

_THOUGHT = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```[\w-]*[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL)

M = TypeVar("M", bound=BaseModel)


def spoken(text: str) -> str:
    """The answer without the reasoning that some models put before it."""
    return _THOUGHT.sub("", text[:LONGEST], count=1).strip()


def validated(text: str, schema: type[M]) -> M:
    """The first JSON in an answer that fits the schema: alone, in a code fence, or amid prose.

    Raises `ValueError` with what is wrong, in words that quote nothing of the answer.
    """
    said, problem = spoken(text), ""
    for value in _values(said):
        try:
            return schema.model_validate(value)
        except ValidationError as error:
            problem = problem or _told(error)
    raise ValueError(problem or ("there is no valid JSON in it" if said else "it is empty"))


def every(text: str, schema: type[M]) -> list[M]:
    """Every JSON object in an answer that fits the schema, each once, though what is around it may be broken.

    >>> class Fact(BaseModel):
    ...     key: str
    >>> every('{"facts": [{"key": "diet"}, {"key": "ho', Fact)
    [Fact(key='diet')]
    """
    found: list[M] = []
    for value in _values(spoken(text)):
        try:
            item = schema.model_validate(value)
        except ValidationError:
            continue
        found += [item] if item not in found else []
    return found


def _values(text: str) -> Iterator[Any]:
    """Every JSON object and array: the whole, then what is fenced, then what stands anywhere."""
    if (whole := _parsed(text)) is not None:
        yield whole
        return
    for fenced in _FENCED.findall(text):
        if (value := _parsed(fenced)) is not None:
            yield value
    decoder = json.JSONDecoder(parse_constant=_refuse)
    place = 0
    for _ in range(_MOST_TRIES):
        found = re.compile(r"[{\[]").search(text, place)
        if found is None:
            return
        try:
            value, place = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            place = found.start() + 1
            continue
        yield value


def _parsed(text: str) -> Any:
    """The value of a text that is one JSON object or array; else None."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _told(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    told = [f"{'.'.join(map(str, p['loc'])) or 'answer'}: {p['msg']}" for p in problems[:_PROBLEMS_TOLD]]
    more = len(problems) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")
