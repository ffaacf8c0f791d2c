"""How the Studio reaches a browser: the page with its policy, files that are kept, and what is without it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from bethink import studio
from tests.rest.serving import Running, running
from tests.studio.conftest import one_database
from tests.studio.pages import PATHS, ROOT

FIRST_PAGE_BYTES = 400 * 1024


@pytest.fixture
def visitor(server: Running) -> Iterator[httpx2.Client]:
    with server.client() as client:
        yield client


@one_database
def test_every_page_is_the_app_with_a_policy_of_its_own(visitor: httpx2.Client) -> None:
    seen = set()
    for path in PATHS:
        response = visitor.get(path)
        assert response.headers["content-type"].startswith("text/html")
        policy = response.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        nonce = re.search(r"'nonce-([^']+)'", policy)
        assert nonce
        assert nonce[1] in response.text
        seen.add(nonce[1])
    assert len(seen) == len(PATHS)


@one_database
def test_the_first_page_is_small_and_its_files_are_kept(visitor: httpx2.Client) -> None:
    text = visitor.get("/").text
    wanted = re.findall(r'(?:src|href)="(/studio/assets/[^"]+)"', text)
    assert wanted
    home = next(
        one.name for one in (studio.BUILT / "assets").iterdir() if re.fullmatch(r"Home-.*\.js", one.name)
    )
    total = 0
    for path in {*wanted, f"/studio/assets/{home}"}:
        with visitor.stream("GET", path, headers={"accept-encoding": "gzip"}) as response:
            assert response.status_code == 200
            assert "immutable" in response.headers["cache-control"]
            total += sum(len(part) for part in response.iter_raw())
    assert total < FIRST_PAGE_BYTES
    plain = visitor.get(wanted[0], headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers


@one_database
def test_what_is_not_there_or_not_read_is_refused(visitor: httpx2.Client) -> None:
    assert visitor.get("/studio/assets/nothing.js").status_code == 404
    assert visitor.get("/studio/assets/%2e%2e/index.html").status_code == 404
    assert visitor.post("/studio/memories").status_code == 405
    assert visitor.head("/").status_code == 200
    assert visitor.get("/api/nothing").status_code == 404


def test_without_the_studio_the_plain_page_and_the_api_are_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(studio, "BUILT", tmp_path / "nowhere")
    with running(str(tmp_path / "memory.db"), server={"studio": True}) as server, server.client() as client:
        assert "First steps" in client.get("/").text
        assert client.get("/healthz").status_code == 200
        assert client.get("/studio/memories").status_code == 404


def test_without_node_one_line_says_what_is_missing_and_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "studio.py", tmp_path / "tools")
    ignored = shutil.ignore_patterns("node_modules")
    shutil.copytree(ROOT / "studio", tmp_path / "studio", ignore=ignored)
    told = subprocess.run(
        [sys.executable, "-I", "-S", str(tmp_path / "tools" / "studio.py")],
        env={"PATH": str(tmp_path), "PIP_NO_INDEX": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(told.stdout.splitlines()) == 1
    assert "Node 20.19 or newer is missing" in told.stdout
    assert "The API and a plain page are served all the same" in told.stdout
    assert told.stderr == ""


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((ROOT / "studio" / "package-lock.json").read_text())
    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []
