"""As much of protobuf as it takes to change a few parts of a file and to carry the rest along.

The library of that name reads and writes the whole of it, and so took half as long again over a model.
"""

from __future__ import annotations

from collections.abc import Iterator

Bytes = bytes | memoryview
_VARINT, _EIGHT_BYTES, _WITH_LENGTH = 0, 1, 2  # how a value is stored; what else is in use has four bytes


def fields(data: memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """The number and the value of each field, and both as they are stored."""
    place = 0
    while place < len(data):
        start = place
        key, place = _read_varint(data, place)
        begin, way = place, key & 7
        if way == _VARINT:
            _, place = _read_varint(data, place)
        elif way == _WITH_LENGTH:
            size, begin = _read_varint(data, place)
            place = begin + size
        else:
            place += 8 if way == _EIGHT_BYTES else 4
        yield key >> 3, data[begin:place], data[start:place]


def texts(data: memoryview, number: int) -> list[str]:
    """The texts of the fields with this number."""
    return [str(value, "utf-8") for found, value, _ in fields(data) if found == number]


def written(number: int, value: str | bytes | int) -> bytes:
    """A field as it is stored."""
    if isinstance(value, int):
        return varint(number << 3 | _VARINT) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return head(number, len(data)) + data


def head(number: int, size: int) -> bytes:
    """What stands before a value of so many bytes."""
    return varint(number << 3 | _WITH_LENGTH) + varint(size)


def varint(value: int) -> bytes:
    """A number, seven bits to a byte."""
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def _read_varint(data: memoryview, place: int) -> tuple[int, int]:
    """A number, and where what follows it begins."""
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
