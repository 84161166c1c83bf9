"""What the page shows of a table: columns with small histograms, notes, how it may be divided."""

from __future__ import annotations

from typing import Any

import numpy as np

from penjing.data.profile import find_oddities, profile_table
from penjing.data.statistics import plain_number
from penjing.data.table import Column, Note, Table
from penjing.webapp.division import default_shares
from penjing.webapp.fingerprint import table_fingerprint
from penjing.webapp.texts import note_text
from penjing.webapp.tree_scores import exact_value

Plain = dict[str, Any]

N_BINS = 24
"""Bins of the histogram of a numeric column, and categories that are listed."""
N_EXAMPLES = 6
"""Values of a column that was left out."""
MAX_CHECKED_ROWS = 200_000
"""Repeated and contradictory rows are looked for in tables of at most this many rows."""
_TYPES = {"nominal": "categorical", "ordered": "ordinal", "numeric": "numeric"}


def table_info(table_id: str, name: str, table: Table) -> Plain:
    """Return a table as the page shows it.

    Parameters
    ----------
    table_id : str
        Its identifier.
    name : str
        The name of its source.
    table : Table
        The rows.
    """
    notes = list(table.notes)
    if table.n_rows <= MAX_CHECKED_ROWS:
        notes += find_oddities(table)
    else:
        notes.append(Note("note_lab_rows_unchecked", {"n": table.n_rows, "most": MAX_CHECKED_ROWS}))
    columns = {column.name: column for column in (*table.columns, table.target) if column}
    target = table.target
    return {
        "table": table_id,
        "name": name,
        "rows": table.n_rows,
        "fingerprint": table_fingerprint(table),
        "target": None if target is None else target.name,
        "is_regression": table.is_regression,
        "classes": None if target is None or target.is_numeric else list(target.levels),
        "columns": [
            column_info(profile, columns.get(profile["name"]))
            for profile in profile_table(table, examples=_left_out_values(table))["columns"]
        ],
        "notes": [{"key": note.key, "text": note_text(note)} for note in notes],
        "division": default_shares(table.n_rows).to_json(),
    }


def _left_out_values(table: Table) -> dict[str, list[Any]]:
    """Return some values of columns that no split uses, but that the table keeps."""
    shown = range(min(table.n_rows, N_EXAMPLES))
    values: dict[str, list[Any]] = {}
    if table.row_ids is not None:
        values[table.row_ids.name] = [exact_value(table.row_id(row)) for row in shown]
    names = [name for name, reason in table.left_out if reason == "weight"]
    if names and table.weight is not None:
        weights = dict.fromkeys(table.weight[: 100 * N_EXAMPLES].tolist())
        values[names[0]] = [plain_number(weight) for weight in weights][:N_EXAMPLES]
    return values


def column_info(profile: Plain, column: Column | None) -> Plain:
    """Return a column as the page shows it.

    Parameters
    ----------
    profile : dict
        What `profile_table` says about it.
    column : Column or None
        Its values; None if it was left out.
    """
    return {
        "name": profile["name"],
        "role": profile["role"],
        "kind": profile["kind"],
        "type": _TYPES.get(profile["kind"]),
        "missing": profile.get("missing", 0),
        "n_levels": profile.get("n_levels", 0),
        "low": profile.get("low"),
        "high": profile.get("high"),
        "examples": list(profile.get("examples", ())),
        "histogram": None if column is None else histogram(column),
    }


def histogram(column: Column) -> Plain:
    """Return how the values of a column are distributed.

    Examples
    --------
    >>> from penjing.data.table import nominal, numeric
    >>> histogram(nominal("a", "xyx"))
    {'edges': None, 'categories': ['x', 'y'], 'counts': [2, 1], 'others': 0}
    >>> histogram(numeric("b", [1.0, 2.0, 2.0]))["counts"][-1]
    2
    """
    if column.is_numeric:
        numbers = column.numbers()
        numbers = numbers[np.isfinite(numbers)]
        if not len(numbers):
            return {"edges": [], "categories": None, "counts": [], "others": 0}
        low, high = float(numbers.min()), float(numbers.max())
        if low == high or not np.isfinite(high - low):
            return {"edges": [low, high], "categories": None, "counts": [len(numbers)], "others": 0}
        counts, edges = np.histogram(numbers, N_BINS)
        return {
            "edges": edges.tolist(),
            "categories": None,
            "counts": counts.tolist(),
            "others": 0,
        }
    sizes = np.bincount(column.codes[column.codes >= 0], minlength=len(column.levels))
    order = np.arange(len(sizes)) if column.has_order else np.argsort(-sizes, kind="stable")
    order = order[:N_BINS]
    return {
        "edges": None,
        "categories": [column.levels[int(code)] for code in order],
        "counts": sizes[order].tolist(),
        "others": int(sizes.sum() - sizes[order].sum()),
    }
