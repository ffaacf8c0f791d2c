"""Where vectors are searched beside the database."""
