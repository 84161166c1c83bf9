"""Draw small random tables for worksheets; the same seed gives the same table everywhere."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penjing.data.table import Column, Table, nominal, numeric
from penjing.errors import ChoiceError
from penjing.render.worksheets.topics import TOPICS

MAX_TRIES = 4000
"""How many tables are drawn before it is given up."""
N_COLUMNS = 4
"""The number of columns of a table about a topic, for a tree of at most depth 2."""
MAX_COLUMNS, MAX_CLASSES = 6, 3
"""How many columns and classes of another table are used."""
MIN_CLASS_SHARE = 0.25
"""The smallest share of the rarest class, of two classes."""


@dataclass(frozen=True)
class TableShape:
    """The columns, categories and classes of tables to draw.

    Parameters
    ----------
    columns : sequence of Column
        Columns whose levels are the values to draw from.
    target : str
        The name of the target.
    classes : sequence
        Its classes.
    n_rows : int
        The number of rows.
    """

    columns: Sequence[Column]
    target: str
    classes: Sequence[Any]
    n_rows: int


class RandomNumbers:
    """Whole numbers from a seed, the same on every machine and with every version of NumPy."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n - 1.

        Examples
        --------
        >>> random = RandomNumbers(1)
        >>> [random.below(6) for _ in range(5)]
        [1, 0, 1, 4, 5]
        """
        return int(self._bits.random_raw()) % n

    def sample(self, n: int, k: int) -> list[int]:
        """Return k of the numbers from 0 to n - 1, in ascending order."""
        pool = list(range(n))
        return sorted(pool.pop(self.below(len(pool))) for _ in range(k))


def topic_shape(random: RandomNumbers, lang: str, n_rows: int, depth: int) -> TableShape:
    """Return the shape of a table about one of the topics of a language, for a tree of a depth."""
    topics = TOPICS[lang]
    topic = topics[random.below(len(topics))]
    names = list(topic.columns)
    chosen = [names[i] for i in random.sample(len(names), max(N_COLUMNS, depth + 2))]
    columns = [nominal(name, (), topic.columns[name]) for name in chosen]
    return TableShape(columns, topic.target, topic.classes, n_rows)


def shape_of(random: RandomNumbers, table: Table, n_rows: int) -> TableShape:
    """Return the shape of a table, without its rows; of a wide one, some of its columns."""
    assert table.target is not None
    columns = [column for column in table.columns if len(column.levels) > 1]
    if len(columns) > MAX_COLUMNS:
        columns = [columns[i] for i in random.sample(len(columns), MAX_COLUMNS)]
    classes = tuple(table.target.levels)
    if len(classes) > MAX_CLASSES:
        classes = tuple(classes[i] for i in random.sample(len(classes), MAX_CLASSES))
    return TableShape(columns, table.target.name, classes, n_rows)


def draw_table(
    shape: TableShape, depth: int, random: RandomNumbers, is_good: Callable[[Table], bool]
) -> Table:
    """Return the first random table that is good.

    Classes follow a random tree of the wanted depth, so that tables can be told apart by few
    splits.

    Parameters
    ----------
    shape : TableShape
        Columns, classes and the number of rows.
    depth : int
        The depth of the random tree.
    random : RandomNumbers
        Where random numbers come from.
    is_good : callable
        Whether a table is wanted.
    """
    n_values = [len(column.levels) for column in shape.columns]
    can_split = [i for i, n in enumerate(n_values) if n > 1]
    if len(shape.classes) < 2 or len(can_split) < 2:
        raise ChoiceError("worksheet_not_drawn", n=0, rows=shape.n_rows, depth=depth)
    may_repeat = math.prod(n_values) < 2 * shape.n_rows
    smallest = MIN_CLASS_SHARE * 2 * shape.n_rows / len(shape.classes)
    for _ in range(MAX_TRIES):
        rule = _random_rule(can_split, n_values, len(shape.classes), depth, random)
        rows = _random_rows(n_values, shape.n_rows, random, may_repeat=may_repeat)
        classes = [_class_of(rule, row) for row in rows]
        counts = [classes.count(k) for k in range(len(shape.classes))]
        if min(counts) < max(1, int(smallest)):
            continue
        table = _table(shape, rows, classes)
        if is_good(table):
            return table
    raise ChoiceError("worksheet_not_drawn", n=MAX_TRIES, rows=shape.n_rows, depth=depth)


Rule = dict[tuple[int, ...], int]
"""By the values on the way to a node: its column, or -1 - its class."""


def _random_rule(
    columns: Sequence[int],
    n_values: Sequence[int],
    n_classes: int,
    depth: int,
    random: RandomNumbers,
) -> Rule:
    """Return a random tree that splits on a column at most once on the way to a leaf."""
    rule: Rule = {}
    level: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), ())]
    for d in range(depth + 1):
        below = []
        for path, used in level:
            free = [column for column in columns if column not in used]
            is_leaf = d == depth or not free or (d > 0 and random.below(2) == 0)
            if is_leaf:
                rule[path] = -1 - random.below(n_classes)
                continue
            column = free[random.below(len(free))]
            rule[path] = column
            halves = range(min(n_values[column], _MAX_BRANCHES))
            below += [((*path, value), (*used, column)) for value in halves]
        level = below
    return rule


_MAX_BRANCHES = 4
"""Branches of a random tree; values of a column with more are divided among them in order."""


def _class_of(rule: Rule, row: tuple[tuple[int, int], ...]) -> int:
    path: tuple[int, ...] = ()
    while (column := rule[path]) >= 0:
        value, n = row[column]
        path = (*path, value * min(n, _MAX_BRANCHES) // n)
    return -1 - column


def _random_rows(
    n_values: Sequence[int], n_rows: int, random: RandomNumbers, *, may_repeat: bool
) -> list[tuple[tuple[int, int], ...]]:
    """Return rows of (value, number of values) in each column."""
    rows: dict[Any, tuple[tuple[int, int], ...]] = {}
    for i in itertools.count():
        if len(rows) == n_rows:
            break
        row = tuple((random.below(n), n) for n in n_values)
        rows[i if may_repeat else row] = row
    return list(rows.values())


def _table(
    shape: TableShape, rows: Sequence[tuple[tuple[int, int], ...]], classes: Sequence[int]
) -> Table:
    columns = []
    for i, column in enumerate(shape.columns):
        codes = [row[i][0] for row in rows]
        if column.is_numeric:
            columns.append(numeric(column.name, [float(column.levels[code]) for code in codes]))
        elif column.has_order:
            coded = np.array(codes, np.int32)
            columns.append(Column(column.name, column.kind, column.levels, coded))
        else:  # categories in order of appearance, as in a file
            columns.append(nominal(column.name, [column.levels[code] for code in codes]))
    target = nominal(shape.target, [shape.classes[k] for k in classes])
    return Table(tuple(columns), target, len(rows))
