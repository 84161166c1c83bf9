"""The lines of a report on predicted classes: accuracy, scores, classes, confusion table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from penjing.data.source import Label
from penjing.data.statistics import format_count, percent
from penjing.evaluate.baseline import Baseline
from penjing.evaluate.probability_scores import ProbabilityScores, macro, weighted
from penjing.formatting.text_table import max_width, table_lines
from penjing.i18n import say
from penjing.text.formula import decimals
from penjing.text.labels import quoted, weight_text
from penjing.text.phrases import join_names

if TYPE_CHECKING:
    from penjing.evaluate.metrics import Report

MOST_CLASSES_NAMED = 5
"""How many classes a sentence names."""


def accuracy_line(report: Report, lang: str) -> str:
    """Return the accuracy with its interval."""
    low, high = interval_percents(report.interval)
    return say(
        "report_accuracy",
        lang,
        correct=format_count(report.correct),
        of=format_count(report.weight),
        percent=accuracy_percent(report.correct, report.weight, report.interval),
        low=low,
        high=high,
    )


def accuracy_percent(correct: float, n: float, interval: tuple[float, float]) -> str:
    """Return an accuracy in percent; its interval as it is printed contains it.

    Examples
    --------
    >>> accuracy_percent(7, 10, (0.397, 0.892)), accuracy_percent(9999, 10000, (0.9994, 0.99998))
    ('70', '99.99')
    """
    text = percent(correct, n)
    low, high = interval_percents(interval)
    if float(low) <= float(text) <= float(high):
        return text
    digits = _interval_digits(interval)
    step = 10.0**-digits
    return f"{min(max(100 * correct / n, step), 100 - step):.{digits}f}"


def interval_percents(interval: tuple[float, float]) -> tuple[str, str]:
    """Return the ends of an interval in percent, with the decimals that its width warrants.

    Examples
    --------
    >>> interval_percents((0.361, 0.784)), interval_percents((0.8512, 0.8688))
    (('36', '78'), ('85.1', '86.9'))
    """
    low, high = interval
    digits = _interval_digits(interval)
    return f"{100 * low:.{digits}f}", f"{100 * high:.{digits}f}"


def _interval_digits(interval: tuple[float, float]) -> int:
    width = interval[1] - interval[0]
    if width >= 0.01:
        return 0 if width >= 0.1 else 1
    return max(2, math.ceil(-math.log10(width)) - 2) if width > 0 else 2


def score_lines(report: Report, lang: str) -> list[str]:
    """Return the lines of the baselines and of the scores of probabilities."""
    lines = []
    if report.baseline is not None:
        lines.append(_baseline_line(report.baseline, lang))
    if report.scores is not None:
        positive = report.positive if len(report.classes) == 2 else None
        lines.append(_scores_line(report.scores, positive, lang))
    return lines


def class_table(report: Report, lang: str, *, full: bool) -> list[str]:
    """Return the lines of a table with precision, recall and F1 of each class."""
    names = ["precision", "recall", "f1"]
    names += ["roc_auc", "average_precision"] if full and report.scores is not None else []
    by_class = report.per_class
    support = [float(score.support) for score in by_class]
    columns = {name: [getattr(score, name) for score in by_class] for name in names}
    head = [say(f"test_{name}", lang) for name in ("class", *names, "support")]
    if report.has_weights:
        head[-1] = say("rule_weight", lang)
    rows = [
        [
            quoted(score.class_),
            *(_share(columns[name][i]) for name in names),
            say("plain_count", lang, n=weight_text(support[i])),
        ]
        for i, score in enumerate(by_class)
    ]
    if full:
        total = say("plain_count", lang, n=weight_text(sum(support)))
        means = [macro(columns[name]) for name in names]
        rows.append([say("test_macro", lang), *map(_share, means), total])
        means = [weighted(columns[name], support) for name in names]
        rows.append([say("test_weighted", lang), *map(_share, means), total])
    return table_lines([head, *rows])


def confusion_table(report: Report, lang: str) -> list[str]:
    """Return the lines of the confusion table, actual down and predicted across."""
    texts = [(class_, str(class_)) for class_ in report.classes]
    names = [text if text.isprintable() else quoted(class_) for class_, text in texts]
    cells = [[format_count(v) for v in row] for row in report.confusion]
    sides = [say("report_actual", lang), *(f"  {name}" for name in names)]
    rows = [[side, *row] for side, row in zip(sides, [names, *cells], strict=True)]
    head = " " * (max_width(sides, 11) + 3) + say("report_predicted", lang)
    lines = [head, *table_lines(rows, least_name=11, least=6)]
    return [line.rstrip() for line in lines]


def undefined_figures(report: Report, lang: str) -> list[str]:
    """Return sentences about figures that are undefined, and about classes left out."""
    support = [sum(row) for row in report.confusion]
    present = [c for c, n in zip(report.classes, support, strict=True) if n > 0]
    n_known = len(report.classes) if report.groups is None else report.groups.n_known
    notes = []
    if report.scores is not None and len(present) == 1:
        notes.append(say("undefined_one_class", lang, name=quoted(present[0])))
    if unknown := report.classes[n_known:]:
        notes.append(_about_classes("undefined_unknown", unknown, lang))
    absent = [c for c in report.classes[:n_known] if c not in present]
    if absent and len(present) > 1:
        notes.append(_about_classes("undefined_absent", absent, lang))
    return notes


def _share(value: float | None) -> str:
    return "–" if value is None else decimals(value, 3)


def _about_classes(key: str, classes: Sequence[Label], lang: str) -> str:
    """Return a sentence about classes; of many, the first ones are named."""
    shown = [quoted(class_) for class_ in classes[:MOST_CLASSES_NAMED]]
    more = ["…"] if len(classes) > MOST_CLASSES_NAMED else []
    return say(key, lang, n=len(classes), names=join_names([*shown, *more], lang))


def _baseline_line(baseline: Baseline, lang: str) -> str:
    share = percent(baseline.accuracy, 1)
    line = say("report_baseline", lang, percent=share, name=quoted(baseline.class_))
    if baseline.column_accuracy is None:
        return line
    share = percent(baseline.column_accuracy, 1)
    if baseline.column is None:
        return line + say("report_baseline_split_folds", lang, percent=share)
    return line + say("report_baseline_split", lang, percent=share, column=quoted(baseline.column))


def _scores_line(scores: ProbabilityScores, positive: Label | None, lang: str) -> str:
    area, precision = _share(scores.roc_auc), _share(scores.average_precision)
    interval = scores.intervals["roc_auc"]
    if interval is not None:
        low, high = map(_share, interval)
        area += say("report_bounds", lang, low=low, high=high)
    if positive is not None:
        precision += say("report_of_class", lang, name=quoted(positive))
    values = {"log_loss": _share(scores.log_loss), "brier": _share(scores.brier_score)}
    key = "report_scores" if positive is not None else "report_scores_macro"
    return say(key, lang, roc_auc=area, pr_auc=precision, **values)
