"""Real text that every machine with Python has: sentences of the documentation inside its own source files.

Docstrings and comments of the standard library and of the installed packages, cut into sentences, each once.
The order is that of the sentences' digests, so any first n of them are a fair mixture. They and
their vectors, made by the local model once, are kept in `bench/results/`.
"""

from __future__ import annotations

import ast
import re
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bethink.models.embed import Embedder, EmbedRole, signature

RESULTS = Path(__file__).parent / "results"
EMBED_AT_ONCE = 2048  # texts between two lines of progress
SHORTEST, LONGEST = 30, 400  # characters of a sentence
FEWEST_WORDS = 5

Vectors = NDArray[np.float32]
_DIGEST_BYTES = 16
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])")
_WORD = re.compile(r"[^\W\d_]{2,}")
_PARAGRAPH = re.compile(r"\n\s*\n")
_COMMENTS = re.compile(r"(?:^[ \t]*#.*\n?)+", re.MULTILINE)


def sentences(folders: Iterable[Path] | None = None) -> list[str]:
    """Every distinct sentence of the Python files in the folders (this Python's own, when left out)."""
    found: dict[bytes, str] = {}
    for file in _python_files(_library_folders() if folders is None else folders):
        for text in documentation(file.read_text("utf-8", "replace")):
            for sentence in split(text):
                found.setdefault(_digest(sentence), sentence)
    return [found[digest] for digest in sorted(found)]


def documentation(source: str) -> Iterator[str]:
    """The docstrings and the blocks of comments in a Python file; nothing of one that cannot be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other people's escape sequences
            tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
    yield from _comments(source)


def split(text: str) -> Iterator[str]:
    """The sentences of a text that read like sentences: long enough, of words, not of code or rulers."""
    for paragraph in _PARAGRAPH.split(text):
        for sentence in _SENTENCE_END.split(" ".join(paragraph.split())):
            words = _WORD.findall(sentence)
            letters = sum(map(len, words))
            if (
                SHORTEST <= len(sentence) <= LONGEST
                and len(words) >= FEWEST_WORDS
                and letters > 0.6 * len(sentence)
                and ">>>" not in sentence
                and sentence.isprintable()
            ):
                yield sentence


@dataclass(frozen=True)
class Corpus:
    """Texts to store, and other texts of the same kind to ask with; both with their vectors."""

    texts: Sequence[str]
    vectors: Vectors
    queries: Sequence[str]
    query_vectors: Vectors


async def load(embedder: Embedder, size: int, queries: int) -> Corpus:
    """`size` sentences to store and `queries` short ones, none of them stored, to ask with."""
    every = kept_sentences()
    asked = [text for text in every if len(text.split()) <= 12][:queries]
    kept = set(asked)
    texts = [text for text in every if text not in kept][:size]
    if len(texts) < size:
        raise ValueError(f"This Python's libraries hold {len(texts):,} sentences, fewer than {size:,}.")
    return Corpus(
        texts,
        await embedded(embedder, texts, "document", _say),
        asked,
        await embedded(embedder, asked, "query", _say),
    )


async def embedded(
    embedder: Embedder, texts: Sequence[str], role: EmbedRole, say: Callable[[str], None]
) -> Vectors:
    """A vector for each text, from the file of this model and role where it has it."""
    file = RESULTS / f"{re.sub(r'[^A-Za-z0-9.-]+', '_', signature(embedder))}.{role}.npz"
    kept = _read(file, embedder.dimensions)
    digests = [_digest(text) for text in texts]
    missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in kept}
    waiting = list(missing.items())
    for start in range(0, len(waiting), EMBED_AT_ONCE):
        say(f"embedding: {start:,} of {len(waiting):,} texts that are new")
        part = waiting[start : start + EMBED_AT_ONCE]
        made = await embedder.embed([text for _, text in part], role)
        kept.update(zip((digest for digest, _ in part), made, strict=True))
        if start // EMBED_AT_ONCE % 8 == 7 or start + EMBED_AT_ONCE >= len(waiting):
            _write(file, kept)
    return np.array([kept[digest] for digest in digests], np.float32).reshape(len(texts), -1)


class KnownVectors:
    """An embedder that looks documents' vectors up and leaves other texts to the model that made them."""

    def __init__(self, model: Embedder, documents: Mapping[str, Vectors]) -> None:
        self.source, self.model, self.dimensions = model.source, model.model, model.dimensions
        self._model, self._documents = model, documents

    async def embed(self, texts: Sequence[str], role: EmbedRole) -> Vectors:
        """One row per text."""
        if role == "document" and all(text in self._documents for text in texts):
            return np.array([self._documents[text] for text in texts], np.float32)
        return await self._model.embed(texts, role)


def kept_sentences() -> list[str]:
    """The sentences as first gathered here, so that later runs measure the same even if packages change."""
    file = RESULTS / "sentences.txt"
    if not file.is_file():
        _say("gathering sentences from this Python's libraries")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(sentences()), "utf-8", "surrogatepass")
    return file.read_text("utf-8", "surrogatepass").split("\n")


def _library_folders() -> list[Path]:
    paths = sysconfig.get_paths()
    return [Path(paths[name]) for name in ("stdlib", "purelib", "platlib")]


def _python_files(folders: Iterable[Path]) -> list[Path]:
    """Of each folder, without packages that some other Python has installed in it."""
    return sorted(
        {
            file.resolve()
            for folder in folders
            for file in folder.rglob("*.py")
            if file.is_file() and "site-packages" not in file.relative_to(folder).parts
        }
    )


def _comments(source: str) -> Iterator[str]:
    """Comments on lines of their own, those on following lines as one text."""
    for block in _COMMENTS.findall(source):
        yield "\n".join(line.strip().lstrip("#!: ") for line in block.splitlines())


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()[:_DIGEST_BYTES]


def _read(file: Path, dimensions: int) -> dict[bytes, Vectors]:
    if not file.is_file():
        return {}
    with np.load(file) as stored:
        digests, vectors = stored["digests"], stored["vectors"].reshape(-1, dimensions)
    return {bytes(digest): vector for digest, vector in zip(digests, vectors, strict=True)}


def _write(file: Path, kept: Mapping[bytes, Vectors]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    digests = np.frombuffer(b"".join(kept), np.uint8).reshape(-1, _DIGEST_BYTES)
    beside = file.with_suffix(".tmp.npz")
    np.savez(beside, digests=digests, vectors=np.array(list(kept.values()), np.float32))
    beside.replace(file)


def _say(line: str) -> None:
    print(line, file=sys.stderr)
