from __future__ import annotations

import pytest

from bethink.extraction.patterns import Category, Found, extract
from bethink.records import MemoryType


def only(text: str) -> Found:
    (found,) = extract(text)
    return found


def test_each_statement_of_a_message_is_one_memory() -> None:
    found = extract(
        "I prefer TypeScript. I'll use Postgres for this project. I always commit before pushing. "
        "I don't like Python."
    )
    assert [(one.key, one.type, one.content, one.negated) for one in found] == [
        ("preference:typescript", MemoryType.FACTUAL, "I prefer TypeScript", False),
        (
            "decision:postgres_for_this_project",
            MemoryType.EPISODIC,
            "I'll use Postgres for this project",
            False,
        ),
        ("habit:commit_before_pushing", MemoryType.FACTUAL, "I always commit before pushing", False),
        ("preference:python", MemoryType.FACTUAL, "I don't like Python", True),
    ]


@pytest.mark.parametrize(
    ("text", "subject", "attribute", "value"),
    [
        ("My name is Priya.", None, "name", "Priya"),
        ("call me Sam please", None, "name", "Sam"),
        ("I live in Porto now, not Lisbon", None, "home", "Porto"),
        ("We moved from the U.S. to Ireland in 2021.", None, "home", "Ireland"),
        ("I work as a paramedic, so my sleep is a mess", None, "job", "paramedic"),
        ("I work at a small bakery in Ghent", None, "employer", "small bakery in Ghent"),
        ("I'm allergic to peanuts, shellfish and cats.", None, "allergy", "peanuts, shellfish and cats"),
        ("I'm lactose intolerant, any ideas?", None, "intolerance", "lactose intolerant"),
        ("I'm vegetarian", None, "diet", "vegetarian"),
        ("I'm 34 years old", None, "age", "34"),
        ("I was born on 12 April 1987", None, "birthday", "12 April 1987"),
        ("My daughter's birthday is June 3rd.", "daughter", "birthday", "June 3rd"),
        ("my wife is called Ingrid", "wife", "name", "Ingrid"),
        ("My dog's name is Waffles.", "dog", "name", "Waffles"),
        ("My email is lena@example.org", None, "email", "lena@example.org"),
        ("My favourite colour is teal", None, "favourite colour", "teal"),
    ],
)
def test_a_clear_fact_has_its_attribute_and_value(
    text: str, subject: str | None, attribute: str, value: str
) -> None:
    found = only(text)
    assert (found.subject, found.attribute, found.value) == (subject, attribute, value)


def test_a_new_value_of_the_same_attribute_has_the_same_key() -> None:
    assert only("I live in Lisbon").key == only("Actually I moved to Porto").key == "identity:home"
    assert only("I'm vegetarian").key == only("I'm not vegetarian anymore").key


def test_values_that_stand_beside_each_other_have_keys_of_their_own() -> None:
    assert only("I'm allergic to nuts").key != only("I'm allergic to pollen").key
    assert only("My daughter is called Mia").key != only("My daughter is called Ida").key


@pytest.mark.parametrize(
    "text",
    [
        "I don't like Python",
        "I hate mushrooms",
        "I can't stand horror movies",
        "I'm not a fan of beaches",
        "I never drink alcohol",
        "We decided against the master's degree",
        "I'm no longer vegan",
        "I don't have any allergies",
    ],
)
def test_negation_is_kept_in_the_words_and_in_the_flag(text: str) -> None:
    found = only(text)
    assert found.negated
    assert found.content == text


@pytest.mark.parametrize(
    ("text", "value", "replaces"),
    [
        ("Actually, it's Tuesday, not Wednesday.", "Tuesday", "Wednesday"),
        ("Actually, not Lisbon but Porto", "Porto", "Lisbon"),
        (
            "No, I meant Springfield in Illinois, not Missouri.",
            "Springfield in Illinois",
            "Missouri",
        ),
        ("Correction: the meeting is at 15:00, not 14:00.", "at 15:00", "14:00"),
    ],
)
def test_a_correction_says_what_is_right_and_what_was_wrong(text: str, value: str, replaces: str) -> None:
    found = only(text)
    assert (found.category, found.value, found.replaces) == (Category.CORRECTION, value, replaces)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Remember that the plumber comes on Friday.", "the plumber comes on Friday"),
        ("please remember: rent is due on the 3rd", "rent is due on the 3rd"),
        ("Note that our fiscal year starts in April.", "our fiscal year starts in April"),
        ("Don't forget that Mia has piano on Thursdays.", "Mia has piano on Thursdays"),
        ("Can you remember that my car is due in November?", "my car is due in November"),
    ],
)
def test_what_the_user_asks_to_remember_is_kept_as_it_stands(text: str, content: str) -> None:
    found = only(text)
    assert (found.category, found.content, found.explicit) == (Category.EXPLICIT, content, True)


