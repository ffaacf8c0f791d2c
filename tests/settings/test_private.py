"""Files and folders for their owner alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink import AsyncBethink
from bethink.settings.private import make_private_folder, write_private


@pytest.fixture(params=[0, 0o022, 0o077, 0o377])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("umask")
def test_every_folder_that_is_made_is_the_owners_and_others_stay_as_they_are(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    there.chmod(0o755)
    make_private_folder(there / "one" / "two")
    make_private_folder(there / "one" / "two")
    assert [mode(place) for place in (there, there / "one", there / "one" / "two")] == [0o755, 0o700, 0o700]


@pytest.mark.usefixtures("umask")
def test_a_file_is_the_owners_also_in_the_place_of_one_that_was_not(tmp_path: Path) -> None:
    file = tmp_path / "new" / "file"
    write_private(file, "one")
    file.chmod(0o644)
    write_private(file, "two")
    assert (file.read_text(), mode(file), mode(file.parent)) == ("two", 0o600, 0o700)
    assert os.listdir(file.parent) == ["file"]


@pytest.mark.usefixtures("umask")
async def test_everything_in_the_home_is_the_owners(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"
    async with AsyncBethink(home=home, embed={"source": "none"}) as memory:
        await memory.texts.set_soul("Be brief.")
        await memory.remember("Anna likes tea")
    for place in (home.parent, home, *home.rglob("*")):
        assert mode(place) == (0o700 if place.is_dir() else 0o600), place


@pytest.mark.usefixtures("umask")
async def test_an_archive_is_the_owners_whatever_lay_in_its_way(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    part = tmp_path / "out.jsonl.part"
    part.touch()
    part.chmod(0o666)
    async with AsyncBethink(":memory:", embed={"source": "none"}) as memory:
        await memory.remember("Anna likes tea")
        await memory.export(file)
    assert mode(file) == 0o600
