"""Memory put into a request: the right places for each provider, and not a byte changed besides."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.gateway.weave import Dialect, JsonText, NotJson, weaving_edits
from bethink.settings.upstreams import SystemStyle
from bethink.shapes.weaving import weave

S, V = 'stable "half"\n', "volatile ☃"
TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello!"},
    {"role": "user", "content": "What may I eat?"},
]


def woven(
    body: dict[str, Any], dialect: Dialect, system: SystemStyle = "any", stable: str = S, volatile: str = V
) -> Any:
    posted = JsonText.read(json.dumps(body).encode())
    return json.loads(posted.edited(weaving_edits(posted, dialect, stable, volatile, system)))


messages = st.lists(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["user", "assistant"]),
            "content": st.text() | st.just([{"type": "text", "text": 'odd "text"'}]),
        },
        optional={"name": st.text()},
    ),
    max_size=5,
).map(lambda said: [*said, {"role": "user", "content": "Last"}])
systems = st.lists(st.fixed_dictionaries({"role": st.just("system"), "content": st.text()}), max_size=2)


@given(systems, messages, st.sampled_from([S, ""]), st.sampled_from([V, ""]))
def test_chat_is_woven_as_everywhere(first: Any, said: Any, stable: str, volatile: str) -> None:
    body: dict[str, Any] = {"model": "m", "messages": [*first, *said], "x": 1.0}
    expected = {**body, **weave(stable, volatile, body["messages"], "openai")}
    assert woven(body, "chat", "any", stable, volatile) == expected


@given(messages, st.sampled_from([S, ""]), st.sampled_from([V, ""]))
def test_responses_are_woven_as_everywhere(said: Any, stable: str, volatile: str) -> None:
    body = {"model": "m", "input": said}
    assert woven(body, "responses", "any", stable, volatile) == {
        **body,
        **weave(stable, volatile, said, "responses"),
    }


@given(messages, st.sampled_from([S, ""]), st.sampled_from([V, ""]))
def test_messages_are_woven_as_everywhere(said: Any, stable: str, volatile: str) -> None:
    body = {"model": "m", "messages": said}
    assert woven(body, "messages", "any", stable, volatile) == {
        **body,
        **weave(stable, volatile, said, "anthropic"),
    }


SPACED = b'{\n "messages" : [ {"role":"user" , "content" : "Hi \\u00e9"} ],\r\n "n": 1.50, "n":2 }\n'


@pytest.mark.parametrize("dialect", ["chat", "messages"])
@pytest.mark.parametrize("system", ["any", "one", "none"])
def test_all_else_stays_to_the_byte(dialect: Dialect, system: SystemStyle) -> None:
    posted = JsonText.read(SPACED)
    edits = weaving_edits(posted, dialect, S, V, system)
    assert edits
    result = posted.edited(edits).decode()
    for edit in sorted(edits, key=lambda edit: edit.start):  # what was put in, taken out again
        assert edit.start == edit.end
        assert result[edit.start :].startswith(edit.text)
        result = result[: edit.start] + result[edit.start + len(edit.text) :]
    assert result == SPACED.decode()


def test_a_second_system_message_is_spared_those_who_refuse_it() -> None:
    assert woven({"messages": TALK}, "chat", "one")["messages"] == [
        {"role": "system", "content": f"Be brief.\n\n{S}"},
        *TALK[1:3],
        {"role": "user", "content": f"{V}\n\nWhat may I eat?"},
    ]
    parts = [{"type": "text", "text": "Be brief."}]
    got = woven({"messages": [{"role": "system", "content": parts}, *TALK[1:]]}, "chat", "one")
    assert got["messages"][0]["content"] == [*parts, {"type": "text", "text": S}]
    assert woven({"messages": TALK[1:]}, "chat", "one")["messages"][0] == {"role": "system", "content": S}


def test_those_without_a_system_role_get_it_in_the_users_words() -> None:
    got = woven({"messages": TALK[1:]}, "chat", "none")["messages"]
    assert [message["role"] for message in got] == ["user", "assistant", "user"]
    assert (got[0]["content"], got[2]["content"]) == (f"{S}\n\nHi", f"{V}\n\nWhat may I eat?")
    only = woven({"messages": TALK[3:]}, "chat", "none")["messages"]
    assert only == [{"role": "user", "content": f"{S}\n\n{V}\n\nWhat may I eat?"}]
    seen = woven({"input": "Hi"}, "responses", "none")
    assert seen == {"input": f"{S}\n\n{V}\n\nHi"}
    picture = {"type": "image_url", "image_url": {"url": "x"}}
    parts = woven({"messages": [{"role": "user", "content": [picture]}]}, "chat", "none")["messages"]
    assert parts[0]["content"] == [{"type": "text", "text": f"{S}\n\n{V}"}, picture]


def test_developers_instructions_are_followed_by_more_of_them() -> None:
    talk = [{"role": "developer", "content": "Be brief."}, *TALK[1:]]
    got = woven({"messages": talk}, "chat")["messages"]
    assert [message["role"] for message in got].count("system") == 0


def test_responses_keep_their_instructions_first() -> None:
    assert woven({"input": "Hi", "instructions": "Be brief."}, "responses") == {
        "instructions": f"Be brief.\n\n{S}",
        "input": [{"role": "developer", "content": V}, {"role": "user", "content": "Hi"}],
    }
    assert woven({"input": "Hi", "instructions": None}, "responses", volatile="")["instructions"] == S
    result = {"type": "function_call_output", "call_id": "c", "output": "x"}
    assert woven({"input": [result]}, "responses") == {"input": [result], "instructions": S}


def marked(ttl: str | None = None) -> dict[str, Any]:
    mark = {"type": "ephemeral"} | ({"ttl": ttl} if ttl else {})
    return {"type": "text", "text": "x", "cache_control": mark}


@pytest.mark.parametrize(
    ("system", "content", "expected"),
    [
        ([], [], {"type": "ephemeral"}),
        ([marked()], [marked(), marked()], {"type": "ephemeral"}),
        ([marked()], [marked(), marked(), marked()], None),
        ([marked("1h")], [marked()], {"type": "ephemeral"}),
        ([marked("1h")], [marked("1h")], {"type": "ephemeral", "ttl": "1h"}),
    ],
)
def test_anthropics_marks_for_its_cache_are_respected(system: Any, content: Any, expected: Any) -> None:
    body = {
        "system": system,
        "messages": [{"role": "user", "content": [*content, {"type": "text", "text": "y"}]}],
    }
    got = woven(body, "messages")
    assert got["system"][:-1] == system
    assert got["system"][-1].get("cache_control") == expected
    assert json.dumps(got).count("cache_control") <= 4


@pytest.mark.parametrize(
    ("system", "expected"),
    [("Be brief.", [{"type": "text", "text": "Be brief."}]), ("", []), (None, [])],
)
def test_anthropics_system_prompt_stays_first(system: Any, expected: list[Any]) -> None:
    body = {"messages": TALK[1:]} | ({"system": system} if system is not None else {})
    got = woven(body, "messages")["system"]
    assert got[:-1] == expected
    assert got[-1]["text"] == S


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), json_values), st.sampled_from([None, 1, "\t"]))
def test_a_document_is_read_as_json_is_and_changed_by_no_edits(value: Any, indent: Any) -> None:
    text = json.dumps(value, indent=indent)
    posted = JsonText.read(text.encode())
    assert {name: part.value for name, part in posted.fields.items()} == value
    assert posted.edited([]) == text.encode()
    assert json.loads(posted.edited([posted.with_field("new one", "[1]")])) == {**value, "new one": [1]}


@given(st.lists(json_values), st.sampled_from([None, 1]))
def test_the_items_of_a_list_stand_where_they_are_said_to(items: Any, indent: Any) -> None:
    posted = JsonText.read(json.dumps({"a": items}, indent=indent).encode())
    found = posted.items(posted.fields["a"])
    assert [part.value for part in found] == items
    assert [json.loads(posted.text[part.start : part.end]) for part in found] == items


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "it is empty"),
        (b" ", "it is empty"),
        (b'{"a": 1', "it ends too soon"),
        (b"[]", "it is no object"),
    ],
)
def test_what_is_no_object_is_said_in_words(body: bytes, why: str) -> None:
    with pytest.raises(NotJson, match=f"^{why}$"):
        JsonText.read(body)
