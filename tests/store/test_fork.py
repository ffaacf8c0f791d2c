"""A memory that was open when the process was forked."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from bethink import Bethink
from bethink.errors import Forked
from bethink.settings import StoreSettings
from bethink.store import Driver, connect, spaces
from tests.store.samples import NOW

PATIENCE_SECONDS = 20  # then a child that hangs is ended, and the test fails


def in_child(work: Callable[[], bool]) -> int:
    """What a forked child ended with: 0 when `work` returned true, 1 when not, 2 when it raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of forking with threads
        child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE_SECONDS)
        try:
            os._exit(0 if work() else 1)
        except BaseException:
            os._exit(2)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def refuses(call: Callable[[], object]) -> bool:
    try:
        call()
    except Forked as error:
        return "forked" in error.message
    return False


def test_an_open_memory_refuses_a_forked_child_and_the_parent_goes_on(database_url: str) -> None:
    with Bethink(database_url, embed={"source": "none"}) as memory:
        memory.remember("Anna likes tea")

        def use_it() -> bool:
            refused = refuses(lambda: memory.remember("from the child"))
            refused &= refuses(lambda: memory.recall("tea"))
            memory.close()  # must neither hang nor end the parent's connections
            with Bethink(database_url, embed={"source": "none"}) as own:
                return refused and own.remember("of its own").id is not None

        assert in_child(use_it) == 0
        memory.remember("The parent goes on")
        texts = {found.content for found in memory.list()}
        assert texts == {"Anna likes tea", "of its own", "The parent goes on"}


async def test_an_open_store_refuses_a_forked_child(database_url: str) -> None:
    store: Driver = await connect(database_url, StoreSettings())
    await store.write(spaces.ensure, "home", NOW)

    def use_it() -> bool:
        def step(coroutine: Coroutine[Any, Any, object]) -> None:
            coroutine.send(None)  # a loop of the parent cannot be run here

        calls: list[Callable[[], Coroutine[Any, Any, object]]] = [
            lambda: store.read(spaces.list_all),
            lambda: store.peek(spaces.list_all),
            lambda: store.peek_once(spaces.list_all),
            lambda: store.write(spaces.list_all),
            store.scrub,
        ]
        return all(refuses(partial(lambda call: step(call()), call)) for call in calls)

    assert in_child(use_it) == 0
    assert len(await store.read(spaces.list_all)) == 1
    await store.close()
