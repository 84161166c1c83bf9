"""The sums of the rows of every node of a finished tree at once, where no row is divided."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Floats, Table
from penjing.tree.counts import Reader, Totals, sums
from penjing.tree.nodes import LEAF
from penjing.tree.split import NO_BRANCH, first_code_above
from penjing.tree.tree_data import TreeData

_BranchTable = tuple[npt.NDArray[np.intp], Codes]


def whole_tree_totals(
    tree: TreeData, table: Table, y: Codes | Floats, s: Reader, missing: str
) -> Totals | None:
    """Return the sums of every node; None where rows are divided, or surrogates route them.

    All rows go down one level at a time. Those of a node are added in the order of the table, as
    an engine adds them.

    Parameters
    ----------
    tree : TreeData
        The tree.
    table : Table
        The rows, coded like those of the tree.
    y : (rows,)
        The class or the centred number of each row.
    s : Reader
        Interprets the sums.
    missing : str
        The policy for missing values.
    """
    nodes, columns = tree.nodes, table.columns
    used = np.unique(nodes.column[nodes.column != LEAF]).tolist()
    has_fractions = missing == "fraction" and any(columns[c].has_missing for c in used)
    is_ordered = np.array([field.has_order for field in tree.schema], bool)[nodes.column]
    is_odd = (nodes.column != LEAF) & (is_ordered == np.isnan(nodes.cut))
    if has_fractions or nodes.surrogates or nodes.missing is not None or is_odd.any():
        return None
    assert table.target is not None
    classes = table.target.codes
    tables = _branch_tables(tree, table, used)
    n_nodes = len(nodes)
    cells, n_rows = np.zeros((n_nodes, s.size)), np.zeros(n_nodes)
    lowest, highest = np.full(n_nodes, np.iinfo(np.int32).max), np.full(n_nodes, -1)
    rows, node_of = np.arange(table.n_rows), np.zeros(table.n_rows, np.intp)
    while len(rows):
        first = int(node_of.min())
        slots = node_of - first  # the nodes of a depth have consecutive numbers
        n_slots = int(slots.max()) + 1
        weight = None if table.weight is None else table.weight[rows]
        span = slice(first, first + n_slots)
        cells[span] = sums(slots, n_slots, weight, y[rows], s)
        n_rows[span] = np.bincount(slots, minlength=n_slots)
        np.minimum.at(lowest, node_of, classes[rows])
        np.maximum.at(highest, node_of, classes[rows])
        branch = np.full(len(rows), NO_BRANCH, np.int64)
        column_of = nodes.column[node_of]
        for c in used:
            here = np.flatnonzero(column_of == c)
            start, branches = tables[c]
            codes = columns[c].codes[rows[here]]
            known = here[codes >= 0]
            at = start[node_of[known]]
            code = codes[codes >= 0]
            by_cut = code >= at if columns[c].has_order else branches[at + code]
            branch[known] = by_cut
        moves = branch != NO_BRANCH
        rows, node_of = rows[moves], tree.first_child[node_of[moves]] + branch[moves]
    is_pure = (n_rows == 0) | (lowest == highest)
    return Totals(cells, is_pure, None if table.weight is None else n_rows)


def _branch_tables(tree: TreeData, table: Table, used: list[int]) -> dict[int, _BranchTable]:
    """Return, for each column, what every node that splits on it needs to route a code.

    That is the first code above the threshold, or where the branches of its codes begin in a
    list.
    """
    nodes = tree.nodes
    tables = {}
    for c in used:
        column = table.columns[c]
        inner = np.flatnonzero(nodes.column == c)
        start = np.zeros(len(nodes), np.intp)
        if column.has_order:
            cuts = nodes.cut[inner]
            if column.is_numeric:
                start[inner] = np.searchsorted(np.asarray(column.levels), cuts, side="right")
            else:
                start[inner] = [first_code_above(column, cut) for cut in cuts.tolist()]
            tables[c] = start, np.empty(0, np.int32)
            continue
        n_levels = len(column.levels)
        start[inner] = np.arange(len(inner)) * n_levels
        branches = np.full(len(inner) * n_levels, NO_BRANCH, np.int32)
        children = np.flatnonzero(np.isin(nodes.parent, inner))
        n_codes = np.diff(nodes.level_start)[children]
        child = np.repeat(children, n_codes)
        offsets = np.repeat(nodes.level_start[children] - (np.cumsum(n_codes) - n_codes), n_codes)
        codes = nodes.level_codes[offsets + np.arange(len(offsets))]
        parent = nodes.parent[child]
        branches[start[parent] + codes] = child - tree.first_child[parent]
        tables[c] = start, branches
    return tables
