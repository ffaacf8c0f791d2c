from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from bethink import AsyncBethink
from bethink.cli import intake
from bethink.cli.output import Output
from bethink.memory import AsyncSpace
from bethink.shapes.outcomes import Observed
from tests.cli.running import Cli, run_program, start_program
from tests.waiting import PATIENCE_SECONDS


def line(content: str, **fields: object) -> str:
    return json.dumps({"role": "user", "content": content, **fields}) + "\n"


def test_a_bad_line_is_named_and_the_others_are_stored(cli: Cli) -> None:
    text = line("first") + "not json\n" + line("third") + '{"role": "user"}\n'
    ended = cli("observe", "-", "--session", "s", stdin=text)
    assert ended.code == 1
    assert ended.out == "2 messages in 1 session: 2 stored\n"
    errors = [found for found in ended.err.splitlines() if found.startswith("error: ")]
    assert [found.split(":")[1] for found in errors] == [" line 2", " line 4"]
    assert cli.json("stats")["layers"]["message"]["total"] == 2


def test_the_summary_as_json_names_every_bad_line(cli: Cli) -> None:
    ended = cli(
        "observe", "--json", "--session", "s", stdin="?\n" + line("x", id="1") + line("x", id="1") + "[]"
    )
    assert (ended.code, ended.err) == (1, "")
    summary = ended.json
    assert (summary["stored"], summary["duplicate"], summary["merged"], summary["refused"]) == (1, 1, 0, 2)
    assert [error["line"] for error in summary["errors"]] == [1, 4]
    assert summary["sessions"] == ["s"]


def test_one_message_that_the_memory_refuses_does_not_take_others_with_it(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BETHINK_LIMITS_CONTENT_CHARS", "20")
    ended = cli("observe", "--session", "s", stdin=line("short") + line("long " * 9) + line("also short"))
    assert ended.code == 1
    assert "line 2: content: 45 is over the limit" in ended.err
    assert ended.out == "2 messages in 1 session: 2 stored\n"


def test_an_id_of_another_session_is_refused_by_its_line(cli: Cli) -> None:
    cli.ok("observe", stdin=line("one", session="a", id="m1"))
    ended = cli("observe", stdin=line("new", session="b", id="m2") + line("one", session="b", id="m1"))
    assert ended.code == 1
    assert "line 2: " in ended.err
    assert "1 stored" in ended.out


def test_many_bad_lines_are_counted_rather_than_all_shown(cli: Cli) -> None:
    ended = cli("observe", "--session", "s", stdin="x\n" * (intake.ERRORS_SHOWN + 7))
    assert ended.err.count("error: line") == intake.ERRORS_SHOWN
    assert "7 more lines are wrong" in ended.err


def test_a_long_conversation_keeps_its_order_over_many_batches(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "BATCH", 7)
    cli.ok("observe", "--session", "s", stdin="".join(line(f"turn {n}") for n in range(40)))
    hits = cli.json("recall", "turn", "--strategy", "recent", "--layer", "message", "-n", "200")["hits"]
    ordered = sorted(hits, key=lambda hit: int(hit["record"]["position"]))
    assert [hit["text"] for hit in ordered] == [f"turn {n}" for n in range(40)]


def test_an_empty_input_says_what_a_message_looks_like(cli: Cli) -> None:
    ended = cli.ok("observe", stdin="\n\n")
    assert ended.out == ""
    assert '"role"' in ended.err


def test_a_file_that_is_not_there_is_an_error(cli: Cli, tmp_path: Path) -> None:
    ended = cli("observe", str(tmp_path / "missing.jsonl"))
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("error: ")
    assert "missing.jsonl" in ended.err


def test_a_folder_is_an_error(cli: Cli, tmp_path: Path) -> None:
    assert "cannot be read" in cli("observe", str(tmp_path)).err


async def test_what_is_being_stored_when_it_is_broken_off_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begun, go_on, observe = asyncio.Event(), asyncio.Event(), AsyncSpace.observe

    async def slow(self: AsyncSpace, *given: Any) -> Observed:
        begun.set()
        await go_on.wait()
        return await observe(self, *given)

    monkeypatch.setattr(AsyncSpace, "observe", slow)
    async with AsyncBethink(str(tmp_path / "memory.db"), embed={"source": "none"}) as memory:
        taken = intake.Intake(memory.space("home"), "s", Output(json=False))
        taking = asyncio.create_task(taken.take_all(BytesIO(line("said in the last moment").encode()), None))
        await begun.wait()
        taking.cancel()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await taking
    taken.summarise()
    assert capsys.readouterr().out == "1 message in 1 session: 1 stored\n"


def test_a_stream_is_stored_as_it_comes_and_ctrl_c_ends_it_cleanly() -> None:
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    environ = {**os.environ, "BETHINK_EMBED_SOURCE": "none"}
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as where the tests run behind a script
    try:
        process = start_program("observe", "--session", "s", env=environ, **pipes)
    finally:
        signal.signal(signal.SIGINT, before)
    assert process.stdin is not None
    try:
        process.stdin.write(line("said while the stream is open").encode())
        process.stdin.flush()
        stored = ""
        while "said while" not in stored:
            assert process.poll() is None
            stored = run_program("recall", "stream", "--json", BETHINK_EMBED_SOURCE="none").out
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECONDS) == 130
        told, warned = process.communicate()
        assert (told, warned) == (b"1 message in 1 session: 1 stored\n", b"")
    finally:
        process.kill()
        process.communicate()


def test_lines_may_have_the_shapes_of_clients_and_come_twice(cli: Cli) -> None:
    call = {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "look"}}]}
    text = line("x").replace('"x"', '[{"type": "text", "text": "one"}]') + json.dumps(call) + "\n"
    assert cli("observe", "--session", "s", stdin=text).out == "2 messages in 1 session: 2 stored\n"
    assert cli("observe", "--session", "s", stdin=text).out == "2 messages in 1 session: 2 duplicate\n"
    ended = cli("observe", "--session", "s", stdin=line("x").replace('"x"', "[5]"))
    assert ended.code == 1
    assert "line 1: content: part 0 must be an object" in ended.err
