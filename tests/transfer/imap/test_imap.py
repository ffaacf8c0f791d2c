"""New mails become messages: read from a real IMAP server, each once, from where it was left."""

from __future__ import annotations

import asyncio
import imaplib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from bethink import AsyncBethink
from bethink.clock import now
from bethink.errors import MailError
from bethink.settings.mail import MailSettings
from bethink.transfer.chats.mail import said_of
from bethink.transfer.imap.account import Account, _encoded
from tests.opened import Home

DOVECOT = shutil.which("dovecot") or ("/usr/sbin/dovecot" if Path("/usr/sbin/dovecot").exists() else None)
PASSWORD = "pässword 1"
START_SECONDS = 30

CONFIGURATION = """
protocols = imap
listen = 127.0.0.1
base_dir = {folder}/run
state_dir = {folder}/run
log_path = {folder}/dovecot.log
ssl = yes
ssl_cert = <{folder}/cert.pem
ssl_key = <{folder}/key.pem
disable_plaintext_auth = no
mail_location = maildir:{folder}/mail/%u
first_valid_uid = 0
default_login_user = {login}
default_internal_user = {internal}
default_internal_group = {group}
passdb {{
  driver = passwd-file
  args = scheme=PLAIN {folder}/users
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/mail/%u
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls_port}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
}}
"""


@dataclass
class Server:
    """A mail server, and what its owner does there."""

    port: int
    tls_port: int
    certificate: Path

    def settings(self, user: str, **more: Any) -> dict[str, Any]:
        return {
            "host": "localhost", "port": self.tls_port, "ca_file": self.certificate,
            "user": user, "password": PASSWORD,
        } | more  # fmt: skip

    def client(self, user: str) -> imaplib.IMAP4:
        client = imaplib.IMAP4("127.0.0.1", self.port, 30)
        client.authenticate("PLAIN", lambda _: f"\0{user}\0{PASSWORD}".encode())
        return client

    def deliver(self, user: str, *mails: bytes, folder: str = "INBOX") -> None:
        with self.client(user) as client:
            for mail in mails:
                kind, told = client.append(folder, "", imaplib.Time2Internaldate(time.time()), mail)
                assert kind == "OK", told


def free_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    if DOVECOT is None:
        pytest.skip("dovecot is not on this machine (apt install dovecot-imapd)")
    folder = Path(tempfile.mkdtemp(prefix="imap-"))
    folder.chmod(0o755)  # the server's own users look into it
    root = os.getuid() == 0
    nobody = pwd.getpwnam("nobody") if root else pwd.getpwuid(os.getuid())
    me = pwd.getpwuid(os.getuid()).pw_name
    found = Server(free_port(), free_port(), folder / "cert.pem")
    (folder / "mail").mkdir()
    if root:
        os.chown(folder / "mail", nobody.pw_uid, nobody.pw_gid)
    users = "".join(f"{name}:{{PLAIN}}{PASSWORD}\n" for name in ("anna@example.org", "ben@example.org"))
    (folder / "users").write_text(users)
    certificate = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                   "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                   str(folder / "key.pem"), "-out", str(found.certificate)]  # fmt: skip
    subprocess.run(certificate, check=True, capture_output=True)
    (folder / "dovecot.conf").write_text(
        CONFIGURATION.format(
            folder=folder, port=found.port, tls_port=found.tls_port, uid=nobody.pw_uid, gid=nobody.pw_gid,
            login="dovenull" if root else me, internal="dovecot" if root else me,
            group="dovecot" if root else pwd.getpwuid(os.getuid()).pw_gid,
        )
    )  # fmt: skip
    process = subprocess.Popen([DOVECOT, "-F", "-c", str(folder / "dovecot.conf")], stderr=subprocess.PIPE)
    try:
        until = time.monotonic() + START_SECONDS
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", found.port), 1):
                break
            log = folder / "dovecot.log"
            told = log.read_text() if log.exists() else ""
            assert process.poll() is None, (process.stderr.read() if process.stderr else b"", told)
            assert time.monotonic() < until, told
            time.sleep(0.1)
        yield found
    finally:
        process.terminate()
        process.communicate(timeout=20)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["anna@example.org"])
def user(server: Server, request: pytest.FixtureRequest) -> Iterator[str]:
    """Somebody whose mailbox is empty before and after."""
    name = str(request.param)
    yield name
    with server.client(name) as client:
        if client.select("INBOX")[1] != [b"0"]:
            client.store("1:*", "+FLAGS", "\\Deleted")
            client.expunge()
        client.unselect()
        for folder in ("Sent", "&AMQ-rger"):
            client.delete(folder)


