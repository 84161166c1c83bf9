"""The importance of the columns as bars."""

from __future__ import annotations

from collections.abc import Mapping

from penjing.i18n import say
from penjing.render.charts.axes import WIDTH, Style
from penjing.render.charts.bars import Bar, bars_chart
from penjing.render.charts.chart import Chart
from penjing.text.formula import decimals
from penjing.text.labels import quoted

MAX_BARS = 30
"""The number of columns that are drawn; how many are left out is said."""


def draw(
    importances: Mapping[str, float],
    *,
    lang: str = "en",
    theme: str = "light",
    title: str | None = None,
    width: float = WIDTH,
) -> Chart:
    """Return the importances, largest first, as bars; columns of importance 0 are counted.

    Parameters
    ----------
    importances : dict
        The importance of each column.
    lang, theme, title, width
        Language, theme, heading (default: what it shows), and the width in pixels.

    Examples
    --------
    >>> draw({"age": 0.75, "sex": 0.25}).title
    'Importance of the columns'
    """
    ordered = sorted(importances.items(), key=lambda item: -item[1])
    used = [item for item in ordered if item[1] != 0]
    bars = [Bar(quoted(name), value, _number(value)) for name, value in used[:MAX_BARS]]
    unused, hidden = len(ordered) - len(used), max(0, len(used) - MAX_BARS)
    facts = [] if bars else [say("chart_no_importance", lang)]
    facts += [say("chart_unused", lang, n=unused)] if unused and bars else []
    facts += [say("chart_hidden_columns", lang, n=hidden)] if hidden else []
    heading = say("chart_importance", lang) if title is None else title
    top = say("chart_largest", lang, name=bars[0].name, value=bars[0].text) if bars else ""
    style = Style(lang, theme, title, width)
    return bars_chart(
        "importance", bars, (heading, top), say("joined_sentences", lang).join(facts), style
    )


def _number(value: float) -> str:
    return f"-{decimals(-value)}" if value < 0 else decimals(value)
