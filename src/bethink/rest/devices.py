"""/api/devices: through what people speak."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from bethink.records import Device, Record
from bethink.rest.callers import ReadSpace, WriteSpace
from bethink.rest.routes import KeyRoute, problems
from bethink.shapes.fields import Name
from bethink.shapes.households import DeviceDraft

router = APIRouter(prefix="/api/devices", tags=["people"], route_class=KeyRoute)

# The id is the caller's own and may hold slashes: hence `path`.
DeviceId = Annotated[Name, Path(alias="id", description="The device's id, percent-encoded.")]


class DeviceList(Record):
    """Devices, in the order they came."""

    items: list[Device]


@router.get("", summary="List devices", response_description="The devices.", responses=problems())
async def list_devices(space: ReadSpace) -> DeviceList:
    """Every device of the space, and who usually speaks through it."""
    return DeviceList(items=await space.devices.list())


@router.get("/{id:path}", summary="Get a device", response_description="The device.", responses=problems(404))
async def get_device(device_id: DeviceId, space: ReadSpace) -> Device:
    """One device by its id."""
    return await space.devices.get(device_id)


@router.put(
    "/{id:path}",
    summary="Add or change a device",
    response_description="The device as it is now.",
    responses=problems(body=True),
)
async def put_device(device_id: DeviceId, draft: DeviceDraft, space: WriteSpace) -> Device:
    """Add the device of this id, or change its name and who usually speaks through it."""
    return await space.devices.put(device_id, name=draft.name, primary_person_id=draft.primary_person_id)


@router.delete(
    "/{id:path}",
    summary="Remove a device",
    response_description="What the device was.",
    responses=problems(404),
)
async def remove_device(device_id: DeviceId, space: WriteSpace) -> Device:
    """Remove a device; the journal keeps what it was."""
    return await space.devices.remove(device_id)
