"""Runtimes of the models Recollect uses."""
