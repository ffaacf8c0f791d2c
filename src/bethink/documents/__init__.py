"""The knowledge base: files that are read, split into passages, and searched."""
