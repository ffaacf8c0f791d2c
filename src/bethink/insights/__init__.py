"""Insights: what is going on in the channels of a space, ranked by how much it counts."""
