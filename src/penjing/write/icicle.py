"""The whole of a large tree at a glance: width is rows, strength of colour is purity."""

from __future__ import annotations

import math
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Bar:
    """One node: a rectangle, its words where there is room, and what its tooltip says."""

    x: float
    y: float
    wide: float
    fill: str
    name: str
    answer: str
    told: str


@dataclass(frozen=True, slots=True)
class Icicle:
    """All rectangles, and what stands above them."""

    bars: tuple[Bar, ...]
    wide: float
    high: float
    head: Head


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
    made = icicle_of(tree, theme, lang=lang, title=title)
    shapes = [_shape(bar) for bar in made.bars]
    return page(shapes, (made.wide, made.high, 92.0), made.head, THEMES[theme], lang)


def icicle_of(tree: Tree, theme: str, *, lang: str = "en", title: str | None = None) -> Icicle:
    """Return the rectangles of a tree, before any drawing; see :func:`write`."""
    if theme not in THEMES:
        raise unknown("unknown_plug", theme, THEMES, socket="theme")
    weight = tree.weight.tolist()
    depths = tree.depths.tolist()
    left = [MARGIN] * len(weight)
    scale = WIDE / weight[0] if weight[0] > 0 else 0.0
    bars: list[Bar] = []
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
        bars.append(_bar(tree, node, (left[node], depths[node] * HIGH, wide), THEMES[theme]))
    told = heading(tree, lang, title)
    facts = [told["facts"], say("icicle_reading", lang)]
    if hidden:
        facts.append(say("icicle_hidden", lang, n=hidden))
    head = Head(told["title"], " | ".join(facts), told["legend"])
    wide = max(WIDE, width(head.facts, SMALL + 1)) + 2 * MARGIN
    return Icicle(tuple(bars), wide, (deepest + 1) * HIGH + MARGIN, head)


def _bar(tree: Tree, node: int, area: tuple[float, float, float], theme: Theme) -> Bar:
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
    if wide < LABELLED:
        return Bar(x, y, wide, fill, "", "", told)
    room = wide - 8
    is_cut = node > 0 and not math.isnan(tree.nodes.cut[parent])
    short = clipped(answer, SMALL, room)
    if short != answer and is_cut:  # half a number would be a wrong one
        short = ""
    return Bar(x, y, wide, fill, clipped(name, SMALL, room, bold=True), short, told)


def _shape(bar: Bar) -> str:
    x, y = bar.x, bar.y
    size = f'x="{x:.1f}" y="{y:.0f}" width="{bar.wide:.1f}" height="{HIGH - 1:.0f}"'
    parts = [f'<rect {size} fill="{bar.fill}"><title>{escape(clean(bar.told))}</title></rect>']
    if bar.wide >= LABELLED:
        parts.append(text_at(x + 4, y + 14, bar.name, "b"))
    if bar.answer:
        parts.append(text_at(x + 4, y + 28, bar.answer))
    return "".join(parts)
