"""What other programs export, read as memories: mem0, Chroma's `get()`, and plain lists; and rows of facts.

A file is read piece by piece and twice: first to check it, then to store it. So it takes no more memory than
one of its records, however long it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Literal

from bethink.errors import InvalidInput, TooLarge
from bethink.records import Record, Utc
from bethink.shapes.fields import checked
from bethink.shapes.inputs import FactDraft, MemoryDraft
from bethink.transfer.bounds import MOST_ITEMS, SPLIT
from bethink.transfer.places import Place, lines_of, refused, walker_at

FormatName = Literal["mem0", "chroma", "list"]
_COLUMNS = ("ids", "documents", "metadatas", "results", "memories", "relations")
NOTES = 20  # told at most of records that were left out
_TEXT_NAMES = ("content", "memory", "text", "value")
_FACT_NAMES = ("category", "key", "value")
_FACT_TIMES = ("valid_from", "validFrom", "updated_at", "updatedAt", "created_at", "createdAt")
_TIMES = ("observed_at", "observedAt", "created_at", "createdAt", "timestamp")
_EXAMPLES = (
    'known are an archive of Bethink, a mem0 export ({"results": [{"memory": "…"}]}), a Chroma dump'
    ' ({"ids": […], "documents": […]}), and a list of texts, of objects with "content", or of facts with'
    ' "category", "key" and "value"'
)


class FactRow(Record):
    """A row of another program's facts, and since when it has been so."""

    fact: FactDraft
    since: Utc | None = None


Draft = MemoryDraft | FactRow


@dataclass
class Foreign:
    """Memories in a file of another program."""

    format: FormatName
    read: Callable[[], Iterator[tuple[Place, Draft]]]
    count: int = 0
    notes: list[str] = field(default_factory=list)

    def drafts(self) -> Iterator[Draft]:
        """The memories, read from the file as they are asked for."""
        return (draft for _, draft in self.read())


def read_foreign(stream: BinaryIO, content_chars: int) -> Foreign:
    """What a JSON document, or JSON Lines, holds. Raises `InvalidInput` naming line and field.

    Every record is checked. None is kept: `drafts` reads them again.
    """
    found = _shape(stream)
    for place, draft in found.read():
        found.count += 1
        if (length := length_of(draft)) > content_chars:
            over = f"{length:,} characters are over the limit of {content_chars:,}"
            raise refused(place, TooLarge(f"{over}; make it shorter or raise limits.content_chars."))
        if found.count > MOST_ITEMS:
            raise TooLarge(f"file: holds more than {MOST_ITEMS:,} memories; {SPLIT}.", field="file")
    return found


def length_of(draft: Draft) -> int:
    """How many characters a draft's text has."""
    return len(draft.fact.value if isinstance(draft, FactRow) else draft.content)


def _shape(stream: BinaryIO) -> Foreign:
    walker = walker_at(stream)
    first = walker.kind()
    if first not in ("[", "{", '"'):
        raise walker.refused("is not valid JSON: there is no list, object or text.")
    walker.skip()
    if walker.kind():
        return _list(lambda: lines_of(stream))
    if first == "[":
        return _list(lambda: _items(stream, 0, ()))
    if first == "{":
        columns = _columns(stream)
        if {"ids", "documents"} <= columns.keys() and columns["ids"].kind == "[":
            return _chroma(stream, columns)
        for name in ("results", "memories"):
            if name in columns and columns[name].kind == "[":
                return _mem0_export(stream, columns, name)
    raise InvalidInput(f"line 1: the file's shape is not known; {_EXAMPLES}.", field="line 1")


@dataclass(frozen=True)
class _Column:
    """A value of the outermost object: what it begins with, where, and how many items a list has."""

    kind: str
    start: int
    items: int


def _columns(stream: BinaryIO) -> Mapping[str, _Column]:
    walker, found = walker_at(stream), {}
    for name in walker.names():
        kind, start, items = walker.kind(), walker.place, 0
        if kind == "[":
            for _ in walker.items():
                walker.skip()
                items += 1
        else:
            walker.skip()
        if name in _COLUMNS:
            found[name] = _Column(kind, start, items)
    return found


def _items(stream: BinaryIO, start: int, path: tuple[str, ...]) -> Iterator[tuple[Place, Any]]:
    """The items of the list that begins at this byte, each with its place."""
    walker = walker_at(stream, start)
    for number, _ in enumerate(walker.items()):
        yield Place(stream, walker.place, (*path, str(number))), walker.load()


