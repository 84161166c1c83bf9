"""Where boxes, branch labels and edges of a diagram stand, top-down or left-to-right.

A level is a row of boxes (top-down) or a column (left-to-right). Between two levels there is space
for the curves of the edges, then for the labels of the branches; nothing else stands there, so that
no curve meets a box or a label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from penjing.render.layout import box_centres

Point = tuple[float, float]
LABEL, DROP = 20.0, 34.0
"""Space for the branch label above a box, and for the curve above that label."""
LABEL_HEIGHT, LABEL_GAP = 18.0, 6.0
"""Left-to-right: the height that a label needs, and the space between it and its box."""
CURVE = 46.0
"""Left-to-right: the width of the space for the curves."""
LAYOUTS = ("top-down", "left-to-right")


@dataclass(frozen=True, slots=True)
class LabelPlace:
    """Where the label of a branch stands: the baseline, and which part of it is there."""

    x: float
    y: float
    anchor: Literal["center", "right"]


@dataclass(frozen=True, slots=True)
class Edge:
    """The line to a box: straight, curved, straight; `points` are the ends and control points.

    Start, begin of the curve, two control points, end of the curve, end.
    """

    points: tuple[Point, Point, Point, Point, Point, Point]
    width: float


@dataclass(frozen=True, slots=True)
class Places:
    """The upper left corner of each box, its label and edge, and the size of all."""

    corners: list[Point]
    labels: list[LabelPlace]
    edges: list[Edge | None]
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Shape:
    """What is placed: children and depth of each box, sizes of boxes and labels, line widths."""

    children: Sequence[Sequence[int]]
    depths: Sequence[int]
    sizes: Sequence[tuple[float, float]]
    label_widths: Sequence[float]
    line_widths: Sequence[float]


def place_boxes(
    shape: Shape, layout: str, *, align_leaves: bool = False, least: tuple[float, float] = (0, 0)
) -> Places:
    """Return the places of all boxes.

    Parameters
    ----------
    shape : Shape
        The boxes.
    layout : str
        ``top-down`` or ``left-to-right``.
    align_leaves : bool
        Put all leaves on the last level.
    least : (float, float)
        The least width and height: boxes are moved apart to fill them.
    """
    is_down = layout == LAYOUTS[0]
    levels = _levels(shape, align_leaves=align_leaves)
    across, along = (0, 1) if is_down else (1, 0)
    if is_down:
        breadths = [
            max(size[0], label + 4)
            for size, label in zip(shape.sizes, shape.label_widths, strict=True)
        ]
    else:
        breadths = [max(size[1], LABEL_HEIGHT) for size in shape.sizes]
    passed = [level - depth for level, depth in zip(levels, shape.depths, strict=True)]
    centres = box_centres(shape.children, breadths, passed if align_leaves else None)
    breadth = max(c + b / 2 for c, b in zip(centres, breadths, strict=True))
    if least[across] > breadth and len(centres) > 1:
        centres = _moved_apart(centres, breadths, least[across])
        breadth = least[across]
    starts, ends, spaces = _level_ends(shape, levels, along, is_down=is_down)
    if len(starts) > 1 and least[along] > ends[-1]:
        more = (least[along] - ends[-1]) / (len(starts) - 1)
        starts = [s + k * more for k, s in enumerate(starts)]
        ends = [e + k * more for k, e in enumerate(ends)]
        spaces = [s + more for s in spaces]
    corners: list[Point] = []
    for centre, level, size in zip(centres, levels, shape.sizes, strict=True):
        side = centre - size[across] / 2
        corners.append((side, starts[level]) if is_down else (starts[level], side))
    parents = [-1] * len(centres)
    for box, own in enumerate(shape.children):
        for child in own:
            parents[child] = box
    labels: list[LabelPlace] = []
    edges: list[Edge | None] = []
    for box, parent in enumerate(parents):
        room = LABEL if is_down else shape.label_widths[box] + 2 * LABEL_GAP
        top = starts[levels[box]]
        if is_down:
            labels.append(LabelPlace(centres[box], top - 6, "center"))
        else:
            labels.append(LabelPlace(top - LABEL_GAP, centres[box] + 4, "right"))
        if parent < 0:
            edges.append(None)
            continue
        start = corners[parent][along] + shape.sizes[parent][along]
        bend, arrive = ends[levels[parent]], ends[levels[parent]] + spaces[levels[parent]]
        stops = (start, bend, (bend + arrive) / 2, (bend + arrive) / 2, arrive, top - room)
        sides = (centres[parent],) * 3 + (centres[box],) * 3
        points = [
            (side, stop) if is_down else (stop, side)
            for stop, side in zip(stops, sides, strict=True)
        ]
        edges.append(
            Edge(
                (points[0], points[1], points[2], points[3], points[4], points[5]),
                shape.line_widths[box],
            )
        )
    size = (breadth, ends[-1]) if is_down else (ends[-1], breadth)
    return Places(corners, labels, edges, *size)


def _moved_apart(centres: list[float], breadths: list[float], room: float) -> list[float]:
    """Return centres with the same proportions, moved apart until the boxes fill the room."""

    def ends(factor: float) -> tuple[float, float]:
        pairs = list(zip(centres, breadths, strict=True))
        return min(c * factor - b / 2 for c, b in pairs), max(c * factor + b / 2 for c, b in pairs)

    low, high = 1.0, 1.0
    while (extent := ends(high))[1] - extent[0] < room and high < 1e6:
        high *= 2
    for _ in range(40):
        middle = (low + high) / 2
        first, last = ends(middle)
        low, high = (middle, high) if last - first <= room else (low, middle)
    first, _ = ends(low)
    return [c * low - first for c in centres]


def _levels(shape: Shape, *, align_leaves: bool) -> list[int]:
    if not align_leaves:
        return list(shape.depths)
    last = max(shape.depths)
    return [d if own else last for d, own in zip(shape.depths, shape.children, strict=True)]


def _level_ends(
    shape: Shape, levels: list[int], along: int, *, is_down: bool
) -> tuple[list[float], list[float], list[float]]:
    """Return where each level starts and ends, and the space for curves behind it."""
    n_levels = max(levels) + 1
    thickness = [0.0] * n_levels
    label_room = [LABEL if is_down else 0.0] * n_levels
    for level, size, label in zip(levels, shape.sizes, shape.label_widths, strict=True):
        thickness[level] = max(thickness[level], size[along])
        if not is_down:
            label_room[level] = max(label_room[level], label + 2 * LABEL_GAP)
    curve = DROP if is_down else CURVE
    starts, ends = [0.0], [thickness[0]]
    for level in range(1, n_levels):
        starts.append(ends[-1] + curve + label_room[level])
        ends.append(starts[-1] + thickness[level])
    return starts, ends, [curve] * n_levels
