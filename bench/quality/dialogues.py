"""LoCoMo and REALTALK: long conversations of two people, annotated in the same way."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.quality.cases import Case, Question, Session, Turn

# Questions of category 5 have no answer in the conversation, so nothing can be recalled for them.
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
_SESSION = re.compile(r"session_(\d+)")
_TURN_ID = re.compile(r"D:?(\d+):(\d+)")  # annotators also wrote D:11:26, and several ids in one string


def load_locomo(path: Path) -> list[Case]:
    """The conversations of one LoCoMo file."""
    samples = json.loads(path.read_text("utf-8"))
    return [
        _case(sample["sample_id"], sample["conversation"], sample["qa"], "text", "%I:%M %p on %d %B, %Y")
        for sample in samples
    ]


def load_realtalk(path: Path) -> list[Case]:
    """The chats of a folder with REALTALK's `Chat_*.json` files."""
    cases = []
    for file in sorted(path.glob("Chat_*.json"), key=_chat_number):
        chat = json.loads(file.read_text("utf-8"))
        cases.append(_case(file.stem, chat, chat["qa"], "clean_text", "%d.%m.%Y, %H:%M:%S"))
    return cases


def _case(
    id_: str, dialogue: Mapping[str, Any], asked: Sequence[Any], text_field: str, date_form: str
) -> Case:
    numbers = sorted(int(found[1]) for name in dialogue if (found := _SESSION.fullmatch(name)))
    sessions = [_session(dialogue, number, text_field, date_form) for number in numbers]
    known = {turn.id for session in sessions for turn in session.turns}
    questions = []
    for number, item in enumerate(asked):
        evidence = _evidence(item) & known
        if evidence and item["category"] in CATEGORIES:
            category = CATEGORIES[item["category"]]
            questions.append(Question(f"{id_}/{number}", item["question"], frozenset(evidence), category))
    return Case(id_, questions, sessions)


def _session(dialogue: Mapping[str, Any], number: int, text_field: str, date_form: str) -> Session:
    name = f"session_{number}"
    begun = dialogue.get(f"{name}_date_time")
    turns = []
    for item in dialogue[name]:
        sent_at = _moment(item.get("date_time") or begun, date_form)
        turns.append(Turn(item["dia_id"], _text(item, text_field), sent_at, item["speaker"]))
    return Session(name, turns)


def _text(item: Mapping[str, Any], field: str) -> str:
    """What was said, and what a shared picture shows."""
    said = (item.get(field) or "").strip()
    caption = item.get("blip_caption")
    return f"{said} [shares a photo: {caption}]".strip() if caption else said


def _evidence(item: Mapping[str, Any]) -> set[str]:
    named = " ".join(map(str, item.get("evidence") or ()))
    return {f"D{int(session)}:{int(turn)}" for session, turn in _TURN_ID.findall(named)}


def _moment(value: str | None, form: str) -> datetime | None:
    """Times are those of the speakers' clocks, without an offset; they are taken as UTC."""
    return datetime.strptime(value, form).replace(tzinfo=UTC) if value else None


def _chat_number(file: Path) -> int:
    return int(file.stem.split("_")[1])
