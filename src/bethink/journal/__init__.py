"""The journal: who changed what, when, and because of what."""
