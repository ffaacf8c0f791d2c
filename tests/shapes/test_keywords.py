from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints, is_typeddict

import pytest

from bethink import settings
from bethink.settings import keywords as setting_keywords
from bethink.shapes import keywords
from bethink.shapes.write_keywords import MODULES, SETTINGS, VERBS, Keywords, written
from bethink.sync.mirror import MIRRORS


def public_methods() -> Iterator[tuple[str, Any]]:
    for kind in MIRRORS:
        for name, member in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_") or name == "__init__":
                yield f"{kind.__name__}.{name}", member


METHODS = dict(public_methods())


@pytest.mark.parametrize("path", MODULES)
def test_the_keywords_are_up_to_date(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text == written(*MODULES[path]), "run: python -m bethink.shapes.write_keywords"


@pytest.mark.parametrize("kind", [*VERBS, *SETTINGS], ids=lambda kind: kind.name)
def test_every_keyword_is_one_that_the_validator_knows(kind: Keywords) -> None:
    module = keywords if kind in VERBS else setting_keywords
    told = get_type_hints(getattr(module, kind.name))
    fields = kind.shape.model_fields
    assert set(told) <= {*fields, *(field.alias for field in fields.values())}


@pytest.mark.parametrize("name", METHODS)
def test_no_verb_takes_keywords_that_its_signature_does_not_tell(name: str) -> None:
    hints = get_type_hints(METHODS[name])  # each name in it can be found, as tools that read signatures do
    for parameter in inspect.signature(METHODS[name]).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            (told,) = hints[parameter.name].__args__
            assert is_typeddict(told), name


def test_a_list_of_texts_is_not_one_text_unless_that_is_taken() -> None:
    recall, import_ = get_type_hints(keywords.RecallOptions), get_type_hints(keywords.ImportOptions)
    assert str not in recall["tags"].__args__
    assert str in import_["me"].__args__


def test_what_cannot_be_emptied_is_never_none() -> None:
    changes = get_type_hints(keywords.MemoryChanges)
    assert type(None) in changes["key"].__args__
    assert changes["content"] is str


def test_settings_are_told_section_by_section() -> None:
    told = get_type_hints(setting_keywords.SettingValues)
    assert set(told) == set(settings.Settings.model_fields)
    assert set(get_type_hints(told["recall"])) == set(settings.RecallSettings.model_fields)
