"""Every embedding source there is: could it be chosen as things are, with which model, and why not."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from importlib.metadata import entry_points
from importlib.util import find_spec

import httpx2

from bethink.models import weights
from bethink.models.embed import choose, ollama, openai, sentence_transformers, static
from bethink.models.embed.traits import INSTALL
from bethink.settings import EMBEDDER_PLUGINS, Settings

PROBE_SECONDS = 1.0  # how long a host on this machine may take to say that it is there
_OURS, _MULTILINGUAL = weights.MODELS["embed"], weights.MODELS["multilingual"]
_DIMENSIONS = {
    _OURS.name: _OURS.dimensions,
    _MULTILINGUAL.name: _MULTILINGUAL.dimensions,
    openai.DEFAULT_MODEL: 1536,
    ollama.DEFAULT_MODEL: 768,
    static.DEFAULT_MODEL: 256,
    sentence_transformers.DEFAULT_MODEL: 384,
}


@dataclass(frozen=True, slots=True)
class Surveyed:
    """A source, and whether it could be chosen."""

    source: str
    available: bool
    reason: str
    model: str | None
    needs_key: bool = False
    has_key: bool = False

    @property
    def dimensions(self) -> int | None:
        """The length of its vectors, where the model is a known one."""
        return _DIMENSIONS.get(self.model or "")


async def survey(settings: Settings) -> list[Surveyed]:
    """All sources in the order of `embed.source`; asks only Ollama's host whether it is there."""
    embed = settings.embed
    local = embed.model if embed.model and not _OURS.is_called(embed.model) else _OURS.name
    found = [
        Surveyed("local", *choose.local_suits(settings), local),
        Surveyed(
            "multilingual",
            choose.multilingual_installed(),
            "installed" if choose.multilingual_installed() else f"not installed: {INSTALL}",
            _MULTILINGUAL.name,
        ),
        _openai(settings),
        await _ollama(settings),
        Surveyed("static", *choose.static_suits(settings), embed.model or static.DEFAULT_MODEL),
        Surveyed(
            "sentence-transformers",
            find_spec("sentence_transformers") is not None,
            "installed"
            if find_spec("sentence_transformers")
            else "not installed: pip install 'bethink[sentence-transformers]'",
            embed.model or sentence_transformers.DEFAULT_MODEL,
        ),
    ]
    plugins = entry_points(group=EMBEDDER_PLUGINS)
    return found + [Surveyed(plugin.name, True, f"brought by {plugin.value}", None) for plugin in plugins]


def _openai(settings: Settings) -> Surveyed:
    embed, chat = settings.embed, settings.chat
    key = bool(embed.api_key or chat.api_key)
    suits, reason = choose.openai_suits(settings)
    if not suits and key:
        suits, reason = True, "a key is set, for OpenAI itself"
    own_host = bool(embed.base_url or chat.base_url)
    return Surveyed(
        "openai", suits, reason, embed.model or openai.DEFAULT_MODEL, needs_key=not own_host, has_key=key
    )


async def _ollama(settings: Settings) -> Surveyed:
    embed = settings.embed
    base = (embed.base_url or ollama.DEFAULT_HOST).rstrip("/").removesuffix("/v1")
    try:
        async with (
            asyncio.timeout(PROBE_SECONDS),
            httpx2.AsyncClient(timeout=PROBE_SECONDS, trust_env=False) as client,
        ):
            answer = await client.get(f"{base}/api/version")
        there, reason = answer.is_success, f"{base} answered {answer.status_code}"
    except (httpx2.HTTPError, TimeoutError) as error:
        there, reason = False, f"{base} does not answer: {error or 'it takes too long'}"
    model = embed.model or ollama.DEFAULT_MODEL
    return Surveyed("ollama", there, reason, model, has_key=bool(embed.api_key))
