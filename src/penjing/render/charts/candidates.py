"""The scores of a node's candidate columns as bars; the chosen one is marked."""

from __future__ import annotations

from typing import Any

from penjing.explain.node_text import heading_key, node_location
from penjing.i18n import say
from penjing.render.charts.axes import WIDTH, Style
from penjing.render.charts.bars import Bar, bars_chart
from penjing.render.charts.chart import Chart
from penjing.render.value_scale import short_number
from penjing.text.formula import decimals
from penjing.text.labels import quoted
from penjing.text.phrases import rows_of

MAX_BARS = 30
LEAST_IN_FULL, MOST_IN_FULL = 0.001, 1e6
"""Scores have four decimals if the largest lies between, else four significant digits."""


def score_text(score: float, largest: float) -> str:
    """Return a score in as many digits as the largest beside it needs.

    Examples
    --------
    >>> score_text(0.05, 0.5), score_text(5e-8, 5e-7)
    ('0.0500', '5e-08')
    """
    in_full = LEAST_IN_FULL <= largest < MOST_IN_FULL or largest == 0
    return decimals(score) if in_full else short_number(score, 4)


def draw(
    explanation: dict[str, Any],
    *,
    lang: str = "en",
    theme: str = "light",
    title: str | None = None,
    width: float = WIDTH,
) -> Chart:
    """Return the score that each column had in a node, best first.

    Parameters
    ----------
    explanation : dict
        What :func:`penjing.explain.node.explain` returns.
    lang, theme, title, width
        Language, theme, heading (default: the node), and the width in pixels.

    Examples
    --------
    >>> import penjing
    >>> why = penjing.fit(penjing.example("fish")).why()
    >>> draw(why.told).kind
    'candidates'
    """
    scored = [c for c in explanation["candidates"] if c.get("score") is not None]
    scored.sort(key=lambda c: (not c["is_chosen"], -c["score"]))
    largest = max((abs(c["score"]) for c in scored), default=0.0)
    bars = [
        Bar(
            quoted(c["column"]),
            c["score"],
            score_text(c["score"], largest),
            bool(c["is_chosen"]),
        )
        for c in scored[:MAX_BARS]
    ]
    key = {"gain": "gain", "gain_ratio": "ratio"}.get(explanation["criterion"], "score")
    measure = say(heading_key(key, explanation), lang)
    rows = rows_of(explanation["rows"], lang, is_weight="is_weight" in explanation)
    facts = say("chart_node_facts", lang, rows=rows, measure=measure)
    n_excluded = sum(c.get("score") is None for c in explanation["candidates"])
    if n_excluded or not bars:
        key = "chart_excluded_columns" if bars else "chart_no_candidates"
        facts += say("joined_sentences", lang) + say(key, lang, n=n_excluded)
    hidden = len(scored) - len(bars)
    if hidden:
        facts += say("joined_sentences", lang) + say("chart_hidden_columns", lang, n=hidden)
    heading = title or say("chart_candidates", lang, node=node_location(explanation, lang))
    style = Style(lang, theme, title, width)
    return bars_chart("candidates", bars, (heading, facts), facts, style)
