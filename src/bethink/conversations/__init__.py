"""Conversations: messages taken in, sessions, and the contexts that are given to them."""
