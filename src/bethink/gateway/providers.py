"""Who answers a request, and asking them: replies are handed back as raw bytes, however they are encoded."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from bethink.gateway.connections import Connections, Patience, RawHeaders, Reply, Silent, Unreachable
from bethink.gateway.refusals import Refused
from bethink.gateway.weave import Dialect
from bethink.records import Key, Role, Switch
from bethink.settings import Settings
from bethink.settings.upstreams import (
    OWN_PROVIDER,
    GatewaySettings,
    ProviderKind,
    ProviderSettings,
    SystemStyle,
)
from bethink.shapes.options import Options

_YES = {"true", "1", "yes"}


@dataclass(frozen=True)
class Switches:
    """What memory does for a request: weave into it, take it in, offer tools that may change it or not."""

    weave: bool = False
    observe: bool = False
    tools: bool = False
    writes: bool = False

    @property
    def on(self) -> bool:
        """Whether memory has anything to do with it."""
        return self.weave or self.observe or self.tools


OFF = Switches()


def is_yes(header: str | None) -> bool:
    """Whether a header says yes."""
    return header is not None and header.strip().lower() in _YES


def switches(options: Options, key: Key, no_memory: str | None, *, writes: bool) -> Switches:
    """The request has the first word, then the key, then the space. Who may only read leaves no trace."""
    enabled = options.enabled if key.memory is None else key.memory is Switch.ON
    if is_yes(no_memory) or not enabled:
        return OFF
    observe = options.extraction and key.role is not Role.READER
    return Switches(options.injection, observe, options.skills_enabled, writes)


_HOMES: Mapping[ProviderKind, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "ollama": "http://localhost:11434",
}
ANTHROPIC_VERSION = "2023-06-01"


@dataclass(frozen=True)
class Provider:
    """A host with models."""

    name: str
    kind: ProviderKind
    base_url: str
    key: str | None
    models: tuple[str, ...] = ()
    system: SystemStyle | None = None

    @classmethod
    def of(cls, name: str, settings: ProviderSettings) -> Provider:
        """The provider of a table in the settings."""
        base = (settings.base_url or _HOMES[settings.kind]).rstrip("/")
        # Clients of these add the version themselves, so their addresses are written without it.
        if settings.kind == "anthropic" and not base.endswith("/v1"):
            base += "/v1"
        if settings.kind == "ollama" and urlsplit(base).path in ("", "/"):
            base += "/v1"
        key = settings.api_key.get_secret_value() if settings.api_key else None
        return cls(name, settings.kind, base, key, tuple(settings.models), settings.system)

    def credentials(self) -> dict[str, str]:
        """The headers by which it knows us."""
        if not self.key:
            return {}
        if self.kind == "anthropic":
            return {"x-api-key": self.key}
        return {"authorization": f"Bearer {self.key}"}


@dataclass(frozen=True)
class Route:
    """Where a request goes; `model` is the name to put for the one that was asked for, if it is another."""

    provider: Provider
    asked: str
    model: str | None = None

    @property
    def named(self) -> str:
        """The model's name as the provider knows it."""
        return self.model if self.model is not None else self.asked


class Providers:
    """All providers, and the choice among them."""

    def __init__(self, settings: Settings) -> None:
        gateway = settings.gateway
        self._no_system, self._one_system = gateway.no_system_role, gateway.one_system_message
        tables = gateway.providers or {"default": _the_one(settings)}
        self.all = [Provider.of(name, table) for name, table in tables.items()]
        self._named = {provider.name: provider for provider in self.all}
        chosen = gateway.default_provider
        openai = [provider for provider in self.all if provider.kind != "anthropic"]
        self._default = self._named[chosen] if chosen else (openai or self.all)[0]

    def route(self, model: str, dialect: Dialect | None) -> Route:
        """By the prefix of the model's name, by who serves it, or by default."""
        prefix, _, rest = model.partition("/")
        if rest and prefix in self._named:
            return Route(self._named[prefix], model, rest)
        for provider in self.all:
            if model in provider.models:
                return Route(provider, model)
        return Route(self.default(dialect), model)

    def default(self, dialect: Dialect | None) -> Provider:
        """Who takes what names no provider; what is said as to Anthropic rather goes to an Anthropic host."""
        if dialect == "messages" and self._default.kind != "anthropic":
            return next((p for p in self.all if p.kind == "anthropic"), self._default)
        return self._default

    def embeds_here(self, model: str) -> bool:
        """Whether embeddings are made by this server: it was asked to, or no provider makes any."""
        own = model.partition("/")[0] == OWN_PROVIDER
        return own or all(provider.kind == "anthropic" for provider in self.all)

    def system_style(self, route: Route) -> SystemStyle:
        """Which system messages a model takes."""
        provider, model = route.provider, route.named.rpartition("/")[2].lower()
        if provider.system:
            return provider.system
        for style, listed in (("none", self._no_system), ("one", self._one_system)):
            if any(provider.name == name or _begins(model, name) for name in listed):
                return "none" if style == "none" else "one"
        return "one" if provider.kind == "ollama" else "any"


