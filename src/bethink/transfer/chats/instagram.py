"""Instagram writes its messages as Messenger does."""

from bethink.transfer.chats.messenger import read

__all__ = ["PLATFORM", "read"]

PLATFORM = "instagram"
