"""The server: one ASGI application over one memory, and the command that runs it."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import uvicorn
from fastapi import FastAPI

from bethink import studio
from bethink.access import ensure_admin_key, make_link
from bethink.contracts import Surface
from bethink.errors import BethinkError, SettingsError
from bethink.gateway import description
from bethink.gateway.app import PREFIX, Gateway
from bethink.mcp import http as mcp_http
from bethink.mcp.http import McpOverHttp
from bethink.memory import AsyncBethink
from bethink.rest.api import RestApi
from bethink.rest.home import KEY_FILE, recall_command, remember_command
from bethink.serve.guard import guard
from bethink.serve.logs import write_logs
from bethink.serve.protocol import protocol_with
from bethink.settings import Settings
from bethink.settings.private import write_private
from bethink.settings.sections import ServerSettings
from bethink.shapes.accounts import IssuedKey

SWITCH_SECONDS = 0.0005  # a model that has answered must not wait long for a thread that searches
SHUTDOWN_SECONDS = 20  # requests under way get so long to finish
PATROL_SECONDS = 10.0  # between two looks for work that a process which died has left
WARMING = "What is known?"  # asked of the default space at the start; nothing is counted as recalled
_log = logging.getLogger(__name__)


def create_app(settings: Settings | None = None, *, memory: AsyncBethink | None = None) -> FastAPI:
    """The application. It opens the memory when it starts and closes it when it stops.

    On the very first start it makes an admin key: at a terminal it prints it, elsewhere it puts it into a
    file in the home. Works as a factory too:
    `uvicorn --factory bethink.serve.app:create_app`.
    """
    memory = memory or AsyncBethink(settings=settings or Settings.load())
    chosen = memory.settings.gateway
    gateway = Gateway(memory) if chosen.enabled else None
    mcp = McpOverHttp(memory) if memory.settings.mcp.enabled else None
    surfaces = [_surface(gateway, chosen.max_body_bytes)] if gateway else []
    surfaces += _mcp_surfaces(mcp, memory.settings.mcp.max_body_bytes) if mcp else []
    if memory.settings.server.studio and studio.is_built():
        surfaces.append(studio.surface())
    app = RestApi(memory, _lifespan, surfaces)
    guard(app, memory.settings, app.state.observer, app.state.turns, surfaces)
    app.state.gateway, app.state.mcp = gateway, mcp
    if mcp:
        mcp.rates, mcp.wrong_keys, mcp.turn = app.state.rates, app.state.wrong_keys, app.state.turns.turn
    if gateway:
        gateway.rates, gateway.wrong_keys = app.state.rates, app.state.wrong_keys
        gateway.take_turns(app.state.turns.turn)
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


def _mcp_surfaces(mcp: McpOverHttp, max_body_bytes: int) -> list[Surface]:
    limit = (max_body_bytes, "mcp.max_body_bytes")
    return [
        Surface(mcp_http.PREFIX, mcp, *limit, mcp.refuse, pages=frozenset({mcp_http.PREFIX})),
        Surface(mcp_http.METADATA, mcp.metadata, *limit, mcp.refuse, pages=frozenset({mcp_http.METADATA})),
    ]


def run(settings: Settings) -> None:
    """Serve until the process is told to stop; requests under way are finished first."""
    write_logs(settings.server.log_level, settings.server.log_format)
    with listen(settings.server) as listener, suppress(KeyboardInterrupt):
        port = listener.getsockname()[1]
        asyncio.run(_serve(settings.with_overrides({"server": {"port": port}}), listener))


async def _serve(settings: Settings, listener: socket.socket) -> None:
    memory = AsyncBethink(settings=settings)
    await memory.open()  # here, so that what is wrong with the database reaches the caller as it is
    if not await _greet_first(memory):
        print(_greeting(settings), flush=True)
    if settings.server.studio and not studio.is_built():
        print(studio.MISSING, flush=True)
    app = create_app(memory=memory)
    await Server(server_config(app, settings.server), app).serve(sockets=[listener])


def server_config(app: FastAPI, server: ServerSettings) -> uvicorn.Config:
    """How the server speaks HTTP."""
    return uvicorn.Config(
        app,
        http=protocol_with(server.head_seconds),
        h11_max_incomplete_event_size=server.max_head_bytes,
        loop="asyncio",  # whatever other packages brought along
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,  # addresses hold what people search for
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )


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
        background = [
            asyncio.create_task(_warm_up(memory, gateway)),
            asyncio.create_task(_patrol(memory)),
        ]
        try:
            yield
        finally:
            for task in background:
                task.cancel()
            await asyncio.gather(*background, return_exceptions=True)
            if gateway:
                await gateway.close()
            if app.state.mcp:
                await app.state.mcp.close()
            await asyncio.to_thread(app.state.observer.close)


async def _greet_first(memory: AsyncBethink) -> bool:
    """On the very first start, make the admin key and hand it over; whether there was none before.

    A person at a terminal sees it. Elsewhere what is printed ends up in a log, so a file gets it.
    """
    issued = await ensure_admin_key(memory)
    if issued is None:
        return False
    settings = memory.settings
    if sys.stdout.isatty():
        link = link_address(settings, await make_link(memory, issued.id))
        print(_welcome(settings, issued.secret, link), flush=True)
    else:
        print(_welcome_in_a_log(settings, keep_key(settings, issued)), flush=True)
    return True


def keep_key(settings: Settings, issued: IssuedKey) -> Path | None:
    """Put a key into a file that only its owner can read; None, and a line in the log, when that fails."""
    path = settings.home / KEY_FILE
    if path.exists():  # of another database
        path = path.with_stem(f"{path.stem}-{issued.id}")
    try:
        write_private(path, f"BETHINK_KEY={issued.secret}\n")
    except OSError as error:
        _log.error(
            "The first admin key could not be written to %s (%s); make another with 'bethink keys create NAME"
            " --role admin'",
            path,
            error.strerror,
        )
        return None
    return path


async def _warm_up(memory: AsyncBethink, gateway: Gateway | None) -> None:
    """Load the models now, so that the first request need not wait and /readyz knows their state."""
    try:
        await _get_ready(memory, gateway)
    except Exception:  # requests are answered all the same, and shutting down must not fail of it
        _log.exception("Getting ready for requests failed")


async def _get_ready(memory: AsyncBethink, gateway: Gateway | None) -> None:
    try:
        await memory.index.preview(WARMING)
        degraded = (await memory.stats()).degraded
    except BethinkError as error:
        degraded = [error.message]
    for reason in degraded:
        _log.warning("Degraded: %s", reason)
    if gateway:
        await gateway.warm_up()
    await asyncio.gather(_catch_up(memory), _look_for_damage(memory))


async def _catch_up(memory: AsyncBethink) -> None:
    try:
        await memory.catch_up()
    except BethinkError as error:
        _log.warning("What was left undone waits for the next message of its space: %s", error.message)


async def _look_for_damage(memory: AsyncBethink) -> None:
    try:
        for problem in (await memory.integrity()).summary:
            _log.error("The database is damaged: %s", problem)
    except BethinkError as error:
        _log.error("The database could not be checked: %s", error.message)


async def _patrol(memory: AsyncBethink) -> None:
    """Take over what other processes leave when they die, also while nobody asks for anything."""
    while True:
        await asyncio.sleep(PATROL_SECONDS)
        try:
            await memory.take_over()
        except BethinkError as error:
            _log.warning("What a process that died has left was not looked for: %s", error.message)


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
        f"To sign in with a browser: {_studio_command(settings)}"
    )


def _studio_command(settings: Settings) -> str:
    """The command that prints a link to this server."""
    usual, server = ServerSettings(), settings.server
    host = f" --host {server.host}" if server.host != usual.host else ""
    port = f" --port {server.port}" if server.port != usual.port else ""
    return f"bethink studio{host}{port}"


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

To sign in with a browser, open this within a minute, once ('{_studio_command(settings)}' prints another):

  {link}

Then, in another shell:

{remember_command(address)}

{recall_command(address)}
"""


def _welcome_in_a_log(settings: Settings, file: Path | None) -> str:
    kept = f"The admin key is in {file}, which only its owner can read. " if file else ""
    return f"This is the first start of Bethink. {kept}\n{_greeting(settings)}"


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
