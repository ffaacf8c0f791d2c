"""Damaged rows: set aside where many are read, so that one does not hide the others, and never in silence."""

from __future__ import annotations

import logging
import time

from bethink.errors import Damaged

SILENCE_SECONDS = 60.0  # a row that is read again and again is told of so often
_MOST = 1000  # rows whose telling is remembered
_log = logging.getLogger(__name__)
_told: dict[tuple[str, str], float] = {}


class Spoiled(str):
    """Text that was not valid UTF-8, with a mark in the place of each byte that could not be read."""


def set_aside(error: Damaged) -> None:
    """Leave a damaged row out of what is read, and say so in the log."""
    row, moment = (error.noun, error.record_id), time.monotonic()
    if moment - _told.get(row, -SILENCE_SECONDS) < SILENCE_SECONDS:
        return
    if len(_told) >= _MOST:
        _told.clear()
    _told[row] = moment
    _log.warning(f"Left out: {error.message}")
