"""What is said through the gateway in one conversation is known in the next, and nothing is stored twice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest

from bethink.records import Role, Switch
from tests.gateway.conftest import Place, on_both_databases
from tests.gateway.upstream import Answer, chat, chat_stream
from tests.opened import add_person

pytestmark = on_both_databases
ALLERGY = "I'm allergic to peanuts."
Talk = list[dict[str, Any]]


def talk(*said: str) -> Talk:
    roles = ("user", "assistant")
    return [{"role": roles[number % 2], "content": text} for number, text in enumerate(said)]


def ask(place: Place, messages: Sequence[Any], model: str = "m1", **headers: str) -> Any:
    with place.client(**headers) as client:
        reply = client.post("/v1/chat/completions", json={"model": model, "messages": messages})
    assert reply.status_code == 200, reply.text
    return reply


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/v1/messages"])
def test_the_second_conversation_knows_what_the_first_was_told(home: Place, path: str, stream: bool) -> None:
    def say(text: str) -> Any:
        messages = [{"role": "user", "content": text}]
        body = {"model": "m1", "messages": messages, "input": text, "stream": stream}
        with home.client() as client:
            reply = client.post(path, json=body)
        assert reply.status_code == 200
        home.settle()
        return reply

    say(ALLERGY)
    assert ALLERGY in home.upstream.last.body.decode()
    reply = say("What may I eat for lunch?")
    sent = home.upstream.last.body.decode()
    assert "allergic to peanuts" in sent
    assert sent.index("allergic to peanuts") < sent.rindex("What may I eat for lunch?")
    assert int(reply.headers["x-bethink-memories"]) > 0
    assert reply.headers["x-bethink-engine"] != "none"
    assert float(reply.headers["x-bethink-latency-ms"]) > 0
    assert len(home.sessions()) == 2


def test_the_reply_after_a_request_to_forget_tells_what_became_of_it(home: Place) -> None:
    def say(text: str) -> Any:
        with home.client() as client:
            body = {"model": "m1", "messages": [{"role": "user", "content": text}]}
            reply = client.post("/v1/chat/completions", json=body)
        home.settle()
        return reply

    assert "x-bethink-withdrawn" not in say(ALLERGY).headers
    assert "x-bethink-withdrawn" not in say("Please forget what I told you about peanuts.").headers
    assert say("What may I eat for lunch?").headers["x-bethink-withdrawn"] == "1"
    assert "x-bethink-withdrawn" not in say("And for dinner?").headers


def test_the_same_conversation_sent_three_times_is_stored_once(home: Place) -> None:
    conversation = talk(ALLERGY, "Noted.", "What may I eat?")
    for _ in range(3):
        reply = ask(home, conversation)
    assert len(home.sessions()) == 1
    assert home.said(reply.headers["x-bethink-session"]) == [
        ("user", ALLERGY),
        ("assistant", "Noted."),
        ("user", "What may I eat?"),
        ("assistant", "Hello there."),
    ]


def test_a_conversation_grows_turn_by_turn(home: Place) -> None:
    said, conversation = ["One is fine", "Two is better", "Three is a crowd"], []
    for number, text in enumerate(said):
        conversation.append({"role": "user", "content": text})
        home.upstream.say(f"Reply {number}")
        reply = ask(home, conversation)
        conversation.append({"role": "assistant", "content": f"Reply {number}"})
    stored = home.said(reply.headers["x-bethink-session"])
    assert stored == [(message["role"], message["content"]) for message in conversation]
    assert len(home.sessions()) == 1


def test_a_turn_said_anew_takes_the_place_of_the_old(home: Place) -> None:
    home.upstream.say("Try tofu.")
    ask(home, talk("Hi", "Hello!", "Dinner?"))
    home.upstream.say("Try lentils.")
    ask(home, talk("Hi", "Hello!", "Dinner?"))  # regenerated
    reply = ask(home, talk("Hi", "Hello!", "A cheap dinner?"))  # edited
    assert home.said(reply.headers["x-bethink-session"])[2:] == [
        ("user", "A cheap dinner?"),
        ("assistant", "Try lentils."),
    ]


def test_conversations_that_begin_alike_do_not_overwrite_each_other(home: Place) -> None:
    first = ask(home, talk("Hi", "Hello there.", ALLERGY)).headers["x-bethink-session"]
    home.settle()
    second = ask(home, talk("Hi")).headers["x-bethink-session"]
    home.settle()
    third = ask(home, talk("Hi", "Hello there.", "What is new?")).headers["x-bethink-session"]
    assert first != second == third
    assert ("user", ALLERGY) in home.said(first)
    assert ("user", ALLERGY) not in home.said(third)


def test_a_client_that_forgets_the_beginning_goes_on_in_its_session(home: Place) -> None:
    named = {"x-bethink-session": "kitchen"}
    ask(home, talk("one", "1", "two", "2", "three"), **named)
    ask(home, talk("two", "2", "three", "Hello there.", "four"), **named)
    ask(home, talk("A summary of it all", "fine", "four", "Hello there.", "five"), **named)
    texts, said = [text for _, text in home.said("kitchen")], "Hello there."
    assert texts == ["one", "1", "two", "2", "three", said, "four", said, "five", said]


@pytest.mark.parametrize(
    "fields",
    [
        {"metadata": {"session_id": "mine"}},
        {"metadata": {"conversation_id": "mine"}},
        {"metadata": {"user_id": "user_a_account_b_session_mine-0001"}},
        {"conversation": {"id": "mine"}},
    ],
)
def test_the_request_can_name_its_session(home: Place, fields: dict[str, Any]) -> None:
    body = {"model": "m1", "messages": talk("Hello"), "input": "Hello", **fields}
    with home.client() as client:
        reply = client.post("/v1/responses", json=body)
    assert reply.headers["x-bethink-session"].startswith("mine")


def test_a_session_name_in_any_script_comes_back(home: Place) -> None:
    with home.client() as client:
        reply = client.post(
            "/v1/chat/completions",
            json={"model": "m1", "messages": talk("你好，我对花生过敏")},
            headers={b"x-bethink-session": "厨房".encode()},
        )
    assert dict(reply.headers.raw)[b"x-bethink-session"].decode() == "厨房"
    assert home.said("厨房")[0] == ("user", "你好，我对花生过敏")


def test_users_with_the_same_opening_have_their_own_conversations(home: Place) -> None:
    sessions = set()
    for user in ("ann", "ben"):
        with home.client() as client:
            reply = client.post(
                "/v1/chat/completions", json={"model": "m1", "messages": talk("Hi"), "user": user}
            )
        sessions.add(reply.headers["x-bethink-session"])
    assert len(sessions) == 2


def test_an_answer_is_gone_on_from_by_its_id(home: Place) -> None:
    ids = iter(["resp_0001", "resp_0002", "resp_0003"])
    home.upstream.script = lambda _: Answer(json.dumps(_response(next(ids))).encode())
    with home.client() as client:
        first = client.post("/v1/responses", json={"model": "m1", "input": ALLERGY})
        again = {"model": "m1", "input": "And milk", "previous_response_id": "resp_0001"}
        second = client.post("/v1/responses", json=again)
        home.settle()
        home.server.gateway._exchanges._answers.clear()  # as after a restart
        third = client.post("/v1/responses", json={**again, "previous_response_id": "resp_0002"})
    session = first.headers["x-bethink-session"]
    assert session == second.headers["x-bethink-session"] == third.headers["x-bethink-session"]
    assert [text for role, text in home.said(session) if role == "user"] == [ALLERGY, "And milk", "And milk"]


def _response(id_: str) -> dict[str, Any]:
    from tests.gateway.upstream import responses

    return responses("Noted.", id_)


def test_what_was_woven_in_is_never_taken_in(home: Place) -> None:
    home.server.call(home.space.remember("The code word is halibut"))
    reply = ask(home, talk("What is the code word, please?"))
    sent = home.upstream.last.json["messages"]
    assert "halibut" in str(sent)
    echoed = "\n\n".join(m["content"] for m in sent if m["role"] == "system")
    session = reply.headers["x-bethink-session"]
    home.upstream.say(echoed + " So it is that.")
    ask(home, [*talk(f"{echoed}\nThank you")], **{"x-bethink-session": session})
    assert "halibut" not in str(home.said(session))
    assert ("user", "Thank you") in home.said(session)


def test_the_record_of_a_turn_says_how_much_was_recalled_for_it(home: Place) -> None:
    stored = home.server.call(home.space.remember("The code word is halibut"))
    reply = ask(home, talk("What is the code word, please?"))
    home.settle()
    messages = home.server.call(home.space.messages.of(reply.headers["x-bethink-session"]))
    assert messages[0].metadata == {"recalled": 1}
    receipt = home.server.call(home.space.erase(memory_ids=[stored.id]))
    assert receipt.complete


def test_tools_and_system_prompts_are_no_part_of_what_is_remembered(home: Place) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    conversation = [
        {"role": "system", "content": "It is 12:00. Be brief."},
        *talk("Look it up"),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "a very long result"},
    ]
    session = ask(home, conversation).headers["x-bethink-session"]
    later = [{"role": "system", "content": "It is 12:01. Be brief."}, *conversation[1:]]
    assert ask(home, later).headers["x-bethink-session"] == session
    assert home.said(session) == [("user", "Look it up"), ("assistant", "Hello there.")]


def test_pictures_are_mentioned_but_not_kept(home: Place) -> None:
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}},
    ]
    reply = ask(home, [{"role": "user", "content": parts}])
    assert home.upstream.last.json["messages"][-1]["content"] == parts
    home.settle()
    message = home.server.call(home.space.messages.of(reply.headers["x-bethink-session"]))[0]
    assert message.content == "What is this?"
    assert message.attachments == [
        {"type": "image_url"},
        {"type": "image_url", "url": "https://example.com/cat.png"},
    ]


def test_a_refused_request_is_not_taken_in(home: Place) -> None:
    home.upstream.answer(Answer(b'{"error":{}}', 400))
    with home.client() as client:
        client.post("/v1/chat/completions", json={"model": "m1", "messages": talk(ALLERGY)})
    assert home.sessions() == []


def test_a_part_of_a_reply_is_kept_as_a_part(home: Place) -> None:
    pieces = list(chat_stream(["Once upon", " a time"]))[:2]
    home.upstream.answer(Answer(pieces, kind="text/event-stream", cut=True))
    body = {"model": "m1", "messages": talk("Tell a story"), "stream": True}
    named = {"x-bethink-session": "story"}
    broken = pytest.raises(httpx2.RemoteProtocolError, match="incomplete chunked read")
    with home.client(**named) as client, broken:
        client.post("/v1/chat/completions", json=body)
    assert home.said("story") == [("user", "Tell a story"), ("assistant", "Once upon a time")]
    assert home.server.call(home.space.messages.of("story"))[1].metadata == {"partial": True}


def test_injection_and_taking_in_are_switched_apart(home: Place) -> None:
    home.server.call(home.space.facts.set("food", "allergy", "peanuts"))
    home.switch(injection=False)
    plain = {"model": "m1", "messages": talk("Hello")}
    with home.client(**{"x-bethink-session": "a"}) as client:
        client.post("/v1/chat/completions", json=plain)
        assert home.upstream.last.json == plain
        home.switch(injection=True, extraction=False)
        client.post("/v1/chat/completions", json=plain, headers={"x-bethink-session": "b"})
    assert "peanuts" in str(home.upstream.last.json)
    assert home.sessions() == ["a"]


def test_a_key_can_be_switched_against_its_space(place: Place) -> None:
    place.server.call(place.space.facts.set("food", "allergy", "peanuts"))
    principal = place.server.call(_principal(place))
    for enabled, switch, woven in [
        (False, Switch.ON, True),
        (True, Switch.OFF, False),
        (False, None, False),
        (True, None, True),
    ]:
        place.switch(enabled=enabled)
        place.server.call(place.server.memory.keys.update(principal, memory=switch))
        ask(place, talk("Hello"))
        assert ("peanuts" in str(place.upstream.last.json)) is woven


async def _principal(place: Place) -> str:
    from bethink.access import authenticate

    return (await authenticate(place.server.memory, place.key)).key.id


def test_a_reader_is_given_memories_and_leaves_none(home: Place) -> None:
    home.server.call(home.space.facts.set("food", "allergy", "peanuts"))
    home.key = home.server.key(home.space.name, Role.READER)
    ask(home, talk("Hello"))
    assert "peanuts" in str(home.upstream.last.json)
    assert home.sessions() == []


def test_one_space_never_sees_another(home: Place) -> None:
    home.server.call(home.space.facts.set("food", "allergy", "peanuts"))
    other = home.server.memory.space(f"{home.space.name}-other")
    home.server.call(other.options.update(enabled=True))
    home.key = home.server.key(other.name)
    ask(home, talk("What am I allergic to?"))
    assert "peanuts" not in str(home.upstream.last.json)


def test_who_speaks_is_told_by_a_header(home: Place) -> None:
    ann = home.server.call(add_person(home.space, "Ann"))
    home.server.call(add_person(home.space, "Ben"))
    for switched in (True, False):
        home.switch(injection=switched)
        named = {"x-bethink-person": "Ann", "x-bethink-session": f"s{switched}"}
        ask(home, talk(f"I like tea, {switched}"), **named)
        home.settle()
        messages = home.server.call(home.space.messages.of(f"s{switched}"))
        assert [message.person_id for message in messages] == [ann, None]


def test_where_one_person_lives_it_does_not_matter_how_something_came_in(home: Place) -> None:
    said = [{"role": "user", "content": "I live in Lisbon."}]
    home.server.call(home.space.observe("before", said))
    home.settle()
    ask(home, talk("I live in Tokyo now."))
    home.settle()
    homes = [fact for fact in home.server.call(home.space.facts.list()) if fact.key == "home"]
    assert [fact.value for fact in homes] == ["Tokyo"]


def test_nobody_of_that_name_is_said_and_the_request_goes_on(home: Place) -> None:
    reply = ask(home, talk("Hello"), **{"x-bethink-person": "Nobody"})
    assert "nobody in this space is called 'Nobody'" in reply.headers["x-bethink-degraded"]
    assert home.upstream.last.json["messages"] == talk("Hello")


def test_a_compressed_reply_is_heard_too(home: Place) -> None:
    import gzip

    packed = gzip.compress(json.dumps(chat("Packed hello")).encode())
    home.upstream.answer(Answer(packed, headers={"content-encoding": "gzip"}))
    ask(home, talk("Hello"), **{"accept-encoding": "br, gzip;q=0.5", "x-bethink-session": "zip"})
    assert home.upstream.last.headers["accept-encoding"] == "gzip;q=0.5"
    assert home.said("zip") == [("user", "Hello"), ("assistant", "Packed hello")]


def test_a_reply_packed_as_nobody_asked_is_passed_on_and_said_not_to_be_taken_in(
    home: Place, caplog: pytest.LogCaptureFixture
) -> None:
    packed = b"\x0b\x02\x80not really brotli\x03"
    home.upstream.answer(Answer(packed, headers={"content-encoding": "x-odd"}))
    with home.client(**{"accept-encoding": "br, zstd", "x-bethink-session": "odd"}) as client:
        asked = client.build_request(
            "POST", "/v1/chat/completions", json={"model": "m", "messages": talk("Hello")}
        )
        reply = client.send(asked, stream=True)
        assert b"".join(reply.iter_raw()) == packed
    assert home.upstream.last.headers["accept-encoding"] == "identity"
    assert "the reply is not taken in: it is packed as x-odd" in reply.headers["x-bethink-degraded"]
    assert home.said("odd") == [("user", "Hello")]
    assert "was not taken in: it is packed as x-odd" in caplog.text


def working(*results: str) -> Talk:
    """A turn on which the assistant is at work with its tools."""
    conversation = talk("What is the code word, please?")
    for number, result in enumerate(results):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        conversation.append({"role": "assistant", "content": None, "tool_calls": [call]})
        conversation.append({"role": "tool", "tool_call_id": f"c{number}", "content": result})
    return conversation


def test_while_the_assistant_works_its_prompt_stays_the_same(home: Place) -> None:
    """Each request begins with the one before, so that the provider's cache holds all of it."""
    stored = home.server.call(home.space.remember("The code word is halibut"))
    home.upstream.answer(Answer(json.dumps(chat(None)).encode()))
    sent: list[Talk] = []
    for number in range(3):
        ask(home, working(*"abc"[:number]))
        sent.append(home.upstream.last.json["messages"])
        home.settle()
        home.server.call(home.space.remember(f"Another code word is number {number}"))
    assert sent[1][: len(sent[0])] == sent[0]
    assert sent[2][: len(sent[1])] == sent[1]
    home.server.call(home.space.forget(stored.id))
    ask(home, working("a", "b", "c"))
    assert "halibut" not in str(home.upstream.last.json)
    ask(home, talk("What is the code word, please?"))  # a turn that begins is always recalled for
    assert "Another code word" in str(home.upstream.last.json)


