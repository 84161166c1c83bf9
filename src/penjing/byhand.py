"""The small functions a learner calls by hand, on plain lists or on counts.

Each takes the labels themselves, or their counts by the keyword ``counts`` (a dict is taken for
counts as it is).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from penjing.criteria import TIE
from penjing.criteria.entropy import bits
from penjing.criteria.gini import gini_of
from penjing.errors import ChoiceError
from penjing.table import Floats

Labels = Iterable[Any] | Mapping[Any, float] | None
Table2 = Sequence[Sequence[float]] | Mapping[Any, Sequence[float]] | None


def entropy(labels: Labels = None, *, counts: Sequence[float] | None = None) -> float:
    """Return the entropy of labels in bits: -sum p log2 p.

    Examples
    --------
    >>> entropy(["yes", "yes", "no", "no", "no"])
    0.9709505944546686
    >>> entropy(counts=[9, 5])
    0.9402859586706311
    >>> entropy(["yes", "yes"])
    0.0
    """
    return float(bits(_counts(labels, counts)))


def gini(labels: Labels = None, *, counts: Sequence[float] | None = None) -> float:
    """Return the Gini value of labels, 1 - sum p^2: the chance that two draws differ.

    Examples
    --------
    >>> gini(["yes", "no", "no", "yes"])
    0.5
    """
    return float(gini_of(_counts(labels, counts)))


def majority(labels: Labels = None) -> Any:  # noqa: ANN401 - whatever the labels are
    """Return the most frequent label; of equal ones the first to appear.

    Examples
    --------
    >>> majority(["no", "yes", "yes", "no"])
    'no'
    """
    counted = Counter(() if labels is None else labels)
    if not counted:
        raise ChoiceError("nothing_to_count")
    return counted.most_common(1)[0][0]


def gain(
    values: Iterable[Any] | None = None,
    labels: Iterable[Any] | None = None,
    *,
    counts: Table2 = None,
    cut: float | None = None,
) -> float:
    """Return the information gained by dividing labels by values, in bits.

    Gain(D, a) = H(D) - sum_v |D_v| / |D| * H(D_v)

    Parameters
    ----------
    values : list
        The value of each row; with ``cut`` a number that is compared with it.
    labels : list
        The class of each row.
    counts : list of lists or dict of lists
        Instead of both: a row of class counts for each value.
    cut : float
        Divide into values <= cut and values > cut.

    Examples
    --------
    >>> gain([1, 1, 1, 0, 0], ["yes", "yes", "no", "no", "no"])
    0.4199730940219749
    >>> round(gain(counts=[[7, 2], [1, 4], [0, 3]]), 3)
    0.381
    """
    return _gain(_parts(values, labels, counts, cut))


def split_information(
    values: Iterable[Any] | None = None,
    *,
    counts: Table2 = None,
    cut: float | None = None,
) -> float:
    """Return the entropy of the values themselves, in bits: the intrinsic value IV(a).

    Examples
    --------
    >>> split_information(["a", "a", "b", "b"])
    1.0
    """
    rows = None if values is None else list(values)
    labels = None if rows is None else [0] * len(rows)
    return float(bits(_parts(rows, labels, counts, cut).sum(axis=1)))


def gain_ratio(
    values: Iterable[Any] | None = None,
    labels: Iterable[Any] | None = None,
    *,
    counts: Table2 = None,
    cut: float | None = None,
) -> float:
    """Return gain / split information; 0 where the values do not divide the rows.

    Examples
    --------
    >>> round(gain_ratio(counts=[[7, 1], [1, 4], [0, 3]]), 4)
    0.3402
    """
    parts = _parts(values, labels, counts, cut)
    information = float(bits(parts.sum(axis=1)))
    return _gain(parts) / information if information > 0 else 0.0


def gini_index(
    values: Iterable[Any] | None = None,
    labels: Iterable[Any] | None = None,
    *,
    counts: Table2 = None,
    cut: float | None = None,
) -> float:
    """Return the Gini index of a division: sum_v |D_v| / |D| * Gini(D_v); less is better.

    Examples
    --------
    >>> round(gini_index(counts=[[7, 1], [1, 4], [0, 3]]), 4)
    0.2094
    """
    parts = _parts(values, labels, counts, cut)
    weight = parts.sum(axis=1)
    return float((weight / weight.sum() * gini_of(parts)).sum())


def _gain(parts: Floats) -> float:
    # As the formula is written, share by share: the last digit then is what one gets by hand.
    weight = parts.sum(axis=1)
    before = float(bits(parts.sum(axis=0)))
    found = before - float((weight / weight.sum() * bits(parts)).sum())
    return found if abs(found) > TIE * before else 0.0


def _counts(labels: Labels, counts: Sequence[float] | None) -> Floats:
    if counts is None:
        counted = labels if isinstance(labels, Mapping) else Counter(_listed(labels))
        counts = list(counted.values())
    return _checked(counts, 1)


def _listed(things: Iterable[Any] | None) -> list[Any]:
    # An array has no truth value, so `things or ()` would not do.
    return [] if things is None else list(things)


def _checked(counts: Any, n_axes: int) -> Floats:  # noqa: ANN401 - that is to be found out
    try:
        found = np.asarray(counts, np.float64)
    except (TypeError, ValueError):
        raise ChoiceError("not_counts", value=counts) from None
    if found.ndim != n_axes or not (np.isfinite(found) & (found >= 0)).all():
        raise ChoiceError("not_counts", value=counts)
    if not found.sum() > 0:
        raise ChoiceError("nothing_to_count")
    return found


def _parts(
    values: Iterable[Any] | None,
    labels: Iterable[Any] | None,
    counts: Table2,
    cut: float | None,
) -> Floats:
    """Return the class counts of each value, (values, classes)."""
    if counts is not None:
        return _checked(list(counts.values() if isinstance(counts, Mapping) else counts), 2)
    rows = _listed(values)
    classes = _listed(labels)
    if not rows or len(rows) != len(classes):
        raise ChoiceError("lengths_differ", values=len(rows), labels=len(classes))
    if cut is not None:
        rows = [value <= cut for value in rows]
    kinds = {value: i for i, value in enumerate(dict.fromkeys(rows))}
    names = {label: i for i, label in enumerate(dict.fromkeys(classes))}
    table = np.zeros((len(kinds), len(names)))
    for value, label in zip(rows, classes, strict=True):
        table[kinds[value], names[label]] += 1
    return table


__all__ = [
    "entropy",
    "gain",
    "gain_ratio",
    "gini",
    "gini_index",
    "majority",
    "split_information",
]
