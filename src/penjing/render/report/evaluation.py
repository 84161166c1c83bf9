"""The sections about predictions: scores, confusion, ROC, calibration, lift, curves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from penjing.data.table import Table
from penjing.errors import PenjingError
from penjing.evaluate.curves import Curve
from penjing.evaluate.metrics import CHARTS, Report
from penjing.evaluate.number_report import NumberReport
from penjing.i18n import say
from penjing.registry import load
from penjing.render import curve_text
from penjing.render.charts.confusion import MAX_NAME
from penjing.render.charts.ticks import LABEL
from penjing.render.report.page import (
    LONG,
    NUMBER,
    PLAIN,
    Page,
    cell,
    joined_lines,
    preformatted,
    scrolled,
    text,
)
from penjing.text.font_metrics import clip_middle
from penjing.text.font_metrics import width as text_width
from penjing.text.formula import decimals
from penjing.text.labels import path_in_language, weight_text

CHART_WIDTH = 352.0
"""The width of charts: that of a telephone's screen without its margins."""
MAX_LEAVES = 100
"""Number of leaves whose lift is listed."""
MAX_CLASSES = 40
"""Maximum number of classes of a confusion matrix."""
MAX_HORIZONTAL_CLASSES = 6
MAX_HORIZONTAL_NAME = 110.0
"""With more classes or wider names, the headings of the table of confusion are vertical."""


def add_predictions(
    page: Page, name: str, heading: str, report: Report | NumberReport, warnings: Iterable[str] = ()
) -> None:
    """Add accuracy, baselines, scores and charts; for the tree itself also lift and gain."""
    lang = page.lang
    notes = "".join(f"<p class=warn>{text(line)}</p>" for line in warnings)
    if isinstance(report, NumberReport):
        body = notes + f"<p>{joined_lines(report.text(lang).splitlines())}</p>"
        body += _chart(page, "predictions", report)
        page.add_section(name, heading, body)
        return
    lines = [report.headline(lang), *report.score_lines(lang), *report.notes(lang)]
    body = f"{notes}<p>{joined_lines(lines)}</p><div class=charts>"
    for kind in CHARTS:
        if kind != "confusion" or len(report.classes) <= MAX_CLASSES:
            body += _chart(page, kind, report)
    body += "</div>"
    if len(report.classes) <= MAX_CLASSES:
        body += _class_scores(page, report) + _confusion(page, report)
    page.add_section(name, heading, body)
    if report.positive is not None and report.tree is not None:
        _add_lift(page, report)


def _chart(page: Page, kind: str, result: Any) -> str:  # noqa: ANN401 - what the chart shows
    """Return a chart, or nothing if it is undefined for these rows."""
    draw = load("chart", kind)
    style: dict[str, Any] = {"lang": page.lang, "width": CHART_WIDTH}
    try:
        title = draw(result, **style).title
    except PenjingError:
        return ""
    return page.figure(lambda theme: str(draw(result, theme=theme, **style).svg()), title)


def _confusion(page: Page, report: Report) -> str:
    """Return the confusion matrix as a table, for readers who cannot see the chart."""
    corner = f"{page.say('report_actual')} ↓ · {page.say('report_predicted')} →"
    names = [clip_middle(str(c), LABEL, MAX_NAME) for c in report.classes]
    is_narrow = max(text_width(name, LABEL) for name in names) <= MAX_HORIZONTAL_NAME
    is_horizontal = is_narrow and len(names) <= MAX_HORIZONTAL_CLASSES
    css_class = "n" if is_horizontal else "v"
    heads = "".join(f"<th scope=col class={css_class}>{text(name)}</th>" for name in names)
    rows = []
    for i, row in enumerate(report.confusion):
        cells = "".join(
            f'<td class="n{" hit" if i == j else ""}">{text(count_text(v))}</td>'
            for j, v in enumerate(row)
        )
        rows.append(f"<tr><th scope=row>{cell(report.classes[i])}</th>{cells}</tr>")
    body = f"<thead><tr><th>{corner}</th>{heads}</tr></thead><tbody>{''.join(rows)}</tbody>"
    is_dense = len(names) > MAX_HORIZONTAL_CLASSES
    table = f'<table class="{"dense" if is_dense else ""}">{body}</table>'
    summary = page.say("document_as_table", title=say("chart_confusion", page.lang))
    return f"<details><summary>{summary}</summary>{scrolled(corner, table)}</details>"


