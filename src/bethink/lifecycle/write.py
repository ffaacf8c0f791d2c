"""A summary in the words of a chat model."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.errors import ModelError
from bethink.extraction.extractors.drafts import why_not
from bethink.extraction.templates import Templates
from bethink.extraction.transcripts import clean
from bethink.lifecycle.summarise import Written
from bethink.models.chat import Chat, spoken
from bethink.records import Message
from bethink.text.fence import one_line
from bethink.text.secrets import masked

TRANSCRIPT_CHARS = 12_000
MESSAGE_CHARS = 1000
_LONGEST = 2000
_MAX_TOKENS = 500


async def written_by(
    chat: Chat, templates: Templates, said: Sequence[Message], by_rules: Written
) -> tuple[str, str]:
    """What a model makes of messages, under the heading that the rules gave; and the model's name.

    Raises `ModelError` for what cannot be used.
    """
    messages = templates.messages("summary", TRANSCRIPT=_transcript(said))
    reply = await chat.complete(messages, max_tokens=_MAX_TOKENS)
    text = one_line(spoken(reply.text)).strip()
    if reason := why_not(text, _LONGEST):
        raise ModelError(f"The summary of {reply.model} cannot be used: {reason}.")
    heading = by_rules.text.partition("): ")[0]
    return f"{heading}): {masked(text)}", reply.model


def _transcript(said: Sequence[Message]) -> str:
    """What was said, line by line; of what is too long, the middle is left out."""
    lines = [
        f"{message.sent_at:%Y-%m-%d %H:%M} {one_line(message.name or message.role)}:"
        f" {clean(one_line(masked(message.content)))[:MESSAGE_CHARS]}"
        for message in said
    ]
    text = "\n".join(lines)
    if len(text) <= TRANSCRIPT_CHARS:
        return text
    half = TRANSCRIPT_CHARS // 2
    return f"{text[:half]}\n…\n{text[-half:]}"
