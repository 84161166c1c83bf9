"""Profile of a table: the values of each column, and problems with its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from penjing.data.repeated_rows import find_contradictory_rows, find_repeated_rows
from penjing.data.table import Column, Note, Table

Plain = dict[str, Any]

MAX_GROUPS = 3
"""The number of groups of repeated or contradictory rows that get a note each."""
MAX_ROWS = 10
"""The number of rows of a group that are listed."""


def profile_table(
    table: Table, order: Sequence[str] = (), examples: Mapping[str, Sequence[Any]] | None = None
) -> Plain:
    """Return the kind, role and values of each column of a table.

    Parameters
    ----------
    table : Table
        The table as it was read.
    order : sequence of str, optional
        The names of all columns in the order of the source; columns made from others (the month
        of a date) come after these.
    examples : dict, optional
        Some values of each column that was left out.

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
    profiles = {column.name: _profile_column(column, "column") for column in table.columns}
    if table.target is not None:
        profiles[table.target.name] = _profile_column(table.target, "target")
    for name, reason in table.left_out:
        values = list((examples or {}).get(name, ()))
        profiles[name] = {"name": name, "kind": reason, "role": "left out", "examples": values}
    positions = {name: position for position, name in enumerate(order)}

    def position(name: str) -> int:
        return positions.get(name, positions.get(name.rpartition(".")[0], len(positions)))

    return {
        "source": dict(table.source),
        "rows": table.n_rows,
        "columns": [profiles[name] for name in sorted(profiles, key=position)],
    }


def _profile_column(column: Column, role: str) -> Plain:
    known = column.codes[column.codes >= 0]
    counts = np.bincount(known, minlength=len(column.levels))
    profile: Plain = {
        "name": column.name,
        "kind": column.kind,
        "role": role,
        "missing": int(len(column.codes) - len(known)),
        "n_levels": int(np.count_nonzero(counts)),
    }
    if column.is_numeric:
        used_levels = np.asarray(column.levels)[np.flatnonzero(counts)]
        limits = (
            {"low": float(used_levels.min()), "high": float(used_levels.max())}
            if len(used_levels)
            else {}
        )
        return profile | limits
    order = range(len(counts)) if column.has_order else np.argsort(-counts, kind="stable")
    return profile | {"levels": [[column.levels[int(c)], int(counts[int(c)])] for c in order]}


def find_oddities(table: Table) -> list[Note]:
    """Return notes about rows that repeat or contradict each other, or are all of one class.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> table = Table((nominal("a", "xyxx"),), nominal("class", "0101"), 4)
    >>> [(note.key, note.values["rows"]) for note in find_oddities(table)[:2]]
    [('note_same_rows', (1, 3)), ('note_contradiction', (1, 3, 4))]
    """
    notes: list[Note] = []
    repeated = find_repeated_rows(table)
    contradictory = [] if table.is_regression else find_contradictory_rows(table)
    notes += [Note("note_same_rows", {"rows": rows}) for rows in repeated[:MAX_GROUPS]]
    if len(repeated) > MAX_GROUPS:
        notes.append(Note("note_same_rows_more", {"n": len(repeated) - MAX_GROUPS}))
    if table.target is None:
        return notes
    position_of = (
        {table.row_number(row): row for row in range(table.n_rows)} if contradictory else {}
    )
    labels = table.target.values() if contradictory else []
    for rows in contradictory[:MAX_GROUPS]:
        classes_found = list(dict.fromkeys(labels[position_of[row]] for row in rows))
        notes.append(Note("note_contradiction", {"rows": rows, "labels": classes_found}))
    if len(contradictory) > MAX_GROUPS:
        notes.append(Note("note_contradictions_more", {"n": len(contradictory) - MAX_GROUPS}))
    if contradictory:
        n_lost = sum(
            len(rows) - max(np.bincount([table.target.codes[position_of[row]] for row in rows]))
            for rows in contradictory
        )
        bound = {"right": int(table.n_rows - n_lost), "of": table.n_rows}
        notes.append(Note("note_ceiling", bound))
    classes = np.unique(table.target.codes[table.target.codes >= 0])
    if len(classes) == 1:
        notes.append(Note("note_one_class", {"class_": table.target.levels[int(classes[0])]}))
    return notes
