"""The `ollama` source: a host with Ollama's own `/api/embed`."""

from __future__ import annotations

from typing import Any

from bethink.models.embed.measure import measured
from bethink.models.embed.remote import RemoteEmbedder
from bethink.models.hosts import Host
from bethink.settings import Settings

DEFAULT_MODEL = "nomic-embed-text"
DEFAULT_HOST = "http://localhost:11434"


async def open_ollama(settings: Settings) -> RemoteEmbedder:
    """Reach the host of `embed.base_url`, by default the one on this machine."""
    embed = settings.embed
    # Whoever has the OpenAI-compatible address at hand means the same host.
    base = (embed.base_url or DEFAULT_HOST).rstrip("/").removesuffix("/v1")
    model = embed.model or DEFAULT_MODEL
    host = Host(
        f"{base}/api/embed",
        key=embed.api_key.get_secret_value() if embed.api_key else None,
        timeout=embed.timeout_seconds,
        missing=f"Run `ollama pull {model}` on it, or set embed.model to one it has.",
    )
    return await measured(RemoteEmbedder("ollama", model, host, embed, _read))


def _read(answer: Any) -> list[Any]:
    rows: list[Any] = answer["embeddings"]
    return rows
