"""A tree drawn with matplotlib: on axes, or as a PNG or PDF file."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from penjing.errors import CapabilityError, WrongTypeError
from penjing.render.box_parts import Area, Card, Label, Line, Part, Wedge, box_parts
from penjing.render.diagram import MAX_LEAVES, NAME, SMALL, Diagram, build_diagram
from penjing.render.heading import LINE, TITLE, Heading, heading_layout
from penjing.render.icicle import LEVEL_HEIGHT, Icicle, bar_width, build_icicle
from penjing.render.missing_glyphs import Fonts
from penjing.render.placement import Edge
from penjing.render.svg import class_fills
from penjing.render.theme import THEMES, Theme, find_theme
from penjing.render.value_scale import value_tints
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PIXELS_PER_INCH = 100
"""Resolution of new figures: they are as large as the SVG."""
POINTS_PER_INCH = 72
"""matplotlib gives font sizes and line widths in points."""
LATIN_FONT = "DejaVu Sans"
CHINESE_FONTS = (
    "Noto Sans CJK SC", "Source Han Sans SC", "Microsoft YaHei", "PingFang SC", "Hiragino Sans GB",
    "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "SimHei", "Noto Sans CJK JP", "Arial Unicode MS",
)  # fmt: skip
"""Fonts with Chinese characters, in order of preference."""
SMALLEST_TYPE = 7.0
"""On given axes subtrees are folded until type is at least this high, in pixels at 100 dpi."""
_HATCHES = {"url(#h1)": "////", "url(#h3)": "\\\\\\\\", "url(#h5)": "++++", "url(#h6)": "----"}
"""The hatching of matplotlib for the patterns of the ``print`` theme."""
_LOOKS = {
    "branch": (NAME - 2, True, False),
    "name": (NAME, True, False),
    "note": (SMALL, False, True),
    "plain": (SMALL, False, False),
    "title": (TITLE, True, False),
    "facts": (LINE, False, True),
    "legend": (LINE, False, False),
}
"""The size of a text, and whether it is bold and muted."""


def write(
    tree: TreeData,
    *,
    kind: str = "png",
    dpi: int = 2 * PIXELS_PER_INCH,
    icicle: bool = False,
    **style: Any,  # noqa: ANN401
) -> bytes:
    """Return the bytes of a PNG or PDF file with the drawing of a tree.

    Parameters
    ----------
    tree : TreeData
        The tree to draw.
    kind : str
        ``png`` or ``pdf``.
    dpi : int
        Resolution of a PNG; at 100 it is as large as the SVG.
    icicle : bool
        Draw an icicle plot.
    **style
        ``lang``, ``theme``, ``title``, ``max_leaves``, ``show``, ``layout``, ``align_leaves``,
        ``test``, as in :func:`plot`.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - an extra
        from matplotlib.backends.backend_pdf import FigureCanvasPdf  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError:
        raise CapabilityError("needs_plot") from None
    theme = str(style.pop("theme", "light"))
    if icicle:  # an icicle folds nothing
        style = {key: value for key, value in style.items() if key in {"lang", "title"}}
    diagram = build_icicle(tree, theme, **style) if icicle else _build_diagram(tree, theme, **style)
    figure: Any = Figure(figsize=_inches(diagram), dpi=PIXELS_PER_INCH)
    _draw_on(figure.add_axes((0.0, 0.0, 1.0, 1.0)), diagram, theme)
    buffer = io.BytesIO()
    canvas: Any
    # No dates: the same tree gives the same file.
    if kind == "pdf":
        canvas = FigureCanvasPdf(figure)
        canvas.print_pdf(buffer, metadata={"CreationDate": None})
    else:
        figure.set_dpi(dpi)
        canvas = FigureCanvasAgg(figure)
        canvas.print_png(buffer, metadata={"Software": None})
    return buffer.getvalue()


