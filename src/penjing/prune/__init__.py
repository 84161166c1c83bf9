"""Pruning methods, and the list of decisions that each of them makes."""
