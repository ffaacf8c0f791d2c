"""The memory part of a prompt: what stands in it, and how it is put together."""
