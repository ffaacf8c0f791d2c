"""bethink devices: through what people speak."""

from __future__ import annotations

from typing import Annotated

import typer

from bethink.cli.inputs import text_of
from bethink.cli.invoke import Invocation
from bethink.cli.output import Column
from bethink.cli.people import add_group, found_person

DeviceId = Annotated[str, typer.Argument(metavar="ID", help="The device's id, as its program calls it.")]


def register(app: typer.Typer, panel: str) -> None:
    """Add the group."""
    add_group(app, panel, devices, {"list": list_devices, "set": set_device, "remove": remove_device})


def devices(context: typer.Context) -> None:
    """Devices, and who usually speaks through them."""


async def list_devices(here: Invocation) -> None:
    """List the devices."""
    async with here.reading() as space:
        found = await space.devices.list()
        names = {person.id: person.display_name for person in await space.people.list()}
    if here.out.json:
        here.out.data(found)
    elif found:
        rows = [[device.id, names.get(device.primary_person_id or "", ""), device.name] for device in found]
        here.out.table([Column("Id"), Column("Person", style="cyan"), Column("Name", wraps=True)], rows)
    else:
        here.out.note("There are no devices yet. Begin with: bethink devices set tv Television")


async def set_device(
    here: Invocation,
    device_id: DeviceId,
    name: Annotated[list[str], typer.Argument(metavar="NAME", help="What people call it.")],
    person: Annotated[
        str | None, typer.Option(metavar="PERSON", help="Who usually speaks through it; nobody by default.")
    ] = None,
) -> None:
    """Add a device, or change the one of this id."""
    async with here.reading() as space:
        owner = await found_person(space, person) if person else None
        device = await space.devices.put(
            device_id, name=text_of(name), primary_person_id=owner.id if owner else None
        )
    if here.out.json:
        here.out.data(device)
    else:
        whose = f" ({owner.display_name})" if owner else ""
        here.out.line(("set", "green"), f" {device.id} = {device.name}{whose}")


async def remove_device(here: Invocation, device_id: DeviceId) -> None:
    """Remove a device."""
    async with here.reading() as space:
        removed = await space.devices.remove(device_id)
    if here.out.json:
        here.out.data(removed)
    else:
        here.out.line(("removed", "green"), f" {removed.id} = {removed.name}")
