"""Whatever is written is stored and found as it was written, or refused with an error that says why."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bethink import AsyncBethink, Bethink, InvalidInput, TooLarge
from bethink.settings import LimitSettings
from bethink.shapes.fields import is_storable
from bethink.testing import HashEmbedder
from tests.opened import Home, texts

LIMIT = LimitSettings().content_chars

# A text, and a query of some of its words.
FOUND = [
    ("我的备用钥匙在蓝色花盆下面", "备用钥匙"),
    ("他住在北京的胡同里", "京"),
    ("東京タワーの近くに住んでいます", "タワー"),
    ("猫の名前はミケです", "ミケ"),
    ("고양이 이름은 나비입니다", "나비"),
    ("القطة تنام على الأريكة", "الأريكة"),
    ("Кошка спит на диване", "кошки"),
    ("แมวนอนอยู่บนโซฟา", "โซฟา"),
    ("बिल्ली सोफे पर सोती है", "बिल्ली"),
    ("החתול ישן על הספה", "הספה"),
    ("Η γάτα κοιμάται στον καναπέ", "καναπές"),
    ("Die Straßenbahn hält vor dem Café Österreich", "osterreich strassenbahn"),
    ("party 🎉 on friday 👩‍👩‍👧‍👦", "🎉"),
    ("the flag 🇫🇷 of the visitors", "🇫🇷"),
    ("Zażółć gęślą jaźń", "zazolc"),
    ('she said "never again" twice', '"never again"'),
    ("it's the dog's bowl", "dog's"),
    ("the file is called my-notes_v2.final.txt", "my-notes_v2.final.txt"),
    ("C++ and C# are not C", "c++"),
    ("100% of 50_000 users \\ backslash", "50_000"),
    ("a AND b OR c NOT d NEAR(e, 5)", "NEAR"),
    ("col:value ^start end$ {brace}", "col:value"),
    ("wild* card?", "wild*"),
    ("Robert'); DROP TABLE memories;--", "'); DROP TABLE memories;--"),
    ("%s %(name)s :id ::int $1 {where}", "%(name)s"),
    ("tab\tand\r\nnewlines\n\nhere", "newlines"),
    ("e\u0301clair with a combining accent", "éclair"),
    ("\u202eright to left override\u202c here", "override"),
    ("zero\u200bwidth \ufeffmark", "zero"),
    ("ﬁne ligature Ｆｕｌｌｗｉｄｔｈ", "fine fullwidth"),
    ("mathematical 𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "unicode"),
    ("private \U0010fffd use \ue000", "private"),
    ("https://example.org/a?b=c&d=%20#x", "https://example.org/a?b=c"),
    ("ann@example.org", "ann@example.org"),
]
FILLER = [{"content": f"filler number {number}"} for number in range(8)]
QUERIES = [
    "", " ", "\n\t", "-", "*", '"', "'", '"""', "NEAR", "NEAR(", "AND OR NOT", "a AND", "NOT a",
    '"unclosed', "(", ")", "a*", "^a", "a:b", "{a b}", "- -", "+", "\\", "%", "_", "?", ";", "--", "/*",
    "'; DROP TABLE memories; --", "$1", ":id", "%s", "%(x)s", "{where}", "IN_LIST(:ids)", "!@#$%^&*()",
    "\u0001\u007f", "\ufffe", "🙂", "\u200d", "\u0301",
    "\U0010ffff", "a" * 20_000, "word " * 4000, "猫" * 5000, "\u0301" * 5000, "x\u200b" * 300, "&|!<->:*",
]  # fmt: skip


@pytest.mark.parametrize(("text", "query"), FOUND, ids=[text[:12] for text, _ in FOUND])
async def test_a_text_comes_back_as_it_was_and_is_found_by_its_words(
    home: Home, text: str, query: str
) -> None:
    async with home.memory(embed={"source": "none"}) as memory:
        await memory.remember_many(FILLER)
        known = await memory.remember(
            text, title=text, key=text, tags=[text], category=text, metadata={text: text}
        )
        assert known.memory == await memory.get(known.id)
        assert (known.memory.content, known.memory.metadata) == (text, {text: text})
        await memory.observe(text, [{"content": text, "name": text, "id": text}])
        await memory.facts.set(text, text, text)
        for layer in ("memory", "message", "fact"):
            hits = (await memory.recall(query, layers=[layer], limit=1)).hits
            assert [text in hit.text for hit in hits] == [True], layer
            assert hits[0].terms is not None
        assert (await memory.remember("new", key=text)).id == known.id
        assert [kept.id for kept in await memory.list(tags=[text], categories=[text])] == [known.id]
        assert [message.content for message in await memory.messages.of(text)] == [text]
        fact = await memory.facts.get(text, text)
        assert fact is not None
        assert fact.value == text


