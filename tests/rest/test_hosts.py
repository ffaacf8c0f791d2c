from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.rest.admission import AllowedHosts


@pytest.mark.parametrize(
    "header", ["localhost", "localhost:8420", "127.0.0.1:1", "[::1]", "[::1]:8420", "::1"]
)
def test_this_machine_is_allowed(header: str) -> None:
    assert header in AllowedHosts("127.0.0.1", [])


@pytest.mark.parametrize(
    "header",
    [
        "",
        "attacker.example",
        "localhost.attacker.example",
        "127.0.0.1.attacker.example",
        "attacker.example:8420",
        "localhost:80:80",
        "[::1]attacker.example",
        "*",
        "*.lan",
        "lan",
        "evillan",
        "0.0.0.0",
    ],
)
def test_others_are_not(header: str) -> None:
    assert header not in AllowedHosts("0.0.0.0", ["memory.example", "*.lan"])


def test_the_address_listened_on_and_the_configured_names_are_allowed() -> None:
    hosts = AllowedHosts("192.0.2.7", ["Memory.Example", "*.lan", "[2001:db8::1]"])
    for header in ("192.0.2.7:8420", "memory.example", "a.b.lan:80", "[2001:db8::1]:8420"):
        assert header in hosts


@pytest.mark.parametrize("everywhere", ["0.0.0.0", "::", "[::]", ""])
def test_listening_everywhere_allows_no_name_by_itself(everywhere: str) -> None:
    hosts = AllowedHosts(everywhere, [])
    assert "localhost" in hosts
    for header in ("0.0.0.0", "::", "[::]", "192.0.2.7"):
        assert header not in hosts


@given(st.text())
def test_a_star_allows_every_name_but_none(name: str) -> None:
    assert (name in AllowedHosts("127.0.0.1", ["*"])) is bool(name)


@given(st.text(alphabet=st.characters(exclude_characters="[]:", codec="ascii"), min_size=1))
def test_a_port_makes_no_difference(name: str) -> None:
    hosts = AllowedHosts("127.0.0.1", ["memory.example", "*.lan"])
    assert (name in hosts) is (f"{name}:8420" in hosts)
