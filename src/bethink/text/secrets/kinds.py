"""What a secret is: its kind, where it stands, and the mark that is shown in its place. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

PASSWORD, LOGIN, PIN, CODE = "[password]", "[login]", "[PIN]", "[access code]"
KEY, CARD, ACCOUNT, IDENTITY = "[key]", "[card number]", "[account number]", "[identity number]"
MARKS = (PASSWORD, LOGIN, PIN, CODE, KEY, CARD, ACCOUNT, IDENTITY)
_MARK = re.compile("|".join(map(re.escape, MARKS)))


@dataclass(frozen=True, slots=True)
class Secret:
    """What kind of secret stands where, and what is shown instead of it."""

    kind: str
    span: tuple[int, int]
    mark: str


def has_mark(text: str) -> bool:
    """Whether a text shows a mark where a secret was."""
    return "[" in text and _MARK.search(text) is not None
