"""Mailboxes: how far each folder of a mail account was read in a space."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bethink.store.driver import Tx
from bethink.store.rows import micros, moment


@dataclass(frozen=True, slots=True)
class ReadTo:
    """How far a folder was read: all mails since a time, up to `last_uid` as `uid_validity` numbers them."""

    uid_validity: int
    last_uid: int
    since: datetime


def find(tx: Tx, space_id: str, account: str, folder: str) -> ReadTo | None:
    row = tx.one("mailboxes.find", {"space_id": space_id, "account": account, "folder": folder})
    return ReadTo(int(row["uid_validity"]), int(row["last_uid"]), moment(row["since"])) if row else None


def put(tx: Tx, space_id: str, account: str, folder: str, to: ReadTo) -> None:
    values = {"uid_validity": to.uid_validity, "last_uid": to.last_uid, "since": micros(to.since)}
    tx.run("mailboxes.put", {"space_id": space_id, "account": account, "folder": folder, **values})
