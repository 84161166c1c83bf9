"""The engine whose rows stay in a Spark cluster."""
