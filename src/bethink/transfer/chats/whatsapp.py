"""WhatsApp's export: a text file as Android and iOS write it, or the zip archive with it.

There are no ids and no offsets, and the phone's language decides how dates and times are written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, tzinfo

from bethink.records import Json
from bethink.transfer.chats.said import Conversation, Said, clean, filled, hash_of, id_of, short
from bethink.transfer.chats.sources import Source
from bethink.transfer.chats.stamps import Stamp, order_of, stamped

PLATFORM = "whatsapp"
LONGEST_LINE = 4_000_000  # bytes
LONGEST_MESSAGE = 4_000_000  # characters of all its lines
_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_SENDER = re.compile(r"([^:\"“”«»„]{1,80}?):(?: (.*)|$)", re.DOTALL)
_CHAT_NAME = re.compile(
    r"WhatsApp[ -]?Chat(?: with| mit| -| met| med| con| avec)? (?P<a>.+)|Chat de WhatsApp con (?P<b>.+)"
    r"|Discussion WhatsApp avec (?P<c>.+)|Conversa do WhatsApp com (?P<d>.+)|Chat WhatsApp con (?P<e>.+)"
    r"|与(?P<f>.+?)的\s?WhatsApp\s?(?:聊天|对话).*|「(?P<g>.+)」的\s?WhatsApp\s?對話.*",
    re.IGNORECASE,
)
_COPY = re.compile(r"\s*\(\d+\)$")  # as browsers name a file that is there already
# Android: a name and a remark in brackets. iOS: a remark and a name in angle brackets.
_FILE_ANDROID = re.compile(r"(\S[^\n()]{0,120}\.\w{2,5}) [（(][^\n()（）]{3,40}[)）]")
_FILE_IOS = re.compile(r"<[^<>:：\n]{2,30}\s?[:：]\s?([^<>\n]{1,120}\.\w{2,5})>")
_OMITTED_ANDROID = re.compile(r"<[^<>\n]{5,40}>")
_OMITTED_IOS = re.compile(
    r".{0,30}\b(?:omitted|weggelassen|omitid[ao]s?|ocultad[ao]|omis|omise|absente?|omess[oa]|weggelaten|utelämnad)"
    r"|.{0,12}(?:忽略|省略).{0,4}",
    re.IGNORECASE,
)
_EDITED = re.compile(r"(?<=\S)\s*\u200e<[^<>\n]{5,60}>$")
_DELETED = re.compile(
    r"(?:this message was deleted|you deleted this message|diese nachricht wurde gelöscht"
    r"|du hast diese nachricht gelöscht|(?:se )?eliminó este mensaje|este mensaje fue eliminado"
    r"|eliminaste este mensaje|ce message a été supprimé|vous avez supprimé ce message|mensagem apagada"
    r"|questo messaggio è stato eliminato|此(?:消息|訊息)已(?:被)?[删刪]除|[你您][删刪]除了此(?:消息|訊息))"
    r"[.。]?",
    re.IGNORECASE,
)


def read(source: Source) -> Iterator[Said]:
    """The messages of the chat, in order."""
    member = _member(source)
    order = source.date_order or order_of(source, (stamp for stamp, _ in _entries(source, member)))
    where: Conversation | None = None
    clock = _Clock(source.zone)
    minute: tuple[datetime | None, Counter[str]] = (None, Counter())
    for stamp, text in _entries(source, member):
        local = stamp.local(order)
        if local is None:
            raise source.refused(f"line {stamp.line}", f"has a date that is none; is it written {order}?")
        where = where or _conversation(source, local, text)
        if (said := _message(source, where, clock.at(local), text)) is None:
            continue
        if minute[0] != local.replace(second=0):
            minute = (local.replace(second=0), Counter())
        same = hash_of(where.id, local.strftime("%Y-%m-%d %H:%M"), said.name or "", said.content)
        said.id = id_of(f"{same}.{minute[1][same]}")
        minute[1][same] += 1
        yield said


def chat_file(source: Source) -> str | None:
    """The text file of an archive that holds the chat; None when it has none."""
    texts = [name for name in source.members if name.lower().endswith(".txt")]
    return min(texts, key=lambda name: (not name.endswith("_chat.txt"), len(name)), default=None)


def is_whatsapp(start: bytes) -> bool:
    """Whether one of the first lines begins as WhatsApp's do."""
    lines = start.decode("utf-8", "ignore").splitlines()[:20]
    return any(stamped(line, 0) for line in lines)


