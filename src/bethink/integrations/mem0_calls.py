"""What mem0's methods are called with: their keywords, refused where they would have no effect. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from bethink.errors import InvalidInput
from bethink.integrations.mem0_filters import OWNERS, owner_id
from bethink.integrations.mem0_values import Expiry

Owner = str | int | None  # a user, an agent or a run; one of the three at least, here or in the filters


class Search(TypedDict, total=False):
    """How a search goes. `limit` is what mem0 1 called `top_k`."""

    top_k: int
    limit: int
    filters: Mapping[str, Any] | None
    threshold: float | None
    rerank: bool
    explain: bool
    show_expired: bool
    user_id: Owner
    agent_id: Owner
    run_id: Owner


class Listing(TypedDict, total=False):
    """What is listed. `limit` is what mem0 1 called `top_k`."""

    top_k: int
    limit: int
    filters: Mapping[str, Any] | None
    show_expired: bool
    user_id: Owner
    agent_id: Owner
    run_id: Owner


class Adding(TypedDict, total=False):
    """What goes with something to add. `timestamp` says when it was said."""

    user_id: Owner
    agent_id: Owner
    run_id: Owner
    metadata: Mapping[str, Any] | None
    timestamp: Any
    expiration_date: Expiry
    infer: bool
    memory_type: str | None


def check_names(given: Mapping[str, Any], known: type) -> None:
    """Refuse arguments that would have no effect here."""
    for name in given.keys() - known.__annotations__.keys():
        raise InvalidInput(
            f"{name}: is not known here; known are {', '.join(known.__annotations__)}.", field=name
        )


def owners_given(given: Mapping[str, Any]) -> dict[str, str]:
    """The user, the agent and the run that arguments name."""
    return {name: text for name in OWNERS if (text := owner_id(name, given.get(name)))}


def filters_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The filters, with whose memories are meant."""
    if given.get("show_expired"):
        raise InvalidInput(
            "show_expired: what has expired is not kept to be found; leave it out.", field="show_expired"
        )
    return {**(given.get("filters") or {}), **owners_given(given)}


def most_of(given: Mapping[str, Any]) -> int:
    """How many are wanted."""
    name = "limit" if "limit" in given else "top_k"
    most = given.get(name, 20)
    if not isinstance(most, int) or isinstance(most, bool) or most < 0:
        raise InvalidInput(f"{name}: must be a whole number from 0 on, not {most!r}.", field=name)
    return most
