"""Extractors: each reads a stretch of a session with a chat model and drafts what to remember of the user.

A sweep drives them. For each extractor that is chosen: take the messages after `extractions.reached`, ask
`due` for the stretches to read now, gather what is `Known`, call `extract`, store the drafts, and add the
`reading` of it to the store in the same transaction. A failure is a reading too; `mark` it when it is tried
again.
"""

from __future__ import annotations

from bethink.extraction.extractors.choose import NAMES, extractors_for
from bethink.extraction.extractors.contract import Extracted, Extractor, Known, Unread, reading

__all__ = ["NAMES", "Extracted", "Extractor", "Known", "Unread", "extractors_for", "reading"]
