"""The verbs of a space, in groups; `AsyncSpace` offers them all."""

from recollect.verbs.conversing import Conversing
from recollect.verbs.overseeing import Overseeing
from recollect.verbs.remembering import Remembering

__all__ = ["Conversing", "Overseeing", "Remembering"]
