"""Notes: a folder of Markdown and JSON files of each space, which people and programs write."""
