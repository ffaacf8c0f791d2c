"""What models may call: recall, remember, forget, list, find. One set of definitions for every surface."""