def test_a_fact_has_the_same_key_whether_or_not_it_was_asked_to_be_remembered() -> None:
    asked, told = only("Remember that I'm allergic to penicillin."), only("I'm allergic to penicillin.")
    assert asked.key == told.key
    assert (asked.explicit, told.explicit) == (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "If I lived in Berlin, how much rent would I pay?",
        "Imagine I'm a pirate. I live on a ship. I hate the sea.",
        "Suppose I prefer cash over stocks.",
        "I would prefer it if you wrote less",
        "Should I use Postgres?",
        "Do you like jazz?",
        "My boss says I like to micromanage.",
        "My boss said, I always arrive late",
        'In the book she says "I live in Prague and I hate winter".',
        "She said, 'I never eat meat', and left",
        "Translate to French: I live in a small house and I love my dog.",
        "Correct this text:\n\nI live in Rome. I love pasta.",
        "I love pasta. I live in Rome.\n\nTranslate this into German",
        "> I prefer email\n\nthanks",
        "```\nI prefer tabs\n```",
        "Here it is:\n\n    I prefer tabs = True\n",
        "Anna: I live in Prague\nBen: I hate winter",
        "-----Original Message-----\nI live in Rome.",
        "2024-03-11 09:14:22 ERROR - I will use the fallback queue",
        "## Relevant Memory\n- I prefer oat milk\n\nok",
        "<bethink-memory>\nI prefer oat milk\n</bethink-memory>",
        "Oh great, I just LOVE when the build breaks.",
        "i always get a 502 when i deploy",
        "I like the second option better",
        "I love it, thanks!",
        "I'll use it tomorrow",
        "Could you remember to add the imports?",
        "don't forget the semicolon",
        "I'm tired",
        "I have a question",
    ],
)
def test_what_is_not_the_users_own_statement_is_left_out(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("I like Dr. Pepper, but not Coke.", ["I like Dr. Pepper, but not Coke"]),
        ("my favourite author is ursula k. le guin", ["my favourite author is ursula k. le guin"]),
        ("I prefer 3.5 mm screws. I hate glue.", ["I prefer 3.5 mm screws", "I hate glue"]),
        (
            "I love hiking in the Alps, and I'm not a fan of beaches.",
            ["I love hiking in the Alps", "I'm not a fan of beaches"],
        ),
        (
            "Some context:\n- I'm a freelance illustrator\n- I live in Montréal\n* I prefer working at night",
            ["I'm a freelance illustrator", "I live in Montréal", "I prefer working at night"],
        ),
        ("btw i hate mushrooms so leave them out", ["i hate mushrooms"]),
        ("I'm  vegan\tsince 2019, what should I eat?", ["I'm vegan since 2019"]),
        (
            "We prefer meetings that are short and start on time, without any of the\nusual slides.",
            ["We prefer meetings that are short and start on time, without any of the usual slides"],
        ),
    ],
)
def test_clauses_end_where_the_statement_ends(text: str, contents: list[str]) -> None:
    assert [one.content for one in extract(text)] == contents


def test_the_fact_in_the_middle_of_a_long_message_is_found_alone() -> None:
    found = only(
        "The landlord wants to raise the rent by 12%. I live in Zurich, in case that matters legally. "
        "He sent the letter on the 4th. What are my options?"
    )
    assert found.content == "I live in Zurich"


def test_quoted_names_stay_in_the_words() -> None:
    assert only('I\'m a fan of "Home Alone" and of jazz').content == 'I\'m a fan of "Home Alone" and of jazz'


def test_nothing_that_holds_a_secret_is_returned() -> None:
    found = extract("Remember that my wifi password is Tr0ub4dor&3. I live in Dublin.")
    assert [one.content for one in found] == ["I live in Dublin"]


def test_of_two_statements_with_one_key_the_later_counts() -> None:
    assert only("I live in Lisbon. Sorry, I live in Porto.").value == "Porto"
