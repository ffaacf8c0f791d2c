"""A PostgreSQL server that can be stopped and started for one test: a relay in front of the real one."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit


class Relay:
    """Passes bytes between clients and a server on a Unix socket, while it is up."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        place = parse_qs(parts.query)
        self._target = str(Path(place["host"][0]) / f".s.PGSQL.{place.get('port', ['5432'])[0]}")
        with socket.create_server(("127.0.0.1", 0)) as found:
            self._port = int(found.getsockname()[1])
        self.url = f"postgresql://{parts.username}@127.0.0.1:{self._port}{parts.path}"
        self._listener: socket.socket | None = None
        self._open: list[socket.socket] = []
        self._silent = False

    def start(self) -> None:
        self._silent = False
        self._listener = socket.create_server(("127.0.0.1", self._port))
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def stop(self) -> None:
        """As when the server is stopped: connections end, and new ones are refused."""
        if self._listener:
            with suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        self._end_all()

    def fall_silent(self) -> None:
        """As when the network drops every packet: connections are there and nothing comes of them."""
        self._silent = True

    def speak(self) -> None:
        """The network is back; what was held up is lost."""
        self._end_all()
        self._silent = False

    def recover(self) -> None:
        """Be as at first, whatever was done: who closes what they have open need not wait."""
        self.speak()
        if self._listener is None:
            self.start()

    def _end_all(self) -> None:
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._open.clear()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._target)
            self._open += [client, server]
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if not self._silent:
                    sink.sendall(data)
        for one in (source, sink):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


@contextmanager
def relayed(url: str) -> Iterator[Relay]:
    """A relay in front of a server, up at first."""
    relay = Relay(url)
    relay.start()
    try:
        yield relay
    finally:
        relay.stop()
