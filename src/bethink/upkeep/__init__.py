"""Sweeps over state: each is idempotent, bounded, leased, and goes on after a crash where the rows say."""
