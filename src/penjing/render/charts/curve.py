"""Learning and pruning curves: lines with error bars, the tree's own size, and the 1-SE choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from penjing.i18n import say
from penjing.render.charts.axes import (
    AXIS_HEIGHT,
    MARGIN,
    WIDTH,
    Frame,
    Style,
    chart_of,
    heading,
    left_room,
    legend,
    number_axis,
)
from penjing.render.charts.chart import Chart
from penjing.render.charts.shapes import Line, Mark, Shape, Values

HEIGHT = 260.0
_DASHES = {"train": "7 4", "test": ""}
_MARKS = {"train": "square", "test": "circle"}
_ROLES = {"train": "line1", "test": "line0"}


@dataclass(frozen=True, slots=True)
class _Series:
    """One line: ``train`` or ``test``, and its points (x, y, standard error or None)."""

    name: str
    points: tuple[tuple[float, float, float | None], ...]


def draw(
    curve: dict[str, Any],
    *,
    lang: str = "en",
    theme: str = "light",
    title: str | None = None,
    width: float = WIDTH,
) -> Chart:
    """Return a learning or pruning curve.

    Parameters
    ----------
    curve : dict
        A curve of :mod:`penjing.evaluate.curves`.
    lang, theme, title, width
        Language, theme, heading (default: the kind of the curve), and the width in pixels.

    Examples
    --------
    >>> points = [{"rows": 10, "train": 1.0, "test": 0.5}, {"rows": 20, "train": 1.0, "test": 0.8}]
    >>> draw({"kind": "learning", "measure": "accuracy", "points": points}).kind
    'learning'
    """
    kind = curve["kind"]
    x_key = "rows" if kind == "learning" else "leaves"
    series = _series(curve, x_key)
    style = Style(lang, theme, title, width)
    texts = (title or say(f"curve_{kind}", lang), _facts(curve, lang))
    shapes, top = heading(*texts, width)
    has_bars = any(se for s in series for _, _, se in s.points)
    more, top = legend(_legend(curve, series, lang, has_bars=has_bars), width, top)
    shapes += more
    frame = _frame(curve, series, x_key, top, style)
    shapes += frame.shapes()
    if (own := curve.get("own_leaves")) is not None:
        x, _ = frame.at(own, frame.y.low)
        ends = ((x, frame.top), (x, frame.top + HEIGHT))
        shapes.append(Line(ends, "muted", 1.5, "2 3"))
    for s in series:
        shapes += _series_shapes(s, x_key, frame, lang)
    shapes += _choice(curve, frame)
    return chart_of(kind, texts, shapes, (width, top + HEIGHT + AXIS_HEIGHT), style)


def _series(curve: dict[str, Any], x_key: str) -> list[_Series]:
    found = []
    for name in ("train", "test"):
        points = tuple(
            (float(p[x_key]), float(p[name]), p.get("se") if name == "test" else None)
            for p in curve["points"]
            if p.get(name) is not None
        )
        if points:
            found.append(_Series(name, points))
    return found


def _facts(curve: dict[str, Any], lang: str) -> str:
    facts = []
    if tested := curve.get("tested"):
        facts.append(say(f"chart_tested_{tested}", lang, k=curve.get("folds", 0)))
    if curve.get("own_leaves") is not None:
        facts.append(say("chart_own_size", lang, n=curve["own_leaves"]))
    if curve.get("best_leaves") is not None:
        facts.append(say("chart_best_size", lang, n=curve["best_leaves"]))
    if curve.get("one_se_leaves") is not None:
        facts.append(say("chart_one_se", lang, n=curve["one_se_leaves"]))
    return say("joined_sentences", lang).join(facts)


def _legend(
    curve: dict[str, Any], series: list[_Series], lang: str, *, has_bars: bool
) -> list[tuple[str, str, str]]:
    entries = []
    for s in series:
        text = say(f"curve_{s.name}", lang)
        if s.name == "test" and has_bars:
            text = say("chart_with_se", lang, name=text)
        entries.append((_ROLES[s.name], _DASHES[s.name], text))
    if curve.get("own_leaves") is not None:
        entries.append(("muted", "2 3", say("chart_this_tree", lang)))
    if curve.get("one_se_leaves") is not None:
        entries.append(("accent", "ring", say("chart_one_se_mark", lang)))
    return entries


def _frame(
    curve: dict[str, Any], series: list[_Series], x_key: str, top: float, style: Style
) -> Frame:
    measure = curve.get("measure", "accuracy")
    ends = [y + sign * (se or 0.0) for s in series for _, y, se in s.points for sign in (-1, 0, 1)]
    is_share = measure == "accuracy"
    high = 1.0 if is_share and max(ends, default=1.0) > 0.97 else None
    low = 0.0 if not is_share or min(ends, default=0.0) < 0.05 else None
    y_axis = number_axis(
        ends, say(f"chart_axis_{measure}", style.lang), room=HEIGHT, low=low, high=high,
        is_vertical=True, padding=0.06,
    )  # fmt: skip
    left = left_room(y_axis.labels)
    room = style.width - left - MARGIN - 8
    xs = [x for s in series for x, _, _ in s.points]
    if curve.get("own_leaves") is not None:
        xs.append(float(curve["own_leaves"]))
    title = say(f"chart_axis_{x_key}", style.lang)
    x_axis = number_axis(xs, title, room=room, whole=True, padding=0.03)
    return Frame(left, top, room, HEIGHT, x_axis, y_axis)


def _series_shapes(series: _Series, x_key: str, frame: Frame, lang: str) -> list[Shape]:
    role = _ROLES[series.name]
    places = [frame.at(x, y) for x, y, _ in series.points]
    shapes: list[Shape] = [Line(tuple(places), role, 2.0, _DASHES[series.name])]
    for (x, y, se), place in zip(series.points, places, strict=True):
        if se:
            ends = [frame.at(x, y + sign * se)[1] for sign in (-1, 1)]
            shapes.append(Line(((place[0], ends[0]), (place[0], ends[1])), role, 1.2))
            shapes += [Line(((place[0] - 3, e), (place[0] + 3, e)), role, 1.2) for e in ends]
        values: Values = (("series", series.name), (x_key, repr(x)), ("value", repr(y)))
        values += (("se", repr(se)),) if se is not None else ()
        spread = f" ± {se:.3g}" if se else ""
        words = [say(f"curve_{series.name}", lang), f"{x:,.15g}"]
        colon = say("label_colon", lang)
        tooltip = f"{say('clause_comma', lang).join(words)}{colon}{y:.4g}{spread}"
        shapes.append(Mark(*place, 3.0, role, _MARKS[series.name], values=values, tooltip=tooltip))
    return shapes


def _choice(curve: dict[str, Any], frame: Frame) -> list[Shape]:
    """Return the ring around the tree that the 1-SE rule chooses."""
    leaves = curve.get("one_se_leaves")
    for point in curve["points"]:
        if leaves is not None and point.get("leaves") == leaves and point.get("test") is not None:
            place = frame.at(float(leaves), float(point["test"]))
            return [Mark(*place, 7.0, "accent", "ring", values=(("choice", leaves),))]
    return []
