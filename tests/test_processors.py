"""The processor that is kept for queries. Each test runs in a process of its own, which it changes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2,
    reason="there is only one processor, or no way to choose",
)

THREADS = """
import asyncio, os, threading
from bethink.models.workers import Workers
from bethink.processors import keep_one_for_queries

every = os.sched_getaffinity(0)
if {divided}:
    keep_one_for_queries()

async def places():
    workers = Workers(1, own_query_thread=True, own_processor=True)
    here = await asyncio.to_thread(os.sched_getaffinity, 0)
    query, document = [await workers.run(role, os.sched_getaffinity, 0) for role in ("query", "document")]
    workers.close()
    return here, query, document

here, query, document = asyncio.run(places())
kept = {{max(every)}} if {divided} else set()
assert here == every - kept, here
assert query == (kept or every), query
assert document == every, document
"""


@pytest.mark.parametrize("divided", [True, False])
def test_queries_have_a_processor_that_only_bulk_work_shares_and_only_where_it_was_asked_for(
    divided: bool,
) -> None:
    script = THREADS.format(divided=divided)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_process_with_one_processor_has_none_to_keep() -> None:
    script = """
import os
from bethink.processors import keep_one_for_queries, use_every, use_kept
only = {max(os.sched_getaffinity(0))}
os.sched_setaffinity(0, only)
keep_one_for_queries()
use_kept()
use_every()
assert os.sched_getaffinity(0) == only
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
