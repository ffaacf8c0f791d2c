"""From conversation to memory: read the messages that an extractor has not read, and store what they say."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from bethink.clock import now
from bethink.errors import ExtractionFailure, ModelError
from bethink.extraction import forgettings
from bethink.extraction.duplicates import Drafted, find_twin, stands_in
from bethink.extraction.extractors import Extracted, Extractor, Known, Unread, reading
from bethink.extraction.forget_that import Request, considered, meant, requests
from bethink.extraction.keep import keep, united
from bethink.extraction.one_record import as_one_person
from bethink.extraction.standing import read_units
from bethink.index.near import Nearby, near
from bethink.index.passages import Passages
from bethink.index.search import Index
from bethink.memories import remember
from bethink.models.embed.traits import threshold
from bethink.records import Extraction, Memory, Message, Space
from bethink.shapes.inputs import MemoryDraft
from bethink.shapes.outcomes import Outcome
from bethink.store import Driver, Tx, contexts, extractions, messages, sessions, units
from bethink.store.journal import EXTRACTOR
from bethink.store.units import ReadUnit, Spoken
from bethink.store.vectors import Vector

BATCH = 200  # messages read at a time
SAID_BEFORE = 800  # things said before, among which is what somebody asks to have forgotten
SESSION_BEFORE = 200  # messages of the conversation
KnownTo = Callable[[Space, Sequence[Message]], Awaitable[Known]]
_log = logging.getLogger(__name__)


class Reader:
    """Reads for one extractor. What came of it and that it was read are stored in one transaction."""

    def __init__(
        self,
        driver: Driver,
        index: Index,
        passages: Passages,
        extractor: Extractor,
        known: KnownTo,
        similar: float,
    ) -> None:
        self._driver, self._index, self._passages = driver, index, passages
        self._extractor, self._known, self._similar = extractor, known, similar
        self._actor = f"{EXTRACTOR}{extractor.name}"

    async def read_session(self, space: Space, session_id: str) -> tuple[list[Outcome], bool]:
        """Read what is new and due in one session, up to the first stretch that fails; whether one did."""
        outcomes: list[Outcome] = []
        while unread := await self._unread(space, session_id):
            stretches = self._extractor.due(unread)
            for turns in stretches:
                came, failed = await self._read(space, turns)
                outcomes += came
                if failed:
                    return outcomes, True
            if not stretches or len(unread.messages) < BATCH:
                break
        return outcomes, False

    async def retry(self, space: Space, failed: Extraction) -> tuple[list[Outcome], bool]:
        """Read again a stretch that could not be read; whether it failed again."""
        turns = await self._driver.read(
            messages.window, space.id, failed.session_id, failed.first_position, failed.last_position
        )
        return await self._read(space, turns, again=failed) if turns else ([], False)

    async def _unread(self, space: Space, session_id: str) -> Unread | None:
        found, last = await self._driver.read(_unread, space.id, session_id, self._extractor.name)
        return Unread(found, max(now() - last, timedelta()) if last else timedelta()) if found else None

    async def _read(
        self, space: Space, turns: Sequence[Message], again: Extraction | None = None
    ) -> tuple[list[Outcome], bool]:
        came: Extracted | ExtractionFailure
        theirs = as_one_person(space, turns)
        try:
            came = await self._extractor.extract(theirs, await self._known(space, theirs))
        except ExtractionFailure as failure:
            _log.warning("An extraction failed and can be tried again: %s", failure.message)
            came = failure
        drafted: list[Drafted] = []
        if isinstance(came, Extracted):
            came = await self._without_forgotten(space, turns, came)
        if isinstance(came, Extracted) and came.memories:
            drafted, given = await self._compared(space, came.memories)
            came = replace(came, left_out=[*came.left_out, *given])
        facts, over = (came.facts, came.over) if isinstance(came, Extracted) else ((), ())
        found = read_units(turns, came.units) if isinstance(came, Extracted) else []
        gone = await self._meant(space, turns, found)
        moment = now()
        read = reading(space, self._extractor.name, turns, came, moment, again=again)
        in_turn = remember.turns(space, [one.draft for one in drafted])
        outcomes = await self._driver.write_in_turn(
            in_turn, keep, space, turns, drafted, facts, read, moment, self._actor, found, gone,
            over=over, again=again is not None, style=self._index.vector_maker.style,
        )  # fmt: skip
        return outcomes, isinstance(came, ExtractionFailure)

    async def _meant(
        self, space: Space, turns: Sequence[Message], read: Sequence[ReadUnit]
    ) -> list[ReadUnit]:
        """What these turns ask to have forgotten, of what was said before."""
        texts = {turn.id: turn.content for turn in turns}
        here = [Spoken(unit, None, None, texts[unit.message_id][unit.first : unit.last]) for unit in read]
        asked = requests(here)
        if not asked:
            return []
        last = max(one.unit.sent_at for one in asked)
        before = await self._driver.read(units.recent, space.id, 0.0, last, SAID_BEFORE)
        session = await self._driver.read(_session, space.id, turns[0].session_id, turns[-1].position)
        gone: list[ReadUnit] = []
        for one in asked:
            request = Request(one.text, one.unit, session)
            said = considered(request, [*here, *before])
            readable = [text for text in (one.text, *(each.text for each in said)) if self._reads(text)]
            vectors, _ = await self._meanings([one.text], readable) if one.text in readable else ({}, 1.0)
            gone += [each.unit for each in meant(request, said, vectors)]
        return gone

    def _reads(self, text: str) -> bool:
        return self._index.reading(text) != "unread"

    async def _without_forgotten(self, space: Space, turns: Sequence[Message], came: Extracted) -> Extracted:
        """What was drafted, less what somebody has forgotten, or given other words, since it was said."""
        if not (came.memories or came.facts):
            return came
        gone = await self._driver.read(forgettings.look, space.id, turns)
        if not (gone.memories or gone.facts):
            return came
        vectors, least = await self._meanings(gone.texts, [draft.content for draft in came.memories])
        whys = [gone.why_no_memory(draft, vectors, least) for draft in came.memories]
        memories = [draft for draft, why in zip(came.memories, whys, strict=True) if why is None]
        facts = [draft for draft in came.facts if not gone.has_fact(draft)]
        reasons = [why for why in whys if why] + [forgettings.REASON] * (len(came.facts) - len(facts))
        return replace(came, memories=memories, facts=facts, left_out=[*came.left_out, *reasons])

    async def _meanings(self, gone: list[str], drafted: list[str]) -> tuple[dict[str, Vector], float]:
        """Vectors to compare texts by, none without a model; and the cosine from which on they are alike."""
        if not (gone and drafted):
            return {}, 1.0
        texts = [*gone, *drafted]
        try:
            signature, vectors = await self._index.vector_maker.documents(texts)
        except ModelError as error:
            _log.warning("What was forgotten is known again by its words only: %s", error.message)
            return {}, 1.0
        return dict(zip(texts, vectors, strict=True)), threshold(signature, "dedupe", self._similar)

    async def _compared(self, space: Space, drafts: Sequence[MemoryDraft]) -> tuple[list[Drafted], list[str]]:
        """Each draft with the memory that says the same; those that repeat one another are made one.

        What a context says already is left out, with the reason.
        """
        nearby = await near(self._driver, self._index, space, [draft.content for draft in drafts], now())
        least = threshold(nearby.signature, "dedupe", self._similar) if nearby.signature else 1.0
        kept: dict[int, Drafted] = {}
        given = await self._given(space, drafts, nearby, least)
        for place, draft in enumerate(drafts):
            if place in given:
                continue
            other = _repeated(place, draft, kept, nearby, least)
            if other is None:
                kept[place] = Drafted(draft, find_twin(draft, nearby.memories[place], least))
            else:
                sources = united(kept[other].draft.source_ref, draft.source_ref)
                first = kept[other].draft.model_copy(update={"source_ref": sources})
                kept[other] = replace(kept[other], draft=first)
        return list(kept.values()), [f"it stands in the context {name!r}" for name in given.values()]

    async def _given(
        self, space: Space, drafts: Sequence[MemoryDraft], nearby: Nearby, least: float
    ) -> dict[int, str]:
        """The drafts that stand in a context, unless they were asked for in so many words; and in which."""
        texts = await self._driver.read(contexts.list_all, space.id)
        found: dict[int, str] = {}
        for place, draft in enumerate(drafts):
            for context in texts if not draft.metadata.get("explicit") else ():
                vector, cosine = nearby.vectors[place], -1.0
                if nearby.signature and vector is not None:
                    cosine = await self._passages.closest(context, nearby.signature, vector)
                if stands_in(draft, context.content, cosine, least):
                    found[place] = context.name
                    break
        return found


def _repeated(
    place: int, draft: MemoryDraft, kept: dict[int, Drafted], nearby: Nearby, least: float
) -> int | None:
    """Which earlier draft says the same under another key, if one does."""
    mine = nearby.vectors[place]
    for other, drafted in kept.items():
        said, theirs = drafted.draft, nearby.vectors[other]
        if draft.key is not None and draft.key == said.key:
            continue  # a new value: it replaces the other when it is stored after it
        cosine = float(mine @ theirs) if mine is not None and theirs is not None else None
        memory = Memory.made(content=said.content, person_id=said.person_id, title=said.title)
        if find_twin(draft, [(memory, cosine)], least):
            return other
    return None


def _session(tx: Tx, space_id: str, session_id: str, last: int) -> frozenset[str]:
    """The messages of a conversation up to one, as far back as somebody would speak of them."""
    found = messages.window(tx, space_id, session_id, last - SESSION_BEFORE, last)
    return frozenset(message.id for message in found)


def _unread(tx: Tx, space_id: str, session_id: str, extractor: str) -> tuple[list[Message], datetime | None]:
    session = sessions.find(tx, space_id, session_id)
    after = extractions.reached(tx, space_id, session_id, extractor)
    found = messages.of_session(tx, space_id, session_id, after, BATCH)
    return found, session.last_message_at if session else None
