"""Finding the right few records: gate, expand, search, fuse, score, cut, budget."""
