"""Builds the memory part of a prompt: read what is known, tell who speaks, recall, put it together."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from bethink.clock import now
from bethink.core import Core
from bethink.errors import BethinkError, ModelError, StoreError
from bethink.files.folder import SpaceFiles
from bethink.files.narrative import is_over
from bethink.insights.verbs import digest_of
from bethink.models.embed.traits import is_measured, threshold
from bethink.people.speaker import infer, person_hints
from bethink.prompt import background
from bethink.prompt.background import Background, say_time, zone
from bethink.prompt.documents import Room, passages_for
from bethink.prompt.render import Stable, joined, stable_half, volatile_half
from bethink.prompt.said import newest, place_of
from bethink.prompt.select import Dropped, Floor, Selection, select
from bethink.recall.gather import AccessLog, participants
from bethink.recall.plan import dense, is_greeting, is_own, named
from bethink.recall.recall import recall_for
from bethink.records import Fact, Household, Layer, Memory, Message, Space
from bethink.shapes.documents import DocumentHit, DocumentResults
from bethink.shapes.fields import check_query
from bethink.shapes.households import Speaker
from bethink.shapes.inputs import RecallRequest
from bethink.shapes.options import SpaceOptions
from bethink.shapes.outcomes import Hit, RecallResult
from bethink.shapes.prompts import WITHOUT_RECALL, LeftOut, Prompt, PromptRequest
from bethink.shapes.weaving import text_of, weave
from bethink.store import Tx, journal, units
from bethink.store.rows import every_layer
from bethink.store.units import Spoken
from bethink.text.fold import collapsed
from bethink.text.secrets import Secrecy

_log = logging.getLogger(__name__)

DEEPER = 40  # hits beyond the limit: many say what the prompt has already, or nothing worth telling
# How near is near enough where nobody speaks of themselves; not in English all cosines are higher.
USUAL, FOREIGN = 0.73, 0.75
AROUND = 60  # tokens of a turn's half besides what is recalled: the time, who speaks, the heading


Recalled = tuple[RecallResult, DocumentResults]


@dataclass(frozen=True)
class Turn:
    """A request made definite."""

    request: PromptRequest
    query: str
    budget: int
    limit: int
    first: bool


async def build_prompt(core: Core, space: Space, request: PromptRequest) -> Prompt:
    """The memory part of a prompt for one turn."""
    started, moment = time.perf_counter(), now()
    if not (core.settings.prompt.enabled and request.enabled):
        return _shaped(Prompt(enabled=False), request)
    turn = _turn(core, request)
    early = asyncio.create_task(_embed_early(core, space, turn)) if _embeds(core, turn) else None
    try:
        return await _build(core, space, turn, started, moment)
    finally:
        if early:
            early.cancel()


async def _embed_early(core: Core, space: Space, turn: Turn) -> None:
    """Have the query embedded while the rest is looked up; recall then finds its vector, or waits for it."""
    with suppress(BethinkError):  # recall meets it again, and says so
        known = await core.driver.peek_once(participants, space.id)
        query = dense(turn.query, core.settings.recall.expand_terms, known.names)
        await core.index.vector_maker.query(query)


def _embeds(core: Core, turn: Turn) -> bool:
    """Whether recall will want the query's vector, and would find it: where vectors are kept for a while."""
    kept = core.settings.embed.cache_size and core.settings.embed.cache_seconds
    asked = (
        turn.query.strip()
        and turn.request.recall_seconds != 0
        and not (turn.first and is_greeting(turn.query))
    )
    return bool(core.settings.prompt.recall and core.resolution.enabled and kept and asked)


