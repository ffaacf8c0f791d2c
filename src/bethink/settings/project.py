"""The settings file of a project: one that lies in the current directory and that anyone may have written.

It counts only after `bethink trust`, and never for hosts or keys: those say where memories are sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, SecretStr

from bethink.errors import SettingsError
from bethink.settings.read import FILE_NAME, parsed
from bethink.settings.sections import host_checked
from bethink.settings.trust import digest, trusted_digest

Warn = Callable[[str], object]

# Hosts that are no addresses by their type: who may reach the server, tables of providers, and the kind of
# the one provider, which has an address of its own: the user's key must not go there. Likewise those of the
# vector store and of the mail account, in parts, and the command that prints its password.
_HOSTS = {
    "server.host", "server.allowed_hosts", "server.allowed_origins", "server.open_metrics",
    "gateway.providers", "gateway.default_provider", "gateway.kind",
    "vectors.host", "vectors.port", "vectors.grpc_port", "vectors.tls",
    "mail.host", "mail.port", "mail.security", "mail.ca_file", "mail.user", "mail.password_command",
}  # fmt: skip


def project_file(own: Path | None) -> Path | None:
    """The settings file in the current directory, unless it is the user's own."""
    place = Path.cwd() / FILE_NAME
    if not place.is_file() or (own is not None and own.resolve() == place.resolve()):
        return None
    return place


def is_trusted(path: Path) -> bool:
    """Whether a project's file counts as it is now."""
    try:
        return trusted_digest(path) == digest(path.read_bytes())
    except (OSError, SettingsError):
        return False  # `from_project` says why


def from_project(path: Path, tree: type[BaseModel], warn: Warn) -> dict[str, Any]:
    """What a project's file says where it is trusted, without hosts and keys; what is left out is told."""
    try:
        content = path.read_bytes()
    except OSError as error:
        warn(f"{path} is not used, because it cannot be read: {error.strerror}.")
        return {}
    try:
        known = trusted_digest(path)
    except SettingsError as error:
        warn(f"{path} is not used. {error.message}")
        return {}
    if known != digest(content):
        state = "you have not trusted it" if known is None else "it was changed since you trusted it"
        warn(f"{path} is not used, because {state}. Read it, then 'bethink trust' lets it count.")
        return {}
    values = parsed(path, content)
    if refused := hosts_and_keys(values, tree):
        for name in refused:
            _drop(values, name.split("."))
        warn(
            f"{path} also sets {', '.join(refused)}, which was ignored: hosts and keys count only from your"
            " own settings file, --config or the environment, even when a project's file is trusted."
        )
    return values


def hosts_and_keys(values: dict[str, Any], tree: type[BaseModel]) -> list[str]:
    """The settings among these that name a host, a key, or a database that is not a file."""
    return sorted(_found(values, tree, ""))


def _found(values: dict[str, Any], tree: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, value in values.items():
        field = tree.model_fields.get(name)
        if field is None:
            continue  # unknown: the check of the settings says so
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            if isinstance(value, dict):
                yield from _found(value, field.annotation, f"{prefix}{name}.")
        elif prefix + name in _HOSTS or _leads_away(field.annotation, field.metadata):
            yield prefix + name
        elif prefix + name == "url" and not _is_file(str(value)):
            yield name


def _leads_away(annotation: Any, metadata: list[Any]) -> bool:
    """Is this the type of an address, or of a secret?"""
    if annotation is SecretStr or any(getattr(part, "func", None) is host_checked for part in metadata):
        return True
    parts = [part for part in get_args(annotation) if not isinstance(part, str)]
    return any(getattr(part, "func", None) is host_checked or _leads_away(part, []) for part in parts)


def _is_file(url: str) -> bool:
    scheme, separator, _ = url.partition("://")
    return not separator or scheme in ("sqlite", "file")


def _drop(values: dict[str, Any], path: list[str]) -> None:
    *sections, name = path
    for section in sections:
        values = values[section]
    del values[name]
