"""The API's types in TypeScript, from the OpenAPI document that the application makes of itself."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bethink.serve.app import create_app
from bethink.settings import Settings

NOTE = "// Written by tools/studio.py --check, from the OpenAPI document. Do not edit.\n"
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def write_types(file: Path) -> None:
    """Write every shape as an interface, and every route with what it takes and answers."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        document = create_app(Settings.load(environ={}, url=f"{folder}/memory.db")).openapi()
    text = typescript(document)
    if not file.is_file() or file.read_text() != text:
        file.write_text(text)


def typescript(document: Mapping[str, Any]) -> str:
    """The types of a document."""
    shapes = document["components"]["schemas"]
    parts = [NOTE]
    parts += [f"export type {name} = {_type(shape)};" for name, shape in sorted(shapes.items())]
    parts += ["export interface Routes {", *_routes(document["paths"]), "}", ""]
    return "\n".join(parts)


def _routes(paths: Mapping[str, Any]) -> Iterator[str]:
    for path, verbs in paths.items():
        for verb, operation in verbs.items():
            if path.startswith("/api/") or path == "/readyz":
                yield f"  {json.dumps(f'{verb.upper()} {path}')}: {_route(operation)};"


def _route(operation: Mapping[str, Any]) -> str:
    given = operation.get("parameters", ())
    path, query = ([one for one in given if one["in"] == place] for place in ("path", "query"))
    bodies = operation.get("requestBody", {}).get("content", {})
    body = bodies.get("application/json", {}).get("schema")
    answers = [
        _type(content["schema"])
        for status, answer in operation["responses"].items()
        if status.startswith("2")
        for content in answer.get("content", {}).values()
    ]
    members = {
        "path": _fields({one["name"]: one["schema"] for one in path}, [one["name"] for one in path]),
        "query": _fields(
            {one["name"]: one["schema"] for one in query},
            [one["name"] for one in query if one.get("required")],
        ),
        "body": _type(body) if body else "undefined",
        "answer": " | ".join(dict.fromkeys(answers)) or "undefined",
    }
    return "{ " + "; ".join(f"{name}: {kind}" for name, kind in members.items()) + " }"


def _type(shape: Mapping[str, Any]) -> str:
    if "$ref" in shape:
        return str(shape["$ref"]).rpartition("/")[2]
    if "const" in shape or "enum" in shape:
        return " | ".join(json.dumps(one) for one in shape.get("enum", [shape.get("const")]))
    if choices := shape.get("anyOf") or shape.get("oneOf"):
        return " | ".join(dict.fromkeys(_type(one) for one in choices))
    kind = shape.get("type")
    if isinstance(kind, list):
        return " | ".join(_PLAIN[one] for one in kind)
    if kind == "array":
        return f"({_type(shape.get('items', {}))})[]"
    if "properties" in shape:
        return _fields(shape["properties"], shape.get("required", ()))
    if isinstance(more := shape.get("additionalProperties"), Mapping):
        return f"{{ [name: string]: {_type(more)} }}"
    if kind == "object":
        return "{ [name: string]: unknown }"
    return _PLAIN.get(str(kind), "unknown")


def _fields(fields: Mapping[str, Any], required: Any) -> str:
    members = [
        f"{json.dumps(name)}{'' if name in required else '?'}: {_type(shape)}"
        for name, shape in fields.items()
    ]
    return "{ " + "; ".join(members) + " }"
