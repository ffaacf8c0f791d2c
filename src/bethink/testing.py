"""For tests of programs that use Bethink: an embedder without a model, a scripted chat, a frozen clock."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from bethink import clock
from bethink.errors import InvalidInput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

    from bethink.models.chat import ChatMessage, Reply
    from bethink.models.embed.protocol import EmbedRole

_WORD = re.compile(r"\w+")
_NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)


class HashEmbedder:
    """An embedder whose vectors depend on the text alone: the same in every run, on every machine.

    Each word counts, and a little also its runs of three letters, so texts that share words or parts of
    words are near one another. It knows nothing of meaning.
    """

    source = "testing"
    model = "hash"

    def __init__(self, dimensions: int = 64) -> None:
        if dimensions < 1:
            raise InvalidInput(f"dimensions must be at least 1, not {dimensions}.", field="dimensions")
        self.dimensions = dimensions

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> NDArray[np.float32]:  # noqa: ARG002  (the contract has it)
        """One row of length 1 per text; zeros for a text without a word."""
        import numpy as np

        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for feature, weight in _features(text):
                place = int.from_bytes(blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest())
                row[(place >> 1) % self.dimensions] += weight if place & 1 else -weight
            if length := np.linalg.norm(row):
                row /= length
        return rows


class ScriptedChat:
    """A chat model that answers what it was told to, one answer after the other.

    An answer is text, a value that is said as JSON, an exception that is raised, or a function of the
    messages that gives one of these. `asked` holds the messages of every call. When the answers are used up,
    the last is given again.
    """

    def __init__(self, *answers: Any, model: str = "scripted") -> None:
        if not answers:
            raise InvalidInput("answers: give at least one answer.", field="answers")
        self._answers, self.model = answers, model
        self.asked: list[list[ChatMessage]] = []

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: type[BaseModel] | None = None,  # noqa: ARG002  (the contract has it)
        max_tokens: int | None = None,  # noqa: ARG002
    ) -> Reply:
        """The next answer."""
        from bethink.models.chat import Reply

        self.asked.append([*messages])
        answer = self._answers[min(len(self.asked), len(self._answers)) - 1]
        if callable(answer):
            answer = answer(messages)
        if isinstance(answer, Exception):
            raise answer
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return Reply(text=text, model=self.model)

    @property
    def prompts(self) -> list[str]:
        """What was said to the model in each call, as one text."""
        return ["\n\n".join(message["content"] for message in messages) for messages in self.asked]


class FrozenClock:
    """Within its `with` block Bethink's time stands still, and moves only when told to."""

    def __init__(self, at: datetime = _NOON) -> None:
        if at.tzinfo is None:
            raise InvalidInput("at must have a timezone, for example datetime(…, tzinfo=UTC).", field="at")
        self.now = at.astimezone(UTC)

    def advance(self, by: timedelta) -> None:
        """Let this much time pass."""
        self.now += by

    def __enter__(self) -> Self:
        clock.set_source(lambda: self.now)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        clock.set_source(None)


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text.casefold()):
        yield word, 1.0
        framed = f"<{word}>"
        for start in range(len(framed) - 2):
            yield framed[start : start + 3], 0.25
