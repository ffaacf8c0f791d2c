"""The one index over every layer of memory: terms and vectors, derived from the rows and rebuildable."""
