"""Two conversations through the gateway; the second knows what was said in the first.

    pip install openai
    BETHINK_KEY=bk_… python examples/gateway.py llama3.2

The server must be running, with a provider behind its gateway and memory switched on: see docs/gateway.md.
"""

from __future__ import annotations

import os
import sys

from openai import OpenAI

MODEL = sys.argv[1] if len(sys.argv) > 1 else "llama3.2"
URL = os.environ.get("BETHINK_URL", "http://127.0.0.1:8420")


def say(client: OpenAI, text: str) -> None:
    """Ask something in a conversation of its own, and print what comes back."""
    answer = client.chat.completions.with_raw_response.create(
        model=MODEL, messages=[{"role": "user", "content": text}]
    )
    known = answer.headers.get("x-bethink-memories", "no (memory is off)")
    print(f"You: {text}\n({known} memories) {answer.parse().choices[0].message.content}\n")


with OpenAI(base_url=f"{URL}/v1", api_key=os.environ["BETHINK_KEY"]) as openai:
    say(openai, "I'm allergic to peanuts. Please remember that.")
    say(openai, "Suggest a snack for a long train journey, in one sentence.")
