"""Embedding over HTTP: texts sent to a host in batches, and its answers checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bethink.errors import ModelError
from bethink.models.embed.prefixes import Prefixes
from bethink.models.embed.protocol import EmbedRole, unit
from bethink.models.hosts import Host, TooLong
from bethink.settings import EmbedSettings

_SHORTEST_CUT = 200


class RemoteEmbedder:
    """Sends texts to a host in batches and checks what comes back."""

    def __init__(
        self,
        source: str,
        model: str,
        host: Host,
        embed: EmbedSettings,
        read: Callable[[Any], Sequence[Any]],
    ) -> None:
        self._prefixes = Prefixes.of(model, embed)
        self._host = host
        self._asked = {"model": model} | ({"dimensions": embed.dimensions} if embed.dimensions else {})
        self.at_once = embed.batch_size
        self._read = read
        self.source = source
        self.model = model + self._prefixes.tag
        self.dimensions = embed.dimensions or 0

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        """One row per text. A text longer than the host takes is cut until it fits."""
        # Hosts refuse an empty text.
        sent = [text or " " for text in self._prefixes.apply(texts, role)]
        result = np.zeros((len(sent), self.dimensions), np.float32)
        for start in range(0, len(sent), self.at_once):
            batch = sent[start : start + self.at_once]
            result[start : start + len(batch)] = unit(await self._ask(batch))
        return result

    async def measure(self) -> None:
        """Learn the length of the model's vectors by asking for one."""
        length = (await self._ask(["bethink"], any_length=True)).shape[1]
        if self.dimensions not in (0, length):
            raise ModelError(
                f"The embedding host {self._host.url} gives {length} dimensions where embed.dimensions asks"
                f" for {self.dimensions}; its model cannot change them, so unset embed.dimensions.",
                field="embed.dimensions",
            )
        self.dimensions = length

    async def close(self) -> None:
        """Close the connections to the host."""
        await self._host.close()

    async def _ask(self, texts: list[str], *, any_length: bool = False) -> NDArray[np.float32]:
        try:
            answer = await self._host.post({**self._asked, "input": texts})
        except TooLong:
            if len(texts) > 1:
                half = len(texts) // 2
                return np.concatenate([await self._ask(texts[:half]), await self._ask(texts[half:])])
            if len(texts[0]) < _SHORTEST_CUT:
                raise
            return await self._ask([texts[0][: len(texts[0]) // 2]])
        return self._checked(answer, len(texts), any_length=any_length)

    def _checked(self, answer: Any, count: int, *, any_length: bool) -> NDArray[np.float32]:
        start = f"The embedding host {self._host.url} answered with"
        try:
            rows = np.array(self._read(answer), np.float32)
        except (LookupError, TypeError, ValueError) as error:
            raise ModelError(
                f"{start} something else than embeddings; check embed.base_url and embed.model.",
                field="embed.base_url",
            ) from error
        if rows.ndim != 2 or len(rows) != count or rows.shape[1] == 0:
            raise ModelError(f"{start} {len(rows)} embeddings for {count} texts; check embed.model.")
        if not any_length and rows.shape[1] != self.dimensions:
            raise ModelError(
                f"{start} {rows.shape[1]} dimensions where it gave {self.dimensions} before; its model was"
                " changed, so open the memory again to embed everything with the new one."
            )
        if not np.isfinite(rows).all():
            raise ModelError(f"{start} embeddings that are not numbers; check embed.model.")
        return rows
