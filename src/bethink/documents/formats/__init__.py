"""What a file is, by what is in it, and who reads it. Everything here runs in a process of its own.

A reader yields blocks; it is a function of the file's path and of a `Told`, which it tells what the file says
of itself. Whatever it raises, the document's state says why.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any

from bethink.documents.blocks import Block, Unreadable

HEAD_BYTES = 4096
MOST_MEMBERS = 20_000  # files in a zip
MOST_UNPACKED = 1 << 30  # bytes of a zip's files together
MOST_RATIO = 300  # of a file of more than `RATIO_FROM` bytes to its packed size
RATIO_FROM = 1 << 24


@dataclass
class Told:
    """What a file tells of itself, and what was left out of it."""

    metadata: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


Reader = Callable[[Path, Told], Iterator[Block]]
READERS = {
    "csv": "text:csv_rows",
    "docx": "office:docx",
    "html": "html:html",
    "md": "text:markdown",
    "pdf": "pdf:pdf",
    "txt": "text:plain",
}
BY_ENDING = {
    "csv": "csv", "tsv": "csv", "tab": "csv", "docx": "docx", "docm": "docx", "htm": "html", "html": "html",
    "xhtml": "html", "md": "md", "markdown": "md", "pdf": "pdf", "txt": "txt", "text": "txt", "log": "txt",
    "json": "txt", "yaml": "txt", "yml": "txt", "rst": "txt", "tex": "txt", "xml": "txt",
}  # fmt: skip
_TEXTS = {"csv", "html", "md", "txt"}  # what is text is what its name says
_OLD = "is of an old Office format, or encrypted: save it as .docx, .xlsx or .pptx, without a password."


def kind_by_name(name: str) -> str:
    """What a file says it is by its name; `txt` where that says nothing."""
    return BY_ENDING.get(PurePath(name).suffix.lower().lstrip("."), "txt")


def kind_of(path: Path, name: str) -> str:
    """What a file is, by what is in it; of texts, by the name."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    named = kind_by_name(name)
    if head.lstrip()[:5] == b"%PDF-" or b"\n%PDF-" in head[:1024]:
        return "pdf"
    if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return _of_zip(path, named)
    if head[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise Unreadable(f"It {_OLD}")
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable("It is no kind of file that can be read: it holds no text.")
    if named in _TEXTS:
        return named
    raise Unreadable(f"Its name ends as that of a {named} file does, but it is none.")


def reader_of(kind: str) -> Reader:
    """Who reads a kind of file."""
    module, name = READERS[kind].split(":")
    try:
        found: Reader = getattr(import_module(f"bethink.documents.formats.{module}"), name)
    except ImportError as error:
        raise Unreadable(
            f"Reading {kind} files needs the extra: pip install 'bethink[documents]'."
        ) from error
    return found


def _of_zip(path: Path, named: str) -> str:
    with opened_zip(path) as archive:
        names = set(archive.namelist())
    if "word/document.xml" in names:
        return "docx"
    raise Unreadable(f"It is an archive, and no {named} file. Add the files in it one by one.")


def opened_zip(path: Path) -> zipfile.ZipFile:
    """A zip that is worth opening: not too much in it, nothing encrypted."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise Unreadable(f"The file is damaged or cut off: {error}.") from error
    members = archive.infolist()
    big = [one for one in members if one.file_size > RATIO_FROM]
    if len(members) > MOST_MEMBERS or sum(one.file_size for one in members) > MOST_UNPACKED:
        raise Unreadable("It unpacks to far more than a document holds, and was not opened.")
    if any(one.file_size > MOST_RATIO * max(one.compress_size, 1) for one in big):
        raise Unreadable("It unpacks to far more than its size, and was not opened.")
    if any(one.flag_bits & 1 for one in members):
        raise Unreadable("It is encrypted: save it without a password.")
    return archive


def decoded(data: bytes) -> str:
    """A text of whatever usual encoding."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
