"""A short, stable fingerprint that tells whether a text has changed since it was indexed. Not for secrecy."""

from __future__ import annotations

# Raise the number when the way a text is prepared for the index changes: every entry then counts as changed.
VERSION = "bethink-entry-text-v1"

_OFFSET = 0xCBF29CE484222325
_PRIME = 0x100000001B3
_MASK = 0xFFFFFFFFFFFFFFFF


def fnv64a(data: bytes) -> int:
    """The 64-bit FNV-1a hash."""
    value = _OFFSET
    for byte in data:
        value = ((value ^ byte) * _PRIME) & _MASK
    return value


def fingerprint(text: str, version: str = VERSION) -> str:
    """16 hexadecimal digits that change with the text and with the version of its preparation."""
    return f"{fnv64a(f'{version}:{text}'.encode('utf-8', 'surrogatepass')):016x}"
