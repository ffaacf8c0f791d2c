"""Memories: stored, changed, forgotten, listed."""
