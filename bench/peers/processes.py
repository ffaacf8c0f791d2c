"""The driver's end of the contract: a worker process, what it is asked and what it answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol, Self

from bench.corpus import Vectors
from bench.peers.environments import FOLDER, Unavailable, python_of
from bench.peers.minilm import FILES
from bench.peers.systems import System
from bench.peers.workers.contract import MODEL, Memory, packed

ROOT = Path(__file__).parents[2]
# No system may look for the network, and none shall report that it was used.
QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "MEM0_TELEMETRY": "False",
    "POSTHOG_DISABLED": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_OFFLINE": "1",
}


class VectorSource(Protocol):
    """Where the vectors come from that all systems are given."""

    def query(self, text: str) -> Vectors:
        """The vector of one query."""

    def documents(self, texts: Sequence[str]) -> Sequence[Vectors]:
        """The vectors of texts to store."""


@dataclass(frozen=True)
class Took:
    """How long something took: as a whole, and what of that was waiting for vectors."""

    seconds: float
    embed_seconds: float

    @property
    def alone(self) -> float:
        """Without the vectors."""
        return self.seconds - self.embed_seconds


class Worker:
    """A system in a process of its own, with an empty folder as its home."""

    def __init__(self, system: System, embedding: VectorSource, module: str | None = None) -> None:
        self._system, self._embedding = system, embedding
        self._module = module or f"bench.peers.workers.{system.module}"

    def __enter__(self) -> Self:
        python = python_of(self._system)
        self._home = tempfile.TemporaryDirectory(prefix="bethink-peers-", ignore_cleanup_errors=True)
        FOLDER.mkdir(parents=True, exist_ok=True)
        self._log_file = FOLDER / f"{self._system.name}.log"
        self._log = self._log_file.open("w", encoding="utf-8")
        self._process = subprocess.Popen(
            [python, "-m", self._module, self._home.name, self._system.option],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            encoding="utf-8",
            cwd=self._home.name,
            env=_environment(Path(self._home.name)),
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._to_worker.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._from_worker.close()
        self._log.close()
        self._home.cleanup()

    def index(self, memories: Sequence[Memory]) -> Took:
        """Store memories, to be found when this returns."""
        return _took(self._ask({"do": "index", "memories": list(memories)}))

    def search(self, query: str, k: int) -> tuple[list[str], Took]:
        """The ids of the best k."""
        answer = self._ask({"do": "search", "query": query, "k": k})
        return answer["ids"], _took(answer)

    def resident_bytes(self) -> int:
        """Physical memory of the process. The model that makes the vectors is not in it."""
        return int(self._ask({"do": "memory"})["bytes"])

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self._send(request)
        while line := self._from_worker.readline():
            answer: dict[str, Any] = json.loads(line)
            if "error" in answer:
                raise Unavailable(f"{request['do']}: {answer['error']}")
            if "embed" not in answer:
                return answer
            texts = answer["embed"]
            query = answer["role"] == "query"
            vectors = (
                [self._embedding.query(text) for text in texts] if query else self._embedding.documents(texts)
            )
            self._send({"vectors": [packed(vector.tolist()) for vector in vectors]})
        raise Unavailable(f"{request['do']}: the process ended. {_last_line(self._log_file)}")

    def _send(self, request: dict[str, Any]) -> None:
        try:
            print(json.dumps(request), file=self._to_worker, flush=True)
        except BrokenPipeError:
            raise Unavailable(f"the process ended. {_last_line(self._log_file)}") from None

    @property
    def _to_worker(self) -> IO[str]:
        return _pipe(self._process.stdin)

    @property
    def _from_worker(self) -> IO[str]:
        return _pipe(self._process.stdout)


def _environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BETHINK_")}
    where = {"HOME": str(home), "USERPROFILE": str(home), "MEM0_DIR": str(home), "PYTHONPATH": str(ROOT)}
    return {**kept, **QUIET, **where, MODEL: str(FILES), "PYTHONUTF8": "1"}


def _took(answer: dict[str, Any]) -> Took:
    return Took(answer["seconds"], answer["embed_seconds"])


def _pipe(pipe: IO[str] | None) -> IO[str]:
    if pipe is None:
        raise ValueError("The process was started without this pipe.")
    return pipe


def _last_line(log: Path) -> str:
    said = log.read_text("utf-8", "replace").strip().splitlines()
    return said[-1] if said else "It said nothing."


def say(line: str) -> None:
    """Progress, beside the results."""
    print(line, file=sys.stderr)
