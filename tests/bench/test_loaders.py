from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.quality.beir import load_beir
from bench.quality.dialogues import load_locomo, load_realtalk
from bench.quality.longmemeval import load_longmemeval

DIALOGUE: dict[str, Any] = {
    "speaker_a": "Mia",
    "session_2": [{"speaker": "Leo", "dia_id": "D2:1", "text": "We moved to Oslo."}],
    "session_2_date_time": "1:05 pm on 8 May, 2023",
    "session_10": [{"speaker": "Mia", "dia_id": "D10:1", "text": "", "blip_caption": "a red kite"}],
    "session_10_date_time": "9:00 am on 1 June, 2023",
    "session_1": [{"speaker": "Mia", "dia_id": "D1:1", "text": " Hello! "}],
    "session_1_date_time": "12:30 am on 7 May, 2023",
}
ASKED = [
    {"question": "Where did Leo move?", "evidence": ["D2:1"], "category": 4},
    {"question": "Which things?", "evidence": ["D:1:1; D10:1", "D99:1"], "category": 1},
    {"question": "Nothing of it is here", "evidence": ["D99:1"], "category": 2},
    {"question": "Not to be answered", "evidence": ["D1:1"], "category": 5},
]


def test_locomo(tmp_path: Path) -> None:
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([{"sample_id": "conv-1", "conversation": DIALOGUE, "qa": ASKED}]))
    (case,) = load_locomo(file)
    assert [session.id for session in case.sessions] == ["session_1", "session_2", "session_10"]
    moved, kite = case.sessions[1].turns[0], case.sessions[2].turns[0]
    assert (moved.speaker, moved.text) == ("Leo", "We moved to Oslo.")
    assert moved.sent_at == datetime(2023, 5, 8, 13, 5, tzinfo=UTC)
    assert kite.text == "[shares a photo: a red kite]"
    assert [(q.category, set(q.evidence)) for q in case.questions] == [
        ("single-hop", {"D2:1"}),
        ("multi-hop", {"D1:1", "D10:1"}),
    ]
    assert case.session_of["D10:1"] == "session_10"
    assert case.size == 3


def test_realtalk_reads_chats_in_order_with_the_time_of_each_message(tmp_path: Path) -> None:
    for number in (2, 10):
        chat = {
            "session_1": [
                {"speaker": "Emi", "dia_id": "D1:1", "clean_text": "Hi", "date_time": "29.12.2023, 22:01:05"}
            ],
            "qa": [{"question": "Who?", "evidence": ["D1:1"], "category": 3}],
        }
        (tmp_path / f"Chat_{number}_Emi.json").write_text(json.dumps(chat))
    cases = load_realtalk(tmp_path)
    assert [case.id for case in cases] == ["Chat_2_Emi", "Chat_10_Emi"]
    assert cases[0].sessions[0].turns[0].sent_at == datetime(2023, 12, 29, 22, 1, 5, tzinfo=UTC)
    assert cases[0].questions[0].category == "open-domain"


def test_longmemeval(tmp_path: Path) -> None:
    item = {
        "question_id": "q1",
        "question": "What did I buy?",
        "question_type": "single-session-user",
        "haystack_session_ids": ["s1", "s1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
        "haystack_sessions": [
            [{"role": "user", "content": "I bought a drum.", "has_answer": True}],
            [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}],
        ],
    }
    unmarked = item | {"question_id": "q2", "haystack_sessions": [[], []]}
    abstention = item | {"question_id": "q3_abs"}
    file = tmp_path / "longmemeval.json"
    file.write_text(json.dumps([item, unmarked, abstention]))
    (case,) = load_longmemeval(file)
    assert case.id == "q1"
    assert case.size == 3
    (question,) = case.questions
    (evidence,) = question.evidence
    bought = case.sessions[0].turns[0]
    assert (bought.id, bought.role, bought.sent_at) == (
        evidence,
        "user",
        datetime(2023, 5, 20, 2, 21, tzinfo=UTC),
    )
    assert case.sessions[1].turns[1].role == "assistant"
    assert question.category == "single-session-user"


def test_beir(tmp_path: Path) -> None:
    documents = [{"_id": "d1", "title": "Kites", "text": "They fly."}, {"_id": "d2", "text": "Drums."}]
    queries = [{"_id": "q1", "text": "what flies"}, {"_id": "q2", "text": "unjudged"}]
    _lines(tmp_path / "corpus.jsonl", documents)
    _lines(tmp_path / "queries.jsonl", queries)
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq1\tgone\t1\n"
    )
    (case,) = load_beir(tmp_path)
    assert [(document.id, document.title) for document in case.documents] == [("d1", "Kites"), ("d2", "")]
    assert [(question.id, question.evidence) for question in case.questions] == [("q1", frozenset({"d1"}))]
    assert case.session_of == {"d1": "d1", "d2": "d2"}


def _lines(file: Path, rows: list[dict[str, str]]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
