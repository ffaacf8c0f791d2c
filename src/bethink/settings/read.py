"""Read settings: from a file and from the environment, as plain values that are checked afterwards."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from platformdirs import user_config_path, user_data_path
from pydantic import BaseModel

from bethink.errors import SettingsError
from bethink.settings.names import PREFIX, map_names, setting_names, variable_name
from bethink.settings.sections import expanded, from_json

FILE_NAME = "bethink.toml"
FILE_VARIABLE = "BETHINK_CONFIG"
KEY_VARIABLE = "BETHINK_KEY"  # where the first start tells people to keep their key
_TEST_PREFIX = "BETHINK_TEST_"


def named_file(environ: Mapping[str, str]) -> Path | None:
    """The settings file that the environment names."""
    named = environ.get(FILE_VARIABLE)
    return expanded(Path(named)) if named else None


def own_file(environ: Mapping[str, str]) -> Path | None:
    """The user's own settings file: in the data directory that was chosen, else where users keep theirs."""
    home = environ.get("BETHINK_HOME")
    folders = [expanded(Path(home))] if home else [user_config_path("bethink"), user_data_path("bethink")]
    return next((folder / FILE_NAME for folder in folders if (folder / FILE_NAME).is_file()), None)


def from_file(path: Path | None) -> dict[str, Any]:
    """What a settings file says; nothing when there is none."""
    if path is None:
        return {}
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SettingsError(
            f"The settings file {path} cannot be read: {error.strerror}.", field="config"
        ) from None
    return parsed(path, content)


def parsed(path: Path, content: bytes) -> dict[str, Any]:
    """What the content of a settings file says."""
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"The settings file {path} is not valid TOML: {error}.", field="config") from None


def from_environment(environ: Mapping[str, str], tree: type[BaseModel]) -> dict[str, Any]:
    """What the environment says of a tree of settings; a variable of ours that is unknown is an error."""
    known = {variable_name(name): name for name in setting_names(tree)}
    values: dict[str, Any] = {}
    single: list[tuple[list[str], str]] = []
    for variable, value in environ.items():
        if not variable.startswith(PREFIX) or variable.startswith(_TEST_PREFIX):
            continue
        if variable in (FILE_VARIABLE, KEY_VARIABLE):
            continue
        if path := _in_a_map(variable, tree):
            single.append((path, value))
            continue
        if variable not in known:
            near = get_close_matches(variable, [*known, FILE_VARIABLE], n=1)
            hint = (
                f"; did you mean {near[0]}?" if near else "; see the settings reference for the known names."
            )
            raise SettingsError(f"Unknown environment variable {variable}{hint}", field=variable)
        section, _, name = known[variable].rpartition(".")
        (values.setdefault(section, {}) if section else values)[name] = value
    for (section, name, entry, field), value in single:
        holder = values.setdefault(section, {})
        try:
            holder[name] = from_json(holder.get(name, {}))
        except ValueError as error:
            raise SettingsError(f"{section}.{name}: {error}", field=f"{section}.{name}") from None
        holder[name].setdefault(entry, {})[field] = value
    return values


def _in_a_map(variable: str, tree: type[BaseModel]) -> list[str] | None:
    """Where a variable such as BETHINK_GATEWAY_PROVIDERS_OPENAI_API_KEY belongs."""
    for name, table in map_names(tree):
        start = variable_name(name) + "_"
        for field in table.model_fields if variable.startswith(start) else ():
            entry = variable.removeprefix(start).removesuffix(f"_{field.upper()}")
            if entry and entry != variable.removeprefix(start):
                return [*name.split("."), entry.lower().replace("_", "-"), field]
    return None


def merge(base: dict[str, Any], over: Mapping[str, Any]) -> None:
    """Lay values over others, section by section."""
    for name, value in over.items():
        if isinstance(value, Mapping) and name in base:
            # A plain value where a section belongs is kept, so that the check can name it.
            if isinstance(base[name], dict):
                merge(base[name], value)
        else:
            base[name] = dict(value) if isinstance(value, Mapping) else value
