"""Requests to a server, and its answers as records or as the errors that the library raises."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from bethink.errors import (
    AccessDenied,
    BethinkError,
    Closed,
    Conflict,
    InvalidInput,
    NotFound,
    Overloaded,
    StoreError,
    TooLarge,
    Unauthenticated,
)
from bethink.records import Record
from bethink.shapes.fields import checked

if TYPE_CHECKING:
    import httpx2

R = TypeVar("R", bound=Record)
_ERRORS: dict[int, type[BethinkError]] = {
    400: InvalidInput, 401: Unauthenticated, 403: AccessDenied, 404: NotFound, 409: Conflict, 413: TooLarge,
    415: InvalidInput, 422: InvalidInput, 429: Overloaded,
}  # fmt: skip
_WHOLE = ("/api/keys", "/api/spaces")  # of the server, not of a space
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Http:
    """One server, as one key sees it in one space."""

    def __init__(
        self, server: str, token: str | None, space: str | None, seconds: float, transport: Any = None
    ) -> None:
        self.server, self._token, self.space, self._seconds = server.rstrip("/"), token, space, seconds
        self._transport = transport
        self._client: httpx2.AsyncClient | None = None
        self._closed = False

    def of(self, space: str) -> Http:
        """The same server, in another space."""
        return Http(self.server, self._token, space, self._seconds, self._transport)

    async def close(self) -> None:
        """Let go of the connections."""
        self._closed = True
        if self._client:
            await self._client.aclose()

    async def get(self, path: str, kind: type[R], /, **query: Any) -> R:
        return kind.model_validate(await self.send("GET", path, query=query))

    async def post(
        self, path: str, kind: type[R], body: Any = None, /, *, method: str = "POST", **query: Any
    ) -> R:
        return kind.model_validate(await self.send(method, path, body=body, query=query))

    async def send(
        self, method: str, path: str, *, body: Any = None, query: Mapping[str, Any] | None = None
    ) -> Any:
        """The JSON of an answer; what the server refuses is raised as the library would."""
        client = self._opened()
        try:
            response = await client.request(method, path, params=self._given(path, query), json=body)
        except self._failures as error:
            raise self._silent(error) from None
        if response.is_error:
            raise _error(response)
        return response.json()

    @asynccontextmanager
    async def download(self, path: str, /, **query: Any) -> AsyncIterator[httpx2.Response]:
        """An answer whose bytes are read as they come."""
        client = self._opened()
        try:
            async with client.stream("GET", path, params=self._given(path, query)) as response:
                if response.is_error:
                    await response.aread()
                    raise _error(response)
                yield response
        except self._failures as error:
            raise self._silent(error) from None

    async def upload(
        self, path: str, pieces: AsyncIterator[bytes], kind: type[R], /, *, method: str = "POST", **query: Any
    ) -> R:
        """Send bytes as they come. An import takes as long as it takes, so its answer may too."""
        client = self._opened()
        headers = {"content-type": "application/octet-stream"}
        try:
            response = await client.request(
                method, path, params=self._given(path, query), content=pieces, headers=headers, timeout=None
            )
        except self._failures as error:
            raise self._silent(error) from None
        if response.is_error:
            raise _error(response)
        return kind.model_validate(response.json())

    def _opened(self) -> httpx2.AsyncClient:
        import httpx2

        if self._closed:
            raise Closed
        if self._client is None:
            headers = {"authorization": f"Bearer {self._token}"} if self._token else {}
            self._client = httpx2.AsyncClient(
                base_url=self.server, headers=headers, timeout=self._seconds, transport=self._transport
            )
        return self._client

    @property
    def _failures(self) -> type[Exception]:
        import httpx2

        return httpx2.HTTPError

    def _given(self, path: str, query: Mapping[str, Any] | None) -> dict[str, Any]:
        """The parameters of a request; what is the whole server's takes no space."""
        given = {name: _written(value) for name, value in (query or {}).items() if value is not None}
        if self.space is not None and not path.startswith(_WHOLE):
            given["space"] = self.space
        return given

    def _silent(self, error: Exception) -> StoreError:
        why = str(error) or type(error).__name__
        return StoreError(f"The server {self.server} does not answer: {why}. Is it running?")


def body_of(shape: type[R], values: Mapping[str, Any] | R) -> dict[str, Any]:
    """Values as the server takes them, checked as the library checks them."""
    draft = checked(shape, values)
    found: dict[str, Any] = draft.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return found


def segment(text: str) -> str:
    """A name as a piece of a path."""
    return quote(text, safe="")


def _written(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_written(one) for one in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else value


def _error(response: httpx2.Response) -> BethinkError:
    """The error that an answer tells of."""
    try:
        told = response.json()
        detail, field = str(told["detail"]), told.get("field")
    except (ValueError, KeyError, TypeError):
        detail, field = f"The server answered {response.status_code}.", None
    kind = _ERRORS.get(response.status_code, StoreError)
    return kind(detail, field=_HUMP.sub("_", field).lower() if isinstance(field, str) else None)
