"""What users call: fit, load and the Tree class."""