def _begins(model: str, name: str) -> bool:
    """Whether a model is of this family: after its name, neither a word nor a number goes on."""
    after = model[len(name) : len(name) + 1]
    goes_on = after.isalpha() or (after.isdigit() and name[-1:].isdigit())
    return bool(name) and model.startswith(name) and not goes_on


def _the_one(settings: Settings) -> ProviderSettings:
    """The provider where none has a table."""
    gateway, chat = settings.gateway, settings.chat
    if gateway.base_url or gateway.api_key or gateway.kind != "openai":
        return ProviderSettings(base_url=gateway.base_url, api_key=gateway.api_key, kind=gateway.kind)
    if chat.base_url:
        return ProviderSettings(base_url=chat.base_url, api_key=chat.api_key)
    return ProviderSettings(kind="ollama")


_log = logging.getLogger(__name__)

_HOP_BY_HOP = {
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection",
    b"te", b"trailer", b"transfer-encoding", b"upgrade",
}  # fmt: skip
_OWN_CREDENTIALS = {b"authorization", b"x-api-key"}
# What is said to this server, not to the provider.
_NOT_FORWARDED = _HOP_BY_HOP | {b"host", b"content-length", b"cookie", b"expect", b"origin", b"referer"}
_NOT_RETURNED = _HOP_BY_HOP | {b"date", b"server"}
_OURS = b"x-bethink-"


class Upstream:
    """All providers, as far as they can be asked something."""

    def __init__(self, settings: GatewaySettings) -> None:
        self._silence = settings.silence_seconds
        patience = Patience(settings.connect_seconds, settings.silence_seconds)
        self._connections = Connections(patience, settings.connections)

    async def send(
        self, provider: Provider, method: str, path: str, query: bytes, headers: RawHeaders, body: bytes
    ) -> Reply:
        """The reply, with nothing of its body read yet. `Refused` when there is none."""
        url = provider.base_url + path + (f"?{query.decode('latin-1')}" if query else "")
        for last in (False, True):
            try:
                return await self._connections.send(method, url, headers, body)
            except Unreachable as error:
                if last or not error.early:
                    raise self._unreachable(provider, error) from error
            except Silent as error:
                raise self._silent(provider) from error
            except ValueError as error:
                raise Refused(400, f"A header or the address cannot be forwarded: {error}.") from None
        raise AssertionError("one of the two tries has an end")

    async def close(self) -> None:
        """Close every connection."""
        await self._connections.close()

    async def warm_up(self) -> None:
        """Get ready to connect."""
        await asyncio.to_thread(self._connections.warm_up)

    def _unreachable(self, provider: Provider, error: Exception) -> Refused:
        _log.warning("The provider %s cannot be reached: %s", provider.name, error)
        return Refused(
            502,
            f"The provider {provider.name!r} cannot be reached ({error}); see that it runs and"
            " that its base_url in the gateway's settings is right.",
            "provider_unreachable",
        )

    def _silent(self, provider: Provider) -> Refused:
        seconds = self._silence
        _log.warning("The provider %s said nothing for %g s", provider.name, seconds)
        return Refused(
            504,
            f"The provider {provider.name!r} said nothing for {seconds:g} s; gateway.silence_seconds is how"
            " long it may.",
            "provider_timeout",
        )


def request_headers(
    provider: Provider,
    given: Iterable[tuple[bytes, bytes]],
    *,
    own_key: bool,
    encodings: Iterable[str] | None,
) -> RawHeaders:
    """The client's headers as the provider gets them: with the provider's key for ours.

    With `own_key` the client has brought a key for the provider itself. `encodings` are those that the reply
    may have; whatever the client takes, when None.
    """
    dropped = _NOT_FORWARDED if own_key else _NOT_FORWARDED | _OWN_CREDENTIALS
    kept = [(n, v) for n, v in given if n not in dropped and not n.startswith(_OURS)]
    accepted = [value for name, value in kept if name == b"accept-encoding"]
    headers = [(name, value) for name, value in kept if name != b"accept-encoding"]
    headers.append((b"accept-encoding", _accepted(accepted, encodings)))
    if not own_key:
        headers += [(name.encode(), value.encode()) for name, value in provider.credentials().items()]
    if provider.kind == "anthropic" and not any(name == b"anthropic-version" for name, _ in headers):
        headers.append((b"anthropic-version", ANTHROPIC_VERSION.encode()))
    return headers


def _accepted(given: list[bytes], encodings: Iterable[str] | None) -> bytes:
    if not given:
        return b"identity"
    if encodings is None:
        return b", ".join(given)
    wanted = [part.strip() for part in b",".join(given).decode("latin-1").split(",")]
    known = [part for part in wanted if part.partition(";")[0].strip().lower() in encodings]
    return ", ".join(known).encode("latin-1") or b"identity"


def reply_headers(reply: Reply, more: dict[str, str]) -> RawHeaders:
    """The provider's headers as the client gets them, and ours."""
    kept = [(name, value) for name, value in reply.headers if name not in _NOT_RETURNED]
    return kept + [(name.encode(), value.encode()) for name, value in more.items()]


def header_of(reply: Reply, name: bytes) -> str:
    """A header of a reply; empty when it has none of this name."""
    return next((value.decode("latin-1") for known, value in reply.headers if known == name), "")
