"""Texts of surrogates: the split on another column, and the branch that it replaces."""

from __future__ import annotations

import math

from penjing.text.labels import CutText, branch_text, condition_text, number_text, quoted
from penjing.tree.split import NO_BRANCH, Surrogate, level_text
from penjing.tree.tree_data import TreeData


def surrogate_lines(
    tree: TreeData, node: int, lang: str = "en", *, ascii_only: bool = False
) -> list[str]:
    """Return a line for each surrogate of a node, best first, and one for the default branch.

    A line says which branch a row takes if its value is missing and the surrogate's condition
    holds (other rows take the other branch), and how often the two splits agree.

    Examples
    --------
    >>> import numpy as np
    >>> from dataclasses import replace
    >>> from penjing.tree.tree_data import TreeData
    >>> barks = {"barks": {1: "dog", 0: "cat"}}
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {"<= 2.5": "bird", "> 2.5": barks}})
    >>> surrogate = Surrogate(1, None, 0, (np.array([0]), np.array([1])), 0.9, 0.8)
    >>> tree = replace(tree, nodes=replace(tree.nodes, surrogates={0: (surrogate,)}))
    >>> surrogate_lines(tree, 0)
    ['? barks = 1 → legs ≤ 2.5 (90%)']
    """
    arrow = "->" if ascii_only else "→"
    if tree.is_leaf[node]:
        return []
    first = tree.children(node).start
    texts = []
    for surrogate in tree.nodes.surrogates.get(node, ()):
        test = surrogate_text(tree, surrogate, ascii_only=ascii_only)
        branch = branch_text(tree, first, ascii_only=ascii_only)
        mark = "?" if surrogate.is_used else "(?)"
        test, branch = (
            condition_text(text, lang, ascii_only=ascii_only) for text in (test, branch)
        )
        texts.append(f"{mark} {test} {arrow} {branch} ({100 * surrogate.agreement:.3g}%)")
    default = NO_BRANCH if tree.nodes.missing is None else int(tree.nodes.missing[node])
    if default != NO_BRANCH:
        branch = branch_text(tree, first + default, ascii_only=ascii_only)
        texts.append(f"? {arrow} {condition_text(branch, lang, ascii_only=ascii_only)}")
    return texts


def surrogate_text(tree: TreeData, surrogate: Surrogate, *, ascii_only: bool = False) -> str:
    """Return the condition of a surrogate for the first branch."""
    field = tree.schema[surrogate.column]
    name = quoted(field.name)
    if surrogate.cut is None:
        levels = [quoted(level_text(field, code)) for code in surrogate.groups[0].tolist()]
        condition = f"= {levels[0]}" if len(levels) == 1 else "in {" + ", ".join(levels) + "}"
        return f"{name} {condition}"
    branch = surrogate.below
    if not field.is_numeric:
        level = CutText(quoted(level_text(field, int(surrogate.cut))))
        return f"{name} {level.side(branch, ascii_only=ascii_only)}"
    # The threshold is the largest float below a midpoint; the midpoint is printed.
    printed = _round_cut(surrogate.cut)
    cut = CutText(number_text(printed), is_open=printed > surrogate.cut)
    return f"{name} {cut.side(branch, ascii_only=ascii_only)}"


def _round_cut(cut: float) -> float:
    """Return the number with the fewest digits within the rounding error of a threshold."""
    near = float(f"{cut:.12g}")
    return near if math.isclose(near, cut, rel_tol=1e-12) else cut
