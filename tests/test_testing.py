from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from bethink import AsyncBethink, clock
from bethink.errors import InvalidInput, ModelError
from bethink.models.chat import ChatMessage
from bethink.models.embed import Embedder, signature
from bethink.testing import FrozenClock, HashEmbedder, ScriptedChat


async def test_the_hash_embedder_is_an_embedder() -> None:
    embedder: Embedder = HashEmbedder(32)
    rows = await embedder.embed(["one text", "another text"], "document")
    assert rows.shape == (2, 32)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert signature(embedder) == "testing:hash:32"


async def test_texts_that_share_words_are_near() -> None:
    key, near, form, far = await HashEmbedder().embed(
        ["the spare key is under the pot", "where is the spare key?", "keys", "Quarterly tax report"], "query"
    )
    assert key @ near > 0.5
    assert key @ near > key @ form > key @ far


async def test_vectors_are_the_same_in_every_run() -> None:
    row = (await HashEmbedder(8).embed(["Bethink"], "query"))[0]
    assert np.allclose(row, [-0.2085, -0.8341, 0, 0, -0.2085, -0.2085, 0, 0.4170], atol=1e-4)


@pytest.mark.parametrize("text", ["", "  ", "!?", "🙂"])
async def test_a_text_without_a_word_has_a_row_of_zeros(text: str) -> None:
    assert not (await HashEmbedder().embed([text], "query")).any()


def test_dimensions_below_one_are_refused() -> None:
    with pytest.raises(InvalidInput, match="dimensions"):
        HashEmbedder(0)


def test_time_stands_still_until_told_to_move() -> None:
    start = datetime(2025, 5, 1, tzinfo=UTC)
    with FrozenClock(start) as frozen:
        assert clock.now() == clock.now() == start
        frozen.advance(timedelta(days=90))
        assert clock.now() == start + timedelta(days=90)
    assert clock.now() - start > timedelta(days=100)


def test_the_clock_is_given_back_after_an_error() -> None:
    with pytest.raises(KeyError), FrozenClock():
        raise KeyError
    assert clock.now() > FrozenClock().now


def test_ids_made_while_time_stands_still_are_all_different_and_in_order() -> None:
    with FrozenClock():
        ids = [clock.new_id() for _ in range(100)]
    assert ids == sorted(set(ids))


def test_times_are_utc_and_need_a_timezone() -> None:
    plus_two = datetime(2025, 5, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    with FrozenClock(plus_two):
        assert clock.now() == plus_two
        assert clock.now().tzinfo is UTC
    with pytest.raises(InvalidInput, match="timezone"):
        FrozenClock(datetime(2025, 5, 1))


async def test_a_scripted_chat_says_its_answers_in_order_and_repeats_the_last() -> None:
    def echo(messages: Sequence[ChatMessage]) -> str:
        return messages[-1]["content"]

    chat = ScriptedChat("yes", {"facts": ["héllo"]}, ModelError("down"), echo)
    said: list[ChatMessage] = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hm?"}]
    assert (await chat.complete(said)).text == "yes"
    assert (await chat.complete(said, max_tokens=5)).text == '{"facts": ["héllo"]}'
    with pytest.raises(ModelError, match="down"):
        await chat.complete(said)
    for _ in range(2):
        reply = await chat.complete(said)
        assert (reply.text, reply.model) == ("hm?", "scripted")
    assert len(chat.asked) == 5
    assert chat.prompts[0] == "be brief\n\nhm?"
    with pytest.raises(InvalidInput, match="at least one"):
        ScriptedChat()


async def test_a_memory_takes_the_chat_model_it_is_given_or_the_one_of_its_settings() -> None:
    async with AsyncBethink(":memory:", chat_model=ScriptedChat("hi"), embed={"source": "none"}) as memory:
        core, _ = await memory.inside.here()
        assert (await core.chat.extraction.complete([])).text == "hi"
        assert core.chat.state == "ready"
    async with AsyncBethink(
        ":memory:", chat={"base_url": "http://localhost:1/v1"}, embed={"source": "none"}
    ) as memory:
        core, _ = await memory.inside.here()
        assert (core.chat.state, core.chat.reason) == ("unopened", "chat.base_url is set")
