"""A tree as a nested dict, as in textbooks: {column: {category: class or dict}}."""

from __future__ import annotations

import math
from typing import Any

from penjing.tree.split_syntax import is_branch_text, strip_column_name
from penjing.tree.tree_data import TreeData


def write(tree: TreeData, *, empty: bool = True) -> Any:  # noqa: ANN401 - a dict, or a class alone
    """Return a tree as a nested dict.

    The key of a branch is its category, or a tuple of categories. The branches of a threshold have
    the keys ``'<= 0.3815'`` and ``'> 0.3815'``, with every digit of the threshold. Ordinal columns
    have tuples of categories.

    Parameters
    ----------
    tree : TreeData
        The tree.
    empty : bool
        Whether to list the branches without training rows; they predict as their node does.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"no surfacing": {0: "no", 1: "yes"}})
    >>> write(tree)
    {'no surfacing': {0: 'no', 1: 'yes'}}
    """
    subtrees: dict[int, Any] = {}
    for node in range(len(tree.nodes) - 1, -1, -1):  # children before their parents
        if tree.is_leaf[node]:
            subtrees[node] = tree.answer(node)
            continue
        field = tree.schema[int(tree.nodes.column[node])]
        branches = {_key(tree, node, b): subtrees.pop(c) for b, c in enumerate(tree.children(node))}
        if empty and tree.has_counts:
            for code in tree.empty_levels(node):
                branches[_category_key(field.name, field.levels[code])] = tree.answer(node)
        subtrees[node] = {field.name: branches}
    return subtrees[0]


def _key(tree: TreeData, node: int, branch: int) -> Any:  # noqa: ANN401 - a category may be any value
    field = tree.schema[int(tree.nodes.column[node])]
    cut = float(tree.nodes.cut[node])
    if math.isinf(cut):  # the split tests whether the value is missing
        return "!= ?" if branch == 0 else "= ?"
    if field.is_numeric:
        return f"{'<=' if branch == 0 else '>'} {cut!r}"
    if not math.isnan(cut):
        n_below = int(cut) + 1
        levels = tuple(field.levels[n_below:] if branch else field.levels[:n_below])
    else:
        codes = tree.nodes.levels(tree.children(node)[branch]).tolist()
        levels = tuple(field.levels[code] for code in codes)
    return _category_key(field.name, levels[0]) if len(levels) == 1 else levels


def _category_key(column: str, level: Any) -> Any:  # noqa: ANN401 - as above
    # A category that looks like a threshold key is put in a tuple, so that it is read back as one.
    return (
        (level,)
        if is_branch_text(level) or strip_column_name(column, level) is not level
        else level
    )
