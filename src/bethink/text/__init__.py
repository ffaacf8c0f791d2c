"""Pure functions of text: the terms it is searched by, its size, its fingerprint, what is embedded of it."""
