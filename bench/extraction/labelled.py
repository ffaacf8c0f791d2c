"""How well the rules keep what should be kept: precision, recall and junk on single turns labelled by hand.

Each line of `data/extraction.jsonl` is one user turn:

- `keep`: what should be kept of it. A memory covers a label when it has every word of `content`, the
  `category` (or one of `or`), and says the same about `negated`: whether it speaks against its object.
- `may`: what careful readers disagree about; a memory that covers it counts neither way.
- `never`: what must not be stored; a memory that holds it is wrong whatever else it holds.

Precision is the share of right memories among those that are right or wrong, recall the share of labels that
are covered, and junk the share of memories that come from a turn with nothing to keep or that hold what must
not be stored. Run `python -m bench.extraction --labelled`, with `--show` for every miss.

Where the settings name a chat host, the extractor `facts` is measured too, on the words alone: a model has
categories of its own. It is asked once for every turn.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from bethink.errors import ExtractionFailure
from bethink.extraction.extractors import Known
from bethink.extraction.extractors.facts import FactsExtractor
from bethink.extraction.patterns import extract
from bethink.extraction.templates import Templates
from bethink.models.chat import resolve_chat
from bethink.records import Message
from bethink.settings import Settings

DATA = Path(__file__).parents[1] / "data" / "extraction.jsonl"
_HAN = re.compile("[\u3400-\u9fff]")
_LETTER = "[^\\W\u3400-\u9fff]"  # Chinese is written without spaces: a Latin word may stand right beside it


class Kept(Protocol):
    """What an extractor makes of a turn."""

    @property
    def category(self) -> str: ...
    @property
    def content(self) -> str: ...
    @property
    def negated(self) -> bool: ...


@dataclass(frozen=True)
class Label:
    """Something a turn says that should be kept."""

    categories: tuple[str, ...]
    content: str
    negated: bool

    def is_covered_by(self, kept: Kept) -> bool:
        """Whether a memory says it; one without a category is judged by its words."""
        if not covers(kept.content, self.content):
            return False
        return not kept.category or (kept.category in self.categories and kept.negated == self.negated)


@dataclass(frozen=True)
class Said:
    """What a chat model makes of a turn."""

    content: str
    category: str = ""
    negated: bool = False


@dataclass(frozen=True)
class Turn:
    """One user turn and what careful readers would keep of it."""

    id: str
    language: str
    text: str
    keep: tuple[Label, ...]
    may: tuple[str, ...]
    never: tuple[str, ...]


@dataclass
class Score:
    """Counts over some turns."""

    right: int = 0
    wrong: int = 0
    neutral: int = 0
    junk: int = 0
    labels: int = 0
    covered: int = 0
    misses: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Right memories among right and wrong ones."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        """Labels that some memory covers."""
        return self.covered / self.labels if self.labels else 1.0

    @property
    def junk_rate(self) -> float:
        """Memories of nothing, or of what must not be stored, among all."""
        found = self.right + self.wrong + self.neutral
        return self.junk / found if found else 0.0


def covers(content: str, gist: str) -> bool:
    """Whether a text has every word of the gist."""
    return all(_has(content.casefold(), word) for word in gist.casefold().split())


def _has(text: str, word: str) -> bool:
    if _HAN.search(word):
        return word in text
    return re.search(rf"(?<!{_LETTER}){re.escape(word)}(?!{_LETTER})", text) is not None


def load(path: Path = DATA) -> list[Turn]:
    """The labelled turns."""
    return [_turn(json.loads(line)) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _turn(row: dict[str, Any]) -> Turn:
    keep = tuple(
        Label((label["category"], *label.get("or", ())), label["content"], label.get("negated", False))
        for label in row["keep"]
    )
    return Turn(
        row["id"], row["language"], row["text"], keep, tuple(row.get("may", ())), tuple(row.get("never", ()))
    )


def judge(
    turns: Iterable[Turn], extractor: Callable[[str], Sequence[Kept]]
) -> tuple[dict[str, Score], dict[str, Score]]:
    """Scores by language and by category (a label counts under its first category)."""
    languages: dict[str, Score] = {}
    categories: dict[str, Score] = {}
    for turn in turns:
        of_language = languages.setdefault(turn.language, Score())
        open_labels = list(turn.keep)
        for kept in extractor(turn.text):
            label = next((one for one in open_labels if one.is_covered_by(kept)), None)
            leaked = any(part in kept.content for part in turn.never)
            neutral = label is None and not leaked and any(covers(kept.content, gist) for gist in turn.may)
            if label and not leaked:
                open_labels.remove(label)
            junk = leaked or not (turn.keep or neutral)
            name = label.categories[0] if label and not leaked else kept.category
            for score in (of_language, categories.setdefault(name, Score())):
                score.right += label is not None and not leaked
                score.neutral += neutral
                score.wrong += (label is None or leaked) and not neutral
                score.junk += junk
            if (label is None or leaked) and not neutral:
                of_language.misses.append(f"  wrong  {turn.id}  {kept.category}: {kept.content!r}")
        missed = Counter(label.categories[0] for label in open_labels)
        for label in turn.keep:
            category = categories.setdefault(label.categories[0], Score())
            for score in (of_language, category):
                score.labels += 1
                score.covered += 1
        for name, count in missed.items():
            categories[name].covered -= count
        of_language.covered -= len(open_labels)
        of_language.misses += [
            f"  missed {turn.id}  {label.categories[0]}: {label.content!r} of {turn.text[:90]!r}"
            for label in open_labels
        ]
    return languages, categories


def table(title: str, scores: dict[str, Score]) -> str:
    """The figures as text."""
    lines = [f"{title:<12} precision  recall    junk   found  labels"]
    for name, score in scores.items():
        found = score.right + score.wrong + score.neutral
        lines.append(
            f"{name:<12} {score.precision:9.3f} {score.recall:7.3f} {score.junk_rate:7.3f}"
            f" {found:7d} {score.labels:7d}"
        )
    return "\n".join(lines)


async def ask_model(turns: Sequence[Turn], settings: Settings) -> dict[str, list[Said]]:
    """What the extractor `facts` drafts of each turn, by its text; nothing where the model failed."""
    resolution = resolve_chat(settings)
    extractor = FactsExtractor(resolution.extraction, settings.extraction, Templates(settings.chat.templates))
    at = datetime(2025, 6, 2, 9, tzinfo=UTC)
    answers: dict[str, list[Said]] = {}
    for turn in turns:
        message = Message(
            id=turn.id, space_id="bench", session_id=turn.id, position=1, role="user", content=turn.text,
            sent_at=at, created_at=at,
        )  # fmt: skip
        try:
            came = await extractor.extract([message], Known())
        except ExtractionFailure as failure:
            print(f"  failed {turn.id}: {failure.message}")
            continue
        answers[turn.text] = [Said(draft.content) for draft in came.memories]
    await resolution.close()
    return answers


def report(data: Path, show: bool) -> None:
    """Print the figures; with `show` also every wrong and every missed memory."""
    turns = load(data)
    languages, categories = judge(turns, extract)
    print(f"patterns alone, {len(turns)} turns\n")
    print(table("language", languages), end="\n\n")
    print(table("category", categories))
    if show:
        _show(languages)
    settings = Settings.load()
    if not (settings.chat.base_url or settings.chat.api_key):
        print("\nNo chat host is configured (chat.base_url), so no model was asked.")
        return
    answers = asyncio.run(ask_model(turns, settings))
    languages, _ = judge(turns, lambda text: answers.get(text, []))
    print(f"\nthe extractor facts by a chat model, {len(answers)} of {len(turns)} turns answered\n")
    print(table("language", languages))
    if show:
        _show(languages)


def _show(languages: dict[str, Score]) -> None:
    for name, score in languages.items():
        print(f"\n{name}", *score.misses, sep="\n")