async def _build(core: Core, space: Space, turn: Turn, started: float, moment: datetime) -> Prompt:
    request = turn.request
    (known, degraded), speaker, options = await asyncio.gather(
        _known(core, space, moment),
        infer(core, space, turn.query, device=request.device, voice=request.voice, person=request.person),
        core.options.of(space),
    )
    stable = stable_half(
        known,
        budget=_stable_budget(core, turn),
        with_guidelines=_guided(core, request),
        said_budget=core.settings.prompt.said_tokens,
        secrecy=core.secrecy,
    )
    recalling = partial(_recall, core, space, turn, known, stable.facts, speaker, moment, options)
    found, there = await _in_time(recalling, turn, core.settings.prompt.recall_seconds)
    selection = await _selected(core, space, turn, known, stable, found)
    room = _room(core, turn, stable, options)
    digest = await _digest(core, space, options)
    together = partial(
        _put_together,
        turn,
        known,
        stable,
        speaker,
        found,
        selection,
        there.hits,
        moment,
        room,
        core.secrecy,
        digest,
    )
    is_much = core.secrecy.is_much([one.hit for one in selection.chosen[: turn.limit]])
    prompt = await asyncio.to_thread(together) if is_much else together()
    core.part(AccessLog).note(prompt.memories)
    prompt.withdrawn = await core.driver.peek(journal.withdrawn, space.id, request.session_id)
    prompt.degraded = list(dict.fromkeys([*degraded, *found.degraded, *there.degraded]))
    prompt.latency_ms = round((time.perf_counter() - started) * 1000, 3)
    return _shaped(prompt, request)


async def _digest(core: Core, space: Space, options: SpaceOptions) -> str:
    """What happened of late, if the space wants that in its prompts; secrets are masked."""
    if not options.prompt_digest_days:
        return ""
    return core.secrecy.shown(await digest_of(core, space, options.prompt_digest_days)).markdown


def _turn(core: Core, request: PromptRequest) -> Turn:
    said = [text_of(m.get("content")) for m in request.messages if m.get("role") == "user"]
    query = request.query if request.query is not None else (said[-1] if said else "")
    limits = core.settings.limits
    if request.query is None:  # it may be long, or hold what cannot be stored, and is only searched for
        query = query[: limits.query_chars].replace("\0", " ").encode("utf-8", "replace").decode()
    check_query(limits, query)
    return Turn(
        request=request,
        query=query,
        budget=request.max_tokens or core.settings.prompt.max_tokens,
        limit=request.limit or core.settings.recall.limit,
        first=request.first_turn if request.first_turn is not None else _is_first(request, len(said)),
    )


def _is_first(request: PromptRequest, said: int) -> bool:
    """Whether nothing was said before, as far as the caller tells."""
    return said == 1 or not (request.messages or request.session_id)


async def _known(core: Core, space: Space, moment: datetime) -> tuple[Background, list[str]]:
    """The background, after what people have written into the files; and what is wrong with the files."""
    known = await _read(core, space, moment)
    changed, problems = await core.part(SpaceFiles).refresh(
        space, known.revision, known.soul, tuple(known.names.items())
    )
    return (await _read(core, space, moment) if changed else known), problems


async def _read(core: Core, space: Space, moment: datetime) -> Background:
    limit = core.settings.prompt.facts
    masks = core.secrecy.masks
    while (known := await core.driver.peek_once(background.read, space.id, limit, masks)) is None:
        await core.driver.write(background.choose, space.id, limit, moment)
    told = known.at(moment, await core.options.kept_since(space, moment))
    if not told.narrative:
        return told
    is_past: bool = await core.driver.peek(is_over, space.id, told.narrative, moment)
    return replace(told, narrative="") if is_past else told


def _guided(core: Core, request: PromptRequest) -> bool:
    return core.settings.prompt.guidelines if request.guidelines is None else request.guidelines


def _stable_budget(core: Core, turn: Turn) -> int:
    share = core.settings.prompt.recall_share if core.settings.prompt.recall else 0.0
    return int(turn.budget * (1 - share))


def _room(core: Core, turn: Turn, stable: Stable, options: SpaceOptions) -> Room:
    """Tokens for this turn's half: what is left, but no more than the space allows unless the caller does."""
    whole = left = turn.budget - stable.tokens.stable
    documents = whole if turn.request.max_tokens else min(whole, core.settings.prompt.document_tokens)
    if turn.request.max_tokens is None and turn.request.limit is None:
        left = min(left, core.settings.prompt.recall_tokens + AROUND)
    chosen = "max_tokens" in options.chosen and turn.request.max_tokens is None
    return Room(whole, min(left, options.max_tokens) if chosen else left, documents)