def _responding(home: Place) -> None:
    ids = iter(f"resp_{number:04}" for number in range(1, 20))
    home.upstream.script = lambda _: Answer(json.dumps(_response(next(ids))).encode())


@pytest.mark.parametrize("named", [{}, {"x-bethink-session": "tuesday"}])
def test_a_request_that_goes_on_from_an_answer_and_is_sent_again_is_stored_once(
    home: Place, named: dict[str, str]
) -> None:
    _responding(home)
    with home.client(**named) as client:
        first = client.post("/v1/responses", json={"model": "m1", "input": "yes"})
        again = {"model": "m1", "input": "yes", "previous_response_id": "resp_0001"}
        for _ in range(3):
            client.post("/v1/responses", json=again)
            home.settle()
    said = home.said(first.headers["x-bethink-session"])
    assert said[:3] == [("user", "yes"), ("assistant", "Noted."), ("user", "yes")]
    assert [role for role, _ in said].count("user") == 2


def test_what_a_client_sends_again_beside_the_answers_id_is_known(home: Place) -> None:
    _responding(home)
    told = [{"role": "user", "content": ALLERGY}]
    with home.client() as client:
        first = client.post("/v1/responses", json={"model": "m1", "input": told})
        home.settle()
        whole = [*told, {"role": "assistant", "content": "Noted."}, {"role": "user", "content": "And milk"}]
        body = {"model": "m1", "input": whole, "previous_response_id": "resp_0001"}
        for _ in range(2):
            client.post("/v1/responses", json=body)
            home.settle()
    said = home.said(first.headers["x-bethink-session"])
    assert [text for role, text in said if role == "user"] == [ALLERGY, "And milk"]


@pytest.mark.parametrize("field", ["previous_response_id", "conversation"])
def test_turns_that_the_provider_has_are_not_woven_in_again(home: Place, field: str) -> None:
    _responding(home)
    value = {"previous_response_id": "resp_0001", "conversation": "conv_1"}[field]
    begun = {"model": "m1", "input": "I put the halibut in the freezer."}
    with home.client() as client:
        client.post("/v1/responses", json=begun | ({field: value} if field == "conversation" else {}))
        home.settle()
        client.post("/v1/responses", json={"model": "m1", "input": "Where is the halibut?", field: value})
        sent = home.upstream.last.json
        assert "freezer" not in str(sent)
        client.post("/v1/responses", json={"model": "m1", "input": "Where is the halibut?"})
    assert "freezer" in str(home.upstream.last.json), "in another conversation it is recalled"
