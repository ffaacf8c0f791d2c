"""Devices: through what people speak."""

from __future__ import annotations

from bethink.records import Device
from bethink.store.driver import Tx
from bethink.store.rows import Table

_table = Table(Device)


def put(tx: Tx, device: Device) -> None:
    """Add a device, or change the name and the person of the one with its id."""
    tx.run("devices.put", _table.columns(device))


def find(tx: Tx, space_id: str, device_id: str) -> Device | None:
    row = tx.one("devices.by_id", {"space_id": space_id, "id": device_id})
    return _table.record(row) if row else None


def list_all(tx: Tx, space_id: str) -> list[Device]:
    return _table.records(tx.all("devices.of_space", {"space_id": space_id}))


def delete(tx: Tx, space_id: str, device_id: str) -> bool:
    return tx.run("devices.delete", {"space_id": space_id, "id": device_id}) > 0
