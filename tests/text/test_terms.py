from __future__ import annotations

import re
import sqlite3
import string
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.terms import LONGEST_TERM, analyse, query_terms

HOSTILE = st.text(st.characters())  # lone surrogates and unassigned characters too
MIXED = st.lists(
    st.one_of(
        st.text(st.characters(), max_size=8),
        st.text(string.ascii_letters + string.digits + "_-.'/:@?=&#%~+\\,", max_size=12),
        st.text("猫日本語のはカ고양이แมวข้าว🍕👩\u200d💻🇺🇸e\u0301éßİﬁ", max_size=8),
        st.sampled_from(["the", "und", "que", "NEAR", "getUserName", "C++", "#tag", "1,000", "v1.2.3"]),
    )
).map(" ".join)
TERM = re.compile(r"(?:[0-9a-z]|[^\x00-\x7f\ud800-\udfff])+")


def found(query: str, document: str) -> bool:
    return not set(query_terms(query)).isdisjoint(analyse(document))


def test_terms_keep_order_and_repeats() -> None:
    assert analyse("The cats saw the cat.") == ["the", "cat", "saw", "the", "cat"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Caroline's", "Caroline"),
        ("Caroline’s", "caroline"),
        ("DON’T", "dont"),
        ("we'll", "WE"),
        ("café", "CAFE"),
        ("cafe\u0301", "café"),
        ("Ｆｕｌｌ", "full"),
        ("ﬁne", "fine"),
        ("Straße", "STRASSE"),
        ("Łódź", "lodz"),
        ("İstanbul", "istanbul"),
        ("running", "runs"),
        ("PDFs", "pdf"),
        ("07", "7"),
        ("1,250,000", "1250000"),
        ("٢٠٢٤", "2024"),
        ("Ёлка", "елка"),
        ("за́мок", "замок"),
        ("кошки", "кошка"),
        ("أحمد", "احمد"),
        ("كِتَاب", "الكتاب"),
        ("Γάτες", "γατα"),
        ("बिल्लियाँ", "बिल्ली"),
        ("שָׁלוֹם", "שלום"),
        ("❤️", "❤"),
        ("👍🏽", "👍"),
        ("soft\u00adhyphen", "softhyphen"),
    ],
)
def test_spellings_of_one_word_are_one_term(one: str, other: str) -> None:
    assert analyse(one) == analyse(other)
    assert len(analyse(one)) == 1


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("name", "call get_user_name here"),
        ("getUserName", "call get_user_name here"),
        ("getusername", "call getUserName here"),
        ("server", "the HTTPServer class"),
        ("foobar", "a foo-bar thing"),
        ("email", "send an e-mail"),
        ("brien", "Mr O'Brien"),
        ("obrien", "Mr O'Brien"),
        ("amour", "l'amour"),
        ("v1.2.3", "released 1.2.3 today"),
        ("example.com", "write to user@example.com, please"),
        ("user@example.com", "write to <user@example.com>."),
        ("example.com", "see https://example.com/docs/intro?page=2#top"),
        ("intro", "see https://example.com/docs/intro?page=2#top"),
        ("terms.py", "edit src/bethink/text/terms.py"),
        ("tag", "filed under #tag"),
        ("bob", "ask @bob"),
        ("10 km", "ran 10km"),
        ("iPhone 15", "an iPhone15"),
        ("May 7", "on the 7th of April"),
        ("🍕", "lunch: 🍕🥗"),
        ("💻", "👩‍💻"),
        ("🇫🇷", "🇺🇸🇫🇷"),
        ("€", "it cost €50"),
        ("猫", "我喜欢猫"),
        ("我喜欢猫吗", "她的猫叫咪咪"),
        ("猫の名前は何ですか", "うちの猫はタマです"),
        ("ラーメン", "昨日ラーメンを食べた"),
        ("고양이", "우리 고양이가 잔다"),
        ("집", "집에 갔다"),
        ("ข้าว", "แมวกินข้าว"),
        ("ແມວ", "ຂ້ອຍມີແມວ"),
        ("បាយ", "ខ្ញុំញ៉ាំបាយ"),
        ("ထမင်း", "ကျွန်တော်ထမင်းစားတယ်"),
        ("какая кошка", "две кошки"),
        ("كتاب", "قرأت الكتاب"),
        ("¿dónde le gusta correr?", "ayer estaba corriendo en el parque"),
        ("correr", "me gusta correr"),
        ("wo sind die Häuser", "das Haus steht in der Stadt"),
    ],
)
def test_a_query_finds_the_document(query: str, document: str) -> None:
    assert found(query, document)


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("1.23", "version 12.3"),
        ("🇫🇷", "🇺🇸🇬🇧"),
        ("猫", "我喜欢狗"),
        ("cat", "concatenate"),
        ("ไก่", "แมวกินข้าว"),
    ],
)
def test_a_query_does_not_find_what_only_looks_alike(query: str, document: str) -> None:
    assert not found(query, document)


def test_the_whole_of_an_identifier_is_rarer_than_its_parts() -> None:
    exact, parts = analyse("get_user_name"), analyse("name of the user to get")
    wanted = set(query_terms("getUserName"))
    assert len(wanted.intersection(exact)) > len(wanted.intersection(parts))
    for name in ("C++", "C#", "#tag", "@bob"):
        assert len(set(query_terms(name)).intersection(analyse(name))) > len(
            set(query_terms(name)).intersection(analyse(name.strip("+#@")))
        )


def test_encoded_data_is_one_term() -> None:
    assert len(analyse("aGVsbG8gd29ybGQ" * 50)) == 1


def test_nothing_to_look_for() -> None:
    for text in ("", "   ", "?!…", "—", "\0\x01", "\u200b", "\ud800", '"" ()'):
        assert analyse(text) == []
        assert query_terms(text) == []


