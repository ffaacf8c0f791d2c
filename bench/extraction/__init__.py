"""How well extraction keeps what should be kept: what is stored of conversations, and the rules alone."""