def _list(items: Callable[[], Iterator[tuple[Place, Any]]]) -> Foreign:
    """A list of memories; it is mem0's if every item calls its text so."""
    kinds: Counter[bool] = Counter()

    def read() -> Iterator[tuple[Place, Draft]]:
        kinds.clear()
        for place, item in items():
            kinds[isinstance(item, dict) and "memory" in item] += 1
            yield place, _at(place, item)
        found.format = "mem0" if kinds[True] and not kinds[False] else "list"

    found = Foreign("list", read)
    return found


def _mem0_export(stream: BinaryIO, columns: Mapping[str, _Column], name: str) -> Foreign:
    def read() -> Iterator[tuple[Place, Draft]]:
        return ((place, _at(place, item)) for place, item in _items(stream, columns[name].start, (name,)))

    found = Foreign("mem0", read)
    if "relations" in columns and columns["relations"].items:
        found.notes.append(f"{columns['relations'].items} relations of the mem0 graph were left out")
    return found


def _at(place: Place, item: Any) -> Draft:
    try:
        return _draft(item)
    except InvalidInput as error:
        raise refused(place, error) from None


def _chroma(stream: BinaryIO, columns: Mapping[str, _Column]) -> Foreign:
    if columns["documents"].kind == "n":
        raise InvalidInput(
            "line 1: documents: is null; get the collection with include=['documents', 'metadatas'].",
            field="line 1.documents",
        )
    wanted = columns["ids"].items
    named = [name for name in ("documents", "metadatas") if name in columns and columns[name].kind != "n"]
    for name in named:
        if columns[name].kind != "[" or columns[name].items != wanted:
            problem = InvalidInput(f"must be a list as long as ids ({wanted})", field=None)
            raise refused(Place(stream, columns[name].start, (name,)), problem)
    found = Foreign("chroma", lambda: _records(stream, columns, "metadatas" in named, found))
    return found


def _records(
    stream: BinaryIO, columns: Mapping[str, _Column], has_metadata: bool, found: Foreign
) -> Iterator[tuple[Place, Draft]]:
    """The records of a Chroma dump, whose fields stand in lists of their own."""
    lists = [_items(stream, columns[name].start, (name,)) for name in ("ids", "documents")]
    lists += [_items(stream, columns["metadatas"].start, ("metadatas",))] if has_metadata else []
    found.notes, missing = [], 0
    for (_, id_), (place, document), *more in zip(*lists, strict=True):
        if document is None:
            missing += 1
            if missing <= NOTES:
                found.notes.append(f"the record {str(id_)[:100]!r} has no document and was left out")
            continue
        about, metadata = more[0] if more else (place, None)
        fields = {"content": document, "key": f"chroma:{id_}", "metadata": metadata or {}, "source": "chroma"}
        try:
            draft = checked(MemoryDraft, fields)
        except InvalidInput as error:
            raise refused(about if (error.field or "").startswith("metadata") else place, error) from None
        yield place, draft
    if missing > NOTES:
        found.notes.append(f"{missing - NOTES:,} more records have no document and were left out")


def _draft(item: Any) -> Draft:
    if isinstance(item, str):
        return checked(MemoryDraft, {"content": item, "source": "import"})
    if not isinstance(item, dict):
        raise InvalidInput("must be a text, or an object with content")
    if all(isinstance(item.get(name), str) for name in _FACT_NAMES):
        return _fact(item)
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


def _fact(item: Mapping[str, Any]) -> FactRow:
    """A fact as other programs keep it. It is one of the pinned few; a person of theirs is nobody here."""
    known = ("source", "confidence", "source_context", "sourceContext", "expires_at", "expiresAt")
    fields = {name: item[name] for name in (*_FACT_NAMES, *known) if item.get(name) is not None}
    fact = checked(FactDraft, {"source": "imported", **fields, "promoted": True})
    since = next((item[name] for name in _FACT_TIMES if item.get(name) is not None), None)
    return checked(FactRow, {"fact": fact, "since": since})


def _mem0(rest: dict[str, Any]) -> dict[str, Any]:
    """What of a mem0 record is more than metadata; its scores and hashes say nothing here."""
    for name in ("hash", "score", "updated_at", "expiration_date"):
        rest.pop(name, None)
    categories = rest.pop("categories", None)
    return {"tags": [str(tag) for tag in categories]} if isinstance(categories, list) else {}
