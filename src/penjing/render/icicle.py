"""The whole of a large tree at a glance: width is rows, strength of colour is purity or value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

import numpy as np

from penjing.errors import unknown_name_error
from penjing.i18n import say
from penjing.render.class_colours import shades_of
from penjing.render.diagram import MARGIN, SMALL, heading
from penjing.render.svg import PALETTE, THEMES, Head, Theme, clean, mixed, page, text_at
from penjing.text.branch_order import children_in_order
from penjing.text.font_metrics import clip_middle, join_fitting, width
from penjing.text.labels import answer_text, counts_text, group_names, value_text
from penjing.tree.tree_data import TreeData

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


def write(
    tree: TreeData, *, theme: str = "light", lang: str = "en", title: str | None = None
) -> str:
    """Return a tree drawn as an SVG icicle: every node a rectangle below its parent.

    Parameters
    ----------
    tree : TreeData
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


def icicle_of(tree: TreeData, theme: str, *, lang: str = "en", title: str | None = None) -> Icicle:
    """Return the rectangles of a tree, before any drawing; see :func:`write`."""
    if theme not in THEMES:
        raise unknown_name_error("unknown_plug", theme, THEMES, socket="theme")
    weight = tree.weight.tolist()
    depths = tree.depths.tolist()
    left = [MARGIN] * len(weight)
    scale = WIDE / weight[0] if weight[0] > 0 else 0.0
    bars: list[Bar] = []
    paint = _painter(tree, THEMES[theme])
    hidden = 0
    deepest = 0
    for node in range(len(weight)):
        at = left[node]
        for child in children_in_order(tree, node):
            left[child] = at
            at += weight[child] * scale
        wide = weight[node] * scale
        if wide < VISIBLE or depths[node] >= MAX_DEPTH:
            hidden += 1
            continue
        deepest = max(deepest, depths[node])
        bars.append(_bar(tree, node, (left[node], depths[node] * HIGH, wide), paint(node)))
    told = heading(tree, lang, title)
    facts = [told["facts"], reading(tree, lang)]
    if hidden:
        facts.append(say("icicle_hidden", lang, n=hidden))
    head = Head(told["title"], " | ".join(facts), told["legend"])
    wide = max(WIDE, width(head.facts, SMALL + 1)) + 2 * MARGIN
    return Icicle(tuple(bars), wide, (deepest + 1) * HIGH + MARGIN, head)


def reading(tree: TreeData, lang: str) -> str:
    """Return how an icicle is read: what its widths and the strength of its colours mean."""
    if not tree.is_regression:
        return say("icicle_reading", lang)
    low, high = _ends(tree)
    return say(
        "icicle_reading_number", lang, low=value_text(tree, low), high=value_text(tree, high)
    )


def _ends(tree: TreeData) -> tuple[int, int]:
    """Return the nodes that predict the lowest and the highest number, of those with rows."""
    known = np.flatnonzero(tree.weight > 0)
    known = known if len(known) else np.arange(len(tree.nodes))
    values = tree.values[known]
    return int(known[values.argmin()]), int(known[values.argmax()])


def _painter(tree: TreeData, theme: Theme) -> Callable[[int], str]:
    """Return what fills a node: its class, the stronger the purer; or stronger for more."""
    if tree.is_regression:
        low, high = (float(tree.values[node]) for node in _ends(tree))

        def part(node: int) -> float:
            return (float(tree.values[node]) - low) / (high - low) if high > low else 0.5

        return lambda node: mixed(PALETTE[0], theme.card, 0.1 + 0.6 * min(max(part(node), 0), 1))
    shades = shades_of(tree)

    def filled(node: int) -> str:
        class_, weight = int(tree.values[node]), float(tree.weight[node])
        if weight <= 0:
            return theme.card
        purity = float(tree.nodes.total[node, class_]) / weight
        return mixed(PALETTE[shades[class_]], theme.card, 0.15 + 0.6 * purity**2)

    return filled


def _bar(tree: TreeData, node: int, area: tuple[float, float, float], fill: str) -> Bar:
    x, y, wide = area
    parent, branch = tree.parent_of(node) if node else (0, 0)
    answer = answer_text(tree, parent, branch) if node else ""
    asked = int(tree.nodes.column[node])
    name = tree.schema[asked].name if asked >= 0 else value_text(tree, node)
    told = f"{answer} {name}{counts_text(tree, node)}".strip()
    if wide < LABELLED:
        return Bar(x, y, wide, fill, "", "", told)
    room = wide - 8
    short = clip_middle(name, SMALL, room, bold=True)
    if short != name and asked < 0 and tree.is_regression:  # half a number would be a wrong one
        short = ""
    return Bar(x, y, wide, fill, short, _fitted(tree, node, answer, room), told)


def _fitted(tree: TreeData, node: int, answer: str, room: float) -> str:
    """Return the words on the branch into a node, as much of them as is true alone."""
    if node == 0:
        return ""
    names = group_names(tree, node)
    if names:
        return join_fitting(names, SMALL, room)
    return answer if width(answer, SMALL) <= room else ""


def _shape(bar: Bar) -> str:
    x, y = bar.x, bar.y
    size = f'x="{x:.1f}" y="{y:.0f}" width="{bar.wide:.1f}" height="{HIGH - 1:.0f}"'
    parts = [f'<rect {size} fill="{bar.fill}"><title>{escape(clean(bar.told))}</title></rect>']
    if bar.wide >= LABELLED:
        parts.append(text_at(x + 4, y + 14, bar.name, "b"))
    if bar.answer:
        parts.append(text_at(x + 4, y + 28, bar.answer))
    return "".join(parts)
