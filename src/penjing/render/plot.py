"""A tree on matplotlib's axes, and through them as PNG or PDF; the only door to matplotlib."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from penjing.errors import CapabilityError, WrongTypeError, unknown_name_error
from penjing.render.diagram import MARGIN, MAX_LEAVES, NAME, SMALL, Box, Scene, scene_of
from penjing.render.icicle import HIGH, Icicle, icicle_of
from penjing.render.svg import PALETTE, THEMES, Head, Theme, darker, mixed
from penjing.text.font_metrics import width
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DPI = 100
"""Pixels to an inch: a figure of our own is as large as the SVG."""
POINTS = 72
"""Points to an inch: what matplotlib measures type in."""
LATIN = "DejaVu Sans"
CHINESE = (
    "Noto Sans CJK SC", "Source Han Sans SC", "Microsoft YaHei", "PingFang SC", "Hiragino Sans GB",
    "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "SimHei", "Noto Sans CJK JP", "Arial Unicode MS",
)  # fmt: skip
"""Faces with Chinese letters, the best first; those that are installed are asked."""
HEAD = 92.0
"""The room above the tree."""


def write(
    tree: TreeData,
    *,
    kind: str = "png",
    dpi: int = 2 * DPI,
    icicle: bool = False,
    **style: Any,  # noqa: ANN401
) -> bytes:
    """Return a tree as a picture: ``png`` or ``pdf``.

    Parameters
    ----------
    tree : TreeData
        What to draw.
    kind : str
        ``png`` or ``pdf``.
    dpi : int
        Pixels to an inch of a PNG; 100 is the size of the SVG.
    icicle : bool
        Draw every node as a rectangle below its parent.
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
        style.pop("max_leaves", None)  # it folds nothing
    scene = icicle_of(tree, theme, **style) if icicle else _scene(tree, theme, **style)
    figure: Any = Figure(figsize=_inches(scene), dpi=DPI)
    _drawn(figure.add_axes((0.0, 0.0, 1.0, 1.0)), scene, theme)
    held = io.BytesIO()
    canvas: Any
    # No dates: the same tree is the same file.
    if kind == "pdf":
        canvas = FigureCanvasPdf(figure)
        canvas.print_pdf(held, metadata={"CreationDate": None})
    else:
        figure.set_dpi(dpi)
        canvas = FigureCanvasAgg(figure)
        canvas.print_png(held, metadata={"Software": None})
    return held.getvalue()


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
        What to draw.
    ax : Axes, optional
        Where; a figure as large as the tree needs is made where none is given. On axes of
        your own, type is scaled with the drawing.
    lang, theme, title, max_leaves
        As in :func:`penjing.render.svg.write`.

    Returns
    -------
    Axes
        What was drawn on.
    """
    if ax is not None and not hasattr(ax, "get_window_extent"):
        raise WrongTypeError("not_axes", name="ax", value=ax)
    scene = _scene(tree, theme, lang=lang, title=title, max_leaves=max_leaves)
    if ax is None:
        try:
            import matplotlib.pyplot as plt  # noqa: PLC0415 - an extra; notebooks show its figures
        except ImportError:
            raise CapabilityError("needs_plot") from None
        figure = plt.figure(figsize=_inches(scene), dpi=DPI)
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    _drawn(ax, scene, theme)
    return ax


def _scene(tree: TreeData, theme: str, **style: Any) -> Scene:  # noqa: ANN401 - what `scene_of` takes
    if theme not in THEMES:
        raise unknown_name_error("unknown_plug", theme, THEMES, socket="theme")
    return scene_of(tree, **style)


def _inches(scene: Scene | Icicle) -> tuple[float, float]:
    return scene.wide / DPI, (scene.high + HEAD) / DPI


def _drawn(ax: Axes, scene: Scene | Icicle, theme: str) -> None:
    room = ax.get_window_extent()
    scale = min(room.width / scene.wide, room.height / (scene.high + HEAD))
    _Pen(ax, THEMES[theme], scale * POINTS / float(ax.figure.dpi)).draw(scene)


class _Pen:
    """Draws a scene; one unit of the axes is one pixel of the scene."""

    def __init__(self, ax: Axes, theme: Theme, points: float) -> None:
        self.ax: Any = ax
        self.theme = theme
        self.points = points
        self.faces = faces()

    def draw(self, scene: Scene | Icicle) -> None:
        """Draw everything, the arms below the boxes."""
        ax = self.ax
        ax.set_xlim(0, scene.wide)
        ax.set_ylim(scene.high + HEAD, 0)
        ax.set_aspect("equal", adjustable="box", anchor="NW")
        ax.set_axis_off()
        ax.figure.set_facecolor(self.theme.paper)
        if isinstance(scene, Icicle):
            self._head(scene.head)
            for bar in scene.bars:
                self._rect((bar.x, bar.y + HEAD, bar.wide, HIGH - 1), bar.fill, "none")
                self._text(bar.x + 4, bar.y + 14 + HEAD, bar.name, SMALL, bold=True)
                self._text(bar.x + 4, bar.y + 28 + HEAD, bar.answer, SMALL)
            return
        facts = " | ".join(filter(None, (scene.facts, scene.hidden)))
        self._head(Head(scene.title, facts, scene.legend))
        for box in scene.boxes:
            if box.parent >= 0:
                self._arm(scene.boxes[box.parent], box)
        for box in scene.boxes:
            self._box(box)

    def _head(self, head: Head) -> None:
        self._text(MARGIN, 30, head.title, 18, bold=True)
        self._text(MARGIN, 50, head.facts, SMALL + 1, faint=True)
        x = MARGIN
        for shade, (name, count) in zip(PALETTE, head.legend, strict=False):
            text = f"{name} ({count})" if count else name
            self._rect((x, 62, 12, 12), shade, self.theme.outline)
            self._text(x + 18, 72, text, SMALL + 1)
            x += width(text, SMALL + 1) + 34

    def _arm(self, parent: Box, box: Box) -> None:
        from matplotlib.patches import PathPatch  # noqa: PLC0415 - an extra
        from matplotlib.path import Path  # noqa: PLC0415

        x0, y0 = parent.x + parent.wide / 2, parent.y + parent.high + HEAD
        x1, y1 = box.x + box.wide / 2, box.y - 20 + HEAD
        middle = (y0 + y1) / 2
        way = Path(
            [(x0, y0), (x0, middle), (x1, middle), (x1, y1)],
            [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4],
        )
        look = {"fill": False, "edgecolor": self.theme.arm, "zorder": 1}
        self.ax.add_patch(PathPatch(way, linewidth=box.thick * self.points, **look))

    def _box(self, box: Box) -> None:
        theme, top = self.theme, box.y + HEAD
        centre, right = box.x + box.wide / 2, box.x + box.wide - 10
        self._text(centre, top - 6, box.answer, NAME - 2, bold=True, at="center")
        if box.kind == "question":
            self._card(box, 6, theme.card, theme.outline)
            self._text(box.x + 10, top + 18, box.name, NAME, bold=True)
            self._text(right, top + 18, box.note, SMALL, faint=True, at="right")
            self._bar(box, 10, 24, 9)
            self._text(box.x + 10, top + 47, box.lines[0], SMALL, faint=True)
            self._text(right, top + 47, box.lines[1], SMALL, faint=True, at="right")
            return
        shade = PALETTE[box.shade] if box.shade >= 0 else theme.outline
        fill = mixed(shade, theme.card, theme.tint) if box.shade >= 0 else theme.card
        outline = theme.ink if theme is THEMES["print"] else darker(shade, theme)
        self._card(box, 14, fill, outline)
        self._text(centre, top + 17, box.name, NAME, bold=True, at="center")
        self._text(centre, top + 31, box.lines[0], SMALL, at="center")
        self._bar(box, 12, 35, 4)

    def _card(self, box: Box, radius: float, fill: str, outline: str) -> None:
        from matplotlib.patches import FancyBboxPatch  # noqa: PLC0415 - an extra

        round_ = f"round,pad=0,rounding_size={radius}"
        look: dict[str, Any] = {
            "facecolor": fill,
            "edgecolor": outline,
            "linewidth": 1.2 * self.points,
        }
        dash = "--" if box.kind == "folded" else "-"
        place = (box.x, box.y + HEAD)
        patch = FancyBboxPatch(
            place, box.wide, box.high, boxstyle=round_, linestyle=dash, zorder=2, **look
        )
        self.ax.add_patch(patch)

    def _bar(self, box: Box, inset: float, top: float, high: float) -> None:
        if not box.bar:
            return
        at, y, wide = box.x + inset, box.y + HEAD + top, box.wide - 2 * inset
        before = -1
        for shade, share in box.bar:
            self._rect((at, y, wide * share, high), PALETTE[shade], "none")
            if shade == before:
                self._rect((at, y, 0, high), "none", self.theme.ink)
            at, before = at + wide * share, shade
        self._rect((box.x + inset, y, wide, high), "none", self.theme.outline)

    def _rect(self, area: tuple[float, float, float, float], fill: str, outline: str) -> None:
        from matplotlib.patches import Rectangle  # noqa: PLC0415 - an extra

        x, y, wide, high = area
        look: dict[str, Any] = {
            "facecolor": fill,
            "edgecolor": outline,
            "linewidth": 0.75 * self.points,
        }
        self.ax.add_patch(Rectangle((x, y), wide, high, zorder=3, **look))

    def _text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        *,
        bold: bool = False,
        faint: bool = False,
        at: str = "left",
    ) -> None:
        if not text:
            return
        plain = "".join(c if c.isprintable() else " " for c in text)
        look = {"color": self.theme.faint if faint else self.theme.ink, "family": self.faces}
        weight = "bold" if bold else "normal"
        place = {"ha": at, "va": "baseline", "zorder": 4, "parse_math": False}
        self.ax.text(x, y, plain, fontsize=size * self.points, weight=weight, **look, **place)


def faces() -> list[str]:
    """Return the faces to write in: one for Latin, then those installed that have Chinese."""
    from matplotlib.font_manager import fontManager  # noqa: PLC0415 - an extra

    known = {font.name for font in fontManager.ttflist}
    if not known & set(CHINESE):
        for path in _installed():  # matplotlib looks only once for what is installed
            fontManager.addfont(path)
        known = {font.name for font in fontManager.ttflist}
    return [LATIN, *(name for name in CHINESE if name in known)][:3]


def _installed() -> Iterator[str]:
    """Yield the files of installed faces that have Chinese letters, by their names."""
    from matplotlib.font_manager import findSystemFonts  # noqa: PLC0415 - an extra

    marks = ("cjk", "sourcehan", "msyh", "pingfang", "hiragino", "wqy", "simhei", "arialuni")
    for path in sorted(findSystemFonts()):
        if any(mark in path.lower().replace(" ", "") for mark in marks):
            yield path
