"""Files of Apple's Pages and Keynote, by the preview that they keep of themselves."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bethink.documents.blocks import Block, Unreadable
from bethink.documents.formats import Told, opened_zip
from bethink.documents.formats.pdf import pdf

PREVIEW = "QuickLook/Preview.pdf"
MOST_PREVIEW = 512 << 20  # bytes


def preview(path: Path, told: Told) -> Iterator[Block]:
    """The text of the preview, which is a PDF."""
    with opened_zip(path) as archive, tempfile.TemporaryDirectory() as folder:
        if PREVIEW not in archive.namelist():
            raise Unreadable("It holds no preview that can be read: export it as a PDF, and add that.")
        if archive.getinfo(PREVIEW).file_size > MOST_PREVIEW:
            raise Unreadable("Its preview is far larger than any, and was not read.")
        shown = Path(folder) / "preview.pdf"
        shown.write_bytes(archive.read(PREVIEW))
        yield from pdf(shown, told)
