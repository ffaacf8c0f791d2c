"""Chat models: how they are asked, which one is used, and what is made of their answers."""

from __future__ import annotations

from bethink.models.chat.answers import every, spoken, validated
from bethink.models.chat.protocol import Chat, ChatMessage, Reply
from bethink.models.chat.resolve import ChatResolution, ChatState, resolve_chat

__all__ = [
    "Chat", "ChatMessage", "ChatResolution", "ChatState", "Reply", "every", "resolve_chat", "spoken",
    "validated",
]  # fmt: skip
