"""Each format as its program writes it: who said what, when, and where."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bethink import InvalidInput
from bethink.transfer.chats.formats import detect
from tests.transfer.chats.reading import DATA, read, slack_archive, source, zipped


def test_chatgpt_follows_the_branch_that_was_last_on_the_screen() -> None:
    file = source("chatgpt.json")
    first, call, result, answer, other = read(file)
    assert [said.role for said in (first, call, result, answer)] == ["user", "assistant", "tool", "assistant"]
    assert first.content == "I'm going to Lisbon in May. What is this tower?"
    assert first.at == datetime(2023, 11, 14, 22, 13, 30, 250000, UTC)
    assert [item.get("name") or item["type"] for item in first.attachments] == ["image", "tower.jpg"]
    assert (call.metadata["recipient"], result.name) == ("browser", "browser")
    assert result.content == "Belém Tower - Wikipedia"
    assert (answer.content, answer.at) == ("That is the Belém Tower 🏰.", result.at + timedelta(seconds=1))
    assert (first.conversation.id, first.conversation.title) == ("conv-1", "Trip to Lisbon")
    assert (first.id, other.id, other.conversation.title) == ("conv-1/u1", "conv-2/x", "新しい会話")
    assert other.content == "half an emoji � here"
    assert file.left_out == {"hidden messages left out": 2}


def test_claude_keeps_the_last_branch_and_its_attachments() -> None:
    question, answer, other = read(source("claude.json"))
    assert (question.role, answer.role, other.role) == ("user", "assistant", "user")
    assert (question.content, answer.content) == ("I bake every Sunday.", "Lovely.")
    assert question.attachments[0] == {
        "name": "recipe.txt",
        "type": "txt",
        "size": 12,
        "text": "flour, water",
    }
    assert question.attachments[1] == {"name": "loaf.png"}
    assert answer.metadata == {"tools": ["web_search"]}
    assert other.content == "你好，我住在柏林"
    assert other.at == datetime(2024, 3, 2, 8, tzinfo=UTC)


@pytest.mark.parametrize("name", ["chatgpt", "claude"])
def test_the_zip_archive_of_an_assistant_is_read_like_its_file(name: str) -> None:
    raw = (DATA / f"{name}.json").read_bytes()
    archive = zipped(("export/user.json", b"{}"), ("export/conversations.json", raw))
    assert [said.id for said in read(source(archive))] == [said.id for said in read(source(raw))]


def test_slack_has_names_threads_bots_and_direct_messages() -> None:
    file = source(slack_archive("my export/"))
    direct, hello, root, bot, reply = read(file)
    assert hello.content == "Hi @Bob Baker, see #general & the page (https://example.org) @here"
    assert (hello.name, hello.metadata["edited_at"]) == ("Anna", "1683550900.000000")
    assert hello.at.utcoffset() == timedelta(hours=2)
    assert hello.conversation.channel == "general"
    assert root.conversation == reply.conversation != hello.conversation
    assert (reply.content, reply.attachments[0]["name"]) == ("I do", "cake.pdf")
    assert (bot.role, bot.name, bot.content, bot.bot_id) == ("assistant", "CI", "Build passed", "B7")
    assert (direct.content, direct.conversation.contact) == ("Nur für dich", "Anna, Bob Baker")
    assert "anna@example.org" in hello.known_as
    assert file.left_out == {"lines about the chat itself left out": 1}


def test_discord_has_nicknames_replies_and_embeds() -> None:
    first, reply, bot = read(source("discord.json"))
    assert (first.name, first.known_as) == ("Anna", ("anna_b", "Anna", "11"))
    assert first.at.utcoffset() == timedelta(hours=2)
    assert first.attachments[0]["name"] == "loaf.jpg"
    assert (reply.metadata["reply_to"], reply.conversation.title) == ("1", "Baking / bread")
    assert (bot.role, bot.content) == ("assistant", "Timer\n\n10 minutes left")


def test_a_telegram_chat_has_texts_in_pieces_and_the_offset_of_its_clock() -> None:
    first, reply, photo, forwarded = read(source("telegram_chat.json"))
    assert first.content == "See https://example.org and call @carl"
    assert (first.at, first.at.utcoffset()) == (datetime(2023, 5, 8, 13, 1, tzinfo=UTC), timedelta(hours=2))
    assert (reply.name, reply.content, reply.metadata["reply_to"]) == ("Bob Baker", "Будет сделано", 2)
    assert photo.attachments[0]["name"] == "photo_1.jpg"
    assert (forwarded.role, forwarded.name) == ("contact", "News")
    assert not first.is_me


def test_all_of_telegram_says_whose_it_is() -> None:
    asked, answered, saved = read(source("telegram_all.json"))
    assert (asked.is_me, answered.is_me, saved.is_me) == (True, False, True)
    assert (answered.role, saved.conversation.title) == ("assistant", "Saved Messages")
    assert saved.at.utcoffset() == timedelta(hours=2)  # only a local time: the zone that was given


def test_whatsapp_on_android() -> None:
    file = source("WhatsApp Chat with Bob.txt")
    hello, media, photo, first, second, late = read(file)
    assert hello.content == "Hi Bob!\nThis is the second line: with a colon"
    assert (hello.name, hello.conversation.title) == ("Anna", "Bob")
    assert hello.at.isoformat() == "2023-05-08T13:56:00+02:00"
    assert (media.content, media.attachments) == ("", [{"type": "media"}])
    assert (photo.content, photo.attachments) == ("look at this", [{"name": "IMG-20230508-WA0001.jpg"}])
    assert first.content == second.content == "ok"
    assert first.id != second.id
    assert (late.at.isoformat(), late.content) == ("2023-05-13T00:01:00+02:00", "see you tomorrow 🎂")
    assert file.left_out == {"lines about the chat itself left out": 2}


def test_whatsapp_on_ios_in_german() -> None:
    hello, photo, omitted, last = read(source("_chat.txt"))
    assert (hello.name, hello.content) == ("Jürgen", "Grüß Gott, @Anna\nzweite Zeile")
    assert photo.attachments == [{"name": "00000003-PHOTO-2023-05-08-13-57-00.jpg"}]
    assert omitted.attachments == [{"type": "media"}]
    assert (last.content, last.metadata) == ("Bis morgen", {"edited": True})
    archive = zipped(("_chat.txt", (DATA / "_chat.txt").read_bytes()), ("photo.jpg", b"x"))
    inside = read(source(archive, "WhatsApp Chat - Familie.zip"))
    assert [said.content for said in inside] == [hello.content, "", "", "Bis morgen"]
    assert inside[0].conversation.title == "Familie"


@pytest.mark.parametrize(
    ("line", "at"),
    [
        ("31/12/2023 21:41 - Ana: hola", "2023-12-31T21:41:00"),
        ("31/12/23, 9:41 p. m. - Ana: hola", "2023-12-31T21:41:00"),
        ("31/12/2023 à 21:41 - Ana: salut", "2023-12-31T21:41:00"),
        ("2023/12/31 下午9:41 - Ana: 你好", "2023-12-31T21:41:00"),
        ("[2023/12/31 上午12:05:09] Ana: 你好", "2023-12-31T00:05:09"),
        ("[12/31/23, 12:05:09\u202fPM] Ana: hi", "2023-12-31T12:05:09"),
        ("2023-12-31, 21:41 - Ana: hi", "2023-12-31T21:41:00"),
        ("31.12.23, 21:41 - Ana: hi", "2023-12-31T21:41:00"),
        ("01.02.23, 21:41 - Ana: hi", "2023-02-01T21:41:00"),
        ("٣١/١٢/٢٠٢٣، ٩:٤١ م - Ana: مرحبا", "2023-12-31T21:41:00"),
        ("05/05/23, 21:41 - Ana: hi", "2023-05-05T21:41:00"),
    ],
)
def test_whatsapp_writes_dates_in_many_ways(line: str, at: str) -> None:
    (said,) = read(source(line.encode(), zone=UTC))
    assert said.at.replace(tzinfo=None).isoformat() == at
    assert said.name == "Ana"


def test_whatsapp_dates_that_can_be_read_in_two_ways_are_asked_about() -> None:
    unclear = "05/06/23, 21:41 - Ana: hi"
    with pytest.raises(InvalidInput, match=r"^chat.txt: line 1: .*dmy or mdy") as raised:
        read(source(unclear.encode(), "chat.txt"))
    assert raised.value.field == "dateOrder"
    (said,) = read(source(unclear.encode(), date_order="mdy"))
    assert said.at.month == 5
    clear = unclear + "\n07/05/23, 10:00 - Ana: later"  # only with the month first does time go on
    assert [said.at.month for said in read(source(clear.encode()))] == [5, 7]


def test_the_hour_that_comes_twice_in_autumn_is_told_by_what_came_before() -> None:
    lines = "29.10.23, 02:50 - A: one\n29.10.23, 02:10 - A: two"
    first, second = read(source(lines.encode()))
    assert second.at.timestamp() - first.at.timestamp() == 20 * 60


def test_mail_is_threaded_in_order_and_without_quotations() -> None:
    file = source("mail.mbox")
    question, answer = read(file)
    assert (question.name, question.content) == ("Bob Baker", "Subject: Cake\n\nWho brings the cake?")
    assert (answer.name, answer.known_as) == ("Anna Müller", ("anna@example.org",))
    assert answer.content == "I bring the Käsekuchen tomorrow.\n\nFrom now on I only quote:"
    assert answer.at.utcoffset() == timedelta(hours=2)
    assert (answer.attachments[0]["name"], answer.metadata["subject"]) == ("recipe.pdf", "Re: Cake")
    assert question.conversation.id == answer.conversation.id == "1@example.org"
    assert file.left_out == {"mails in spam or trash left out": 1}


def test_a_single_mail_whose_charset_is_unknown() -> None:
    (letter,) = read(source("letter.eml"))
    assert (letter.content, letter.name) == ("Subject: 你好\n\n明天见", "王芳")
    both = zipped(*((name, (DATA / name).read_bytes()) for name in ("letter.eml", "mail.mbox")))
    assert [said.id for said in read(source(both))] == ["1@example.org", "2@example.org", "9@example.org"]


def test_json_lines_are_messages_as_observe_takes_them() -> None:
    first, second, third = read(source("messages.jsonl"))
    assert (first.id, first.role, first.more["sent_offset"]) == ("1", "user", 60)
    assert (second.conversation.id, second.metadata) == ("s1", {"model": "x"})
    assert second.id == read(source("messages.jsonl"))[1].id != third.id
    assert (third.conversation.id, third.more["pinned"], third.role) == ("messages", True, "contact")


def test_what_is_no_conversation_is_not_taken_for_one() -> None:
    for other in (b'["a fact"]', b'{"results": [{"memory": "x"}]}', b'{"content": "a"}\n', b"just text", b""):
        assert detect(source(other)) is None
