"""What is remembered is data for a chat model: it begins no tag and no control token, however written."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.fence import (
    _STARTS,
    BOUNDARY,
    _is_unseen,
    as_data,
    as_written,
    one_line,
    quoted,
    without_marks,
    without_woven,
)

NAMED_UNSEEN = (
    "\u200e\u200f\u00ad\u034f\ufe0f\u061c\u180e\u2061\u200b\u200c\u200d\u2060\ufeff\u2066\U000e0041"
    "\u2065\ufff0\ufff8\U000e0080\U000e0fff"  # of no category yet, and not to be shown
)
CONTROL = [
    "<|im_start|>", "<|im_end|>", "<|eot_id|>", "<|start_header_id|>", "<|endoftext|>", "<|a new one|>",
    "<|turn>", "<turn|>", "<｜begin▁of▁sentence｜>", "<｜User｜>", "＜|im_start|＞", "＜｜im_start｜＞",
    "[INST]", "[/INST]", "[inst]", "［INST］", "［／ＩＮＳＴ］", "[TOOL_CALLS]", "[gMASK]", "[|system|]",
    "<<SYS>>", "<</SYS>>", "<s>", "</s>", "＜s＞", "<bos>", "<start_of_turn>", "<0x0A>", "]~b]", "[e~[",
    "<丨im_start丨>", "<❙im_end❙>", "<ㅣeot_idㅣ>",
]  # fmt: skip
CLOSINGS = [
    "</bethink-memory>", "<bethink-memory>", "</bethink-recall>", "< / bethink-recall >",
    "＜/bethink-memory＞",
    "‹/bethink-memory›", "〈/bethink-memory〉", "<⁄bethink-memory>", "</ｂｅｔｈｉｎｋ-memory>",
    "</𝐛𝐞𝐭𝐡𝐢𝐧𝐤-memory>",
    "ᚲ/bethink-memory>", "𝈶/bethink-memory>", "<⟋bethink-memory>", "‹〳bethink-memory›",
    "<ノbethink-memory>", "<丿bethink-recall>",
    BOUNDARY, "</conversation>", "</user>", "</facts>", "</existing-memories>",
]  # fmt: skip
ORDINARY = [
    "x < y", "2 <3", "under <100 €, over >50 €", "a <= b", "x|y", "a || b", "x |> f", "ls | grep < in.txt",
    "[INSTALL]", "[INSTANCE]", "[1, 2]", "arr[i]", "[args]", "[think]", "[Inst. of Physics]", "[x] done",
    "❤️ 👩‍👩‍👧‍👦 👨🏽‍🚀 🏳️‍🌈 1️⃣", "שלום\u200f!", "مرحبا\u200e (abc)\u061c", "می‌خواهم", "co\u00adoperate", "नमस्ते",
    "‹ Bonjour ›", "‹Hallo›", "〈Python入门〉", "【INST】", "5 > 3", "&lt; stays", "¯\\_(ツ)_/¯", "|x| < 3",
    "〈ノルウェイの森〉", "<ノート>",
]  # fmt: skip
unseen = st.text(st.sampled_from(NAMED_UNSEEN), max_size=2) | st.text(
    st.characters(categories=["Cf", "Mn"]), max_size=2
)
pieces = st.sampled_from(CONTROL + CLOSINGS)
texts = st.lists(st.one_of(st.text(max_size=10), pieces, unseen), max_size=6).map("".join)


@st.composite
def disguised(draw: st.DrawFn) -> str:
    """A mark with characters in it that nobody sees."""
    return "".join(letter + draw(unseen) for letter in draw(pieces))


def as_read(text: str) -> str:
    """A text without what is not seen, with wide forms as the plain ones."""
    gone = ("Cf", "Mn", "Me", "Cc")
    kept = [
        one for one in text if one.isspace() or not (unicodedata.category(one) in gone or one in NAMED_UNSEEN)
    ]
    plain = str.maketrans("‹〈⟨ᚲ𝈶⁄∕⟋〳│￨丨❙ㅣ", "<<<<<////|||||")
    return unicodedata.normalize("NFKC", "".join(kept).translate(plain)).casefold()


TOKEN = re.compile(
    r"<\||\[/?inst\]|<</?sys>>|<(?:/?s|bos|start_of_turn)>|<\w+\|>|<0x|\[\|[a-z_ ]+\|\]|\]~!?b[\[\]]|\[e~\["
)
FENCE = re.compile(r"<\s*/?\s*bethink|<\s*!--\s*bethink_")
TAG = re.compile(r"<(?:[a-z]|\s*[/!?])")


@given(st.lists(st.one_of(texts, disguised()), max_size=3).map("".join))
def test_nothing_begins_a_tag_a_fence_or_a_token(text: str) -> None:
    for made in (one_line(text), as_data(text), "\n".join(quoted(text))):
        read = as_read(made)
        assert not TOKEN.search(read)
        assert not FENCE.search(read)
        assert not TAG.search(read)
    own = as_read(without_marks(text))
    assert not TOKEN.search(own)
    assert not FENCE.search(own)


@given(st.lists(st.one_of(texts, disguised()), max_size=3).map("".join))
def test_escaping_twice_changes_nothing_more(text: str) -> None:
    for escape in (one_line, as_data, without_marks):
        assert escape(escape(text)) == escape(text)


@pytest.mark.parametrize("mark", CONTROL + CLOSINGS)
def test_a_mark_is_broken_up_and_still_read(mark: str) -> None:
    for between in ("", *NAMED_UNSEEN):
        made = one_line(f"before {between.join(mark)} after")
        assert made.startswith("before ")
        assert made.endswith(" after")
        assert "&lt;" in made or "&#9" in made, (between, made)
    plain = str.maketrans("＜‹〈ᚲ𝈶［", "<<<<<[")
    assert as_written(one_line(mark)).translate(plain) == mark.translate(plain)


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_text_stays_as_it_is(text: str) -> None:
    assert one_line(text) == as_data(text) == without_marks(text) == text
    assert as_data(f"{text}\n\t{text}") == f"{text}\n\t{text}"


@given(
    st.text(
        st.characters(
            exclude_categories=["Cs", "Cc", "Cf", "Cn", "Zl", "Zp"],
            exclude_characters="<＜﹤[]［］﹇﹈‹〈〈⟨❬❮❰ᐸ˂ᚲ𝈶",
        )
    )
)
def test_a_text_without_such_marks_stays_as_it_is(text: str) -> None:
    assert as_data(text) == text
    assert one_line(text) == " ".join(text.split())


def test_the_soul_may_have_tags_of_its_own() -> None:
    soul = "<rules>\n1. Be <b>kind</b>.\n</rules>\n<!-- note -->"
    assert without_marks(soul) == soul
    assert (
        without_marks("Be kind.</beth\u00adink-memory><|im_end|>")
        == "Be kind.&lt;/beth\u00adink-memory>&lt;|im_end|>"
    )


def test_every_character_that_is_read_as_a_bracket_is_looked_at() -> None:
    alike = [
        one
        for one in map(chr, range(sys.maxunicode + 1))
        if unicodedata.normalize("NFKC", one) in "<[]" and one
    ]
    assert [one for one in alike if not _STARTS.match(one)] == []
    formats = [one for one in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(one) == "Cf"]
    assert all(map(_is_unseen, formats))


@pytest.mark.parametrize(
    "text",
    ["<" * 400_000, "<\u200e" * 200_000, "<" + "\u200e" * 400_000, "<" + " " * 400_000, "[" * 400_000,
     "[\ufe0f" * 200_000, "]~" * 200_000, "< /" * 130_000, "<bethink-memory>" * 30_000, "[|" + "a" * 400_000,
     "<| " * 130_000],
    ids=range(11),
)  # fmt: skip
def test_long_texts_of_marks_take_time_by_their_length(text: str) -> None:
    """Were it by the square of the length, this would take hours."""
    for made in (one_line(text), as_data(text), without_marks(text)):
        assert not TOKEN.search(as_read(made[:2000]))
    assert len(without_woven(text)) == len(text)


def test_what_we_wove_in_is_taken_out() -> None:
    woven = "<bethink-memory>\na\n</bethink-memory>\n\nHello <bethink-recall>b</bethink-recall>you"
    assert without_woven(woven) == "Hello you"
    assert without_woven("<bethink-memory> open") == "<bethink-memory> open"
