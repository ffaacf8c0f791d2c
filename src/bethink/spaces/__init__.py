"""Spaces as a whole: made, renamed, removed."""
