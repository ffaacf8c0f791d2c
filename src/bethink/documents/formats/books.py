"""Books as EPUB, chapter by chapter. No path leads out of the file, and nothing is fetched."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from bethink.documents.blocks import Block, Unreadable
from bethink.documents.formats import Told, opened_zip
from bethink.documents.formats.html import of_page, text_of
from bethink.documents.formats.xml import elements, parsed

_CONTAINER, _LOCKS = "META-INF/container.xml", "META-INF/encryption.xml"
_PAGES = ("application/xhtml+xml", "text/html")
_NAMED = {"title": "title", "creator": "author", "date": "date", "language": "language"}
LONGEST_CHAPTER = 64 << 20  # bytes


def epub(path: Path, told: Told) -> Iterator[Block]:
    """The chapters in the order in which they are read."""
    with opened_zip(path) as archive:
        names = set(archive.namelist())
        package_name, package = _package(archive, names)
        told.metadata |= _metadata(package)
        chapters = list(_chapters(package, package_name))
        locked = _locked(archive, names) & set(chapters)
        if locked:
            raise Unreadable("It is protected against copying, and cannot be read.")
        told.metadata["chapters"] = len(chapters)
        if missing := [one for one in chapters if one not in names]:
            told.notes.append(f"{len(missing)} of {len(chapters)} chapters are not in the file.")
        for number, name in enumerate(chapters, 1):
            if name in names:
                if archive.getinfo(name).file_size > LONGEST_CHAPTER:
                    raise Unreadable("A chapter of it is far longer than any, and was not read.")
                for block in of_page(text_of(archive.read(name)), Told()):
                    yield block.at("chapter", number)


def _package(archive: zipfile.ZipFile, names: set[str]) -> tuple[str, Any]:
    """The file that lists what is in the book."""
    listed = [
        element.get("full-path", "")
        for tag, element in elements(parsed(archive.read(_CONTAINER)))
        if tag == "rootfile"
    ]
    for name in listed:
        if name in names:
            return name, parsed(archive.read(name))
    raise Unreadable("The file is damaged or cut off: it does not say what is in the book.")


def _metadata(package: Any) -> dict[str, str]:
    told: dict[str, str] = {}
    for tag, element in elements(package):
        if (to := _NAMED.get(tag)) and element.text:
            told.setdefault(to, " ".join(element.text.split()))
    return told


def _chapters(package: Any, package_name: str) -> Iterator[str]:
    """Names of the pages, in their order; a page that is there twice is read once."""
    pages: dict[str, str] = {}
    order: dict[str, None] = {}
    for tag, element in elements(package):
        if tag == "item" and element.get("media-type") in _PAGES:
            pages[element.get("id", "")] = element.get("href", "")
        elif tag == "itemref" and element.get("idref") in pages:
            href = unquote(pages[element.get("idref", "")]).partition("#")[0]
            order[posixpath.normpath(posixpath.join(posixpath.dirname(package_name), href))] = None
    yield from order


def _locked(archive: zipfile.ZipFile, names: set[str]) -> set[str]:
    if _LOCKS not in names:
        return set()
    listed = elements(parsed(archive.read(_LOCKS)))
    return {unquote(element.get("URI", "")) for tag, element in listed if tag == "CipherReference"}
