"""Read an archive line by line and refuse what is wrong with it, by line and field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from pydantic import ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import from_json

from bethink.errors import InvalidInput, TooLarge
from bethink.nouns import NOUNS
from bethink.records import Record
from bethink.shapes.fields import NAME_CHARS, checked, is_storable
from bethink.shapes.households import HouseholdDraft
from bethink.shapes.validation_messages import mistake
from bethink.transfer.bounds import MOST_PARTS, has_too_many_parts
from bethink.transfer.lines import FORMAT, VERSION, kind_of, order

LONGEST_LINE = 64_000_000  # bytes
DEEPEST = 60
_LARGEST = 2**53


@dataclass(frozen=True)
class Line:
    """One record of an archive, and where it stood."""

    number: int
    noun: str
    record: Record
    size: int  # of the line, in bytes


@dataclass
class Outline:
    """What an archive turned out to hold."""

    counts: Counter[str] = field(default_factory=Counter)
    ids: dict[str, set[str]] = field(default_factory=lambda: {noun: set() for noun in NOUNS.referred})


def refused(number: int, field_name: str, problem: str) -> InvalidInput:
    """What is wrong with a line."""
    return InvalidInput(f"line {number}: {field_name}: {problem}", field=f"line {number}.{field_name}")


def check_archive(stream: BinaryIO, content_chars: int) -> Outline:
    """Read it all once. Raises `InvalidInput` for the first thing that is wrong."""
    announced, outline, place, nouns = read_header(stream), Outline(), 0, order()
    for line in lines(stream, content_chars):
        if nouns.index(line.noun) < place:
            raise refused(line.number, "noun", f"a {line.noun} must come before every {nouns[place]}")
        place = nouns.index(line.noun)
        outline.counts[line.noun] += 1
        _check_references(line, outline)
    for noun in nouns:
        if announced.get(noun, 0) != outline.counts[noun]:
            raise InvalidInput(
                f"line 1: counts.{noun}: says {announced.get(noun, 0)}, but there are {outline.counts[noun]};"
                " the file is not whole.",
                field=f"line 1.counts.{noun}",
            )
    return outline


def read_header(stream: BinaryIO) -> Mapping[str, int]:
    """The counts of the first line."""
    stream.seek(0)
    values = _parsed(1, stream.readline(LONGEST_LINE))
    if values.get("format") != FORMAT:
        raise refused(1, "format", f"must be {FORMAT!r}; this is no archive of Bethink")
    if values.get("version") != VERSION:
        raise refused(1, "version", f"is {values.get('version')!r}; this Bethink reads version {VERSION}")
    counts = values.get("counts")
    if not isinstance(counts, dict) or not all(type(count) is int for count in counts.values()):
        raise refused(1, "counts", "must say how many records of each noun there are")
    return counts


def lines(stream: BinaryIO, content_chars: int) -> Iterator[Line]:
    """The records after the header, each checked on its own."""
    number = 1
    while raw := stream.readline(LONGEST_LINE + 1):
        number += 1
        if len(raw) > LONGEST_LINE:
            raise TooLarge(
                f"line {number}: is longer than {LONGEST_LINE:,} bytes; shorten it.", field=f"line {number}"
            )
        if raw.strip():
            yield _line(number, raw, content_chars)


def _parsed(number: int, raw: bytes) -> dict[str, Any]:
    if has_too_many_parts(raw):
        problem = f"line {number}: holds more than {MOST_PARTS:,} texts, lists and objects; make it simpler."
        raise TooLarge(problem, field=f"line {number}")
    try:
        values = from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        raise InvalidInput(f"line {number}: is not valid JSON: {error}.", field=f"line {number}") from None
    if not isinstance(values, dict):
        raise InvalidInput(f"line {number}: must be a JSON object.", field=f"line {number}")
    return values


def _line(number: int, raw: bytes, content_chars: int) -> Line:
    values = _parsed(number, raw)
    noun, record = values.get("noun"), values.get("record")
    kind = kind_of(noun) if isinstance(noun, str) else None
    if kind is None or not isinstance(noun, str):
        raise refused(number, "noun", f"{noun!r} is not known; known are {', '.join(order())}")
    if not isinstance(record, dict):
        raise refused(number, "record", "must be an object")
    _check_values(number, noun, record, content_chars)
    try:
        made = kind.model_validate({"spaceId": ""} | record if "space_id" in kind.model_fields else record)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in problem["loc"])
        raise refused(number, f"record.{name}", mistake(problem)) from None
    _check_choices(number, noun, made)
    return Line(number, noun, made, len(raw))


def _check_values(number: int, noun: str, record: Mapping[str, Any], content_chars: int) -> None:
    archived = NOUNS.archived.get(noun)
    long = {to_camel(name) for name in archived.long} if archived else set()
    for name, value in record.items():
        where = f"record.{name}"
        if isinstance(value, str) and name not in long and len(value) > NAME_CHARS:
            raise refused(number, where, f"is longer than {NAME_CHARS} characters")
        if type(value) is int and abs(value) > _LARGEST:
            raise refused(number, where, "is too large a number")
        _check_json(number, where, value, content_chars, 0)


def _check_json(number: int, where: str, value: Any, content_chars: int, depth: int) -> None:
    if depth > DEEPEST:
        raise refused(number, where, f"is nested more than {DEEPEST} deep")
    match value:
        case str():
            if not is_storable(value):
                raise refused(number, where, "must be valid Unicode without NUL characters")
            if len(value) > content_chars:
                raise refused(number, where, f"is over the limit of {content_chars:,} characters")
        case dict():
            for name, item in value.items():
                _check_json(number, where, name, content_chars, depth + 1)
                _check_json(number, f"{where}.{name}"[:NAME_CHARS], item, content_chars, depth + 1)
        case list():
            for item in value:
                _check_json(number, where, item, content_chars, depth + 1)
        case int() | float() if abs(value) >= 1e300:
            raise refused(number, where, "is too large a number")


def _check_choices(number: int, noun: str, record: Any) -> None:
    """What may be only one of a few words."""
    archived = NOUNS.archived.get(noun)
    if archived and archived.check and (wrong := archived.check(record)):
        raise refused(number, f"record.{to_camel(wrong[0])}", wrong[1])
    if noun == "space":
        names = ("display_name", "mode", "timezone", "locale")
        try:
            checked(HouseholdDraft, {name: getattr(record, name) for name in names})
        except InvalidInput as error:
            raise refused(number, f"record.{error.field}", error.message) from None


def _check_references(line: Line, outline: Outline) -> None:
    """Every record that a line names must stand before it."""
    record: Any = line.record
    if line.noun not in NOUNS.archived:
        return
    for reference in NOUNS.by_name[line.noun].references:
        named = getattr(record, reference.field)
        if reference.to is None or not reference.required or named is None:
            continue
        if unknown := set([named] if isinstance(named, str) else named) - outline.ids[reference.to]:
            problem = f"there is no {reference.to} {min(unknown)!r} before it"
            raise refused(line.number, f"record.{to_camel(reference.field)}", problem)
    if line.noun in outline.ids:
        outline.ids[line.noun].add(record.id)
