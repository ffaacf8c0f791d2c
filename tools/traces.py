"""How far one call travels through the package: functions, files, and changes of room on the way.

Ends with 1 when a call crosses more files than it should.

    python tools/traces.py [--calls]

Traces `remember`, `recall` and a request through the gateway, until it is answered and again until what was
said is stored, each after some that warm everything up, with an embedder that is no model. `--calls` also
prints every function in the order in which it is first called.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable
from contextvars import Context, ContextVar, copy_context
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import bethink
from bethink import AsyncBethink
from bethink.records import Role
from bethink.serve.app import create_app
from bethink.testing import HashEmbedder

ROOT = Path(bethink.__file__).parent
AIMS = {"remember": 20, "recall": 35, "gateway": 60}  # files that a call may cross
Step = tuple[str, str]  # a file, and a function in it


_owner: ContextVar[int] = ContextVar("owner", default=0)  # the task of the call that runs; 0 for none


class Trace:
    """The functions of the package that a call runs, in order, in whichever thread, each time it is entered.

    Work that goes on by itself is none of the call's: tasks that it starts and does not wait for.
    """

    def __init__(self) -> None:
        self._on = False
        self._steps: list[tuple[int, Step]] = []
        self._tasks: dict[int, asyncio.Task[Any]] = {}
        asyncio.get_running_loop().set_task_factory(self._start)
        sys.setprofile(self._seen)
        threading.setprofile(self._seen)

    def _seen(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if not self._on or event != "call" or not code.co_filename.startswith(str(ROOT)):
            return
        # A function is entered where the instruction says 0, and otherwise goes on after it had waited.
        if not code.co_code[frame.f_lasti + 1] and (owner := _owner.get()):
            step = str(Path(code.co_filename).relative_to(ROOT)), code.co_qualname
            self._steps.append((owner, step))

    def _start(
        self, loop: asyncio.AbstractEventLoop, work: Any, context: Context | None = None
    ) -> asyncio.Task[Any]:
        """Make a task; one that a call starts is known by a number of its own."""
        context = context or copy_context()
        if number := len(self._tasks) + 1 if _owner.get() else 0:
            context.run(_owner.set, number)
        task: asyncio.Task[Any] = asyncio.Task(work, loop=loop, context=context)
        if number:
            self._tasks[number] = task
        return task

    async def of(self, work: Callable[[], Awaitable[Any]]) -> list[Step]:
        """What is called for a piece of work."""
        self._steps, self._tasks, self._on = [], {}, True
        before = _owner.set(-1)
        try:
            await work()
        finally:
            self.stop()
            _owner.reset(before)
        left = {number for number, task in self._tasks.items() if not task.done()}
        return [step for owner, step in self._steps if owner not in left]

    def stop(self) -> None:
        """See no more of it."""
        self._on = False


def room(file: str) -> str:
    """The room a file is in: its folder, or itself where it stands at the top."""
    return file.partition("/")[0].removesuffix(".py")


async def answer(scope: dict[str, Any], app: Any, body: bytes, answered: Callable[[], None]) -> None:
    """Send one request to an ASGI application and read its answer to the end."""
    done = asyncio.Event()
    parts = [{"type": "http.request", "body": body}]

    async def receive() -> dict[str, Any]:
        if not parts:
            await done.wait()  # the client stays until it has its answer
            return {"type": "http.disconnect"}
        return parts.pop()

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.body" and not message.get("more_body"):
            answered()
            done.set()

    await app(scope, receive, send)
    await done.wait()


async def _answer_and_store(scope: dict[str, Any], app: Any, body: bytes) -> None:
    """The same, until what was said is stored, too."""
    await answer(scope, app, body, lambda: None)
    await app.state.gateway.settle()


async def _provide(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A host that gives every request the same short reply."""
    while not reader.at_eof():
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return
        length = next(
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length")
        )
        await reader.readexactly(length)
        reply = json.dumps(
            {"choices": [{"index": 0, "message": {"role": "assistant", "content": "In Lisbon."}}]}
        ).encode()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(reply)
        writer.write(head + reply)
        await writer.drain()


async def trace_all() -> dict[str, list[Step]]:
    trace = Trace()
    host = await asyncio.start_server(_provide, "127.0.0.1", 0)
    port = host.sockets[0].getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        memory = AsyncBethink(
            f"{folder}/memory.db",
            embedder=HashEmbedder(),
            gateway={"base_url": f"http://127.0.0.1:{port}/v1", "recall_seconds": 10},
        )
        app = create_app(memory=memory)
        async with memory:
            await memory.options.update(enabled=True)
            key = (await memory.keys.create("trace", role=Role.ADMIN)).secret
            asked = {"model": "any", "messages": [{"role": "user", "content": "Where does Anna live now?"}]}
            body = json.dumps(asked).encode()
            headers = {
                "host": "127.0.0.1", "authorization": f"Bearer {key}",
                "content-type": "application/json", "content-length": str(len(body)),
            }  # fmt: skip
            scope = {
                "type": "http", "method": "POST", "path": "/v1/chat/completions", "query_string": b"",
                "raw_path": b"/v1/chat/completions", "root_path": "", "scheme": "http", "http_version": "1.1",
                "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
                "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
            }  # fmt: skip
            calls: dict[str, Callable[[int], Awaitable[Any]]] = {
                "remember": lambda n: memory.remember(f"Anna moved to Lisbon in year {n}", tags=["home"]),
                "recall": lambda _: memory.recall("Where does Anna live now?"),
                "gateway": lambda _: answer({**scope}, app, body, trace.stop),
                "and stored": lambda _: _answer_and_store({**scope}, app, body),
            }
            found = {}
            for name, call in calls.items():
                for turn in range(3):  # the first are for what is only done once
                    found[name] = await trace.of(lambda call=call, turn=turn: call(turn))  # type: ignore[misc]
                    await app.state.gateway.settle()
                    await memory.settle()
            await app.state.gateway.close()
    host.close()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--calls", action="store_true", help="print every function, too")
    options = parser.parse_args()
    print(f"{'':10}{'functions':>10}{'files':>7}{'aim':>5}{'rooms':>7}{'changes of room':>17}")
    far = False
    for name, steps in asyncio.run(trace_all()).items():
        rooms = [room(file) for file, _ in steps]
        changes = sum(before != after for before, after in pairwise(rooms))
        files = {file for file, _ in steps}
        aim = AIMS.get(name)
        far = far or (aim is not None and len(files) > aim)
        print(f"{name:10}{len(set(steps)):10}{len(files):7}{aim or '':5}{len(set(rooms)):7}{changes:17}")
        if options.calls:
            for file, function in dict.fromkeys(steps):
                print(f"    {file}: {function}")
    return int(far)


if __name__ == "__main__":
    sys.exit(main())