def mail(
    number: int, text: str, *, sender: str = "Ben <ben@example.org>", answers: str = "", **more: str
) -> bytes:
    heads = {
        "From": sender,
        "To": "Anna <anna@example.org>",
        "Date": format_datetime(datetime(2023, 5, 8, 13, number, tzinfo=UTC)),
        "Message-ID": f"<{number}@example.org>",
        "Subject": "Re: Cake" if answers else "Cake",
        "Content-Type": "text/plain; charset=utf-8",
    } | ({"In-Reply-To": answers} if answers else {}) | more  # fmt: skip
    return "\r\n".join([*(f"{name}: {value}" for name, value in heads.items()), "", text, ""]).encode()


async def contents(memory: AsyncBethink) -> list[str]:
    return [
        message.content
        for session in reversed(await memory.sessions())
        for message in await memory.messages.of(session.id)
    ]


@pytest.fixture
async def opened(home: Home, server: Server, user: str) -> AsyncIterator[AsyncBethink]:
    async with home.memory(mail=server.settings(user, space=home.space)) as memory:
        yield memory


async def test_new_mails_are_taken_in_once(opened: AsyncBethink, server: Server, user: str) -> None:
    server.deliver(user, mail(1, "Who brings the cake? 🎂"))
    first = await opened.upkeep.run("mail", dry_run=True)
    assert first.counts == {"mails": 1}
    assert await opened.sessions() == []
    run = await opened.upkeep.run("mail")
    assert (run.status, run.counts, run.error) == ("done", {"stored": 1}, None)
    (session,) = await opened.sessions()
    (message,) = await opened.messages.of(session.id)
    assert (message.role, message.name, message.platform) == ("contact", "Ben", "mail")
    assert (message.content, message.sent_at) == (
        "Subject: Cake\n\nWho brings the cake? 🎂", datetime(2023, 5, 8, 13, 1, tzinfo=UTC)
    )  # fmt: skip
    assert (await opened.upkeep.run("mail")).counts == {}
    own = mail(2, "I do", sender="Anna <ANNA@example.org>", answers="<1@example.org>")
    server.deliver(user, own, mail(3, "Thanks", answers="<2@example.org>"))
    assert (await opened.upkeep.run("mail")).counts == {"stored": 2}
    said = await opened.messages.of(session.id)
    assert [(one.role, one.content) for one in said][1:] == [("user", "I do"), ("contact", "Thanks")]
    with server.client(user) as client:
        client.select("INBOX", readonly=True)
        assert client.search(None, "UNSEEN")[1] == [b"1 2 3"], "they are not marked as read"


async def test_where_it_was_left_is_known_after_a_restart(home: Home, server: Server, user: str) -> None:
    settings = server.settings(user, space=home.space)
    server.deliver(user, *(mail(number, f"mail {number}") for number in range(1, 8)))
    async with home.memory(mail=settings) as memory:
        assert (await memory.upkeep.run("mail")).counts == {"stored": 7}
    server.deliver(user, mail(8, "mail 8"))
    async with home.memory(mail=settings) as memory:
        assert (await memory.upkeep.run("mail", dry_run=True)).counts == {"mails": 1}
        assert (await memory.upkeep.run("mail")).counts == {"stored": 1}


async def test_two_processes_take_nothing_in_twice(home: Home, server: Server, user: str) -> None:
    settings = server.settings(user, space=home.space)
    server.deliver(user, *(mail(number, f"mail {number}") for number in range(1, 31)))
    async with home.memory(mail=settings) as one, home.memory(mail=settings) as other:
        runs = await asyncio.gather(one.upkeep.run("mail"), other.upkeep.run("mail"))
        assert {run.status for run in runs} <= {"done", "skipped_locked"}
        assert sum(run.counts.get("stored", 0) for run in runs) == 30
        assert len(await contents(one)) == 30


async def test_a_folder_that_was_made_anew_is_read_again_and_nothing_is_there_twice(
    home: Home, server: Server, user: str
) -> None:
    sent = server.settings(user, space=home.space, folders=["INBOX", "Sent", "Ärger"])
    with server.client(user) as client:
        client.create("Sent")
        client.create("&AMQ-rger")
    server.deliver(user, mail(1, "one", sender="anna@example.org"), folder="Sent")
    server.deliver(user, mail(5, "five"), folder="&AMQ-rger")
    async with home.memory(mail=sent) as memory:
        assert (await memory.upkeep.run("mail")).counts == {"stored": 2}
        with server.client(user) as client:
            client.delete("Sent")
            await asyncio.sleep(1.1)  # the server numbers folders by the second
            client.create("Sent")
        again = (mail(1, "one", sender="anna@example.org"), mail(2, "two", sender="anna@example.org"))
        server.deliver(user, *again, folder="Sent")
        assert (await memory.upkeep.run("mail")).counts == {"stored": 1, "known": 1}
        assert len(await contents(memory)) == 3


