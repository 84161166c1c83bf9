"""Categories without a branch that could arrive at a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penjing.tree.tree_data import TreeData


def absent_levels(tree: TreeData, node: int) -> list[int]:
    """Return the codes of the categories without a branch that no split above sends elsewhere.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("watermelon2.0"))
    >>> column = tree.schema[tree.split(5).column]
    >>> [column.levels[code] for code in absent_levels(tree, 5)]
    ['浅白']
    """
    codes = tree.empty_levels(node)
    column, at = int(tree.nodes.column[node]), node
    while codes and at:
        above, _ = tree.parent_of(at)
        if int(tree.nodes.column[above]) == column and len(arriving := tree.nodes.levels(at)):
            return sorted({*codes} & {*arriving.tolist()})
        at = above
    return codes
