"""What other programs keep of conversations, read message by message: one module a format. Pure."""
