"""Mails that mean harm: each is read as far as it can be, or left out, and the mails beside it are read."""

from __future__ import annotations

from base64 import b64encode

import pytest

from bethink.transfer.chats import mime
from tests.attacks import grows_linearly, shape
from tests.transfer.chats.reading import read, source

DATE = b"Date: Mon, 1 Jan 2024 10:00:00 +0000\n"
PLAIN = b"Content-Type: text/plain; charset="
FILE, CODED = b"Content-Disposition: inline; filename*", b"Content-Transfer-Encoding: 8bit\n"
SOUND = (
    b"From b@example.org Tue Jan 02 10:00:00 2024\nFrom: Ben <b@example.org>\n"
    b"Date: Tue, 2 Jan 2024 10:00:00 +0000\n\nAll is well.\n\n"
)
HEADS = {
    "a charset that is never one": PLAIN + b"undefined\n" + DATE,
    "a charset that decodes slowly": PLAIN + b"punycode\n" + DATE,
    "a charset for hosts": PLAIN + b"idna\n" + DATE,
    "a charset with a NUL": PLAIN + b'"a\0b"\n' + DATE,
    "a charset that only the transfer asks for": PLAIN + b"undefined\n" + CODED + DATE,
    "half of an encoded word": b"Subject: =?utf-8?b?a?=\n" + DATE,
    "an encoded word of no charset": b"Subject: =?undefined?q?a?=\n" + DATE,
    "an encoded word with a NUL": b"Subject: =?a\0b?q?a?=\n" + DATE,
    "a file's name of no charset": FILE + b"=undefined''a%ff\n" + DATE,
    "a file's name with a NUL": FILE + b"=\"a\0b''a%ff\"\n" + DATE,
    "a file's name in too many pieces": FILE + b"9" * 5000 + b"=a\n" + DATE,
    "a type named in no charset": b"Content-Type: text/plain; name*0*=undefined''a%ff; name*1*=b\n" + DATE,
    "a year that no clock has": b"Date: Mon, 1 Jan 99999999999999999999 10:00:00 +0000\n",
    "an hour that no clock has": b"Date: Mon, 1 Jan 2024 99999999999999999999:00:00 +0000\n",
    "a zone that no clock has": b"Date: Mon, 1 Jan 2024 10:00:00 +99999999999999999999\n",
    "the last evening there is": b"Date: Fri, 31 Dec 9999 23:59:59 -1200\n",
    "addresses without end": b"To: " + b"a" * 19_000 + b"@b.c\n" + DATE,
}


@pytest.mark.parametrize("case", HEADS)
def test_a_mail_that_means_harm_stops_no_other(case: str) -> None:
    bad = b"From a@example.org Mon Jan 01 10:00:00 2024\nFrom: Ann <a@example.org>\n" + HEADS[case]
    found = list(read(source(bad + b"\nNothing \xff to see.\n\n" + SOUND), "mail"))
    assert found[-1].content == "All is well."
    assert len(found) == 2 or case.endswith("that no clock has") or "last evening" in case


@pytest.mark.parametrize(
    ("before", "piece"),
    [
        (b'Content-Type: text/plain; x="', b";"),
        (b'Content-Type: text/plain; x="', b'\\";'),
        (b"Content-Type: text/plain", b";"),
        (b"Content-Disposition: inline", b"; a*=b"),
        (b"References: ", b"<a>"),
    ],
)
def test_a_head_takes_time_in_proportion_to_its_length(before: bytes, piece: bytes) -> None:
    def reading(text: str) -> None:
        list(read(source(b"From: Ann <a@example.org>\n" + DATE + text.encode() + b"\n\nHello"), "mail"))

    assert grows_linearly(reading, shape(before.decode(), piece.decode(), ""), 5_000)


def test_parts_within_parts_of_many_lines_are_read_only_so_far() -> None:
    def nested(depth: int, lines: int) -> bytes:
        heads = b"".join(
            b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (number, number)
            for number in range(depth)
        )
        return b"From: Ann <a@example.org>\n" + DATE + heads + b"\n" + b"a\n" * lines

    (deep,) = read(source(nested(200, 400_000)), "mail")
    (flat,) = read(source(nested(1, 400_000)), "mail")
    assert deep.content.count("a") * 200 <= mime.MOST_LOOKS
    assert flat.content.count("a") == 400_000


def test_a_charset_that_is_one_is_kept() -> None:
    for charset in ("utf-16", "latin-1", "koi8-r", "nobody-knows"):
        said = "Grüße" if charset != "koi8-r" else "привет"
        raw = said.encode("utf-8" if charset == "nobody-knows" else charset)
        heads = b"From: Ann <a@example.org>\n" + DATE + b"Content-Transfer-Encoding: base64\n"
        whole = heads + PLAIN + charset.encode() + b"\n\n" + b64encode(raw)
        assert [one.content for one in read(source(whole), "mail")] == [said]


def test_what_is_kept_beside_a_mail_has_an_end() -> None:
    many = b"".join(b"To: " + b"%d" % number * 18_000 + b"@b.c\n" for number in range(10, 40))
    (found,) = read(source(b"From: Ann <a@example.org>\n" + DATE + many + b"\nHello"), "mail")
    assert len(str(found.metadata)) < 20_000
