"""A tree as an SVG diagram, written as text without any other library."""

from __future__ import annotations

from html import escape
from typing import Any

from penjing.i18n import say
from penjing.render.box_parts import Card, Label, Line, Part, Wedge, box_parts
from penjing.render.diagram import (
    MAX_LEAVES,
    NAME,
    SMALL,
    Box,
    Diagram,
    build_diagram,
)
from penjing.render.heading import LINE, TITLE, Heading, HeadingLayout, heading_layout
from penjing.render.placement import Edge
from penjing.render.theme import PALETTE, THEMES, Theme, find_theme
from penjing.render.value_scale import value_tints
from penjing.text.direction import ISOLATES, with_isolated_names
from penjing.tree.tree_data import TreeData

FONTS = (
    "'DejaVu Sans', 'Segoe UI', Helvetica, Arial, 'Noto Sans CJK SC', 'Microsoft YaHei',"
    " 'PingFang SC', 'Source Han Sans SC', sans-serif"
)
NAMESPACE = "http://www.w3.org/2000/svg"
OUTLINE = 1.0
"""Above the boxes, so that all of their outline is within the picture."""


def _hatch(name: str, lines: str) -> str:
    start = f'<pattern id="{name}" width="5" height="5" patternUnits="userSpaceOnUse">'
    return f'{start}<path d="{lines}" stroke="#000" stroke-width="1.2"/></pattern>'


HATCHES = (
    "<defs>"
    + _hatch("h1", "M-1 1L1 -1M0 5L5 0M4 6L6 4")
    + _hatch("h3", "M-1 4L1 6M0 0L5 5M4 -1L6 1")
    + _hatch("h5", "M0 2.5H5M2.5 0V5")
    + _hatch("h6", "M0 2.5H5")
    + "</defs>"
)
PRINT_FILLS = (
    "#333333", "url(#h1)", "#999999", "url(#h3)", "#dddddd", "url(#h5)", "url(#h6)", "#fff",
)  # fmt: skip
"""The fills of the ``print`` theme, in the order of `PALETTE`: greys and hatching."""


def write(
    tree: TreeData,
    *,
    theme: str = "light",
    lang: str = "en",
    title: str | None = None,
    max_leaves: int = MAX_LEAVES,
    show: str | None = None,
    layout: str | None = None,
    align_leaves: bool = False,
    test: Any = None,  # noqa: ANN401 - whatever `penjing.read` can read
) -> str:
    """Return a tree drawn as SVG.

    Parameters
    ----------
    tree : TreeData
        The tree to draw.
    theme : str
        ``light``, ``dark`` or ``print``.
    lang : str
        ``en`` or ``zh``; names and categories are never translated.
    title : str, optional
        The heading; default: the target's name.
    max_leaves : int
        The number of leaves to draw before subtrees are folded.
    show, layout, align_leaves, test
        As in :func:`penjing.render.diagram.build_diagram`.

    Examples
    --------
    >>> import penjing
    >>> picture = write(penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}))
    >>> picture.startswith("<svg")
    True
    """
    look = find_theme(theme)
    diagram = build_diagram(
        tree,
        lang=lang,
        title=title,
        max_leaves=max_leaves,
        show=show,
        layout=layout,
        align_leaves=align_leaves,
        test=test,
    )
    return draw(diagram, look)


def draw(diagram: Diagram, theme: Theme, *, has_heading: bool = True) -> str:
    """Return a diagram as SVG; without its heading, a page has to show that beside it."""
    elements = [
        *(_edge(box.edge) for box in diagram.boxes if box.edge is not None),
        *(_box(box, theme) for box in diagram.boxes),
    ]
    size = (diagram.width, diagram.height)
    return svg_document(
        elements, size, diagram.heading, theme, diagram.lang, has_heading=has_heading
    )


