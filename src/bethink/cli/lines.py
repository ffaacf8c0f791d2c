"""Messages as JSON Lines: taken from a stream as it comes, each line checked on its own."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bethink.errors import InvalidInput

if TYPE_CHECKING:
    from bethink.shapes.inputs import MessageDraft

CHUNK_BYTES = 1 << 18
_CHUNKS_AHEAD = 4
_EXAMPLE = '{"role": "user", "content": "…"}'


class Stream(Protocol):
    """Bytes to read, unbuffered: `read` gives what there is and does not wait for more."""

    def read(self, size: int, /) -> bytes | None: ...


@dataclass(frozen=True)
class Line:
    """A message, the conversation it belongs to, and where it stood."""

    number: int
    session: str
    draft: MessageDraft


async def numbered_lines(stream: Stream) -> AsyncIterator[tuple[list[tuple[int, bytes]], int]]:
    """The lines that have come with their numbers, piece by piece, and how many bytes they were."""
    number, rest = 0, b""
    async for chunk in _chunks(stream):
        *whole, rest = (rest + chunk).split(b"\n")
        yield [(number + place, line) for place, line in enumerate(whole, start=1)], len(chunk)
        number += len(whole)
    if rest:
        yield [(number + 1, rest)], 0


def parse_line(number: int, raw: bytes, session: str | None) -> Line | None:
    """A line's message, None for a blank line. What is wrong is said with the line's number."""
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        if not text:
            return None
        return _parse(number, text, session)
    except UnicodeDecodeError as error:
        raise refusal(number, f"is not UTF-8 (byte {error.start})") from None
    except InvalidInput as error:
        raise refusal(number, error.message) from None
    except json.JSONDecodeError as error:
        raise refusal(number, f"is not valid JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:
        raise refusal(number, f"cannot be read as JSON: {error}") from None


def refusal(number: int, reason: str) -> InvalidInput:
    """What is wrong with a line."""
    return InvalidInput(f"line {number}: {reason}", field=f"line {number}")


def _parse(number: int, text: str, session: str | None) -> Line:
    from bethink.shapes.fields import checked
    from bethink.shapes.inputs import MessageDraft
    from bethink.shapes.parts import message_values

    values: Any = json.loads(text)
    if not isinstance(values, dict):
        raise InvalidInput(f"must be a JSON object, such as {_EXAMPLE}")
    named = [values.pop(name) for name in ("session", "sessionId", "session_id") if name in values]
    where = named[0] if named else session
    if not isinstance(where, str):
        raise InvalidInput('session: name it in the line ("session": "…") or for all lines with --session')
    values = message_values(values)
    if missing := [name for name in ("role", "content") if name not in values]:
        raise InvalidInput(f"{' and '.join(missing)}: must be there, as in {_EXAMPLE}")
    return Line(number, where, checked(MessageDraft, values))


async def _chunks(stream: Stream) -> AsyncIterator[bytes]:
    """What the stream has, as it comes, read in a thread that nobody waits for when the run is broken off."""
    loop = asyncio.get_running_loop()
    arrived: asyncio.Queue[bytes | OSError] = asyncio.Queue()
    room = threading.Semaphore(_CHUNKS_AHEAD)

    def read() -> None:
        item: bytes | OSError = b"-"
        while item and isinstance(item, bytes):
            room.acquire()
            try:
                item = stream.read(CHUNK_BYTES) or b""
            except OSError as error:
                item = error
            try:
                loop.call_soon_threadsafe(arrived.put_nowait, item)
            except RuntimeError:  # the loop has ended, and with it the wish for more
                return

    threading.Thread(target=read, name="bethink-input", daemon=True).start()
    while chunk := await arrived.get():
        if isinstance(chunk, OSError):
            raise InvalidInput(f"The input cannot be read: {chunk.strerror}.", field="file")
        yield chunk
        room.release()
