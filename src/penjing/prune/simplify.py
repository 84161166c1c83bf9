"""Simplifying: removes splits whose branches all predict the same; predictions do not change."""

from __future__ import annotations

from penjing.prune.bottom_up import fold_bottom_up
from penjing.prune.decisions import Decision
from penjing.tree.tree_data import TreeData


def prune(tree: TreeData) -> tuple[TreeData, list[Decision]]:
    """Return the tree without the splits whose leaves all predict the same class.

    Such splits gain information, but their leaves differ in predicted probabilities only. The
    predictions of the tree stay the same; its probabilities may change.

    Parameters
    ----------
    tree : TreeData
        The tree to simplify; it is not changed.

    Returns
    -------
    (TreeData, list of Decision)
        The numbers are training errors (or sums of squares), which do not change.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 4: {"barks": {1: "dog", 0: "dog"}}}})
    >>> prune(tree)[0].to_dict()
    {'legs': {0: 'fish', 4: 'dog'}}
    """
    values, is_leaf = tree.values.tolist(), tree.is_leaf.tolist()
    first, n_children = tree.first_child.tolist(), tree.n_children.tolist()

    def is_cut(node: int, _: float) -> bool:
        children = range(first[node], first[node] + n_children[node])
        is_leaf[node] = all(is_leaf[c] and values[c] == values[node] for c in children)
        return bool(is_leaf[node])

    tree_loss = float(tree.losses[tree.is_leaf].sum())
    fold = fold_bottom_up(tree, tree.losses, is_cut, tree_cost=tree_loss, cut_costs=False)
    return fold.apply(tree, tree.weight)
