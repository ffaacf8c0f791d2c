"""The texts in a part of an iWork file, by the descriptions that `numbers-parser` carries of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import snappy
from numbers_parser.generated.TSPArchiveMessages_pb2 import ArchiveInfo
from numbers_parser.generated.TSWPArchives_pb2 import StorageArchive

STORAGE = 2001  # the kind of message that a text is, in Pages, Keynote and Numbers alike
HEADER = 1  # the kind of text that stands on every page
_BREAKS = re.compile(r"[\u2028\u2029\x00-\x08\x0b-\x1f]+")


def texts(data: bytes) -> Iterator[str]:
    """Every paragraph of text that people wrote in a part."""
    plain = b"".join(_unpacked(data))
    place = 0
    while place < len(plain):
        length, place = _number(plain, place)
        info = ArchiveInfo.FromString(plain[place : place + length])
        place += length
        for message in info.message_infos:
            if message.type == STORAGE:
                yield from _paragraphs(plain[place : place + message.length])
            place += message.length


def _number(data: bytes, place: int) -> tuple[int, int]:
    """A number as protocol buffers write it, seven bits a byte, and where it ends."""
    number = shift = 0
    while True:
        byte = data[place]
        number |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return number, place


def _unpacked(data: bytes) -> Iterator[bytes]:
    """Chunks of at most 64 KB, each packed by itself behind four bytes that say how long it is."""
    place = 0
    while place + 4 <= len(data):
        length = int.from_bytes(data[place + 1 : place + 4], "little")
        yield snappy.uncompress(data[place + 4 : place + 4 + length])
        place += 4 + length


def _paragraphs(message: bytes) -> Iterator[str]:
    storage = StorageArchive.FromString(message)
    if storage.kind == HEADER:
        return
    text = _BREAKS.sub("\n", "".join(storage.text)).replace("\ufffc", "")
    yield from (part.strip() for part in text.split("\n") if part.strip())
