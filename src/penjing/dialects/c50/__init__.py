"""The C5.0 dialect."""
