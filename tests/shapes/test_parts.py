"""Messages in the shapes of OpenAI's and Anthropic's clients."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.errors import InvalidInput
from bethink.shapes.fields import checked
from bethink.shapes.inputs import MessageDraft

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"in": "Porto"}'}}


def draft(**values: Any) -> MessageDraft:
    return checked(MessageDraft, values)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], "one\ntwo"),
        ([{"type": "input_text", "text": "one"}], "one"),
        ([{"type": "output_text", "text": "one", "annotations": []}], "one"),
        ([{"type": "refusal", "refusal": "I cannot."}], "I cannot."),
        ([{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}], "a"),
        ([{"type": "thinking", "thinking": "hm", "signature": "x"}, {"type": "text", "text": "a"}], "a"),
        (["plain", {"text": "and bare"}], "plain\nand bare"),
        ([], ""),
    ],
)
def test_the_texts_of_parts_are_joined(content: Any, text: str) -> None:
    for role in ("user", "assistant", "system"):
        assert draft(role=role, content=content).content == text


def test_pictures_and_files_are_attachments() -> None:
    made = draft(
        role="user",
        content=[
            {"type": "text", "text": "Look"},
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}},
            {"type": "input_image", "image_url": "https://example.org/b.png"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            {"type": "file", "file": {"filename": "cv.pdf", "file_id": "f1"}},
            {"type": "document", "title": "Terms", "source": {"type": "url", "url": "https://example.org/t"}},
        ],
        attachments=[{"name": "first.txt"}],
    )
    assert made.content == "Look"
    assert made.attachments == [
        {"name": "first.txt"},
        {"type": "image_url", "url": "https://example.org/a.png"},
        {"type": "input_image", "url": "https://example.org/b.png"},
        {"type": "image"},
        {"type": "image_url"},
        {"type": "file", "name": "cv.pdf", "id": "f1"},
        {"type": "document", "url": "https://example.org/t", "name": "Terms"},
    ]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "assistant", "toolCalls": [CALL], "content": []},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "weather", "input": {"in": "Porto"}}],
        },
        {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"in": "Porto"}'},
    ],
)
def test_calls_of_tools_are_kept_in_one_form(message: dict[str, Any]) -> None:
    made = draft(**message)
    assert (made.role, made.content, made.name) == ("assistant", "", None)
    assert made.metadata == {"tool_calls": [CALL]}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "content": "rain", "tool_call_id": "c1"},
        {"role": "tool", "content": [{"type": "text", "text": "rain"}], "tool_call_id": "c1"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "rain"}]},
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c1",
                    "content": [{"type": "text", "text": "rain"}],
                    "is_error": False,
                }
            ],
        },
        {"type": "function_call_output", "call_id": "c1", "output": "rain"},
    ],
)
def test_what_a_tool_gave_back_is_said_by_the_tool(message: dict[str, Any]) -> None:
    made = draft(**message)
    assert (made.role, made.content, made.metadata) == ("tool", "rain", {"tool_call_id": "c1"})


def test_what_the_user_says_beside_a_result_is_theirs_alone() -> None:
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "I hate rain"}
    made = draft(role="user", content=[result, {"type": "text", "text": "And tomorrow?"}])
    assert (made.role, made.content) == ("user", "And tomorrow?")
    assert made.metadata == {"tool_results": [{"tool_call_id": "c1", "content": "I hate rain"}]}


def test_answers_may_come_as_their_hosts_give_them() -> None:
    openai = draft(
        role="assistant", content="Hi", refusal=None, annotations=[], audio=None, function_call=None,
        tool_calls=None,
    )  # fmt: skip
    assert (openai.content, openai.metadata) == ("Hi", {})
    anthropic = draft(
        id="msg_1", type="message", role="assistant", model="m", content=[{"type": "text", "text": "Hi"}],
        stop_reason="end_turn", stop_sequence=None, usage={"input_tokens": 1},
    )  # fmt: skip
    assert (anthropic.content, anthropic.external_id, anthropic.metadata) == ("Hi", "msg_1", {"model": "m"})
    assert draft(role="assistant", content=None, refusal="I cannot.").content == "I cannot."
    assert draft(role="developer", content="Be brief").role == "system"


class Thing:
    """An object as the clients' libraries give them."""

    def __init__(self, **values: Any) -> None:
        self._values = values

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return self._values


def test_objects_of_the_clients_libraries_are_taken_as_they_are() -> None:
    block: Any = Thing(type="text", text="Hi")
    assert draft(role="assistant", content=[block]).content == "Hi"
    whole: Any = Thing(role="assistant", tool_calls=[CALL])
    assert checked(MessageDraft, whole).metadata == {"tool_calls": [CALL]}


@pytest.mark.parametrize(
    ("message", "field", "told"),
    [
        ({"role": "user", "content": 5}, "content", "must be text or a list of parts"),
        ({"role": "user", "content": None}, "content", "null only beside tool_calls"),
        ({"role": "user", "content": {"type": "text", "text": "x"}}, "content", "a list of parts"),
        ({"role": "user", "content": ["x", 5]}, "content", "part 1 must be an object"),
        ({"role": "user", "content": [{"kind": "text"}]}, "content", "part 0 has no type; add one"),
        ({"role": "user", "content": [{"type": "text"}]}, "content", "part 0 .*its text must be a text"),
        ({"role": "user", "content": [{"type": "refusal"}]}, "content", "its refusal must be a text"),
        ({"role": "assistant", "content": [{"type": "tool_use"}]}, "content", "its name must be a text"),
        (
            {"role": "user", "content": [{"type": "tool_result", "content": 5}]},
            "content",
            "'tool_result': its content",
        ),
        ({"type": "reasoning", "summary": []}, "content", "'reasoning' is no message, leave it out"),
        ({"role": "user", "content": "x", "colour": 1}, "colour", "remove it"),
        ({"role": "assistant", "content": "x", "tool_calls": {"id": "c1"}}, "tool_calls", "list"),
        ({"role": "user", "content": [{"type": "image"}], "attachments": 5}, "attachments", "list"),
        ({"role": "user", "content": [{"type": "tool_result"}, "x"], "metadata": 5}, "metadata", "dict"),
    ],
)
def test_a_wrong_shape_is_refused_with_the_field_and_what_would_be_right(
    message: dict[str, Any], field: str, told: str
) -> None:
    with pytest.raises(InvalidInput, match=told) as caught:
        checked(MessageDraft, message)
    assert caught.value.field == field


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["type", "text", "content", "role", "name", "input", "source", "url", "file", "tool_use_id"]
            ),
            inner | st.sampled_from(["text", "tool_use", "tool_result", "image", "file", "function_call"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["role", "content", "type", "tool_calls", "audio", "metadata",
                                        "attachments", "function_call", "output"]), json_values))  # fmt: skip
def test_any_json_is_a_message_or_a_clear_refusal(message: dict[str, Any]) -> None:
    with suppress(InvalidInput):
        assert isinstance(checked(MessageDraft, message).content, str)
