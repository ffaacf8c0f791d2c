from __future__ import annotations

import pytest

from bethink.extraction.patterns import Category, extract
from bethink.extraction.patterns.languages import languages

PREFERENCE, DECISION, HABIT = Category.PREFERENCE, Category.DECISION, Category.HABIT
IDENTITY, CORRECTION, EXPLICIT = Category.IDENTITY, Category.CORRECTION, Category.EXPLICIT


@pytest.mark.parametrize(
    ("text", "category", "key", "negated"),
    [
        ("Me llamo Lucía.", IDENTITY, "identity:name", False),
        ("Vivo en Sevilla desde hace tres años.", IDENTITY, "identity:home", False),
        ("soy alergico a los mariscos", IDENTITY, "identity:allergy:marisco", False),
        ("El cumpleaños de mi hija es el 4 de mayo.", IDENTITY, "identity:daughter:birthday", False),
        ("Prefiero el té al café.", PREFERENCE, "preference:té_al_café", False),
        ("No me gusta el picante.", PREFERENCE, "preference:picante", True),
        ("He decidido dejar de fumar.", DECISION, "decision:dejar_de_fumar", False),
        ("Normalmente trabajo desde casa.", HABIT, "habit:trabajo_desde_casa", False),
        ("nunca bebo alcohol", HABIT, "habit:bebo_alcohol", True),
        ("No, quería decir el martes, no el miércoles.", CORRECTION, "correction:martes", False),
        (
            "Ten en cuenta que el alquiler se paga el día 5",
            EXPLICIT,
            "explicit:alquiler_se_paga_el_día_5",
            False,
        ),
        ("Ich heiße Sabine.", IDENTITY, "identity:name", False),
        ("Ich wohne in Leipzig und suche einen Chor.", IDENTITY, "identity:home", False),
        ("Ich bin allergisch gegen Haselnüsse.", IDENTITY, "identity:allergy:haselnuss", False),
        ("Meine Tochter hat am 3. Juni Geburtstag.", IDENTITY, "identity:daughter:birthday", False),
        ("Ich trinke lieber Tee als Kaffee.", PREFERENCE, "preference:trinke_lieber_tee_als_kaffee", False),
        ("Horrorfilme kann ich nicht ausstehen", PREFERENCE, "preference:horrorfilme", True),
        ("Wir haben uns für Svelte entschieden.", DECISION, "decision:svelte", False),
        ("Normalerweise stehe ich um sechs auf.", HABIT, "habit:stehe_ich_um_sechs_auf", False),
        (
            "Nein, ich meinte Frankfurt an der Oder, nicht am Main.",
            CORRECTION,
            "correction:frankfurt_an_der_oder",
            False,
        ),
        (
            "Merk dir bitte: die Tonnen kommen dienstags raus.",
            EXPLICIT,
            "explicit:tonnen_kommen_dienstags_raus",
            False,
        ),
        ("Je m'appelle Camille.", IDENTITY, "identity:name", False),
        ("J'habite à Nantes depuis 2018.", IDENTITY, "identity:home", False),
        ("Je suis allergique aux arachides.", IDENTITY, "identity:allergy:arachid", False),
        ("L'anniversaire de mon fils est le 21 mars.", IDENTITY, "identity:son:birthday", False),
        ("Je préfère le train à l'avion.", PREFERENCE, "preference:train_à_l_avion", False),
        ("Je n'aime pas les champignons.", PREFERENCE, "preference:champignons", True),
        ("On a décidé de partir en Écosse.", DECISION, "decision:partir_en_écosse", False),
        ("je ne bois jamais d'alcool", HABIT, "habit:bois_jamais_d_alcool", True),
        ("En fait c'est 250 g de farine, pas 150.", CORRECTION, "correction:250_g_de_farine", False),
        ("N'oublie pas que Léa a danse le mercredi.", EXPLICIT, "explicit:léa_a_danse_le_mercredi", False),
        ("Chamo-me Abílio.", IDENTITY, "identity:name", False),
        ("Moro em Braga há dois anos.", IDENTITY, "identity:home", False),
        ("Sou alérgica a amendoim.", IDENTITY, "identity:allergy:amendoin", False),
        ("Não gosto de café.", PREFERENCE, "preference:café", True),
        ("Decidi usar PostgreSQL.", DECISION, "decision:usar_postgresql", False),
        ("Costumo acordar às seis.", HABIT, "habit:acordar_às_seis", False),
        ("Queria dizer Porto, não Lisboa.", CORRECTION, "correction:porto", False),
        ("Lembra-te que a renda se paga no dia 5", EXPLICIT, "explicit:renda_se_paga_no_dia_5", False),
        ("我叫王芳。", IDENTITY, "identity:name", False),
        ("我住在成都，周末去哪里玩？", IDENTITY, "identity:home", False),
        ("我对花生过敏。", IDENTITY, "identity:allergy:花生", False),
        ("我女儿的生日是6月3日。", IDENTITY, "identity:daughter:birthday", False),
        ("我喜欢吃辣的", PREFERENCE, "preference:辣", False),
        ("我不喜欢香菜", PREFERENCE, "preference:香菜", True),
        ("我们决定用 PostgreSQL。", DECISION, "decision:postgresql", False),
        ("我每天早上跑步五公里。", HABIT, "habit:每天早上跑步五公里", False),
        ("不对，是周二，不是周三。", CORRECTION, "correction:周二", False),
        ("别忘了妈妈周四要复查。", EXPLICIT, "explicit:妈妈周四要复查", False),
    ],
)
def test_the_same_kinds_of_statement_are_found(
    text: str, category: Category, key: str, negated: bool
) -> None:
    (found,) = extract(text)
    assert (found.category, found.key, found.negated) == (category, key, negated)


