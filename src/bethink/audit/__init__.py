"""Audits: look through what is remembered, and mend what is found."""
