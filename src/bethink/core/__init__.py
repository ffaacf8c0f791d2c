"""What a room may use: the database, settings, options, index and models of an open memory."""
