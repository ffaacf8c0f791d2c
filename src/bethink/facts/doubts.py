"""Facts that were not confirmed for so long that they may hold no more. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime, timedelta

from bethink.records import Fact
from bethink.shapes.outcomes import Doubt
from bethink.text.slots import comes_first, half_life

CONFIRMED = 0.5  # how much less one counts that somebody is sure of than one that is a guess


def confirmed_at(fact: Fact) -> datetime:
    """When it was last said, as far as is known."""
    never_again = fact.last_verified_at is None or fact.last_verified_at <= fact.created_at
    return fact.valid_from if never_again or fact.last_verified_at is None else fact.last_verified_at


def is_old(fact: Fact, now: datetime) -> bool:
    """Whether nobody has confirmed it for the half-life of its slot."""
    lasts = half_life(fact.category, fact.key, fact.value)
    return lasts is not None and now - confirmed_at(fact) >= lasts


def doubts(current: Iterable[Fact], now: datetime) -> list[Doubt]:
    """The facts that are old, the dangerous ones first, then those least sure to hold."""
    found = [
        fact for fact in current if is_old(fact, now) and (fact.expires_at is None or fact.expires_at > now)
    ]
    ranked = sorted(found, key=lambda fact: (_turn(fact), -_doubt(fact, now), fact.id))
    return [
        Doubt(fact=fact, confirmed_at=confirmed_at(fact), doubt=round(_doubt(fact, now), 4))
        for fact in ranked
    ]


def _doubt(fact: Fact, now: datetime) -> float:
    """How likely it is that it holds no more, from 0 to 1."""
    lasts = half_life(fact.category, fact.key, fact.value) or timedelta.max
    held = math.exp2(-((now - confirmed_at(fact)) / lasts))
    return 1 - held * (CONFIRMED + (1 - CONFIRMED) * fact.confidence / 100)


def _turn(fact: Fact) -> int:
    return comes_first(fact.category, fact.key, fact.value)
