"""Mail: mbox files, single messages (eml), or a zip archive of them. A thread is a conversation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message as Mail
from email.utils import getaddresses, parsedate_to_datetime

from bethink.records import Json
from bethink.transfer.bounds import MOST_ITEMS, SPLIT
from bethink.transfer.chats.html_text import text_of_html
from bethink.transfer.chats.mailboxes import Place, boxes
from bethink.transfer.chats.mime import (
    HEADER_CHARS,
    file_name,
    heading,
    in_plain,
    leaves,
    parsed,
    values_of,
    words,
)
from bethink.transfer.chats.quotes import own_text
from bethink.transfer.chats.said import Conversation, Said, clean, filled, hash_of, id_of, paragraphs, short
from bethink.transfer.chats.sources import Source

PLATFORM = "mail"
FORWARDED_CHARS = 20_000  # of a forwarded text that are kept beside the message
MOST_NAMED = 50  # people to whom it went
MOST_PARENTS = 100  # mails before it, the nearest ones, that its thread is looked for by
_IDS = re.compile(r"<([^<>\s]+)>")
_REPLY = re.compile(
    r"^(?:(?:re|aw|antw|sv|fwd?|wg|tr|rv|rif|回复|答复|转发|回覆|轉寄)\s?[:：]\s*)+", re.IGNORECASE
)
_SENT = {"sent", "gesendet", "enviados", "messages envoyés", "inviati", "已发邮件", "寄件備份"}
_UNWANTED = {"spam", "trash", "papierkorb", "corbeille", "papelera", "junk"}


@dataclass(frozen=True, slots=True)
class Heading:
    """What a mail's place in time and in its thread are."""

    at: datetime
    id: str
    parents: tuple[str, ...]  # the mails before it in its thread, the first one first


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail, and where it stands."""

    heading: Heading
    box: int
    place: Place


def read(source: Source) -> Iterator[Said]:
    """The mails in the order in which they were sent, for a mailbox keeps them in any order."""
    with boxes(source) as opened:
        letters: dict[str, Letter] = {}
        for number, box in enumerate(opened):
            for place in box.places():
                found = heading_of(box.head(place), source.left_out)
                if found and found.id not in letters:
                    letters[found.id] = Letter(found, number, place)
                    if len(letters) > MOST_ITEMS:
                        raise source.too_large("the file", f"holds more than {MOST_ITEMS:,} mails; {SPLIT}.")
        roots = _roots(letters)
        for letter in sorted(letters.values(), key=lambda one: (one.heading.at, one.heading.id)):
            raw = opened[letter.box].whole(letter.place)
            if said := said_of(raw, letter.heading, roots[letter.heading.id], source.left_out):
                yield said


def heading_of(raw: bytes, left_out: Counter[str]) -> Heading | None:
    """The place of a mail in its thread; None for one that is not wanted, or that nobody sent."""
    head = heading(raw)
    sender, at = _text(head, "From"), _time(head)
    if not sender or at is None:
        left_out["mails without a sender or a date left out"] += 1
        return None
    labels = {label.strip().casefold() for label in _text(head, "X-Gmail-Labels").split(",")}
    if labels & _UNWANTED:
        left_out["mails in spam or trash left out"] += 1
        return None
    own = _IDS.findall(_raw(head, "Message-ID"))
    id_ = own[0] if own else hash_of(sender, at.isoformat(), _text(head, "Subject"))
    parents = [one for name in ("References", "In-Reply-To") for one in _IDS.findall(_raw(head, name))]
    before = [parent for parent in parents if parent != id_]
    return Heading(at, id_, (*before[:1], *before[1:][-MOST_PARENTS:]))


def _roots(letters: dict[str, Letter]) -> dict[str, str]:
    """The first mail of each mail's thread, as far back as the mails that are here can tell."""
    roots: dict[str, str] = {}
    for id_ in letters:
        path: dict[str, None] = {}
        at = id_
        while at not in path and at not in roots:
            path[at] = None
            at = next(iter(letters[at].heading.parents), at) if at in letters else at
        root = roots.get(at, at)
        roots |= dict.fromkeys(path, root)
    return roots


def said_of(raw: bytes, heading: Heading, root: str, left_out: Counter[str]) -> Said | None:
    """What a mail says, in the conversation that its thread's first mail names."""
    try:
        mail = parsed(raw)
        body, attachments = _parts(mail)
    except RecursionError:
        left_out["mails of too many parts within each other left out"] += 1
        return None
    name, address = _person(mail)
    subject = " ".join(_text(mail, "Subject").split())
    topic = _REPLY.sub("", subject)
    text, forwarded = own_text(body)
    if not heading.parents and subject:
        text = paragraphs([f"Subject: {subject}", text])
    if not text and not attachments and not forwarded:
        left_out["mails without content left out"] += 1
        return None
    labels = {label.strip().casefold() for label in _text(mail, "X-Gmail-Labels").split(",")}
    return Said(
        conversation=Conversation(id_of(root), title=short(topic)),
        id=id_of(heading.id),
        at=heading.at,
        content=clean(text) or f"[forwarded: {topic}]",
        name=name,
        known_as=(address,) if address else (),
        is_me=bool(labels & _SENT),
        attachments=attachments,
        metadata=filled(
            subject=short(subject),
            sender=short(address),
            to=_named(mail, "To"),
            cc=_named(mail, "Cc"),
            forwarded=forwarded[:FORWARDED_CHARS],
            bulk=True if mail.get("List-Unsubscribe") or mail.get("List-Id") else None,
        ),
    )


def _parts(mail: Mail) -> tuple[str, list[Json]]:
    """The body as plain text, and the files that came with it."""
    plain, rich, attachments = [], [], []
    for part in leaves(mail):
        kind, name = part.get_content_type(), file_name(part)
        if name or part.get_content_disposition() == "attachment" or not kind.startswith("text/"):
            size = len(str(part.get_payload() or "")) if not part.is_multipart() else None
            attachments.append(filled(name=name or None, type=kind, size=size))
        elif kind == "text/html":
            rich.append(text_of_html(words(part)))
        else:
            plain.append(words(part))
    return "\n".join(plain) if any(text.strip() for text in plain) else "\n".join(rich), attachments


def _person(mail: Mail) -> tuple[str | None, str]:
    """Who sent a mail: the name, and the address."""
    pairs = _addresses(mail, "From")
    name, address = pairs[0] if pairs else ("", "")
    return short(name) or short(address), address


def _named(mail: Mail, header: str) -> list[str]:
    """Whom a header names, by their addresses."""
    return [name for _, address in _addresses(mail, header)[:MOST_NAMED] if (name := short(address))]


def _addresses(mail: Mail, header: str) -> list[tuple[str, str]]:
    # Decoded after they are parsed, for a decoded name may hold a comma.
    fields = [value[:HEADER_CHARS] for value in values_of(mail, header)]
    try:
        pairs = getaddresses(fields)
    except RecursionError:  # of comments within comments
        return []
    return [(in_plain(name), address) for name, address in pairs if address]


def _text(mail: Mail, header: str) -> str:
    return in_plain(_raw(mail, header))


def _raw(mail: Mail, header: str) -> str:
    return next(values_of(mail, header), "")


def _time(mail: Mail) -> datetime | None:
    try:
        at = parsedate_to_datetime(_raw(mail, "Date")[:HEADER_CHARS])
        return at if at.tzinfo and at.astimezone(UTC) else at.replace(tzinfo=UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
