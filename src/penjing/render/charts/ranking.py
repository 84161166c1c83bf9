"""ROC and precision-recall curves, of the positive class or of each class against the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penjing.data.source import Label
from penjing.errors import ChoiceError
from penjing.evaluate.metrics import Report, class_code
from penjing.evaluate.probability_scores import RankedRows
from penjing.i18n import say
from penjing.render.charts.axes import WIDTH, Frame, Style
from penjing.render.charts.chart import Chart
from penjing.render.charts.shapes import Line, Mark, Shape
from penjing.render.charts.square import Extent, square_chart, square_frame, square_style
from penjing.render.class_colours import (
    OTHER_CLASSES,
    OWN_COLOURS,
    colour_indices,
    order_by_name,
    palette_indices,
)
from penjing.text.direction import isolated

Points = list[tuple[float, float]]
MAX_MARKS = 40
"""With more points, a curve is a line without marks."""
_DASHES = ("", "7 3", "2 3", "9 3 2 3")


@dataclass(frozen=True, slots=True)
class _Curve:
    """The curve of one class; ``share`` is the share of its rows."""

    name: str
    area: float | None
    points: Points
    colour_index: int
    share: float


def draw_roc(
    report: Report,
    *,
    positive: Label | None = None,
    lang: str = "en",
    theme: str = "light",
    title: str | None = None,
    width: float = WIDTH,
) -> Chart:
    """Return the ROC curve; of more than two classes one for each of the largest seven.

    Parameters
    ----------
    report : Report
        The report on predicted classes.
    positive : object, optional
        The class to draw; default: that of the report.
    lang, theme, title, width
        Language, theme, heading, and the width in pixels.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> draw_roc(penjing.fit(fish, max_depth=1).score(fish)).kind
    'roc'
    """
    style = square_style(lang, theme, title, width)
    return _draw("roc", report, positive, style)


def draw_precision_recall(
    report: Report,
    *,
    positive: Label | None = None,
    lang: str = "en",
    theme: str = "light",
    title: str | None = None,
    width: float = WIDTH,
) -> Chart:
    """Return the precision-recall curve; the parameters are those of `draw_roc`.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> draw_precision_recall(penjing.fit(fish, max_depth=1).score(fish)).kind
    'precision_recall'
    """
    style = square_style(lang, theme, title, width)
    return _draw("precision_recall", report, positive, style)


def roc_points(rows: RankedRows) -> Points:
    """Return the points (false positive rate, true positive rate), from (0, 0) to (1, 1).

    Examples
    --------
    >>> roc_points(RankedRows(np.array([0.2, 0.9]), np.array([0.0, 2.0]), np.array([3.0, 1.0])))
    [(0.0, 0.0), (0.25, 1.0), (1.0, 1.0)]
    """
    positive = np.cumsum(rows.positive[::-1]) / rows.positive.sum()
    negative = np.cumsum(rows.negative[::-1]) / rows.negative.sum()
    return [(0.0, 0.0), *zip(negative.tolist(), positive.tolist(), strict=True)]


def precision_recall_points(rows: RankedRows) -> Points:
    """Return the points (recall, precision), highest probability first.

    Examples
    --------
    >>> rows = RankedRows(np.array([0.2, 0.9]), np.array([1.0, 1.0]), np.array([2.0, 0.0]))
    >>> precision_recall_points(rows)
    [(0.5, 1.0), (1.0, 0.5)]
    """
    positive, negative = np.cumsum(rows.positive[::-1]), np.cumsum(rows.negative[::-1])
    recall, precision = positive / positive[-1], positive / (positive + negative)
    return list(zip(recall.tolist(), precision.tolist(), strict=True))


def _draw(kind: str, report: Report, positive: Label | None, style: Style) -> Chart:
    if report.groups is None:
        raise ChoiceError("no_probabilities")
    curves = _curves(kind, report, positive)
    lang = style.lang
    if not curves:
        raise ChoiceError("chart_one_class", kind=say(f"chart_{kind}", lang))
    texts = (
        style.title or say(f"chart_{kind}", lang),
        _facts(kind, report, curves, positive, lang),
    )
    area = "test_roc_auc" if kind == "roc" else "test_average_precision"
    entries = [
        (f"line{curve.colour_index}", _DASHES[i % len(_DASHES)], _entry(curve, area, lang))
        for i, curve in enumerate(curves)
    ]
    # The precision of chance is the share of the class: of several classes there is no one line.
    has_chance = kind == "roc" or len(curves) == 1
    if has_chance:
        entries.append(("muted", "3 3", say(f"chart_{kind}_chance", lang)))
    x, y = (Extent(say(f"chart_{kind}_{axis}", lang), low=0.0, high=1.0) for axis in ("x", "y"))
    shapes, frame = square_frame(texts, entries, x, y, style.width)
    if has_chance:
        shapes.append(_chance(kind, curves[0], frame))
    for i, curve in enumerate(curves):
        shapes += _curve_shapes(kind, curve, i, frame, lang)
    return square_chart(kind, texts, shapes, frame, style)


def _entry(curve: _Curve, area: str, lang: str) -> str:
    if curve.area is None:
        return curve.name
    return f"{isolated(curve.name)}{say('label_colon', lang)}{say(area, lang)} {curve.area:.3f}"


def _curves(kind: str, report: Report, positive: Label | None) -> list[_Curve]:
    """Return the curves of the classes that are drawn, largest first.

    Of many classes, those with a colour of their own are drawn: the largest of the training rows.
    """
    assert report.groups is not None
    indices = _colour_indices(report)
    if positive is None and len(report.classes) == 2:
        positive = report.positive
    if positive is not None:
        codes = [class_code(positive, report.classes)]
    else:
        support = [score.support for score in report.per_class]
        coloured = [k for k, i in enumerate(indices) if indices.count(i) == 1]
        by_size = sorted(coloured, key=lambda k: (indices[k] == OTHER_CLASSES, -support[k]))
        codes = by_size[:OWN_COLOURS]
    curves = []
    for code in codes:
        rows = report.groups.ranked(code)
        if not rows.is_mixed:
            continue
        score = report.per_class[code]
        is_roc = kind == "roc"
        points = roc_points(rows) if is_roc else precision_recall_points(rows)
        area = score.roc_auc if is_roc else score.average_precision
        share = float(score.support) / sum(float(s.support) for s in report.per_class)
        curves.append(_Curve(str(score.class_), area, points, indices[code], share))
    return curves


def _colour_indices(report: Report) -> list[int]:
    """Return the colour of each class, as in pictures of the tree."""
    if report.tree is None:
        weight = [float(score.support) for score in report.per_class]
        return palette_indices(order_by_name(report.classes), weight)
    # Classes that only these rows have come last.
    n_unseen = len(report.classes) - len(report.tree.classes)
    return colour_indices(report.tree) + [OTHER_CLASSES] * n_unseen


def _facts(
    kind: str, report: Report, curves: list[_Curve], positive: Label | None, lang: str
) -> str:
    facts = say("rows", lang, n=report.n)
    if positive is None and (hidden := len(report.classes) - len(curves)) and len(curves) > 1:
        facts += say("joined_sentences", lang) + say("chart_hidden_classes", lang, n=hidden)
    if len(curves) == 1:
        key = "test_roc_auc" if kind == "roc" else "test_average_precision"
        facts += say("joined_sentences", lang) + _entry(curves[0], key, lang)
    return facts


def _chance(kind: str, curve: _Curve, frame: Frame) -> Line:
    """Return the line of predictions by chance: the diagonal, or the share of the class."""
    low, high = (0.0, 1.0) if kind == "roc" else (curve.share, curve.share)
    ends = ((0.0, low), (1.0, high))
    return Line(tuple(frame.at(*end) for end in ends), "muted", 1.0, "3 3")


def _curve_shapes(kind: str, curve: _Curve, index: int, frame: Frame, lang: str) -> list[Shape]:
    points = curve.points
    drawn = points if kind == "roc" else _steps(points)
    colon, comma = say("label_colon", lang), say("list_comma", lang)
    role = f"line{curve.colour_index}"
    shapes: list[Shape] = [
        Line(tuple(frame.at(*p) for p in drawn), role, 2.0, _DASHES[index % len(_DASHES)])
    ]
    if len(points) <= MAX_MARKS:
        shapes += [
            Mark(
                *frame.at(x, y), 3.0, role,
                values=(("class", curve.name), ("x", repr(x)), ("y", repr(y))),
                tooltip=f"{isolated(curve.name)}{colon}{x:.3f}{comma}{y:.3f}",
            )
            for x, y in points
        ]  # fmt: skip
    return shapes


def _steps(points: Points) -> Points:
    """Return the corners of a curve whose precision is constant up to each recall."""
    corners: Points = []
    last = 0.0
    for recall, precision in points:
        corners += [(last, precision), (recall, precision)]
        last = recall
    return corners