@pytest.mark.parametrize(
    "text",
    [
        "Si viviera en Madrid, ¿cuánto pagaría?",
        "Mi jefe dice que me gusta discutir.",
        "Traduce al inglés: me llamo Julia y vivo en Valencia",
        "Ella contó: «Nunca como carne»",
        "Wenn ich in Hamburg wohnen würde, wie teuer wäre das?",
        "Mein Chef meint, ich arbeite zu langsam.",
        "Stell dir vor, ich wohne auf dem Mars. Ich mag Staub.",
        "„Ich trinke nie Alkohol“, sagte er.",
        "ich bekomme immer einen Fehler",
        "Si j'habitais à Marseille, quel bus prendre ?",
        "Imagine que je suis astronaute et que je vis sur Mars.",
        "Traduis : je m'appelle Hugo et j'adore le fromage",
        "je préfère la première version",
        "如果我住在上海，房租多少？",
        "我老板说我喜欢拖延",
        "他说：“我从不喝酒。”",
        "把这句话翻译成英文：我叫小明，我喜欢踢足球。",
        "我更喜欢第二个方案",
        "我叫什么？",
    ],
)
def test_what_is_not_the_users_own_statement_is_left_out(text: str) -> None:
    assert extract(text) == []


def test_different_statements_in_chinese_never_share_a_key() -> None:
    texts = ["我喜欢茶", "我喜欢咖啡", "我喜欢猫", "我讨厌早起", "我喜欢 C++", "我喜欢 C#"]
    assert len({one.key for text in texts for one in extract(text)}) == len(texts)


def test_subjects_and_attributes_are_the_same_words_in_every_language() -> None:
    texts = [
        "My daughter is called Mia",
        "Mi hija se llama Mia",
        "Meine Tochter heißt Mia",
        "Ma fille s'appelle Mia",
    ]
    assert {one.key for text in texts for one in extract(text)} == {"identity:daughter:name:mia"}


def test_the_language_can_be_given() -> None:
    assert extract("I live in Rome", language="de") == []
    assert extract("I live in Rome", language="xx") == []
    assert [one.value for one in extract("I live in Rome", language="en")] == ["Rome"]


@pytest.mark.parametrize(
    "text",
    [
        "私は東京に住んでいます。",
        "Я живу в Москве.",
        "나는 서울에 살아요",
        "Abito a Roma e mi piace il caffè della mia città.",
    ],
)
def test_a_language_without_rules_gives_nothing(text: str) -> None:
    assert extract(text) == []


def test_there_is_a_file_for_each_language_we_promise() -> None:
    assert set(languages()) == {"en", "es", "de", "fr", "pt", "zh"}
