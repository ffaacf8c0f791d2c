"""Bethink in the places of other frameworks' memories. Each module stands alone, and needs its framework."""
