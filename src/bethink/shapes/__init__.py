"""What callers hand in and what they get back, checked once for every surface."""