async def _in_time(recalling: Callable[[], Awaitable[Recalled]], turn: Turn, seconds: float) -> Recalled:
    """What recall brings; when it fails or takes too long, nothing and why: the rest of the prompt stands."""
    if turn.request.recall_seconds is not None:
        seconds = turn.request.recall_seconds
    if not seconds:
        return _without_recall(turn, "it was given no time")
    try:
        async with asyncio.timeout(seconds):
            return await recalling()
    except TimeoutError:
        return _without_recall(turn, f"recall took longer than {seconds * 1000:g} ms")
    except (StoreError, ModelError) as error:
        return _without_recall(turn, f"recall failed: {error.message}")


def _without_recall(turn: Turn, reason: str) -> Recalled:
    told = f"{WITHOUT_RECALL}{reason}"
    _log.warning("A prompt goes out %s", told)
    return RecallResult(query=turn.query, hits=[], engine="none", degraded=[told]), _no_passages(turn)


def _no_passages(turn: Turn) -> DocumentResults:
    return DocumentResults(query=turn.query, hits=[], engine="none")


async def _recall(
    core: Core,
    space: Space,
    turn: Turn,
    known: Background,
    standing: Sequence[Fact],
    speaker: Speaker,
    moment: datetime,
    options: SpaceOptions,
) -> Recalled:
    """What answers the turn: of memory, and of documents where they take part."""
    on = core.settings.prompt.recall and options.max_tokens and turn.query.strip()
    if not on or (turn.first and is_greeting(turn.query)):
        return RecallResult(query=turn.query, hits=[], engine="none"), _no_passages(turn)
    memories = _memories(core, space, turn, known, standing, speaker, moment, options)
    layers = turn.request.layers
    if not (options.documents if layers is None else Layer.PASSAGE in layers):
        return await memories, _no_passages(turn)
    return await asyncio.gather(memories, passages_for(core, space, turn.query))


async def _memories(
    core: Core,
    space: Space,
    turn: Turn,
    known: Background,
    standing: Sequence[Fact],
    speaker: Speaker,
    moment: datetime,
    options: SpaceOptions,
) -> RecallResult:
    """The records that answer the turn, but for passages; facts only where not all stand in the prompt."""
    asked = turn.request.layers
    apart = {Layer.PASSAGE}
    if asked is None and known.fact_count == len(standing) and not options.include_global:
        apart.add(Layer.FACT)
    layers = [layer for layer in (every_layer() if asked is None else asked) if layer not in apart]
    if asked and not layers:
        return RecallResult(query=turn.query, hits=[], engine="none")
    request = RecallRequest(
        query=turn.query,
        limit=min(turn.limit + DEEPER, 200),
        layers=layers,
        person_hints=person_hints(speaker),
        first_turn=turn.first,
        catch_up=turn.request.catch_up,
        secrets=True,  # the few that are shown are masked as they are put together
    )
    return await recall_for(core, space, request, options, moment)


async def _selected(
    core: Core, space: Space, turn: Turn, known: Background, stable: Stable, found: RecallResult
) -> Selection:
    """The hits that are to be shown, in the words in which they are, and why the others are not."""
    said = _said_already(turn.request)
    stored = {core.secrecy.text_to_store(text) for text in said}
    there = {fact.id for fact in stable.facts} | said | stored
    session = None if turn.request.messages else turn.request.session_id
    new, dropped = _new(found.hits, there, known.ended, session)
    ids = [hit.id for hit in new if hit.space in (None, space.name)]
    read = await core.driver.peek(_read_in, space.id, ids) if ids else {}
    names = (await core.driver.peek_once(participants, space.id)).names
    newer = newest(stable.facts, (one for one in known.said if place_of(one.unit) in stable.said))
    selection = select(turn.query, new, read, stable.said, _floor(core, turn, names), names, newer)
    return Selection(selection.chosen, [*dropped, *selection.dropped])


def _read_in(tx: Tx, space_id: str, ids: Sequence[str]) -> dict[str, list[Spoken]]:
    return units.of_messages(tx, space_id, ids) | units.of_memories(tx, space_id, ids)


def _floor(core: Core, turn: Turn, names: Collection[str]) -> Floor | None:
    """How near is near enough: less where the user speaks of themselves or of somebody known.

    None where nobody has measured which cosines of the model are near.
    """
    embedder = core.resolution.embedder
    if not core.settings.prompt.floor or embedder is None or not is_measured(embedder.signature):
        return None
    read = core.index.reading(turn.query)
    if read == "unread":
        return Floor(None)
    if is_own(turn.query) or named(turn.query, names):
        return Floor(threshold(embedder.signature, "recall"))
    return Floor(threshold(embedder.signature, "passages", FOREIGN if read == "foreign" else USUAL))


