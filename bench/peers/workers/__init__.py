"""One module a system. They run in that system's environment, so they import it and the standard library."""
