"""The server: one ASGI application over one memory, and the command that runs it."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import uvicorn
from fastapi import FastAPI

from bethink.access import ensure_admin_key, make_link
from bethink.errors import BethinkError, SettingsError
from bethink.gateway import description
from bethink.gateway.app import PREFIX, Gateway
from bethink.large_pages import use_large_pages
from bethink.memory import AsyncBethink
from bethink.processors import keep_one_for_queries
from bethink.rest.api import RestApi
from bethink.rest.home import recall_command, remember_command
from bethink.serve.guard import Surface
from bethink.serve.logs import write_logs
from bethink.settings import Settings
from bethink.settings.sections import ServerSettings

SWITCH_SECONDS = 0.0005  # a model that has answered must not wait long for a thread that searches
SHUTDOWN_SECONDS = 20  # requests under way get so long to finish
WARMING = "What is known?"  # asked of the default space at the start; nothing is counted as recalled
_log = logging.getLogger(__name__)


def create_app(settings: Settings | None = None, *, memory: AsyncBethink | None = None) -> FastAPI:
    """The application. It opens the memory when it starts and closes it when it stops.

    On the very first start it makes an admin key and prints it. Works as a factory too:
    `uvicorn --factory bethink.serve.app:create_app`.
    """
    memory = memory or AsyncBethink(settings=settings or Settings.load())
    chosen = memory.settings.gateway
    gateway = Gateway(memory) if chosen.enabled else None
    app = RestApi(memory, _lifespan, [_surface(gateway, chosen.max_body_bytes)] if gateway else [])
    app.state.gateway, app.state.when_warm = gateway, None
    if gateway:
        gateway.rates = app.state.rates
    return app


def _surface(gateway: Gateway, max_body_bytes: int) -> Surface:
    return Surface(
        PREFIX,
        gateway,
        max_body_bytes,
        "gateway.max_body_bytes",
        gateway.refuse,
        description.paths(PREFIX),
        description.SHAPES,
        description.SECURITY,
    )


def run(settings: Settings) -> None:
    """Serve until the process is told to stop; requests under way are finished first."""
    write_logs(settings.server.log_level, settings.server.log_format)
    if settings.server.own_processor:
        keep_one_for_queries()
    with listen(settings.server) as listener, suppress(KeyboardInterrupt):
        port = listener.getsockname()[1]
        asyncio.run(_serve(settings.with_overrides({"server": {"port": port}}), listener))


async def _serve(settings: Settings, listener: socket.socket) -> None:
    memory = AsyncBethink(settings=settings)
    await memory.open()  # here, so that what is wrong with the database reaches the caller as it is
    if not await _greet_first(memory):
        print(_greeting(settings), flush=True)
    app = create_app(memory=memory)
    app.state.when_warm = use_large_pages if settings.server.large_pages else None
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,  # addresses hold what people search for
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    await Server(config, app).serve(sockets=[listener])


class Server(uvicorn.Server):
    """A server that tells long requests, which would not finish in time, that it stops."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._state = app.state

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more requests, and finish those under way."""
        self._state.stopping.set()
        await super().shutdown(sockets)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    sys.setswitchinterval(SWITCH_SECONDS)
    memory: AsyncBethink = app.state.memory
    async with memory:
        await _greet_first(memory)
        gateway: Gateway | None = app.state.gateway
        warming = asyncio.create_task(_warm_up(memory, gateway, app.state.when_warm))
        try:
            yield
        finally:
            warming.cancel()
            with suppress(asyncio.CancelledError):
                await warming
            if gateway:
                await gateway.close()
            await asyncio.to_thread(app.state.observer.close)


async def _greet_first(memory: AsyncBethink) -> bool:
    """On the very first start, make the admin key and print it with a link to sign in; whether it was."""
    issued = await ensure_admin_key(memory)
    if issued is None:
        return False
    link = link_address(memory.settings, await make_link(memory, issued.id))
    print(_welcome(memory.settings, issued.secret, link), flush=True)
    return True


async def _warm_up(
    memory: AsyncBethink, gateway: Gateway | None, afterwards: Callable[[], object] | None
) -> None:
    """Load the models now, so that the first request need not wait and /readyz knows their state."""
    try:
        await _get_ready(memory, gateway, afterwards)
    except Exception:  # requests are answered all the same, and shutting down must not fail of it
        _log.exception("Getting ready for requests failed")


async def _get_ready(
    memory: AsyncBethink, gateway: Gateway | None, afterwards: Callable[[], object] | None
) -> None:
    try:
        await memory.index.preview(WARMING)
        degraded = (await memory.stats()).degraded
    except BethinkError as error:
        degraded = [error.message]
    for reason in degraded:
        _log.warning("Degraded: %s", reason)
    if gateway:
        await gateway.warm_up()
    if afterwards:
        await asyncio.to_thread(afterwards)
    try:
        await memory.catch_up()
    except BethinkError as error:
        _log.warning("What was left undone waits for the next message of its space: %s", error.message)


def listen(server: ServerSettings) -> socket.socket:
    """The socket of the server, bound to its address."""
    try:
        family = socket.AF_INET6 if ":" in server.host else socket.AF_INET
        listener = socket.create_server((server.host, server.port), family=family, backlog=2048)
    except OSError as error:
        raise SettingsError(
            f"server.port: {server.host}:{server.port} cannot be listened on ({error.strerror or error});"
            " stop what uses it, or choose another port.",
            field="server.port",
        ) from None
    # The event loop does this only for sockets it made itself; without it every answer waits 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _greeting(settings: Settings) -> str:
    return (
        f"Bethink answers at {_address(settings)}, its data is in {_place(settings)}.\n"
        "To sign in with a browser: bethink studio"
    )


def link_address(settings: Settings, token: str) -> str:
    """The address that signs a browser in."""
    return f"{_address(settings)}/enter/{token}"


def _welcome(settings: Settings, secret: str, link: str) -> str:
    address = _address(settings)
    return f"""
Welcome to Bethink. This is its first start, so here is your admin key.
It is shown this once and only its hash is kept:

  export BETHINK_KEY={secret}

Address  {address}
Data     {_place(settings)}

To sign in with a browser, open this within a minute, once ('bethink studio' prints another):

  {link}

Then, in another shell:

{remember_command(address)}

{recall_command(address)}
"""


def _address(settings: Settings) -> str:
    host = settings.server.host
    if host in ("", "::") or host.startswith("0."):
        host = "127.0.0.1"  # listening everywhere, so here too
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.server.port}"


def _place(settings: Settings) -> str:
    """Where the data is, without the password that a URL may hold."""
    url = urlsplit(settings.database_url)
    if url.scheme in ("postgresql", "postgres"):
        host = url.netloc.rpartition("@")[2] or dict(parse_qsl(url.query)).get("host", "localhost")
        return f"PostgreSQL, {host}{url.path}"
    return "memory only" if url.path == ":memory:" else str(Path(settings.database_url).absolute())
