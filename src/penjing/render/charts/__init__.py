"""Charts of results: one file for each chart, and one line in the registry."""
