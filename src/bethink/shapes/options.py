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
from bethink.settings import EMBED_SOURCES, Quantisation, Settings, VectorStoreName, known_source
from bethink.shapes.fields import LIST_ITEMS, Name, Names
from bethink.shapes.ingest import Mapped

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
    skills_enabled: bool = Field(
        False,
        description="Whether the gateway gives models the tools of memory, and runs what they call. Off by"
        " default, because every round is paid for.",
    )
    max_tokens: int = Field(
        2000, ge=0, le=16_000, description="Token budget of recalled memories; 0 weaves none into prompts."
    )
    retention_days: int | None = Field(
        None,
        ge=1,
        le=365,
        description="What was said or noted is found no more once it is older, unless it is pinned; null"
        " keeps everything.",
    )
    auto_summarize: bool = Field(
        False, description="Whether memories are compacted daily once they are old; see `compact_days`."
    )
    strategy: Literal["recent", "semantic", "hybrid"] = Field("hybrid", description="How recall looks.")
    include_global: bool = Field(
        False, description="Whether recall also looks in the space `global`, which admins fill."
    )
    documents: bool = Field(
        False,
        description="Whether documents take part: in recall where no layers are named, and in prompts in a"
        " section of their own.",
    )
    extractors: list[ExtractorName] = Field(
        default_factory=_patterns_only,
        description="How conversations become memories: `patterns` needs no model; `facts` (every 5"
        " messages), `one-fact` (after each reply) and `stale` (when a session has rested) ask a chat model.",
    )
    insights: Literal["auto", "rules", "off"] = Field(
        "auto",
        description="How channels become insights: `auto` asks the chat model where there is one, `rules`"
        " never does, `off` makes none.",
    )
    insight_people: Names = Field(
        default_factory=list, description="People whose insights are one step more important."
    )
    insight_topics: Names = Field(
        default_factory=list, description="Words whose insights are one step more important."
    )
    ingest: dict[Name, Mapped] = Field(
        default_factory=dict,
        max_length=LIST_ITEMS,
        description="Where in what each platform posts to `/api/ingest/{platform}` its parts are.",
    )
    muted_channels: Names = Field(default_factory=list, description="Channels that make no insights.")
    prompt_digest_days: int = Field(
        0, ge=0, le=366, description="Prompts hold a digest of so many days; 0 puts none in."
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
    vector_store: VectorStoreName = Field(
        "auto",
        max_length=100,
        description="Where vectors are searched, as the setting `index.vector_store`. Another store is filled"
        " in the background, and the one before answers until then.",
    )
    vector_host: str = Field(
        "localhost", min_length=1, max_length=255, description="Host of the Qdrant or Chroma server."
    )
    vector_port: int | None = Field(
        None, ge=1, le=65_535, description="Its HTTP port; null is 6333 for Qdrant, 8000 for Chroma."
    )
    vector_grpc_port: int | None = Field(
        None, ge=1, le=65_535, description="Port of Qdrant's gRPC; null takes HTTP."
    )
    vector_tls: bool = Field(False, description="Whether that server is spoken to over TLS.")
    vector_collection: str = Field(
        "bethink_memory",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$",
        description="What the names of its collections begin with.",
    )
    vector_quantisation: Quantisation = Field(
        "none", description="Whether Qdrant or sqlite-vec look through coarse copies first."
    )


# One database has one embedding source and one vector index, whatever the space.
SERVER_WIDE = frozenset(
    {
        "embedding_source", "embedding_provider_model", "transformers_enabled", "static_enabled",
        "rerank_provider_model", "vector_store", "vector_host", "vector_port", "vector_grpc_port",
        "vector_tls", "vector_collection", "vector_quantisation",
    }
)  # fmt: skip


class SpaceOptions(Options):
    """The options that hold in a space, and where each was chosen."""

    chosen: dict[str, Scope] = Field(
        default_factory=dict, description="Which options were chosen, for the space or for the server."
    )

    @field_serializer("chosen")
    def _chosen_by_alias(self, chosen: dict[str, Scope], info: SerializationInfo) -> dict[str, Scope]:
        return {to_camel(name): at for name, at in chosen.items()} if info.by_alias else chosen


class OptionsChange(Options):
    """A change of some options."""


def defaults(settings: Settings) -> dict[str, Any]:
    """What holds where the database says nothing."""
    return {
        "max_tokens": settings.recall.max_tokens,
        "strategy": settings.recall.strategy,
        "documents": settings.recall.documents,
        "rerank_enabled": settings.recall.tier == "best" or settings.rerank.source != "off",
        "rerank_provider_model": settings.rerank.model if settings.rerank.source == "http" else None,
        "embedding_source": settings.embed.source,
        "embedding_provider_model": settings.embed.model,
        "transformers_enabled": settings.embed.transformers_enabled,
        "static_enabled": settings.embed.static_enabled,
        "vector_store": settings.index.vector_store,
        "vector_host": settings.vectors.host,
        "vector_port": settings.vectors.port,
        "vector_grpc_port": settings.vectors.grpc_port,
        "vector_tls": settings.vectors.tls,
        "vector_collection": settings.vectors.collection,
        "vector_quantisation": settings.vectors.quantisation,
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


def with_options(settings: Settings, options: Options, vector_key: str | None = None) -> Settings:
    """The settings with the embedding source, the rerank model and the vector store of the options.

    The key of the vector store is no option: nothing shows it, and the journal does not keep it.
    """
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
    vectors = {
        name.removeprefix("vector_"): getattr(options, name)
        for name in sorted(SERVER_WIDE)
        if name.startswith("vector_") and name != "vector_store"
    }
    if vector_key is not None:
        vectors["api_key"] = vector_key or None
    overrides = {"embed": chosen, "index": {"vector_store": options.vector_store}, "vectors": vectors}
    if options.rerank_provider_model is not None:
        overrides["rerank"] = {"source": "http", "model": options.rerank_provider_model}
    return settings.with_overrides(overrides)
