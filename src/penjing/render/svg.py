"""A tree as an SVG diagram, written as text without any other library."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from penjing.errors import unknown_name_error
from penjing.render.diagram import MARGIN, MAX_LEAVES, NAME, SMALL, Box, Diagram, build_diagram
from penjing.text.font_metrics import width as text_width
from penjing.tree.tree_data import TreeData

FONTS = (
    "'DejaVu Sans', 'Segoe UI', Helvetica, Arial, 'Noto Sans CJK SC', 'Microsoft YaHei',"
    " 'PingFang SC', 'Source Han Sans SC', sans-serif"
)
NAMESPACE = "http://www.w3.org/2000/svg"
PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")
"""The colours of Okabe and Ito, which colour-blind readers can distinguish; the last is grey."""


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


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of everything but the classes."""

    background: str
    card: str
    text: str
    muted: str
    outline: str
    edge: str
    tint: float


THEMES = {
    "light": Theme("#ffffff", "#ffffff", "#1a1d21", "#50575e", "#7d858c", "#9aa2a9", 0.32),
    "dark": Theme("#16191d", "#1f2328", "#f0f2f4", "#b6bdc4", "#868e96", "#6b737b", 0.0),
    "print": Theme("#ffffff", "#ffffff", "#000000", "#333333", "#000000", "#777777", 0.0),
}


def write(
    tree: TreeData,
    *,
    theme: str = "light",
    lang: str = "en",
    title: str | None = None,
    max_leaves: int = MAX_LEAVES,
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

    Examples
    --------
    >>> import penjing
    >>> picture = write(penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}))
    >>> picture.startswith("<svg")
    True
    """
    if theme not in THEMES:
        raise unknown_name_error("unknown_plug", theme, THEMES, socket="theme")
    return draw(build_diagram(tree, lang=lang, title=title, max_leaves=max_leaves), THEMES[theme])


def draw(diagram: Diagram, theme: Theme) -> str:
    """Return a diagram as SVG."""
    top = 92.0 if diagram.legend else 66.0
    heading = Heading(
        diagram.title,
        " | ".join(filter(None, (diagram.facts, diagram.hidden_note))),
        diagram.legend,
    )
    elements = [
        *(_edge(diagram.boxes[box.parent], box) for box in diagram.boxes if box.parent >= 0),
        *(_box(box, theme) for box in diagram.boxes),
    ]
    return svg_document(
        elements, (diagram.width, diagram.height, top), heading, theme, diagram.lang
    )


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a diagram: title, a line of facts, and (class, rows) of each colour."""

    title: str
    facts: str
    legend: tuple[tuple[str, str], ...]


