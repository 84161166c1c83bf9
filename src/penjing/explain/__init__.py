"""Explanations: why a node splits as it does, why a row is predicted as it is, rules."""
