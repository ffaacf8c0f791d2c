"""The fact that a chat model makes of memories which no slot knows."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from bethink.extraction.extractors import drafts
from bethink.extraction.extractors.ask import ask
from bethink.extraction.templates import Templates
from bethink.lifecycle.clusters import KEY_CHARS, Stable
from bethink.models.chat import Chat, validated
from bethink.records import Memory
from bethink.text.secrets import masked
from bethink.text.terms import query_terms

_SHOWN = 20  # memories, the newest
_MAX_TOKENS = 300
_EVERY = 1000  # terms of a value


class _Answer(BaseModel):
    category: str
    key: str
    value: str


async def named_by(chat: Chat, templates: Templates, members: Sequence[Memory]) -> Stable:
    """What a model calls the fact, and what it says. Raises `ExtractionFailure` for no answer of use."""
    told = [f"- {masked(memory.content)}" for memory in members[-_SHOWN:]]
    messages = templates.messages("promote", MEMORIES=drafts.bulleted(told))

    def read(text: str) -> Stable:
        return _read(text, members)

    answered = await ask(chat, messages, read, templates, schema=_Answer, max_tokens=_MAX_TOKENS)
    return answered.value


def _read(text: str, members: Sequence[Memory]) -> Stable:
    answer = validated(text, _Answer)
    category, key = drafts.key_part(answer.category), drafts.key_part(answer.key)[:KEY_CHARS].strip("_")
    value = drafts.one_line(answer.value)
    if reason := drafts.why_no_fact(category, key, value):
        raise ValueError(f"the fact cannot be kept: {reason}")
    said = {term for memory in members for term in query_terms(memory.content, _EVERY)}
    meant = set(query_terms(value, _EVERY))
    if not meant or 2 * len(meant & said) < len(meant):
        raise ValueError("the value is not what the memories say")
    return Stable(category, key, value)
