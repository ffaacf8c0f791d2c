"""A chat host that speaks as OpenAI does, reached with OpenAI's own package."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Awaitable, Sequence
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel

from bethink.errors import ModelError, ModelMissing
from bethink.models.chat.protocol import ChatMessage, Reply
from bethink.models.chat.schemas import strict_schema
from bethink.models.chat.select import Selected, select
from bethink.settings.sections import ChatSettings

OPENAI = "https://api.openai.com/v1"
_EXCERPT = 200
_MALFORMED = (400, 422)
_UNLISTED = (400, 403, 404, 405, 501)  # what hosts answer that do not list their models
_MOST_REFUSALS = 4  # of parts of a request, before it counts as refused as a whole

Purpose = Literal["extraction", "writing"]
T = TypeVar("T")


class ChatHost:
    """One host: its connections, its models, and which parts of a request it does not take.

    Never shows the key: not in an error, not in a log.
    """

    def __init__(self, settings: ChatSettings) -> None:
        self.url = (settings.base_url or OPENAI).rstrip("/")
        self.settings = settings
        self.selected: Selected | None = None
        self._key = settings.api_key.get_secret_value() if settings.api_key else None
        self._places = asyncio.Semaphore(settings.concurrency)
        self._refused: set[str] = set()
        self._client: Any = None
        self._headers: dict[str, Any] = {}
        self._lock = asyncio.Lock()

    async def ask(
        self, model: str, messages: Sequence[ChatMessage], schema: type[BaseModel] | None, limit: int | None
    ) -> Reply:
        """One answer. What the host refuses of a request is left out of it, now and from then on."""
        client, refused = await self._opened(), set(self._refused)
        for _ in range(_MOST_REFUSALS):
            request = _request(messages, schema, limit, refused)
            try:
                async with self._places:
                    call = client.chat.completions.create(model=model, extra_headers=self._headers, **request)
                    answer = await self._within(call)
            except _Refused as error:
                part = _part_refused(error, request)
                if part is None:
                    raise
                refused.add(part)
                continue
            self._refused |= refused
            return self._reply(answer, model)
        raise ModelError(f"The chat host {self.url} refuses every form of a request; try another model.")

    async def models(self) -> list[str]:
        """The names of the models that the host lists."""
        client = await self._opened()
        page = await self._within(client.models.list(extra_headers=self._headers))
        return [str(model.id) for model in getattr(page, "data", None) or ()]

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _opened(self) -> Any:
        async with self._lock:
            if self._client is None:
                # It takes about a second to import, too long for the event loop.
                openai = await asyncio.to_thread(_package)
                self._headers = _headers(openai, self.url, self._key)
                self._client = openai.AsyncOpenAI(
                    base_url=self.url,
                    api_key=self._key or "none",
                    timeout=self.settings.timeout_seconds,
                    max_retries=self.settings.max_retries,
                )
        return self._client

    async def _within(self, call: Awaitable[T]) -> T:
        """What a call gives, its failures in words."""
        import openai

        seconds, tries = self.settings.timeout_seconds, self.settings.max_retries + 1
        try:
            # The package's limit is for each step of a try; a host that drips must not hold us for ever.
            async with asyncio.timeout((seconds + _LONGEST_WAIT) * tries):
                return await call
        except (openai.APITimeoutError, TimeoutError) as error:
            raise ModelError(
                f"The chat host {self.url} did not answer within {seconds:g} s, in {tries} tries; see whether"
                " it is busy, or raise chat.timeout_seconds.",
                field="chat.timeout_seconds",
            ) from error
        except openai.APIStatusError as error:
            raise self._refusal(error) from error
        except openai.APIConnectionError as error:
            why = self._safe(str(error.__cause__ or error))
            raise ModelError(
                f"The chat host {self.url} cannot be reached, or closed the connection"
                f" ({why or 'no reason'}); start it or correct chat.base_url.",
                field="chat.base_url",
            ) from error
        except (openai.OpenAIError, ValueError) as error:
            raise ModelError(
                f"The chat host {self.url} answered with something else than a chat answer; check"
                " chat.base_url.",
                field="chat.base_url",
            ) from error

    def _refusal(self, error: Any) -> _Refused:
        status, said = int(error.status_code), self._said(error)
        start = f"The chat host {self.url} answered {status}: {said}".rstrip(": ")
        if status in (401, 403):
            return _Refused(f"{start}. Set chat.api_key to a valid key.", status, "chat.api_key")
        if status == 404:
            return _Refused(
                f"{start}. Check that chat.base_url is right (it mostly ends in /v1) and that the host has"
                " the model, or set chat.extraction_model and chat.model.",
                status,
                "chat.extraction_model",
            )
        if status == 429:
            return _Refused(f"{start}. It limits how much may be asked; try again later.", status)
        return _Refused(f"{start}.", status)

    def _said(self, error: Any) -> str:
        body = error.body
        if isinstance(body, dict):
            body = body.get("message") or body.get("detail") or body.get("error") or ""
        return self._safe(body if isinstance(body, str) else json.dumps(body or ""))

    def _safe(self, text: str) -> str:
        shown = " ".join((text.replace(self._key, "***") if self._key else text).split())
        return shown[:_EXCERPT]

    def _reply(self, answer: Any, model: str) -> Reply:
        choices = getattr(answer, "choices", None)
        if not choices or getattr(choices[0], "message", None) is None:
            raise ModelError(
                f"The chat host {self.url} answered with something else than a chat answer; check"
                " chat.base_url.",
                field="chat.base_url",
            )
        content, usage = choices[0].message.content, getattr(answer, "usage", None)
        return Reply(
            text=content if isinstance(content, str) else "",
            model=str(getattr(answer, "model", None) or model),
            cut=choices[0].finish_reason == "length",
            prompt_tokens=getattr(usage, "prompt_tokens", None),
            completion_tokens=getattr(usage, "completion_tokens", None),
        )


class OpenAIChat:
    """A host's model for one purpose. Which one, is found out when it is first asked."""

    def __init__(self, host: ChatHost, purpose: Purpose) -> None:
        self._host, self._purpose = host, purpose

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: type[BaseModel] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """The model's answer."""
        return await self._host.ask(await self.find_model(), messages, schema, max_tokens)

    async def find_model(self) -> str:
        """The name of the model, found out now if need be."""
        settings = self._host.settings
        if self._purpose == "writing" and settings.model:
            return settings.model
        if self._host.selected is None:
            self._host.selected = await self._select()
        return self._host.selected.model

    async def _select(self) -> Selected:
        settings, problem = self._host.settings, "it lists no model for chat"
        wanted = settings.extraction_model
        try:
            listed = await self._host.models()
            if found := select(listed, wanted, settings.small_models):
                return found
        except _Refused as error:
            if error.status not in _UNLISTED:
                raise
            problem = error.message
        # Not every host lists its models; then a name that is configured is taken on trust.
        if named := wanted or settings.model:
            return Selected(named, f"it is configured, and the host's models are not known: {problem}")
        raise ModelError(
            f"There is no model to extract with: {problem} Set chat.extraction_model.",
            field="chat.extraction_model",
        )


