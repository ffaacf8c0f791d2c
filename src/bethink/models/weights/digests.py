"""Whether a file of a model is the one it should be, by its digest; read once until the file changes."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from bethink.errors import ModelError

SUMS = "SHA256SUMS"  # what `sha256sum` writes: a digest and a name on each line


def file_sha256(path: Path) -> str:
    """The digest of a file's content; read again only after the file has changed."""
    found = path.stat()
    return _sha256(path, (found.st_mtime_ns, found.st_size, found.st_ino))


def check_file(path: Path, sha256: str, advice: str) -> None:
    """Raise `ModelError` when a file is not what its digest says."""
    if (digest := file_sha256(path)) != sha256.lower():
        raise ModelError(
            f"{path} is not the file it should be (its SHA-256 is {digest}, not {sha256}); {advice}"
        )


def check_folder(folder: Path) -> None:
    """Check every file that the folder's own `SHA256SUMS` lists; without that file, nothing is known."""
    sums = folder / SUMS
    if not sums.is_file():
        return
    for line in sums.read_text("utf-8").splitlines():
        digest, _, name = line.strip().partition(" ")
        listed = folder / name.lstrip(" *")
        if not re.fullmatch(r"[0-9a-fA-F]{64}", digest) or not name:
            raise ModelError(
                f"{sums} has a line that is no digest and name: {line!r}. Write it with sha256sum."
            )
        if not listed.is_file():
            raise ModelError(f"{sums} lists {listed.name}, which is not there; fetch the model again.")
        check_file(listed, digest, f"fetch the model again, or correct {SUMS} beside it.")


def check_kept(path: Path, model: str) -> None:
    """Check a file of the hub's cache, which keeps each under the digest that the hub gave for it."""
    digest = path.resolve().name
    advice = f"delete it, and {model} is fetched again."
    if re.fullmatch(r"[0-9a-f]{64}", digest):
        check_file(path, digest, advice)
    elif re.fullmatch(r"[0-9a-f]{40}", digest):  # a small file: the name that git gives it
        content = path.read_bytes()
        named = hashlib.sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest()
        if named != digest:
            raise ModelError(f"{path} is not the file it should be (its name is {digest}); {advice}")


@lru_cache(maxsize=64)
def _sha256(path: Path, _stamp: tuple[int, int, int]) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
