from __future__ import annotations

import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bethink.large_pages import LARGE, spans

MAPS = """\
55d1c8a00000-55d1c8a9f000 r--p 00000000 fe:00 1051 /usr/bin/python3.11
55d1caf01000-55d1cb601000 rw-p 00000000 00:00 0 [heap]
7f0000000000-7f0000800000 rw-p 00000000 00:00 0
7f0001100000-7f0001500000 rw-p 00000000 00:00 0
7f0002000000-7f0002400000 rw-p 00000000 fe:00 77 /var/data/memory.db-shm
7f0003000000-7f0003400000 r--p 00000000 00:00 0
7f0004000000-7f00041ff000 rw-p 00000000 00:00 0
7ffd00000000-7ffd00800000 rw-p 00000000 00:00 0 [stack]
7f0005000000-7f0005400000 rw-p 00000000 fe:00 78 /opt/a name of\u2028two lines/lib.so
"""


def test_only_whole_large_pages_of_memory_that_is_no_files_are_put_together() -> None:
    assert list(spans(MAPS.split("\n"))) == [
        (0x55D1CB000000, 0x55D1CB600000),
        (0x7F0000000000, 0x7F0000800000),
        (0x7F0001200000, 0x7F0001400000),
    ]


SCRIPT = """
import mmap
from pathlib import Path
from bethink.large_pages import LARGE, use_large_pages

def large():
    return sum(int(line.split()[1]) for line in Path("/proc/self/smaps").read_text().splitlines()
               if line.startswith("AnonHugePages"))

held = [mmap.mmap(-1, 40_000, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) for _ in range(400)]
for piece in held:
    piece.write(b"what was there" * 2000)
before = large()
done = use_large_pages()
assert all(piece[:14] == b"what was there" for piece in held)
print(done, before, large())
"""


def offered() -> bool:
    """Whether this system puts memory together when it is asked."""
    switch = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    numbers = re.findall(r"\d+", platform.release())[:2]
    recent = sys.platform == "linux" and tuple(map(int, numbers)) >= (6, 1)
    return recent and switch.is_file() and "[never]" not in switch.read_text("ascii")


@pytest.mark.skipif(not offered(), reason="only Linux 6.1 and later has them, unless they are switched off")
def test_memory_in_small_pieces_is_put_together_and_stays_as_it_was() -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    done, before, after = map(int, re.findall(r"\d+", run.stdout))
    assert done > 0
    assert done % LARGE == 0
    assert (after - before) * 1024 >= 8 * LARGE // 2, run.stdout
