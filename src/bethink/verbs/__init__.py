"""The verbs of a space, in groups; `AsyncSpace` offers them all."""

from bethink.verbs.conversing import Conversing
from bethink.verbs.overseeing import Overseeing
from bethink.verbs.remembering import Remembering

__all__ = ["Conversing", "Overseeing", "Remembering"]
