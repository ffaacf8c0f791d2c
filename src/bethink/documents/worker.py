"""Reads one file in a process of its own, and writes what is in it as lines of JSON.

    python -m bethink.documents.worker FILE NAME SECONDS MEGABYTES CHARACTERS

The system ends the process when it takes more time or memory than that. The last line says how it went.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

from bethink.documents.blocks import Unreadable
from bethink.documents.formats import Told, kind_of, reader_of
from bethink.documents.formats.pictures import can_read

OCR_MB = 1024  # of addresses beside the file's, which what reads pictures asks for and hardly uses
LONGEST_VALUE = 2000  # characters of what a file tells of itself
MOST_NOTES, LONGEST_NOTE = 20, 300  # on what was left out of it, and characters of one


def main(path: str, name: str, seconds: str, megabytes: str, characters: str) -> None:
    """Read the file, within the limits."""
    _limit(int(float(seconds)) + 1, int(megabytes) + (OCR_MB if can_read() else 0) << 20)
    out, sys.stdout = sys.stdout, sys.stderr  # what a library prints is no block
    told = Told()
    try:
        kind = kind_of(Path(path), name)
        _write(out, {"kind": kind})
        left = int(characters)
        for block in reader_of(kind)(Path(path), told):
            left -= len(block.text)
            if left < 0:
                raise Unreadable(f"It holds more text than the {int(characters):,} characters of the limit.")
            if block.text.strip():
                _write(out, [_storable(block.text), *block[1:]])
        _write(out, {"metadata": _plain(told.metadata), "notes": _some(told.notes)})
    except Unreadable as error:
        _write(out, {"failed": str(error), "metadata": _plain(told.metadata)})
    except MemoryError:
        _write(out, {"failed": "memory"})
    except RecursionError:
        _write(out, {"failed": "It is nested deeper than any document."})
    except Exception as error:  # of whichever library; its words may quote the file
        _write(out, {"failed": f"The file is damaged or cut off ({type(error).__name__})."})
    out.flush()


def _limit(seconds: int, size: int) -> None:
    with contextlib.suppress(ImportError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(ValueError, OSError):  # macOS knows it, and does not keep to it
            resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _write(out: Any, value: Any) -> None:
    out.write(json.dumps(value, ensure_ascii=True) + "\n")


def _some(notes: list[str]) -> list[str]:
    """The first of the notes: of a file with a thousand damaged pages there are a thousand."""
    shown = [_storable(note)[:LONGEST_NOTE] for note in notes[:MOST_NOTES]]
    return (
        [*shown, f"And {len(notes) - MOST_NOTES:,} more of this kind."] if len(notes) > MOST_NOTES else shown
    )


def _storable(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _plain(metadata: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value if isinstance(value, int) else _storable(str(value))[:LONGEST_VALUE]
        for name, value in metadata.items()
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
