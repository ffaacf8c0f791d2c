"""Numbered, forward-only migrations. Each driver applies a plan inside its own lock and transactions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from bethink.errors import MigrationError
from bethink.nouns import NOUNS
from bethink.store.queries import Dialect

_TYPES: dict[str, dict[Dialect, str]] = {
    "int": {"sqlite": "INTEGER", "postgres": "BIGINT"},
    "real": {"sqlite": "REAL", "postgres": "DOUBLE PRECISION"},
    "bool": {"sqlite": "INTEGER", "postgres": "BOOLEAN"},
    "json": {"sqlite": "TEXT", "postgres": "JSONB"},
    "bytes": {"sqlite": "BLOB", "postgres": "BYTEA"},
    "strict": {"sqlite": " STRICT", "postgres": ""},
}

BROUGHT = 1000  # from this number on, migrations are those of nouns from elsewhere
LEDGER = (
    "CREATE TABLE IF NOT EXISTS migrations"
    " (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)"
)
APPLIED = "SELECT number FROM migrations ORDER BY number"


@dataclass(frozen=True)
class Migration:
    number: int
    name: str
    sql: str


def migrations(dialect: Dialect) -> list[Migration]:
    """Every migration of a dialect, in order, with those that nouns bring."""
    found = _in(files("bethink.store") / "migrations", dialect)
    for folder in NOUNS.folders:
        brought = _in(folder / "migrations", dialect)
        if wrong := [one.name for one in brought if one.number < BROUGHT]:
            raise MigrationError(f"The migration {wrong[0]!r} of a noun must be numbered from {BROUGHT} on.")
        found += brought
    if len({migration.number for migration in found}) < len(found):
        raise MigrationError("Two nouns bring migrations of the same number; number those of one anew.")
    return sorted(found, key=lambda migration: migration.number)


def _in(folder: Traversable, dialect: Dialect) -> list[Migration]:
    found = []
    for item in folder.iterdir() if folder.is_dir() else ():
        if match := re.fullmatch(r"(\d{4})_(\w+)\.sql", item.name):
            sql = spell(item.read_text("utf-8"), dialect)
            found.append(Migration(int(match[1]), match[2], sql))
    return found


def spell(sql: str, dialect: Dialect) -> str:
    """A migration's text for one database."""
    lines, keep = [], True
    for line in sql.splitlines():
        if line.startswith("-- only: "):
            keep = line.removeprefix("-- only: ").strip() == dialect
        elif line.startswith("-- both:"):
            keep = True
        elif keep and not line.startswith("--"):
            lines.append(line)
    text = "\n".join(lines)
    for mark, words in _TYPES.items():
        text = text.replace(f"{{{mark}}}", words[dialect])
    return text


def pending(dialect: Dialect, applied: list[int]) -> list[Migration]:
    """What is left to apply; a database from a newer Bethink is refused rather than damaged."""
    known = migrations(dialect)
    if unknown := set(applied) - {migration.number for migration in known}:
        if min(unknown) >= BROUGHT:
            raise MigrationError(
                f"This database holds records of a noun that is not registered (migration {min(unknown)}):"
                " they could not be exported or erased. Register the noun, then open it."
            )
        newest, last = (
            max(number for number in numbers if number < BROUGHT)
            for numbers in (unknown, [migration.number for migration in known])
        )
        raise MigrationError(
            f"This database was written by a newer Bethink (migration {newest}, this one knows {last})."
            " Upgrade Bethink to open it."
        )
    return [migration for migration in known if migration.number not in applied]
