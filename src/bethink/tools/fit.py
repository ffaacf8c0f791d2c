"""What a tool answers as a model may read it: as data, within its tokens, with what was cut. Pure."""

from __future__ import annotations

import json
from bisect import bisect_right
from typing import Any, TypeVar

from bethink.records import Json, Record
from bethink.text.fence import as_data
from bethink.text.terms import estimate

R = TypeVar("R", bound=Record)
NOTE_TOKENS = 60  # kept for saying what was cut
_AFTER = ("next_cursor", "next_offset")  # would go on after those that were left out
_FEW, _LEAST = 4, 20  # records that have room at least, and tokens of a text that each may keep
_LISTS = ("items", "candidates", "persons")


def as_json(result: Record) -> Json:
    """What a tool answers, with no text in it that begins a tag or a token; what is not known is left out."""
    told: Json = _fenced(result.model_dump(mode="json", by_alias=False, exclude_none=True))
    return told


def _fenced(node: Any) -> Any:
    match node:
        case str():
            return as_data(node)
        case list():
            return [_fenced(one) for one in node]
        case dict():
            return {name: _fenced(value) for name, value in node.items()}
    return node


def as_text(data: Json | str) -> str:
    """What a model reads."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def fitted(data: Json, limit: int) -> Json:
    """The same within so many tokens: long texts are shortened, then the last records left out."""
    if estimate(as_text(data)) <= limit:
        return data
    left, notes = max(limit - NOTE_TOKENS, 1), []
    name = next((name for name in _LISTS if data.get(name)), None)
    listed: list[Any] = data[name] if name else [data]
    share = _share(listed, left - estimate(as_text({**data, name: []})) if name else left)
    shortened = [_shortened(one, share) for one in listed]
    if count := sum(was != now for was, now in zip(listed, shortened, strict=True)):
        notes.append(f"{count} long {'text was' if count == 1 else 'texts were'} shortened")
    if name is None:
        data = shortened[0]
    else:
        data = {**data, name: shortened}
        while len(data[name]) > 1 and estimate(as_text(data)) > left:
            data[name].pop()
        if dropped := len(listed) - len(data[name]):
            data = {field: value for field, value in data.items() if field not in _AFTER}
            fewer = f"ask for fewer, with a limit of {len(data[name])}, or more narrowly"
            notes.append(f"{dropped} of {len(listed)} were left out; {fewer}")
    return {**data, "cut": f"To stay within {limit} tokens: {'; '.join(notes)}."}


def within(text: str, limit: int, more: str) -> str:
    """A text within so many tokens, cut after a line; `more` says where the rest is."""
    if estimate(text) <= limit:
        return text
    kept = beginning(text, max(limit - NOTE_TOKENS, 1))
    whole = kept.rpartition("\n")[0] if "\n" in kept else kept
    return f"{whole.rstrip()}\n\n(Cut to stay within {limit} tokens. {more})"


def _share(listed: list[Json], left: int) -> int:
    """The tokens of a long text, so that the first few records have room with all that is around it."""
    first = listed[:_FEW]
    frames = [{name: "…" if _is_long(value) else value for name, value in one.items()} for one in first]
    texts = sum(_is_long(value) for one in first for value in one.values())
    left -= sum(estimate(as_text(frame)) + 1 for frame in frames)  # and a comma
    return max(left // max(texts, 1), _LEAST)


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and estimate(value) > _LEAST


def _shortened(node: Json, tokens: int) -> Json:
    """The same with its longest texts cut."""
    return {
        name: _cut(value, tokens) if isinstance(value, str) and estimate(value) > tokens else value
        for name, value in node.items()
    }


def beginning(text: str, tokens: int) -> str:
    """As much of the beginning of a text as so many tokens hold, as data and within JSON."""
    if _tokens(text) <= tokens:
        return text
    length = bisect_right(range(len(text)), tokens, key=lambda length: _tokens(text[:length])) - 1
    return text[: max(length, 0)]


def _tokens(text: str) -> int:
    return estimate(as_text(as_data(text)))


def _cut(text: str, tokens: int) -> str:
    return f"{beginning(text, tokens).rstrip()}…"
