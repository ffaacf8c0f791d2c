"""Products are those of numpy, however large, and wake no other thread."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.models.product import product

SIZES = st.integers(0, 40)
BUSY = """
import os, time
import numpy as np
from bethink.models.product import product

def others():
    names = [name for name in os.listdir("/proc/self/task") if name != str(os.getpid())]
    return sum(int(open(f"/proc/self/task/{name}/schedstat").read().split()[0]) for name in names)

rows, others_ = np.ones((400, 384), np.float32), np.ones((384, 96), np.float32)
time.sleep(0.5)  # the threads spin for a while after they were made
for multiply in (product, np.matmul):
    before = others()
    for _ in range(40):
        multiply(rows, others_)
        time.sleep(0.005)
    print(others() - before)
"""


@given(SIZES, SIZES, SIZES, st.booleans())
def test_it_is_the_product(rows: int, inner: int, columns: int, turned: bool) -> None:
    some = np.random.default_rng(0)
    left = some.random((rows * 30, inner), np.float32)
    right = (
        some.random((columns, inner), np.float32).T if turned else some.random((inner, columns), np.float32)
    )
    made = product(left, right)
    assert made.dtype == np.float32
    assert made.shape == (len(left), columns)
    assert np.allclose(made, left @ right, rtol=1e-4)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells the time of each thread")
def test_other_threads_take_no_part_as_they_do_in_numpys_own() -> None:
    done = subprocess.run([sys.executable, "-c", BUSY], capture_output=True, text=True, check=True)
    ours, numpys = map(int, done.stdout.split())  # nanoseconds
    assert 10 * ours <= numpys
