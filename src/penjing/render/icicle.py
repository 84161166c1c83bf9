"""A tree as an icicle plot: width shows rows, intensity of colour shows purity or prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

import numpy as np

from penjing.i18n import say
from penjing.render.class_colours import colour_indices
from penjing.render.diagram import MARGIN, SMALL, Heading, heading
from penjing.render.svg import svg_document, text_at, to_printable
from penjing.render.theme import PALETTE, THEMES, Theme, blend, find_theme
from penjing.text.branch_order import children_in_order
from penjing.text.font_metrics import clip_middle, join_fitting
from penjing.text.font_metrics import width as text_width
from penjing.text.labels import answer_text, condition_text, counts_text, group_names, value_text
from penjing.tree.tree_data import TreeData

WIDTH, LEVEL_HEIGHT = 1360.0, 34.0
"""Width of the root, and height of a level."""
MIN_LABELLED = 46.0
"""Narrower rectangles have no text."""
MIN_VISIBLE = 0.25
"""Narrower rectangles (in pixels) are not drawn; the heading gives their number."""
MAX_DEPTH = 60
"""Number of levels drawn."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The rectangle of one node, with its texts where they fit, and its tooltip."""

    x: float
    y: float
    width: float
    fill: str
    name: str
    branch_label: str
    tooltip: str


@dataclass(frozen=True, slots=True)
class Icicle:
    """All rectangles, and the heading."""

    bars: tuple[Bar, ...]
    width: float
    height: float
    heading: Heading


def write(
    tree: TreeData, *, theme: str = "light", lang: str = "en", title: str | None = None
) -> str:
    """Return a tree as an SVG icicle plot: each node is a rectangle below its parent.

    Parameters
    ----------
    tree : TreeData
        The tree to draw, with counts.
    theme : str
        ``light``, ``dark`` or ``print``.
    lang : str
        ``en`` or ``zh``.
    title : str, optional
        The heading; default: the target's name.
    """
    icicle = build_icicle(tree, theme, lang=lang, title=title)
    elements = [_bar_element(bar) for bar in icicle.bars]
    return svg_document(
        elements, (icicle.width, icicle.height, 92.0), icicle.heading, THEMES[theme], lang
    )


def build_icicle(
    tree: TreeData, theme: str, *, lang: str = "en", title: str | None = None
) -> Icicle:
    """Return the rectangles of a tree, independent of the output format; see :func:`write`."""
    look = find_theme(theme)
    weight = tree.weight.tolist()
    depths = tree.depths.tolist()
    left = [MARGIN] * len(weight)
    scale = WIDTH / weight[0] if weight[0] > 0 else 0.0
    bars: list[Bar] = []
    fill_of = _node_fill(tree, look)
    n_hidden = 0
    deepest = 0
    for node in range(len(weight)):
        x = left[node]
        for child in children_in_order(tree, node):
            left[child] = x
            x += weight[child] * scale
        width = weight[node] * scale
        if width < MIN_VISIBLE or depths[node] >= MAX_DEPTH:
            n_hidden += 1
            continue
        deepest = max(deepest, depths[node])
        bars.append(
            _bar(tree, node, (left[node], depths[node] * LEVEL_HEIGHT, width), fill_of(node), lang)
        )
    parts = heading(tree, lang, title)
    facts = [parts["facts"], encoding_caption(tree, lang)]
    if n_hidden:
        facts.append(say("icicle_hidden", lang, n=n_hidden))
    head = Heading(parts["title"], " | ".join(facts), parts["legend"])
    width = max(WIDTH, text_width(head.facts, SMALL + 1)) + 2 * MARGIN
    return Icicle(tuple(bars), width, (deepest + 1) * LEVEL_HEIGHT + MARGIN, head)


def encoding_caption(tree: TreeData, lang: str) -> str:
    """Return the caption that explains the widths and colours."""
    if not tree.is_regression:
        return say("icicle_reading", lang)
    low, high = _extreme_nodes(tree)
    return say(
        "icicle_reading_number", lang, low=value_text(tree, low), high=value_text(tree, high)
    )


def _extreme_nodes(tree: TreeData) -> tuple[int, int]:
    """Return the nodes with the lowest and the highest prediction, of those with rows."""
    with_rows = np.flatnonzero(tree.weight > 0)
    with_rows = with_rows if len(with_rows) else np.arange(len(tree.nodes))
    values = tree.values[with_rows]
    return int(with_rows[values.argmin()]), int(with_rows[values.argmax()])


def _node_fill(tree: TreeData, theme: Theme) -> Callable[[int], str]:
    """Return the function that gives the fill of a node.

    Purer nodes, and for regression larger predictions, have a more intense colour.
    """
    if tree.is_regression:
        low, high = (float(tree.values[node]) for node in _extreme_nodes(tree))

        def relative_value(node: int) -> float:
            return (float(tree.values[node]) - low) / (high - low) if high > low else 0.5

        return lambda node: blend(
            PALETTE[0], theme.card, 0.1 + 0.6 * min(max(relative_value(node), 0), 1)
        )
    indices = colour_indices(tree)

    def class_fill(node: int) -> str:
        class_, weight = int(tree.values[node]), float(tree.weight[node])
        if weight <= 0:
            return theme.card
        purity = float(tree.nodes.total[node, class_]) / weight
        return blend(PALETTE[indices[class_]], theme.card, 0.15 + 0.6 * purity**2)

    return class_fill


def _bar(tree: TreeData, node: int, area: tuple[float, float, float], fill: str, lang: str) -> Bar:
    x, y, width = area
    parent, branch = tree.parent_of(node) if node else (0, 0)
    label = condition_text(answer_text(tree, parent, branch), lang) if node else ""
    column = int(tree.nodes.column[node])
    name = tree.schema[column].name if column >= 0 else value_text(tree, node)
    tooltip = f"{label} {name}{counts_text(tree, node)}".strip()
    if width < MIN_LABELLED:
        return Bar(x, y, width, fill, "", "", tooltip)
    max_width = width - 8
    short = clip_middle(name, SMALL, max_width, bold=True)
    if short != name and column < 0 and tree.is_regression:  # a clipped number would be a wrong one
        short = ""
    return Bar(x, y, width, fill, short, _fitting_label(tree, node, label, max_width), tooltip)


def _fitting_label(tree: TreeData, node: int, label: str, max_width: float) -> str:
    """Return the label of the branch into a node, shortened so that it is still correct."""
    if node == 0:
        return ""
    names = group_names(tree, node)
    if names:
        return join_fitting(names, SMALL, max_width)
    return label if text_width(label, SMALL) <= max_width else ""


def _bar_element(bar: Bar) -> str:
    x, y = bar.x, bar.y
    size = f'x="{x:.1f}" y="{y:.0f}" width="{bar.width:.1f}" height="{LEVEL_HEIGHT - 1:.0f}"'
    parts = [
        f'<rect {size} fill="{bar.fill}"><title>{escape(to_printable(bar.tooltip))}</title></rect>'
    ]
    if bar.width >= MIN_LABELLED:
        parts.append(text_at(x + 4, y + 14, bar.name, "b"))
    if bar.branch_label:
        parts.append(text_at(x + 4, y + 28, bar.branch_label))
    return "".join(parts)