def test_common_words_are_left_out_of_a_query() -> None:
    assert query_terms("What is the name of Caroline's dog?") == ["name", "carolin", "dog"]
    assert query_terms("what does she do about it") == analyse("what does she do about it")
    assert query_terms("to be or not to be") == ["to", "be", "or", "not"]


@pytest.mark.parametrize(
    ("query", "telling"),
    [
        ("¿Dónde está la casa de mi hermana?", "casa hermana"),
        ("Wo wohnt die Schwester von Anna?", "wohnt Schwester Anna"),
        ("Où est la maison de ma mère ?", "maison mère"),
        ("Dove abita il fratello di Anna?", "abita fratello Anna"),
        ("Onde fica a escola do meu irmão?", "fica escola irmão"),
        ("Waar woont de zus van Anna?", "woont zus Anna"),
        ("Где живёт сестра Анны?", "живёт сестра Анны"),
        ("Πού είναι η γάτα μου;", "γάτα"),
        ("ما هو اسم القطة", "اسم القطة"),
        ("मेरी बिल्ली कहाँ है", "बिल्ली"),
        ("나는 어디 고양이", "고양이"),
    ],
)
def test_common_words_of_other_languages(query: str, telling: str) -> None:
    common = set(query.split()) - set(telling.split())
    assert set(analyse(telling)) <= set(query_terms(query))
    assert set(query_terms(query)).isdisjoint(
        analyse(" ".join(c for c in common if c.strip("?") not in telling))
    )


def test_common_pairs_of_chinese() -> None:
    assert query_terms("我的猫叫什么") == ["的猫", "猫", "猫叫", "叫", "叫什"]


@pytest.mark.parametrize(
    "query", ["die hard", "old war hat", "sin and war", "todo list", "van Gogh", "plus size", "Los Angeles"]
)
def test_words_that_are_common_only_elsewhere_stay(query: str) -> None:
    assert set(query_terms(query)) == set(analyse(query)) - {"and"}


def test_a_month_is_not_the_verb() -> None:
    assert "may" in query_terms("What happened in May 2023?")
    assert "may" not in query_terms("What may happen?")
    assert "will" in query_terms("When did Will call?")
    assert "will" not in query_terms("When will Anna call?")


def test_query_terms_are_distinct_and_limited() -> None:
    assert query_terms("pizza pizza Pizzas") == ["pizza"]
    many = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}x" for n in range(100))
    assert query_terms(many) == analyse(many)[:32]
    assert query_terms(many, limit=3) == analyse(many)[:3]
    assert query_terms(many, limit=0) == []


def test_a_long_chinese_query_prefers_pairs() -> None:
    terms = query_terms("昨天晚上公司楼下餐厅朋友聚餐喝酒聊天唱歌跳舞回家睡觉", limit=20)
    assert len(terms) == 20
    assert all(len(term) == 2 for term in terms)


@pytest.mark.parametrize(
    "text",
    [
        '"quoted" -minus star* NEAR(a, b) AND OR NOT',
        "body:secret ^first {a b}",
        "a' & !b | c <-> d:*",
        "x\0y\\ 'z'",
    ],
)
def test_terms_need_no_quoting_in_full_text_search(text: str) -> None:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE entry USING fts5(body, tokenize='ascii')")
    database.execute("INSERT INTO entry(body) VALUES (?)", (" ".join(analyse(text)),))
    for term in query_terms(text):
        assert database.execute(
            "SELECT count(*) FROM entry WHERE entry MATCH ?", (f'"{term}"',)
        ).fetchone() == (1,)
    database.close()


def test_every_term_is_one_token_of_the_index() -> None:
    text = "C++ #tag v1.2.3 猫の名前 고양이 แมว 🍕 🇫🇷 кошки €5 l'été user@example.com"
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE entry USING fts5(body, tokenize='ascii')")
    database.execute("CREATE VIRTUAL TABLE token USING fts5vocab(entry, 'row')")
    database.execute("INSERT INTO entry(body) VALUES (?)", (" ".join(analyse(text)),))
    assert {term for (term,) in database.execute("SELECT term FROM token")} == set(analyse(text))
    database.close()


def test_threads_agree() -> None:
    """The words are too long to be remembered, so that every call stems them."""
    texts = [
        f"{'un' * 12}{letter}nesses {'при' * 9}{other}ками"
        for letter in string.ascii_lowercase
        for other in "бвгд"
    ]
    expected = [analyse(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(analyse, texts * 10)) == expected * 10


@given(st.one_of(HOSTILE, MIXED))
def test_any_text_gives_clean_terms(text: str) -> None:
    for term in analyse(text):
        assert TERM.fullmatch(term)
        assert len(term) <= LONGEST_TERM
        term.encode()


@given(st.one_of(HOSTILE, MIXED), st.integers(0, 40))
def test_query_terms_are_among_the_documents(text: str, limit: int) -> None:
    terms = query_terms(text, limit)
    assert len(terms) == len(set(terms)) <= limit
    assert set(terms) <= set(analyse(text))
    assert bool(terms) == bool(limit and analyse(text))


@given(st.lists(MIXED, min_size=1, max_size=5).map(" ".join), st.data())
def test_any_word_of_a_document_finds_it(document: str, data: st.DataObject) -> None:
    words = document.split() or [""]
    word = data.draw(st.sampled_from(words))
    if query_terms(word):
        assert found(word, document)


@given(st.text(string.ascii_letters + "éüñçåßøлжёγάअكت", min_size=1, max_size=20))
def test_case_does_not_matter_in_a_plain_word(word: str) -> None:
    plain = word.casefold()
    assert analyse(plain) == analyse(plain.capitalize())
