from __future__ import annotations

import httpx2

from tests.rest.serving import Running


def test_notes_are_listed_searched_and_read(server: Running, client: httpx2.Client, space: str) -> None:
    assert client.get("/api/notes").json() == {"items": [], "total": 0}
    folder = server.call(server.memory.space(space).notes.folder())
    assert folder is not None
    (folder / "people").mkdir(parents=True)
    (folder / "people" / "anna.md").write_text("# Anna\n\nShe looks after the harbour BUDGET.\n")
    assert client.post("/api/notes/sync").json()["added"] == ["people/anna.md"]
    (note,) = client.get("/api/notes", params={"kind": "people"}).json()["items"]
    with client.stream("GET", f"/api/documents/{note['documentId']}/events") as events:
        assert '"status":"ready"' in "".join(events.iter_text())
    found = client.get("/api/notes/search", params={"q": "budget"}).json()
    assert found == {
        "query": "budget",
        "items": [
            {
                "file": "people/anna.md",
                "line": 3,
                "text": "She looks after the harbour BUDGET.",
                "marks": [[28, 34]],
            }
        ],
        "more": False,
    }
    text = client.get("/api/notes/content", params={"file": "people/anna.md"}).json()["text"]
    assert text.startswith("# Anna")
    for file in ("people/../../SOUL.md", "/etc/passwd"):
        assert client.get("/api/notes/content", params={"file": file}).status_code == 404
    assert client.get("/api/notes/search").status_code == 422
    gone = client.delete(f"/api/documents/{note['documentId']}")
    assert (gone.status_code, "folder of notes" in gone.json()["detail"]) == (409, True)
