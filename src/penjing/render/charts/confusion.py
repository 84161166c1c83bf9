"""The confusion matrix as a heat map: actual classes down, predicted classes across."""

from __future__ import annotations

from penjing.data.statistics import format_count
from penjing.evaluate.metrics import Report
from penjing.i18n import say
from penjing.render.charts.axes import MARGIN, WIDTH, Style, chart_of, heading
from penjing.render.charts.chart import Chart
from penjing.render.charts.shapes import Rect, Shape, Text, text_on
from penjing.render.charts.ticks import LABEL
from penjing.render.theme import find_theme
from penjing.text.font_metrics import clip_middle
from penjing.text.font_metrics import width as text_width
from penjing.text.phrases import rows_of

SMALLEST_CELL, LARGEST_CELL = 20.0, 84.0
CELL_HEIGHT = 44.0
MAX_NAME = 150.0
"""Longer names of classes are clipped; tooltips have them in full."""
SMALLEST_WIDTH = 420.0
"""What a heading needs."""
COUNT = 11.0
"""The size of counts."""


def draw(
    report: Report,
    *,
    lang: str = "en",
    theme: str = "light",
    title: str | None = None,
    width: float = WIDTH,
) -> Chart:
    """Return the confusion matrix; the shade is the share of the actual class.

    Parameters
    ----------
    report : Report
        The report on predicted classes.
    lang, theme, title, width
        Language, theme, heading, and the width in pixels, which grows with the classes.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> draw(penjing.fit(fish, max_depth=1).score(fish)).kind
    'confusion'
    """
    names = [clip_middle(str(class_), LABEL, MAX_NAME) for class_ in report.classes]
    n = len(names)
    widest = max(text_width(name, LABEL) for name in names)
    counts = max(text_width(format_count(v), COUNT) for row in report.confusion for v in row)
    left = MARGIN + 24 + widest + 8
    cell = min(max((width - left - MARGIN) / n, SMALLEST_CELL, counts + 6), LARGEST_CELL)
    height = min(CELL_HEIGHT, max(cell, SMALLEST_CELL))
    is_turned = any(text_width(name, LABEL) > cell - 6 for name in names)
    total = max(left + n * cell + MARGIN, min(width, SMALLEST_WIDTH))
    style = Style(lang, theme, title, total)
    texts = (title or say("chart_confusion", lang), report.headline(lang))
    shapes, top = heading(texts[0], texts[1], total)
    middle = left + n * cell / 2
    shapes.append(Text(middle, top + 8, say("report_predicted", lang), LABEL, "middle"))
    top += 18 + (widest + 10 if is_turned else 18)
    down = top + n * height / 2
    shapes.append(Text(26, down, say("report_actual", lang), LABEL, "middle", is_turned=True))
    for k, name in enumerate(names):
        x = left + (k + 0.5) * cell
        shapes.append(
            Text(x + 4, top - 6, name, LABEL, is_turned=True)
            if is_turned
            else Text(x, top - 8, name, LABEL, "middle")
        )
        y = top + (k + 0.5) * height + 4
        shapes.append(Text(left - 8, y, name, LABEL, "end"))
    shapes += _cells(report, (left, top), (cell, height), style)
    return chart_of("confusion", texts, shapes, (total, top + n * height + MARGIN), style)


def _cells(
    report: Report, place: tuple[float, float], size: tuple[float, float], style: Style
) -> list[Shape]:
    shapes: list[Shape] = []
    theme = find_theme(style.theme)
    for i, row in enumerate(report.confusion):
        total = sum(row)
        for j, count in enumerate(row):
            share = count / total if total else 0.0
            x, y = place[0] + j * size[0], place[1] + i * size[1]
            actual, predicted = str(report.classes[i]), str(report.classes[j])
            text = format_count(count)
            shade = f"heat:{share:.4f}"
            tooltip = say(
                "chart_cell", style.lang, actual=actual, predicted=predicted,
                rows=rows_of(count, style.lang, is_weight=report.has_weights),
                share=f"{100 * share:.1f}%",
            )  # fmt: skip
            values = (("actual", actual), ("predicted", predicted), ("count", repr(count)))
            shapes.append(
                Rect(
                    x, y, *size, shade, "text" if i == j else "edge", 1.2 if i == j else 0.5,
                    values=values, tooltip=tooltip,
                )
            )  # fmt: skip
            if count or len(report.classes) <= 10:
                ink = text_on(shade, theme)
                middle = y + size[1] / 2 + 4
                shapes.append(
                    Text(x + size[0] / 2, middle, text, COUNT, "middle", ink, is_bold=i == j)
                )
    return shapes
