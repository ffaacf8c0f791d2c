"""Runs as a noun: what sweeps did, in numbers."""

from __future__ import annotations

from bethink.contracts import Noun
from bethink.records import Run

RUN = Noun("run", Run, "runs", own_words=False, on_everything="renewed")
