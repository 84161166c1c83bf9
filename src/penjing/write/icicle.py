"""The whole of a large tree at a glance: width is rows, strength of colour is purity."""

from __future__ import annotations

import math
from html import escape

from penjing.errors import unknown
from penjing.tree import Tree
from penjing.words import say
from penjing.write.labels import answer_text, counts_text, value_text
from penjing.write.scene import MARGIN, SMALL, heading
from penjing.write.svg import FONTS, NAMESPACE, THEMES, Theme, clean, colour, mixed, text_at
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
        for child in tree.children(node):
            left[child] = at
            at += weight[child] * scale
        wide = weight[node] * scale
        if wide < VISIBLE or depths[node] >= MAX_DEPTH:
            hidden += 1
            continue
        deepest = max(deepest, depths[node])
        shapes.append(_shape(tree, node, (left[node], depths[node] * HIGH, wide), paint))
    return _page(tree, shapes, (deepest + 1) * HIGH, hidden, (paint, lang, title))


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
        parts.append(text_at(x + 4, y + 14, clipped(name, SMALL, room, bold=True), bold=True))
        is_cut = node > 0 and not math.isnan(tree.nodes.cut[parent])
        short = clipped(answer, SMALL, room)
        if short == answer or not is_cut:  # half a number would be a wrong one
            parts.append(text_at(x + 4, y + 28, short))
    return "".join(parts)


def _page(
    tree: Tree,
    shapes: list[str],
    high: float,
    hidden: int,
    style: tuple[Theme, str, str | None],
) -> str:
    theme, lang, title = style
    head = heading(tree, lang, title)
    facts = [head["facts"], say("icicle_reading", lang)]
    if hidden:
        facts.append(say("icicle_hidden", lang, n=hidden))
    line = " | ".join(facts)
    wide = max(WIDE, width(line, SMALL + 1)) + 2 * MARGIN
    top = 92.0
    legend = []
    x = MARGIN
    for class_, (name, count) in enumerate(head["legend"]):
        text = f"{name} ({count})"
        legend.append(
            f'<rect x="{x:.1f}" y="62" width="12" height="12" rx="2" fill="{colour(class_)}"'
            f' stroke="{theme.outline}"/>' + text_at(x + 18, 72, text)
        )
        x += width(text, SMALL) + 34
    size = f'width="{wide:.0f}" height="{high + top + MARGIN:.0f}"'
    view = f'viewBox="0 0 {wide:.0f} {high + top + MARGIN:.0f}"'
    face = f'font-family="{escape(FONTS)}" font-size="{SMALL:.0f}" fill="{theme.ink}"'
    parts = [
        f'<svg xmlns="{NAMESPACE}" {size} {view} role="img" xml:lang="{lang}" {face}>',
        f"<title>{escape(clean(head['title']))}: {escape(line)}</title>",
        f'<rect width="100%" height="100%" fill="{theme.paper}"/>',
        text_at(MARGIN, 30, head["title"], size=18, bold=True),
        text_at(MARGIN, 50, line, size=SMALL + 1, fill=theme.faint),
        *legend,
        f'<g transform="translate(0 {top:.0f})">',
        *shapes,
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"
