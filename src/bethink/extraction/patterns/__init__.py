"""What in a user's words is worth keeping, found by rules alone: no model, no store, no clock.

`extract` reads one message. The rules and word lists are data, one file per language in `data/`, so that
another language is only another file.
"""

from bethink.extraction.patterns.extract import extract
from bethink.extraction.patterns.found import Category, Found

__all__ = ["Category", "Found", "extract"]
