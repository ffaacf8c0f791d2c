"""Embedding over HTTP: one call to a host, its failures in words, and texts sent in batches."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Any

import httpx2
import numpy as np
from numpy.typing import NDArray

from recollect.errors import ModelError
from recollect.models.embed.prefixes import Prefixes
from recollect.models.embed.protocol import EmbedRole
from recollect.models.embed.vectors import unit
from recollect.settings import EmbedSettings

# A measure and an excess: hosts say it in many ways, but all of them say both.
_TOO_LONG = re.compile(
    r"(?=.*(token|context|length|input|size))(?=.*(exceed|maximum|too |longer|larger|limit))",
    re.IGNORECASE | re.DOTALL,
)
_SHORTEST_CUT = 200
_EXCERPT = 200


class _TooLong(ModelError):
    """The texts are more than the host takes at once."""


class Host:
    """One address that takes texts. Never shows the key: not in an error, not in a log."""

    def __init__(self, url: str, *, key: str | None, timeout: float, missing: str) -> None:
        self.url = url
        self._key = key
        self._timeout = timeout
        self._missing = missing
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        # The time limit is ours and for the whole call; the client's are for each step of it.
        self._client = httpx2.AsyncClient(headers=headers, timeout=None)

    async def post(self, body: dict[str, Any]) -> Any:
        """The host's answer to `body`, as JSON."""
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._send(body)
        except TimeoutError as error:
            raise ModelError(
                f"The embedding host {self.url} did not answer within {self._timeout:g} s; see whether it is"
                " busy, or raise embed.timeout_seconds.",
                field="embed.timeout_seconds",
            ) from error
        except httpx2.HTTPError as error:
            raise ModelError(
                f"The embedding host {self.url} cannot be reached ({self._safe(str(error)) or 'no reason'});"
                " start it or correct embed.base_url.",
                field="embed.base_url",
            ) from error
        if not response.is_success:
            raise self._refusal(response)
        try:
            # A large batch is megabytes of numbers, too much to read on the event loop.
            return await asyncio.to_thread(response.json)
        except ValueError as error:
            raise ModelError(
                f"The embedding host {self.url} did not answer in JSON; check embed.base_url.",
                field="embed.base_url",
            ) from error

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _send(self, body: dict[str, Any]) -> httpx2.Response:
        try:
            return await self._client.post(self.url, json=body)
        except (httpx2.RemoteProtocolError, httpx2.ReadError):
            # The host closed a connection that was kept open for the next call: not a failure yet.
            return await self._client.post(self.url, json=body)

    def _refusal(self, response: httpx2.Response) -> ModelError:
        status, said = response.status_code, self._safe(response.text.strip())
        start = f"The embedding host {self.url} answered {status}"
        if status in (400, 413, 422, 500) and _TOO_LONG.search(said):
            return _TooLong(f"{start}: {said}", field="embed.model")
        if status in (401, 403):
            return ModelError(f"{start}: {said} Set embed.api_key to a valid key.", field="embed.api_key")
        if status == 404:
            return ModelError(f"{start}: {said} {self._missing}", field="embed.model")
        if status == 429:
            return ModelError(f"{start}: {said} It limits how much may be asked; it is tried again later.")
        if response.is_redirect:
            return ModelError(f"{start}, a redirect; correct embed.base_url.", field="embed.base_url")
        return ModelError(f"{start}: {said}")

    def _safe(self, text: str) -> str:
        shown = text.replace(self._key, "***") if self._key else text
        return shown[:_EXCERPT]


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
        self._batch_size = embed.batch_size
        self._read = read
        self.source = source
        self.model = model + self._prefixes.tag
        self.dimensions = embed.dimensions or 0

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:
        """One row per text. A text longer than the host takes is cut until it fits."""
        # Hosts refuse an empty text.
        sent = [text or " " for text in self._prefixes.apply(texts, role)]
        result = np.zeros((len(sent), self.dimensions), np.float32)
        for start in range(0, len(sent), self._batch_size):
            batch = sent[start : start + self._batch_size]
            result[start : start + len(batch)] = unit(await self._ask(batch))
        return result

    async def measure(self) -> None:
        """Learn the length of the model's vectors by asking for one."""
        length = (await self._ask(["recollect"], any_length=True)).shape[1]
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
        except _TooLong:
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
