"""Leases: at most one holder of a name at a time, across processes, until it lets go or time runs out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from bethink.clock import now
from bethink.errors import StoreError
from bethink.store.driver import Driver, Tx
from bethink.store.rows import micros, moment

LONGEST = timedelta(seconds=60)  # what one lease may last; a holder that needs longer prolongs it
CLOCKS_DIFFER = timedelta(seconds=30)  # so far ahead the clock of another machine may be
_log = logging.getLogger(__name__)


def take(tx: Tx, name: str, token: str, at: datetime, duration: timedelta) -> bool:
    """Take or prolong a lease; False when someone else holds it.

    One that would last longer than any that is ever granted was dated by a wrong clock, and counts as ended.
    """
    values = {"name": name, "token": token, "now": micros(at), "until": micros(at + min(duration, LONGEST))}
    return tx.run("leases.take", values | {"unbelievable": _unbelievable(at)}) > 0


def release(tx: Tx, name: str, token: str) -> None:
    tx.run("leases.release", {"name": name, "token": token})


def ends_at(tx: Tx, name: str) -> datetime | None:
    """When a lease ends unless its holder prolongs it; None when nobody holds it."""
    row = tx.one("leases.ends_at", {"name": name})
    return moment(row["expires_at"]) if row else None


def abandoned(tx: Tx, at: datetime) -> list[str]:
    """The names of leases that have ended though nobody let go of them: whoever held them has died."""
    values = {"now": micros(at), "unbelievable": _unbelievable(at)}
    return [row[0] for row in tx.tuples("leases.abandoned", values)]


def clear(tx: Tx, names: Sequence[str], at: datetime) -> None:
    """Take away leases that were abandoned, but for those that someone has taken since."""
    values = {"names": list(names), "now": micros(at), "unbelievable": _unbelievable(at)}
    tx.run("leases.clear", values)


@asynccontextmanager
async def prolonged(driver: Driver, name: str, token: str, duration: timedelta) -> AsyncIterator[None]:
    """Keep a lease that was taken, however long the work under it lasts, and let go of it afterwards."""
    try:
        async with renewed(driver, name, token, duration):
            yield
    finally:
        await driver.write(release, name, token)


@asynccontextmanager
async def renewed(driver: Driver, name: str, token: str, duration: timedelta) -> AsyncIterator[asyncio.Event]:
    """Keep a lease that was taken while this lasts; the event tells that somebody else has it all the same.

    That happens to a holder that stood still for longer than the lease lasts.
    """
    lost, renewing = asyncio.Event(), list[asyncio.Task[None]]()

    def begin() -> None:
        renewing.append(asyncio.create_task(_renew(driver, name, token, duration, lost)))

    # Most work is done long before, and a task would cost it more than a timer does.
    timer = asyncio.get_running_loop().call_later(duration.total_seconds() / 3, begin)
    try:
        yield lost
    finally:
        timer.cancel()
        for task in renewing:
            task.cancel()
        await asyncio.gather(*renewing, return_exceptions=True)


async def _renew(driver: Driver, name: str, token: str, duration: timedelta, lost: asyncio.Event) -> None:
    while not lost.is_set():
        try:
            if not await driver.write(take, name, token, now(), duration):
                lost.set()
        except StoreError as error:
            _log.warning("The lease %s was not renewed: %s", name, error.message)
        await asyncio.sleep(duration.total_seconds() / 3)


def _unbelievable(at: datetime) -> int:
    return micros(at + LONGEST + CLOCKS_DIFFER)
