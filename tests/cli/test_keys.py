from __future__ import annotations

import asyncio

import pytest

from bethink import AsyncBethink
from bethink.access import authenticate
from bethink.errors import Unauthenticated
from tests.cli.running import Cli


def role_and_space(secret: str) -> tuple[str, str]:
    async def ask() -> tuple[str, str]:
        async with AsyncBethink() as memory:
            principal = await authenticate(memory, secret)
            return principal.key.role.value, principal.space_name

    return asyncio.run(ask())


def test_a_key_opens_its_space_until_it_is_revoked(cli: Cli) -> None:
    secret = cli.ok("keys", "create", "laptop", "--role", "reader", "--space", "home").out.strip()
    assert role_and_space(secret) == ("reader", "home")
    (key,) = cli.json("keys", "list")
    assert (key["name"], key["role"], key["space"], key["hint"]) == ("laptop", "reader", "home", secret[-4:])
    assert secret not in cli.ok("keys", "list").out
    assert cli.ok("keys", "revoke", key["id"]).out == f"revoked {key['id']}\n"
    with pytest.raises(Unauthenticated):
        role_and_space(secret)
    assert "  revoked  " in cli.ok("keys", "list").out


def test_a_new_key_as_json_has_its_secret(cli: Cli) -> None:
    made = cli.json("keys", "create", "phone")
    assert role_and_space(made["secret"]) == ("member", "default")
    assert (made["name"], made["space"]) == ("phone", "default")
    assert cli.json("keys", "revoke", made["id"]) == {"revoked": [made["id"]]}


def test_mistakes_are_told(cli: Cli) -> None:
    assert "bethink keys create" in cli.ok("keys", "list").err
    assert cli("keys", "revoke", "unknown").code == 1
    assert cli("keys", "create", "x", "--role", "king").code == 2
    assert cli("keys", "create", "").code == 1


def test_a_key_is_renamed_and_rotated(cli: Cli) -> None:
    made = cli.json("keys", "create", "phone")
    assert cli.ok("keys", "rename", made["id"], "laptop").out == f"renamed {made['id']} laptop\n"
    secret = cli.ok("keys", "rotate", made["id"]).out.strip()
    assert role_and_space(secret) == ("member", "default")
    with pytest.raises(Unauthenticated):
        role_and_space(made["secret"])
    told = cli.json("journal", "--noun", "key")["items"]
    assert [line["action"] for line in told] == ["rotated", "renamed", "created"]
    assert {line["actor"] for line in told} == {"cli"}


def test_studio_prints_a_link_for_an_admin_key(cli: Cli) -> None:
    assert "keys create" in cli("studio").err
    member = cli.json("keys", "create", "phone")
    assert cli("studio").code == 1
    cli.ok("keys", "create", "me", "--role", "admin")
    link = cli.ok("studio").out.strip()
    assert link.startswith("http://127.0.0.1:8420/enter/")
    assert cli.json("studio", "--key", member["id"])["link"].startswith("http://127.0.0.1:8420/enter/")
    assert cli.ok("studio", "--host", "::1", "--port", "9000").out.startswith("http://[::1]:9000/enter/")


def test_memory_is_switched_for_a_key(cli: Cli) -> None:
    made = cli.json("keys", "create", "phone")
    assert cli.ok("keys", "switch", made["id"], "off").out == f"switched {made['id']} off\n"
    assert cli.json("keys", "list")[0]["memory"] == "off"
    assert cli.json("keys", "switch", made["id"], "space")["memory"] is None
