"""Whether a message is worth searching for at all. Pure."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+")

_GREETINGS = """
hi hello hey hiya yo howdy greetings good morning afternoon evening day there everyone all
hola buenos buenas dias días tardes noches
hallo guten morgen tag abend moin servus
bonjour salut bonsoir coucou
ciao buongiorno buonasera olá oi bom dia boa tarde noite
привет здравствуйте добрый день вечер утро
你好 您好 早上好 晚上好 大家好 嗨 こんにちは こんばんは おはよう 안녕 안녕하세요 مرحبا سلام नमस्ते
"""
GREETINGS = frozenset(_GREETINGS.split())


def is_greeting(text: str) -> bool:
    """Whether a text is a bare greeting: greeting words and signs, nothing else."""
    words = _WORD.findall(text.casefold())
    return bool(words) and len(words) <= 4 and all(word in GREETINGS for word in words)
