"""Texts that are compared with, piece by piece, without being in the index."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bethink.errors import ModelError
from bethink.index.describe import fingerprint
from bethink.index.makers import VectorMaker
from bethink.models.embed import Resolution
from bethink.records import Context

SHORTEST = 10  # characters of a sentence worth comparing with
KEPT = 200  # texts whose pieces stay in memory
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]?")


class Passages:
    """The vectors of texts' pieces: what the model can read whole, and each sentence."""

    def __init__(self, resolution: Resolution, maker: VectorMaker) -> None:
        self._resolution, self._maker = resolution, maker
        self._kept: OrderedDict[tuple[str, str], NDArray[np.float32]] = OrderedDict()

    @property
    def kept(self) -> int:
        """Of how many texts the vectors are in memory."""
        return len(self._kept)

    def forget(self) -> None:
        """Keep no vectors: what they were made from may have been erased."""
        self._kept.clear()

    async def closest(self, context: Context, signature: str, vector: NDArray[np.float32]) -> float:
        """How near a vector comes to any piece of a context; -1 when that cannot be told."""
        try:
            rows = await self._rows(context.content, signature)
        except ModelError:
            return -1.0  # the caller has said already that there are no vectors
        return float((rows @ vector).max()) if len(rows) else -1.0

    async def _rows(self, text: str, signature: str) -> NDArray[np.float32]:
        name = (signature, fingerprint(text))
        if (known := self._kept.get(name)) is not None:
            self._kept.move_to_end(name)
            return known
        made_by, rows = await self._maker.documents(await self._pieces(text))
        if made_by != signature:
            raise ModelError("The embedding model was changed meanwhile.")
        self._kept[name] = np.array(rows, np.float32)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return self._kept[name]

    async def _pieces(self, text: str) -> Sequence[str]:
        whole = await self._resolution.split(text)
        sentences = [found.group().strip() for part in whole for found in _SENTENCE.finditer(part)]
        return list(dict.fromkeys([*whole, *(one for one in sentences if len(one) >= SHORTEST)]))
