"""How a split, a number, a node or an explanation reads as text."""