async def test_any_query_is_answered(memory: AsyncBethink) -> None:
    await memory.remember_many([*FILLER, *({"content": text} for text, _ in FOUND)])
    await memory.settle()
    for query in QUERIES:
        for strategy in ("hybrid", "semantic", "recent"):
            result = await memory.recall(query, strategy=strategy)
            assert result.degraded == [], query


@pytest.mark.parametrize("bad", ["a\0b", "\0", "\ud800", "x\udfffy"])
async def test_what_no_database_can_keep_is_refused_by_name(memory: AsyncBethink, bad: str) -> None:
    known = await memory.remember("fine")
    calls: list[tuple[Any, str]] = [
        (memory.remember(bad), "content"),
        (memory.remember("x", title=bad), "title"),
        (memory.remember("x", key=bad), "key"),
        (memory.remember("x", tags=[bad]), "tags.0"),
        (memory.remember("x", metadata={"a": [bad]}), "metadata"),
        (memory.update(known.id, content=bad), "content"),
        (memory.observe("chat", [{"content": bad}]), "messages.0.content"),
        (memory.observe("chat", [{"content": "x", "name": bad}]), "messages.0.name"),
        (memory.observe(bad, [{"content": "x"}]), "session"),
        (memory.facts.set("a", "b", bad), "value"),
        (memory.facts.set("a", bad, "c"), "key"),
        (memory.facts.get("a", bad), "key"),
        (memory.recall(bad), "query"),
        (memory.recall("x", tags=[bad]), "tags.0"),
        (memory.list(categories=[bad]), "categories.0"),
        (memory.space(bad).list(), "space"),
    ]
    for call, field in calls:
        with pytest.raises(InvalidInput) as caught:
            await call
        assert caught.value.field == field
        assert caught.value.message.isprintable()
    assert await memory.count() == 1


@pytest.mark.parametrize("unit", ["word another ", "猫が好き", "\u0301"], ids=ascii)
async def test_a_megabyte_is_stored_and_found_and_one_character_more_is_refused(
    home: Home, unit: str
) -> None:
    text = ("Oscar the cat " + unit * LIMIT)[:LIMIT]
    async with home.memory() as memory:
        await memory.remember_many(FILLER)
        known = await memory.remember(text)
        assert (await memory.get(known.id)).content == text
        found = await memory.recall("Oscar the cat", limit=1)
        assert (found.hits[0].id, found.degraded) == (known.id, [])
        with pytest.raises(TooLarge, match="content: 1,000,001 is over the limit of 1,000,000") as caught:
            await memory.remember(text + "x")
        assert caught.value.field == "content"


async def test_a_megabyte_of_different_words_is_found_by_those_it_begins_with(memory: AsyncBethink) -> None:
    text = " ".join(f"word{number}" for number in range(110_000))[:LIMIT]
    await memory.remember_many(FILLER)
    await memory.observe("chat", [{"content": text}])
    assert (await memory.recall("word42", limit=1)).hits[0].text == text


@pytest.fixture(scope="module")
def in_memory() -> Iterator[Bethink]:
    with Bethink(":memory:", embedder=HashEmbedder(), recall={"few_memories": 0}) as memory:
        yield memory


ANY_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1).filter(
    str.strip
)


def round_trip(memory: Bethink, text: str, query: str) -> None:
    known = memory.remember(text, metadata={"text": text})
    assert memory.get(known.id).content == text
    assert memory.get(known.id).metadata == {"text": text}
    for asked in (query, text):
        result = memory.recall(asked)
        assert result.degraded in (
            [],
            ["some records still await their vectors and are found by keywords only"],
        )
    memory.forget(known.id)


@given(ANY_TEXT, st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
@settings(max_examples=200)
def test_any_text_comes_back_and_any_query_is_answered(in_memory: Bethink, text: str, query: str) -> None:
    round_trip(in_memory, text, query)


@given(ANY_TEXT, ANY_TEXT)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_comes_back_from_postgresql_too(spaces_postgres_url: str, text: str, query: str) -> None:
    async def once() -> None:
        async with Home(spaces_postgres_url).memory() as memory:
            known = await memory.remember(text, metadata={"text": text})
            assert await memory.get(known.id) == known.memory
            assert texts(await memory.recall(text)) == [text]
            assert (await memory.recall(query)).degraded == []

    asyncio.run(once())


@given(st.text(st.characters()))
def test_a_text_is_stored_or_refused_and_nothing_else(in_memory: Bethink, text: str) -> None:
    if text.strip() and is_storable(text):
        assert in_memory.forget(in_memory.remember(text).id)[0].content == text
    else:
        with pytest.raises(InvalidInput, match=r"^content: "):
            in_memory.remember(text)
