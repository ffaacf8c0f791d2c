"""Measurements of Bethink on real text: speed of recall and ingest, and quality of recall."""
