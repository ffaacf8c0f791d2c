"""Write docs/reference/: settings, command line and REST, from the code that defines them.

python tools/reference.py            writes the files
python tools/reference.py --check    fails when one of them is out of date
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import typer
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from bethink.cli.app import app as command_line
from bethink.serve.app import create_app
from bethink.settings import Settings, map_names, variable_name

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
NOTE = "<!-- Written by tools/reference.py (make reference). Do not edit. -->\n"


def settings_reference() -> str:
    """Every setting with its variable, default and meaning."""
    parts = ["# Settings\n", NOTE]
    parts.append(
        "From `bethink.toml` (a section is a table), then the environment, then keyword arguments. The file"
        " is the one that `--config` or `BETHINK_CONFIG` names, else your own. One in the working directory"
        " counts only after `bethink trust`, and never for hosts or keys: see"
        " [privacy](../privacy.md#the-settings-file-of-a-project).\n"
    )
    own = [name for name, field in Settings.model_fields.items() if not _is_section(field.annotation)]
    parts += ["## Top level\n", _settings_table(Settings, own, "")]
    for name, field in Settings.model_fields.items():
        if _is_section(field.annotation):
            section: type[BaseModel] = field.annotation  # type: ignore[assignment]
            parts += [f"## `{name}`\n", f"{(section.__doc__ or '').strip()}\n"]
            parts.append(_settings_table(section, list(section.model_fields), f"{name}."))
    for name, table in map_names(Settings):
        parts += [f"## `{name}.NAME`\n", f"{(table.__doc__ or '').strip()}\n"]
        parts.append(_settings_table(table, list(table.model_fields), f"{name}.NAME."))
    return "\n".join(parts)


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _settings_table(section: type[BaseModel], names: list[str], prefix: str) -> str:
    rows = ["| Setting | Variable | Default | Meaning |", "|---|---|---|---|"]
    for name in names:
        field = section.model_fields[name]
        default = "" if field.default in (PydanticUndefined, None) else f"`{field.default!r}`"
        choices = [str(choice) for choice in get_args(field.annotation) if isinstance(choice, str)]
        meaning = " ".join((field.description or "").split())
        if choices:
            meaning += f" One of {', '.join(f'`{choice}`' for choice in choices)}."
        cells = (
            f"`{prefix}{name}`",
            f"`{variable_name(prefix + name)}`",
            default.replace("|", "\\|"),
            meaning,
        )
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(rows) + "\n"


def cli_reference() -> str:
    """Every command with its help."""
    root = typer.main.get_command(command_line)
    parts = ["# Command line\n", NOTE]
    for path, command in _commands(root, ("bethink",)):
        context = command.context_class(command, info_name=" ".join(path))
        parts += [f"## `{' '.join(path)}`\n", _command_text(command, context)]
    return "\n".join(parts)


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    if hasattr(command, "list_commands"):
        context = command.context_class(command, info_name=" ".join(path))
        for name in sorted(command.list_commands(context)):
            inner = command.get_command(context, name)
            if not inner.hidden:
                yield from _commands(inner, (*path, name))


def _command_text(command: Any, context: Any) -> str:
    lines = [(command.help or "").strip(), ""]
    rows = []
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if parameter.param_type_name == "argument":
            rows.append((parameter.name.upper(), getattr(parameter, "help", "") or ""))
        elif record is not None:
            rows.append((record[0], record[1]))
    if rows:
        lines += ["| Option | Meaning |", "|---|---|"]
        lines += [f"| `{_cell(name)}` | {_cell(' '.join(text.split()))} |" for name, text in rows]
        lines.append("")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def rest_reference() -> str:
    """Every route with what it takes and answers."""
    schema = create_app(Settings()).openapi()
    parts = ["# REST\n", NOTE, "Errors are RFC 9457 problem JSON. The same as OpenAPI: `/openapi.json`.\n"]
    for path, operations in sorted(schema["paths"].items()):
        for method, operation in operations.items():
            parts.append(f"## `{method.upper()} {path}`\n")
            parts.append(_operation_text(operation))
    return "\n".join(parts)


def _operation_text(operation: dict[str, Any]) -> str:
    lines = [" ".join(filter(None, (operation.get("summary", ""), ""))).strip() + "."]
    if description := operation.get("description"):
        lines += ["", description.strip()]
    if parameters := operation.get("parameters"):
        lines += ["", "| Parameter | In | Meaning |", "|---|---|---|"]
        for item in parameters:
            name = f"`{item['name']}`" + (" (needed)" if item.get("required") else "")
            lines.append(
                f"| {name} | {item['in']} | {_cell(' '.join(item.get('description', '').split()))} |"
            )
    if body := operation.get("requestBody"):
        lines += ["", f"Takes {_schema_name(body['content'])}."]
    answers = [
        f"{status} {' '.join(answer.get('description', '').split())}"
        + (f" ({_schema_name(answer['content'])})" if answer.get("content") else "")
        for status, answer in operation["responses"].items()
    ]
    return "\n".join([*lines, "", "Answers: " + "; ".join(answers) + ".", ""])


def _schema_name(content: dict[str, Any]) -> str:
    kind, value = next(iter(content.items()))
    reference = value.get("schema", {}).get("$ref", "")
    return f"`{reference.rsplit('/', 1)[-1]}`" if reference else f"`{kind}`"


REFERENCES = {"settings.md": settings_reference, "cli.md": cli_reference, "rest.md": rest_reference}


def stale() -> list[str]:
    """The reference files that are not what the code says."""
    return [
        name
        for name, write in REFERENCES.items()
        if not (FOLDER / name).is_file() or (FOLDER / name).read_text("utf-8") != write()
    ]


def main() -> int:
    if "--check" in sys.argv:
        old = stale()
        print("\n".join(f"docs/reference/{name} is out of date: run make reference" for name in old))
        return 1 if old else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, write in REFERENCES.items():
        (FOLDER / name).write_text(write(), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
