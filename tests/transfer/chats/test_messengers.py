"""The messengers whose exports are made here, each in its own shape: who said what, when, and where."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import BytesIO

import pytest

from bethink import AsyncBethink, InvalidInput
from bethink.transfer.chats.formats import detect
from bethink.transfer.chats.imessage import text_of
from bethink.transfer.chats.long_dates import long_date
from tests.transfer.chats import making
from tests.transfer.chats.making import SENT, raw
from tests.transfer.chats.reading import read, source, zipped

SECOND = timedelta(seconds=1)


def test_messenger_reads_oldest_first_and_mends_its_letters() -> None:
    file = source(making.messenger())
    first, second, photo = read(file)
    assert (first.name, first.content, first.at) == ("Anna Bäcker", "I bake käsekuchen", SENT)
    assert (second.name, second.content, second.at) == ("Jürgen 🎂", "Grüß dich, 你好 🎂", SENT + SECOND)
    assert (photo.content, photo.attachments[0]["name"]) == ("", "cake.jpg")
    assert (first.conversation.id, first.conversation.contact) == ("jurgen_123", "Jürgen 🎂")
    assert file.left_out == {
        "reactions left out": 1,
        "lines about the chat itself left out": 1,
        "deleted messages left out": 1,
    }


@pytest.mark.parametrize(
    ("activity", "name"),
    [("your_facebook_activity", "messenger"), ("your_instagram_activity", "instagram")],
)
def test_an_archive_of_meta_says_whose_it_is_and_goes_over_several_files(activity: str, name: str) -> None:
    file = source(making.meta_archive(activity))
    found = detect(file)
    assert found is not None
    assert (found.name, found.platform) == (name, name)
    said = list(found.read(file))
    assert [(one.content, one.is_me) for one in said] == [("first", False), ("later", True)]
    assert file.left_out == {"files of message requests and spam left out": 1}


def test_messengers_own_export_has_its_letters_as_they_are() -> None:
    (said,) = read(source(making.end_to_end()))
    assert (said.name, said.content, said.at) == ("Anna Bäcker", "Grüße é", SENT)
    assert (said.conversation.id, said.conversation.title) == ("Bob_7", "Bob")


def test_equal_messages_of_one_moment_are_two() -> None:
    file = raw(making.thread(making.wrote("Carl", "ok", 0), making.wrote("Carl", "ok", 0), people=3))
    first, second = read(source(file))
    assert first.id != second.id
    assert first.conversation.channel == "Jürgen 🎂"


def test_a_room_of_matrix_has_the_last_text_of_what_its_writer_edited() -> None:
    file = source(making.matrix())
    own, reply, image, bot = read(file)
    assert (own.name, own.content, own.is_me) == ("Anna", "I bake corn bread", True)
    assert (own.id, own.at) == ("$2", SENT + 2 * SECOND)
    assert (reply.name, reply.content, reply.is_me) == ("Bob", "Me too", False)
    assert reply.metadata["reply_to"] == "$2"
    assert (image.content, image.attachments) == ("", [{"type": "image", "name": "loaf.jpg", "size": 9}])
    assert (bot.role, bot.content) == ("assistant", "10 minutes left")
    assert (own.conversation.id, own.conversation.channel) == ("!room:example.org", "Baking")
    assert file.left_out == {
        "lines about the chat itself left out": 2,
        "messages that the export could not decrypt left out": 1,
        "deleted messages and messages without content left out": 1,
    }


def test_what_teams_exports_is_read_without_what_is_quoted() -> None:
    file = source(making.teams())
    asked, answer, upload = read(file)
    assert (asked.name, asked.content, asked.is_me) == ("Bob", "Who bakes bread?", False)
    assert (answer.content, answer.is_me) == ("I do & gladly 🎂", True)
    assert answer.at == datetime(2023, 5, 8, 13, 3, 5, 500000, UTC)
    assert (upload.content, upload.attachments[0]["name"]) == ("", "cake.pdf")
    assert asked.conversation.channel == "Baking"
    assert file.left_out == {"lines about the chat itself left out": 1}


def test_messages_of_microsoft_graph() -> None:
    file = source(making.graph())
    own, bot = read(file)
    assert (own.name, own.content, own.attachments[0]["name"]) == ("Anna", "I bake rye bread", "cake.pdf")
    assert (bot.role, bot.bot_id, bot.content) == ("assistant", "a-1", "10 minutes left")
    assert sum(file.left_out.values()) == 2


def test_google_chat_knows_its_owner_and_its_conversations() -> None:
    file = source(making.google_archive())
    own, reply, welcome = read(file)
    assert (own.content, own.is_me, own.at) == ("I bake rye bread", True, SENT)
    assert (own.conversation.id, own.conversation.contact) == ("AAA", "Bob")
    assert (reply.is_me, reply.attachments[0]["name"]) == (False, "loaf.jpg")
    assert (welcome.conversation.id, welcome.conversation.channel) == ("BBB", "Bakers")
    assert file.left_out == {"deleted messages and messages without content left out": 1}


@pytest.mark.parametrize(
    "text",
    [
        "Monday, May 8, 2023 at 1:01:05\u202fPM UTC",
        "Monday, 8 May 2023 at 13:01:05 UTC",
        "Montag, 8. Mai 2023 um 13:01:05 UTC",
        "lunes, 8 de mayo de 2023, 13:01:05 UTC",
        "lundi 8 mai 2023 à 13:01:05 UTC",
        "segunda-feira, 8 de maio de 2023 às 13:01:05 UTC",
        "2023年5月8日星期一 UTC 13:01:05",
        "2023年5月8日 UTC 下午1:01:05",
    ],
)
def test_google_writes_dates_in_the_language_of_the_account(text: str) -> None:
    assert long_date(text) == SENT


def test_a_date_in_a_language_that_is_not_known_is_said_so() -> None:
    file = raw(
        {"messages": [making.google_message(1, "Anna", "hi", "pirmdiena, 2023. gada 8. maijs 13:01:05 UTC")]}
    )
    with pytest.raises(InvalidInput, match=r"created_date: .*language"):
        read(source(file))


def test_signals_export_and_its_lasting_ids() -> None:
    file = source(making.signal())
    own, reply, picture = read(file)
    assert (own.name, own.content, own.is_me, own.at) == ("Anna Bäcker", "I bake rye bread 🍞", True, SENT)
    assert (reply.name, reply.is_me, reply.conversation.contact) == ("Bob", False, "Bob")
    assert (picture.conversation.channel, picture.attachments[0]["name"]) == ("Bakers", "loaf.jpg")
    assert file.left_out == {"deleted messages and lines about the chat itself left out": 2}
    renumbered = making.signal().replace(b'"10"', b'"77"').replace(b'"2"', b'"55"')
    assert [said.id for said in read(source(renumbered))] == [own.id, reply.id, picture.id]
    archive = zipped(("export/main.jsonl", making.signal()), ("export/metadata.json", b'{"version": 1}'))
    assert [said.id for said in read(source(archive))] == [own.id, reply.id, picture.id]


def test_signals_database_from_a_backup() -> None:
    file = source(making.signal_database(), "signal_backup.db")
    found = detect(file)
    assert found is not None
    assert found.name == "signal"
    own, reply, group = found.read(file)
    assert (own.name, own.content, own.is_me, own.at) == ("Anna", "I bake rye bread", True, SENT)
    assert (reply.name, reply.is_me, reply.conversation.contact) == ("Bob", False, "Bob")
    assert (group.conversation.channel, group.attachments) == (
        "Bakers",
        [{"name": "cake.png", "type": "image/png"}],
    )
    assert sum(file.left_out.values()) == 3


def test_imessage_reads_texts_wherever_they_are() -> None:
    file = source(making.imessage())
    own, reply, long, photo, group = read(file)
    assert (own.content, own.is_me, own.at) == ("I bake rye bread", True, SENT)
    assert (reply.name, reply.content, reply.is_me) == ("+491701234", "Me too 🎂", False)
    assert long.content == ("Ich backe jeden Sonntag Käsekuchen. " * 8).strip()
    assert (photo.content, photo.attachments[0]["name"]) == ("", "loaf.heic")
    assert (group.name, group.conversation.channel) == ("carl@example.org", "Bakers")
    assert own.conversation.contact == "+491701234"
    assert file.left_out == {
        "reactions left out": 1,
        "lines about the chat itself left out": 1,
        "messages whose text could not be made out left out": 1,
    }


def test_an_old_chat_db_counts_seconds_and_has_fewer_columns() -> None:
    own, reply = read(source(making.imessage(old=True)))
    assert (own.at, reply.at, reply.content) == (SENT, SENT + SECOND, "Me too 🎂")


def test_a_chat_db_in_an_archive() -> None:
    archive = zipped(("Messages/chat.db", making.imessage()), ("Messages/notes.txt", b"x"))
    assert len(read(source(archive))) == 5


@pytest.mark.parametrize("length", [0, 1, 127, 128, 255, 256, 32767, 32768, 70000])
def test_an_archived_text_of_any_length(length: int) -> None:
    assert text_of(making.archived("x" * length)) == "x" * length
    assert text_of(making.archived("x" * length)[: -len(b"x" * length) - 40]) is None or length < 40


def test_a_database_of_another_program_is_none_of_these() -> None:
    other = source(making.made("CREATE TABLE notes (text TEXT)"), "notes.db")
    assert detect(other) is None
    with pytest.raises(InvalidInput, match=r"^notes\.db: the database: has no table "):
        read(other, "imessage")


def test_a_damaged_database_is_refused() -> None:
    whole = making.imessage()
    damaged = whole[:100] + b"\xff" * (len(whole) - 100)
    with pytest.raises(InvalidInput, match=r"^chat\.db: the database: cannot be read"):
        read(source(damaged, "chat.db"), "imessage")


@pytest.mark.parametrize(
    ("file", "me", "count"),
    [
        (making.messenger(), "Anna Bäcker", 3),
        (making.meta_archive(), None, 2),
        (making.matrix(), None, 4),
        (making.teams(), None, 3),
        (making.graph(), "Anna", 2),
        (making.google_archive(), None, 3),
        (making.signal(), None, 3),
        (making.signal_database(), None, 3),
        (making.imessage(), None, 5),
    ],
)
async def test_each_is_taken_in_once_and_only_the_users_words_as_theirs(
    memory: AsyncBethink, file: bytes, me: str | None, count: int
) -> None:
    done = await memory.import_(BytesIO(file), me=me)
    assert done.stored["message"] == count
    again = await memory.import_(BytesIO(file), me=me)
    assert (again.stored["message"], again.duplicates["message"]) == (0, count)
    assert not [note for note in again.notes if "another text" in note]
    roles = {
        message.content: message.role
        for session in await memory.sessions()
        for message in await memory.messages.of(session.id)
    }
    assert "user" in roles.values()
    assert all(roles[text] == "contact" for text in ("Me too", "Who bakes bread?", "first") if text in roles)
