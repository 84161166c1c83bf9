"""Oracle of splits by brute force: every split of every column, scored from the definition.

Nothing here knows how penjing searches, counts or adds: rows are plain values, weights are exact
fractions, impurities are the formulas of the books. Slow, short, and meant to be read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any


@dataclass(frozen=True)
class Row:
    """Values (None: missing; levels by position), answer and weight of a row."""

    values: tuple[Any, ...]
    y: Any
    weight: Fraction


Rows = list[Row]
Measure = Callable[[Rows], float | Fraction]


def weigh(rows: Rows) -> Fraction:
    return sum((row.weight for row in rows), Fraction(0))


def shares(rows: Rows) -> list[Fraction]:
    return [weigh([r for r in rows if r.y == y]) / weigh(rows) for y in {r.y for r in rows}]


def entropy(rows: Rows) -> float:
    return -math.fsum(float(p) * math.log2(p) for p in shares(rows)) + 0.0


def gini(rows: Rows) -> Fraction:
    return 1 - sum((p * p for p in shares(rows)), Fraction(0))


def variance(rows: Rows) -> Fraction:
    mean = sum((r.weight * Fraction(r.y) for r in rows), Fraction(0)) / weigh(rows)
    return sum((r.weight * (Fraction(r.y) - mean) ** 2 for r in rows), Fraction(0)) / weigh(rows)


def divisions(rows: Rows, column: int, *, order: bool, binary: bool) -> Iterator[list[Rows]]:
    """Yield every way to divide the rows by one column; rows without a value take no part."""
    present = sorted({r.values[column] for r in rows if r.values[column] is not None})
    if order:
        groups = [(present[:k], present[k:]) for k in range(1, len(present))]
    elif binary:
        lefts = (s for k in range(1, len(present)) for s in combinations(present, k))
        groups = [(s, [v for v in present if v not in s]) for s in lefts if present[0] in s]
    else:
        groups = [tuple((v,) for v in present)] if len(present) > 1 else []
    for parts in groups:
        yield [[r for r in rows if r.values[column] in part] for part in parts]


def gain(rows: Rows, parts: list[Rows], measure: Measure) -> float:
    """Return I(D) - sum |D_v|/|D| I(D_v) over the known rows, times the share they are of all."""
    known = [row for part in parts for row in part]
    left = sum(float(weigh(p) / weigh(known)) * float(measure(p)) for p in parts)
    return float(weigh(known) / weigh(rows)) * (float(measure(known)) - left)


def split_information(parts: list[Rows]) -> float:
    """Return the entropy of the parts' sizes, as if each row's answer were its part."""
    return entropy([Row((), i, r.weight) for i, part in enumerate(parts) for r in part])


def rows_of_branch(rows: Rows, column: int, branch: Callable[[Any], int], n: int) -> list[Rows]:
    """Return the rows of each branch; a row without a value goes to all, in their proportions."""
    known = [r for r in rows if r.values[column] is not None]
    parts = [[r for r in known if branch(r.values[column]) == b] for b in range(n)]
    lost = [r for r in rows if r.values[column] is None]
    share = [weigh(part) / weigh(known) for part in parts]
    return [
        part + [Row(r.values, r.y, r.weight * q) for r in lost if q]
        for part, q in zip(parts, share, strict=True)
    ]
