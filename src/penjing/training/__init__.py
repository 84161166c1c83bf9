"""Training: from a table to a finished tree."""
