"""The texts of a space, and the files that mirror them: SOUL.md, MEMORY.md, the narrative."""
