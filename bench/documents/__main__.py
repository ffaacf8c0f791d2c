"""How often the passage that answers is among the first, beside other systems on the same vectors.

    python -m bench.documents [--writers d1,d2] [--peers chromadb,txtai] [--show]
    python -m bench.documents --papers [--peers chromadb,txtai]

`bench/data/documents` holds ten documents and sixty questions of each of two writers. `d2` is for tuning;
`d1` is held out: it is scored, and nobody looks at what was missed there. Files are made of the documents by
real writers, added, and split; the other systems are given the same passages with the same vectors. Each
writer's documents are a store of their own, and so are both together.

`--papers` asks for papers by the tags that a reader gave them (see `papers.py`), where several answer.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.documents.made import Made, Question, documents, questions
from bench.documents.papers import papers, tags
from bench.peers.embedding import Embedding
from bench.peers.environments import Unavailable
from bench.peers.processes import Worker
from bench.peers.systems import named
from bench.peers.workers.contract import Memory
from bench.quality.metrics import ndcg_at, recall_at
from bench.report import table
from bethink import AsyncBethink
from bethink.documents.describe import embedded_passage
from bethink.records import Passage
from bethink.store import Tx, archive

HELD_OUT = {"d1"}
DEPTH = 5
PASSAGES = 20  # asked for where papers are counted, which have several each


@dataclass(frozen=True)
class Store:
    """What a memory holds: its passages, and which of them answer each question."""

    passages: dict[str, Passage]
    asked: list[tuple[Question, frozenset[str]]]

    @property
    def torn(self) -> int:
        """Questions whose answer is whole in no passage."""
        return sum(not answers for _, answers in self.asked)


@dataclass
class Score:
    """How often what answers was first, and among the first five."""

    first: int = 0
    among: int = 0
    document: int = 0
    total: int = 0

    def add(self, found: Sequence[str], answers: frozenset[str], store: Store) -> None:
        self.total += 1
        self.first += bool(answers.intersection(found[:1]))
        self.among += bool(answers.intersection(found[:DEPTH]))
        right = {store.passages[id_].document_id for id_ in answers}
        self.document += bool(found) and store.passages[found[0]].document_id in right

    @property
    def row(self) -> dict[str, str]:
        told = {"R@1": self.first, "R@5": self.among, "document@1": self.document}
        return {name: f"{number / self.total:.3f}" for name, number in told.items()}


async def _filled(memory: AsyncBethink, writers: Sequence[str]) -> Store:
    """Add every document, and find the passages that hold the answers."""
    names, passages = await _read(memory, [one for writer in writers for one in documents(writer)])
    asked = []
    for question in (one for writer in writers for one in questions(writer)):
        sought = _flat(question.passage)
        held = frozenset(
            id_
            for id_, one in passages.items()
            if names[one.document_id] == question.document and sought in _flat(one.text)
        )
        asked.append((question, held))
    return Store(passages, asked)


async def _read(memory: AsyncBethink, files: Sequence[Made]) -> tuple[dict[str, str], dict[str, Passage]]:
    """Add files; the name of each document by its id, and the passages by theirs."""
    names: dict[str, str] = {}
    for one in files:
        names[(await memory.documents.add(one.data, one.file)).document.id] = one.name
    await memory.settle()
    for id_ in names:
        if (seen := await memory.documents.wait(id_)).status != "ready":
            raise SystemExit(f"{names[id_]}: {seen.problem}")
    core, space = await memory.inside.here()
    return names, await core.driver.read(_passages, space.id)


def _passages(tx: Tx, space_id: str) -> dict[str, Any]:
    return {one.id: one for one in archive.each(tx, space_id, "passage")}


def _flat(text: str) -> str:
    """The words and signs of a text without spaces, bars and hyphens at the ends of lines."""
    return "".join(text.replace("|", "").split()).casefold()


async def _own(memory: AsyncBethink, store: Store) -> tuple[Score, list[str]]:
    """What Bethink finds, and a line for each question that it does not answer among the first five."""
    score, missed = Score(), list[str]()
    for question, answers in store.asked:
        found = (await memory.documents.search(question.ask, limit=DEPTH)).hits
        ids = [hit.passage_id for hit in found]
        score.add(ids, answers, store)
        if not answers.intersection(ids[:1]):
            place = "first five" if answers.intersection(ids) else "MISSED"
            missed.append(
                f"{place}: {question.ask} -> {question.passage} ({question.document})"
                f"\n    first: {found[0].citation if found else 'nothing'}"
            )
    return score, missed


def _peer(name: str, store: Store) -> Score:
    """What another system finds in the same passages, by the same vectors."""
    score = Score()
    asked = [question.ask for question, _ in store.asked]
    for found, (_, answers) in zip(_found(name, store.passages, asked, DEPTH), store.asked, strict=True):
        score.add(found, answers, store)
    return score


def _found(
    name: str, passages: Mapping[str, Passage], queries: Sequence[str], depth: int
) -> list[Sequence[str]]:
    """The passages that another system finds for each query."""
    with Embedding() as embedding, Worker(named(name)[0], embedding) as worker:
        worker.index(
            [
                Memory(id=id_, text=embedded_passage(one), speaker="", session="", sent_at="")
                for id_, one in passages.items()
            ]
        )
        return [worker.search(query, depth)[0] for query in queries]


async def _answered(memory: AsyncBethink, own: Store, others: Sequence[Question]) -> tuple[int, int]:
    """Of the questions that these documents answer, how many get the answer; of others, how many get none."""
    score, _ = await _own(memory, own)
    silent = 0
    for question in others:
        silent += not (await memory.documents.search(question.ask, limit=DEPTH)).hits
    return score.among, silent


async def _measured(
    writers: Sequence[str], peers: Sequence[str], source: str, *, show: bool
) -> list[dict[str, Any]]:
    """A row for each system over the documents of these writers."""
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncBethink(Path(folder, "bench.db"), embed={"source": source}) as memory:
            store = await _filled(memory, writers)
            own, missed = await _own(memory, store)
    name = "+".join(writers)
    print(f"{name}: {len(store.passages)} passages, {len(store.asked)} questions, {store.torn} answers torn")
    if show:
        print("\n".join(missed))
    scores: dict[str, Score | str] = {"bethink": own}
    for peer in peers:
        try:
            scores[peer] = await asyncio.to_thread(_peer, peer, store)
        except Unavailable as error:
            scores[peer] = str(error)
    return [
        {"documents": name, "system": system, **(one.row if isinstance(one, Score) else {"R@1": one})}
        for system, one in scores.items()
    ]


async def _of_papers(peers: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each system: how many of a tag's papers are among the first five."""
    judged = tags()
    rows: list[dict[str, Any]] = []
    queries, files = [*judged], papers()

    def scored(system: str, found: Sequence[Sequence[str]]) -> None:
        ranked = [[*dict.fromkeys(names[passages[id_].document_id] for id_ in ids)] for ids in found]
        pairs = list(zip(ranked, judged.values(), strict=True))
        rows.append(
            {
                "system": system,
                "hit@1": f"{fmean(bool(right.intersection(ids[:1])) for ids, right in pairs):.3f}",
                "R@5": f"{fmean(recall_at(DEPTH, ids, right) for ids, right in pairs):.3f}",
                "nDCG@10": f"{fmean(ndcg_at(10, ids, right) for ids, right in pairs):.3f}",
            }
        )

    with tempfile.TemporaryDirectory() as folder:
        for floor in (True, False):
            settings: Any = {"embed": {"source": "local"}, "documents": {"floor": floor}}
            async with AsyncBethink(Path(folder, "bench.db"), **settings) as memory:
                names, passages = await _read(memory, files)  # the second time they are known
                found = [(await memory.documents.search(query, limit=PASSAGES)).hits for query in queries]
            ids = [[hit.passage_id for hit in hits] for hits in found]
            scored("bethink" if floor else "bethink, no floor", ids)
    print(f"{len(files)} papers, {len(passages)} passages, {len(queries)} tags")
    for peer in peers:
        scored(peer, await asyncio.to_thread(_found, peer, passages, queries, PASSAGES))
    return rows


