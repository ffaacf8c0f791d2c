"""The only room with SQL: one module per noun, named queries, a thin driver per database."""

from __future__ import annotations

from bethink.errors import StoreError
from bethink.settings import StoreSettings
from bethink.store.driver import Driver, Tx
from bethink.store.sqlite import SqliteDriver

__all__ = ["Driver", "Tx", "connect", "driver_for"]


async def connect(url: str, settings: StoreSettings) -> Driver:
    """Open the database at `url` (a file, `:memory:` or `postgresql://…`) and bring its schema up to date."""
    driver = driver_for(url, settings)
    try:
        await driver.migrate()
    except BaseException:
        await driver.close()
        raise
    return driver


def driver_for(url: str, settings: StoreSettings) -> Driver:
    """The driver of a URL, before anything was asked of the database."""
    scheme, separator, rest = url.partition("://")
    if scheme in ("postgresql", "postgres") and separator:
        try:
            from bethink.store.postgres import PostgresDriver
        except ImportError as error:
            raise StoreError("PostgreSQL needs the extra: pip install 'bethink[postgres]'.") from error
        return PostgresDriver(url, pool_size=settings.pool_size, build_mb=settings.build_mb)
    if separator and scheme not in ("sqlite", "file"):
        raise StoreError(f"Unknown database {scheme}://…: use a file path, ':memory:' or postgresql://….")
    path = rest if separator else url
    return SqliteDriver(
        path,
        readers=settings.readers,
        busy_seconds=settings.busy_seconds,
        vacuum_bytes=settings.vacuum_mb * 1_000_000,
        quiet_seconds=settings.quiet_seconds,
    )
