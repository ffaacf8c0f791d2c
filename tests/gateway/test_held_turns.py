"""What a turn began with is used again while it is under way, unless it is another's or was taken away."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bethink.records import Role, Switch
from bethink.shapes.accounts import GLOBAL_SPACE
from tests.gateway.conftest import Place, on_both_databases
from tests.gateway.test_memory import ask, working
from tests.gateway.upstream import Answer, chat, responses
from tests.opened import add_person

pytestmark = on_both_databases


@pytest.fixture
def anywhere(place: Place) -> Place:
    """A place that an administrator's key opens, with memory on in whatever space has its name."""
    keys = place.server.memory.keys
    admin = place.server.call(keys.create("admin", role=Role.ADMIN))
    place.server.call(keys.update(admin.id, memory=Switch.ON))
    place.upstream.answer(Answer(json.dumps(chat(None)).encode()))
    return replace(place, key=admin.secret)


def woven(place: Place, *results: str, **headers: str) -> str:
    """What the provider is sent for a turn on which the assistant works."""
    ask(place, working(*results), **{"x-bethink-space": place.space.name} | headers)
    place.settle()
    return str(place.upstream.last.json)


def begin(place: Place, **headers: str) -> None:
    place.server.call(place.space.remember("The code word is halibut"))
    assert "halibut" in woven(place, **headers)


def test_a_new_space_of_a_deleted_ones_name_is_told_nothing_of_it(anywhere: Place) -> None:
    begin(anywhere)
    name = anywhere.space.name
    anywhere.server.call(anywhere.server.memory.spaces.delete(name, confirm=name))
    assert "halibut" not in woven(anywhere, "a")


def test_a_new_space_of_a_renamed_ones_name_is_told_nothing_of_it(anywhere: Place) -> None:
    begin(anywhere)
    name = anywhere.space.name
    anywhere.server.call(anywhere.server.memory.spaces.rename(name, name=f"{name}-before"))
    assert "halibut" not in woven(anywhere, "a")


def test_what_was_erased_is_not_woven_in_again(anywhere: Place) -> None:
    begin(anywhere)
    anywhere.server.call(anywhere.space.erase(everything=True))
    assert "halibut" not in woven(anywhere, "a")


def test_what_was_erased_from_the_global_space_is_not_woven_in_again(anywhere: Place) -> None:
    shared = anywhere.server.memory.space(GLOBAL_SPACE)
    anywhere.switch(include_global=True)
    stored = anywhere.server.call(shared.remember("The code word is turbot"))
    assert "turbot" in woven(anywhere)
    assert "turbot" in woven(anywhere, "a")
    anywhere.server.call(shared.erase(memory_ids=[stored.id]))
    assert "turbot" not in woven(anywhere, "a", "b")


def test_a_turn_that_another_person_goes_on_with_is_recalled_for_anew(anywhere: Place) -> None:
    for name in ("Anna", "Bertram"):
        anywhere.server.call(add_person(anywhere.space, name))
    assert "Anna (as the caller says" in woven(anywhere, **{"x-bethink-person": "Anna"})
    sent = woven(anywhere, "a", **{"x-bethink-person": "Bertram"})
    assert "Bertram (as the caller says" in sent
    assert "Anna (as the caller says" not in sent


def test_an_answer_of_a_deleted_space_names_no_session_of_the_next(anywhere: Place) -> None:
    anywhere.upstream.answer(Answer(json.dumps(responses("Noted.", "resp_0001")).encode()))
    name = anywhere.space.name
    asked = {"model": "m1", "input": "Remember the milk"}
    with anywhere.client(**{"x-bethink-space": name}) as client:
        first = client.post("/v1/responses", json=asked)
        anywhere.settle()
        anywhere.server.call(anywhere.server.memory.spaces.delete(name, confirm=name))
        second = client.post("/v1/responses", json={**asked, "previous_response_id": "resp_0001"})
    assert first.headers["x-bethink-session"] != second.headers["x-bethink-session"]
