"""Ways to read the fixtures."""

from __future__ import annotations

import zipfile
from datetime import tzinfo
from io import BytesIO
from pathlib import Path
from zoneinfo import ZoneInfo

from bethink.shapes.rights import DateOrder
from bethink.transfer.chats.formats import detect, format_called
from bethink.transfer.chats.said import Said
from bethink.transfer.chats.sources import Source

DATA = Path(__file__).parent / "data"
BERLIN = ZoneInfo("Europe/Berlin")


def source(
    file: str | bytes, name: str | None = None, *, zone: tzinfo = BERLIN, date_order: DateOrder | None = None
) -> Source:
    """A fixture by its name, or bytes as a file."""
    raw = (DATA / file).read_bytes() if isinstance(file, str) else file
    told = name or (file if isinstance(file, str) else None)
    return Source(BytesIO(raw), told, zone=zone, date_order=date_order)


def read(found: Source, format_: str | None = None) -> list[Said]:
    """All that was said, in the format given or the one that is recognised."""
    chosen = format_called(format_) if format_ else detect(found)
    assert chosen is not None, "the format was not recognised"
    return list(chosen.read(found))


def zipped(*files: tuple[str, bytes]) -> bytes:
    """An archive of files."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return out.getvalue()


def slack_archive(root: str = "") -> bytes:
    folder = DATA / "slack"
    files = sorted(path for path in folder.rglob("*.json"))
    return zipped(*((root + path.relative_to(folder).as_posix(), path.read_bytes()) for path in files))
