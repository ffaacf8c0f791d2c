"""Facts: set, dropped, found, every version kept."""
