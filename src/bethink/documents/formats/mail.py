"""Mails as files: who wrote to whom, when, about what, and the text. What is attached is named, not read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from email import policy
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser
from pathlib import Path

from bethink.documents.blocks import Block, Unreadable
from bethink.documents.formats import Told, decoded
from bethink.documents.formats.html import of_page
from bethink.documents.formats.text import paragraphs

_SHOWN = ("From", "To", "Cc", "Date")
_NAMED = {"Subject": "title", "From": "author"}
MOST_NAMED = 20  # attachments whose names are told


def eml(path: Path, told: Told) -> Iterator[Block]:
    """The subject as a heading, the heads that matter, and the text."""
    with path.open("rb") as file:
        mail = BytesParser(policy=policy.default).parse(file)
    heads = {name: _head(mail, name) for name in ("Subject", *_SHOWN)}
    if not any(heads.values()):
        raise Unreadable("Its name ends as that of an eml file does, but it is no mail.")
    told.metadata |= {to: heads[name] for name, to in _NAMED.items() if heads[name]}
    with suppress(Exception):  # a date in no known form is shown as it is
        told.metadata["date"] = mail["Date"].datetime.date().isoformat()
    if heads["Subject"]:
        yield Block(heads["Subject"], "heading", 1)
    yield Block("\n".join(f"{name}: {heads[name]}" for name in _SHOWN if heads[name]))
    yield from _body(mail)
    names = [" ".join((one.get_filename() or one.get_content_type()).split()) for one in _attached(mail)]
    if names:
        told.metadata["attachments"] = ", ".join(names[:MOST_NAMED])
        told.notes.append(f"What is attached was not read: {', '.join(names[:MOST_NAMED])}.")


def _head(mail: EmailMessage, name: str) -> str:
    try:
        return " ".join(str(mail[name] or "").split())
    except Exception:  # heads that are no heads, each in a way of its own
        return ""


def _body(mail: EmailMessage) -> Iterator[Block]:
    for kind in ("plain", "html"):
        part = mail.get_body((kind,))
        if part is not None and (text := _text(part)).strip():
            text = text.replace("\r\n", "\n")
            yield from paragraphs(text) if kind == "plain" else of_page(text, Told())
            return


def _text(part: MIMEPart) -> str:
    try:
        return str(part.get_content())
    except (LookupError, UnicodeError):  # in an encoding that nobody knows
        data = part.get_payload(decode=True)
        return decoded(data) if isinstance(data, bytes) else ""


def _attached(mail: EmailMessage) -> Iterator[EmailMessage]:
    with suppress(KeyError, TypeError, AttributeError):  # of a mail whose parts are torn
        yield from mail.iter_attachments()
