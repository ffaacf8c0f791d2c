"""What a room may use: the database, settings, options, index and models of an open memory. Knows no room."""

from bethink.core.core import Change, Core, Handle, Inside, shown

__all__ = ["Change", "Core", "Handle", "Inside", "shown"]
