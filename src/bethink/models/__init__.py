"""Runtimes of the models Bethink uses."""
