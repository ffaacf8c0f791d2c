"""Keys: who may use the server, and how far."""
