"""What the OpenAPI document says of the gateway. Bodies and answers are the provider's, so they are open."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_KEYS: list[Schema] = [{"bearer": []}, {"apiKey": []}, {"gatewayKey": []}]
SECURITY: Schema = {
    "gatewayKey": {
        "type": "apiKey",
        "description": "Bethink's key, where the usual headers hold one for the provider.",
        "in": "header",
        "name": "x-bethink-key",
    }
}
SHAPES: Schema = {
    "GatewayError": {
        "description": "An error in the words of the client's own API; a provider's is passed on as it came.",
        "anyOf": [
            {
                "type": "object",
                "description": "As OpenAI says it.",
                "required": ["error"],
                "properties": {
                    "error": {
                        "type": "object",
                        "required": ["message"],
                        "properties": {
                            "message": {"type": "string"},
                            "type": {"type": "string"},
                            "param": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                            "code": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                        },
                    }
                },
            },
            {
                "type": "object",
                "description": "As Anthropic says it: for /v1/messages and where anthropic-version is sent.",
                "required": ["type", "error"],
                "properties": {
                    "type": {"type": "string", "const": "error"},
                    "error": {"type": "object", "required": ["type", "message"]},
                    "request_id": {"type": "string"},
                },
            },
        ],
    }
}
_SPACE = ("x-bethink-space", "The space, for an admin key; its own when left out.")
_MEMORY = (
    ("x-bethink-session", "Which conversation this is; otherwise it is told by what is sent."),
    ("x-bethink-person", "Who speaks: a name or an id; otherwise it is inferred."),
    ("x-bethink-device", "Through which device."),
    ("x-bethink-no-memory", "`true` (or `1`, `yes`) leaves memory out of this request."),
    _SPACE,
)
_TOLD = {
    "x-bethink-memories": "How many memories were recalled.",
    "x-bethink-facts": "How many facts stand in the prompt.",
    "x-bethink-engine": "What found the memories.",
    "x-bethink-latency-ms": "How long recall took.",
    "x-bethink-withdrawn": "How many messages something was taken from, as the user asked before.",
    "x-bethink-session": "Which conversation it was taken for.",
}
_DEGRADED = {"x-bethink-degraded": "Why memory did less than it should."}
_PASSED_ON = "The model's name tells the provider, whose answer is returned as it comes."
_WOVEN = (
    "With memory on, what is remembered is woven in and what is said is taken in; with memory off, every byte"
    f" is passed on as it is. {_PASSED_ON}"
)
_LISTS = "In OpenAI's form, or in Anthropic's where `anthropic-version` is sent."
_MODEL: Schema = {"type": "string", "description": "A model of a provider, or `PROVIDER/MODEL`."}
_STREAM: Schema = {"type": "boolean", "description": "Whether the answer comes as events."}
_MESSAGES: Schema = {
    "type": "array",
    "description": "What was said so far.",
    "items": {
        "type": "object",
        "required": ["role", "content"],
        "properties": {"role": {"type": "string"}, "content": {}},
    },
}
_INPUT: Schema = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {}}],
    "description": "A text, or a list.",
}


def paths(prefix: str) -> Schema:
    """Every address under a prefix."""
    talk, plain = {"model": _MODEL, "messages": _MESSAGES}, (_SPACE,)
    streamed = {"stream": _STREAM}
    found: Schema = {
        "/chat/completions": _post("completeChat", "Chat, as with OpenAI", talk | streamed, _MEMORY),
        "/responses": _post(
            "createResponse",
            "A response, as with OpenAI",
            {"model": _MODEL, "input": _INPUT} | streamed,
            _MEMORY,
        ),
        "/messages": _post("createMessage", "A message, as with Anthropic", talk | streamed, _MEMORY),
        "/messages/count_tokens": _post(
            "countTokens", "Count tokens, as with Anthropic; without memory", talk, plain
        ),
        "/completions": _post(
            "completeText",
            "Complete a text, as with OpenAI; without memory",
            {"model": _MODEL, "prompt": _INPUT} | streamed,
            plain,
        ),
        "/embeddings": _post(
            "embedTexts",
            "Embed texts, as with OpenAI; by this server's own model as `bethink/MODEL`",
            {"model": _MODEL, "input": _INPUT},
            plain,
        ),
        "/models": {"get": _operation("listModels", "The models of all providers", _LISTS, plain)},
        "/models/{id}": {"get": _operation("getModel", "One model", _LISTS, plain)},
    }
    found["/models/{id}"]["get"]["parameters"].insert(
        0,
        {
            "name": "id",
            "in": "path",
            "required": True,
            "schema": {"type": "string", "minLength": 1},
            "description": "The model's name.",
        },
    )
    return {prefix + path: operations for path, operations in found.items()}


def _post(name: str, summary: str, fields: Schema, headers: tuple[tuple[str, str], ...]) -> Schema:
    """A request that goes to a provider; of its body only what the gateway itself looks at is told."""
    woven = headers is _MEMORY
    operation = _operation(name, summary, _WOVEN if woven else _PASSED_ON, headers)
    needed = [field for field in fields if field != "stream"]
    body = {"type": "object", "required": needed, "properties": fields, "additionalProperties": True}
    operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    if "stream" in fields:
        operation["responses"]["200"]["content"]["text/event-stream"] = {"schema": {"type": "string"}}
    if woven:
        operation["responses"]["200"]["headers"] = _headers(_TOLD | _DEGRADED)
    return {"post": operation}


def _operation(name: str, summary: str, about: str, headers: tuple[tuple[str, str], ...]) -> Schema:
    content: Schema = {"application/json": {"schema": {"type": "object"}}}
    return {
        "tags": ["gateway"],
        "summary": summary,
        "description": about,
        "operationId": name,
        "security": _KEYS,
        "parameters": [
            {
                "name": header,
                "in": "header",
                "required": False,
                "schema": {"type": "string"},
                "description": meaning,
            }
            for header, meaning in headers
        ],
        "responses": {
            "200": {"description": "The answer.", "content": content},
            "401": _error("A valid key is needed, or the provider refuses its own"),
            "429": _error("This key asks too often, or the provider is asked too often"),
            "502": _error("The provider cannot be reached"),
            "504": _error("The provider does not answer in time"),
            "default": _error("Whatever else is wrong, as the provider or the gateway says it"),
        },
    }


def _error(description: str) -> Schema:
    shape = {"schema": {"$ref": "#/components/schemas/GatewayError"}}
    return {"description": description, "content": {"application/json": shape, "*/*": {"schema": {}}}}


def _headers(told: dict[str, str]) -> Schema:
    return {name: {"description": meaning, "schema": {"type": "string"}} for name, meaning in told.items()}
