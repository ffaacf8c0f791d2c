"""Whether a message is worth searching for at all. Pure."""

from __future__ import annotations

import re

from bethink.text.fold import fold

_SAID = re.compile(r"[^\s!-/:-@\[-^`{-~]+")

_OPENERS = """
hi hello hey hiya yo howdy greetings good hola buenos buenas hallo guten moin servus bonjour salut bonsoir
coucou ciao buongiorno buonasera olá oi bom boa привет здравствуйте добрый доброе
你好 您好 早上好 晚上好 大家好 嗨 こんにちは こんばんは おはよう 안녕 안녕하세요 مرحبا سلام नमस्ते
"""
_COMPANIONS = """
morning afternoon evening day there everyone all dias días tardes noches morgen tag abend
dia tarde noite день вечер утро
"""


def is_greeting(text: str) -> bool:
    """Whether a text is a bare greeting: greeting words and signs, nothing else."""
    words = _words(text)
    return (
        bool(words) and words[0] in OPENERS and len(words) <= 4 and all(word in GREETINGS for word in words)
    )


def _words(text: str) -> list[str]:
    words = _SAID.findall(fold(text).casefold())
    return [word for word in words if any(map(str.isalnum, word))]  # not emoji


OPENERS = frozenset(_words(_OPENERS))
GREETINGS = OPENERS | frozenset(_words(_COMPANIONS))
