"""The text drawing: stairs of questions, with counts at the leaves.

Branches of a nominal question stand in the order of their rows, most first (then questions
before leaves, then the order of levels); an ordered column keeps its order. Where the stairs
get too deep for a page, the rest of a branch is drawn below as a subtree of its own, [S1], [S2].
"""

from __future__ import annotations

from collections import deque

from penjing.arguments import one_of
from penjing.text import surrogate_labels
from penjing.text.branch_order import children_in_order
from penjing.text.labels import branch_text, counts_text, quoted, value_text
from penjing.tree.split import level_text
from penjing.tree.tree_data import TreeData

DEEP = 40
"""How many stairs are drawn before a subtree starts on a new line."""


def write(
    tree: TreeData,
    *,
    ascii_only: bool = False,
    empty: bool = False,
    order: str = "rows",
    node: int = 0,
    surrogates: bool = False,
) -> str:
    """Return a tree drawn as text.

    Parameters
    ----------
    tree : TreeData
        What to draw.
    ascii_only : bool
        Draw with plain characters.
    empty : bool
        Draw the branches that no training row took, too.
    order : str
        ``rows``: the branches of a nominal question with most rows first; ``levels``: in the
        order of the levels.
    node : int
        Draw only what stands below this node.
    surrogates : bool
        Say above the branches of each question where rows go whose value is missing: by which
        surrogates, how often these agree with the question, and where at last.

    Examples
    --------
    >>> import penjing
    >>> flippers = {"flippers": {0: "no", 1: "yes"}}
    >>> print(penjing.Tree.from_dict({"no surfacing": {0: "no", 1: flippers}}))
    'no surfacing' = 0: no
    'no surfacing' = 1
    │  flippers = 0: no
    │  flippers = 1: yes
    """
    one_of("order", order, ("rows", "levels"))
    bar = "|  " if ascii_only else "│  "
    lines: list[str] = []
    later: deque[tuple[str, int]] = deque([("", tree.checked(node))])
    n_apart = 0
    while later:
        name, top = later.popleft()
        if name:
            lines += ["", f"[{name}]"]
        if tree.is_leaf[top]:
            lines.append(value_text(tree, top) + counts_text(tree, top))
        waiting = _arms(tree, top, 0, order, empty=empty)[::-1]
        if surrogates:
            waiting += _stand_ins(tree, top, 0, ascii_only=ascii_only)[::-1]
        while waiting:
            depth, below, text = waiting.pop()
            if below is None:
                lines.append(bar * depth + text)
                continue
            label = bar * depth + branch_text(tree, below, ascii_only=ascii_only)
            if tree.is_leaf[below]:
                lines.append(f"{label}: {value_text(tree, below)}{counts_text(tree, below)}")
            elif depth + 1 >= DEEP:
                n_apart += 1
                later.append((f"S{n_apart}", below))
                lines.append(f"{label}: [S{n_apart}]")
            else:
                lines.append(label)
                waiting += _arms(tree, below, depth + 1, order, empty=empty)[::-1]
                if surrogates:
                    waiting += _stand_ins(tree, below, depth + 1, ascii_only=ascii_only)[::-1]
    return "\n".join(lines)


Arm = tuple[int, int | None, str]
"""Depth and node of a branch; or None and the finished text of an empty one."""


def _stand_ins(tree: TreeData, node: int, depth: int, *, ascii_only: bool) -> list[Arm]:
    told = surrogate_labels.surrogate_lines(tree, node, ascii_only=ascii_only)
    return [(depth, None, text) for text in told]


def _arms(tree: TreeData, node: int, depth: int, order: str, *, empty: bool) -> list[Arm]:
    children = children_in_order(tree, node, order)
    arms: list[Arm] = [(depth, child, "") for child in children]
    if empty and tree.has_counts:
        asked = tree.schema[int(tree.nodes.column[node])] if children else None
        for code in tree.empty_levels(node):
            assert asked is not None
            level = quoted(level_text(asked, code))
            answer = value_text(tree, node)
            arms.append((depth, None, f"{quoted(asked.name)} = {level}: {answer} (0)"))
    return arms
