"""bethink forget --erase: every trace of something, gone, with a receipt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bethink.cli.confirm import confirm
from bethink.cli.output import Output, counted
from bethink.errors import InvalidInput

if TYPE_CHECKING:
    from bethink.cli.invoke import Invocation
    from bethink.shapes.rights import Place, Receipt

_NAMES = {
    "memories": ("memory", "memories"), "messages": ("message", "messages"), "facts": ("fact", "facts"),
    "persons": ("person", "persons"), "sessions": ("session", "sessions"),
    "people": ("person", "people"), "keys": ("key", "keys"),
    "journal": ("line of the journal", "lines of the journal"),
}  # fmt: skip


async def erase(here: Invocation, choice: dict[str, Any], *, dry_run: bool, yes: bool) -> None:
    """Erase what is chosen, after showing what that is and asking."""
    if sum(bool(value) for value in choice.values()) != 1:
        raise InvalidInput(
            "Name one thing to erase: memory ids, --person, --session, --query or --everything."
        )
    asked = {name: value for name, value in choice.items() if value}
    async with here.reading() as space:
        if dry_run or not yes:
            would = await space.erase(**asked, dry_run=True)
            if dry_run:
                show_receipt(here.out, would)
                return
            confirm(here.out, f"Erase {told(would.erased)} for good? This cannot be undone.")
        show_receipt(here.out, await space.erase(**asked))


def show_receipt(out: Output, receipt: Receipt) -> None:
    """What was erased, or would be, and the proof."""
    if out.json:
        out.data(receipt)
        return
    if receipt.dry_run:
        for place in receipt.records:
            out.line(f"{place.noun}\t{place.id}")
        out.note(f"Would erase {told(receipt.erased)}. Nothing was changed.")
        return
    out.line(("erased", "green"), f" {told(receipt.erased)}")
    out.line(("receipt ", "dim"), receipt.id)
    proof, storage = receipt.proof, receipt.storage
    if proof is None or storage is None:
        return
    searched = f"{counted(proof.rows, 'row')} of {counted(proof.tables, 'table')} and the index were searched"
    if receipt.complete:
        out.line(("proof ", "dim"), f"{searched}: none of it is left")
    else:
        for place in (*proof.ids_found, *proof.texts_found):
            out.warn(f"still found in {_where(place)}")
    for place in proof.elsewhere:
        out.warn(f"the same is said in {_where(place)}; erase that too if it should go")
    for note in storage.notes:
        out.note(note)


def told(counts: Mapping[str, int]) -> str:
    """How much of what, in words."""
    parts = [counted(number, *_NAMES.get(noun, (noun, noun))) for noun, number in counts.items() if number]
    return ", ".join(parts) or "nothing"


def _where(place: Place) -> str:
    return f"{place.noun} {place.id}" + (f" ({place.field})" if place.field else "")
