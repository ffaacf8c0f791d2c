"""A real server for tests: uvicorn in a thread of its own, and clients with keys."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from uuid import uuid4

import httpx2
import uvicorn

from bethink.gateway.app import Gateway
from bethink.memory import AsyncBethink
from bethink.models.embed import Embedder
from bethink.records import Role
from bethink.serve.app import create_app, listen, server_config
from bethink.settings import Settings
from bethink.settings.sections import ServerSettings
from bethink.testing import HashEmbedder

T = TypeVar("T")
START_SECONDS = 60
_NO_MODEL = HashEmbedder()


class _Server(uvicorn.Server):
    """Tells when it is up, and on which event loop."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = threading.Event()
        self.loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.loop = asyncio.get_running_loop()
        self.up.set()


class Running:
    """A server that is up."""

    def __init__(self, memory: AsyncBethink) -> None:
        self.memory = memory
        self.listener = listen(ServerSettings(port=0))
        self.port = int(self.listener.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.app = create_app(memory=memory)
        self._server = _Server(server_config(self.app, memory.settings.server))
        self._thread = threading.Thread(
            target=self._server.run, args=([self.listener],), name="test-server", daemon=True
        )

    def start(self) -> None:
        self._thread.start()
        assert self._server.up.wait(START_SECONDS)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()

    @property
    def gateway(self) -> Gateway:
        gateway = self.app.state.gateway
        assert isinstance(gateway, Gateway)
        return gateway

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run something on the server's own event loop."""
        assert self._server.loop is not None
        return asyncio.run_coroutine_threadsafe(work, self._server.loop).result()

    def key(self, space: str, role: Role = Role.MEMBER) -> str:
        """The secret of a new key."""
        return self.call(self.memory.keys.create("test", space=space, role=role)).secret

    def client(self, secret: str | None = None) -> httpx2.Client:
        """A client that presents a key."""
        headers = {"authorization": f"Bearer {secret}"} if secret else {}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False, verify=False)


@contextmanager
def running(url: str, *, embedder: Embedder | None = _NO_MODEL, **settings: Any) -> Iterator[Running]:
    """A server over the database at `url`, by default with an embedder that needs no model, and no Studio.

    Wrong keys are not slowed unless a test says so: many tests present them to every route.
    """
    settings["server"] = {"wrong_keys_per_minute": 0, "studio": False} | settings.get("server", {})
    chosen = Settings.load(environ={}, url=url, **settings)
    server = Running(AsyncBethink(settings=chosen, embedder=embedder))
    server.start()
    try:
        yield server
    finally:
        server.stop()


def new_space() -> str:
    """A name that no other test uses."""
    return f"space-{uuid4().hex}"
