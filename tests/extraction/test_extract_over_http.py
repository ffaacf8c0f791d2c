"""Whatever a chat host does, no message is lost, the failure is seen, and trying again succeeds."""

from __future__ import annotations

import pytest

from bethink import InvalidInput
from tests import opened
from tests.models.chat_server import Turn, broken_down, chat_server, fenced, good, limited
from tests.opened import Home, unchecked

home = opened.home
spaces_postgres_url = opened.spaces_postgres_url

ANSWER = {
    "facts": [{"category": "food", "key": "coffee", "value": "Oat milk latte", "turns": [1]}],
    "notes": ["The user considers a new job."],
}
TALK = [
    {"role": "user", "content": "My usual is an oat milk latte. I may look for a new job."},
    {"role": "assistant", "content": "Noted."},
    {"role": "user", "content": "It is raining in Porto today."},
    {"role": "assistant", "content": "Take an umbrella."},
    {"role": "user", "content": "The umbrella is at the office."},
]


@pytest.mark.parametrize("answer", [good(ANSWER), fenced(ANSWER)], ids=["json", "fenced"])
async def test_a_good_answer_is_kept(home: Home, answer: Turn) -> None:
    with chat_server([answer]) as host:
        async with home.memory(chat={"base_url": host.url, "api_key": "k", "small": False}) as memory:
            await memory.options.update(extractors=["facts"])
            await memory.observe("talk", TALK)
            await memory.settle()
            assert {one.content for one in await memory.list()} == {
                "coffee: Oat milk latte",
                "The user considers a new job.",
            }


async def test_a_small_model_is_asked_about_one_message_at_a_time(home: Home) -> None:
    with chat_server([good(ANSWER), good({"facts": [], "notes": []})], models=["qwen2.5:1.5b"]) as host:
        async with home.memory(chat={"base_url": host.url}) as memory:
            await memory.options.update(extractors=["facts"])
            await memory.observe("talk", TALK)
            await memory.settle()
            assert [one.content for one in await memory.list()] == ["coffee: Oat milk latte"]
            prompts = [prompt.partition("<conversation>")[2] for prompt in host.prompts]
            assert ["oat milk latte" in prompt for prompt in prompts] == [True, False, False]
            assert ["raining in Porto" in prompt for prompt in prompts] == [False, True, False]


BAD = {
    "broken JSON": Turn('{"facts": [{"category": "food", "key": '),
    "prose": Turn("I could not find anything worth keeping, sorry!"),
    "429": limited(),
    "500": broken_down(),
    "timeout": Turn("late", delay=1.5),
    "half an answer": Turn('{"facts": []}', half=True),
    "no answer": Turn(hang_up=True),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
async def test_a_failure_is_seen_and_tried_again(home: Home, bad: Turn) -> None:
    works = False

    def script(_: dict[str, object]) -> Turn:
        return good(ANSWER) if works else bad

    with chat_server(script) as host:
        chat = {"base_url": host.url, "small": False, "timeout_seconds": 0.5, "max_retries": 1}
        async with home.memory(chat=chat) as memory:
            await memory.options.update(extractors=["facts"])
            await memory.observe("talk", TALK)
            await memory.settle()
            assert [message.content for message in await memory.messages.of("talk")] == [
                message["content"] for message in TALK
            ]
            (failed,) = await memory.extractions()
            assert failed.status == "failed"
            assert failed.reason
            assert await memory.extractions(status="failed") == [failed]
            assert await memory.extractions(status="ok") == []
            with pytest.raises(InvalidInput, match="status: 'fine' is not a valid"):
                await memory.extractions(**unchecked(status="fine"))
            assert await memory.list() == []
            works = True
            done = await memory.extract(retry=True)
            assert (done.retried, done.failed) == (1, 0)
            assert len(await memory.list()) == 2
            assert (await memory.extractions())[0].status == "ok"


async def test_a_host_that_is_down_is_not_asked_for_every_session(home: Home) -> None:
    with chat_server([broken_down()]) as host:
        chat = {"base_url": host.url, "api_key": "k", "max_retries": 0}
        async with home.memory(chat=chat) as memory:
            await memory.options.update(extractors=[])
            for number in range(20):
                await memory.observe(f"talk {number}", TALK)
            await memory.options.update(extractors=["facts"])
            done = await memory.extract()
            assert (done.sessions, done.failed) == (1, 1)
            assert len(host.asked) <= 2
