"""A small household with something on every page."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx2

HOSTILE = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>'
_MEMORIES = [
    ("Anna is allergic to peanuts; even traces in chocolate make her ill", "factual", ["health"]),
    ("The spare key is under the blue pot by the back door", "factual", ["home"]),
    (
        "The boiler was serviced in March by Mr Okafor, who wants to be called before half past four",
        "episodic",
        ["home"],
    ),
    (
        "To restart the router, hold the grey button for ten seconds and wait for two green lights",
        "procedural",
        [],
    ),
    ("Ben prefers trains to planes and books aisle seats", "semantic", ["travel"]),
    ("On Sundays the family eats at Grandma Rosa's", "episodic", ["family"]),
    ("安娜喜欢喝燕麦拿铁，不加糖", "semantic", ["coffee"]),
    ("The car's insurance runs out at the end of the year", "factual", ["car"]),
    (HOSTILE, "semantic", ["<b>x</b>"]),
]


_SAID_AT_WORK = [
    ("Anna", "We decided to replace the roof before winter."),
    ("Ben", "I will ask Mr Okafor for an offer by Friday."),
    ("Anna", "Who has the key to the attic?"),
    ("Ben", "The offer is 12,400 euros, with slate tiles. The scaffold alone is 1,900."),
    ("Anna", "Please check whether the insurance pays for the storm damage."),
]
_MANUAL = """# Boiler manual

## Restarting

Hold the red button for five seconds until the flame symbol lights up. If error E119 appears, the water
pressure is below one bar: open the filling tap under the boiler until the needle stands at 1.5 bar.

## Service

Have the boiler serviced once a year. Serial number 4711-BX.
"""


def tell(client: httpx2.Client) -> None:
    """Fill the space of a key."""
    persons = [
        {
            "displayName": "Anna",
            "pronouns": "she/her",
            "role": "parent",
            "aliases": ["Annie"],
            "birthDate": "1984-05-17",
        },
        {"displayName": "Ben", "pronouns": "he/him", "role": "parent"},
        {"displayName": HOSTILE, "role": "guest"},
    ]
    household = {
        "mode": "multi",
        "timezone": "Europe/Lisbon",
        "displayName": "The Silvas",
        "persons": persons,
    }
    people = _sent(client.put("/api/household", json=household))["persons"]
    _sent(
        client.put(
            "/api/devices/kitchen", json={"name": "Kitchen tablet", "primaryPersonId": people[0]["id"]}
        )
    )
    _sent(client.put("/api/devices/odd", json={"name": HOSTILE}))
    now = datetime.now(UTC)
    for number, (content, kind, tags) in enumerate(_MEMORIES):
        at = (now - timedelta(days=9 * number + 1)).isoformat()
        body = {"content": content, "type": kind, "tags": tags, "observedAt": at, "pinned": number == 0}
        _sent(client.post("/api/memory", json=body))
    said = [
        {"role": "user", "name": "Anna", "content": "My birthday is on 17 May and I love apricot cake."},
        {"role": "assistant", "content": "Noted. Apricot cake on the seventeenth of May."},
        {"role": "user", "name": "Anna", "content": "I work as a bridge engineer at Ponte Lda in Lisbon."},
    ]
    _sent(client.post("/api/sessions/monday/messages", json={"messages": said}))
    for value in ("cappuccino", "oat milk latte, no sugar"):
        fact = {"category": "preferences", "key": "coffee_order", "value": value, "personId": people[0]["id"]}
        _sent(client.put("/api/facts", json=fact))
    _sent(client.put("/api/facts", json={"category": "home", "key": "wifi_name", "value": "Casa da Ponte"}))
    _sent(client.put("/api/soul", json={"content": "You are calm and brief. You never guess at dates."}))
    for name, content in (("House rules", "Shoes off at the door."), (HOSTILE, HOSTILE)):
        _sent(client.post("/api/contexts", json={"name": name, "content": content}))
    _sent(client.post("/api/sessions/office/messages", json={"messages": list(_channel(now))}))
    file = client.post("/api/documents", params={"name": "boiler-manual.md"}, content=_MANUAL.encode())
    _sent(file)
    client.post("/api/upkeep/extract").raise_for_status()
    for sweep in ("documents", "tiers", "insights"):
        client.post(f"/api/upkeep/{sweep}/run", json={}).raise_for_status()


def _channel(now: datetime) -> Iterator[dict[str, str]]:
    """A channel of some weeks ago, old enough to be summarised."""
    for number, (name, content) in enumerate(_SAID_AT_WORK):
        at = (now - timedelta(days=20, minutes=-number)).isoformat()
        yield {
            "role": "user",
            "name": name,
            "content": content,
            "sentAt": at,
            "platform": "slack",
            "channel": "#roof",
        }


def _sent(response: httpx2.Response) -> dict[str, list[dict[str, str]]]:
    assert response.is_success, response.text
    found: dict[str, list[dict[str, str]]] = response.json()
    return found
