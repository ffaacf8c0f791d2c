"""Files of Apple's Pages and Keynote: by the preview that they keep of themselves, else by their own text."""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from bethink.documents.blocks import Block, Unreadable
from bethink.documents.formats import Told, opened_zip
from bethink.documents.formats.pdf import pdf

PREVIEW = "QuickLook/Preview.pdf"
MOST_PREVIEW = 512 << 20  # bytes
MOST_INDEX = 256 << 20  # of one of the files that the text is in
_PATTERNS = ("TemplateSlide", "MasterSlide")  # what slides look like, which nobody wrote
_NUMBER = re.compile(r"\d+")
_NOTHING = "It holds neither a preview nor text that can be read: export it as a PDF, and add that."
_INSTALL = (
    "It holds no preview. To have its text read: pip install 'bethink[numbers]', or export it as a PDF."
)


def preview(path: Path, told: Told) -> Iterator[Block]:
    """The text of the preview, which is a PDF; newer files keep none, and are read themselves."""
    with opened_zip(path) as archive, tempfile.TemporaryDirectory() as folder:
        if PREVIEW not in archive.namelist():
            yield from _own_text(archive, told)
            return
        if archive.getinfo(PREVIEW).file_size > MOST_PREVIEW:
            raise Unreadable("Its preview is far larger than any, and was not read.")
        shown = Path(folder) / "preview.pdf"
        shown.write_bytes(archive.read(PREVIEW))
        yield from pdf(shown, told)


def _own_text(archive: zipfile.ZipFile, told: Told) -> Iterator[Block]:
    """The texts in a file, in the order of its parts; which pages they are on, it does not say."""
    names = [one for one in archive.namelist() if one.startswith("Index/") and one.endswith(".iwa")]
    if not names:
        raise Unreadable(_NOTHING)
    try:
        from bethink.documents.formats.iwa import texts
    except ImportError as error:
        raise Unreadable(_INSTALL) from error
    count = 0
    for name in sorted(names, key=_order):
        if PurePosixPath(name).name.startswith(_PATTERNS):
            continue
        if archive.getinfo(name).file_size > MOST_INDEX:
            raise Unreadable("A part of it is far larger than any, and was not read.")
        for text in texts(archive.read(name)):
            count += 1
            yield Block(text)
    if not count:
        raise Unreadable(_NOTHING)
    told.notes.append("It keeps no preview: its text was read without pages, headings and tables.")


def _order(name: str) -> tuple[str, list[int], str]:
    """The document first, then its slides by their numbers."""
    last = PurePosixPath(name).name
    return _NUMBER.sub("", last), [int(one) for one in _NUMBER.findall(last)], name
