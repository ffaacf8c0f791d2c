"""BEIR: collections of documents with judged queries."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.quality.cases import Case, Document, Question


def load_beir(path: Path, split: str = "test") -> list[Case]:
    """A folder with `corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv`, as one case."""
    documents = [
        Document(row["_id"], row["text"], row.get("title") or "") for row in _rows(path / "corpus.jsonl")
    ]
    known = {document.id for document in documents}
    judged: defaultdict[str, set[str]] = defaultdict(set)
    with (path / "qrels" / f"{split}.tsv").open(encoding="utf-8") as lines:
        next(lines)  # the names of the columns
        for line in lines:
            query_id, document_id, grade = line.split("\t")
            if int(grade) > 0 and document_id in known:
                judged[query_id].add(document_id)
    questions = [
        Question(row["_id"], row["text"], frozenset(judged[row["_id"]]))
        for row in _rows(path / "queries.jsonl")
        if row["_id"] in judged
    ]
    return [Case(path.name, questions, documents=documents)]


def _rows(file: Path) -> Iterator[Any]:
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
