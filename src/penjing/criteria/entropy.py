"""Information gain (ID3), and gain ratio with the average-gain rule (C4.5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penjing.data.table import Floats
from penjing.tree.counts import TIE, Reader
from penjing.tree.split import BestSplits


def entropy_bits(counts: Floats) -> Floats:
    """Return the entropy -sum p log2 p of counts along the last axis, in bits; 0 log 0 is 0.

    Examples
    --------
    >>> entropy_bits(np.array([2.0, 3.0]))
    array(0.97095059)
    >>> entropy_bits(np.array([4.0, 0.0]))
    array(0.)
    """
    weight = counts.sum(axis=-1, keepdims=True)
    share = np.divide(counts, weight, out=np.zeros_like(counts), where=weight > 0)
    logs = np.log2(share, out=np.zeros_like(share), where=share > 0)
    return np.asarray(0.0 - (share * logs).sum(axis=-1))


@dataclass(frozen=True, slots=True)
class Entropy:
    """Information gain: the decrease of entropy (Quinlan 1986)."""

    name: str = "gain"
    native: str | None = "gain"

    def impurity(self, total: Floats, s: Reader) -> Floats:  # noqa: ARG002 - the protocol's
        """Return the entropy of the classes, in bits."""
        return entropy_bits(total)

    def between(self, best_splits: BestSplits) -> Floats:
        """Return the gain."""
        return best_splits.gain


@dataclass(frozen=True, slots=True)
class GainRatio:
    """Gain ratio, among the columns that gain at least the average (Quinlan 1993).

    Within a column the threshold is chosen by gain; the ratio compares columns only, since a
    threshold that separates a single row would have a very large ratio.
    """

    name: str = "gain_ratio"
    native: str | None = "gain_ratio"

    def impurity(self, total: Floats, s: Reader) -> Floats:  # noqa: ARG002 - the protocol's
        """Return the entropy of the classes, in bits."""
        return entropy_bits(total)

    def between(self, best_splits: BestSplits) -> Floats:
        """Return gain / split information; NaN for a column below the average gain."""
        gain = best_splits.gain
        is_candidate = ~np.isnan(gain)
        n_candidates = np.maximum(is_candidate.sum(axis=1, keepdims=True), 1)
        average = np.where(is_candidate, gain, 0.0).sum(axis=1, keepdims=True) / n_candidates
        slack = TIE * np.where(is_candidate, best_splits.impurity, 0.0)
        ratio = np.divide(
            gain,
            best_splits.split_information,
            out=np.full_like(gain, np.nan),
            where=best_splits.split_information > 0,
        )
        return np.where(gain >= average - slack, ratio, np.nan)
