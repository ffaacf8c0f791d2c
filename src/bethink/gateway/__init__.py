"""The gateway: an OpenAI and Anthropic host to its clients, which adds memory on the way to the real one."""