def svg_document(
    elements: list[str],
    size: tuple[float, float, float],
    heading: Heading,
    theme: Theme,
    lang: str,
) -> str:
    """Return SVG elements with their heading as a document.

    `size` is the width and height of the elements, and the height of the heading.
    """
    width, height = _fmt(size[0]), _fmt(size[1] + size[2])
    font = f'font-family="{escape(FONTS)}" font-size="{_fmt(SMALL)}" fill="{theme.text}"'
    area = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    description = f'role="img" xml:lang="{lang}"'
    parts = [
        f'<svg xmlns="{NAMESPACE}" {area} {description} {font}>',
        f"<title>{escape(to_printable(f'{heading.title}: {heading.facts}'))}</title>",
        f"<style>{_style(theme)}</style>",
        HATCHES if theme is THEMES["print"] else "",
        f'<rect width="100%" height="100%" fill="{theme.background}"/>',
        text_at(MARGIN, 30, heading.title, "t"),
        text_at(MARGIN, 50, heading.facts, "l f"),
        *_legend(heading.legend, theme),
        f'<g transform="translate(0 {_fmt(size[2])})">',
        *elements,
        "</g>",
        "</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _style(theme: Theme) -> str:
    """Return the CSS classes.

    Text: t title, l line, n name, a branch label, b bold, f muted, m and e anchors. Shapes: p edge,
    c card of a split, v card of a leaf, d dashed, o outline, k0 to k7 classes.
    """
    return (
        ".t{font-size:18px;font-weight:bold}"
        f".l{{font-size:{_fmt(SMALL + 1)}px}}"
        f".n{{font-size:{_fmt(NAME)}px;font-weight:bold}}"
        f".a{{font-size:{_fmt(NAME - 2)}px;font-weight:bold}}"
        f".b{{font-weight:bold}}.f{{fill:{theme.muted}}}"
        ".m{text-anchor:middle}.e{text-anchor:end}"
        f".p{{fill:none;stroke:{theme.edge}}}"
        f".c{{fill:{theme.card};stroke:{theme.outline};stroke-width:1.2px}}"
        ".v{stroke-width:1.2px}.d{stroke-dasharray:4 3}"
        f".o{{fill:none;stroke:{theme.outline};stroke-width:.75px}}"
        + "".join(f".k{i}{{fill:{colour}}}" for i, colour in enumerate(class_fills(theme)))
    )


def class_fills(theme: Theme) -> tuple[str, ...]:
    """Return the fill of each colour index: colours, or greys and hatching for print."""
    return PRINT_FILLS if theme is THEMES["print"] else PALETTE


def _legend(legend: tuple[tuple[str, str], ...], theme: Theme) -> list[str]:
    parts = []
    x = MARGIN
    for colour, (name, count) in zip(class_fills(theme), legend, strict=False):
        text = f"{name} ({count})" if count else name
        attributes = f'fill="{colour}" stroke="{theme.outline}"'
        parts.append(f'<rect x="{_fmt(x)}" y="62" width="12" height="12" rx="2" {attributes}/>')
        parts.append(text_at(x + 18, 72, text, "l"))
        x += text_width(text, SMALL + 1) + 34
    return parts


def _edge(parent: Box, box: Box) -> str:
    x0, y0 = parent.x + parent.width / 2, parent.y + parent.height
    x1, y1 = box.x + box.width / 2, box.y - 20
    middle = (y0 + y1) / 2
    start, end = f"{_fmt(x0)} {_fmt(y0)}", f"{_fmt(x1)} {_fmt(y1)}"
    curve = f"M{start}C{_fmt(x0)} {_fmt(middle)} {_fmt(x1)} {_fmt(middle)} {end}"
    return f'<path class="p" d="{curve}" stroke-width="{_fmt(box.line_width)}"/>'


def _box(box: Box, theme: Theme) -> str:
    parts = [f'<g id="n{box.node}"><title>{escape(to_printable(box.tooltip))}</title>']
    centre = box.x + box.width / 2
    right = box.x + box.width - 10
    parts.append(text_at(centre, box.y - 6, box.branch_label, "a m"))
    if box.kind == "split":
        parts += [
            _rect((box.x, box.y, box.width, box.height), 'rx="6" class="c"'),
            text_at(box.x + 10, box.y + 18, box.name, "n"),
            text_at(right, box.y + 18, box.note, "f e"),
            _bar(box, (10, 24, 9), theme),
            text_at(box.x + 10, box.y + 47, box.lines[0], "f"),
            text_at(right, box.y + 47, box.lines[1], "f e"),
        ]
    else:
        parts += [
            _rect((box.x, box.y, box.width, box.height), f'rx="14" {_leaf_attributes(box, theme)}'),
            text_at(centre, box.y + 17, box.name, "n m"),
            text_at(centre, box.y + 31, box.lines[0], "m"),
            _bar(box, (12, 35, 4), theme),
        ]
    return "".join(parts) + "</g>"


def _leaf_attributes(box: Box, theme: Theme) -> str:
    colour = PALETTE[box.colour_index] if box.colour_index >= 0 else theme.outline
    fill = blend(colour, theme.card, theme.tint) if box.colour_index >= 0 else theme.card
    outline = theme.text if theme is THEMES["print"] else outline_colour(colour, theme)
    css_class = "v d" if box.kind == "folded" else "v"
    return f'class="{css_class}" fill="{fill}" stroke="{outline}"'


def _bar(box: Box, place: tuple[float, float, float], theme: Theme) -> str:
    """Return the stacked bar of class shares, outlined because some class colours are pale."""
    if not box.bar:
        return ""
    inset, top, height = place
    x, y, width = box.x + inset, box.y + top, box.width - 2 * inset
    parts = []
    segment_x, previous_index = x, -1
    for index, share in box.bar:
        parts.append(_path_rect((segment_x, y, width * share, height), f"k{index}"))
        if index == previous_index:
            parts.append(
                f'<path d="M{_fmt(segment_x)} {_fmt(y)}v{_fmt(height)}" stroke="{theme.text}"/>'
            )
        segment_x, previous_index = segment_x + width * share, index
    return "".join(parts) + _path_rect((x, y, width, height), "o")


def _path_rect(area: tuple[float, float, float, float], css_class: str) -> str:
    """Return a rectangle as a short path element: a large tree has hundreds of them."""
    x, y, width, height = (_fmt(v) for v in area)
    return f'<path class="{css_class}" d="M{x} {y}h{width}v{height}h-{width}z"/>'


def _rect(area: tuple[float, float, float, float], attributes: str) -> str:
    x, y, width, height = (_fmt(v) for v in area)
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" {attributes}/>'


def text_at(x: float, y: float, text: str, css_class: str = "") -> str:
    """Return a text element with these CSS classes; an empty string for an empty text."""
    if not text:
        return ""
    attribute = f' class="{css_class}"' if css_class else ""
    return f'<text x="{_fmt(x)}" y="{_fmt(y)}"{attribute}>{escape(to_printable(text))}</text>'


def to_printable(text: str) -> str:
    """Return a text with blanks instead of control characters, which XML does not allow."""
    return "".join(c if c.isprintable() else " " for c in text)


def blend(colour: str, background: str, share: float) -> str:
    """Return a mixture of two colours; `share` is that of the first.

    Examples
    --------
    >>> blend("#000000", "#ffffff", 0.5)
    '#808080'
    """
    a, b = (_rgb(c) for c in (colour, background))
    return "#" + "".join(
        f"{round(p * share + q * (1 - share)):02x}" for p, q in zip(a, b, strict=True)
    )


def outline_colour(colour: str, theme: Theme) -> str:
    """Return a class colour adjusted for outlines: a contrast of at least 3:1 (WCAG 1.4.11)."""
    target = "#ffffff" if theme is THEMES["dark"] else "#000000"
    for step in range(11):
        candidate = blend(target, colour, step / 10)
        if contrast(candidate, theme.background) >= 3:
            return candidate
    return target


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours as defined by WCAG 2.2, from 1 to 21.

    Examples
    --------
    >>> contrast("#000000", "#ffffff")
    21.0
    """
    luminances = sorted(_luminance(c) for c in (first, second))
    return (luminances[1] + 0.05) / (luminances[0] + 0.05)


def _luminance(colour: str) -> float:
    linear = [
        v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4
        for v in (c / 255 for c in _rgb(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _fmt(number: float) -> str:
    """Return a number with at most one decimal."""
    return f"{number:.1f}".removesuffix(".0")
