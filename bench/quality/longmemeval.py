"""LongMemEval: questions to an assistant, each with its own haystack of past sessions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.quality.cases import Case, Question, Session, Turn


def load_longmemeval(path: Path) -> list[Case]:
    """One case a question; those whose answer is in no turn (abstentions, unmarked ones) are left out."""
    cases = (_case(item) for item in json.loads(path.read_text("utf-8")))
    return [case for case in cases if case.questions]


def _case(item: Mapping[str, Any]) -> Case:
    id_ = item["question_id"]
    sessions: list[Session] = []
    evidence: set[str] = set()
    haystack = zip(
        item["haystack_session_ids"], item["haystack_dates"], item["haystack_sessions"], strict=True
    )
    for number, (session_id, date, said) in enumerate(haystack):
        began = datetime.strptime(date, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)
        name = f"{number}/{session_id}"  # one haystack may hold a session twice
        turns = [
            Turn(f"{name}/{place}", turn["content"], began, None, turn["role"])
            for place, turn in enumerate(said)
        ]
        sessions.append(Session(name, turns))
        evidence.update(f"{name}/{place}" for place, turn in enumerate(said) if turn.get("has_answer"))
    asked = [Question(id_, item["question"], frozenset(evidence), item["question_type"])]
    return Case(id_, [] if id_.endswith("_abs") or not evidence else asked, sessions)
