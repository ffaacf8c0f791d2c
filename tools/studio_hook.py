"""Builds the Studio into wheels and source archives. An editable installation leaves that to `make run`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))
import studio


class StudioHook(BuildHookInterface[Any]):
    """What hatchling calls before it packs the files."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Node, where the Studio is to be built and the machine has none."""
        built = studio.is_current(studio.digest_of_sources())
        return [] if built or studio.find_node() else [studio.NODE_PACKAGE]

    def initialize(self, version: str, _build_data: dict[str, Any]) -> None:
        """Build the Studio, unless it is built."""
        if version != "editable":
            studio.build()
