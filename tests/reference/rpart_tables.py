"""Random tables and settings on which rpart and penjing are compared, and how R reads them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from penjing.data.table import Column, Table, numeric

N_NEW = 50
"""So many new rows are predicted."""
LETTERS = "abcdefgh"


@dataclass(frozen=True)
class Case:
    """A table, rows to predict, and the settings by rpart's own names."""

    seed: int
    table: Table
    new: Table
    method: str
    settings: dict[str, Any]
    maxcompete: int


def case_of(seed: int) -> Case:
    """Draw a case: any combination of kinds of columns, weights, gaps and settings."""
    r = random.Random(seed)
    n = r.choice([6, 10, 16, 25, 40, 70])
    hidden = [r.gauss(0, 1) for _ in range(n + N_NEW)]
    columns = [_column(r, f"x{i}", hidden) for i in range(r.randint(1, 6))]
    empty = {i for i in range(n) if r.random() < r.choice([0, 0, 0.08])}
    columns = [_without(c, empty) for c in columns]
    method = r.choice(["class", "class", "anova"])
    target = _numbers(r, hidden[:n]) if method == "anova" else _classes(r, hidden[:n])
    weight = _weights(r, n)
    first, later = np.arange(n), np.arange(n, n + N_NEW)
    table = Table(tuple(c.take(first) for c in columns), target, n, weight)
    new = Table(tuple(c.take(later) for c in columns), None, N_NEW)
    settings = _settings(r, len(columns))
    if method == "anova":
        settings["sums"] = r.choice(["exact", "cases"])
    else:
        settings |= _parms(r, len(target.levels))
    return Case(seed, table, new, method, settings, r.randint(0, 4))


def _column(r: random.Random, name: str, hidden: list[float]) -> Column:
    """Return a column that says something of what is hidden, or nothing."""
    says = r.random() < 0.6
    lost = r.choice([0.0, 0.0, 0.1, 0.3])
    source = [h + r.gauss(0, 0.7) if says else r.gauss(0, 1) for h in hidden]
    gone = np.array([r.random() < lost for _ in hidden])
    if r.random() < 0.4:
        step = r.choice([1.0, 0.5, 0.1, 0.0])
        values = [_rounded(v, step) for v in source]
        return numeric(name, np.where(gone, np.nan, values))
    n_levels = r.randint(2, 8)
    codes = [min(max(int((v + 2) / 4 * n_levels), 0), n_levels - 1) for v in source]
    kind = r.choice(["nominal", "ordered"])
    if kind == "nominal" and r.random() < 0.7:
        places = r.sample(range(n_levels), n_levels)
        codes = [places[c] for c in codes]
    # Some levels are declared and occur in new rows only, if at all.
    absent = {c for c in range(n_levels) if r.random() < r.choice([0, 0, 0.3])}
    kept = [c for c in range(n_levels) if c not in absent] or [0]
    n_old = len(hidden) - N_NEW
    codes = [
        c if c not in absent or (i >= n_old and r.random() < 0.7) else r.choice(kept)
        for i, c in enumerate(codes)
    ]
    found = np.where(gone, -1, codes).astype(np.int32)
    return Column(name, kind, tuple(LETTERS[:n_levels]), found)


def _without(column: Column, rows: set[int]) -> Column:
    """Return a column without the values of some rows."""
    if not rows:
        return column
    lost = np.isin(np.arange(len(column.codes)), list(rows))
    if column.is_numeric:
        return numeric(column.name, np.where(lost, np.nan, column.numbers()))
    codes = np.where(lost, -1, column.codes).astype(np.int32)
    return Column(column.name, column.kind, column.levels, codes)


def _classes(r: random.Random, hidden: list[float]) -> Column:
    n = r.choice([2, 2, 3, 4])
    noise = r.choice([0.2, 0.6, 2.0])
    codes = [min(max(int((h + r.gauss(0, noise) + 1.5) / 3 * n), 0), n - 1) for h in hidden]
    return Column("y", "nominal", tuple("pqrs"[:n]), np.asarray(codes, np.int32))


def _numbers(r: random.Random, hidden: list[float]) -> Column:
    step = r.choice([1.0, 0.5, 0.1, 0.0])
    values = [3 * h + r.gauss(0, 1) for h in hidden]
    return numeric("y", [_rounded(v, step) for v in values])


