"""From what is said to what is remembered: conversations are read, and what they say is stored."""
