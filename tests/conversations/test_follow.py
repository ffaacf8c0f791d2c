"""Where a conversation that is sent whole goes on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink import AsyncBethink
from bethink.conversations.follow import continues, meet
from tests.opened import Home
from tests.opened import home as home

Turns = list[tuple[str, str]]


def turns(text: str) -> Turns:
    """`u1 a1 u2`: who said what."""
    return [({"u": "user", "a": "assistant"}[word[0]], word) for word in text.split()]


@pytest.mark.parametrize(
    ("stored", "sent", "new", "at"),
    [
        ("", "u1", 0, 0),
        ("u1 a1", "u1 a1 u2", 2, 2),
        ("u1 a1", "u1 a1", 2, 2),
        ("u1 a1 u2 a2", "u1 a1 u2", 3, 3),  # sent again
        ("u1 a1 u2 a2", "u1 a1 u2 aX", 3, 3),  # answered anew
        ("u1 a1 u2 a2", "u1 a1 uX aX", 2, 2),  # edited
        ("u1 a1 u2 a2", "u1 a1 uX a2", 2, 2),  # edited, and answered alike
        ("u1 a1 u2 a2 u3 a3", "u2 a2 u3 a3 u4", 4, 6),  # the beginning was dropped
        ("u1 a1 u2 a2 u3 a3", "uS aS u3 a3 u4", 4, 6),  # the beginning was summed up
        ("u1 a1 u2 a2 u3", "u1 a1 uX a2 u3", 2, 2),  # edited long ago
        ("u1 a1 u2 a2", "u1", 0, 4),  # the same words again, from one who sends only what is new
        ("u1 a1 u2 a2", "u2", 0, 4),
        ("u1 a1", "uX", 0, 2),
    ],
)
def test_a_conversation_goes_on_where_it_was(stored: str, sent: str, new: int, at: int) -> None:
    meeting = meet(turns(stored), turns(sent))
    assert (meeting.new, meeting.at) == (new, at)


@pytest.mark.parametrize(
    ("stored", "sent", "same"),
    [
        ("", "u1", True),
        ("u1 a1", "u1", True),
        ("u1 a1", "u1 a1 u2", True),
        ("u1 a1 u2 a2", "u1 a1 uX", True),
        ("u1 a1 u2 a2 u3 a3", "u1 a1 uX", False),
        ("u1 a1 u2 a2", "u1", False),
        ("u1 a1", "u1 aX u2", True),
        ("u1 a1 u2", "u1 aX uX", False),
        ("u1 a1 u2 a2", "u1 aX uX", False),
    ],
)
def test_what_went_another_way_is_another_conversation(stored: str, sent: str, same: bool) -> None:
    assert continues(turns(stored), turns(sent)) is same


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=12), st.data())
def test_a_growing_conversation_is_met_in_full(words: list[str], data: st.DataObject) -> None:
    """However often words repeat, what was stored of a conversation is known again as it grows."""
    said = [("assistant" if number % 2 else "user", word) for number, word in enumerate(words)]
    known = data.draw(st.integers(0, len(said)))
    meeting = meet(said[:known], said)
    if known > 1:
        assert (meeting.new, meeting.at) == (known, known)


async def test_sent_again_nothing_is_stored_and_anew_it_is_replaced(home: Home) -> None:
    first = [{"content": "Hi"}, {"role": "assistant", "content": "Hello"}, {"content": "Bye"}]
    async with home.memory() as memory:
        for _ in range(3):
            await memory.conversations.follow("s", first)
        edited = await memory.conversations.follow("s", [*first[:2], {"content": "Good bye"}])
        assert [outcome.status for outcome in edited.outcomes] == ["merged"]
        assert [m.content for m in await memory.messages.of("s")] == ["Hi", "Hello", "Good bye"]
        entry = (await memory.journal(limit=1)).items[0]
        assert entry.before == {"content": "Bye", "attachments": [], "metadata": {}}


async def test_many_conversations_that_begin_alike_are_kept_apart(home: Home) -> None:
    async with home.memory() as memory:
        names = []
        for number in range(20):
            said = [{"content": "Hi"}, {"role": "assistant", "content": "Yes?"}, {"content": f"No {number}"}]
            names.append(await memory.conversations.locate("hi", said))
            answer = {"role": "assistant", "content": f"As you like {number}"}
            await memory.conversations.follow(names[-1], [*said, answer, {"content": "Thanks"}])
        assert len(set(names)) == 20
        again = [{"content": "Hi"}, {"role": "assistant", "content": "Yes?"}, {"content": "No 11"}]
        answer = {"role": "assistant", "content": "As you like 11"}
        more = [*again, answer, {"content": "Thanks"}, {"role": "assistant", "content": "Bye"}]
        assert await memory.conversations.locate("hi", more) == names[11]


async def test_an_answer_is_found_by_the_id_its_host_gave(home: Home) -> None:
    async with home.memory() as memory:
        answer = {"role": "assistant", "content": "Hello", "id": "resp_1"}
        await memory.conversations.follow("one", [{"content": "Hi"}, answer])
        await memory.conversations.follow("two", [{"content": "Ho"}, answer], whole=False)
        assert await memory.conversations.answered("resp_1") == "one"
        assert await memory.conversations.answered("resp_2") is None
        assert len(await memory.messages.of("two")) == 2


async def test_after_an_answer_that_is_not_known_everything_is_new(memory: AsyncBethink) -> None:
    first = [{"content": "yes"}, {"role": "assistant", "content": "Noted."}]
    await memory.conversations.follow("chat", first, whole=False, after="resp_0")
    await memory.conversations.follow("chat", first, whole=False, after="resp_unknown")
    assert [message.content for message in await memory.messages.of("chat")] == ["yes", "Noted."]
    more = [{"content": "yes"}, {"role": "assistant", "content": "Done."}]
    await memory.conversations.follow("chat", more, whole=False, after="resp_unknown")
    said = [message.content for message in await memory.messages.of("chat")]
    assert said == ["yes", "Noted.", "yes", "Done."]
