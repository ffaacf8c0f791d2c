"""The one runner of sweeps over state: idempotent, bounded, leased, and going on where the rows say."""

from bethink.upkeep.handle import AsyncUpkeep
from bethink.upkeep.reindex import reindex, reindex_status, start_reindex
from bethink.upkeep.runner import Runner

__all__ = ["AsyncUpkeep", "Runner", "reindex", "reindex_status", "start_reindex"]
