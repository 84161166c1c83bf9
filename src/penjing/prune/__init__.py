"""Pruning methods, and the list of decisions that each of them makes."""

from penjing.prune.decisions import Decision

__all__ = ["Decision"]
