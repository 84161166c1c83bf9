"""Plans how columns of Parquet files are coded in one pass, from a sample of their rows.

A plan does not decide the type of a column, only how it is written. If the data do not fit it (a
number that has no code), the column is planned again, and the files are read once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from penjing.data.encode.coding_plan import is_sorted
from penjing.data.memory_limit import n_processors
from penjing.data.read.infer_remote import MAX_LISTED_NUMBERS, sort_key
from penjing.data.store import QuantileCells, quantile_cells
from penjing.data.table import Floats
from penjing.engines.spark.parquet_lots import Groups, first_rows
from penjing.engines.spark.spilled import MANY, names_of, numbers_of

SAMPLED = 150_000
"""About so many rows are looked at, from the beginnings of groups all over the files."""
LEAST = 1_000
"""At least so many of each group."""
GROUPS = 8, 64
"""So many groups at least and at most are looked into, in between a quarter of them."""
RANGE = 4_096
"""Whole numbers of a smaller range are coded by their distance from the least."""
LISTED = 200
"""Up to so many different numbers in the sample are coded by a list."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How one column is coded; code 0 is for a missing value, ``j + 1`` for the j-th of `values`.

    Parameters
    ----------
    how : str
        ``cells``: quantile cells beside the numbers; ``whole``: by the distance from the first
        of the values; ``listed``: by a list of numbers; ``names``: by a list that may grow;
        ``many``: not at all.
    values : list
        What is coded.
    cells : QuantileCells or None
        Those of numbers.
    sample : (n,)
        Some numbers of ``cells``.
    """

    how: str
    values: list[Any] = field(default_factory=list)
    cells: QuantileCells | None = None
    sample: Floats = field(default_factory=lambda: np.empty(0))

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return self.how in ("cells", "whole", "listed")


def planned(
    groups: Groups, names: Sequence[str], are_numbers: Sequence[bool], wishes: Mapping[int, str]
) -> list[Plan] | None:
    """Return plans for columns; None where the beginnings of groups say too little.

    ``wishes`` tell of columns that were planned otherwise before, and in vain.
    """
    every = len(groups.groups)
    n = min(every, max(GROUPS[0], min(every // 4, GROUPS[1])))
    at = sorted({i * (every - 1) // max(n - 1, 1) for i in range(n)})
    chosen = [groups.groups[i] for i in at]
    a_group = max(LEAST, SAMPLED // max(len(chosen), 1))
    with ThreadPoolExecutor(min(n_processors(), 8)) as pool:
        parts = list(pool.map(lambda g: first_rows(g, names, groups.texts, a_group), chosen))
        is_all = sum(part.num_rows for part in parts) == groups.n_rows

        def plan(c: int) -> Plan | None:
            columns = [part.column(c) for part in parts]
            if not are_numbers[c]:
                return _names(columns)
            told = [numbers_of(column) for column in columns]
            return _numbers(told, groups.spans.get(names[c]), wishes.get(c), is_all=is_all)

        plans = list(pool.map(plan, range(len(names))))
    found = [plan for plan in plans if plan is not None]
    return found if len(found) == len(plans) else None


def _names(columns: Sequence[Any]) -> Plan:
    found: dict[Any, None] = {}
    last = None
    for column in columns:
        if last is not None and hasattr(column, "dictionary") and column.dictionary.equals(last):
            continue
        last = getattr(column, "dictionary", None)
        found |= dict.fromkeys(value for value in names_of(column)[0] if value is not None)
        if len(found) > MANY:
            return Plan("many")
    return Plan("names", sorted(found, key=sort_key))


def _numbers(
    parts: Sequence[Floats], span: tuple[int, int] | None, wish: str | None, *, is_all: bool
) -> Plan | None:
    numbers = np.concatenate(parts)
    numbers = numbers[~np.isnan(numbers)]
    if wish != "cells":
        head = np.unique(numbers[: MAX_LISTED_NUMBERS * 4])
        values = np.unique(numbers) if len(head) <= MAX_LISTED_NUMBERS else head
        if span is not None and len(values) <= MAX_LISTED_NUMBERS and span[1] - span[0] < RANGE:
            return Plan("whole", list(range(span[0], span[1] + 1)))
        if len(values) <= LISTED:
            return Plan("listed", values.tolist())
    if not is_all and all(map(is_sorted, parts)):
        return None
    return Plan("cells", cells=quantile_cells(numbers), sample=numbers)
