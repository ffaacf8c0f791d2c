"""How the index and its models are doing."""
