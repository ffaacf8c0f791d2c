"""One call to a host over HTTP, and its failures in words."""

from __future__ import annotations

import asyncio
import re
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from bethink.clock import now
from bethink.errors import ModelBusy, ModelError

# A measure and an excess: hosts say it in many ways, but all of them say both.
_TOO_LONG = re.compile(
    r"(?=.*(token|context|length|input|size))(?=.*(exceed|maximum|too |longer|larger|limit))",
    re.IGNORECASE | re.DOTALL,
)
_EXCERPT = 200
LONGEST_WAIT = 3600.0  # that a host may ask for


def wait_of(header: str | None, at: datetime) -> float | None:
    """How many seconds `Retry-After` asks to wait, told in seconds or as a date; None where it says nothing.

    Example:

        wait_of("120", at) == 120.0
    """
    try:
        if header is None:
            return None
        if (told := header.strip()).isdecimal():
            return min(float(told), LONGEST_WAIT)
        return min(max((parsedate_to_datetime(told) - at).total_seconds(), 0.0), LONGEST_WAIT)
    except (ValueError, TypeError, OverflowError):
        return None


class TooLong(ModelError):
    """The texts are more than the host takes at once."""


class Refused(ModelError):
    """The host did not understand the request."""


class NotOffered(ModelError):
    """The host has no such address, or not the model that was asked for."""


class Host:
    """One address that takes texts. Never shows the key: not in an error, not in a log.

    `kind` and `section` are what errors call it and where its settings are; `missing` is what to do when it
    does not know the model.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None,
        timeout: float,
        missing: str,
        kind: str = "embedding",
        section: str = "embed",
        time_limit: str = "timeout_seconds",
    ) -> None:
        self.url, self._name, self._section = url, f"The {kind} host {url}", section
        self._time_limit = f"{section}.{time_limit}"
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
                f"{self._name} did not answer within {self._timeout:g} s; see whether it is busy, or raise"
                f" {self._time_limit}.",
                field=self._time_limit,
            ) from error
        except httpx2.HTTPError as error:
            raise ModelError(
                f"{self._name} cannot be reached ({self._safe(str(error)) or 'no reason'}); start it or"
                f" correct {self._section}.base_url.",
                field=f"{self._section}.base_url",
            ) from error
        if not response.is_success:
            raise self._refusal(response)
        try:
            # A large batch is megabytes of numbers, too much to read on the event loop.
            return await asyncio.to_thread(response.json)
        except ValueError as error:
            raise ModelError(
                f"{self._name} did not answer in JSON; check {self._section}.base_url.",
                field=f"{self._section}.base_url",
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
        start, section = f"{self._name} answered {status}", self._section
        if status in (400, 413, 422, 500) and _TOO_LONG.search(said):
            return TooLong(f"{start}: {said}", field=f"{section}.model")
        if status in (401, 403):
            return ModelError(
                f"{start}: {said} Set {section}.api_key to a valid key.", field=f"{section}.api_key"
            )
        if status == 404:
            return NotOffered(f"{start}: {said} {self._missing}", field=f"{section}.model")
        if status in (405, 501):
            return NotOffered(f"{start}: {said} It does not offer this.", field=f"{section}.base_url")
        wait = wait_of(response.headers.get("retry-after"), now())
        if status == 429 or (status == 503 and wait is not None):
            busy = ModelBusy(f"{start}: {said} It limits how much may be asked; it is tried again later.")
            busy.retry_after = wait
            return busy
        if response.is_redirect:
            return ModelError(
                f"{start}, a redirect; correct {section}.base_url.", field=f"{section}.base_url"
            )
        if status in (400, 422):
            return Refused(f"{start}: {said}")
        return ModelError(f"{start}: {said}")

    def _safe(self, text: str) -> str:
        shown = text.replace(self._key, "***") if self._key else text
        return shown[:_EXCERPT]
