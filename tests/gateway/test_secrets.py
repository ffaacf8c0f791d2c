"""Secrets that were told once: what the provider is sent of them in a later conversation."""

from __future__ import annotations

import openai

from tests.gateway.conftest import Place, on_both_databases

pytestmark = on_both_databases


def test_a_later_conversation_gets_a_mark_for_the_secret_of_a_fact(home: Place) -> None:
    said = "My garage door code is 8812# and the wifi password is Tulip!77x"
    with openai.OpenAI(base_url=f"{home.url}/v1", api_key=home.key, max_retries=0) as client:
        client.chat.completions.create(model="m1", messages=[{"role": "user", "content": said}])
        assert home.upstream.last.json["messages"][-1]["content"] == said  # the caller's own words
        home.settle()
        home.server.call(home.space.facts.set("home", "alarm_code", "8812"))
        question = "What was the garage door code and the wifi password?"
        client.chat.completions.create(model="m1", messages=[{"role": "user", "content": question}])
    sent = home.upstream.last.body.decode()
    assert "[access code]" in sent  # of the fact; what was said of secrets is not woven in at all
    assert "8812" not in sent
    assert "Tulip!77x" not in sent
    (first,) = [session for session in home.sessions() if home.said(session)[0][1] != question]
    assert home.server.call(home.space.messages.of(first, secrets=True))[0].content == said
