"""A request as it was written, and memory put into it: everything else stays as it is, to the byte. Pure.

The same places as `bethink.shapes.weaving`: the stable half leads, after the instructions that are there; the
volatile half stands just before the last thing the user said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bethink.settings.upstreams import SystemStyle
from bethink.shapes.weaving import last_user, leading

Dialect = Literal["chat", "responses", "messages"]

_decode = json.JSONDecoder().raw_decode
_BLANKS = re.compile(r"[ \t\n\r]*")


class NotJson(ValueError):
    """A text that is no JSON object."""


@dataclass(frozen=True)
class Part:
    """A value, and where it begins and ends."""

    value: Any
    start: int
    end: int


@dataclass(frozen=True)
class Edit:
    """What takes the place of a stretch of text; an empty stretch is where something is put in."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class JsonText:
    """A JSON object as it was written."""

    text: str
    start: int
    fields: Mapping[str, Part]

    @classmethod
    def read(cls, body: bytes) -> JsonText:
        """The object in these bytes; `NotJson` when they hold none."""
        try:
            text = body.decode("utf-8")
            start = _skip(text, 0)
            fields, end = _members(text, start)
        except IndexError:
            raise NotJson("it ends too soon" if body.strip() else "it is empty") from None
        except (ValueError, RecursionError) as error:
            raise NotJson(str(error) or "it is nested too deep") from None
        if _skip(text, end) != len(text):
            raise NotJson("there is more after the object")
        return cls(text, start, fields)

    def value(self, name: str) -> Any:
        """A field's value; None when there is none."""
        part = self.fields.get(name)
        return part.value if part else None

    def members(self, part: Part) -> dict[str, Part]:
        """The fields of an object in it."""
        return _members(self.text, part.start)[0]

    def items(self, part: Part) -> list[Part]:
        """The items of a list in it."""
        return _items(self.text, part.start)

    def with_field(self, name: str, value: str) -> Edit:
        """The edit that adds a field, given as JSON, to an object that has others."""
        return Edit(self.start + 1, self.start + 1, f"{json.dumps(name)}:{value}{',' if self.fields else ''}")

    def edited(self, edits: Iterable[Edit]) -> bytes:
        """The text with these edits made; those at one place in the order given."""
        pieces, place = [], 0
        for edit in sorted(edits, key=lambda edit: edit.start):
            pieces += [self.text[place : edit.start], edit.text]
            place = edit.end
        return "".join((*pieces, self.text[place:])).encode()


