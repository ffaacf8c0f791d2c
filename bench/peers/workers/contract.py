"""What every system is asked, as lines of JSON between the driver and a worker process.

The driver writes `{"do": "index", "memories": […]}`, `{"do": "search", "query": "…", "k": 20}` or
`{"do": "memory"}` and reads one answer with the seconds it took. Before that answer the worker may ask
`{"embed": […], "role": "document"}` and is given the vectors, so that all systems have the same ones and none
has to install a model. The time spent waiting for vectors is told apart from the rest.
"""

from __future__ import annotations

import array
import base64
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TextIO, TypedDict

MODEL = "PEERS_MODEL"  # the variable that names the folder of Chroma's default model
Embed = Callable[[Sequence[str], str], list[list[float]]]


class Memory(TypedDict):
    """Something to store. `sent_at` is an ISO time; it and the speaker are empty where nobody knows them."""

    id: str
    text: str
    speaker: str
    session: str
    sent_at: str


class System(Protocol):
    """A memory system, empty when it is made."""

    def index(self, memories: Sequence[Memory]) -> None:
        """Store a batch; when it returns, all of it can be found."""

    def search(self, query: str, k: int) -> list[str]:
        """The ids of the best k, best first."""


class Vectors:
    """Asks the driver for vectors and keeps the time that takes."""

    def __init__(self, asked: TextIO, answered: TextIO) -> None:
        self.seconds = 0.0
        self._asked, self._answered = asked, answered
        self._one_at_a_time = threading.Lock()

    def __call__(self, texts: Sequence[str], role: str) -> list[list[float]]:
        """One vector of length 1 per text; the role is "document" or "query"."""
        with self._one_at_a_time:
            started = time.perf_counter()
            print(json.dumps({"embed": list(texts), "role": role}), file=self._asked, flush=True)
            answer = json.loads(self._answered.readline())
            vectors = [unpacked(vector) for vector in answer["vectors"]]
            self.seconds += time.perf_counter() - started
        return vectors


def packed(floats: Sequence[float]) -> str:
    """A vector as text: its float32 numbers in base64."""
    return base64.b64encode(array.array("f", floats).tobytes()).decode("ascii")


def unpacked(text: str) -> list[float]:
    """The vector that `packed` wrote."""
    return array.array("f", base64.b64decode(text)).tolist()


def spoken(memory: Memory) -> str:
    """A memory as a system reads it that has no field for speakers."""
    return f"{memory['speaker']}: {memory['text']}" if memory["speaker"] else memory["text"]


def serve(build: Callable[[Vectors, Path, str], System]) -> None:
    """Answer the driver until it closes the pipe. `build` takes vectors, an empty folder and an option."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not end up among the answers
    folder, option = Path(sys.argv[1]), sys.argv[2]
    vectors = Vectors(answers, sys.stdin)
    system: System | None = None
    while line := sys.stdin.readline():
        try:
            if system is None:
                system = build(vectors, folder, option)
            answer = _answer(system, vectors, json.loads(line))
        except Exception as error:  # the driver puts it into its table
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


def _answer(system: System, vectors: Vectors, request: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    before, started = vectors.seconds, time.perf_counter()
    match request["do"]:
        case "index":
            system.index(request["memories"])
        case "search":
            answer["ids"] = system.search(request["query"], request["k"])
        case "memory":
            answer["bytes"] = resident_bytes()
        case other:
            raise ValueError(f"A worker does index, search and memory, not {other}.")
    seconds = time.perf_counter() - started
    return {**answer, "seconds": seconds, "embed_seconds": vectors.seconds - before}


def resident_bytes() -> int:
    """Physical memory this process holds now; the most it ever held where the system does not tell."""
    status = Path("/proc/self/statm")
    if status.is_file():
        return int(status.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
