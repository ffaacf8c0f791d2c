"""A connection to an IMAP server. It blocks, so it is used in a thread; it only ever reads."""

from __future__ import annotations

import base64
import imaplib
import re
import shlex
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from typing import Any

from bethink.errors import MailError
from bethink.settings.mail import MailSettings

MAIL_BYTES = 10_000_000  # of a mail that are fetched: its texts come before its attachments
WINDOW = 20_000  # UIDs that are searched at once, so that no answer is a line without end
_COMMAND_SECONDS = 30
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NEXT = re.compile(rb"UIDNEXT (\d+)")


class Account:
    """An account that is signed in. Every method raises `MailError` for what goes wrong."""

    def __init__(self, settings: MailSettings) -> None:
        self._settings = settings
        with self._told("signing in"):
            self._imap = _connected(settings)
            try:
                self._sign_in(_password(settings))
            except BaseException:
                self.close()
                raise

    def select(self, folder: str) -> tuple[int, int]:
        """Open a folder for reading only: its UIDVALIDITY, and the UID that the next mail will have."""
        with self._told(f"opening the folder {folder!r}"):
            name = f'"{_encoded(folder)}"'
            self._ok(self._imap.select(name, readonly=True))
            validity = self._imap.response("UIDVALIDITY")[1]
            following = self._imap.response("UIDNEXT")[1]
            if not following or following[0] is None:
                status = self._ok(self._imap.status(name, "(UIDNEXT)"))
                found = _NEXT.search(status[0] or b"")
                following = [found[1] if found else None]
            if not validity or validity[0] is None or following[0] is None:
                raise MailError(f"{self._settings.host} does not say how it numbers the mails of {folder!r}.")
            return int(validity[0]), int(following[0])

    def search(self, first: int, last: int, since: date) -> list[int]:
        """The UIDs from one to another of mails that came since a day, in order."""
        with self._told("searching"):
            day = f"{since.day}-{_MONTHS[since.month - 1]}-{since.year}"
            found = self._ok(self._imap.uid("SEARCH", "UID", f"{first}:{last}", "SINCE", day))
            uids = (int(number) for part in found if part for number in part.split())
            return sorted(uid for uid in uids if first <= uid <= last)

    def fetch(self, uid: int) -> bytes | None:
        """A mail, not marked as read; None when it has gone meanwhile."""
        with self._told("fetching"):
            found = self._ok(self._imap.uid("FETCH", str(uid), f"(BODY.PEEK[]<0.{MAIL_BYTES}>)"))
            return next((part[1] for part in found if isinstance(part, tuple)), None)

    def close(self) -> None:
        with suppress(imaplib.IMAP4.error, OSError):
            self._imap.logout()

    def _sign_in(self, password: str) -> None:
        user = self._settings.user
        if "AUTH=PLAIN" in self._imap.capabilities:
            self._ok(self._imap.authenticate("PLAIN", lambda _: f"\0{user}\0{password}".encode()))
        else:
            self._ok(self._imap.login(user, password))

    def _ok(self, answer: tuple[str, Any]) -> list[Any]:
        if answer[0] != "OK":
            raise imaplib.IMAP4.error(_shown(answer[1]))
        return list(answer[1])

    @contextmanager
    def _told(self, doing: str) -> Iterator[None]:
        try:
            yield
        except (imaplib.IMAP4.error, OSError, EOFError, ValueError) as error:
            reason = str(error) or type(error).__name__
            raise MailError(f"{self._settings.host}: {doing} failed: {reason[:300]}") from None


def _connected(settings: MailSettings) -> imaplib.IMAP4:
    host, timeout = settings.host or "", settings.timeout_seconds
    port = settings.port or (993 if settings.security == "tls" else 143)
    if settings.security == "none":
        return imaplib.IMAP4(host, port, timeout)
    trusted = ssl.create_default_context(cafile=settings.ca_file)
    if settings.security == "tls":
        return imaplib.IMAP4_SSL(host, port, ssl_context=trusted, timeout=timeout)
    imap = imaplib.IMAP4(host, port, timeout)
    try:
        imap.starttls(trusted)
    except BaseException:
        with suppress(OSError):  # whose socket may be closed already
            imap.shutdown()
        raise
    return imap


def _password(settings: MailSettings) -> str:
    if settings.password is not None:
        return settings.password.get_secret_value()
    if not settings.password_command:
        raise MailError("mail.password: give it, or mail.password_command.", field="mail.password")
    try:
        done = subprocess.run(  # noqa: S603 - the owner's own command
            shlex.split(settings.password_command),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_COMMAND_SECONDS,
            check=True,
        )
        return done.stdout.decode().split("\n", 1)[0].rstrip("\r")
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        # Not the error itself: it holds what the command printed.
        why = (
            f"ended with {error.returncode}" if isinstance(error, subprocess.CalledProcessError) else "failed"
        )
        raise MailError(f"mail.password_command {why}.", field="mail.password_command") from None


def _encoded(folder: str) -> str:
    """A folder's name as IMAP writes it: modified UTF-7, and within quotation marks."""

    def shifted(found: re.Match[str]) -> str:
        if found[0] == "&":
            return "&-"
        packed = base64.b64encode(found[0].encode("utf-16-be")).decode().rstrip("=")
        return f"&{packed.replace('/', ',')}-"

    name = re.sub(r"&|[^\x20-\x7e]+", shifted, folder)
    return name.replace("\\", "\\\\").replace('"', '\\"')


def _shown(answer: list[Any]) -> str:
    return b" ".join(part for part in answer if isinstance(part, bytes)).decode("utf-8", "replace")