def as_json(value: Any) -> str:
    """A value as JSON, as short as it can be written."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _members(text: str, start: int) -> tuple[dict[str, Part], int]:
    if text[start] != "{":
        raise NotJson("it is no object")
    found: dict[str, Part] = {}
    place = _skip(text, start + 1)
    if text[place] == "}":
        return found, place + 1
    while True:
        name, place = _decode(text, place)
        if not isinstance(name, str):
            raise NotJson("a name is no text")
        place = _after(text, place, ":")
        value, end = _decode(text, place)
        found[name] = Part(value, place, end)
        place = _skip(text, end)
        if text[place] == "}":
            return found, place + 1
        place = _after(text, place, ",")


def _items(text: str, start: int) -> list[Part]:
    found: list[Part] = []
    place = _skip(text, start + 1)
    while text[place] != "]":
        value, end = _decode(text, place)
        found.append(Part(value, place, end))
        place = _skip(text, end)
        if text[place] == ",":
            place = _skip(text, place + 1)
    return found


def _after(text: str, place: int, mark: str) -> int:
    place = _skip(text, place)
    if text[place] != mark:
        raise NotJson(f"{mark!r} is missing at character {place}")
    return _skip(text, place + 1)


def _skip(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return found.end() if found else place


CACHE_MARKS = 4  # most `cache_control` that Anthropic takes in a request


def weaving_edits(
    posted: JsonText, dialect: Dialect, stable: str, volatile: str, system: SystemStyle
) -> list[Edit]:
    """The edits that put both halves into a request; none when there is nothing to put, or nowhere."""
    if not (stable or volatile):
        return []
    return _WEAVERS[dialect](posted, stable, volatile, system)


def _chat(posted: JsonText, stable: str, volatile: str, system: SystemStyle) -> list[Edit]:
    place = posted.fields.get("messages")
    if place is None or not _all_objects(place.value):
        return []
    messages, items = place.value, posted.items(place)
    user, first = last_user(messages, ()), leading(messages)
    role = "developer" if first and messages[first - 1].get("role") == "developer" else "system"
    if system == "none":
        return _into_users(posted, messages, items, stable, volatile, "text")
    edits: list[Edit] = []
    if stable and system == "one" and first:
        edits += _after_content(posted, items[first - 1], stable, "text")
    elif stable:
        edits.append(_insert(place, items, first, {"role": role, "content": stable}))
    if volatile and user < len(items):
        if system == "one":
            edits += _before_content(posted, items[user], volatile, "text")
        else:
            edits.append(_insert(place, items, user, {"role": role, "content": volatile}))
    return edits


def _responses(posted: JsonText, stable: str, volatile: str, system: SystemStyle) -> list[Edit]:
    place = posted.fields.get("input")
    if place is None:
        return []
    if isinstance(place.value, str):
        given = system == "none"
        early = _joined(stable if given else "", volatile if system != "any" else "")
        edits = [_at_start(place, early)] if early else []
        if system == "any" and volatile:
            lead = f'[{as_json({"role": "developer", "content": volatile})},{{"role":"user","content":'
            edits = [Edit(place.start, place.start, lead), Edit(place.end, place.end, "}]")]
        return edits + ([] if given else _instructions(posted, stable))
    if not _all_objects(place.value):
        return []
    messages, items = place.value, posted.items(place)
    if system == "none":
        return _into_users(posted, messages, items, stable, volatile, "input_text")
    user, edits = last_user(messages, ()), _instructions(posted, stable)
    if volatile and user < len(items):
        if system == "one":
            edits += _before_content(posted, items[user], volatile, "input_text")
        else:
            edits.append(_insert(place, items, user, {"role": "developer", "content": volatile}))
    return edits


def _instructions(posted: JsonText, stable: str) -> list[Edit]:
    place = posted.fields.get("instructions")
    if not stable:
        return []
    if place is None:
        return [posted.with_field("instructions", as_json(stable))]
    if not isinstance(place.value, str):
        return [Edit(place.start, place.end, as_json(stable))] if place.value is None else []
    return [_at_end(place, stable)]


def _messages(posted: JsonText, stable: str, volatile: str, system: SystemStyle) -> list[Edit]:
    place = posted.fields.get("messages")
    if place is None or not _all_objects(place.value):
        return []
    messages, items = place.value, posted.items(place)
    if system == "none":
        return _into_users(posted, messages, items, stable, volatile, "text", ("tool_result",))
    edits = _system_blocks(posted, stable) if stable else []
    user = last_user(messages, ("tool_result",))
    if volatile and user < len(items):
        edits += _block_first(posted, items[user], volatile)
    return edits


def _system_blocks(posted: JsonText, stable: str) -> list[Edit]:
    block = as_json({"type": "text", "text": stable} | _cache_mark(posted))
    place = posted.fields.get("system")
    if place is None:
        return [posted.with_field("system", f"[{block}]")]
    if isinstance(place.value, list):
        return [_insert_json(place, posted.items(place), len(place.value), block)]
    if isinstance(place.value, str) and place.value:
        before = Edit(place.start, place.start, '[{"type":"text","text":')
        return [before, Edit(place.end, place.end, f"}},{block}]")]
    return [Edit(place.start, place.end, f"[{block}]")]


def _cache_mark(posted: JsonText) -> dict[str, Any]:
    """Our own mark, where one is left; as long-lived as those after it, which Anthropic asks for."""
    marks = list(_marks([part.value for part in posted.fields.values()]))
    marks += [posted.value("cache_control")] if posted.value("cache_control") else []
    if len(marks) >= CACHE_MARKS:
        return {}
    later = [posted.value("messages"), [{"cache_control": posted.value("cache_control")}]]
    lives = [mark.get("ttl") for mark in _marks(later) if isinstance(mark, dict)]
    return {"cache_control": {"type": "ephemeral"} | ({"ttl": "1h"} if "1h" in lives else {})}


def _marks(value: Any) -> Sequence[Any]:
    if isinstance(value, list):
        return [mark for item in value for mark in _marks(item)]
    if isinstance(value, dict):
        own = [value["cache_control"]] if value.get("cache_control") else []
        return own + [mark for item in value.values() if isinstance(item, list) for mark in _marks(item)]
    return []


def _block_first(posted: JsonText, message: Part, text: str) -> list[Edit]:
    content = posted.members(message).get("content")
    block = as_json({"type": "text", "text": text})
    if content is None:
        return []
    if isinstance(content.value, str):
        before = Edit(content.start, content.start, f'[{block},{{"type":"text","text":')
        return [before, Edit(content.end, content.end, "}]")]
    if isinstance(content.value, list):
        return [_insert_json(content, posted.items(content), 0, block)]
    return []


def _into_users(
    posted: JsonText,
    messages: Sequence[Any],
    items: Sequence[Part],
    stable: str,
    volatile: str,
    kind: str,
    results: Sequence[str] = (),
) -> list[Edit]:
    """For hosts that refuse the system role: the stable half in the first message, where caches keep it."""
    users = [number for number, message in enumerate(messages) if message.get("role") == "user"]
    last = last_user(messages, results)
    if not users or last == len(messages):
        return []
    first = users[0]
    if first == last:
        return _before_content(posted, items[last], _joined(stable, volatile), kind)
    early = _before_content(posted, items[first], stable, kind) if stable else []
    return early + (_before_content(posted, items[last], volatile, kind) if volatile else [])


def _before_content(posted: JsonText, message: Part, text: str, kind: str) -> list[Edit]:
    content = posted.members(message).get("content")
    if content is None or not isinstance(content.value, str | list):
        return []
    if isinstance(content.value, str):
        return [_at_start(content, text)]
    return [_insert_json(content, posted.items(content), 0, as_json({"type": kind, "text": text}))]


def _after_content(posted: JsonText, message: Part, text: str, kind: str) -> list[Edit]:
    content = posted.members(message).get("content")
    if content is None or not isinstance(content.value, str | list):
        return []
    if isinstance(content.value, str):
        return [_at_end(content, text)]
    last = len(content.value)
    return [_insert_json(content, posted.items(content), last, as_json({"type": kind, "text": text}))]


def _at_start(text: Part, addition: str) -> Edit:
    return Edit(text.start + 1, text.start + 1, as_json(addition + "\n\n")[1:-1])


def _at_end(text: Part, addition: str) -> Edit:
    return Edit(text.end - 1, text.end - 1, as_json("\n\n" + addition if text.value else addition)[1:-1])


def _insert(place: Part, items: Sequence[Part], number: int, message: Any) -> Edit:
    return _insert_json(place, items, number, as_json(message))


def _insert_json(place: Part, items: Sequence[Part], number: int, item: str) -> Edit:
    """The edit that puts an item before the one with this number, or at the end."""
    if number < len(items):
        return Edit(items[number].start, items[number].start, item + ",")
    if items:
        return Edit(items[-1].end, items[-1].end, "," + item)
    return Edit(place.start + 1, place.start + 1, item)


def _all_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


_WEAVERS: dict[Dialect, Callable[[JsonText, str, str, SystemStyle], list[Edit]]] = {
    "chat": _chat,
    "responses": _responses,
    "messages": _messages,
}
