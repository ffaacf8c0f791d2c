"""The connections to providers: kept, given up, encrypted, through a proxy."""

from __future__ import annotations

import asyncio
import gc
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bethink.gateway.connections import Connections, Patience, Reply, Silent, Unreachable

CERTIFICATE = Path(__file__).parent / "certificate.pem"
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Host:
    """Counts its connections and answers each request with the next of its answers."""

    def __init__(self, *answers: bytes | None, then: float = 0.0) -> None:
        self.answers, self.connections, self.requests = list(answers), 0, list[bytes]()
        self._then = then

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while self.answers:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
                self.requests.append(head + await reader.readexactly(length))
                answer = self.answers.pop(0)
                if answer is None:
                    break
                writer.write(answer)
                await writer.drain()
                await asyncio.sleep(self._then)
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()


@asynccontextmanager
async def listening(handler: Handler, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    server = await asyncio.start_server(handler, "127.0.0.1", 0, ssl=tls)
    async with server:
        yield server.sockets[0].getsockname()[1]


@asynccontextmanager
async def connections(silence: float = 60.0, most: int = 10) -> AsyncIterator[Connections]:
    opened = Connections(Patience(60.0, silence), most)
    try:
        yield opened
    finally:
        await opened.close()
        await asyncio.sleep(0)
        gc.collect()


async def ask(to: Connections, port: int, scheme: str = "http") -> tuple[int, bytes]:
    reply = await to.send("POST", f"{scheme}://127.0.0.1:{port}/v1/x?a=b", [(b"x-a", b"b")], b"hi")
    return await whole(reply)


async def whole(reply: Reply) -> tuple[int, bytes]:
    try:
        return reply.status, b"".join([piece async for piece in reply.pieces()])
    finally:
        await reply.close()


async def test_a_connection_is_used_again() -> None:
    host = Host(OK, OK, OK)
    async with listening(host) as port, connections() as to:
        assert [await ask(to, port) for _ in range(3)] == [(200, b"ok")] * 3
    assert host.connections == 1
    assert host.requests[0].startswith(b"POST /v1/x?a=b HTTP/1.1\r\n")
    assert host.requests[0].endswith(b"x-a: b\r\n\r\nhi")


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok",
        b"HTTP/1.0 200 OK\r\n\r\nok",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
        b"1\r\no\r\n1\r\nk\r\n0\r\n\r\n",
    ],
)
async def test_replies_of_every_make_are_read(answer: bytes) -> None:
    close = b"chunked" not in answer
    async with connections() as to:
        for _ in range(2):
            host = Host(answer, *([] if close else [OK]))
            async with listening(host) as port:
                assert await ask(to, port) == (200, b"ok")


async def test_a_connection_that_the_host_has_closed_is_not_used_again() -> None:
    hosts = Host(OK), Host(OK)
    async with connections() as to:
        async with listening(hosts[0]) as port:
            assert await ask(to, port) == (200, b"ok")
            [[kept]] = to._idle.values()
            while kept.usable:  # noqa: ASYNC110  (it is the event loop that sees the end)
                await asyncio.sleep(0.005)
        server = await asyncio.start_server(hosts[1], "127.0.0.1", port)
        async with server:
            assert await ask(to, port) == (200, b"ok")


async def test_a_reply_that_is_not_read_to_its_end_costs_its_connection() -> None:
    host = Host(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok", OK, then=0.2)
    async with listening(host) as port, connections() as to:
        reply = await to.send("GET", f"http://127.0.0.1:{port}/", [], b"")
        assert await anext(aiter(reply.pieces())) == b"ok"
        await reply.close()
        await reply.close()
        assert await ask(to, port) == (200, b"ok")
    assert host.connections == 2


@pytest.mark.parametrize(
    ("answer", "early"),
    [
        (None, True),
        (b"HTTP/1.1 200", False),
        (b"not http at all\r\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\nx: " + b"y" * 300_000 + b"\r\n\r\n", False),
    ],
)
async def test_a_host_that_does_not_answer_is_told_from_one_that_began_to(
    answer: bytes | None, early: bool
) -> None:
    async with listening(Host(answer)) as port, connections() as to:
        with pytest.raises(Unreachable) as caught:
            await ask(to, port)
    assert caught.value.early is early


async def test_a_body_cut_short_is_handed_out_and_then_said() -> None:
    answer = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\nnonsense"
    async with listening(Host(answer)) as port, connections() as to:
        reply = await to.send("GET", f"http://127.0.0.1:{port}/", [], b"")
        pieces = reply.pieces()
        assert await anext(pieces) == b"ok"
        with pytest.raises(Unreachable):
            await anext(pieces)
        assert not reply.ended
        await reply.close()


async def test_silence_is_not_waited_out() -> None:
    host = Host(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok", then=2.0)
    async with listening(host) as port, connections() as to:
        reply = await to.send("GET", f"http://127.0.0.1:{port}/", [], b"")
        pieces = reply.pieces()
        assert await anext(pieces) == b"ok"
        to.patience = Patience(5.0, 0.05)  # only now, so that a slow machine is not taken for a silent host
        with pytest.raises(Silent):
            await anext(pieces)
        await reply.close()


async def test_only_so_many_are_open_and_none_is_lost_to_a_failure() -> None:
    async with connections(most=1) as to:
        async with listening(Host(None)) as port:
            with pytest.raises(Unreachable):
                await ask(to, port)
        async with listening(Host(OK, OK)) as port:
            first = await to.send("GET", f"http://127.0.0.1:{port}/", [], b"")
            second = asyncio.create_task(ask(to, port))
            await asyncio.sleep(0.05)
            assert not second.done()
            await whole(first)
            assert await second == (200, b"ok")


async def test_an_encrypted_host_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    async with listening(Host(OK, OK), context) as port:
        async with connections() as to:
            with pytest.raises(Unreachable, match="certificate verify failed"):
                await ask(to, port, "https")
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        async with connections() as to:
            assert await ask(to, port, "https") == (200, b"ok")


async def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(OK)
    async with listening(host) as port:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("no_proxy", "spared.example")
        async with connections() as to:
            reply = await to.send("POST", "http://provider.example/v1/x", [(b"x-a", b"b")], b"hi")
            assert await whole(reply) == (200, b"ok")
            with pytest.raises(Unreachable):
                await to.send("POST", "http://spared.example:9/v1/x", [], b"hi")
    assert host.requests[0].startswith(b"POST http://provider.example/v1/x HTTP/1.1\r\n")
