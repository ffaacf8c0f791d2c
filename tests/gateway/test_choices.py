"""Who answers, how it takes memory, what is heard of it: the choices that need no server."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.errors import SettingsError
from bethink.gateway.providers import Providers
from bethink.gateway.turns import LINE_BYTES, Heard, Listener, Talk, Turn, naming, talk_of
from bethink.gateway.weave import Dialect, JsonText
from bethink.settings import Settings
from bethink.settings.keywords import ChatOverrides
from tests.gateway.upstream import chat, chat_stream, messages_stream, responses_stream
from tests.opened import unchecked


def providers(**gateway: Any) -> Providers:
    return Providers(Settings.load(environ={}, **unchecked(gateway=gateway)))


TABLES = {
    "main": {"base_url": "https://one.example/v1/"},
    "claude": {"kind": "anthropic"},
    "home": {"kind": "ollama", "models": ["llama3"]},
}


def test_with_nothing_set_up_ollama_on_this_machine_answers() -> None:
    [only] = providers().all
    assert (only.base_url, only.key, only.kind) == ("http://localhost:11434/v1", None, "ollama")


def test_one_provider_needs_only_two_variables() -> None:
    environ = {"BETHINK_GATEWAY_BASE_URL": "https://x.example/v1", "BETHINK_GATEWAY_API_KEY": "sk-1"}
    [only] = Providers(Settings.load(environ=environ)).all
    assert (only.base_url, only.credentials()) == ("https://x.example/v1", {"authorization": "Bearer sk-1"})
    [openai] = Providers(Settings.load(environ={"BETHINK_GATEWAY_API_KEY": "sk-1"})).all
    assert openai.base_url == "https://api.openai.com/v1"
    [claude] = Providers(Settings.load(environ={"BETHINK_GATEWAY_KIND": "anthropic"})).all
    assert claude.base_url == "https://api.anthropic.com/v1"


def test_the_chat_host_answers_where_the_gateway_has_none() -> None:
    host: ChatOverrides = {"base_url": "http://chat.example/v1", "api_key": "k"}
    [only] = Providers(Settings.load(environ={}, chat=host)).all
    assert (only.base_url, only.key) == ("http://chat.example/v1", "k")


@pytest.mark.parametrize(
    ("model", "dialect", "name", "sent"),
    [
        ("claude/opus", "chat", "claude", "opus"),
        ("home/a/b", "chat", "home", "a/b"),
        ("llama3", "chat", "home", None),
        ("other", "chat", "main", None),
        ("other", "messages", "claude", None),
        ("main/x", "messages", "main", "x"),
        ("unknown/x", "chat", "main", None),
        ("main/", "chat", "main", None),
        ("", "chat", "main", None),
    ],
)
def test_a_model_picks_its_provider(model: str, dialect: Dialect, name: str, sent: str | None) -> None:
    route = providers(providers=TABLES).route(model, dialect)
    assert (route.provider.name, route.model) == (name, sent)


def test_the_default_can_be_chosen() -> None:
    assert providers(providers=TABLES, default_provider="home").route("x", "chat").provider.name == "home"
    with pytest.raises(SettingsError, match="has no table"):
        providers(providers=TABLES, default_provider="hom")


@pytest.mark.parametrize("name", ["Main", "a/b", "bethink", "", "a b", "a_b"])
def test_a_providers_name_is_one_that_a_model_can_begin_with(name: str) -> None:
    with pytest.raises(SettingsError, match="providers"):
        providers(providers={name: {}})


@pytest.mark.parametrize(
    ("model", "style"),
    [
        ("main/o1", "none"),
        ("main/o1-mini-2024", "none"),
        ("main/o10", "any"),
        ("main/gpt-4o", "any"),
        ("main/GLM-4.6", "none"),
        ("main/z-ai/glm-4.6", "none"),
        ("main/glmx", "any"),
        ("main/Qwen3.5-27B", "one"),
        ("home/llama3", "one"),
        ("qianfan/x", "none"),
        ("own/x", "any"),
    ],
)
def test_who_takes_which_system_messages(model: str, style: str) -> None:
    tables = {**TABLES, "qianfan": {}, "own": {"kind": "ollama", "system": "any"}}
    found = providers(providers=tables)
    assert found.system_style(found.route(model, "chat")) == style


def test_embeddings_are_made_here_when_nobody_else_makes_any() -> None:
    assert providers(providers={"claude": {"kind": "anthropic"}}).embeds_here("text-embedding-3-small")
    assert not providers(providers=TABLES).embeds_here("text-embedding-3-small")
    assert providers(providers=TABLES).embeds_here("bethink/anything")


def name_of(body: dict[str, Any], header: str | None = None, first: str = "Hi") -> tuple[str, str]:
    found = naming(header, JsonText.read(json.dumps(body).encode()), Talk([Turn("user", first)]))
    return found.by, found.value


def test_a_conversation_is_named_by_what_names_it_best() -> None:
    everything = {"metadata": {"session_id": "m"}, "previous_response_id": "r", "user": "u"}
    assert name_of(everything, "h") == ("name", "h")
    assert name_of(everything) == ("name", "m")
    assert name_of({"previous_response_id": "r", "user": "u"}) == ("answer", "r")
    assert name_of({"conversation": "conv_1"}) == ("name", "conv_1")
    assert name_of({"metadata": {"session_id": 7}}) == ("name", "7")
    by, opening = name_of({"user": "u"})
    assert by == "opening"
    assert opening == name_of({"user": "u", "system": "It is noon"})[1]
    assert (
        len({opening, name_of({})[1], name_of({"user": "v"})[1], name_of({"user": "u"}, first="Ho")[1]}) == 4
    )


def test_a_name_too_long_to_keep_is_shortened_alike_each_time() -> None:
    assert name_of({}, "x" * 1000) == name_of({}, "x" * 1000)
    assert len(name_of({}, "x" * 1000)[1]) <= 250


STREAMS = {"chat": chat_stream, "responses": responses_stream, "messages": messages_stream}


@given(
    st.sampled_from(["chat", "responses", "messages"]),
    st.lists(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1)),
    st.data(),
)
def test_a_stream_is_heard_however_it_is_cut(
    dialect: Dialect, pieces: list[str], data: st.DataObject
) -> None:
    whole = b"".join(STREAMS[dialect](pieces))
    listener = Listener(dialect, "text/event-stream; charset=utf-8", "", 1_000_000)
    while whole:
        size = data.draw(st.integers(1, len(whole)))
        listener.feed(whole[:size])
        whole = whole[size:]
    heard = listener.heard()
    assert (heard.text, heard.complete) == ("".join(pieces).strip(), True)


def test_a_packed_stream_is_heard() -> None:
    listener = Listener("chat", "text/event-stream", "gzip", 1000)
    for byte in gzip.compress(b"".join(chat_stream(["a", "b"]))):
        listener.feed(bytes([byte]))
    assert listener.heard() == Heard("ab", "chatcmpl-1", complete=True)


def test_what_cannot_be_understood_is_not_heard() -> None:
    for kind, encoding in (
        ("application/json", "br"),
        ("application/json", "gzip"),
        ("text/event-stream", ""),
    ):
        listener = Listener("chat", kind, encoding, 1000)
        listener.feed(b"data: {nonsense\n\ndata: 5\n\n\xff\xff")
        assert listener.heard() == Heard("", None, complete=False)


def test_a_reply_that_is_too_long_is_cut_and_an_endless_line_is_passed_over() -> None:
    listener = Listener("chat", "text/event-stream", "", 10)
    listener.feed(b"data: " + b"x" * (LINE_BYTES + 1))
    listener.feed(b"x\n")
    for piece in chat_stream(["12345678", "90123", "more"]):
        listener.feed(piece)
    assert listener.heard().text == "1234567890"
    whole = Listener("chat", "application/json", "", 5)
    whole.feed(json.dumps(chat("123456789")).encode())
    assert whole.heard().text == "12345"


def test_only_the_first_choice_is_what_was_said() -> None:
    listener = Listener("chat", "text/event-stream", "", 100)
    for index in (1, 0):
        event = {"choices": [{"index": index, "delta": {"content": f"{index}"}}]}
        listener.feed(f"data: {json.dumps(event)}\n\n".encode())
    assert listener.heard().text == "0"


def test_a_turn_is_under_way_once_the_assistant_works_on_it() -> None:
    user, call, result = (
        {"role": "user", "content": "x"},
        {"role": "assistant"},
        {"role": "tool", "content": "y"},
    )
    item = {"type": "function_call_output", "call_id": "c", "output": "y"}
    back = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "y"}]}
    cases: list[tuple[Dialect, str, list[Any], bool]] = [
        ("chat", "messages", [user], False),
        ("chat", "messages", [user, call, result], True),
        ("responses", "input", [user, item], True),
        ("messages", "messages", [user, call, back], True),
        ("messages", "messages", [user, call, back, user], False),
    ]
    for dialect, name, said, under_way in cases:
        posted = JsonText.read(json.dumps({name: said}).encode())
        assert talk_of(posted, dialect).under_way is under_way