def _class_scores(page: Page, report: Report) -> str:
    """Return precision, recall and ranking of each class as a table, one class a line."""
    keys = ("precision", "recall", "f1", "roc_auc", "average_precision")
    lang = page.lang
    heads = [say(f"test_{key}", lang) for key in ("class", *keys, "support")]
    if report.has_weights:
        heads[-1] = say("rule_weight", lang)
    rows = []
    for score in report.per_class:
        shares = [getattr(score, key) for key in keys]
        cells = ["–" if share is None else decimals(share, 3) for share in shares]
        rows.append([str(score.class_), *cells, count_text(score.support)])
    kinds = [PLAIN, *[NUMBER] * (len(keys) + 1)]
    return page.table(say("document_by_class", lang), heads, rows, kinds, row_heads=True)


def _add_lift(page: Page, report: Report) -> None:
    """Add the leaves by the probability of the positive class."""
    lang, leaves, name = page.lang, report.lift(), str(report.positive)
    amount = say("rule_weight" if report.has_weights else "lift_rows", lang)
    heads = [f"p({name})", amount, name, say("lift_rate", lang, name=name)]
    heads += [say(f"lift_{key}", lang) for key in ("lift", "cumulative", "gain")]
    rows = []
    for leaf in leaves[:MAX_LEAVES]:
        cells = [decimals(leaf.probability, 3), count_text(leaf.rows)]
        cells += [count_text(leaf.positives), f"{100 * leaf.rate:.1f}%"]
        cells += ["–" if leaf.lift is None else decimals(leaf.lift, 2)]
        cells += [f"{100 * leaf.cumulative_rows:.1f}%"]
        cells += ["–" if leaf.gain is None else f"{100 * leaf.gain:.1f}%"]
        rows.append([*cells, path_in_language(leaf.rule, lang)])
    heads.append(say("summary_leaf", lang))
    kinds = [*[NUMBER] * 7, LONG]
    body = page.table(say("lift_title", lang), heads, rows, kinds)
    if (more := len(leaves) - len(rows)) > 0:
        body += f"<p class=f>{page.say('document_more', n=more)}</p>"
    page.add_section("lift", say("lift_title", lang), body)


def add_curves(page: Page, computations: Sequence[Callable[[], Curve]]) -> None:
    """Add curves and their numbers, or the reasons why they cannot be computed."""
    figures, details = "", ""
    for compute in computations:
        try:
            curve = compute()
        except PenjingError as problem:
            details += f"<p class=f>{text(problem.say(page.lang))}</p>"
            continue
        if not curve["points"]:
            continue
        figures += _chart(page, curve["kind"], curve)
        title = say(f"curve_{curve['kind']}", page.lang)
        details += f"<details><summary>{page.say('document_as_table', title=title)}</summary>"
        details += preformatted(curve_text.text(curve, page.lang)) + "</details>"
    if figures or details:
        body = f"<div class=charts>{figures}</div>{details}"
        page.add_section("curves", say("document_curves", page.lang), body)


def warning_sentences(page: Page, test: Table, keys: Iterable[str]) -> list[str]:
    """Return the sentences that rows of the test set were used for growing or pruning."""
    source = test.source.get("name", "")
    return [say(key, page.lang, source=source) for key in keys]


def count_text(weight: float) -> str:
    """Return the weight of rows, with a separator of thousands.

    Examples
    --------
    >>> count_text(12345.0), count_text(1.5)
    ('12,345', '1.5')
    """
    return f"{int(weight):,}" if weight == int(weight) else weight_text(weight)
