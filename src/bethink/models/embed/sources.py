"""The known sources by name, each imported only when it is opened, and those other packages bring.

A package adds a source with an entry point of the group `bethink.embedders`: its name is what
`embed.source` says, its object a function that takes the `Settings` and returns an `Embedder` or an
awaitable of one.
"""

from __future__ import annotations

from inspect import isawaitable

from bethink.errors import ModelMissing
from bethink.models.embed.protocol import Embedder
from bethink.settings import EMBEDDER_PLUGINS, Settings


async def open_source(name: str, settings: Settings) -> Embedder:
    """Open the source called `name`."""
    if name == "local":
        from bethink.models.embed.local import open_local

        return await open_local(settings)
    if name == "multilingual":
        from bethink.models.embed.multilingual import open_multilingual

        return await open_multilingual(settings)
    if name == "openai":
        from bethink.models.embed.openai import open_openai

        return await open_openai(settings)
    if name == "ollama":
        from bethink.models.embed.ollama import open_ollama

        return await open_ollama(settings)
    if name == "static":
        from bethink.models.embed.static import open_static

        return await open_static(settings)
    if name == "sentence-transformers":
        from bethink.models.embed.sentence_transformers import open_sentence_transformers

        return await open_sentence_transformers(settings)
    return await _open_plugin(name, settings)


async def _open_plugin(name: str, settings: Settings) -> Embedder:
    from importlib.metadata import entry_points

    found = entry_points(group=EMBEDDER_PLUGINS, name=name)
    if not found:
        raise ModelMissing(
            f"No installed package brings an embedding source called {name}.", field="embed.source"
        )
    made = next(iter(found)).load()(settings)
    embedder: Embedder = await made if isawaitable(made) else made
    return embedder
