"""A chart as a PNG or PDF file, drawn with matplotlib from the same shapes as the SVG."""

from __future__ import annotations

import io
from typing import Any

from penjing.errors import CapabilityError
from penjing.render.charts.chart import Chart
from penjing.render.charts.shapes import Line, Mark, Rect, Shape, Text, colour_of
from penjing.render.missing_glyphs import Fonts
from penjing.render.plot import PIXELS_PER_INCH, POINTS_PER_INCH, font_families
from penjing.render.theme import Theme, find_theme

_POINTS = POINTS_PER_INCH / PIXELS_PER_INCH
_ANCHORS = {"start": "left", "middle": "center", "end": "right"}
_MARKERS = {"circle": "o", "ring": "o", "square": "s", "diamond": "D"}


def write(chart: Chart, kind: str, *, dpi: int) -> bytes:
    """Return the bytes of a file of this kind, ``png`` or ``pdf``."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - an extra
        from matplotlib.backends.backend_pdf import FigureCanvasPdf  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError:
        raise CapabilityError("needs_plot") from None
    theme = find_theme(chart.theme)
    size = (chart.width / PIXELS_PER_INCH, chart.height / PIXELS_PER_INCH)
    figure: Any = Figure(figsize=size, dpi=PIXELS_PER_INCH, facecolor=theme.background)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0, chart.width)
    axes.set_ylim(chart.height, 0)
    axes.set_axis_off()
    fonts = Fonts(font_families())
    for order, shape in enumerate(chart.shapes):
        _draw(axes, shape, theme, order + 1, fonts)
    fonts.record_missing()
    buffer = io.BytesIO()
    canvas: Any
    # No dates: the same chart gives the same file.
    if kind == "pdf":
        canvas = FigureCanvasPdf(figure)
        canvas.print_pdf(buffer, metadata={"CreationDate": None})
    else:
        figure.set_dpi(dpi)
        canvas = FigureCanvasAgg(figure)
        canvas.print_png(buffer, metadata={"Software": None})
    return buffer.getvalue()


def _draw(axes: Any, shape: Shape, theme: Theme, order: int, fonts: Fonts) -> None:  # noqa: ANN401
    from matplotlib.patches import FancyBboxPatch, Rectangle  # noqa: PLC0415 - an extra

    def colour(role: str) -> str:
        return role if role.startswith("#") else colour_of(role, theme)

    if isinstance(shape, Text):
        axes.text(
            shape.x,
            shape.y,
            fonts.text(shape.text),
            fontsize=shape.size * _POINTS,
            color=colour(shape.colour),
            weight="bold" if shape.is_bold else "normal",
            ha=_ANCHORS[shape.anchor],
            va="baseline",
            rotation=90 if shape.is_turned else 0,
            rotation_mode="anchor",
            family=fonts.families,
            zorder=order,
            parse_math=False,
        )
    elif isinstance(shape, Line):
        dashes: Any = (0, [float(part) for part in shape.dashes.split()]) if shape.dashes else "-"
        axes.plot(
            *zip(*shape.points, strict=True),
            color=colour(shape.colour),
            linewidth=shape.width * _POINTS,
            linestyle=dashes,
            alpha=shape.opacity,
            zorder=order,
        )
    elif isinstance(shape, Rect):
        style: dict[str, Any] = {
            "facecolor": colour(shape.fill),
            "edgecolor": colour(shape.stroke),
            "linewidth": 0 if shape.stroke == "none" else shape.stroke_width * _POINTS,
            "zorder": order,
        }
        area = (shape.x, shape.y), shape.width, shape.height
        if shape.radius:
            box = f"round,pad=0,rounding_size={min(shape.radius, shape.width / 2)}"
            axes.add_patch(FancyBboxPatch(*area, boxstyle=box, **style))
        else:
            axes.add_patch(Rectangle(*area, **style))
    else:
        _draw_mark(axes, shape, colour(shape.fill), colour(shape.stroke), order)


def _draw_mark(axes: Any, shape: Mark, fill: str, stroke: str, order: int) -> None:  # noqa: ANN401
    is_ring = shape.shape == "ring"
    edge = fill if is_ring else stroke
    axes.plot(
        [shape.x],
        [shape.y],
        marker=_MARKERS[shape.shape],
        markersize=2 * shape.radius * _POINTS,
        markerfacecolor="none" if is_ring else fill,
        markeredgecolor=edge,
        markeredgewidth=2 * _POINTS if is_ring else (0 if edge == "none" else _POINTS),
        linestyle="none",
        zorder=order,
    )
