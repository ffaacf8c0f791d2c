"""The memory part in each provider's shape."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.shapes.weaving import SHAPES, Shape, text_of, weave

TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello!", "refusal": None},
    {"role": "user", "content": "What may Anna eat?"},
]


def test_openai_chat() -> None:
    assert weave("S", "V", TALK, "openai") == {
        "messages": [
            TALK[0],
            {"role": "system", "content": "S"},
            TALK[1],
            TALK[2],
            {"role": "system", "content": "V"},
            TALK[3],
        ]
    }


def test_openai_responses() -> None:
    assert weave("S", "V", TALK, "responses") == {
        "instructions": "Be brief.\n\nS",
        "input": [TALK[1], TALK[2], {"role": "developer", "content": "V"}, TALK[3]],
    }


def test_anthropic_caches_the_stable_half_only() -> None:
    assert weave("S", "V", TALK, "anthropic") == {
        "system": [
            {"type": "text", "text": "Be brief."},
            {"type": "text", "text": "S", "cache_control": {"type": "ephemeral"}},
        ],
        "messages": [
            TALK[1],
            TALK[2],
            {
                "role": "user",
                "content": [{"type": "text", "text": "V"}, {"type": "text", "text": "What may Anna eat?"}],
            },
        ],
    }


def test_gemini() -> None:
    assert weave("S", "V", TALK, "gemini") == {
        "systemInstruction": {"parts": [{"text": "Be brief."}, {"text": "S"}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [{"text": "Hello!"}]},
            {"role": "user", "parts": [{"text": "V"}, {"text": "What may Anna eat?"}]},
        ],
    }


@pytest.mark.parametrize("shape", SHAPES)
def test_without_memory_the_conversation_is_as_it_was(shape: Shape) -> None:
    bare = weave("", "", TALK[1:], shape)
    assert list(bare) == [
        {"openai": "messages", "responses": "input", "gemini": "contents"}.get(shape, "messages")
    ]
    if shape != "gemini":
        assert next(iter(bare.values())) == TALK[1:]


def test_off_leaves_a_chat_request_untouched() -> None:
    assert weave("", "", TALK, "openai") == {"messages": TALK}


@pytest.mark.parametrize("shape", SHAPES)
def test_what_leads_up_to_the_volatile_half_is_the_same_in_every_turn(shape: Shape) -> None:
    def before(body: dict[str, Any], mark: str) -> str:
        text = repr(list(body.items()))
        return text[: text.index(mark)]

    longer = [*TALK, {"role": "assistant", "content": "Rice."}, {"role": "user", "content": "And Bo?"}]
    first = before(weave("S", "V1-mark", TALK, shape), "V1-mark")
    second = before(weave("S", "V2-mark", longer, shape), "V2-mark")
    turn = first.rindex("What may Anna eat?") if "What may Anna eat?" in first else len(first)
    # Up to the last turn of the user, the second request begins as the first did.
    assert second.startswith(first[:turn].rsplit("{", 2)[0])


def test_a_tools_results_stay_right_after_their_call() -> None:
    result = {"type": "tool_result", "tool_use_id": "1", "content": "42"}
    talk: list[dict[str, Any]] = [
        {"role": "user", "content": "Count"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "count", "input": {}}]},
        {"role": "user", "content": [result]},
    ]
    woven = weave("S", "V", talk, "anthropic")["messages"]
    assert woven[2] == talk[2]
    assert woven[0]["content"] == [{"type": "text", "text": "V"}, {"type": "text", "text": "Count"}]
    parts: list[dict[str, Any]] = [
        {"role": "user", "parts": [{"text": "Count"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "count"}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "count", "response": {}}}]},
    ]
    contents = weave("S", "V", parts, "gemini")["contents"]
    assert contents[1:] == parts[1:]
    assert contents[0]["parts"] == [{"text": "V"}, {"text": "Count"}]
    chat: list[dict[str, Any]] = [
        {"role": "user", "content": "Count"},
        {"role": "assistant", "tool_calls": [{"id": "1"}]},
        {"role": "tool", "tool_call_id": "1", "content": "42"},
    ]
    assert weave("S", "V", chat, "openai")["messages"][1:] == [{"role": "system", "content": "V"}, *chat]


def test_images_and_other_parts_are_kept() -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "x"}}
    talk = [{"role": "user", "content": [image, {"type": "text", "text": "Who is it?"}]}]
    woven = weave("S", "V", talk, "anthropic")["messages"][0]["content"]
    assert woven == [{"type": "text", "text": "V"}, image, {"type": "text", "text": "Who is it?"}]
    assert weave("", "", talk, "gemini")["contents"][0]["parts"] == [image, {"text": "Who is it?"}]


@pytest.mark.parametrize("shape", SHAPES)
def test_before_anyone_has_spoken_both_halves_are_there(shape: Shape) -> None:
    body = repr(weave("stable-half", "volatile-half", [], shape))
    assert body.index("stable-half") < body.index("volatile-half")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text"]), inner),
    max_leaves=5,
)
roles = st.sampled_from(["system", "user", "assistant", "tool", "developer", "model"])
turns = st.fixed_dictionaries({}, optional={"role": roles | values, "content": values, "parts": values})


@given(st.lists(turns, max_size=6), st.text(), st.text())
def test_no_conversation_breaks_it_and_none_is_changed(
    talk: list[dict[str, Any]], stable: str, volatile: str
) -> None:
    before = copy.deepcopy(talk)
    for shape in SHAPES:
        body = repr(weave(stable, volatile, talk, shape))
        assert repr(stable)[1:-1] in body or not stable or "\\" in repr(stable)
    assert talk == before


def test_the_text_of_a_message() -> None:
    assert text_of("a") == "a"
    assert text_of([{"type": "text", "text": "a"}, {"type": "image"}, "b", 3]) == "a\nb"
    assert text_of(None) == text_of(7) == ""
