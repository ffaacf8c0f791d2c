"""From what is said to what is stored: each module is one kind of write, as one transaction."""
