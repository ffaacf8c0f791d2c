"""Other processes that use a store, for the tests: run as a script with a task, a database and a name.

Each one says "ready" once it has started and waits for a line on its standard input, so that a test can let
several go at the same moment.
"""

from __future__ import annotations

import asyncio
import sys
import time
from datetime import UTC, datetime

import bethink.wiring  # noqa: F401  # so that there are nouns
from bethink.clock import new_id
from bethink.records import Layer, Memory, Space
from bethink.settings import StoreSettings
from bethink.store import Driver, Tx, connect, entries, memories, spaces
from bethink.store.entries import Entry
from bethink.store.filters import MemoryFilter

WRITERS = 8
SECONDS = 2.0


def remember(tx: Tx, space: Space, term: str) -> str:
    """Store a memory that a keyword search for `term` finds."""
    now = datetime.now(UTC)
    memory = Memory(
        id=new_id(), space_id=space.id, content=term, observed_at=now, created_at=now, updated_at=now
    )
    memories.add(tx, [memory])
    entries.put(tx, space, [Entry(Layer.MEMORY, memory.id, now, term, [term])])
    return memory.id


async def stream(store: Driver, space: Space, name: str) -> None:
    """Write for ever, and say each id once its write has returned."""

    async def write_on() -> None:
        while True:
            memory_id = await store.write(remember, space, name)
            sys.stdout.write(f"{memory_id}\n")
            sys.stdout.flush()

    await asyncio.gather(*(write_on() for _ in range(WRITERS)))


async def write_and_read(store: Driver, space: Space, name: str) -> None:
    """Write and read for a while; say how many were written, and how many others were seen being written."""
    end = time.monotonic() + SECONDS
    own = others = 0
    while time.monotonic() < end:
        await asyncio.gather(*(store.write(remember, space, name) for _ in range(WRITERS)))
        own += WRITERS
        total = await store.read(memories.count, space.id, MemoryFilter())
        if total < own:
            sys.exit(f"{own} were written, only {total} are there")
        others = total - own
    print(own, others)


async def main(task: str, url: str, name: str) -> None:
    store = await connect(url, StoreSettings())
    space = await store.write(spaces.ensure, "home", datetime.now(UTC))
    if task == "stream":
        await stream(store, space, name)
    elif task == "write_and_read":
        await write_and_read(store, space, name)
    else:
        await store.write(remember, space, name)
    await store.close()


if __name__ == "__main__":
    print("ready", flush=True)
    sys.stdin.readline()
    asyncio.run(main(*sys.argv[1:]))
