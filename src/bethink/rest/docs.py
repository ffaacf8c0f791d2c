"""/docs: the OpenAPI document as a page to read, made here so that it needs no network and no script."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from bethink.rest.schemas import Schema, Shapes
from bethink.rest.screens import screen

_FILE = "application/octet-stream"

router = APIRouter(include_in_schema=False)


@router.get("/docs")
async def show_docs(request: Request) -> HTMLResponse:
    """Every route with its parameters, its body, its answers and a command that calls it."""
    return screen("Bethink: the API", _body(request.app.openapi(), str(request.base_url).rstrip("/")))


def _body(document: Schema, address: str) -> str:
    shapes = Shapes(document["components"]["schemas"])
    operations = [
        (operation["tags"][0], verb, path, operation)
        for path, verbs in document["paths"].items()
        for verb, operation in verbs.items()
    ]
    tags = list(dict.fromkeys(tag for tag, *_ in operations))
    groups = [(tag, [item for item in operations if item[0] == tag]) for tag in tags]
    links = [f'<li><a href="#{escape(tag)}">{escape(tag.capitalize())}</a></li>' for tag, _ in groups]
    parts = [
        f"<h1>{escape(document['info']['title'])}: the API</h1>",
        f'<p class="lead">Version {escape(document["info"]["version"])}.'
        ' <a href="openapi.json">The OpenAPI document</a> · <a href="./">The first screen</a></p>',
        f"<p>{_prose(document['info']['description'])}</p>",
        f'<nav aria-label="On this page"><ul>{"".join(links)}'
        '<li><a href="#shapes">Shapes</a></li></ul></nav>',
    ]
    for tag, group in groups:
        parts.append(f'<h2 id="{escape(tag)}">{escape(tag.capitalize())}</h2>')
        parts += [_operation(verb, path, operation, shapes, address) for _, verb, path, operation in group]
    parts.append('<h2 id="shapes">Shapes</h2>')
    parts += [shapes.section(name) for name in sorted(shapes.named)]
    return "\n".join(parts)


def _operation(verb: str, path: str, operation: Schema, shapes: Shapes, address: str) -> str:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    parts = [f"<p>{_prose(operation.get('description', ''))}</p>"]
    if parameters := operation.get("parameters"):
        rows = [_parameter(parameter, shapes) for parameter in parameters]
        parts.append(_table("Parameters", ("Name", "In", "Type", "Meaning"), rows))
    if body:
        parts.append(f"<h3>Body</h3><p>{shapes.kind(body)}</p>")
    command = _command(verb, path, operation, shapes.sample(body) if body else None, address)
    parts.append(f'<h3>Try it</h3><pre tabindex="0"><code>{escape(command)}</code></pre>')
    rows = [_answer(status, answer, shapes) for status, answer in sorted(operation["responses"].items())]
    parts.append(_table("Answers", ("Status", "Meaning", "Body"), rows))
    return (
        f'<details><summary><span class="verb">{verb.upper()}</span>'
        f'<code>{escape(path)}</code> <span class="soft">{escape(operation["summary"])}</span></summary>'
        f'<div id="{escape(operation["operationId"])}">{"".join(parts)}</div></details>'
    )


def _parameter(parameter: Schema, shapes: Shapes) -> tuple[str, ...]:
    meaning = _prose(parameter.get("description", ""))
    needed = " <strong>required</strong>" if parameter.get("required") else ""
    name = f"<code>{escape(parameter['name'])}</code>{needed}"
    schema = parameter["schema"]
    choices = [choice for choice in schema.get("anyOf", ()) if choice.get("type") != "null"]
    kind = shapes.kind({"anyOf": choices} if choices else schema)  # null stands for "left out"
    return name, escape(parameter["in"]), kind, meaning


def _answer(status: str, answer: Schema, shapes: Shapes) -> tuple[str, ...]:
    kinds = [shapes.kind(content["schema"]) for content in answer.get("content", {}).values()]
    return escape(status), _prose(answer["description"]), ", ".join(kinds)


def _command(verb: str, path: str, operation: Schema, body: Any, address: str) -> str:
    """A curl command with what the route cannot do without."""
    needed = list(
        operation.get("x-sample-query", [])
    )  # where one of several has to be there, or not any value
    given = {one.partition("=")[0] for one in needed}
    needed += [
        f"{parameter['name']}=…"
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "query" and parameter.get("required") and parameter["name"] not in given
    ]
    lines = [f'curl -X {verb.upper()} "{address}{path}{"?" + "&".join(needed) if needed else ""}"']
    if "security" in operation:
        lines.append('-H "Authorization: Bearer $BETHINK_KEY"')
    if body is not None:
        lines += ['-H "Content-Type: application/json"', f"-d '{json.dumps(body, ensure_ascii=False)}'"]
    elif _FILE in operation.get("requestBody", {}).get("content", {}):
        lines += [f'-H "Content-Type: {_FILE}"', "--data-binary @handbook.txt"]
    return " \\\n  ".join(lines)


def _table(title: str, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<h3>{title}</h3><div class="scroll"><table><tr>{head}</tr>{lines}</table></div>'


def _prose(text: str) -> str:
    """Text with `code` in it."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts))