def _said_already(request: PromptRequest) -> set[str]:
    return {text_of(message.get("content")) for message in request.messages}


def _new(
    hits: Sequence[Hit], there: set[str], ended: Collection[str], session: str | None
) -> tuple[list[Hit], list[Dropped]]:
    """The hits that are not in the prompt already; of those that say the same, the first. And the others."""
    said: dict[str, Hit] = {}
    dropped: list[Dropped] = []
    for hit in hits:
        words = collapsed(hit.text).casefold()
        if _is_of(hit, ended):  # what was said instead is told, with its time
            dropped.append(Dropped(hit, "superseded", hit.superseded_by))
        elif _is_there(hit, there, session):
            dropped.append(Dropped(hit, "present"))
        elif words in said:
            dropped.append(Dropped(hit, "duplicate", said[words].id))
        else:
            said[words] = hit
    return list(said.values()), dropped


def _is_of(hit: Hit, facts: Collection[str]) -> bool:
    """Whether a record is one of these facts, or the memory that one was made of."""
    fact = hit.record.source_ref.get("fact") if isinstance(hit.record, Memory) else None
    return hit.id in facts or fact in facts


def _is_there(hit: Hit, there: set[str], session: str | None) -> bool:
    """Whether a record is in the prompt or in the conversation already."""
    if isinstance(hit.record, Message):
        return hit.text in there or (session is not None and hit.record.session_id == session)
    return _is_of(hit, there)


def _put_together(
    turn: Turn,
    known: Background,
    stable: Stable,
    speaker: Speaker,
    found: RecallResult,
    selection: Selection,
    passages: Sequence[DocumentHit],
    moment: datetime,
    room: Room,
    secrecy: Secrecy,
    digest: str,
) -> Prompt:
    """The prompt; what is shown of memory has marks in place of secrets."""
    place = zone(known.space.timezone)
    local_time = say_time(moment, place)
    volatile = volatile_half(
        local_time,
        speaker,
        selection.chosen,
        passages,
        names=known.names,
        place=place,
        limit=turn.limit,
        room=room,
        secrecy=secrecy,
        digest=digest,
    )
    tokens = stable.tokens.model_copy(
        update={
            "budget": turn.budget,
            "memories": volatile.tokens.memories,
            "documents": volatile.tokens.documents,
            "volatile": volatile.tokens.volatile,
            "total": stable.tokens.stable + volatile.tokens.volatile,
        }
    )
    dropped = [*selection.dropped, *volatile.cut] if turn.request.explain else []
    return Prompt(
        stable=stable.text,
        volatile=volatile.text,
        text=joined(stable.text, volatile.text),
        soul=known.soul,
        narrative=known.narrative,
        household=Household.of(known.space, known.persons),
        facts=list(stable.facts),
        speaker=speaker,
        local_time=local_time,
        memories=list(volatile.memories),
        documents=list(volatile.documents.shown),
        tokens=tokens,
        left_out=stable.left_out.model_copy(
            update={
                "memories": volatile.left_out,
                "documents": volatile.documents.left_out,
                "lines": _told_of(dropped, secrecy),
            }
        ),
        engine=found.engine if volatile.memories else "none",
    )


def _told_of(dropped: Sequence[Dropped], secrecy: Secrecy) -> list[LeftOut]:
    """What is not in the prompt, the best first, as it may be shown."""
    return [
        LeftOut(
            layer=one.hit.layer,
            id=one.hit.id,
            text=(text := secrecy.shown(one.hit.text)),
            score=one.hit.score,
            reason="secret" if one.reason == "doubtful" and text != one.hit.text else one.reason,
            instead=one.instead,
        )
        for one in sorted(dropped, key=lambda one: -one.hit.score)
    ]


def _shaped(prompt: Prompt, request: PromptRequest) -> Prompt:
    if request.shape:
        asked = [{"role": "user", "content": request.query}] if request.query else []
        messages = request.messages or asked
        prompt.body = weave(prompt.stable, prompt.volatile, messages, request.shape)
    return prompt
