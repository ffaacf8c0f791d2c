"""Mail as it comes: an account is read over IMAP by a sweep."""