def _rounded(value: float, step: float) -> float:
    """Return the nearest multiple of a step, as a person would write it."""
    return round(round(value / step) * step, 6) if step else value


def _weights(r: random.Random, n: int) -> Any:
    kind = r.choice(["none", "none", "ones", "whole", "quarters", "tenths", "any"])
    draw = {
        "ones": lambda: 1.0,
        "whole": lambda: float(r.randint(1, 5)),
        "quarters": lambda: r.randint(1, 12) / 4,
        "tenths": lambda: r.randint(1, 30) / 10,
        "any": lambda: r.random() * 3 + 0.01,
    }.get(kind)
    if draw is None:
        return None
    zero = r.choice([0.0, 0.0, 0.15, 0.4])
    found = np.array([0.0 if r.random() < zero else draw() for _ in range(n)])
    return found if found.any() else np.ones(n)


def _settings(r: random.Random, n_columns: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "minsplit": r.randint(1, 12),
        "minbucket": r.randint(1, 5),
        "cp": r.choice([0.0, 0.0, 0.001, 0.01, 0.05, 0.2, 0.9]),
        "maxdepth": r.choice([1, 2, 4, 30, 30]),
        "maxsurrogate": r.randint(0, 5),
        "usesurrogate": r.choice([0, 1, 2, 2]),
        "surrogatestyle": r.randint(0, 1),
    }
    if r.random() < 0.15:
        found["cost"] = tuple(r.choice([0.5, 1.0, 2.0, 3.0]) for _ in range(n_columns))
    return found


def _parms(r: random.Random, n: int) -> dict[str, Any]:
    found: dict[str, Any] = {"split": r.choice(["gini", "information"])}
    if r.random() < 0.35:  # sixteenths: R wants them to add up to exactly 1
        parts = [1] * n
        for _ in range(16 - n):
            parts[r.randrange(n)] += 1
        found["prior"] = tuple(p / 16 for p in parts)
    if r.random() < 0.35:
        loss = [[0.0 if i == j else float(r.choice([0.5, 1, 1, 2, 5])) for j in range(n)]
                for i in range(n)]  # fmt: skip
        found["loss"] = tuple(tuple(row) for row in loss)
    return found


# -- the same in R ---------------------------------------------------------------------------


def in_r(case: Case) -> str:
    """Return a call of `told` in R with a case's rows and settings."""
    words = dict(case.settings)
    words.pop("sums", None)
    parms = {name: words.pop(name) for name in ("split", "prior", "loss") if name in words}
    cost = words.pop("cost", None)
    control = ", ".join(f"{name} = {_number(value)}" for name, value in words.items())
    asked = [
        str(case.seed),
        _frame(case.table),
        _frame(case.new),
        f'"{case.method}"',
        "NULL" if case.table.weight is None else _vector(case.table.weight.tolist()),
        _parms_in_r(parms) if parms else "NULL",
        "NULL" if cost is None else _vector(cost),
        f"rpart.control({control}, maxcompete = {case.maxcompete}, xval = 0)",
    ]
    return f"told({', '.join(asked)})"


def _parms_in_r(parms: dict[str, Any]) -> str:
    told = [f'split = "{parms["split"]}"']
    if "prior" in parms:
        told.append(f"prior = {_vector(parms['prior'])}")
    if "loss" in parms:
        flat = [value for row in parms["loss"] for value in row]
        told.append(f"loss = matrix({_vector(flat)}, {len(parms['loss'])}, byrow = TRUE)")
    return f"list({', '.join(told)})"


def _frame(table: Table) -> str:
    columns = [*table.columns, *([] if table.target is None else [table.target])]
    return f"data.frame({', '.join(f'{c.name} = {_cells(c)}' for c in columns)})"


def _cells(column: Column) -> str:
    if column.is_numeric:
        return _vector(column.numbers().tolist())
    codes = ["NA" if code < 0 else f"{code + 1}L" for code in column.codes.tolist()]
    labels = ", ".join(f'"{level}"' for level in column.levels)
    ordered = ", ordered = TRUE" if column.kind == "ordered" else ""
    return (
        f"factor(c({', '.join(codes)}), levels = 1:{len(column.levels)}, "
        f"labels = c({labels}){ordered})"
    )


def _vector(numbers: Any) -> str:
    return f"c({', '.join(_number(v) for v in numbers)})"


def _number(value: float) -> str:
    return "NA_real_" if value != value else repr(float(value))  # noqa: PLR0124 - NaN
