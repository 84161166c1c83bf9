"""The tree as plain data: nodes, splits, counts, builder, model files."""
