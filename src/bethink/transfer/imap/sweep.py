"""The sweep that takes in new mails. How far it came is stored with what it took in, or not at all."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from zoneinfo import ZoneInfo

from bethink.clock import now
from bethink.contracts import Batch, Schedule, Sweep
from bethink.conversations.take_in import Piece, take_in
from bethink.core import Core
from bethink.records import Space
from bethink.store import Tx, mailboxes, messages, persons
from bethink.store.mailboxes import ReadTo
from bethink.text.fold import bare
from bethink.transfer.chats.draft import Drafting
from bethink.transfer.chats.mail import PLATFORM, heading_of, said_of
from bethink.transfer.chats.people import Me, person_called
from bethink.transfer.chats.said import Said, id_of
from bethink.transfer.imap.account import WINDOW, Account

MAIL = "mail"
ACTOR = "mail"  # who the journal says brought them
BATCH, BATCH_BYTES = 50, 20_000_000  # mails that are stored in one transaction
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Letter:
    """A mail that was read: what it says, and the mails before it in its thread, the nearest last."""

    said: Said
    parents: tuple[str, ...]


class Mail(Sweep):
    """Reads the folders of the account, each from where it was left."""

    name = MAIL

    def __init__(self, core: Core) -> None:
        self._core, self._settings = core, core.settings.mail
        self.schedule = Schedule(every=timedelta(minutes=self._settings.every_minutes))
        port = self._settings.port or ""
        self._account = f"{self._settings.user}@{self._settings.host}:{port}"

    async def enabled(self, space: Space) -> bool:
        return space.name == (self._settings.space or self._core.settings.space)

    async def due(self, _space: Space) -> int:
        """None that is known of: the server alone knows, and a dry run asks it."""
        return 0

    async def dry_run(self, space: Space) -> Mapping[str, int]:
        if not await self.enabled(space):
            return {}
        account = await asyncio.to_thread(Account, self._settings)
        try:
            waiting = 0
            for folder in self._settings.folders:
                to, following = await self._begin(account, space, folder)
                async for _, uids in self._windows(account, to, following):
                    waiting += len(uids)
            return {"mails": waiting}
        finally:
            await asyncio.to_thread(account.close)

    async def batches(self, space: Space, _about: frozenset[str] | None) -> AsyncGenerator[Batch, None]:
        if not await self.enabled(space):
            return
        account = await asyncio.to_thread(Account, self._settings)
        try:
            for folder in self._settings.folders:
                to, following = await self._begin(account, space, folder)
                await self._store(space, folder, [], to)  # from now on it is known since when
                async for last, uids in self._windows(account, to, following):
                    while uids:
                        count, letters, counts = await asyncio.to_thread(_fetch, account, uids)
                        read_to = replace(to, last_uid=uids[count - 1])
                        counts += await self._store(space, folder, letters, read_to)
                        uids = uids[count:]
                        yield Batch(count, counts)
                    await self._store(space, folder, [], replace(to, last_uid=last))
        finally:
            await asyncio.to_thread(account.close)

    async def _begin(self, account: Account, space: Space, folder: str) -> tuple[ReadTo, int]:
        """From where a folder is to be read, and the UID of the mail that is yet to come."""
        validity, following = await asyncio.to_thread(account.select, folder)
        known = await self._core.driver.read(mailboxes.find, space.id, self._account, folder)
        if known is None:
            since = now() - timedelta(days=self._settings.since_days)
            known = ReadTo(validity, 0, since)
        elif (
            known.uid_validity != validity
        ):  # the mails have other numbers now; what is known by its id stays
            known = replace(known, uid_validity=validity, last_uid=0)
        return known, following

    async def _windows(
        self, account: Account, to: ReadTo, following: int
    ) -> AsyncGenerator[tuple[int, list[int]], None]:
        """Stretches of UIDs that were not read, each with its end and the mails in it."""
        for first in range(to.last_uid + 1, following, WINDOW):
            last = min(first + WINDOW, following) - 1
            yield last, await asyncio.to_thread(account.search, first, last, to.since.date())

    async def _store(
        self, space: Space, folder: str, letters: Sequence[Letter], read_to: ReadTo
    ) -> Mapping[str, int]:
        core = self._core
        pieces = await self._pieces(space, letters) if letters else []
        counts = await core.driver.write(self._take, space, folder, pieces, read_to)
        for piece in pieces if counts["message"] else ():
            await core.changed("message", space, session_id=piece.session_id)
        return {"stored": counts["message"], "known": counts["duplicate"] + counts["merged"]}

    def _take(
        self, tx: Tx, space: Space, folder: str, pieces: Sequence[Piece], read_to: ReadTo
    ) -> Counter[str]:
        counts = take_in(tx, space, pieces, now(), ACTOR, self._core.settings.index.text_form)
        mailboxes.put(tx, space.id, self._account, folder, read_to)
        return counts

    async def _pieces(self, space: Space, letters: Sequence[Letter]) -> list[Piece]:
        """The mails by conversation: a mail is in that of the mails it answers, where one is known."""
        core = self._core
        people = await core.driver.read(persons.list_all, space.id)
        names = frozenset(map(bare, (self._settings.user, *self._settings.me))) - {""}
        drafting = Drafting(
            platform=PLATFORM,
            me=Me(names, person_called(names, people)),
            content_chars=core.settings.limits.content_chars,
            zone=ZoneInfo(space.timezone),
        )
        parents = [id_of(parent) for letter in letters for parent in letter.parents]
        known = await core.driver.read(messages.sessions_by_external_ids, space.id, PLATFORM, parents)
        found: dict[str, Piece] = {}
        for letter in sorted(letters, key=lambda letter: (letter.said.at, letter.said.id)):
            (piece,) = drafting.pieces([letter.said])
            before = (known[id_of(parent)] for parent in reversed(letter.parents) if id_of(parent) in known)
            piece.session_id = next(before, piece.session_id)
            piece.drafts = core.secrecy.to_store(piece.drafts)
            piece.title = piece.title and core.secrecy.text_to_store(piece.title)
            known[letter.said.id] = piece.session_id
            found.setdefault(piece.session_id, Piece(piece.session_id, piece.title)).drafts += piece.drafts
        return list(found.values())


def _fetch(account: Account, uids: Sequence[int]) -> tuple[int, list[Letter], Counter[str]]:
    """Read some of these mails: how many, what they say, and how many say nothing."""
    letters: list[Letter] = []
    left_out: Counter[str] = Counter()
    count = room = 0
    for uid in uids[:BATCH]:
        raw = account.fetch(uid) or b""
        count, room = count + 1, room + len(raw)
        try:
            letter = read_letter(raw, left_out) if raw else None
        except Exception as error:  # whoever sent it, the mails after it are read
            _log.warning("The mail %d is left out: it cannot be read (%s)", uid, type(error).__name__)
            left_out["mails that cannot be read left out"] += 1
            continue
        letters += [letter] if letter else []
        if room > BATCH_BYTES:
            break
    return count, letters, Counter({"left_out": left_out.total()})


def read_letter(raw: bytes, left_out: Counter[str]) -> Letter | None:
    """One mail, as the import of mailboxes reads it."""
    heading = heading_of(raw, left_out)
    if heading is None:
        return None
    said = said_of(raw, heading, next(iter(heading.parents), heading.id), left_out)
    return Letter(said, heading.parents) if said else None
