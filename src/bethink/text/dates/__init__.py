"""Times that a text speaks of: "yesterday", "next Friday", "in June 2023", as the days they mean. Pure."""
