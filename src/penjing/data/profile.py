"""A table at a glance: what each column of its source holds, and what is odd about its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from penjing.data.repeated_rows import find_contradictory_rows, find_repeated_rows
from penjing.data.table import Column, Note, Table

Plain = dict[str, Any]

MAX_GROUPS = 3
"""How many groups of rows that repeat or contradict each other are told of one by one."""
MAX_ROWS = 10
"""How many rows of a group are named."""


def profile_table(
    table: Table, order: Sequence[str] = (), examples: Mapping[str, Sequence[Any]] | None = None
) -> Plain:
    """Return what a table holds, column by column.

    Parameters
    ----------
    table : Table
        The table as it was read.
    order : sequence of str, optional
        The names of all columns as the source has them; columns that were made from others
        (the month of a date) come after those they were made from.
    examples : dict, optional
        Some values of the columns that were left out.

    Returns
    -------
    dict
        ``source``, ``rows``, and ``columns``: each with ``name``, ``kind``, ``role`` (``column``,
        ``target`` or ``left out``), and ``levels`` with their counts, or ``low`` and ``high``, or
        ``examples``.

    Examples
    --------
    >>> from penjing.data.table import nominal, numeric
    >>> table = Table((numeric("x", [2.0, 1.5, 2.0]),), nominal("y", ["a", "b", "a"]), 3)
    >>> profile = profile_table(table)
    >>> profile["columns"][0]
    {'name': 'x', 'kind': 'numeric', 'role': 'column', 'missing': 0, 'n_levels': 2,
     'low': 1.5, 'high': 2.0}
    >>> profile["columns"][1]["levels"]
    [['a', 2], ['b', 1]]
    """
    told = {column.name: _profile_column(column, "column") for column in table.columns}
    if table.target is not None:
        told[table.target.name] = _profile_column(table.target, "target")
    for name, reason in table.left_out:
        shown = list((examples or {}).get(name, ()))
        told[name] = {"name": name, "kind": reason, "role": "left out", "examples": shown}
    first = {name: place for place, name in enumerate(order)}

    def place(name: str) -> int:
        return first.get(name, first.get(name.rpartition(".")[0], len(first)))

    return {
        "source": dict(table.source),
        "rows": table.n_rows,
        "columns": [told[name] for name in sorted(told, key=place)],
    }


def _profile_column(column: Column, role: str) -> Plain:
    known = column.codes[column.codes >= 0]
    counts = np.bincount(known, minlength=len(column.levels))
    told: Plain = {
        "name": column.name,
        "kind": column.kind,
        "role": role,
        "missing": int(len(column.codes) - len(known)),
        "n_levels": int(np.count_nonzero(counts)),
    }
    if column.is_numeric:
        present = np.asarray(column.levels)[np.flatnonzero(counts)]
        ends = {"low": float(present.min()), "high": float(present.max())} if len(present) else {}
        return told | ends
    by_count = range(len(counts)) if column.has_order else np.argsort(-counts, kind="stable")
    return told | {"levels": [[column.levels[int(c)], int(counts[int(c)])] for c in by_count]}


def find_oddities(table: Table) -> list[Note]:
    """Return what is odd about the rows: they repeat, contradict each other, are of one class.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> table = Table((nominal("a", "xyxx"),), nominal("class", "0101"), 4)
    >>> [(note.key, note.values["rows"]) for note in find_oddities(table)[:2]]
    [('note_same_rows', (1, 3)), ('note_contradiction', (1, 3, 4))]
    """
    notes: list[Note] = []
    same = find_repeated_rows(table)
    apart = [] if table.is_regression else find_contradictory_rows(table)
    notes += [Note("note_same_rows", {"rows": rows}) for rows in same[:MAX_GROUPS]]
    if len(same) > MAX_GROUPS:
        notes.append(Note("note_same_rows_more", {"n": len(same) - MAX_GROUPS}))
    if table.target is None:
        return notes
    place = {table.row_number(row): row for row in range(table.n_rows)} if apart else {}
    labels = table.target.values() if apart else []
    for rows in apart[:MAX_GROUPS]:
        found = list(dict.fromkeys(labels[place[row]] for row in rows))
        notes.append(Note("note_contradiction", {"rows": rows, "labels": found}))
    if len(apart) > MAX_GROUPS:
        notes.append(Note("note_contradictions_more", {"n": len(apart) - MAX_GROUPS}))
    if apart:
        lost = sum(
            len(rows) - max(np.bincount([table.target.codes[place[row]] for row in rows]))
            for rows in apart
        )
        of = {"right": int(table.n_rows - lost), "of": table.n_rows}
        notes.append(Note("note_ceiling", of))
    classes = np.unique(table.target.codes[table.target.codes >= 0])
    if len(classes) == 1:
        notes.append(Note("note_one_class", {"class_": table.target.levels[int(classes[0])]}))
    return notes
