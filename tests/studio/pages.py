"""The pages that there are, as the Studio itself lists them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_LIST = ROOT / "studio" / "src" / "pages" / "all.ts"
PATHS = re.findall(r'path: "([^"]+)"', _LIST.read_text())
AXE = ROOT / "studio" / "node_modules" / "axe-core" / "axe.min.js"


def name_of(path: str) -> str:
    """What a screenshot of a page is called."""
    return path.rpartition("/")[2] or "home"
