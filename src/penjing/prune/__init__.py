"""Pruners: pure functions from a tree to a smaller one and the list of every decision."""
