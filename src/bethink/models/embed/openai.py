"""The `openai` source: any host with an OpenAI-compatible `/embeddings`."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from bethink.models.embed.measure import measured
from bethink.models.embed.remote import RemoteEmbedder
from bethink.models.hosts import Host
from bethink.settings import Settings

DEFAULT_MODEL = "text-embedding-3-small"
_OPENAI = "https://api.openai.com/v1"


async def open_openai(settings: Settings) -> RemoteEmbedder:
    """Reach the host of `embed.base_url`, else of `chat.base_url`, else OpenAI's own."""
    embed, chat = settings.embed, settings.chat
    key = embed.api_key or (chat.api_key if _same_host(embed.base_url, chat.base_url) else None)
    base = embed.base_url or chat.base_url or _OPENAI
    model = embed.model or DEFAULT_MODEL
    host = Host(
        f"{base.rstrip('/')}/embeddings",
        key=_plain(key),
        timeout=embed.timeout_seconds,
        missing=(
            f"Check that embed.base_url is right (it mostly ends in /v1) and that the host has {model}, or"
            ' set embed.model; embed.source = "local" needs no host.'
        ),
    )
    return await measured(RemoteEmbedder("openai", model, host, embed, _read))


def _read(answer: Any) -> list[Any]:
    entries = answer["data"]
    # Some hosts leave the index out and keep the order.
    numbered = {entry.get("index", position): entry["embedding"] for position, entry in enumerate(entries)}
    return [numbered[position] for position in range(len(entries))]


def _same_host(embed_url: str | None, chat_url: str | None) -> bool:
    """May the chat host's key be shown to the embedding host?"""
    if embed_url is None:
        return True
    return chat_url is not None and urlsplit(embed_url)[:2] == urlsplit(chat_url)[:2]


def _plain(key: SecretStr | None) -> str | None:
    return key.get_secret_value() if key else None
