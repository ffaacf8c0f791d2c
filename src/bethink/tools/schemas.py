"""Schemas as models read them best: no references, no alternatives, no noise. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bethink.records import Json, Record

# Of use to validators only, which have the whole schema.
_NOISE = frozenset({"title", "pattern", "minLength", "maxLength", "maxItems"})


def plain_schema(kind: type[Record]) -> Json:
    """The JSON schema of a record, its names as in Python."""
    schema = kind.model_json_schema(by_alias=False)
    return _plain(schema, schema.pop("$defs", {}))  # type: ignore[no-any-return]


def _plain(node: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_plain(part, definitions) for part in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        referred = dict(definitions[node["$ref"].rpartition("/")[2]])
        if "enum" in referred:
            referred.pop("description", None)  # it is for readers of the code
        return _plain(referred | {name: value for name, value in node.items() if name != "$ref"}, definitions)
    if choices := node.get("anyOf"):
        kept = [choice for choice in choices if choice != {"type": "null"}]
        if len(kept) == 1:  # what may be left out need not be null
            rest = {name: value for name, value in node.items() if name != "anyOf"}
            return _plain({**kept[0], **rest}, definitions)
    return {
        name: {field: _plain(value, definitions) for field, value in part.items()}
        if name == "properties"
        else _plain(part, definitions)
        for name, part in node.items()
        if name not in _NOISE and not (name == "default" and part is None)
    }
