"""The server: one ASGI application over one memory, and the command that runs it."""
