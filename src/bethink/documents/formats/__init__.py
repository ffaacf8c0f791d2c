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
    "eml": "mail:eml",
    "epub": "books:epub",
    "html": "html:html",
    "json": "json_values:json_values",
    "key": "iwork:preview",
    "md": "text:markdown",
    "numbers": "numbers:numbers",
    "ods": "sheets:sheets",
    "pages": "iwork:preview",
    "pdf": "pdf:pdf",
    "picture": "pictures:picture",
    "pptx": "slides:pptx",
    "txt": "text:plain",
    "xls": "sheets:sheets",
    "xlsx": "sheets:sheets",
}
EXTRAS = {"numbers": "numbers"}  # by which a format is read, where it is not `documents`
BY_ENDING = {
    "csv": "csv", "tsv": "csv", "tab": "csv", "docx": "docx", "docm": "docx", "htm": "html", "html": "html",
    "xhtml": "html", "md": "md", "markdown": "md", "pdf": "pdf", "txt": "txt", "text": "txt", "log": "txt",
    "json": "json", "yaml": "txt", "yml": "txt", "rst": "txt", "tex": "txt", "xml": "txt", "eml": "eml",
    "epub": "epub", "pptx": "pptx", "pptm": "pptx", "ppsx": "pptx", "xlsx": "xlsx", "xlsm": "xlsx",
    "xlsb": "xlsx", "xls": "xls", "ods": "ods", "numbers": "numbers", "pages": "pages", "key": "key",
    "png": "picture", "jpg": "picture", "jpeg": "picture", "webp": "picture", "tif": "picture",
    "tiff": "picture", "bmp": "picture", "gif": "picture",
}  # fmt: skip
_TEXTS = {"csv", "eml", "html", "json", "md", "txt"}  # what is text is what its name says
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"BM")
_OLD = "It is of an old Office format: save it as .docx or .pptx."
_LOCKED = "It is encrypted: save it without a password."
_OF_ZIP = {  # by a file that is in it
    "word/document.xml": "docx", "ppt/presentation.xml": "pptx", "xl/workbook.xml": "xlsx",
    "xl/workbook.bin": "xlsx", "META-INF/container.xml": "epub",
}  # fmt: skip
_OF_APPLE = ("numbers", "pages", "key")
_SPREADSHEET = b"application/vnd.oasis.opendocument.spreadsheet"


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
        return _of_old_office(path)
    if head.startswith(_PICTURES) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP"):
        return "picture"
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
        extra = EXTRAS.get(kind, "documents")
        raise Unreadable(f"Reading {kind} files needs the extra: pip install 'bethink[{extra}]'.") from error
    return found


def _of_zip(path: Path, named: str) -> str:
    with opened_zip(path) as archive:
        names = set(archive.namelist())
        said = archive.read("mimetype")[:HEAD_BYTES].strip() if "mimetype" in names else b""
    if said.startswith(_SPREADSHEET):
        return "ods"
    for name, kind in _OF_ZIP.items():
        if name in names:
            return kind
    if any(name.startswith(("Index/", "Index.zip", "QuickLook/")) for name in names) and named in _OF_APPLE:
        return named
    raise Unreadable(f"It is an archive, and no {named} file. Add the files in it one by one.")


def _of_old_office(path: Path) -> str:
    """Which of the files that Office wrote before 2007, or that it encrypts, by the streams in it."""
    data = path.read_bytes()
    if "EncryptedPackage".encode("utf-16-le") in data:
        raise Unreadable(_LOCKED)
    if "Workbook".encode("utf-16-le") in data or "Book\0".encode("utf-16-le") in data:
        return "xls"
    raise Unreadable(_OLD)


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
        raise Unreadable(_LOCKED)
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
