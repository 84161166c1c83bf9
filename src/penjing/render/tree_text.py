"""A tree as indented text, with counts at the leaves.

The branches of a categorical column are sorted: most rows first, then splits before leaves, then
the order of the categories. Numeric and ordinal columns keep their order. Branches that are
indented too far continue below as separate subtrees, [S1], [S2].
"""

from __future__ import annotations

from collections import deque

from penjing.arguments import one_of, optional_whole_number
from penjing.formatting.text_table import width as text_width
from penjing.i18n import catalogue
from penjing.text import surrogate_labels
from penjing.text.branch_order import children_in_order
from penjing.text.labels import branch_text, condition_text, counts_text, quoted, value_text
from penjing.tree.empty_branches import absent_levels
from penjing.tree.split import level_text
from penjing.tree.tree_data import TreeData

MAX_DEPTH = 40
"""Number of levels before a branch continues as a separate subtree."""
MIN_CONDITION = 40
"""The width that a condition may have in every line."""


def write(
    tree: TreeData,
    *,
    ascii_only: bool = False,
    empty: bool = False,
    order: str = "rows",
    node: int = 0,
    surrogates: bool = False,
    lang: str = "en",
    width: int | None = None,
) -> str:
    """Return a tree as indented text.

    Parameters
    ----------
    tree : TreeData
        The tree to draw.
    ascii_only : bool
        Use ASCII characters only.
    empty : bool
        Also draw the branches without training rows.
    order : str
        ``rows``: branches of categorical columns with most rows first; ``levels``: in the order of
        the categories.
    node : int
        Draw only the subtree of this node.
    surrogates : bool
        Show above the branches of each split where rows with missing values go: the surrogates,
        their agreement with the split, and the branch if none applies.
    lang : str
        ``en`` or ``zh``; sets are written ``in {a, b}`` or ``∈ {a, b}``.
    width : int, optional
        Abbreviate groups of categories in lines that are wider than this: ``in {a, b, … 9 more}``.

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
    width = optional_whole_number("width", width, 1)
    catalogue(lang)  # raises an error for an unknown language
    bar = "|  " if ascii_only else "│  "
    lines: list[str] = []
    subtrees: deque[tuple[str, int]] = deque([("", tree.checked(node))])
    n_subtrees = 0
    while subtrees:
        name, root = subtrees.popleft()
        if name:
            lines += ["", f"[{name}]"]
        if tree.is_leaf[root]:
            lines.append(value_text(tree, root) + counts_text(tree, root))
        stack = _branch_lines(tree, root, 0, order, empty=empty)[::-1]
        if surrogates:
            stack += _surrogate_lines(tree, root, 0, lang, ascii_only=ascii_only)[::-1]
        while stack:
            depth, child, text = stack.pop()
            if child is None:
                lines.append(bar * depth + text)
                continue
            branch = branch_text(tree, child, ascii_only=ascii_only)
            is_leaf = tree.is_leaf[child]
            leaf = f": {value_text(tree, child)}{counts_text(tree, child)}" if is_leaf else ""
            most = _room(width, len(bar) * depth, leaf)
            label = bar * depth + condition_text(branch, lang, ascii_only=ascii_only, most=most)
            if is_leaf:
                lines.append(label + leaf)
            elif depth + 1 >= MAX_DEPTH:
                n_subtrees += 1
                subtrees.append((f"S{n_subtrees}", child))
                lines.append(f"{label}: [S{n_subtrees}]")
            else:
                lines.append(label)
                stack += _branch_lines(tree, child, depth + 1, order, empty=empty)[::-1]
                if surrogates:
                    stack += _surrogate_lines(tree, child, depth + 1, lang, ascii_only=ascii_only)[
                        ::-1
                    ]
    return "\n".join(lines)


def _room(width: int | None, indent: int, leaf: str) -> int | None:
    """Return how wide a condition may be; None for any width."""
    return None if width is None else max(width - indent - text_width(leaf), MIN_CONDITION)


PendingLine = tuple[int, int | None, str]
"""Depth and child node of a branch; or depth, None and the text of a finished line."""


def _surrogate_lines(
    tree: TreeData, node: int, depth: int, lang: str, *, ascii_only: bool
) -> list[PendingLine]:
    lines = surrogate_labels.surrogate_lines(tree, node, lang, ascii_only=ascii_only)
    return [(depth, None, text) for text in lines]


def _branch_lines(
    tree: TreeData, node: int, depth: int, order: str, *, empty: bool
) -> list[PendingLine]:
    children = children_in_order(tree, node, order)
    pending: list[PendingLine] = [(depth, child, "") for child in children]
    if empty and tree.has_counts:
        field = tree.schema[int(tree.nodes.column[node])] if children else None
        for code in absent_levels(tree, node):
            assert field is not None
            level = quoted(level_text(field, code))
            prediction = value_text(tree, node)
            pending.append((depth, None, f"{quoted(field.name)} = {level}: {prediction} (0)"))
    return pending