async def test_older_mails_are_left_and_so_is_what_says_nothing(
    home: Home, server: Server, user: str
) -> None:
    with server.client(user) as client:
        old = imaplib.Time2Internaldate((now() - timedelta(days=90)).timestamp())
        client.append("INBOX", "", old, mail(1, "old"))
    server.deliver(user, mail(2, "new"), b"Subject: nobody sent it\r\n\r\nx\r\n", mail(3, ""))
    async with home.memory(mail=server.settings(user, space=home.space)) as memory:
        assert (await memory.upkeep.run("mail")).counts == {"stored": 2, "left_out": 1}
        assert "old" not in " ".join(await contents(memory))


async def test_what_goes_wrong_is_seen_and_never_shows_the_password(
    home: Home, server: Server, user: str, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = server.settings(user, space=home.space, password="not mine")
    async with home.memory(mail=wrong) as memory:
        run = await memory.upkeep.run("mail")
        assert run.status == "failed"
        assert "localhost: signing in failed" in (run.error or "")
        (status,) = [one for one in await memory.upkeep.list() if one.name == "mail"]
        assert status.last_failure is not None
        assert status.last_run is not None
        assert status.last_run.status == "failed"
        assert "not mine" not in repr((run, status, memory.settings)) + caplog.text
    lost = server.settings(user, space=home.space, folders=["Nowhere"])
    async with home.memory(mail=lost) as memory:
        assert "'Nowhere'" in ((await memory.upkeep.run("mail")).error or "")


async def test_it_is_off_unless_configured_and_in_no_other_space(
    home: Home, server: Server, user: str
) -> None:
    async with home.memory() as memory:
        assert "mail" not in [one.name for one in await memory.upkeep.list()]
    server.deliver(user, mail(1, "one"))
    async with home.memory(mail=server.settings(user, space="another")) as memory:
        (status,) = [one for one in await memory.upkeep.list() if one.name == "mail"]
        assert (status.enabled, (await memory.upkeep.run("mail")).counts) == (False, {})
        assert await memory.sessions() == []


def test_a_certificate_that_nobody_vouches_for_is_refused(server: Server, user: str) -> None:
    for security, port in (("tls", server.tls_port), ("starttls", server.port)):
        settings = MailSettings(**server.settings(user, security=security, port=port, ca_file=None))
        with pytest.raises(MailError, match="certificate"):
            Account(settings)
        known = MailSettings(**server.settings(user, security=security, port=port))
        Account(known).close()


def test_the_password_may_come_from_a_command(server: Server, user: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"{PASSWORD}\nmore\n")
    asked = server.settings(user, password=None, password_command=f"cat {tmp_path}/secret")
    Account(MailSettings(**asked)).close()
    for command, told in (("false", "ended with 1"), ("no-such-program", "failed"), (None, "give it")):
        with pytest.raises(MailError, match=told):
            Account(MailSettings(**asked | {"password_command": command}))


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("INBOX", "INBOX"),
        ("Ärger", "&AMQ-rger"),
        ("A & B", "A &- B"),
        ("台北", "&U,BTFw-"),
        ('a"b\\c', 'a\\"b\\\\c'),
    ],
)
def test_names_of_folders_are_written_as_imap_does(name: str, written: str) -> None:
    assert _encoded(name) == written


async def test_a_mail_that_means_harm_stops_no_other(
    opened: AsyncBethink, server: Server, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = [
        mail(1, "x", **{"Content-Type": "text/plain; charset=undefined"}),
        mail(2, "x", Subject="=?utf-8?b?a?="),
        mail(3, "x", Date="Mon, 8 May 99999999999999999999 10:00:00 +0000"),
        mail(4, "x", References="<a>" * 20_000),
        mail(5, "x", To=", ".join(f"{'a' * 900}{number}@b.c" for number in range(400))),
    ]
    server.deliver(user, *bad, mail(6, "All is well."))
    assert (await opened.upkeep.run("mail")).counts == {"stored": 5, "left_out": 1}
    read = said_of

    def failing(raw: bytes, *rest: Any) -> Any:
        if b"the unforeseen" in raw:
            raise ZeroDivisionError
        return read(raw, *rest)

    monkeypatch.setattr("bethink.transfer.imap.sweep.said_of", failing)
    server.deliver(user, mail(7, "the unforeseen"), mail(8, "And so is this."))
    assert (await opened.upkeep.run("mail")).counts == {"stored": 1, "left_out": 1}
    assert {"Subject: Cake\n\nAll is well.", "Subject: Cake\n\nAnd so is this."} <= set(
        await contents(opened)
    )
