"""People: the household, its devices, who is meant, who is speaking."""
