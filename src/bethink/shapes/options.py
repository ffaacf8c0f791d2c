"""Options: what is switched and tuned while Bethink runs, kept in the database.

A space's own options lie over the server's, which lie over what the settings of the process say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SerializationInfo,
    ValidationError,
    field_serializer,
)
from pydantic.alias_generators import to_camel

from bethink.records import Record
from bethink.settings import EMBED_SOURCES, Settings, known_source

Scope = Literal["server", "space"]
ExtractorName = Literal["patterns", "facts", "one-fact", "stale"]

# Names under which people know some sources.
_ALIASES = {"remote": "openai", "transformers": "sentence-transformers"}


def _source(value: Any) -> Any:
    return _ALIASES.get(value, value) if isinstance(value, str) else value


def _patterns_only() -> list[ExtractorName]:
    return ["patterns"]


class Options(Record):
    """What is switched and tuned while Bethink runs. What is left out of a change stays as it is."""

    enabled: bool = Field(
        False,
        description="Whether the gateway uses memory at all. Off by default, because what is woven into a"
        " request is paid for. The library, the API and the command line work either way.",
    )
    injection: bool = Field(True, description="Whether the gateway weaves memories into requests.")
    extraction: bool = Field(True, description="Whether the gateway takes in conversations.")
    max_tokens: int = Field(
        2000, ge=0, le=16_000, description="Token budget of recalled memories; 0 weaves none into prompts."
    )
    retention_days: int | None = Field(
        None, ge=1, le=365, description="Recall leaves out what is older than this; null keeps everything."
    )
    strategy: Literal["recent", "semantic", "hybrid"] = Field("hybrid", description="How recall looks.")
    include_global: bool = Field(
        False, description="Whether recall also looks in the space `global`, which admins fill."
    )
    extractors: list[ExtractorName] = Field(
        default_factory=_patterns_only,
        description="How conversations become memories: `patterns` needs no model; `facts` (every 5"
        " messages), `one-fact` (after each reply) and `stale` (when a session has rested) ask a chat model.",
    )
    rerank_enabled: bool = Field(
        False, description="Whether a cross-encoder reads the first hits again; better, and slower."
    )
    rerank_provider_model: str | None = Field(
        None, max_length=250, description="Model of the rerank host; null uses the packaged one."
    )
    embedding_source: Annotated[str, BeforeValidator(_source), AfterValidator(known_source)] = Field(
        "auto",
        max_length=100,
        description="Where vectors come from, as the setting `embed.source`; `remote` and `transformers` are"
        " other names for `openai` and `sentence-transformers`.",
    )
    embedding_provider_model: str | None = Field(
        None, max_length=250, description="Embedding model, as `model` or `source/model`."
    )
    transformers_enabled: bool = Field(
        False, description="Whether `auto` may take sentence-transformers when it is installed."
    )
    static_enabled: bool = Field(True, description="Whether `auto` may take a static model.")
    vector_store: Literal["auto", "embedded", "pgvector"] = Field(
        "auto", description="Where vectors are searched; a change takes effect at the next start."
    )


# One database has one embedding source and one vector index, whatever the space.
SERVER_WIDE = frozenset(
    {
        "embedding_source", "embedding_provider_model", "transformers_enabled", "static_enabled",
        "rerank_provider_model", "vector_store",
    }
)  # fmt: skip


class SpaceOptions(Options):
    """The options that hold in a space, and where each was chosen."""

    chosen: dict[str, Scope] = Field(
        default_factory=dict, description="Which options were chosen, for the space or for the server."
    )
    restart_needed: list[str] = Field(
        default_factory=list, description="Options that take effect when the server is started again."
    )

    @field_serializer("chosen")
    def _chosen_by_alias(self, chosen: dict[str, Scope], info: SerializationInfo) -> dict[str, Scope]:
        return {to_camel(name): at for name, at in chosen.items()} if info.by_alias else chosen

    @field_serializer("restart_needed")
    def _restart_by_alias(self, names: list[str], info: SerializationInfo) -> list[str]:
        return [to_camel(name) for name in names] if info.by_alias else names


class OptionsChange(Options):
    """A change of some options."""


def defaults(settings: Settings) -> dict[str, Any]:
    """What holds where the database says nothing."""
    return {
        "max_tokens": settings.recall.max_tokens,
        "strategy": settings.recall.strategy,
        "rerank_enabled": settings.recall.tier == "best" or settings.rerank.source != "off",
        "rerank_provider_model": settings.rerank.model if settings.rerank.source == "http" else None,
        "embedding_source": settings.embed.source,
        "embedding_provider_model": settings.embed.model,
        "transformers_enabled": settings.embed.transformers_enabled,
        "static_enabled": settings.embed.static_enabled,
        "vector_store": settings.index.vector_store,
    }


def effective(settings: Settings, server: Mapping[str, Any], space: Mapping[str, Any]) -> SpaceOptions:
    """The options of a space. What another version stored and this one cannot use is left out."""
    chosen: dict[str, Scope] = {}
    values = defaults(settings)
    layers: tuple[tuple[Scope, Mapping[str, Any]], ...] = (("server", server), ("space", space))
    for scope, stored in layers:
        for name, value in stored.items():
            allowed = name in Options.model_fields and (scope == "server" or name not in SERVER_WIDE)
            if allowed and _usable(name, value):
                values[name], chosen[name] = value, scope
    return SpaceOptions(**values, chosen=chosen)


def _usable(name: str, value: Any) -> bool:
    try:
        Options.model_validate({name: value})
    except ValidationError:
        return False
    return True


def with_options(settings: Settings, options: Options) -> Settings:
    """The settings with the embedding source, the rerank model and the vector store of the options."""
    source, model = options.embedding_source, options.embedding_provider_model
    prefix, _, rest = (model or "").partition("/")
    named = _ALIASES.get(prefix, prefix)
    if rest and named in EMBED_SOURCES:
        model = rest
        source = named if source in ("auto", "openai") else source
    chosen = {
        "source": source,
        "model": model,
        "transformers_enabled": options.transformers_enabled,
        "static_enabled": options.static_enabled,
    }
    overrides = {"embed": chosen, "index": {"vector_store": options.vector_store}}
    if options.rerank_provider_model is not None:
        overrides["rerank"] = {"source": "http", "model": options.rerank_provider_model}
    return settings.with_overrides(overrides)
