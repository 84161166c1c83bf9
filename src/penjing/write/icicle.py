"""The whole of a large tree at a glance: width is rows, strength of colour is purity."""

from __future__ import annotations

import math
from html import escape

from penjing.errors import unknown
from penjing.tree import Tree
from penjing.words import say
from penjing.write.labels import answer_text, counts_text, value_text
from penjing.write.order import drawn
from penjing.write.scene import MARGIN, SMALL, heading
from penjing.write.svg import THEMES, Head, Theme, clean, colour, mixed, page, text_at
from penjing.write.widths import clipped, width

WIDE, HIGH = 1360.0, 34.0
"""Width of the whole, height of a level."""
LABELLED = 46.0
"""Rectangles narrower than this carry no words."""
VISIBLE = 0.25
"""Rectangles narrower than this many pixels are left out, and counted."""
MAX_DEPTH = 60
"""How many levels are drawn."""


def write(tree: Tree, *, theme: str = "light", lang: str = "en", title: str | None = None) -> str:
    """Return a tree drawn as an SVG icicle: every node a rectangle below its parent.

    Parameters
    ----------
    tree : Tree
        What to draw; one with counts.
    theme : str
        ``light``, ``dark`` or ``print``.
    lang : str
        ``en`` or ``zh``.
    title : str, optional
        The heading; the target's name if not given.
    """
    if theme not in THEMES:
        raise unknown("unknown_plug", theme, THEMES, socket="theme")
    paint = THEMES[theme]
    weight = tree.weight.tolist()
    depths = tree.depths.tolist()
    left = [MARGIN] * len(weight)
    scale = WIDE / weight[0] if weight[0] > 0 else 0.0
    shapes: list[str] = []
    hidden = 0
    deepest = 0
    for node in range(len(weight)):
        at = left[node]
        for child in drawn(tree, node):
            left[child] = at
            at += weight[child] * scale
        wide = weight[node] * scale
        if wide < VISIBLE or depths[node] >= MAX_DEPTH:
            hidden += 1
            continue
        deepest = max(deepest, depths[node])
        shapes.append(_shape(tree, node, (left[node], depths[node] * HIGH, wide), paint))
    told = heading(tree, lang, title)
    facts = [told["facts"], say("icicle_reading", lang)]
    if hidden:
        facts.append(say("icicle_hidden", lang, n=hidden))
    head = Head(told["title"], " | ".join(facts), told["legend"])
    wide = max(WIDE, width(head.facts, SMALL + 1)) + 2 * MARGIN
    return page(shapes, (wide, (deepest + 1) * HIGH + MARGIN, 92.0), head, paint, lang)


def _shape(tree: Tree, node: int, area: tuple[float, float, float], theme: Theme) -> str:
    x, y, wide = area
    fill = theme.card
    if not tree.is_regression and tree.weight[node] > 0:
        purity = 1 - float(tree.losses[node]) / float(tree.weight[node])
        fill = mixed(colour(int(tree.values[node])), theme.card, 0.15 + 0.6 * purity**2)
    parent, branch = tree.parent_of(node) if node else (0, 0)
    answer = answer_text(tree, parent, branch) if node else ""
    asked = int(tree.nodes.column[node])
    name = tree.schema[asked].name if asked >= 0 else value_text(tree, node)
    told = f"{answer} {name}{counts_text(tree, node)}".strip()
    size = f'x="{x:.1f}" y="{y:.0f}" width="{wide:.1f}" height="{HIGH - 1:.0f}"'
    parts = [f'<rect {size} fill="{fill}"><title>{escape(clean(told))}</title></rect>']
    if wide >= LABELLED:
        room = wide - 8
        parts.append(text_at(x + 4, y + 14, clipped(name, SMALL, room, bold=True), "b"))
        is_cut = node > 0 and not math.isnan(tree.nodes.cut[parent])
        short = clipped(answer, SMALL, room)
        if short == answer or not is_cut:  # half a number would be a wrong one
            parts.append(text_at(x + 4, y + 28, short))
    return "".join(parts)
