"""Sweeps over HTTP: listed, run, counted, and looked back at."""

from __future__ import annotations

from pathlib import Path

from tests.opened import WatchedEmbedder
from tests.rest.serving import new_space, running


def test_sweeps_are_listed_counted_run_and_remembered(tmp_path: Path) -> None:
    embedder = WatchedEmbedder(down=True)
    with (
        running(str(tmp_path / "memory.db"), embedder=embedder, embed={"retry_seconds": 0}) as server,
        server.client(server.key(new_space())) as client,
    ):
        client.post("/api/memory", json={"content": "Anna plays the cello"})
        server.call(server.memory.settle())
        vectors = {one["name"]: one for one in client.get("/api/upkeep").json()["items"]}["vectors"]
        assert (vectors["enabled"], vectors["running"], vectors["lastRun"]["status"]) == (
            True,
            False,
            "failed",
        )
        failed = client.post("/api/upkeep/vectors/run").json()
        assert (failed["status"], failed["dryRun"]) == ("failed", False)
        assert "switched this embedder off" in failed["error"]
        embedder.down = False
        dry = client.post("/api/upkeep/vectors/run", json={"dryRun": True}).json()
        assert (dry["status"], dry["counts"], dry["dryRun"]) == ("done", {"vectors": 1}, True)
        done = client.post("/api/upkeep/vectors/run", json={}).json()
        assert (done["status"], done["counts"]) == ("done", {"vectors": 1})
        found = client.get("/api/upkeep/history", params={"name": "vectors", "limit": 3}).json()["items"]
        assert [run["id"] for run in found] == [done["id"], dry["id"], failed["id"]]
        assert "switched" not in found[2]["error"]
        assert client.post("/api/upkeep/dust/run").status_code == 404
        assert client.get("/api/upkeep/history", params={"name": "dust"}).status_code == 404
