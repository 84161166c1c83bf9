"""Criteria: how good a split is, computed from counts alone."""
