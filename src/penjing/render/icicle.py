"""A tree as an icicle plot: width shows rows, intensity of colour shows purity or prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from penjing.i18n import say
from penjing.render.box_texts import SMALL
from penjing.render.class_colours import colour_indices
from penjing.render.heading import MARGIN, Heading, make_heading
from penjing.render.svg import class_fills, escaped, svg_document, text_at
from penjing.render.theme import PALETTE, THEMES, Theme, blend, find_theme
from penjing.render.value_scale import value_scale
from penjing.text.branch_order import children_in_order
from penjing.text.font_metrics import clip_middle, join_fitting
from penjing.text.font_metrics import width as text_width
from penjing.text.labels import answer_text, condition_text, counts_text, group_names, value_text
from penjing.tree.tree_data import TreeData

WIDTH, LEVEL_HEIGHT = 1360.0, 34.0
"""Width of the root, and height of a level."""
MIN_LABELLED = 46.0
"""Narrower rectangles have no text."""
GAP, MIN_GAPPED = 1.0, 4.0
"""The gap between two rectangles side by side, and the width from which on they have it."""
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
    size = (icicle.width, icicle.height)
    return svg_document(elements, size, icicle.heading, THEMES[theme], lang)


def build_icicle(
    tree: TreeData, theme: str, *, lang: str = "en", title: str | None = None
) -> Icicle:
    """Return the rectangles of a tree, independent of the output format; see :func:`write`."""
    look = find_theme(theme)
    weight = tree.weight.tolist()
    depths = tree.depths.tolist()
    left = [MARGIN] * len(weight)
    scale = WIDTH / weight[0] if weight[0] > 0 else 0.0
    values = value_scale(tree)
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
        name = ""
        if values is not None and tree.is_leaf[node]:
            name = values.text(float(tree.values[node]))
        area = (left[node], depths[node] * LEVEL_HEIGHT, width)
        bars.append(_bar(tree, node, area, fill_of(node), lang, predicted=name))
    is_patterned = look is THEMES["print"] and not tree.is_regression
    key = "icicle_reading_print" if tree.has_counts else "icicle_reading_uncounted_print"
    amount = _amount(tree, lang)
    facts = [say(key, lang, amount=amount) if is_patterned else encoding_caption(tree, lang)]
    if n_hidden:
        facts.append(say("icicle_hidden", lang, n=n_hidden))
    head = replace(make_heading(tree, lang, title, facts), scale=values)
    height = (deepest + 1) * LEVEL_HEIGHT + MARGIN
    return Icicle(tuple(bars), WIDTH + 2 * MARGIN, height, head)


def encoding_caption(tree: TreeData, lang: str) -> str:
    """Return the caption that explains the widths and colours."""
    if not tree.is_regression:
        key = "icicle_reading" if tree.has_counts else "icicle_reading_uncounted"
        return say(key, lang, amount=_amount(tree, lang))
    scale = value_scale(tree)
    assert scale is not None
    low, high = scale.text(scale.lowest), scale.text(scale.highest)
    key = "icicle_reading_number" if tree.has_counts else "icicle_reading_uncounted_number"
    return say(key, lang, amount=_amount(tree, lang), low=low, high=high)


def _amount(tree: TreeData, lang: str) -> str:
    """Return what the width of a rectangle shows."""
    return say("icicle_weight" if tree.has_weights else "icicle_rows", lang)


def _node_fill(tree: TreeData, theme: Theme) -> Callable[[int], str]:
    """Return the function that gives the fill of a node.

    Purer nodes, and for regression larger predictions, have a more intense colour.
    """
    scale = value_scale(tree)

    def is_unknown(node: int) -> bool:
        """Return whether nothing is known of the rows of a node: a split without counts."""
        return not (tree.has_counts or tree.is_leaf[node])

    if scale is not None:
        return lambda node: (
            theme.card if is_unknown(node) else scale.tint(float(tree.values[node]), theme)
        )
    indices, is_print = colour_indices(tree), theme is THEMES["print"]

    def class_fill(node: int) -> str:
        class_, weight = int(tree.values[node]), float(tree.weight[node])
        if weight <= 0 or is_unknown(node):
            return theme.card
        purity = float(tree.nodes.total[node, class_]) / weight
        if is_print:  # a pattern has no intensity
            return class_fills(theme)[indices[class_]]
        return blend(PALETTE[indices[class_]], theme.card, 0.15 + 0.6 * purity**2)

    return class_fill


def _bar(
    tree: TreeData,
    node: int,
    area: tuple[float, float, float],
    fill: str,
    lang: str,
    *,
    predicted: str,
) -> Bar:
    """Return the rectangle of a node; `predicted` is the number that a leaf predicts."""
    x, y, width = area
    parent, branch = tree.parent_of(node) if node else (0, 0)
    label = condition_text(answer_text(tree, parent, branch), lang) if node else ""
    column = int(tree.nodes.column[node])
    name = tree.schema[column].name if column >= 0 else value_text(tree, node)
    tooltip = f"{label} {name}{counts_text(tree, node)}".strip()
    name = predicted or name
    if width < MIN_LABELLED:
        return Bar(x, y, width, fill, "", "", tooltip)
    max_width = width - 8
    short = clip_middle(name, SMALL, max_width, bold=True)
    if short != name and predicted:  # a clipped number would be a wrong one
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


def bar_width(bar: Bar) -> float:
    """Return the drawn width of a rectangle: wide ones leave a gap to the next."""
    return bar.width - GAP if bar.width >= MIN_GAPPED else bar.width


def _bar_element(bar: Bar) -> str:
    x, y = bar.x, bar.y
    width = bar_width(bar)
    size = f'x="{x:.1f}" y="{y:.0f}" width="{width:.1f}" height="{LEVEL_HEIGHT - 1:.0f}"'
    parts = [f'<rect {size} fill="{bar.fill}"><title>{escaped(bar.tooltip)}</title></rect>']
    if bar.width >= MIN_LABELLED:
        parts.append(text_at(x + 4, y + 14, bar.name, "b h"))
    if bar.branch_label:
        parts.append(text_at(x + 4, y + 28, bar.branch_label, "h"))
    return "".join(parts)
