"""Index ids: the space's number (high 32 bits), the layer (4 bits), a running number (28 bits).

So one space, or one layer of it, is one range of ids and needs no join to be told from the rest.
"""

from __future__ import annotations

from collections.abc import Iterable

from bethink.nouns import NOUNS
from bethink.records import Layer

LAYER_CODES = NOUNS.codes
NUMBER_BITS = 28


def every_layer() -> list[Layer]:
    """Every layer there is."""
    return [Layer(name) for name in LAYER_CODES]


def id_range(space_number: int, layer: Layer | None = None) -> tuple[int, int]:
    """The lowest and the highest id that a space, or one layer of it, can use."""
    low = space_number << 32
    if layer is None:
        return low, low + (1 << 32) - 1
    low |= LAYER_CODES[layer] << NUMBER_BITS
    return low, low + (1 << NUMBER_BITS) - 1


def layer_code(entry_id: int) -> int:
    """Which layer an id belongs to, as in LAYER_CODES."""
    return entry_id >> NUMBER_BITS & 0xF


def id_ranges(space_number: int, layers: Iterable[Layer] | None) -> list[tuple[int, int]]:
    """The ranges to search for these layers; None is every layer, an empty choice is nothing."""
    if layers is None:
        return [id_range(space_number)]
    return [id_range(space_number, layer) for layer in sorted(set(layers))]
