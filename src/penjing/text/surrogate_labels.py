"""How surrogates read aloud: a test on another column, and the branch that it stands for."""

from __future__ import annotations

import math

from penjing.text.labels import CutText, branch_text, number_text, quoted
from penjing.tree.split import NO_BRANCH, Surrogate, level_text
from penjing.tree.tree_data import TreeData


def surrogate_lines(tree: TreeData, node: int, *, ascii_only: bool = False) -> list[str]:
    """Return a line for each surrogate of a node, best first, and one for the last resort.

    A line says: where the value is missing, rows of which the test holds go the way of that
    branch (and all other rows the other way), and how often the two tests agree.

    Examples
    --------
    >>> import numpy as np
    >>> from dataclasses import replace
    >>> from penjing.tree.tree_data import TreeData
    >>> barks = {"barks": {1: "dog", 0: "cat"}}
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {"<= 2.5": "bird", "> 2.5": barks}})
    >>> stand_in = Surrogate(1, None, 0, (np.array([0]), np.array([1])), 0.9, 0.8)
    >>> tree = replace(tree, nodes=replace(tree.nodes, surrogates={0: (stand_in,)}))
    >>> surrogate_lines(tree, 0)
    ['? barks = 1 → legs ≤ 2.5 (90 %)']
    """
    arrow = "->" if ascii_only else "→"
    if tree.is_leaf[node]:
        return []
    first = tree.children(node).start
    found = []
    for stand_in in tree.nodes.surrogates.get(node, ()):
        test = surrogate_text(tree, stand_in, ascii_only=ascii_only)
        way = branch_text(tree, first, ascii_only=ascii_only)
        mark = "?" if stand_in.is_used else "(?)"
        found.append(f"{mark} {test} {arrow} {way} ({100 * stand_in.agreement:.3g} %)")
    last = NO_BRANCH if tree.nodes.missing is None else int(tree.nodes.missing[node])
    if last != NO_BRANCH:
        way = branch_text(tree, first + last, ascii_only=ascii_only)
        found.append(f"? {arrow} {way}")
    return found


def surrogate_text(tree: TreeData, stand_in: Surrogate, *, ascii_only: bool = False) -> str:
    """Return the test that leads to the first branch."""
    field = tree.schema[stand_in.column]
    name = quoted(field.name)
    if stand_in.cut is None:
        levels = [quoted(level_text(field, code)) for code in stand_in.groups[0].tolist()]
        said = f"= {levels[0]}" if len(levels) == 1 else "in {" + ", ".join(levels) + "}"
        return f"{name} {said}"
    branch = stand_in.below
    if not field.is_numeric:
        level = CutText(quoted(level_text(field, int(stand_in.cut))))
        return f"{name} {level.side(branch, ascii_only=ascii_only)}"
    # The cut is the largest number below a midpoint, which is what is printed.
    near = _rounder(stand_in.cut)
    read = CutText(number_text(near), is_open=near > stand_in.cut)
    return f"{name} {read.side(branch, ascii_only=ascii_only)}"


def _rounder(cut: float) -> float:
    """Return the number of fewest digits within the rounding of a cut."""
    near = float(f"{cut:.12g}")
    return near if math.isclose(near, cut, rel_tol=1e-12) else cut
