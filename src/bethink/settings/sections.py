"""Sections of the settings about people, prompts and chat, and what every section is made of."""

from __future__ import annotations

import json
import os
from collections.abc import Set
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr


class Section(BaseModel):
    """Settings that belong together; an unknown name in it is an error."""

    model_config = ConfigDict(extra="forbid", validate_default=True)


def expanded(path: Path) -> Path:
    # Not Path.expanduser(): that raises where `~name` is nobody's, this leaves it as it is.
    return Path(os.path.expanduser(path))


UserPath = Annotated[Path, AfterValidator(expanded)]
# What callers give for a list of texts. A Sequence would take one text too: tags="work" is a mistake.
Strings: TypeAlias = list[str] | tuple[str, ...] | Set[str]


def from_json(value: Any) -> Any:
    # The environment has only text.
    return json.loads(value) if isinstance(value, str) else value


def listed(value: Any) -> Any:
    """A list from text with commas, which is all that the environment has."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def host_checked(url: str) -> str:
    """The address of a host; an error for anything else."""
    # The address is shown in errors and logs, so it must not carry a password.
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be an address like http://localhost:11434/v1")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not hold a user name or a password; the key has a setting of its own")
    return url


HostUrl = Annotated[str, AfterValidator(host_checked)]


class ChatSettings(Section):
    """The OpenAI-compatible chat host; the embedding host when that has none of its own."""

    base_url: HostUrl | None = Field(
        None, description="For example http://localhost:11434/v1; with only a key, OpenAI's own."
    )
    api_key: SecretStr | None = Field(None, description="Key for the chat host.")
    model: str | None = Field(
        None, description="Model that writes prose, such as the narrative; the extraction model when unset."
    )
    extraction_model: str | None = Field(
        None,
        description="Model that extracts memories. Unset, or not among the host's models: the first of"
        " `small_models` that the host has, else the smallest by its name.",
    )
    small_models: Annotated[list[str], BeforeValidator(listed)] = Field(
        default_factory=lambda: ["openai/gpt-5-nano-2025-08-07", "gpt-5-nano-2025-08-07", "gpt-5-nano"],
        description="Small models by preference: a list, or text with commas.",
    )
    small: bool | None = Field(
        None,
        description="Whether the extraction model is small: it is asked about one message at a time, and what"
        " it says must stand in words worth a fact. Unset: by its name, up to 9 billion parameters.",
    )
    timeout_seconds: float = Field(60.0, gt=0, description="How long one try of a chat call may take.")
    max_retries: int = Field(
        2, ge=0, le=10, description="More tries after 429, 5xx or a lost connection; Retry-After is heeded."
    )
    concurrency: int = Field(4, ge=1, le=100, description="Most chat calls at the same time.")
    templates: UserPath | None = Field(
        None, description="Folder with prompt templates of your own, each in place of the packaged one."
    )


class ExtractionSettings(Section):
    """How conversations become memories."""

    worth: bool = Field(
        True, description="Whether a small model decides what is worth keeping; off, only rules do."
    )
    least_worth: float = Field(
        0.9,
        ge=0,
        le=1,
        description="What no rule finds is kept if the model takes it so surely for worth it.",
    )
    every_messages: int = Field(5, ge=1, le=1000, description="`facts` reads after so many messages.")
    idle_minutes: float = Field(
        30.0, ge=0, description="`stale` reads a session that has rested for so long."
    )
    known_memories: int = Field(
        8, ge=0, le=100, description="Existing memories that the prompt of `one-fact` shows."
    )
    result_chars: int = Field(
        500, ge=0, le=100_000, description="Characters of a tool's result in the transcript of `stale`."
    )
    transcript_chars: int = Field(
        12_000, ge=500, le=1_000_000, description="Characters of a transcript; the middle of more is dropped."
    )
    max_tokens: int = Field(2000, ge=50, le=100_000, description="Longest answer of the model.")


SecretsPolicy = Literal["mask", "drop", "keep"]


class CaptureSettings(Section):
    """What becomes of secrets in what is taken in: passwords, PINs, codes, keys, card numbers."""

    secrets: SecretsPolicy = Field(
        "mask",
        description="`mask` stores messages as they were said and shows a mark such as `[password]` in place"
        " of each secret; `drop` also puts the mark in its place before anything is stored; `keep` shows"
        " secrets as they are.",
    )


class PromptSettings(Section):
    """What the memory part of a prompt holds."""

    enabled: bool = Field(True, description="The kill switch: off, the memory part of every prompt is empty.")
    recall: bool = Field(
        True, description="Whether recalled memories are part of it; off, only what is in every prompt."
    )
    guidelines: bool = Field(
        False, description="Whether it tells the model when to search, save and forget memories."
    )
    facts: int = Field(50, ge=0, le=500, description="Most facts in it; the rest can still be recalled.")
    said_tokens: int = Field(
        800, ge=0, le=100_000, description="Tokens of what the user said that stands in every prompt."
    )
    recall_tokens: int = Field(
        220, ge=0, le=100_000, description="Tokens recalled for one turn, unless the caller sets a limit."
    )
    document_tokens: int = Field(
        800,
        ge=0,
        le=100_000,
        description="Tokens of passages of documents for one turn, where they take part.",
    )
    floor: bool = Field(
        True, description="Whether only what is near enough to the question is recalled for a prompt."
    )
    max_tokens: int = Field(4000, ge=100, le=100_000, description="Token budget of the whole.")
    recall_seconds: float = Field(
        10.0, gt=0, le=3600, description="So long recall may take; then it goes out without its memories."
    )
    recall_share: float = Field(
        0.5, ge=0, le=1, description="Share of the budget kept for recalled memories; more if it is left."
    )


class SimilaritySettings(Section):
    """How near is near enough, on a scale common to all models; measured models have their own for it."""

    facts_distance: float = Field(
        0.3, ge=0, le=1, description="A fact farther from the query than this does not answer it."
    )
    messages: float = Field(
        0.7,
        ge=0,
        le=1,
        description="A message less like the query of `messages.search` than this answers by its words only.",
    )
    dedupe: float = Field(
        0.9, ge=0, le=1, description="Two memories at least this similar say the same; 1 keeps all apart."
    )


class HouseholdSettings(Section):
    """Who lives in the default space when it is made; afterwards the database says so."""

    file: UserPath | None = Field(
        None, description="JSON file that has all of this, instead of these settings."
    )
    display_name: str | None = Field(None, description="The household's name.")
    mode: str | None = Field(None, description="`single` or `multi`: how many people live there.")
    timezone: str | None = Field(None, description="For example America/New_York; UTC when left out.")
    locale: str | None = Field(None, description="For example en-US.")
    members: Annotated[list[dict[str, Any]], BeforeValidator(from_json)] = Field(
        default_factory=list,
        description="The people: display_name, and what is known of pronouns, role, aliases, birth_date,"
        " notes, voice_ids. In the environment: a JSON list.",
    )


class FilesSettings(Section):
    """SOUL.md and MEMORY.md of each space, kept as files that people can edit."""

    folder: UserPath | None = Field(
        None,
        description="Folder with a folder per space; by default `spaces` in the home when the database is"
        " there too, otherwise none.",
    )
    enabled: bool = Field(True, description="Whether there are such files at all.")


class DocumentSettings(Section):
    """The knowledge base: how large a file may be, where it is kept, and what reading it may take."""

    store: str | None = Field(
        None,
        description="Where the files themselves are kept: a folder, or an fsspec URL such as"
        " `s3://bucket/bethink`; by default a folder beside the database.",
    )
    max_bytes: int = Field(100_000_000, ge=1, description="Largest file.")
    max_characters: int = Field(30_000_000, ge=1000, description="Longest text of a file.")
    parse_seconds: float = Field(300.0, gt=0, le=86_400, description="So long reading a file may take.")
    parse_mb: int = Field(1024, ge=128, description="Memory that reading a file may take (Linux).")
    floor: bool = Field(
        True, description="Whether a search leaves out what is not near enough, where that is measured."
    )


class ServerSettings(Section):
    """The HTTP server."""

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8420, ge=0, le=65535, description="Port to listen on.")
    max_body_bytes: int = Field(
        1_000_000, ge=1024, description="Largest request body accepted, but for uploads."
    )
    max_upload_bytes: int = Field(50_000_000, ge=1024, description="Largest archive accepted by /api/import.")
    allowed_hosts: Annotated[list[str], BeforeValidator(listed)] = Field(
        default_factory=list,
        description="Host names under which the server answers, besides this machine's own: a list, or text"
        " with commas; `*.example.com` takes every subdomain, `*` every name.",
    )
    allowed_origins: Annotated[list[str], BeforeValidator(listed)] = Field(
        default_factory=list,
        description="Other web pages that may use the server from a browser, with a key, such as"
        " `https://app.example.com`: a list, or text with commas; `*` takes every page.",
    )
    session_days: float = Field(30.0, gt=0, le=400, description="How long a browser stays signed in.")
    sessions_per_key: int = Field(
        20,
        ge=1,
        le=10_000,
        description="Browsers that may be signed in with one key; with one more, the first is signed out.",
    )
    secure_cookies: bool = Field(
        False, description="Send the session's cookie over HTTPS only; for a server behind such a proxy."
    )
    studio: bool = Field(True, description="Show the Studio, a web app, at `/`; without it a plain page.")
    requests_per_minute: int = Field(
        0, ge=0, description="How often one key may ask, per process; 0 sets no limit."
    )
    request_burst: int = Field(
        60, ge=1, description="How many requests a key that has waited may make at once."
    )
    head_seconds: float = Field(
        5.0, gt=0, le=3600, description="A connection is closed when a request's head takes longer to arrive."
    )
    max_head_bytes: int = Field(
        65_536, ge=1024, le=10_000_000, description="Largest head of a request: its address and its headers."
    )
    recalls_at_once: int = Field(
        0, ge=0, description="Recalls that run at once, per process; 0 is two for each processor."
    )
    recalls_waiting: int = Field(
        4,
        ge=0,
        description="Recalls that may wait for their turn; further ones are answered 503 at once, with"
        " `Retry-After`.",
    )
    wrong_keys_per_minute: int = Field(
        30,
        ge=0,
        description="Wrong keys from one address that are answered at once, after the first ten; further ones"
        " wait for up to ten seconds. A right key never waits. 0 sets no limit.",
    )
    open_metrics: bool = Field(False, description="Let /metrics be read without an admin key.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least important lines of the log; requests are `info`."
    )
    log_format: Literal["auto", "json", "text"] = Field(
        "auto", description="`text` to read, `json` to process; `auto` is text at a terminal, else JSON."
    )
    traces_endpoint: HostUrl | None = Field(
        None,
        description="Where traces are sent by OTLP over HTTP, such as `http://localhost:4318/v1/traces`;"
        " needs the extra `otel`. Nothing is sent when left out.",
    )
