"""Mails taken apart without trust in who sent them: whatever one holds, it is read as far as it can be."""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header
from email.message import Message as Mail
from email.parser import BytesHeaderParser
from email.policy import Compat32

from bethink.transfer.chats.said import clean

HEADER_CHARS = 20_000  # of a header that are read: whom it names, what it is about
PARAMETER_CHARS, MOST_PARAMETERS = 2_000, 50  # of one that says what a part is, which Python reads slowly
MOST_LINES = 600_000  # of a mail; with more it is read only so far
MOST_LOOKS = 20_000_000  # at its lines: each is held against the end of every part that it is within
_NO_CHARSETS = frozenset({"idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"})


class _Bounded(Compat32):
    """Headers with parameters, cut where no honest one goes on."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        if name.lower().startswith("content-"):
            value = ";".join(value[:PARAMETER_CHARS].split(";", MOST_PARAMETERS)[:MOST_PARAMETERS])
        return name, value


_POLICY = _Bounded()


def parsed(raw: bytes) -> Mail:
    """A mail with its parts. `RecursionError` when they are too deep within each other."""
    most = min(MOST_LINES, MOST_LOOKS // (1 + raw.lower().count(b"boundary")))
    if raw.count(b"\n") > most:
        raw = b"\n".join(raw.split(b"\n", most)[:most])
    return message_from_bytes(raw, policy=_POLICY)


def heading(raw: bytes) -> Mail:
    """The headers of a mail alone."""
    return BytesHeaderParser(policy=_POLICY).parsebytes(raw)


def leaves(mail: Mail) -> Iterator[Mail]:
    """The parts that are no mere container; a mail within a mail is one attachment."""
    payload = mail.get_payload() if mail.is_multipart() else None
    if mail.get_content_type() == "message/rfc822" or not isinstance(payload, list):
        yield _honest(mail)
        return
    for part in payload:
        if isinstance(part, Mail):
            yield from leaves(part)


def _honest(part: Mail) -> Mail:
    """A part without a charset that is none: Python asks for it in places of its own."""
    try:
        charset = part.get_content_charset() or "utf-8"
        "".encode(charset)
        is_none = _is_none(charset)
    except LookupError:
        is_none = False  # it is only not known here
    except ValueError:
        is_none = True
    if is_none:
        part.del_param("charset")
    return part


def words(part: Mail) -> str:
    """The text of a part; with a charset that is unknown or wrong, as well as can be."""
    raw = part.get_payload(decode=True)
    return _text(raw, part.get_content_charset() or "utf-8") if isinstance(raw, bytes) else ""


def file_name(part: Mail) -> str:
    """What the file in a part is called; nothing where it has no name that can be read."""
    try:
        return in_plain(part.get_filename() or "")
    except ValueError:  # of a charset that is none
        return ""


def values_of(mail: Mail, header: str) -> Iterator[str]:
    """A header as it stands in the mail, whose bytes may be of any encoding where they should be ASCII."""
    for name, value in mail.raw_items():
        if name.lower() == header.lower():
            yield _text(str(value).encode("ascii", "surrogateescape"), "utf-8")


def in_plain(value: str) -> str:
    """A header with its encoded words put in plain; of a long one, the beginning."""
    value = value[:HEADER_CHARS]
    try:
        parts = decode_header(value)
    except (ValueError, MessageError):
        return clean(value)
    told = (part if isinstance(part, str) else _text(part, charset or "utf-8") for part, charset in parts)
    return clean("".join(told)).replace("\n", " ").strip()


def _is_none(charset: str) -> bool:
    return charset.lower().replace("-", "_") in _NO_CHARSETS


def _text(raw: bytes, charset: str) -> str:
    """Bytes in the charset that they are said to have, or else in one that they may have."""
    if not _is_none(charset):
        for one in (charset, "utf-8"):
            try:
                return raw.decode(one)
            except (LookupError, ValueError):
                continue
    return raw.decode("cp1252", "replace")
