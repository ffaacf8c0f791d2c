"""What other programs export, read as memories: mem0, Chroma's `get()`, and plain lists. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bethink.errors import InvalidInput
from bethink.shapes.inputs import MemoryDraft, checked

FormatName = Literal["mem0", "chroma", "list"]
_TEXT_NAMES = ("content", "memory", "text", "value")
_TIMES = ("observed_at", "observedAt", "created_at", "createdAt", "timestamp")
_EXAMPLES = (
    'known are an archive of Bethink, a mem0 export ({"results": [{"memory": "…"}]}), a Chroma dump'
    ' ({"ids": […], "documents": […]}), and a list of texts or of objects with "content"'
)


@dataclass
class Foreign:
    """Memories read from a file of another program."""

    format: FormatName
    drafts: list[MemoryDraft] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_foreign(text: str) -> Foreign:
    """The memories in a JSON document, or in JSON Lines. Raises `InvalidInput` naming line and field."""
    values = _parsed(text)
    match values:
        case list():
            return _from_list(text, values, [])
        case {"ids": list(), "documents": list() | None}:
            return _from_chroma(text, values)
        case {"results": list() as items} | {"memories": list() as items}:
            name = "results" if "results" in values else "memories"
            found = _from_list(text, items, [name])
            found.format = "mem0"
            if relations := values.get("relations"):
                found.notes.append(f"{len(relations)} relations of the mem0 graph were left out")
            return found
    raise InvalidInput(f"line 1: the file's shape is not known; {_EXAMPLES}.", field="line 1")


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise InvalidInput(
                f"line {error.lineno}: is not valid JSON: {error.msg} at column {error.colno}.",
                field=f"line {error.lineno}",
            ) from None
    except RecursionError:
        raise InvalidInput("line 1: is nested too deep.", field="line 1") from None
    return [_parsed_line(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def _parsed_line(number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise InvalidInput(f"line {number}: is not valid JSON: {error}.", field=f"line {number}") from None


def _from_list(text: str, items: Sequence[Any], path: list[str | int]) -> Foreign:
    found = Foreign("list")
    for number, item in enumerate(items):
        try:
            found.drafts.append(_draft(item))
        except InvalidInput as error:
            raise _placed(text, [*path, number], error) from None
    if items and all(isinstance(item, dict) and "memory" in item for item in items):
        found.format = "mem0"
    return found


def _from_chroma(text: str, values: Mapping[str, Any]) -> Foreign:
    found = Foreign("chroma")
    documents, metadatas = values.get("documents"), values.get("metadatas")
    if documents is None:
        raise InvalidInput(
            "line 1: documents: is null; get the collection with include=['documents', 'metadatas'].",
            field="line 1.documents",
        )
    for name, column in (("documents", documents), ("metadatas", metadatas)):
        if column is not None and (not isinstance(column, list) or len(column) != len(values["ids"])):
            problem = InvalidInput(f"must be a list as long as ids ({len(values['ids'])})", field=None)
            raise _placed(text, [name], problem)
    for number, (id_, document) in enumerate(zip(values["ids"], documents, strict=True)):
        if document is None:
            found.notes.append(f"the record {str(id_)[:100]!r} has no document and was left out")
            continue
        metadata = metadatas[number] if metadatas else None
        fields = {"content": document, "key": f"chroma:{id_}", "metadata": metadata or {}, "source": "chroma"}
        try:
            found.drafts.append(checked(MemoryDraft, fields))
        except InvalidInput as error:
            place = "metadatas" if (error.field or "").startswith("metadata") else "documents"
            raise _placed(text, [place, number], error) from None
    return found


def _draft(item: Any) -> MemoryDraft:
    if isinstance(item, str):
        return checked(MemoryDraft, {"content": item, "source": "import"})
    if not isinstance(item, dict):
        raise InvalidInput("must be a text, or an object with content")
    known = {alias for name, f in MemoryDraft.model_fields.items() for alias in (name, f.alias or name)}
    name = next((name for name in _TEXT_NAMES if item.get(name) is not None), None)
    if name is None:
        raise InvalidInput("content: must be there", field="content")
    fields: dict[str, Any] = {"content": item[name], "source": "mem0" if name == "memory" else "import"}
    rest = {key: value for key, value in item.items() if key != name and value is not None}
    metadata = rest.pop("metadata", None) or {}
    if not isinstance(metadata, dict):
        raise InvalidInput("metadata: must be an object", field="metadata")
    fields |= _mem0(rest) if name == "memory" else {}
    for time in _TIMES:
        if time in rest:
            fields.setdefault("observed_at", rest.pop(time))
    about = known - {"person_id", "personId"}  # a person of another program is nobody here
    fields |= {key: rest.pop(key) for key in list(rest) if key in about}
    id_ = rest.pop("id", None)
    if id_ is not None and "key" not in fields:
        fields["key"] = f"{fields['source']}:{id_}"
    return checked(MemoryDraft, {**fields, "metadata": {**rest, **metadata}})


def _mem0(rest: dict[str, Any]) -> dict[str, Any]:
    """What of a mem0 record is more than metadata; its scores and hashes say nothing here."""
    for name in ("hash", "score", "updated_at", "expiration_date"):
        rest.pop(name, None)
    categories = rest.pop("categories", None)
    return {"tags": [str(tag) for tag in categories]} if isinstance(categories, list) else {}


def _placed(text: str, path: Sequence[str | int], error: InvalidInput) -> InvalidInput:
    line = line_at(text, path)
    where = ".".join(str(part) for part in path)
    message = f"line {line}: {where}{'.' if error.field else ': '}{error.message}"
    return InvalidInput(message, field=f"line {line}.{where}" + (f".{error.field}" if error.field else ""))


def line_at(text: str, path: Sequence[str | int]) -> int:
    """The line on which a part of a JSON document begins; of JSON Lines, the line of that item."""
    decoder = json.JSONDecoder()
    place = _skip(text, 0)
    if path and isinstance(path[0], int) and text[place : place + 1] != "[":
        filled = [number for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        return filled[path[0]]
    for part in path:
        for name, start in _children(text, place, decoder):
            place = start
            if name == part:
                break
    return text.count("\n", 0, place) + 1


def _children(text: str, place: int, decoder: json.JSONDecoder) -> Iterator[tuple[str | int, int]]:
    """The names or numbers of what an object or a list holds, and where each begins."""
    is_object, number = text[place] == "{", 0
    place = _skip(text, place + 1)
    while text[place] not in "}]":
        name: str | int = number
        if is_object:
            name, place = decoder.raw_decode(text, place)
            place = _skip(text, _skip(text, place) + 1)  # past the colon
        yield name, place
        _, place = decoder.raw_decode(text, place)
        place, number = _skip(text, place), number + 1
        if text[place] == ",":
            place = _skip(text, place + 1)


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t\r\n\ufeff":
        place += 1
    return place
