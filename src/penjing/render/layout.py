"""Where the boxes of a tree stand: a tidy layout in which no two can cross.

Levels are aligned. Every subtree keeps its outline, the leftmost and rightmost edge on each of
its levels; brothers are pushed together until their outlines touch, a parent stands above the
middle of its outer children.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

GAP = 12.0
"""Free space between two boxes of a level."""


@dataclass(slots=True)
class _Outline:
    """The edges of a subtree by level, the deepest level first; relative to its own root."""

    left: list[float]
    right: list[float]


def place(children: Sequence[Sequence[int]], widths: Sequence[float]) -> list[float]:
    """Return the middle of each box, so that boxes of a level never overlap.

    Parameters
    ----------
    children : sequence of sequences of int
        The children of each box, by number; children have larger numbers than their parents, and
        box 0 is the root.
    widths : sequence of float
        The width of each box.

    Examples
    --------
    >>> place([[1, 2], [], []], [10.0, 20.0, 20.0])
    [26.0, 10.0, 42.0]
    """
    n = len(widths)
    offset = [0.0] * n  # of a box from its parent
    outlines: list[_Outline | None] = [None] * n
    for box in range(n - 1, -1, -1):
        half = widths[box] / 2
        kids = children[box]
        if not kids:
            outlines[box] = _Outline([-half], [half])
            continue
        below, middles = _side_by_side([_taken(outlines, kid) for kid in kids])
        centre = (middles[0] + middles[-1]) / 2
        for kid, middle in zip(kids, middles, strict=True):
            offset[kid] = middle - centre
        left = [edge - centre for edge in below.left]
        right = [edge - centre for edge in below.right]
        left.append(-half)
        right.append(half)
        outlines[box] = _Outline(left, right)
    root = _taken(outlines, 0)
    placed = [0.0] * n
    placed[0] = -min(root.left)
    for box in range(n):
        for kid in children[box]:
            placed[kid] = placed[box] + offset[kid]
    return placed


def _taken(outlines: list[_Outline | None], box: int) -> _Outline:
    outline = outlines[box]
    assert outline is not None
    outlines[box] = None  # an outline is as long as a subtree is deep: not kept twice
    return outline


def _side_by_side(outlines: list[_Outline]) -> tuple[_Outline, list[float]]:
    """Return the joint outline of brothers pushed together, and where the middle of each is."""
    joint = outlines[0]
    middles = [0.0]
    for outline in outlines[1:]:
        common = min(len(joint.left), len(outline.left))
        # Outlines are stored deepest level first, so the levels next to the parent are at the end.
        shift = max(
            joint.right[-level] + GAP - outline.left[-level] for level in range(1, common + 1)
        )
        middles.append(shift)
        moved_left = [edge + shift for edge in outline.left]
        moved_right = [edge + shift for edge in outline.right]
        if len(moved_left) > len(joint.left):  # the new one reaches deeper: its ends stand alone
            moved_left[-common:] = joint.left[-common:]
            joint = _Outline(moved_left, moved_right)
        else:
            joint.right[-common:] = moved_right[-common:]
    return joint, middles