def plot(
    tree: TreeData,
    ax: Axes | None = None,
    *,
    lang: str = "en",
    theme: str = "light",
    title: str | None = None,
    max_leaves: int = MAX_LEAVES,
    show: str | None = None,
    layout: str | None = None,
    align_leaves: bool = False,
    test: Any = None,  # noqa: ANN401 - whatever `penjing.read` can read
) -> Axes:
    """Draw a tree on matplotlib's axes.

    Parameters
    ----------
    tree : TreeData
        The tree to draw.
    ax : Axes, optional
        The axes to draw on. The drawing fills them, and text is scaled with it; subtrees are
        folded as far as needed to keep text readable. Default: the axes of a new figure, as large
        as the tree needs.
    lang, theme, title, max_leaves, show, layout, align_leaves, test
        As in :func:`penjing.render.svg.write`.

    Returns
    -------
    Axes
        The axes with the drawing.
    """
    if ax is not None and not hasattr(ax, "get_window_extent"):
        raise WrongTypeError("not_axes", name="ax", value=ax)
    style: dict[str, Any] = {
        "lang": lang,
        "title": title,
        "max_leaves": max_leaves,
        "show": show,
        "layout": layout,
        "align_leaves": align_leaves,
        "test": test,
    }
    if ax is not None:
        _draw_on(ax, _fitting_diagram(tree, ax, theme, style), theme)
        return ax
    diagram = _build_diagram(tree, theme, **style)
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415 - an extra; notebooks show its figures
    except ImportError:
        raise CapabilityError("needs_plot") from None
    figure = plt.figure(figsize=_inches(diagram), dpi=PIXELS_PER_INCH)
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    _draw_on(ax, diagram, theme)
    return ax


def _build_diagram(tree: TreeData, theme: str, **style: Any) -> Diagram:  # noqa: ANN401 - see build_diagram
    find_theme(theme)
    return build_diagram(tree, **style)


def _fitting_diagram(tree: TreeData, ax: Axes, theme: str, style: dict[str, Any]) -> Diagram:
    """Return the diagram with most leaves whose type is readable on these axes.

    If no diagram is, the one with two leaves; the data are given up before leaves are.
    """
    extent = ax.get_window_extent()
    inches = float(ax.figure.dpi)
    room = (extent.width / inches * PIXELS_PER_INCH, extent.height / inches * PIXELS_PER_INCH)
    diagram = _build_diagram(tree, theme, **style)
    if _type_size(diagram, room) < SMALLEST_TYPE and style["show"] is None:
        diagram = _build_diagram(tree, theme, **style | {"show": "counts"})
        style = style | {"show": "counts"}
    if _type_size(diagram, room) < SMALLEST_TYPE:
        fits, too_many = 2, int(style["max_leaves"])
        while too_many - fits > 1:
            middle = (fits + too_many) // 2
            candidate = _build_diagram(tree, theme, **style | {"max_leaves": middle})
            if _type_size(candidate, room) < SMALLEST_TYPE:
                too_many = middle
            else:
                fits = middle
        style = style | {"max_leaves": fits}
        diagram = _build_diagram(tree, theme, **style)
    # Boxes are moved apart until the drawing has the shape of the axes.
    width, height = _size(diagram)
    scale = min(room[0] / width, room[1] / height)
    least = (room[0] / scale, room[1] / scale)
    return _build_diagram(tree, theme, **style, least_size=least)


def _type_size(diagram: Diagram, room: tuple[float, float]) -> float:
    """Return the size of the smallest type of a diagram that is scaled to some room."""
    width, height = _size(diagram)
    return SMALL * min(room[0] / width, room[1] / height)


def _size(diagram: Diagram | Icicle) -> tuple[float, float]:
    """Return the width and the height of a picture with its heading."""
    heading = heading_layout(diagram.heading, diagram.width)
    return diagram.width, diagram.height + heading.height


def _inches(diagram: Diagram | Icicle) -> tuple[float, float]:
    width, height = _size(diagram)
    return width / PIXELS_PER_INCH, height / PIXELS_PER_INCH


