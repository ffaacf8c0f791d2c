"""The models of all providers in one list, each under its provider's name."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Any

from bethink.gateway.connections import Silent, Unreachable
from bethink.gateway.providers import Provider, Upstream, request_headers
from bethink.gateway.refusals import Refused

PATIENCE_SECONDS = 5.0  # a provider that has not answered by then is left out
LIST_BYTES = 8_000_000
_log = logging.getLogger(__name__)

Model = dict[str, Any]


async def list_models(upstream: Upstream, providers: Sequence[Provider]) -> tuple[list[Model], list[str]]:
    """Every model, and which providers did not say theirs."""
    answers = await asyncio.gather(*(_models_of(upstream, provider) for provider in providers))
    missing = [p.name for p, models in zip(providers, answers, strict=True) if models is None]
    return [model for models in answers for model in models or ()], missing


async def _models_of(upstream: Upstream, provider: Provider) -> list[Model] | None:
    if provider.models:
        return [_named(provider, {"id": model}) for model in provider.models]
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            found = await _ask(upstream, provider)
    except (Refused, TimeoutError, Unreachable, Silent, ValueError) as error:
        _log.warning("The provider %s does not list its models: %s", provider.name, error)
        return None
    return [_named(provider, model) for model in found]


async def _ask(upstream: Upstream, provider: Provider) -> list[Model]:
    headers = request_headers(provider, (), own_key=False, encodings=None)
    query = b"limit=1000" if provider.kind == "anthropic" else b""
    reply = await upstream.send(provider, "GET", "/models", query, headers, b"")
    try:
        data = bytearray()
        async for chunk in reply.pieces():
            data += chunk
            if len(data) > LIST_BYTES:
                raise ValueError("the list is too long")
    finally:
        await reply.close()
    said = json.loads(data)
    found = said.get("data") if isinstance(said, dict) and reply.status == 200 else None
    if not isinstance(found, list):
        raise ValueError(f"it answered {reply.status} and no list")
    return [model for model in found if isinstance(model, dict) and isinstance(model.get("id"), str)]


def _named(provider: Provider, model: Model) -> Model:
    standard = {"object": "model", "created": 0, "owned_by": provider.name}
    return {**standard, **model, "id": f"{provider.name}/{model['id']}"}


def as_openai(models: Sequence[Model]) -> dict[str, Any]:
    """The list as OpenAI's clients read it."""
    return {"object": "list", "data": list(models)}


def as_anthropic(models: Sequence[Model]) -> dict[str, Any]:
    """The list as Anthropic's clients read it."""
    data = [one_for_anthropic(model) for model in models]
    first, last = (data[0]["id"], data[-1]["id"]) if data else (None, None)
    return {"data": data, "has_more": False, "first_id": first, "last_id": last}


def one_for_anthropic(model: Model) -> Model:
    """A model as Anthropic's clients read it."""
    standard = {"type": "model", "display_name": model["id"], "created_at": "1970-01-01T00:00:00Z"}
    return {**standard, **{name: model[name] for name in ("display_name", "created_at") if name in model},
            "id": model["id"]}  # fmt: skip
