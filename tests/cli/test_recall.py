from __future__ import annotations

import pytest

from bethink.cli.output import Output
from bethink.cli.render import explanation
from bethink.records import Layer, Memory
from bethink.shapes.outcomes import Hit
from bethink.testing import FrozenClock
from tests.cli.running import Cli


@pytest.fixture
def stocked(cli: Cli) -> Cli:
    cli.ok("remember", "Anna is allergic to peanuts", "--tag", "food", "--type", "semantic", "--pinned")
    cli.ok("remember", "Peanuts grow underground", "--tag", "garden")
    cli.ok("facts", "set", "food", "snack", "peanuts")
    cli.ok(
        "observe", "--session", "s", stdin='{"role": "user", "name": "Ben", "content": "Peanuts? No thanks."}'
    )
    return cli


def texts(cli: Cli, *arguments: str) -> set[str]:
    return {hit["text"] for hit in cli.json("recall", "peanuts", *arguments)["hits"]}


def test_filters_narrow_the_search(stocked: Cli) -> None:
    everything = texts(stocked)
    assert len(everything) == 4
    assert texts(stocked, "--layer", "fact") == {"food / snack: peanuts"}
    assert texts(stocked, "--layer", "fact", "--layer", "message") == {
        "food / snack: peanuts",
        "Peanuts? No thanks.",
    }
    assert texts(stocked, "--type", "semantic") == {"Anna is allergic to peanuts"}
    assert texts(stocked, "--tag", "garden") == {"Peanuts grow underground"}
    assert texts(stocked, "--since", "1h") == everything
    assert texts(stocked, "--until", "1h") == set()
    assert texts(stocked, "--as-of", "2020-01-01") == set()
    assert len(texts(stocked, "--limit", "2")) == 2
    assert len(texts(stocked, "--max-tokens", "1")) == 1
    assert stocked.json("recall", "x", "--strategy", "recent")["engine"] in ("recent", "few")


def test_a_limit_of_nothing_is_refused_rather_than_ignored(stocked: Cli) -> None:
    ended = stocked("recall", "peanuts", "--limit", "0")
    assert ended.code == 1
    assert "limit" in ended.err


def test_in_a_pipe_each_hit_is_one_line_with_its_id_first(stocked: Cli) -> None:
    found = stocked.json("recall", "peanuts")["hits"]
    lines = stocked.ok("recall", "peanuts").out.splitlines()
    assert [line.split("\t")[0] for line in lines] == [hit["id"] for hit in found]
    said = next(line for line in lines if "\tmessage\t" in line)
    assert said.endswith("\tBen: Peanuts? No thanks.")


def test_a_score_of_nothing_has_no_sign(cli: Cli) -> None:
    cli.ok("remember", "Anna is allergic to peanuts")
    assert cli.ok("recall", "").out.split("\t")[1] == "0.000"


def test_explain_shows_the_parts_of_a_score(stocked: Cli) -> None:
    first = stocked.ok("recall", "Anna peanuts", "--explain").out.splitlines()[0]
    assert "= fused 1.000 + pinned 0.200" in first
    assert "found by terms" in first


def test_the_explanation_names_every_part_that_counts() -> None:
    with FrozenClock() as clock:
        memory = Memory(
            id="m",
            space_id="s",
            content="x",
            observed_at=clock.now,
            created_at=clock.now,
            updated_at=clock.now,
        )
        hit = Hit(
            layer=Layer.MEMORY, id="m", text="x", score=1.0, fused=0.5, vector=0.61, terms=None, pinned=0.2,
            person=0.15, speaker=0.3, answer=0.1, recency=-0.05, rerank=0.01, tokens=3, engine="vector",
            degraded=True, observed_at=clock.now, record=memory,
        )  # fmt: skip
    assert explanation(hit) == [
        "1.000 = fused 0.500 + pinned 0.200 + person 0.150 + speaker 0.300 + answer 0.100 + rerank 0.010"
        " - recency 0.050",
        "terms none  vector 0.610  found by vector (degraded)  3 tokens",
    ]


def test_an_empty_space_says_how_to_begin(cli: Cli) -> None:
    ended = cli.ok("recall", "anything")
    assert ended.out == ""
    assert "bethink remember" in ended.err


def test_nothing_found_says_so(stocked: Cli) -> None:
    ended = stocked.ok("recall", "peanuts", "--tag", "nothing-has-this")
    assert ended.out == ""
    assert "Nothing found" in ended.err


def test_the_query_can_come_on_standard_input(stocked: Cli) -> None:
    assert "Peanuts grow underground" in stocked.ok("recall", "-", stdin="what grows underground?\n").out


def test_text_cannot_steer_the_terminal(cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    cli.ok("remember", "-", stdin="harmless\x1b[2J\x1b]0;owned\x07 text")
    assert "\x1b" not in cli.ok("recall", "harmless").out
    assert "\x1b" not in cli.ok("list").out
    Output(json=False).line("a\x1b[31m\x9bb")
    assert capsys.readouterr().out == "a�[31m�b\n"
