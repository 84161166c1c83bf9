"""The places of a worksheet where a number or a name stands; they do not depend on the answers.

The places follow from the table, the criterion and the number of nodes alone. Every column has the
same places in every node, whether or not it can be split on there, so that a worksheet tells
nothing about the tree but how many nodes are split.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Plain = Mapping[str, Any]

LEVELS = ("choice", "measures", "all")
"""How much is left blank, from the least."""
MEASURES = {
    "gain": ("entropy_after", "gain"),
    "gain_ratio": ("gain", "split_information", "gain_ratio"),
    "gini": ("gini_after",),
}
"""The measures of a column, by criterion; the last one decides."""


def is_two_way(sheet: Plain, column: Plain) -> bool:
    """Return whether a column is split by a threshold, or into two groups."""
    return bool(column["kind"] != "categorical" or sheet["shape"] == "binary")


def n_parts(sheet: Plain, column: Plain) -> int:
    """Return the number of branches of a column."""
    return 2 if is_two_way(sheet, column) else len(column["categories"])


def n_branches(sheet: Plain) -> int:
    """Return the number of lines for branches of any column."""
    return max(n_parts(sheet, column) for column in sheet["columns"])


def slots_of(sheet: Plain) -> Iterator[dict[str, Any]]:
    """Yield every place of a worksheet: its id, the node, what stands there, and whose it is.

    Parameters
    ----------
    sheet : dict
        The record of the worksheet; ``criterion``, ``shape``, ``columns``, ``classes``, ``level``
        and ``n_nodes`` are needed.

    Examples
    --------
    >>> columns = [{"name": "sky", "kind": "categorical", "categories": ["sunny", "rainy"]}]
    >>> sheet = {"criterion": "gini", "shape": "multiway", "level": "choice", "n_nodes": 1}
    >>> [slot["id"] for slot in slots_of(sheet | {"columns": columns, "classes": ["yes", "no"]})]
    ['1.gini_after.1', '1.chosen', '1.branch.1.value', '1.branch.1.rows', '1.branch.1.result',
     '1.branch.2.value', '1.branch.2.rows', '1.branch.2.result']
    """
    for node in range(1, sheet["n_nodes"] + 1):
        yield from _slots_of_node(sheet, node)


def _slots_of_node(sheet: Plain, node: int) -> Iterator[dict[str, Any]]:
    def slot(place: str, kind: str, **about: object) -> dict[str, Any]:
        return {"id": f"{node}.{place}", "node": node, "kind": kind, **about}

    if node > 1:
        yield slot("path", "path")
    if sheet["level"] != "choice":
        yield slot("rows", "count", measure="rows")
        for k, class_ in enumerate(sheet["classes"], start=1):
            yield slot(f"class.{k}", "count", **{"class": class_})
        yield slot("impurity", "number", measure=impurity_of(sheet))
    for i, column in enumerate(sheet["columns"], start=1):
        for place, kind, about in _column_slots(sheet, i, column):
            yield slot(place, kind, column=column["name"], **about)
    if sheet["criterion"] == "gain_ratio":
        yield slot("average", "number", measure="average_gain")
    yield slot("chosen", "column")
    for b in range(1, n_branches(sheet) + 1):
        yield slot(f"branch.{b}.value", "condition", branch=b)
        yield slot(f"branch.{b}.rows", "count", branch=b)
        yield slot(f"branch.{b}.result", "result", branch=b)


def _column_slots(
    sheet: Plain, i: int, column: Plain
) -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield the places of column i in a node: their ends of ids, kinds, and what stands there."""
    level = sheet["level"]
    if level != "choice" and is_two_way(sheet, column):
        yield f"split.{i}", "condition", {}
    for part in range(1, n_parts(sheet, column) + 1) if level == "all" else ():
        for k, class_ in enumerate(sheet["classes"], start=1):
            yield f"part.{i}.{part}.class.{k}", "count", {"part": part, "class": class_}
        about = {"part": part, "measure": impurity_of(sheet)}
        yield f"part.{i}.{part}.impurity", "number", about
    for measure in measures_of(sheet):
        yield f"{measure}.{i}", "number", {"measure": measure}


def impurity_of(sheet: Plain) -> str:
    """Return the impurity of a node by the criterion: entropy or Gini."""
    return "gini" if sheet["criterion"] == "gini" else "entropy"


def measures_of(sheet: Plain) -> tuple[str, ...]:
    """Return the measures of a column that are asked for."""
    measures = MEASURES[sheet["criterion"]]
    if sheet["level"] == "choice":
        return tuple(m for m in measures if m not in ("entropy_after", "split_information"))
    return measures


def is_given(sheet: Plain, slot: Plain) -> bool:
    """Return whether a place of the worksheet is filled in: the measures of the root, at the least.

    Measures of other nodes would tell which columns were split on above them.
    """
    return bool(sheet["level"] == "choice" and slot["node"] == 1 and slot["kind"] == "number")