def _draw_on(ax: Axes, diagram: Diagram | Icicle, theme: str) -> None:
    extent = ax.get_window_extent()
    width, height = _size(diagram)
    scale = min(extent.width / width, extent.height / height)
    painter = _Painter(ax, THEMES[theme], scale * POINTS_PER_INCH / float(ax.figure.dpi))
    painter.draw(diagram)
    painter.fonts.record_missing()


class _Painter:
    """Draws a diagram; one unit of the axes is one pixel of the diagram."""

    def __init__(self, ax: Axes, theme: Theme, points_per_pixel: float) -> None:
        self.ax: Any = ax
        self.theme = theme
        self.points_per_pixel = points_per_pixel
        self.fonts = Fonts(font_families())
        self.top = 0.0
        """The height of the heading."""

    def draw(self, diagram: Diagram | Icicle) -> None:
        """Draw the heading, the edges, and on top of them the boxes."""
        ax = self.ax
        width, height = _size(diagram)
        self.top = height - diagram.height
        ax.set_xlim(0, width)
        ax.set_ylim(height, 0)
        ax.set_aspect("equal", adjustable="box", anchor="C")
        ax.set_axis_off()
        ax.figure.set_facecolor(self.theme.background)
        self._heading(diagram.heading, width)
        if isinstance(diagram, Icicle):
            for bar in diagram.bars:
                area = (bar.x, bar.y + self.top, bar_width(bar), LEVEL_HEIGHT - 1)
                self._rect(area, bar.fill, "none")
                self._text(bar.x + 4, bar.y + 14 + self.top, bar.name, SMALL, bold=True, halo=True)
                self._text(bar.x + 4, bar.y + 28 + self.top, bar.branch_label, SMALL, halo=True)
            return
        for box in diagram.boxes:
            if box.edge is not None:
                self._edge(box.edge)
        for box in diagram.boxes:
            for part in box_parts(box, self.theme):
                self._part(part)

    def _heading(self, head: Heading, width: float) -> None:
        places = heading_layout(head, width)
        fills, tints = class_fills(self.theme), value_tints(self.theme)
        for swatch in places.swatches:
            fill = tints[round(swatch.value * (len(tints) - 1))]
            if swatch.colour_index >= 0:
                fill = fills[swatch.colour_index]
            self._rect((swatch.x, swatch.y, 12, 12), fill, self.theme.outline)
        for text in places.texts:
            size, bold, muted = _LOOKS[text.look]
            self._text(text.x, text.y, text.text, size, bold=bold, muted=muted)

    def _edge(self, edge: Edge) -> None:
        from matplotlib.patches import PathPatch  # noqa: PLC0415 - an extra
        from matplotlib.path import Path  # noqa: PLC0415

        points = [(x, y + self.top) for x, y in edge.points]
        curve = [Path.CURVE4] * 3
        path = Path(points, [Path.MOVETO, Path.LINETO, *curve, Path.LINETO])
        style = {"fill": False, "edgecolor": self.theme.edge, "zorder": 1}
        self.ax.add_patch(PathPatch(path, linewidth=edge.width * self.points_per_pixel, **style))

    def _part(self, part: Part) -> None:
        if isinstance(part, Label):
            size, bold, muted = _LOOKS[part.look]
            y = part.y + self.top
            self._text(part.x, y, part.text, size, bold=bold, muted=muted, at=part.anchor)
            return
        if isinstance(part, Line):
            self._line(part)
            return
        if isinstance(part, Wedge):
            from matplotlib.patches import Polygon  # noqa: PLC0415 - an extra

            points = [(x, y + self.top) for x, y in part.points]
            self.ax.add_patch(
                Polygon(points, facecolor=self.theme.text, edgecolor="none", zorder=4)
            )
            return
        x, y, width, height = part.area
        if isinstance(part, Card):
            self._card((x, y + self.top, width, height), part)
            return
        colours = {
            "class": (class_fills(self.theme)[part.colour_index], "none"),
            "line": ("none", self.theme.text),
            "outline": ("none", self.theme.outline),
            "fill": (part.fill, "none"),
        }
        self._rect((x, y + self.top, width, height), *colours[part.kind])

    def _line(self, line: Line) -> None:
        from matplotlib.lines import Line2D  # noqa: PLC0415 - an extra

        width = {"axis": 0.75, "threshold": 1.2, "mean": 2.2, "mark": 1.2}[line.kind]
        colour = {"axis": self.theme.outline, "mean": self.theme.mean}.get(
            line.kind, self.theme.text
        )
        ends = ([line.start[0], line.end[0]], [line.start[1] + self.top, line.end[1] + self.top])
        style: dict[str, Any] = {"solid_capstyle": "butt", "zorder": 3.5}
        if line.kind == "threshold":
            style |= {"linestyle": (0, (2, 1.6))}
        self.ax.add_line(
            Line2D(*ends, color=colour, linewidth=width * self.points_per_pixel, **style)
        )

    def _card(self, area: Area, card: Card) -> None:
        from matplotlib.patches import FancyBboxPatch  # noqa: PLC0415 - an extra

        x, y, width, height = area
        style: dict[str, Any] = {
            "facecolor": card.fill,
            "edgecolor": card.outline,
            "linewidth": 1.2 * self.points_per_pixel,
            "linestyle": "--" if card.is_dashed else "-",
            "boxstyle": f"round,pad=0,rounding_size={card.radius}",
        }
        self.ax.add_patch(FancyBboxPatch((x, y), width, height, zorder=2, **style))

    def _rect(self, area: Area, fill: str, outline: str) -> None:
        from matplotlib.patches import Rectangle  # noqa: PLC0415 - an extra

        x, y, width, height = area
        style: dict[str, Any] = {
            "facecolor": fill,
            "edgecolor": outline,
            "linewidth": 0.75 * self.points_per_pixel,
        }
        if fill in _HATCHES:  # matplotlib draws hatching in the colour of the edge
            edge = {"edgecolor": "#000000", "linewidth": 0.0, "hatch": _HATCHES[fill]}
            style |= {"facecolor": "#ffffff", **edge}
        self.ax.add_patch(Rectangle((x, y), width, height, zorder=3, **style))

    def _text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        *,
        bold: bool = False,
        muted: bool = False,
        at: str = "left",
        halo: bool = False,
    ) -> None:
        if not text:
            return
        style = {
            "color": self.theme.muted if muted else self.theme.text,
            "family": self.fonts.families,
        }
        weight = "bold" if bold else "normal"
        place: dict[str, Any] = {"ha": at, "va": "baseline", "zorder": 4, "parse_math": False}
        if halo and self.theme is THEMES["print"]:
            from matplotlib.patheffects import withStroke  # noqa: PLC0415 - an extra

            width = 3 * self.points_per_pixel
            place["path_effects"] = [withStroke(linewidth=width, foreground="#ffffff")]
        self.ax.text(
            x,
            y,
            self.fonts.text(text),
            fontsize=size * self.points_per_pixel,
            weight=weight,
            **style,
            **place,
        )


def font_families() -> list[str]:
    """Return the font families for texts: a Latin one, then installed ones with Chinese."""
    from matplotlib.font_manager import fontManager  # noqa: PLC0415 - an extra

    installed = {font.name for font in fontManager.ttflist}
    if not installed & set(CHINESE_FONTS):
        for path in _chinese_font_files():  # matplotlib caches the list of installed fonts
            fontManager.addfont(path)
        installed = {font.name for font in fontManager.ttflist}
    return [LATIN_FONT, *(name for name in CHINESE_FONTS if name in installed)][:3]


def _chinese_font_files() -> Iterator[str]:
    """Yield the files of installed fonts whose names say that they have Chinese characters."""
    from matplotlib.font_manager import findSystemFonts  # noqa: PLC0415 - an extra

    name_parts = ("cjk", "sourcehan", "msyh", "pingfang", "hiragino", "wqy", "simhei", "arialuni")
    for path in sorted(findSystemFonts()):
        if any(part in path.lower().replace(" ", "") for part in name_parts):
            yield path
