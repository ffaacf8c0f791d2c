"""Retrieval from documents: how often the passage that answers is found, and how fast files are read."""
