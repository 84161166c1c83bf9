"""Engines: components that compute the counts from which splits are chosen."""
