-- Whether the gateway uses memory for a key: on, off, or as its space says.
ALTER TABLE keys ADD COLUMN memory TEXT;