class _Refused(ModelError):
    """The host answered with a status that is no success."""

    def __init__(self, message: str, status: int, field: str | None = None) -> None:
        super().__init__(message, field=field)
        self.status = status


_LONGEST_WAIT = 120.0  # seconds, the longest Retry-After that the package heeds


def _package() -> Any:
    try:
        return importlib.import_module("openai")
    except ImportError as error:
        raise ModelMissing(
            "A chat host is configured, but the package that reaches it is not installed: pip install"
            " 'bethink[llm]'.",
            field="chat.base_url",
        ) from error


def _headers(openai: Any, url: str, key: str | None) -> dict[str, Any]:
    """What the package must not send: nothing of the environment may reach a host it is not meant for."""
    own = urlsplit(url).hostname == urlsplit(OPENAI).hostname
    left_out = [] if own else ["OpenAI-Organization", "OpenAI-Project"]
    return {name: openai.Omit() for name in (*left_out, *([] if key else ["Authorization"]))}


def _request(
    messages: Sequence[ChatMessage], schema: type[BaseModel] | None, limit: int | None, refused: set[str]
) -> dict[str, Any]:
    request: dict[str, Any] = {"messages": list(messages)}
    if "temperature" not in refused:
        request["temperature"] = 0
    if limit is not None:
        request["max_completion_tokens" if "max_tokens" in refused else "max_tokens"] = limit
    if schema is None:
        return request
    if "response_format" not in refused:
        form = {"name": schema.__name__, "schema": strict_schema(schema), "strict": True}
        request["response_format"] = {"type": "json_schema", "json_schema": form}
    else:
        told = json.dumps(strict_schema(schema), ensure_ascii=False, separators=(",", ":"))
        plain = f"Answer with JSON only, no prose and no code fence, that fits this schema: {told}"
        request["messages"] = [{"role": "system", "content": plain}, *messages]
    return request


def _part_refused(error: _Refused, request: dict[str, Any]) -> str | None:
    """Which part of a request the host does not take: the one it names, else the schema. None: all of it."""
    if error.status not in _MALFORMED:
        return None
    named = [part for part in ("max_tokens", "temperature") if part in request and part in error.message]
    if named:
        return named[0]
    return "response_format" if "response_format" in request else None
