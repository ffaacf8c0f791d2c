"""Searches the knowledge base: the passages that answer, with where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bethink.clock import now
from bethink.core import Core
from bethink.documents import personal
from bethink.documents.describe import citation
from bethink.documents.snippets import snippet
from bethink.models.embed.traits import is_measured, threshold
from bethink.recall.recall import recall_for
from bethink.records import Layer, Passage, Record, Space
from bethink.shapes.documents import DocumentHit, DocumentResults
from bethink.shapes.inputs import RecallRequest
from bethink.shapes.outcomes import Hit
from bethink.text.terms import query_terms

DEEPER = 10  # hits looked at beyond those that are wanted, since some are not near enough
COVERED = 0.5  # share of the query's words by which a passage is near whatever its cosine
BESIDE = 0.6  # what a passage must reach, on the common scale, to stand beside one that answers
_EVERY = 1000


async def search(
    core: Core, space: Space, query: str, limit: int, document_ids: Sequence[str] | None
) -> DocumentResults:
    """The passages that answer a query, best first. What people set for themselves always takes part."""
    own = await personal.refresh(core, space)
    if document_ids and own:
        document_ids = [*document_ids, own]
    request = RecallRequest(
        query=query,
        limit=min(limit + DEEPER, 200),
        layers=[Layer.PASSAGE],
        session_ids=None if document_ids is None else list(document_ids),
        recency="neutral",
    )
    found = await recall_for(core, space, request, await core.options.of(space), now())
    terms = set(query_terms(query, _EVERY))
    near = _near_enough(core, query, terms, list(_passages(found.hits)))
    return DocumentResults(
        query=query,
        hits=[_told(hit, passage, terms) for hit, passage in near[:limit]],
        engine=found.engine if near else "none",
        degraded=found.degraded,
    )


def _passages(hits: Iterable[Hit]) -> Iterator[tuple[Hit, Passage]]:
    for hit in hits:
        record: Record = hit.record
        if isinstance(record, Passage):
            yield hit, record


def _near_enough(
    core: Core, query: str, terms: set[str], found: list[tuple[Hit, Passage]]
) -> list[tuple[Hit, Passage]]:
    """The passages that answer, and what stands beside them; none where none answers.

    Everything, where cosines say nothing: of a model that was not measured, or that cannot read the query.
    """
    embedder = core.resolution.embedder
    if not core.settings.documents.floor or embedder is None or not is_measured(embedder.signature):
        return found
    if core.index.reading(query) == "unread":
        return found
    answers = threshold(embedder.signature, "documents")
    beside = threshold(embedder.signature, "documents", BESIDE)
    if not any(_is_near(hit, terms, answers) for hit, _ in found):
        return []
    return [(hit, passage) for hit, passage in found if _is_near(hit, terms, beside)]


def _is_near(hit: Hit, terms: set[str], least: float) -> bool:
    """Whether a passage is near enough to the query: in meaning, or by half of its words."""
    if hit.vector is not None and hit.vector >= least:
        return True
    return bool(terms) and len(terms.intersection(query_terms(hit.text, _EVERY))) >= COVERED * len(terms)


def _told(hit: Hit, passage: Passage, terms: set[str]) -> DocumentHit:
    cut, marks = snippet(passage.text, terms)
    return DocumentHit(
        document_id=passage.document_id, document_name=passage.document_name, passage_id=passage.id,
        text=passage.text, snippet=cut, marks=marks, citation=citation(passage), title=passage.title,
        part=passage.part, page=passage.page, last_page=passage.last_page, sheet=passage.sheet,
        first=passage.first, last=passage.last, score=hit.score, vector=hit.vector,
    )  # fmt: skip
