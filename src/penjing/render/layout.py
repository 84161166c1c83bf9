"""Tidy tree layout: positions of boxes such that no two subtrees overlap.

Boxes of one level are aligned. Each subtree has an outline: its first and last edge at each of its
levels. Siblings are moved together until their outlines touch, and a parent is centred on its
first and last child. The same serves trees that grow downwards and trees that grow to the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

GAP = 12.0
"""Minimum space between two boxes of one level."""
LINE_SPACE = 12.0
"""The space that a line takes where it passes a level on its way to a leaf."""


@dataclass(slots=True)
class _Outline:
    """The edges of a subtree at each level, deepest level first, relative to its root's centre."""

    left: list[float]
    right: list[float]


def box_centres(
    children: Sequence[Sequence[int]],
    widths: Sequence[float],
    passed: Sequence[int] | None = None,
) -> list[float]:
    """Return the centre of each box such that boxes of one level never overlap.

    Parameters
    ----------
    children : sequence of sequences of int
        The indices of the children of each box. Children have larger indices than their parents,
        and box 0 is the root.
    widths : sequence of float
        The width of each box.
    passed : sequence of int, optional
        The number of levels that the line to a leaf passes before it reaches the leaf.

    Examples
    --------
    >>> box_centres([[1, 2], [], []], [10.0, 20.0, 20.0])
    [26.0, 10.0, 42.0]
    """
    n = len(widths)
    offsets = [0.0] * n  # of a box from its parent
    outlines: list[_Outline | None] = [None] * n
    for box in range(n - 1, -1, -1):
        half = widths[box] / 2
        if not children[box]:
            lines = [LINE_SPACE / 2] * (passed[box] if passed is not None else 0)
            outlines[box] = _Outline([-half, *(-line for line in lines)], [half, *lines])
            continue
        below, centres = _join_siblings([_take_outline(outlines, c) for c in children[box]])
        centre = (centres[0] + centres[-1]) / 2
        for child, child_centre in zip(children[box], centres, strict=True):
            offsets[child] = child_centre - centre
        left = [edge - centre for edge in below.left]
        right = [edge - centre for edge in below.right]
        left.append(-half)
        right.append(half)
        outlines[box] = _Outline(left, right)
    root = _take_outline(outlines, 0)
    absolute = [0.0] * n
    absolute[0] = -min(root.left)
    for box in range(n):
        for child in children[box]:
            absolute[child] = absolute[box] + offsets[child]
    return absolute


def _take_outline(outlines: list[_Outline | None], box: int) -> _Outline:
    outline = outlines[box]
    assert outline is not None
    outlines[box] = None  # an outline is as long as its subtree is deep: free the memory
    return outline


def _join_siblings(outlines: list[_Outline]) -> tuple[_Outline, list[float]]:
    """Return the joint outline of siblings moved together, and the centre of each."""
    joint = outlines[0]
    centres = [0.0]
    for outline in outlines[1:]:
        common = min(len(joint.left), len(outline.left))
        # Outlines start at the deepest level, so the levels next to the parent are at the end.
        shift = max(
            joint.right[-level] + GAP - outline.left[-level] for level in range(1, common + 1)
        )
        centres.append(shift)
        moved_left = [edge + shift for edge in outline.left]
        moved_right = [edge + shift for edge in outline.right]
        if len(moved_left) > len(joint.left):  # the new sibling alone has the deepest levels
            moved_left[-common:] = joint.left[-common:]
            joint = _Outline(moved_left, moved_right)
        else:
            joint.right[-common:] = moved_right[-common:]
    return joint, centres
