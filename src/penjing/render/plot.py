"""A tree drawn with matplotlib: on axes, or as a PNG or PDF file."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from penjing.errors import CapabilityError, WrongTypeError
from penjing.render.box_parts import (
    Area,
    BarPiece,
    Card,
    Label,
    box_parts,
    edge_points,
    legend_places,
)
from penjing.render.diagram import (
    MARGIN,
    MAX_LEAVES,
    NAME,
    SMALL,
    Box,
    Diagram,
    Heading,
    build_diagram,
)
from penjing.render.icicle import LEVEL_HEIGHT, Icicle, build_icicle
from penjing.render.svg import to_printable
from penjing.render.theme import PALETTE, THEMES, Theme, find_theme
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
HEADING_HEIGHT = 92.0
"""Space reserved above the tree."""
_LOOKS = {
    "branch": (NAME - 2, True, False),
    "name": (NAME, True, False),
    "note": (SMALL, False, True),
    "plain": (SMALL, False, False),
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
        ``lang``, ``theme``, ``title``, ``max_leaves``, as in :func:`plot`.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - an extra
        from matplotlib.backends.backend_pdf import FigureCanvasPdf  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError:
        raise CapabilityError("needs_plot") from None
    theme = str(style.pop("theme", "light"))
    if icicle:
        style.pop("max_leaves", None)  # an icicle folds nothing
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
) -> Axes:
    """Draw a tree on matplotlib's axes.

    Parameters
    ----------
    tree : TreeData
        The tree to draw.
    ax : Axes, optional
        The axes to draw on; text is scaled with the drawing. Default: the axes of a new figure,
        as large as the tree needs.
    lang, theme, title, max_leaves
        As in :func:`penjing.render.svg.write`.

    Returns
    -------
    Axes
        The axes with the drawing.
    """
    if ax is not None and not hasattr(ax, "get_window_extent"):
        raise WrongTypeError("not_axes", name="ax", value=ax)
    diagram = _build_diagram(tree, theme, lang=lang, title=title, max_leaves=max_leaves)
    if ax is None:
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


def _inches(diagram: Diagram | Icicle) -> tuple[float, float]:
    return diagram.width / PIXELS_PER_INCH, (diagram.height + HEADING_HEIGHT) / PIXELS_PER_INCH


def _draw_on(ax: Axes, diagram: Diagram | Icicle, theme: str) -> None:
    extent = ax.get_window_extent()
    scale = min(extent.width / diagram.width, extent.height / (diagram.height + HEADING_HEIGHT))
    _Painter(ax, THEMES[theme], scale * POINTS_PER_INCH / float(ax.figure.dpi)).draw(diagram)


class _Painter:
    """Draws a diagram; one unit of the axes is one pixel of the diagram."""

    def __init__(self, ax: Axes, theme: Theme, points_per_pixel: float) -> None:
        self.ax: Any = ax
        self.theme = theme
        self.points_per_pixel = points_per_pixel
        self.font_families = font_families()

    def draw(self, diagram: Diagram | Icicle) -> None:
        """Draw the heading, the edges, and on top of them the boxes."""
        ax = self.ax
        ax.set_xlim(0, diagram.width)
        ax.set_ylim(diagram.height + HEADING_HEIGHT, 0)
        ax.set_aspect("equal", adjustable="box", anchor="NW")
        ax.set_axis_off()
        ax.figure.set_facecolor(self.theme.background)
        self._heading(diagram.heading)
        if isinstance(diagram, Icicle):
            for bar in diagram.bars:
                self._rect(
                    (bar.x, bar.y + HEADING_HEIGHT, bar.width, LEVEL_HEIGHT - 1), bar.fill, "none"
                )
                self._text(bar.x + 4, bar.y + 14 + HEADING_HEIGHT, bar.name, SMALL, bold=True)
                self._text(bar.x + 4, bar.y + 28 + HEADING_HEIGHT, bar.branch_label, SMALL)
            return
        for box in diagram.boxes:
            if box.parent >= 0:
                self._edge(diagram.boxes[box.parent], box)
        for box in diagram.boxes:
            for part in box_parts(box, self.theme):
                self._part(part)

    def _heading(self, head: Heading) -> None:
        self._text(MARGIN, 30, head.title, 18, bold=True)
        self._text(MARGIN, 50, head.facts, SMALL + 1, muted=True)
        for colour, (x, text) in zip(PALETTE, legend_places(head.legend), strict=False):
            self._rect((x, 62, 12, 12), colour, self.theme.outline)
            self._text(x + 18, 72, text, SMALL + 1)

    def _edge(self, parent: Box, box: Box) -> None:
        from matplotlib.patches import PathPatch  # noqa: PLC0415 - an extra
        from matplotlib.path import Path  # noqa: PLC0415

        points = [(x, y + HEADING_HEIGHT) for x, y in edge_points(parent, box)]
        curve = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
        style = {"fill": False, "edgecolor": self.theme.edge, "zorder": 1}
        self.ax.add_patch(
            PathPatch(curve, linewidth=box.line_width * self.points_per_pixel, **style)
        )

    def _part(self, part: Label | Card | BarPiece) -> None:
        if isinstance(part, Label):
            size, bold, muted = _LOOKS[part.look]
            y = part.y + HEADING_HEIGHT
            self._text(part.x, y, part.text, size, bold=bold, muted=muted, at=part.anchor)
            return
        x, y, width, height = part.area
        if isinstance(part, Card):
            self._card((x, y + HEADING_HEIGHT, width, height), part)
            return
        colours = {
            "class": (PALETTE[part.colour_index], "none"),
            "line": ("none", self.theme.text),
            "outline": ("none", self.theme.outline),
        }
        self._rect((x, y + HEADING_HEIGHT, width, height), *colours[part.kind])

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
    ) -> None:
        if not text:
            return
        style = {
            "color": self.theme.muted if muted else self.theme.text,
            "family": self.font_families,
        }
        weight = "bold" if bold else "normal"
        place = {"ha": at, "va": "baseline", "zorder": 4, "parse_math": False}
        self.ax.text(
            x,
            y,
            to_printable(text),
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
