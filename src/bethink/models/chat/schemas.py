"""JSON schemas in the strict form that chat hosts take: every field named, nothing else allowed. Pure."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

_KEPT = {"type", "properties", "items", "enum", "const", "anyOf", "$defs", "$ref", "description", "required"}


def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a model's fields, without defaults, titles and limits, which not every host knows."""
    schema: dict[str, Any] = _strict(model.model_json_schema())
    return schema


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {name: _inside(name, value) for name, value in node.items() if name in _KEPT}
    if kept.get("type") == "object":
        kept["required"] = list(kept.get("properties", {}))
        kept["additionalProperties"] = False
    return kept


def _inside(name: str, value: Any) -> Any:
    """What stands under a word of the schema; the names of fields and definitions are the user's own."""
    if name in ("properties", "$defs"):
        return {own: _strict(part) for own, part in value.items()}
    return value if name in ("enum", "const", "required") else _strict(value)