async def _lift(writers: Sequence[str], source: str) -> list[dict[str, Any]]:
    """What the floor of a search keeps and leaves out, with it and without."""
    rows = []
    for writer in writers:
        others = [one for other in writers if other != writer for one in questions(other)]
        for floor in (True, False):
            with tempfile.TemporaryDirectory() as folder:
                settings: Any = {"embed": {"source": source}, "documents": {"floor": floor}}
                async with AsyncBethink(Path(folder, "bench.db"), **settings) as memory:
                    store = await _filled(memory, [writer])
                    kept, silent = await _answered(memory, store, others)
            rows.append(
                {
                    "documents": writer,
                    "floor": "on" if floor else "off",
                    "answered@5": f"{kept}/{len(store.asked)}",
                    "silent_to_others": f"{silent}/{len(others)}",
                }
            )
    return rows


async def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--writers", default="d2,d1", help="whose documents, with commas")
    parser.add_argument("--peers", default="", help="systems beside Bethink, such as chromadb,txtai")
    parser.add_argument("--source", default="local", help="Bethink's own model, such as multilingual")
    parser.add_argument("--floor", action="store_true", help="measure what the floor of a search does")
    parser.add_argument("--papers", action="store_true", help="the public collection instead of the writers'")
    parser.add_argument("--show", action="store_true", help="show what was missed; never of what is held out")
    wanted = parser.parse_args()
    writers = wanted.writers.split(",")
    if wanted.floor:
        print(table(await _lift(writers, wanted.source)))
        return
    peers = [one for one in wanted.peers.split(",") if one]
    if wanted.papers:
        print(table(await _of_papers(peers)))
        return
    groups = [[one] for one in writers] + ([writers] if len(writers) > 1 else [])
    rows = []
    for group in groups:
        rows += await _measured(
            group, peers, wanted.source, show=wanted.show and not HELD_OUT.intersection(group)
        )
    print(table(rows))


if __name__ == "__main__":
    asyncio.run(main())
