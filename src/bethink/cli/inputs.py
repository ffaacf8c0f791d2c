"""Text given to a command: on its line, or on standard input where a `-` stands for it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from bethink.errors import InvalidInput


def text_of(words: Sequence[str]) -> str:
    """The words as one text; a lone `-` is what comes on standard input."""
    return standard_input() if list(words) == ["-"] else " ".join(words)


def standard_input() -> str:
    """All of standard input, without the newline that ends it."""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"Standard input is not UTF-8 (byte {error.start}); convert it first.", field="-"
        ) from None


def json_object(text: str) -> dict[str, Any]:
    """The parser of options that take a JSON object."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ValueError(f"is not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise ValueError('must be a JSON object, such as {"colour": "blue"}')
    return value
