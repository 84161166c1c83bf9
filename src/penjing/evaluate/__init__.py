"""Evaluation: metrics, validation, curves, comparison, stability, importance."""
