"""Bring a database's schema up to date and tell what that took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bethink.settings import Settings


@dataclass(frozen=True)
class Schema:
    """What the schema is now, and the migrations that were applied just now."""

    version: int
    applied: list[str]


async def bring_up_to_date(settings: Settings) -> Schema:
    """Apply what is missing. Opening a memory does the same without telling."""
    from bethink.store import driver_for
    from bethink.store.migrate import migrations

    driver = driver_for(settings.database_url, settings.store)
    try:
        numbers = await driver.migrate()
    finally:
        await driver.close()
    known = migrations(driver.dialect)
    applied = [f"{step.number:04} {step.name}" for step in known if step.number in numbers]
    return Schema(known[-1].number, applied)
