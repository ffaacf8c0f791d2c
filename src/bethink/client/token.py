"""The key that clients send, in a file that only its owner can read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from bethink.errors import SettingsError
from bethink.settings.private import write_private

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def token_file() -> Path:
    """`~/.config/bethink/token`, or where `XDG_CONFIG_HOME` says."""
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return Path(folder) / "bethink" / "token"


def read_token(file: Path | None = None) -> str | None:
    """The key in the file; None when there is no file. One that others can read is refused."""
    path = file or token_file()
    try:
        mode = path.stat().st_mode
        if os.name == "posix" and mode & _OTHERS:
            raise SettingsError(
                f"{path} can be read by others, so its key is not used. Run: chmod 600 {path}", field="token"
            )
        token = path.read_text("utf-8").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}.", field="token") from None
    return token or None


def write_token(token: str, file: Path | None = None) -> Path:
    """Keep a key in the file, which only its owner can read; where it is."""
    path = file or token_file()
    write_private(path, f"{token.strip()}\n")
    return path
