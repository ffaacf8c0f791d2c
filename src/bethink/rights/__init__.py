"""How people see, correct and take away what a space knows."""
