"""A life story through another system: every message stored as it was said, then what its search brings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bench.peers.processes import VectorSource, Worker
from bench.peers.systems import System
from bench.peers.workers.contract import Memory


def found(system: System, story: Mapping[str, Any], embedding: VectorSource, k: int) -> Iterator[list[str]]:
    """For each question of a story the lines of the best k messages, with the days they were sent."""
    memories = list(said(story))
    lines = {one["id"]: f"- {one['sent_at'][:10]}: {' '.join(one['text'].split())}" for one in memories}
    with Worker(system, embedding) as worker:
        worker.index(memories)
        for question in story["questions"]:
            ids, _ = worker.search(question["ask"], k)
            yield [lines[id_] for id_ in ids]


def said(story: Mapping[str, Any]) -> Iterator[Memory]:
    """The messages of a story; only the assistant is named, since everything else is the user's."""
    for session in story["sessions"]:
        for number, message in enumerate(session["messages"]):
            yield {
                "id": f"{session['id']}-{number}",
                "text": message["content"],
                "speaker": "" if message["role"] == "user" else message["role"],
                "session": session["id"],
                "sent_at": message["sent_at"],
            }
