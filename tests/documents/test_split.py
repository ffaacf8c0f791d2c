from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bethink.documents.blocks import Block
from bethink.documents.split import OVERLAP, TARGET, split

WORDS = st.lists(st.sampled_from(["leave", "days.", "有三十天。", "a", "\n", "x" * 90, "30 | 5"]), min_size=1)
BLOCKS = st.lists(
    st.builds(
        Block,
        text=st.builds(" ".join, WORDS),
        kind=st.sampled_from(["text", "text", "heading", "header", "row", "row"]),
        level=st.integers(1, 6),
        part=st.sampled_from(["page", "slide"]),
        page=st.integers(1, 3),
    ),
    max_size=20,
)


def whole(blocks: list[Block]) -> str:
    """The text that passages are pieces of."""
    said = [one._replace(text=one.text.strip()) for one in blocks if one.text.strip()]
    return "".join(
        f"{'#' * one.level + ' ' if one.kind == 'heading' else ''}{one.text}"
        + ("\n" if one.kind in ("row", "header") else "\n\n")
        for one in said
    )


@given(BLOCKS)
def test_passages_are_the_whole_text_in_order(blocks: list[Block]) -> None:
    text, at = whole(blocks), 0
    for piece in split(blocks):
        assert piece.text[piece.repeated :] == text[piece.first : piece.last]
        assert at - OVERLAP <= piece.first <= at < piece.last
        assert len(piece.text) <= TARGET
        at = piece.last
    assert at == len(text)


def test_a_passage_knows_its_headings_and_its_page() -> None:
    blocks = [
        Block("Handbook", "heading", 1, "page", 1),
        Block("Leave", "heading", 2, "page", 2),
        Block("Everybody has thirty days. " * 20, "text", 0, "page", 2),
        Block("Pay", "heading", 2, "page", 3),
        Block("It comes on the last day of a month. " * 40, "text", 0, "page", 3),
    ]
    pieces = list(split(blocks))
    assert [(piece.title, piece.page) for piece in pieces] == [
        ("Handbook > Leave", 1), ("Handbook > Pay", 3), ("Handbook > Pay", 3),
    ]  # fmt: skip


def test_a_long_text_is_cut_between_sentences_and_what_was_said_last_is_said_again() -> None:
    sentences = [f"Sentence number {number} of a long text is here." for number in range(60)]
    pieces = list(split([Block(" ".join(sentences))]))
    assert len(pieces) > 2
    for before, after in pairwise(pieces):
        shared = before.text[after.first - before.first :]
        assert 50 < len(shared) <= OVERLAP
        assert after.text.startswith("Sentence number")
        assert before.text.rstrip().endswith("is here.")


def test_every_piece_of_a_table_begins_with_its_header() -> None:
    rows = [Block(f"Item {number} | {number * 3}", "row") for number in range(200)]
    pieces = list(split([Block("Name | Price", "header"), *rows, Block("That is all of it.")]))
    assert len(pieces) > 3
    assert all(piece.text.startswith("Name | Price\n") for piece in pieces[:-1])
    assert pieces[-1].text == "That is all of it.\n\n"


def test_slides_are_not_mixed() -> None:
    pieces = list(split([Block("One", part="slide", page=1), Block("Two", part="slide", page=2)]))
    assert [(piece.text.strip(), piece.page) for piece in pieces] == [("One", 1), ("Two", 2)]