def _member(source: Source) -> str | None:
    if not source.is_zip:
        return None
    if member := chat_file(source):
        return member
    raise source.refused("the archive", "has no text file with a chat.")


def _entries(source: Source, member: str | None) -> Iterator[tuple[Stamp, str]]:
    """Each message with its time; lines that begin with none go on with the message before."""
    found: tuple[Stamp, list[str]] | None = None
    length = 0
    for number, line in _lines(source, member):
        if start := stamped(line, number):
            if found:
                yield found[0], "\n".join(found[1])
            found, length = (start[0], [start[1]]), 0
        elif found:
            found[1].append(line)
            length += len(line) + 1
            if length > LONGEST_MESSAGE:
                problem = f"the message is longer than {LONGEST_MESSAGE:,} characters; shorten it."
                raise source.too_large(f"line {number}", problem)
        elif line.strip():
            raise source.refused(
                f"line {number}", "does not begin with a date and a time as WhatsApp writes them."
            )
    if found is None:
        raise source.refused("line 1", "there is no message; this is no chat of WhatsApp.")
    yield found[0], "\n".join(found[1])


def _lines(source: Source, member: str | None) -> Iterator[tuple[int, str]]:
    with source.opened(member) as stream:
        number = 0
        while raw := stream.readline(LONGEST_LINE + 1):
            number += 1
            if len(raw) > LONGEST_LINE:
                raise source.too_large(
                    f"line {number}", f"is longer than {LONGEST_LINE:,} bytes; shorten it."
                )
            try:
                yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise source.refused(f"line {number}", f"is not UTF-8 (byte {error.start}).") from None


def _conversation(source: Source, local: datetime, text: str) -> Conversation:
    """The chat as the file is called; by its first message when the name says nothing."""
    stem = _COPY.sub("", source.stem)
    found = _CHAT_NAME.fullmatch(stem)
    name = short(next((part for part in found.groups() if part), None)) if found else None
    if name is None and stem not in ("", "_chat", "chat"):
        name = short(stem)
    return Conversation(id_of(name) if name else hash_of(local.isoformat(), text), title=name, contact=name)


def _message(source: Source, where: Conversation, at: datetime, text: str) -> Said | None:
    found = _SENDER.match(text)
    if not found:
        source.left_out["lines about the chat itself left out"] += 1
        return None
    edited = bool(_EDITED.search(found[2] or ""))
    said = _EDITED.sub("", found[2] or "")
    content, attachments = _content(said)
    is_remark = said.startswith("\u200e") and not attachments
    if is_remark or _DELETED.fullmatch(content):
        source.left_out["lines about the chat itself left out"] += 1
        return None
    if not content and not attachments:
        source.left_out["messages without content left out"] += 1
        return None
    name = short(_MARKS.sub("", found[1]).strip("~ \u202f\u00a0"))
    return Said(
        where, "", at, content, name=name, attachments=attachments, metadata=filled(edited=edited or None)
    )


def _content(said: str) -> tuple[str, list[Json]]:
    """The words, and the files that were with them or left out of the export."""
    is_marked = said.startswith("\u200e")
    text = clean(_MARKS.sub("", said)).strip()
    first, _, rest = text.partition("\n")
    if found := _FILE_IOS.fullmatch(first) or _FILE_ANDROID.fullmatch(first):
        return rest.strip(), [filled(name=found[1])]
    if _OMITTED_ANDROID.fullmatch(first) or (is_marked and _OMITTED_IOS.fullmatch(first)):
        return rest.strip(), [{"type": "media"}]
    return text, []


class _Clock:
    """Times on a wall clock as moments: the hour that comes twice in autumn is told by what came before."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._last: datetime | None = None

    def at(self, local: datetime) -> datetime:
        at = local.replace(tzinfo=self._zone)
        again = at.replace(fold=1)
        if (
            again.utcoffset() != at.utcoffset()
            and self._last is not None
            and at.timestamp() < self._last.timestamp()
        ):
            at = again
        self._last = at
        return at
