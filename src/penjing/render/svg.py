"""A tree as an SVG picture: text only, no browser, no outside program."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from penjing.errors import unknown_name_error
from penjing.render.diagram import MARGIN, MAX_LEAVES, NAME, SMALL, Box, Scene, scene_of
from penjing.text.font_metrics import width
from penjing.tree.tree_data import TreeData

FONTS = (
    "'DejaVu Sans', 'Segoe UI', Helvetica, Arial, 'Noto Sans CJK SC', 'Microsoft YaHei',"
    " 'PingFang SC', 'Source Han Sans SC', sans-serif"
)
NAMESPACE = "http://www.w3.org/2000/svg"
PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")
"""Okabe and Ito's colours, told apart by colour-blind readers; the last is grey."""


def _hatch(name: str, lines: str) -> str:
    tile = f'<pattern id="{name}" width="5" height="5" patternUnits="userSpaceOnUse">'
    return f'{tile}<path d="{lines}" stroke="#000" stroke-width="1.2"/></pattern>'


HATCHES = (
    "<defs>"
    + _hatch("h1", "M-1 1L1 -1M0 5L5 0M4 6L6 4")
    + _hatch("h3", "M-1 4L1 6M0 0L5 5M4 -1L6 1")
    + _hatch("h5", "M0 2.5H5M2.5 0V5")
    + _hatch("h6", "M0 2.5H5")
    + "</defs>"
)
PRINTED = ("#333333", "url(#h1)", "#999999", "url(#h3)", "#dddddd", "url(#h5)", "url(#h6)", "#fff")
"""What stands for the colours where there is only black ink."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of everything but the classes."""

    paper: str
    card: str
    ink: str
    faint: str
    outline: str
    arm: str
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
        What to draw.
    theme : str
        ``light``, ``dark`` or ``print``.
    lang : str
        ``en`` or ``zh``; names and levels are never translated.
    title : str, optional
        The heading; the target's name if not given.
    max_leaves : int
        How many leaves to draw before subtrees are folded.

    Examples
    --------
    >>> import penjing
    >>> picture = write(penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}))
    >>> picture.startswith("<svg")
    True
    """
    if theme not in THEMES:
        raise unknown_name_error("unknown_plug", theme, THEMES, socket="theme")
    return draw(scene_of(tree, lang=lang, title=title, max_leaves=max_leaves), THEMES[theme])


def draw(scene: Scene, theme: Theme) -> str:
    """Return a scene as SVG."""
    top = 92.0 if scene.legend else 66.0
    head = Head(scene.title, " | ".join(filter(None, (scene.facts, scene.hidden))), scene.legend)
    shapes = [
        *(_arm(scene.boxes[box.parent], box) for box in scene.boxes if box.parent >= 0),
        *(_box(box, theme) for box in scene.boxes),
    ]
    return page(shapes, (scene.wide, scene.high, top), head, theme, scene.lang)


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above a picture."""

    title: str
    facts: str
    legend: tuple[tuple[str, str], ...]


