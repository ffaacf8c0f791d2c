"""What the server calls by short names has words in the Studio's catalogue."""

from __future__ import annotations

import re

from bethink.shapes.options import OptionsChange
from tests.rest.serving import Running
from tests.studio.conftest import one_database
from tests.studio.pages import ROOT

KEYS = set(re.findall(r'^ +"([^"]+)": ', (ROOT / "studio/src/text/en.ts").read_text(), re.MULTILINE))
NO_FIELD = {"ingest"}  # a mapping, which no field of a form holds


def test_every_option_has_a_name_and_a_meaning() -> None:
    options = OptionsChange.model_json_schema()["properties"].keys() - NO_FIELD
    wanted = {f"option.{name}{hint}" for name in options for hint in ("", ".hint")}
    assert wanted - KEYS == set()


@one_database
def test_every_sweep_has_a_name(server: Running) -> None:
    with server.client(server.key("words")) as client:
        sweeps = client.get("/api/upkeep").json()["items"]
    assert {f"sweep.{one['name']}" for one in sweeps} - KEYS == set()
