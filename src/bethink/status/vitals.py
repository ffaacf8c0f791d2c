"""How a space and the whole memory are doing, in numbers and in words."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

from bethink.clock import now
from bethink.core import Core
from bethink.errors import InvalidInput
from bethink.extraction.sweep import Readings
from bethink.models.worth import Worth
from bethink.records import Space
from bethink.shapes.outcomes import CacheStats, Growth, GrowthDay, KeptSearchStats, LayerCount, Stats, Vitals
from bethink.store import entries, vitals
from bethink.store.filters import EntryFilter
from bethink.upkeep import Runner

FARTHEST_DAYS = 3660  # that growth is told of


def cache_stats(core: Core) -> CacheStats:
    """How the cache of embeddings is doing."""
    kept, embed = core.resolution.statistics, core.settings.embed
    hits, misses, size = (kept.hits, kept.misses, kept.size) if kept else (0, 0, 0)
    asked = hits + misses
    return CacheStats(
        hits=hits,
        misses=misses,
        size=size,
        capacity=embed.cache_size,
        seconds=embed.cache_seconds,
        hit_rate=round(hits / asked, 4) if asked else None,
    )


def kept_searches(core: Core) -> KeptSearchStats:
    """How the searches that this process keeps are doing."""
    kept = core.index.kept
    return KeptSearchStats(
        hits=kept.hits,
        misses=kept.misses,
        size=len(kept),
        capacity=kept.capacity,
        hit_rate=kept.hit_rate,
    )


def degraded(core: Core) -> list[str]:
    """What is not working as it should, in words."""
    found, resolution = [], core.resolution
    if not resolution.enabled:
        found.append(f"no embedding source: {resolution.reason}")
    elif resolution.problem:
        found.append(f"the embedding source is down: {resolution.problem}")
    worth = core.part(Worth)
    if worth.state in ("missing", "failing"):
        why = worth.problem or "the model of worth is not installed"
        found.append(f"what is worth keeping is decided by rules alone: {why}")
    if core.damage:
        found.append(f"the database is damaged: {core.damage[0]} ('bethink doctor --deep' lists it all)")
    return found


async def space_stats(core: Core, space: Space) -> Stats:
    """What a space holds, and how its index is doing."""
    signature, at = await core.signature(), now()
    chosen = EntryFilter(alive_at=at, kept_since=await core.options.kept_since(space, at))
    every = await core.driver.read(entries.count, space.id, signature or "")
    counts = await core.driver.read(entries.count, space.id, signature or "", chosen=chosen)
    layers = {
        layer: LayerCount(total=total, embedded=made if signature else 0)
        for layer, (total, made) in counts.items()
    }
    waiting = sum(total - (made if signature else 0) for total, made in every.values())
    return Stats(
        space=space.name,
        layers=layers,
        embedding_source=core.resolution.source,
        embedding_state=core.resolution.state,
        embedding_reason=core.resolution.problem or core.resolution.reason,
        embedding_advice=core.options.advice,
        signature=signature,
        awaiting_vectors=waiting if core.resolution.enabled else 0,
        degraded=[*degraded(core), *await _unread(core, space)],
    )


async def growth_of(core: Core, space: Space, days: int, moment: datetime) -> Growth:
    """What each of the last days has brought."""
    if not 1 <= days <= FARTHEST_DAYS:
        raise InvalidInput(f"Days are from 1 to {FARTHEST_DAYS}.", field="days")
    first = datetime.combine(moment.date() - timedelta(days=days - 1), time.min, UTC)
    counts = await core.driver.read(entries.count, space.id, "")
    found = await core.driver.read(entries.by_day, space.id, first)
    total = sum(count for count, _ in counts.values())
    lines = [GrowthDay(day=day, counts=made) for day, made in found.items()]
    return Growth(before=total - sum(sum(made.values()) for made in found.values()), days=lines)


async def memory_vitals(core: Core) -> Vitals:
    """How everything is doing, in numbers."""
    signature = await core.signature()
    counts = await core.driver.read(vitals.count, signature or "")
    if not core.resolution.enabled:
        counts["entries_awaiting_vectors"] = 0
    running = core.part(Runner).running
    return Vitals(**counts, sweeps_running=running, degraded=bool(degraded(core)))


async def _unread(core: Core, space: Space) -> list[str]:
    """What keeps conversations from being read as they should, in words."""
    chosen = (await core.options.of(space)).extractors
    missing = [name for name in chosen if not core.part(Readings).can(name)]
    problems = [f"the extractor {name} has nobody to ask: {core.chat.reason}" for name in missing]
    if core.chat.problem:
        problems.append(f"the chat model is failing: {core.chat.problem}")
    return problems
