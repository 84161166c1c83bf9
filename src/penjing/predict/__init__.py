"""Predictions: rows of any source, coded as a tree codes them and routed to leaves."""
