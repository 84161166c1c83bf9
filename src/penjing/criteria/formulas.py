"""Entropy, gain, Gini and the like as plain functions of lists or counts, for learners.

Each takes labels, or their counts by the keyword ``counts``; a dict is taken as counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from penjing.arguments import as_list, bad_value_error, is_number
from penjing.criteria.entropy import entropy_bits
from penjing.criteria.gini import gini_impurity
from penjing.data.source import Label
from penjing.data.table import Floats
from penjing.errors import ChoiceError, WrongTypeError
from penjing.tree.counts import TIE

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
    return float(entropy_bits(_counts(labels, counts)))


def gini(labels: Labels = None, *, counts: Sequence[float] | None = None) -> float:
    """Return the Gini value of labels, 1 - sum p^2: the probability that two draws differ.

    Examples
    --------
    >>> gini(["yes", "no", "no", "yes"])
    0.5
    """
    return float(gini_impurity(_counts(labels, counts)))


def majority(labels: Labels = None) -> Label:
    """Return the most frequent label; ties go to the first to appear.

    Examples
    --------
    >>> majority(["no", "yes", "yes", "no"])
    'no'
    """
    counted = _label_counts(labels)
    if not counted:
        raise ChoiceError("nothing_to_count")
    if isinstance(labels, Mapping):
        _check_counts([*counted.values()], 1)
    most_frequent: Label = max(counted, key=lambda label: counted[label])
    return most_frequent


def gain(
    values: Iterable[Any] | None = None,
    labels: Iterable[Any] | None = None,
    *,
    counts: Table2 = None,
    cut: float | None = None,
) -> float:
    """Return the information gain of splitting labels by values, in bits.

    ``Gain(D, a) = H(D) - sum_v |D_v| / |D| * H(D_v)``

    Parameters
    ----------
    values : list
        The value of each row; with ``cut`` a number.
    labels : list
        The class of each row.
    counts : list of lists or dict of lists
        The class counts of each value, instead of both lists.
    cut : float
        The threshold: split into values <= cut and values > cut.

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
    rows = None if values is None else _in_order("values", values)
    labels = None if rows is None else [0] * len(rows)
    return float(entropy_bits(_parts(rows, labels, counts, cut).sum(axis=1)))


def gain_ratio(
    values: Iterable[Any] | None = None,
    labels: Iterable[Any] | None = None,
    *,
    counts: Table2 = None,
    cut: float | None = None,
) -> float:
    """Return gain / split information; 0 where all values are equal.

    Examples
    --------
    >>> round(gain_ratio(counts=[[7, 1], [1, 4], [0, 3]]), 4)
    0.3402
    """
    parts = _parts(values, labels, counts, cut)
    information = float(entropy_bits(parts.sum(axis=1)))
    return _gain(parts) / information if information > 0 else 0.0


def gini_index(
    values: Iterable[Any] | None = None,
    labels: Iterable[Any] | None = None,
    *,
    counts: Table2 = None,
    cut: float | None = None,
) -> float:
    """Return the Gini index of a split, the weighted Gini value of its subsets; smaller is better.

    Examples
    --------
    >>> round(gini_index(counts=[[7, 1], [1, 4], [0, 3]]), 4)
    0.2094
    """
    parts = _parts(values, labels, counts, cut)
    weight = parts.sum(axis=1)
    return float((weight / weight.sum() * gini_impurity(parts)).sum())


def _gain(parts: Floats) -> float:
    # Computed term by term, as the formula is written; by hand one gets the same last digit.
    weight = parts.sum(axis=1)
    before = float(entropy_bits(parts.sum(axis=0)))
    gain = before - float((weight / weight.sum() * entropy_bits(parts)).sum())
    return gain if abs(gain) > TIE * before else 0.0


def _counts(labels: Labels, counts: Sequence[float] | None) -> Floats:
    if counts is None:
        counts = list(_label_counts(labels).values())
    return _check_counts(counts, 1)


def _label_counts(labels: Labels) -> Mapping[Any, Any]:
    """Return the count of each label; a dict is taken as counts."""
    if isinstance(labels, Mapping):
        return labels
    listed = _as_list("labels", labels)
    try:
        return Counter(listed)
    except Exception:  # noqa: BLE001 - whatever the hash of a stranger's object raises
        raise WrongTypeError("not_labels", name="labels", value=labels) from None


def _as_list(name: str, things: Iterable[Any] | None) -> list[Any]:
    """Return labels as a list; a text is a list of its characters."""
    if things is None:  # an array has no truth value, so `things or ()` would not do
        return []
    items = list(things) if isinstance(things, str) else as_list(things)
    if items is None:
        raise WrongTypeError("not_labels", name=name, value=things)
    return items


def _check_counts(counts: Any, n_axes: int) -> Floats:  # noqa: ANN401 - unchecked input
    if isinstance(counts, str | bytes | bytearray):
        raise WrongTypeError("not_counts", value=counts)
    try:
        array = np.asarray(counts, np.float64)
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise WrongTypeError("not_counts", value=counts) from None
    if array.ndim != n_axes or not (np.isfinite(array) & (array >= 0)).all():
        raise ChoiceError("not_counts", value=counts)
    if not array.sum() > 0:
        raise ChoiceError("nothing_to_count")
    return array


def _parts(
    values: Iterable[Any] | None,
    labels: Iterable[Any] | None,
    counts: Table2,
    cut: float | None,
) -> Floats:
    """Return the class counts of each value, (values, classes)."""
    if counts is not None:
        return _check_counts([*counts.values()] if isinstance(counts, Mapping) else counts, 2)
    rows, classes = _in_order("values", values), _in_order("labels", labels)
    if not rows or len(rows) != len(classes):
        raise ChoiceError("lengths_differ", values=len(rows), labels=len(classes))
    if cut is not None:
        rows = _below_cut(rows, cut)
    kinds, names = _positions("values", rows), _positions("labels", classes)
    table = np.zeros((len(kinds), len(names)))
    for value, label in zip(rows, classes, strict=True):
        table[kinds[value], names[label]] += 1
    return table


def _in_order(name: str, things: Iterable[Any] | None) -> list[Any]:
    """Return the items as a list; sets and dicts are refused, since they have no row order."""
    if isinstance(things, Mapping | AbstractSet):
        raise WrongTypeError("not_labels", name=name, value=things)
    return _as_list(name, things)


def _below_cut(values: list[Any], cut: object) -> list[bool]:
    """Return for each number whether it is at most the threshold."""
    if not is_number(cut) or cut != cut:  # noqa: PLR0124 - NaN
        raise bad_value_error("bad_cut", "cut", cut, int | float)
    for value in values:
        if not is_number(value):
            raise WrongTypeError("cut_needs_numbers", value=value)
    return [bool(value <= cut) for value in values]


def _positions(name: str, things: list[Any]) -> dict[Any, int]:
    """Return the distinct items, each with its position."""
    try:
        return {thing: i for i, thing in enumerate(dict.fromkeys(things))}
    except Exception:  # noqa: BLE001 - whatever the hash of a stranger's object raises
        raise WrongTypeError("not_labels", name=name, value=things) from None


__all__ = [
    "entropy",
    "gain",
    "gain_ratio",
    "gini",
    "gini_index",
    "majority",
    "split_information",
]
