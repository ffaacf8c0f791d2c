"""Which settings files of projects the user trusts: their paths and the digests of what they held then."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from platformdirs import user_state_path

from bethink.errors import SettingsError
from bethink.settings.private import write_private


@dataclass(frozen=True)
class Trusted:
    """A file as it was trusted."""

    path: str
    sha256: str
    trusted_at: str


def state_file() -> Path:
    """Where trust is kept: in the user's own state, never in a project or a data directory."""
    return user_state_path("bethink") / "trusted.json"


def trusted_files() -> list[Trusted]:
    """Every trusted file, by path."""
    return [_read()[path] for path in sorted(_read())]


def digest(content: bytes) -> str:
    """What tells one content of a file from another."""
    return hashlib.sha256(content).hexdigest()


def trusted_digest(path: Path) -> str | None:
    """The digest of a file when it was trusted; None when it never was."""
    found = _read().get(str(path.resolve()))
    return found.sha256 if found else None


def trust(path: Path, content: bytes, at: datetime) -> Trusted:
    """Trust a file with this content, in place of any it had before."""
    one = Trusted(str(path.resolve()), digest(content), at.isoformat(timespec="seconds"))
    _write({**_read(), one.path: one})
    return one


def distrust(path: Path) -> bool:
    """No longer trust a file; whether it was trusted."""
    kept = _read()
    was_trusted = kept.pop(str(path.resolve()), None) is not None
    if was_trusted:
        _write(kept)
    return was_trusted


def _read() -> dict[str, Trusted]:
    file = state_file()
    try:
        listed = json.loads(file.read_text("utf-8"))["files"]
        return {entry["path"]: Trusted(**entry) for entry in listed}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise SettingsError(
            f"The list of trusted settings files, {file}, cannot be read ({error}); delete it and trust them"
            " anew.",
            field="config",
        ) from None


def _write(kept: Mapping[str, Trusted]) -> None:
    content = {"files": [asdict(kept[path]) for path in sorted(kept)]}
    try:
        write_private(state_file(), json.dumps(content, indent=2) + "\n")
    except OSError as error:
        raise SettingsError(
            f"The list of trusted settings files, {state_file()}, cannot be written: {error.strerror}.",
            field="config",
        ) from None
