"""The model of worth: what in a message is worth keeping, of which kind, in which slot, or why not."""

from bethink.models.worth.model import WorthModel, load_worth
from bethink.models.worth.said import ALWAYS, KINDS, LABELS, SLOTS, TOPIC, Unit
from bethink.models.worth.service import Worth

__all__ = ["ALWAYS", "KINDS", "LABELS", "SLOTS", "TOPIC", "Unit", "Worth", "WorthModel", "load_worth"]
