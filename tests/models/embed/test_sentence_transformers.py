from __future__ import annotations

from importlib.util import find_spec

import pytest

from bethink.errors import ModelMissing
from bethink.models.embed import resolve
from bethink.settings import Settings


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="the package is installed")
async def test_without_its_package_the_error_says_what_to_install() -> None:
    resolution = resolve(Settings.load(embed={"source": "sentence-transformers"}))
    with pytest.raises(ModelMissing, match=r"pip install 'bethink\[sentence-transformers\]'"):
        await resolution.ready()
    assert resolution.state == "failing"