def svg_document(
    elements: list[str],
    size: tuple[float, float] | tuple[float, float, float],
    heading: Heading,
    theme: Theme,
    lang: str,
    *,
    has_heading: bool = True,
) -> str:
    """Return SVG elements with their heading as a document.

    `size` is the width and height of the elements, and the least height of the heading.
    """
    places = heading_layout(heading, size[0])
    top = max((places.height, *size[2:])) if has_heading else OUTLINE
    width, height = _fmt(size[0]), _fmt(size[1] + top)
    font = f'font-family="{escape(FONTS)}" font-size="{_fmt(SMALL)}" fill="{theme.text}"'
    area = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    description = f'role="img" xml:lang="{lang}"'
    title = say("label_colon", lang).join((heading.title, heading.facts))
    parts = [
        f'<svg xmlns="{NAMESPACE}" {area} {description} {font}>',
        f"<title>{escaped(title)}</title>",
        f"<style>{_style(theme)}</style>",
        HATCHES if theme is THEMES["print"] else "",
        f'<rect width="100%" height="100%" fill="{theme.background}"/>',
        *(_heading(places, theme) if has_heading else ()),
        f'<g transform="translate(0 {_fmt(top)})">',
        *elements,
        "</g>",
        "</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _style(theme: Theme) -> str:
    """Return the CSS classes.

    Text: t title, l line, n name, a branch label, b bold, f muted, m and e anchors, h on a pattern
    (with a halo). Shapes: p edge,
    c card of a split, v card of a leaf, d dashed, o outline, k0 to k7 classes; x axis, s threshold,
    y mean of a branch, i other marks, w wedge.
    """
    is_print = theme is THEMES["print"]
    halo = ".h{paint-order:stroke;stroke:#fff;stroke-width:3px}" if is_print else ""
    return (
        f".t{{font-size:{_fmt(TITLE)}px;font-weight:bold}}"
        f".l{{font-size:{_fmt(LINE)}px}}"
        f".n{{font-size:{_fmt(NAME)}px;font-weight:bold}}"
        f".a{{font-size:{_fmt(NAME - 2)}px;font-weight:bold}}"
        f".b{{font-weight:bold}}.f{{fill:{theme.muted}}}{halo}"
        ".m{text-anchor:middle}.e{text-anchor:end}"
        f".p{{fill:none;stroke:{theme.edge}}}"
        f".c{{fill:{theme.card};stroke:{theme.outline};stroke-width:1.2px}}"
        ".v{stroke-width:1.2px}.d{stroke-dasharray:4 3}"
        f".o{{fill:none;stroke:{theme.outline};stroke-width:.75px}}"
        f".x{{stroke:{theme.outline};stroke-width:.75px}}.i{{stroke:{theme.text};stroke-width:1.2px}}"
        f".s{{stroke:{theme.text};stroke-width:1.2px;stroke-dasharray:2.5 2}}"
        f".y{{stroke:{theme.mean};stroke-width:2.2px}}.w{{fill:{theme.text}}}"
        + "".join(f".k{i}{{fill:{colour}}}" for i, colour in enumerate(class_fills(theme)))
        # Printed by itself, the picture is one sheet; within a page, the page decides.
        + "@media print{svg:root{width:100vw;height:100vh}}"
    )


def class_fills(theme: Theme) -> tuple[str, ...]:
    """Return the fill of each colour index: colours, or greys and hatching for print."""
    return PRINT_FILLS if theme is THEMES["print"] else PALETTE


_HEADING_CLASSES = {"title": "t", "facts": "l f", "legend": "l"}


def _heading(places: HeadingLayout, theme: Theme) -> list[str]:
    parts = []
    fills, tints = class_fills(theme), value_tints(theme)
    for swatch in places.swatches:
        fill = tints[round(swatch.value * (len(tints) - 1))]
        if swatch.colour_index >= 0:
            fill = fills[swatch.colour_index]
        attributes = f'width="12" height="12" rx="2" fill="{fill}" stroke="{theme.outline}"'
        parts.append(f'<rect x="{_fmt(swatch.x)}" y="{_fmt(swatch.y)}" {attributes}/>')
    return parts + [text_at(t.x, t.y, t.text, _HEADING_CLASSES[t.look]) for t in places.texts]


def _edge(edge: Edge) -> str:
    start, bend, *curve, arrive, end = edge.points
    first, *rest = (f"{_fmt(x)} {_fmt(y)}" for x, y in (bend, *curve, arrive))
    path = f"M{first}C{' '.join(rest)}"
    if start != bend:
        path = f"M{_fmt(start[0])} {_fmt(start[1])}L{path[1:]}"
    if end != arrive:
        path += f"L{_fmt(end[0])} {_fmt(end[1])}"
    return f'<path class="p" d="{path}" stroke-width="{_fmt(edge.width)}"/>'


def _box(box: Box, theme: Theme) -> str:
    title = f'<g id="n{box.node}"><title>{escaped(box.tooltip)}</title>'
    parts = [_element(part, theme) for part in box_parts(box, theme)]
    return "".join([title, *parts, "</g>"])


_TEXT_CLASSES = {"branch": "a", "name": "n", "note": "f", "plain": ""}
_ANCHOR_CLASSES = {"left": "", "center": "m", "right": "e"}


_LINE_CLASSES = {"axis": "x", "threshold": "s", "mean": "y", "mark": "i"}


def _element(part: Part, theme: Theme) -> str:
    if isinstance(part, Label):
        classes = (_TEXT_CLASSES[part.look], _ANCHOR_CLASSES[part.anchor])
        return text_at(part.x, part.y, part.text, " ".join(filter(None, classes)))
    if isinstance(part, Card):
        css_class = "v d" if part.is_dashed else "v"
        colours = f'class="{css_class}" fill="{part.fill}" stroke="{part.outline}"'
        look = 'class="c"' if part.is_split else colours
        return _rect(part.area, f'rx="{_fmt(part.radius)}" {look}')
    if isinstance(part, Line):
        x0, y0, x1, y1 = (_fmt(v) for v in (*part.start, *part.end))
        return f'<path class="{_LINE_CLASSES[part.kind]}" d="M{x0} {y0}L{x1} {y1}"/>'
    if isinstance(part, Wedge):
        points = "L".join(f"{_fmt(x)} {_fmt(y)}" for x, y in part.points)
        return f'<path class="w" d="M{points}z"/>'
    if part.kind == "fill":
        return _path_rect(part.area, f'fill="{part.fill}"')
    if part.kind == "line":
        x, y, _, height = (_fmt(v) for v in part.area)
        return f'<path d="M{x} {y}v{height}" stroke="{theme.text}"/>'
    css_class = "o" if part.kind == "outline" else f"k{part.colour_index}"
    return _path_rect(part.area, f'class="{css_class}"')


def _path_rect(area: tuple[float, float, float, float], look: str) -> str:
    """Return a rectangle as a short path element: a large tree has hundreds of them."""
    x, y, width, height = (_fmt(v) for v in area)
    return f'<path {look} d="M{x} {y}h{width}v{height}h-{width}z"/>'


def _rect(area: tuple[float, float, float, float], attributes: str) -> str:
    x, y, width, height = (_fmt(v) for v in area)
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" {attributes}/>'


def text_at(x: float, y: float, text: str, css_class: str = "") -> str:
    """Return a text element with these CSS classes; an empty string for an empty text."""
    if not text:
        return ""
    attribute = f' class="{css_class}"' if css_class else ""
    return f'<text x="{_fmt(x)}" y="{_fmt(y)}"{attribute}>{escaped(text)}</text>'


def escaped(text: str) -> str:
    """Return a text of a picture as SVG; names written from right to left are marked as units."""
    return escape(with_isolated_names(to_printable(text)))


def to_printable(text: str) -> str:
    """Return a text with blanks instead of control characters, which XML does not allow."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in ISOLATES else " " for c in text)


def _fmt(number: float) -> str:
    """Return a number with at most one decimal."""
    return f"{number:.1f}".removesuffix(".0")
