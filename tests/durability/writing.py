"""A program that stores one thing after another and says so, until it is killed.

Each line it prints is the kind, the id and the one word by which the record can be found.
"""

from __future__ import annotations

import sys
from threading import Thread

from bethink import Bethink
from bethink.testing import HashEmbedder


def main(path: str, run: str) -> None:
    memory = Bethink(path, embedder=HashEmbedder()).open()

    def write(thread: int) -> None:
        number = 0
        while True:
            number += 1
            word = f"word{run}x{thread}x{number}"
            match number % 3:
                case 0:
                    kind, id_ = "fact", memory.facts.set("words", word, f"is {word}").id
                case 1:
                    kind, id_ = "memory", memory.remember(f"the word is {word}").id
                case _:
                    seen = memory.observe(f"chat {run} {thread}", [{"content": f"they said {word}"}])
                    kind, id_ = "message", seen.outcomes[0].id
            print(f"{kind} {id_} {word}\n", end="", flush=True)

    threads = [Thread(target=write, args=(thread,)) for thread in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
