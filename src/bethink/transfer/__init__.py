"""Taking a space's data away and bringing data in: the archive, and what other programs export."""