def page(
    shapes: list[str],
    size: tuple[float, float, float],
    head: Head,
    theme: Theme,
    lang: str,
) -> str:
    """Return shapes with their heading as a whole picture; size is width, height, heading."""
    wide, tall = _n(size[0]), _n(size[1] + size[2])
    face = f'font-family="{escape(FONTS)}" font-size="{_n(SMALL)}" fill="{theme.ink}"'
    area = f'width="{wide}" height="{tall}" viewBox="0 0 {wide} {tall}"'
    about = f'role="img" xml:lang="{lang}"'
    parts = [
        f'<svg xmlns="{NAMESPACE}" {area} {about} {face}>',
        f"<title>{escape(clean(head.title))}: {escape(clean(head.facts))}</title>",
        f"<style>{_style(theme)}</style>",
        HATCHES if theme is THEMES["print"] else "",
        f'<rect width="100%" height="100%" fill="{theme.paper}"/>',
        text_at(MARGIN, 30, head.title, "t"),
        text_at(MARGIN, 50, head.facts, "l f"),
        *_legend(head.legend, theme),
        f'<g transform="translate(0 {_n(size[2])})">',
        *shapes,
        "</g>",
        "</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _style(theme: Theme) -> str:
    """Return what many elements share: t title, l line, n name, a answer, f faint, m e anchors."""
    return (
        ".t{font-size:18px;font-weight:bold}"
        f".l{{font-size:{_n(SMALL + 1)}px}}"
        f".n{{font-size:{_n(NAME)}px;font-weight:bold}}"
        f".a{{font-size:{_n(NAME - 2)}px;font-weight:bold}}"
        f".b{{font-weight:bold}}.f{{fill:{theme.faint}}}"
        ".m{text-anchor:middle}.e{text-anchor:end}"
        f".p{{fill:none;stroke:{theme.arm}}}"
        f".c{{fill:{theme.card};stroke:{theme.outline};stroke-width:1.2px}}"
        ".v{stroke-width:1.2px}.d{stroke-dasharray:4 3}"
        f".o{{fill:none;stroke:{theme.outline};stroke-width:.75px}}"
        + "".join(f".k{i}{{fill:{shade}}}" for i, shade in enumerate(shades(theme)))
    )


def shades(theme: Theme) -> tuple[str, ...]:
    """Return how the classes are filled: in colour, or on paper in greys and hatching."""
    return PRINTED if theme is THEMES["print"] else PALETTE


def _legend(legend: tuple[tuple[str, str], ...], theme: Theme) -> list[str]:
    parts = []
    x = MARGIN
    for shade, (name, count) in zip(shades(theme), legend, strict=False):
        text = f"{name} ({count})" if count else name
        paint = f'fill="{shade}" stroke="{theme.outline}"'
        parts.append(f'<rect x="{_n(x)}" y="62" width="12" height="12" rx="2" {paint}/>')
        parts.append(text_at(x + 18, 72, text, "l"))
        x += width(text, SMALL + 1) + 34
    return parts


def _arm(parent: Box, box: Box) -> str:
    x0, y0 = parent.x + parent.wide / 2, parent.y + parent.high
    x1, y1 = box.x + box.wide / 2, box.y - 20
    middle = (y0 + y1) / 2
    curve = f"M{_n(x0)} {_n(y0)}C{_n(x0)} {_n(middle)} {_n(x1)} {_n(middle)} {_n(x1)} {_n(y1)}"
    return f'<path class="p" d="{curve}" stroke-width="{_n(box.thick)}"/>'


def _box(box: Box, theme: Theme) -> str:
    parts = [f'<g id="n{box.node}"><title>{escape(clean(box.title))}</title>']
    centre = box.x + box.wide / 2
    right = box.x + box.wide - 10
    parts.append(text_at(centre, box.y - 6, box.answer, "a m"))
    if box.kind == "question":
        parts += [
            _rect((box.x, box.y, box.wide, box.high), 'rx="6" class="c"'),
            text_at(box.x + 10, box.y + 18, box.name, "n"),
            text_at(right, box.y + 18, box.note, "f e"),
            _bar(box, (10, 24, 9), theme),
            text_at(box.x + 10, box.y + 47, box.lines[0], "f"),
            text_at(right, box.y + 47, box.lines[1], "f e"),
        ]
    else:
        parts += [
            _rect((box.x, box.y, box.wide, box.high), f'rx="14" {_leaf_paint(box, theme)}'),
            text_at(centre, box.y + 17, box.name, "n m"),
            text_at(centre, box.y + 31, box.lines[0], "m"),
            _bar(box, (12, 35, 4), theme),
        ]
    return "".join(parts) + "</g>"


def _leaf_paint(box: Box, theme: Theme) -> str:
    shade = PALETTE[box.shade] if box.shade >= 0 else theme.outline
    fill = mixed(shade, theme.card, theme.tint) if box.shade >= 0 else theme.card
    outline = theme.ink if theme is THEMES["print"] else darker(shade, theme)
    kind = "v d" if box.kind == "folded" else "v"
    return f'class="{kind}" fill="{fill}" stroke="{outline}"'


def _bar(box: Box, place: tuple[float, float, float], theme: Theme) -> str:
    """Return the stacked bar of class shares, outlined since some class colours are faint."""
    if not box.bar:
        return ""
    inset, top, high = place
    x, y, wide = box.x + inset, box.y + top, box.wide - 2 * inset
    parts = []
    at, before = x, -1
    for shade, share in box.bar:
        parts.append(_block((at, y, wide * share, high), f"k{shade}"))
        if shade == before:
            parts.append(f'<path d="M{_n(at)} {_n(y)}v{_n(high)}" stroke="{theme.ink}"/>')
        at, before = at + wide * share, shade
    return "".join(parts) + _block((x, y, wide, high), "o")


def _block(area: tuple[float, float, float, float], kind: str) -> str:
    """Return a rectangle in few characters: a large tree has hundreds of them in its bars."""
    x, y, wide, high = (_n(v) for v in area)
    return f'<path class="{kind}" d="M{x} {y}h{wide}v{high}h-{wide}z"/>'


def _rect(area: tuple[float, float, float, float], paint: str) -> str:
    x, y, wide, high = (_n(v) for v in area)
    return f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" {paint}/>'


def text_at(x: float, y: float, text: str, kind: str = "") -> str:
    """Return a line of text as an element of these classes, nothing for an empty one."""
    if not text:
        return ""
    look = f' class="{kind}"' if kind else ""
    return f'<text x="{_n(x)}" y="{_n(y)}"{look}>{escape(clean(text))}</text>'


def clean(text: str) -> str:
    """Return a text without the control characters that XML cannot hold."""
    return "".join(c if c.isprintable() else " " for c in text)


def mixed(colour_: str, paper: str, share: float) -> str:
    """Return a colour thinned with the paper's.

    Examples
    --------
    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    a, b = (_rgb(c) for c in (colour_, paper))
    return "#" + "".join(
        f"{round(p * share + q * (1 - share)):02x}" for p, q in zip(a, b, strict=True)
    )


def darker(colour_: str, theme: Theme) -> str:
    """Return a class colour strong enough for an outline on this paper (3:1 at least)."""
    toward = "#ffffff" if theme is THEMES["dark"] else "#000000"
    for step in range(11):
        found = mixed(toward, colour_, step / 10)
        if contrast(found, theme.paper) >= 3:
            return found
    return toward


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG 2.2 measures it, 1 to 21.

    Examples
    --------
    >>> contrast("#000000", "#ffffff")
    21.0
    """
    bright = sorted(_luminance(c) for c in (one, other))
    return (bright[1] + 0.05) / (bright[0] + 0.05)


def _luminance(colour_: str) -> float:
    linear = [
        v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4
        for v in (c / 255 for c in _rgb(colour_))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _rgb(colour_: str) -> tuple[int, int, int]:
    return int(colour_[1:3], 16), int(colour_[3:5], 16), int(colour_[5:7], 16)


def _n(number: float) -> str:
    """Return a coordinate with at most one decimal, the same on every machine."""
    return f"{number:.1f}".removesuffix(".0")
