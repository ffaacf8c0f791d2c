"""Every text in every table, whatever tables there are: for whoever has to prove that something is gone."""

from __future__ import annotations

from collections.abc import Iterator

from bethink.store.driver import Row, Tx


def columns(tx: Tx) -> dict[str, list[str]]:
    """The columns that hold text or JSON, by table."""
    found: dict[str, list[str]] = {}
    for row in tx.all("survey.columns"):
        found.setdefault(row["table_name"], []).append(row["column_name"])
    return found


def rows(tx: Tx, space_id: str, table: str, names: list[str]) -> Iterator[Row]:
    """The texts of a table: those of a space, or all where the table knows no spaces."""
    quoted = ", ".join(f'"{name}"' for name in names)
    scope = "id" if table == "spaces" else "space_id" if "space_id" in names else None
    if scope is None:
        return tx.each("survey.all_rows", columns=quoted, table=f'"{table}"')
    return tx.each("survey.rows", {"space_id": space_id}, columns=quoted, table=f'"{table}"', scope=scope)
