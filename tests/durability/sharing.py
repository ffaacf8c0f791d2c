"""A program that shares a memory with another: it writes and reads all the time, and answers questions.

It is told on standard input to `remember <word>`, to `recall <word>` or to `stop`, and answers on standard
output: `stored`, `found` or `missing`, and at the end how many it has written itself, or what went wrong.
"""

from __future__ import annotations

import sys
from threading import Event, Thread

from bethink import Bethink
from bethink.testing import HashEmbedder


def main(path: str, name: str) -> None:
    stop = Event()
    problems: list[str] = []
    written = 0

    def work() -> None:
        nonlocal written
        while not stop.is_set() or not written:  # at least one, however late its turn comes
            try:
                memory.remember(f"{name} wrote note number {written}", metadata={"n": written})
                written += 1
                memory.recall(f"{name} note number {written}")
            except Exception as error:  # whatever it is, the test is to see it
                problems.append(repr(error))
                return

    with Bethink(path, embedder=HashEmbedder()) as memory:
        busy = Thread(target=work)
        busy.start()
        for line in sys.stdin:
            verb, _, word = line.strip().partition(" ")
            if verb == "stop":
                break
            if verb == "remember":
                print(memory.remember(f"the word is {word}").status, flush=True)
            else:
                texts = [hit.text for hit in memory.recall(word).hits]
                print("found" if texts[:1] == [f"the word is {word}"] else f"missing: {texts}", flush=True)
        stop.set()
        busy.join()
    print(problems or written, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
