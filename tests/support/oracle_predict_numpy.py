"""Oracle of prediction: groups of rows pass down a tree in NumPy, one node at a time."""

from __future__ import annotations

import numpy as np

from penjing.api.tree import Tree
from penjing.data.table import Table


def reached(tree: Tree, table: Table, *, fraction: bool) -> np.ndarray:
    """Return what part of each row ends in each node, (rows, nodes).

    The table is coded as the tree is; codes beyond a field's levels are levels never seen.
    """
    nodes = tree.nodes
    inside = np.zeros((table.n_rows, len(nodes)))
    inside[:, 0] = 1.0
    ends = np.zeros_like(inside)
    for node in range(len(nodes)):  # parents come before their children
        here = inside[:, node]
        if tree.is_leaf[node]:
            ends[:, node] = here
            continue
        asked = int(nodes.column[node])
        field, column = tree.schema[asked], table.columns[asked]
        branch = np.full(table.n_rows, -1)
        known = column.codes >= 0
        if not field.is_numeric:
            known &= column.codes < len(field.levels)
        children = list(tree.children(node))
        if np.isnan(nodes.cut[node]):
            for b, child in enumerate(children):
                branch[known & np.isin(column.codes, nodes.levels(child))] = b
        else:
            value = column.numbers() if field.is_numeric else column.codes
            branch[known] = np.where(value[known] <= nodes.cut[node], 0, 1)
        share = tree.weight[children] / tree.weight[children].sum()
        stops = branch < 0
        if fraction:
            lost = column.codes < 0
            stops &= ~lost
            for b, child in enumerate(children):
                inside[lost, child] = here[lost] * share[b]
        for b, child in enumerate(children):
            inside[branch == b, child] = here[branch == b]
        ends[stops, node] = here[stops]
    return ends
