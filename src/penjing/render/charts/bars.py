"""Horizontal bars with names on the left and numbers on the right; other charts are made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from penjing.i18n import say
from penjing.render.charts.axes import MARGIN, Style, chart_of, heading
from penjing.render.charts.chart import Chart
from penjing.render.charts.shapes import Line, Rect, Shape, Text
from penjing.render.charts.ticks import LABEL
from penjing.text.direction import isolated
from penjing.text.font_metrics import clip_middle
from penjing.text.font_metrics import width as text_width

BAR, STEP = 14.0, 24.0
"""The height of a bar, and the distance between two."""
MAX_NAME_SHARE = 0.42
"""The share of the width that names may take."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its name, its length, and the text of its number."""

    name: str
    value: float
    text: str
    is_marked: bool = False


def bars_chart(
    kind: str, bars: Sequence[Bar], texts: tuple[str, str], facts: str, style: Style
) -> Chart:
    """Return a chart of bars; negative ones extend to the left of a common line."""
    shapes, top = heading(texts[0], facts, style.width)
    names = [
        clip_middle(bar.name, LABEL, MAX_NAME_SHARE * style.width, bold=bar.is_marked)
        for bar in bars
    ]
    name_room = max((text_width(name, LABEL, bold=True) for name in names), default=0.0)
    number_room = max((text_width(bar.text, LABEL) for bar in bars), default=0.0)
    left = MARGIN + name_room + 12
    room = max(style.width - left - number_room - 12 - MARGIN, 40.0)
    low = min(0.0, *(bar.value for bar in bars)) if bars else 0.0
    high = max(0.0, *(bar.value for bar in bars)) if bars else 1.0
    scale = room / (high - low) if high > low else 0.0
    zero = left - low * scale
    colon = say("label_colon", style.lang)
    y = top
    for bar, name in zip(bars, names, strict=True):
        shapes += _bar_shapes(bar, name, (left, zero, y), (scale, zero + high * scale), colon)
        y += STEP
    if bars:
        shapes.append(Line(((zero, top - 2), (zero, y - STEP + BAR + 4)), "outline"))
    return chart_of(kind, texts, shapes, (style.width, y + 8), style)


def _bar_shapes(
    bar: Bar,
    name: str,
    place: tuple[float, float, float],
    scale: tuple[float, float],
    colon: str,
) -> list[Shape]:
    left, zero, y = place
    length = bar.value * scale[0]
    values = (("name", bar.name), ("value", repr(float(bar.value))))
    return [
        Text(left - 8, y + 11, name, LABEL, "end", is_bold=bar.is_marked),
        Rect(
            min(zero, zero + length),
            y,
            abs(length),
            BAR,
            "k0" if bar.is_marked else "heat:0.55",
            "outline",
            0.75,
            values=values,
            tooltip=f"{isolated(bar.name)}{colon}{bar.text}",
        ),
        Text(scale[1] + 8, y + 11, bar.text, LABEL),
    ]
