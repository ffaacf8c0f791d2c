"""JSON schemas in words and by example, for the page that shows the API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

Schema = Mapping[str, Any]
_PREFIX = "#/components/schemas/"
_SAMPLES: dict[str, Any] = {
    "string": "text", "integer": 1, "number": 1.0, "boolean": True, "object": {}, "array": [], "null": None,
}  # fmt: skip


@dataclass(frozen=True)
class Shapes:
    """The named schemas of an OpenAPI document."""

    named: Mapping[str, Schema]

    def kind(self, schema: Schema) -> str:
        """What a value must be, as HTML with a link to each named shape."""
        if ref := schema.get("$ref"):
            name = escape(ref.removeprefix(_PREFIX))
            return f'<a href="#shape-{name}">{name}</a>'
        if choices := schema.get("anyOf"):
            return " or ".join(self.kind(choice) for choice in choices)
        if "const" in schema:
            return f"<code>{escape(str(schema['const']))}</code>"
        if values := schema.get("enum"):
            return " or ".join(f"<code>{escape(str(value))}</code>" for value in values)
        match schema.get("type"):
            case "array":
                return f"list of {self.kind(schema.get('items', {}))}"
            case "object" if isinstance(schema.get("additionalProperties"), Mapping):
                return f"object of {self.kind(schema['additionalProperties'])}"
            case str(kind):
                return escape(kind) + _limits(schema)
            case _:
                return "anything"

    def section(self, name: str) -> str:
        """A named shape with its fields, as HTML."""
        shape = self.named[name]
        needed = shape.get("required", ())
        rows = "".join(
            f"<tr><td><code>{escape(field)}</code>"
            f"{' <strong>required</strong>' if field in needed else ''}</td>"
            f"<td>{self.kind(schema)}</td><td>{escape(schema.get('description', ''))}</td></tr>"
            for field, schema in shape.get("properties", {}).items()
        )
        head = "".join(f'<th scope="col">{title}</th>' for title in ("Field", "Type", "Meaning"))
        table = f'<div class="scroll"><table><tr>{head}</tr>{rows}</table></div>'
        fields = table if rows else f"<p>{self.kind(shape)}</p>"
        about = f"<p>{escape(shape['description'])}</p>" if "description" in shape else ""
        return (
            f"<details><summary><code>{escape(name)}</code></summary>"
            f'<div id="shape-{escape(name)}">{about}{fields}</div></details>'
        )

    def sample(self, schema: Schema) -> Any:
        """A value with only what is required; where nothing is, one field to show how."""
        if examples := schema.get("examples"):
            return examples[0]
        if ref := schema.get("$ref"):
            return self.sample(self.named[ref.removeprefix(_PREFIX)])
        if choices := schema.get("anyOf"):
            return self.sample(choices[0])
        if values := schema.get("enum"):
            return values[0]
        if fields := schema.get("properties"):
            return {name: self.sample(fields[name]) for name in schema.get("required") or list(fields)[:1]}
        if schema.get("type") == "array" and "items" in schema:
            return [self.sample(schema["items"])]
        return _SAMPLES.get(schema.get("type", "string"))


def _limits(schema: Schema) -> str:
    """The bounds of a value, in words."""
    unit = " characters" if schema["type"] == "string" else ""
    low = schema.get("minimum", schema.get("minLength"))
    high = schema.get("maximum", schema.get("maxLength"))
    if low is not None and high is not None:
        return f", {low} to {high}{unit}"
    if low is not None or high is not None:
        return f", at least {low}{unit}" if high is None else f", at most {high}{unit}"
    return f", {escape(schema['format'])}" if "format" in schema else ""
