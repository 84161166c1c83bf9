"""The nested dict that learners know: {column: {level: class or dict}}."""

from __future__ import annotations

import math
from typing import Any

from penjing.tree.split_syntax import is_branch_text, strip_column_name
from penjing.tree.tree_data import TreeData


def write(tree: TreeData, *, empty: bool = True) -> Any:  # noqa: ANN401 - a dict, or a class alone
    """Return a tree as a nested dict.

    A level is the key of its branch; a group of levels is a tuple; the branches of a cut are
    the texts ``'<= 0.3815'`` and ``'> 0.3815'`` with every digit of the cut. The two sides of a
    column of ordered levels are groups of them.

    Parameters
    ----------
    tree : TreeData
        The tree.
    empty : bool
        Whether to list the branches that no training row took; they answer as their node does.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"no surfacing": {0: "no", 1: "yes"}})
    >>> write(tree)
    {'no surfacing': {0: 'no', 1: 'yes'}}
    """
    made: dict[int, Any] = {}
    for node in range(len(tree.nodes) - 1, -1, -1):  # children before their parents
        if tree.is_leaf[node]:
            made[node] = tree.answer(node)
            continue
        asked = tree.schema[int(tree.nodes.column[node])]
        arms = {_key(tree, node, b): made.pop(c) for b, c in enumerate(tree.children(node))}
        if empty and tree.has_counts:
            for code in tree.empty_levels(node):
                arms[_nominal_key(asked.name, asked.levels[code])] = tree.answer(node)
        made[node] = {asked.name: arms}
    return made[0]


def _key(tree: TreeData, node: int, branch: int) -> Any:  # noqa: ANN401 - a level may be any value
    asked = tree.schema[int(tree.nodes.column[node])]
    cut = float(tree.nodes.cut[node])
    if math.isinf(cut):  # known, or not
        return "!= ?" if branch == 0 else "= ?"
    if asked.is_numeric:
        return f"{'<=' if branch == 0 else '>'} {cut!r}"
    if not math.isnan(cut):
        last = int(cut) + 1
        levels = tuple(asked.levels[last:] if branch else asked.levels[:last])
    else:
        codes = tree.nodes.levels(tree.children(node)[branch]).tolist()
        levels = tuple(asked.levels[code] for code in codes)
    return _nominal_key(asked.name, levels[0]) if len(levels) == 1 else levels


def _nominal_key(column: str, level: Any) -> Any:  # noqa: ANN401 - as above
    # A level that looks like a printed branch is put in a tuple, so that it is read back right.
    return (
        (level,)
        if is_branch_text(level) or strip_column_name(column, level) is not level
        else level
    )
