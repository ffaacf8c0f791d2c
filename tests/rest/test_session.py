"""Browsers: one-time links, sessions, and requests that other sites' pages send."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bethink.access import make_link
from bethink.records import Role
from bethink.rest.cookies import COOKIE
from bethink.store.keys import hashed
from bethink.testing import FrozenClock
from tests.rest.serving import Running, new_space, running
from tests.rest.test_problems import problem

OWN_PAGE = {"sec-fetch-site": "same-origin"}


class Browser:
    """A client that keeps cookies, and the key it signs in with."""

    def __init__(self, server: Running, role: Role = Role.MEMBER) -> None:
        self.server, self.space = server, new_space()
        self.key = server.call(server.memory.keys.create("laptop", space=self.space, role=role))
        self.client = server.client()

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    @property
    def cookie(self) -> dict[str, str]:
        """The header that carries the session, for a request of another client."""
        return {"cookie": f"{COOKIE}={self.client.cookies[COOKIE]}"}

    def link(self) -> str:
        return f"/enter/{self.server.call(make_link(self.server.memory, self.key.id))}"


@pytest.fixture
def browser(server: Running) -> Iterator[Browser]:
    with Browser(server) as browser:
        yield browser


@pytest.fixture
def signed_in(browser: Browser) -> Browser:
    assert browser.client.get(browser.link()).status_code == 200
    return browser


def test_a_link_signs_a_browser_in_and_leads_to_the_first_screen(browser: Browser) -> None:
    assert "Signed in" not in browser.client.get("/").text
    response = browser.client.get(browser.link())
    cookie = response.headers["set-cookie"].lower()
    assert {"httponly", "samesite=strict", "path=/", "max-age=2592000"} <= set(cookie.split("; "))
    (forward,) = re.findall(r'http-equiv="refresh" content="0;url=([^"]+)"', response.text)
    page = browser.client.get(forward).text
    assert "Signed in" in page
    assert browser.space in page
    who = browser.client.get("/api/session").json()
    assert (who["name"], who["role"], who["space"]) == ("laptop", "member", browser.space)
    assert who["expiresAt"] is not None


def test_a_link_works_once(browser: Browser) -> None:
    link = browser.link()
    assert browser.client.get(link).status_code == 200
    with browser.server.client() as other:
        refused = other.get(link)
        assert refused.status_code == 401
        assert "set-cookie" not in refused.headers
        assert "bethink studio" in refused.text
        for nonsense in ("/enter/x", "/enter/%00", f"/enter/{'x' * 1000}"):
            assert other.get(nonsense).status_code in (401, 422)


def test_a_link_works_for_a_minute(server: Running) -> None:
    with FrozenClock() as clock, Browser(server) as browser:
        in_time, too_late = browser.link(), browser.link()
        clock.advance(timedelta(seconds=59))
        assert browser.client.get(in_time).status_code == 200
        clock.advance(timedelta(seconds=2))
        assert browser.client.get(too_late).status_code == 401


def test_a_session_ends_after_its_days(server: Running) -> None:
    with FrozenClock() as clock, Browser(server) as browser:
        browser.client.get(browser.link())
        cookie = browser.cookie
        clock.advance(timedelta(days=29, hours=23))
        with server.client() as client:
            assert client.get("/api/stats", headers=cookie).status_code == 200
            clock.advance(timedelta(hours=2))
            problem(client.get("/api/stats", headers=cookie), 401)


def test_a_shorter_time_holds_for_sessions_that_are_there(database_url: str) -> None:
    with FrozenClock() as clock:
        with running(database_url) as server, Browser(server) as browser:
            browser.client.get(browser.link())
            cookie = browser.cookie
        clock.advance(timedelta(days=2))
        with running(database_url, server={"session_days": 1}) as server, server.client() as client:
            problem(client.get("/api/stats", headers=cookie), 401)


def test_a_key_keeps_so_many_sessions_and_the_first_goes(database_url: str) -> None:
    with running(database_url, server={"sessions_per_key": 2}) as server, FrozenClock() as clock:
        with Browser(server) as browser, Browser(server) as other:
            cookies = []
            for one in (other, browser, browser, browser):
                one.client.get(one.link())
                cookies.append(one.cookie)
                clock.advance(timedelta(seconds=1))
        with server.client() as client:
            statuses = [client.get("/api/stats", headers=cookie).status_code for cookie in cookies]
    assert statuses == [200, 401, 200, 200], "another key's session stays"


@pytest.mark.parametrize("how", ["revoke", "rotate"])
def test_a_session_dies_with_its_key(signed_in: Browser, how: str) -> None:
    waiting = signed_in.link()
    assert signed_in.client.get("/api/stats").status_code == 200
    keys = signed_in.server.memory.keys
    signed_in.server.call(getattr(keys, how)(signed_in.key.id))
    problem(signed_in.client.get("/api/stats"), 401)
    assert signed_in.client.get(waiting).status_code == 401
    assert "Signed in" not in signed_in.client.get("/").text


def test_a_session_and_a_link_survive_a_restart(database_url: str) -> None:
    with running(database_url) as server, Browser(server) as browser:
        browser.client.get(browser.link())
        link, cookie = browser.link(), browser.cookie
    with running(database_url) as server, server.client() as client:
        assert client.get("/api/stats", headers=cookie).json()["space"] == browser.space
        assert client.get(link).status_code == 200


def test_a_key_can_be_exchanged_for_a_session(server: Running) -> None:
    with server.client(server.key(new_space())) as client:
        assert client.post("/api/session").status_code == 201
        del client.headers["authorization"]
        assert client.get("/api/stats").status_code == 200


def test_signing_out_ends_the_session_everywhere(signed_in: Browser) -> None:
    cookie = signed_in.cookie
    response = signed_in.client.post("/leave", headers=OWN_PAGE)
    assert (response.status_code, response.headers["location"]) == (303, "/")
    assert not dict(signed_in.client.cookies)
    problem(signed_in.client.get("/api/stats", headers=cookie), 401)


def test_signing_out_over_the_api(signed_in: Browser) -> None:
    cookie = signed_in.cookie
    assert signed_in.client.delete("/api/session", headers=OWN_PAGE).status_code == 200
    problem(signed_in.client.get("/api/stats", headers=cookie), 401)


def test_a_change_must_come_from_our_own_page(signed_in: Browser) -> None:
    client, note = signed_in.client, {"content": "Forged"}
    own = {"origin": signed_in.server.url}
    foreign = {"origin": "https://attacker.example"}
    neighbour = {"origin": "http://127.0.0.1:1"}  # the same site to a browser, so the cookie comes along
    for headers in (
        {},
        foreign,
        neighbour,
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
        {**own, "sec-fetch-site": "cross-site"},
    ):
        problem(client.post("/api/memory", json=note, headers=headers), 403)
        assert client.post("/leave", headers=headers).status_code == 403
    for headers in ({"sec-fetch-site": "same-site"}, neighbour):
        problem(client.get("/api/memory", headers=headers), 403)
    assert client.get("/api/memory").json()["total"] == 0
    for number, headers in enumerate((own, OWN_PAGE, {**own, **OWN_PAGE})):
        assert client.post("/api/memory", json={"content": f"{number}"}, headers=headers).status_code == 201


def test_a_key_in_a_header_needs_no_page(signed_in: Browser) -> None:
    """Programs that send a key are not browsers, whatever cookie comes along."""
    headers = {"authorization": f"Bearer {signed_in.key.secret}"}
    note = {"content": "Sent by a program"}
    assert signed_in.client.post("/api/memory", json=note, headers=headers).status_code == 201


def test_a_session_has_the_role_of_its_key(server: Running) -> None:
    with Browser(server, Role.READER) as browser:
        browser.client.get(browser.link())
        problem(browser.client.post("/api/memory", json={"content": "x"}, headers=OWN_PAGE), 403)
        problem(browser.client.get("/api/keys"), 403)


def test_neither_link_nor_session_is_kept_as_it_is(tmp_path: Path) -> None:
    with running(str(tmp_path / "memory.db")) as server, Browser(server) as browser:
        browser.client.get(browser.link())
        link, cookie = browser.link().rpartition("/")[2], browser.client.cookies[COOKIE]
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("memory.db*"))
    assert hashed(link).encode() in stored
    assert hashed(cookie).encode() in stored
    assert link.encode() not in stored
    assert cookie.encode() not in stored
