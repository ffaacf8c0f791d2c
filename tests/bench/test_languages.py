from __future__ import annotations

import json
from pathlib import Path

from bench.languages import ask, load, take_in

from bethink import AsyncBethink
from bethink.testing import HashEmbedder

STORY = {
    "id": "w1-s1",
    "lang": "de",
    "sessions": [
        {"id": "one", "messages": [{"role": "user", "content": "Wir sind nach Augsburg gezogen."}]},
        {"id": "two", "messages": [{"role": "user", "content": "Der Hund heißt Bello."}]},
    ],
    "questions": [
        {"ask": "wo wohne ich?", "must": [["Augsburg", "Augschburg"], ["Bello"]]},
        {"ask": "und vorher?", "must": [["Augsburg"], ["Ulm"]]},
        {"ask": "was ist 17*23?", "must": []},
    ],
}


def test_only_the_files_of_the_writers_named_are_read(tmp_path: Path) -> None:
    (tmp_path / "w1.jsonl").write_text(json.dumps(STORY) + "\n", "utf-8")
    (tmp_path / "w2.jsonl").write_text("this is not read", "utf-8")
    assert load(tmp_path, ["w1"]) == [STORY]


async def test_a_question_is_answered_when_every_requirement_is_met(tmp_path: Path) -> None:
    async with AsyncBethink(str(tmp_path / "memory.db"), embedder=HashEmbedder()) as memory:
        await take_in(memory, [STORY])
        tally = await ask(memory, [STORY])
    assert (tally.right["de"], tally.of["de"]) == (1, 2)
    assert (tally.right["not en"], tally.of["not en"]) == (1, 2)
