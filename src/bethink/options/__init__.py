"""Options: what is switched and tuned while Bethink runs."""
