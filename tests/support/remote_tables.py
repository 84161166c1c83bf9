"""Tables written to databases, and the tree that engine `memory` grows from the same rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import penjing
from penjing.data.table import Column, Table, numeric

KINDS = {int: "BIGINT", bool: "BOOLEAN"}


def sorted_levels(column: Column) -> Column:
    """Return a nominal column with its levels in order, as a database without first rows has it."""
    if column.is_numeric:
        return column
    order = sorted(range(len(column.levels)), key=lambda i: column.levels[i])
    place = np.argsort(order)
    codes = np.append(place, -1)[column.codes].astype(np.int32)
    return replace(column, levels=tuple(column.levels[i] for i in order), codes=codes)


def trimmed(table: Table) -> Table:
    """Return a table as a database shows it: no level without rows, and in order."""
    made = []
    for column in (*table.columns, table.target):
        if not column.is_numeric:
            present = np.unique(column.codes[column.codes >= 0])
            place = np.full(len(column.levels) + 1, -1, np.int32)
            place[present] = np.arange(len(present))
            levels = tuple(str(column.levels[i]) for i in present)
            column = Column(column.name, "nominal", levels, place[column.codes])  # noqa: PLW2901
        made.append(sorted_levels(column))
    return Table(tuple(made[:-1]), made[-1], table.n_rows)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def kind_of(column: Column) -> str:
    """Return the type of a column in SQL: that of its levels."""
    if column.is_numeric:
        return "DOUBLE PRECISION"
    return KINDS.get(type(column.levels[0]) if column.levels else str, "VARCHAR")


def created(table: Table, name: str = "rows") -> str:
    """Return the statement that makes a table for these rows."""
    kinds = [f"{quoted(c.name)} {kind_of(c)}" for c in (*table.columns, table.target)]
    return f"CREATE TABLE {quoted(name)} ({', '.join(kinds)})"


def rows_of(table: Table) -> list[tuple]:
    """Return the rows as plain values."""
    return list(zip(*(c.values() for c in (*table.columns, table.target)), strict=True))


def columns_of(table: Table) -> dict[str, list]:
    """Return the columns as plain values."""
    return {c.name: c.values() for c in (*table.columns, table.target)}


def schema_of(table: Table) -> dict:
    """Return a schema that leaves nothing to be guessed."""
    return {
        c.name: "numeric" if c.is_numeric else "nominal" for c in (*table.columns, table.target)
    }


def plain(tree) -> dict:
    """Return a tree without the name of its engine and of its source."""
    found = tree.to_json()
    for key in ("engine", "source", "left_out"):
        found["about"].pop(key, None)
    return found


def by_memory(table: Table, recipe: str, **settings) -> dict:
    return plain(penjing.fit(table, recipe=recipe, engine="memory", **settings))


def some_table(n=1_000, seed=3, missing=False):
    """Columns with many numbers, few numbers and names; three classes."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=n), 4)
    z = rng.lognormal(size=n)
    few = rng.integers(0, 7, n) / 4
    names = rng.integers(0, 5, n).astype(np.int32)
    score = x + z / 3 + few + (names == 2) + rng.normal(size=n) / 3
    classes = np.digitize(score, [0.8, 2.2]).astype(np.int32)
    if missing:
        x[rng.random(n) < 0.1] = np.nan
        names[rng.random(n) < 0.1] = -1
    columns = (
        numeric("x", x),
        Column("it's", "nominal", ("a", "b'", "c", "d", "é"), names),
        numeric("few", few),
        numeric('z"', z),
    )
    return Table(columns, Column("y", "nominal", ("no", "so", "yes"), classes), n)
