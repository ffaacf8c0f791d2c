"""Years of a household in minutes: what a memory becomes, and what it still knows."""

from bethink.simulation.report import picture
from bethink.simulation.run import Recalled, Simulation, Snapshot, simulate

__all__ = ["Recalled", "Simulation", "Snapshot", "picture", "simulate"]
