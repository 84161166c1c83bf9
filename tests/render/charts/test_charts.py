"""Charts: the figures in the file are those of the results, in every theme and language."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from export_trees import rows_of
from penjing.data.statistics import wilson
from penjing.data.table import Table, nominal, numeric
from penjing.errors import ChoiceError, DataError
from penjing.evaluate.curves import learning_curve, pruning_curve
from penjing.registry import plugins
from penjing.render import icicle, svg
from penjing.render.charts.axes import number_axis
from penjing.render.charts.chart import Chart
from penjing.render.charts.plane import regions
from penjing.render.charts.shapes import Line, Mark, Rect, Text
from penjing.render.value_scale import LEGEND_STEPS, short_number
from penjing.text.font_metrics import width as text_width

HOSTILE = "</text><script>alert(1)</script> & \" ' \x00 \u202e"


def marks(chart: Chart, name: str) -> list[dict[str, str]]:
    """Return the figures of the elements of an SVG that have this one."""
    root = ET.fromstring(chart.svg())  # noqa: S314 - our own text
    return [
        {key.removeprefix("data-"): value for key, value in element.attrib.items()}
        for element in root.iter()
        if f"data-{name}" in element.attrib
    ]


def classes_table(n_classes: int, seed: int = 0, n: int = 400) -> Table:
    random = np.random.RandomState(seed)
    x = random.rand(n, 3).round(3)
    codes = (x[:, 0] * n_classes + (random.rand(n) < 0.2)).astype(int) % n_classes
    columns = tuple(numeric(f"x{i}", x[:, i]) for i in range(3))
    names = [f"class {k:02}" for k in range(n_classes)]
    return Table(columns, nominal("kind", [names[k] for k in codes], names), n)


def scored(n_classes: int) -> tuple[penjing.Tree, penjing.Table, object]:
    table = classes_table(n_classes)
    tree = penjing.fit(table, recipe="cart-binary", max_depth=6)
    test = classes_table(n_classes, 1, 250)
    return tree, test, tree.score(test)


@pytest.mark.parametrize("n_classes", [2, 7, 19, 26])
def test_a_confusion_chart_has_the_counts_of_the_report(n_classes):
    _, _, report = scored(n_classes)
    cells = marks(report.chart("confusion"), "count")
    found = {(c["actual"], c["predicted"]): float(c["count"]) for c in cells}
    assert found == {
        (str(a), str(p)): report.confusion[i][j]
        for i, a in enumerate(report.classes)
        for j, p in enumerate(report.classes)
    }


def test_roc_and_precision_recall_points_are_those_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    tree, test, report = scored(2)
    positive = list(tree.classes).index(report.positive)
    y = test.target.codes == positive
    p = tree.predict_proba(test)[:, positive]
    points = [(float(m["x"]), float(m["y"])) for m in marks(report.chart("roc"), "x")]
    assert np.trapezoid([b for _, b in points], [a for a, _ in points]) == pytest.approx(
        metrics.roc_auc_score(y, p)
    )
    x, up, _ = metrics.roc_curve(y, p, drop_intermediate=False)
    assert np.allclose(points, np.column_stack([x, up]))
    found = [(float(m["x"]), float(m["y"])) for m in marks(report.chart("precision_recall"), "x")]
    steps = np.diff([0.0, *[recall for recall, _ in found]])
    assert steps @ np.array([precision for _, precision in found]) == pytest.approx(
        metrics.average_precision_score(y, p)
    )
    assert f"{report.roc_auc:.3f}" in report.chart("roc").svg()
    assert f"{report.average_precision:.3f}" in report.chart("precision_recall").svg()


@pytest.mark.parametrize(("n_classes", "drawn"), [(3, 3), (7, 7), (19, 7)])
def test_of_many_classes_the_largest_seven_have_curves(n_classes, drawn):
    tree, _, report = scored(n_classes)
    chart = report.chart("roc")
    # Those that have a colour in pictures of the tree: the largest of the training rows.
    rows = dict(zip(map(str, tree.classes), tree.nodes.total[0].tolist(), strict=True))
    names = {m["class"] for m in marks(chart, "class")}
    assert len(names) == drawn
    assert min(rows[n] for n in names) >= max((rows[n] for n in set(rows) - names), default=0)
    if n_classes > drawn:
        assert f"{n_classes - drawn} smaller classes" in chart.description
    one = report.chart("roc", positive="class 01")
    assert {m["class"] for m in marks(one, "class")} == {"class 01"}


def test_a_chart_of_one_class_is_refused():
    tree, test, _ = scored(2)
    only = test.take(np.flatnonzero(test.target.codes == 0))
    with pytest.raises(ChoiceError, match="only one class"):
        tree.score(only).chart("roc")
    assert tree.score(only).chart("confusion").svg()


def test_a_calibration_chart_has_the_points_of_the_report():
    _, _, report = scored(3)
    points = report.calibration(5)["points"]
    found = marks(report.chart("calibration", bins=5), "said")
    assert [(float(m["said"]), float(m["right"]), float(m["weight"])) for m in found] == [
        (p["said"], p["right"], p["weight"]) for p in points
    ]
    assert all(0 <= low <= high <= 1 for low, high in (
        wilson(p["right"] * p["weight"], p["weight"]) for p in points))  # fmt: skip


@pytest.mark.parametrize("width", [352.0, 560.0])
@pytest.mark.parametrize("n_classes", [0, 2, 3, 7])
def test_charts_of_two_equal_axes_are_square(n_classes, width):
    if n_classes:
        _, _, report = scored(n_classes)
        kinds = ["roc", "precision_recall", "calibration"]
    else:
        random = np.random.RandomState(2)
        x = random.rand(200)
        rows = Table((numeric("x", x),), numeric("y", 3e6 * x + 1e5 * random.rand(200) - 7e5), 200)
        report, kinds = penjing.fit(rows, recipe="rpart").score(rows), ["predictions"]
    for kind in kinds:
        for lang in ("en", "zh"):
            chart = penjing.registry.load("chart", kind)(report, lang=lang, width=width)
            labels = [s for s in chart.shapes if isinstance(s, Text) and s.colour == "muted"]
            labels = [s for s in labels if re.fullmatch(r"[-\d.,e+]+", s.text)]
            across = {s.text: s.x for s in labels if s.anchor == "middle"}
            down = {s.text: s.y for s in labels if s.anchor == "end"}
            assert set(across) == set(down)  # the same ticks
            first, *_, last = across
            assert across[last] - across[first] == pytest.approx(down[first] - down[last])
            lines = [s for s in chart.shapes if isinstance(s, Line) and s.colour == "outline"]
            (upright,) = [s for s in lines if s.points[1][1] - s.points[0][1] > 50]
            (level,) = [s for s in lines if s.points[1][0] - s.points[0][0] > 50]
            side = upright.points[1][1] - upright.points[0][1]
            assert side == pytest.approx(level.points[1][0] - level.points[0][0])
            places = [point for s in chart.shapes if isinstance(s, Line) for point in s.points]
            places += [(s.x, s.y) for s in chart.shapes if isinstance(s, Mark) and s.values]
            bottom, left = upright.points[1][1], level.points[0][0]
            drawn = [(x, y) for x, y in places if y > upright.points[0][1] - 1]
            assert all(y <= bottom + 4.01 and left - 0.01 <= x <= left + side + 4 for x, y in drawn)


def test_importance_bars_are_the_importances():
    tree, test, _ = scored(7)
    for importances in (tree.importances(), tree.importances("permutation", test)):
        found = {m["name"]: float(m["value"]) for m in marks(importances.chart(), "name")}
        assert found == {k: v for k, v in importances.items() if v != 0}


def test_threshold_and_candidate_charts_are_those_of_why():
    why = penjing.fit(penjing.example("watermelon3.0"), recipe="c4.5-textbook").why()
    candidate = why.cuts("密度")
    found = marks(why.chart("密度"), "threshold")
    assert [(float(m["threshold"]), float(m["gain"])) for m in found] == list(
        zip(candidate["cuts"], candidate["gains"], strict=True)
    )
    assert float(marks(why.chart("密度"), "best")[0]["best"]) == pytest.approx(candidate["cut"])
    bars = {m["name"]: float(m["value"]) for m in marks(why.chart(), "name")}
    assert bars == {c["column"]: c["score"] for c in why.candidates if c["score"] is not None}
    with pytest.raises(ChoiceError, match="no thresholds"):
        why.chart("纹理")


def _many_thresholds(**options: Any) -> penjing.Tree:
    """Return a tree of a column with 601 thresholds; in the middle of it, no threshold is good."""
    rng = np.random.RandomState(5)
    x = np.arange(602) / 4
    y = np.where((x < 30) ^ (x > 120), "a", "b")
    y = np.where((x > 50) & (x < 100), rng.choice(["a", "b"], 602), y)
    table = Table((numeric("x", x),), nominal("y", list(y)), 602)
    return penjing.fit(table, recipe="id3", max_depth=2, **options)


def test_a_threshold_chart_passes_every_threshold_of_many():
    tree = _many_thresholds()
    why = tree.why()
    candidate = why.cuts("x")
    assert len(candidate["cuts"]) == len(candidate["gains"]) == candidate["n_cuts"] == 601
    assert candidate["cuts"] == sorted(candidate["cuts"])
    chart = why.chart("x")
    assert "not shown" not in chart.description
    (line,) = [s for s in chart.shapes if isinstance(s, Line) and s.colour == "line0"]
    (best,) = [s for s in chart.shapes if isinstance(s, Mark) and s.shape == "ring"]
    xs = [x for x, _ in line.points]
    assert xs == sorted(xs)
    assert min(y for _, y in line.points) == pytest.approx(best.y)
    # Where pixels have several thresholds the line goes from the lowest to the highest of them.
    ends, gains = (xs[0], xs[-1]), np.array(candidate["gains"])
    places = np.interp(candidate["cuts"], (candidate["cuts"][0], candidate["cuts"][-1]), ends)
    drawn = np.interp(places, xs, [y for _, y in line.points])
    lowest = max(y for _, y in line.points)
    expected = lowest - (gains - gains.min()) * (lowest - best.y) / (gains.max() - gains.min())
    assert np.abs(drawn - expected).max() < 3


def test_thresholds_that_a_trace_leaves_out_are_not_drawn_as_a_line(tmp_path):
    tree = _many_thresholds(trace=True)
    tree.save(tmp_path / "t.tree")
    why = penjing.load(tmp_path / "t.tree").why()
    candidate = why.cuts("x")
    assert len(candidate["cuts"]) < candidate["n_cuts"]
    chart = why.chart("x")
    assert "401 of them are not shown" in chart.description
    assert not [s for s in chart.shapes if isinstance(s, Line) and s.colour == "line0"]
    found = [float(m["threshold"]) for m in marks(chart, "threshold")]
    assert found == candidate["cuts"]


@pytest.mark.parametrize("regression", [False, True])
def test_a_pruning_chart_has_points_errors_and_the_choice(regression):
    rows = rows_of(160, 3, regression=regression)
    curve = pruning_curve(penjing.fit(rows, recipe="cart-binary"), rows, k=4)
    chart = curve.chart()
    for series in ("train", "test"):
        found = [m for m in marks(chart, "series") if m["series"] == series]
        assert [(float(m["leaves"]), float(m["value"])) for m in found] == [
            (p["leaves"], p[series]) for p in curve["points"]
        ]
    errors = [float(m["se"]) for m in marks(chart, "se")]
    assert errors == [p["se"] for p in curve["points"]]
    assert marks(chart, "choice")[0]["choice"] == str(curve["one_se_leaves"])
    assert f"this tree: {curve['own_leaves']} leaves" in chart.description


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
@pytest.mark.parametrize(
    ("regression", "measure"), [(False, "accuracy"), (True, "root mean squared error")]
)
def test_labels_of_curves_stand_at_their_ticks_and_both_axes_have_titles(
    theme, regression, measure
):
    rows = rows_of(160, 3, regression=regression)
    pruning = pruning_curve(penjing.fit(rows, recipe="cart-binary"), rows, k=3)
    learning = learning_curve(rows, "cart-binary", k=3, shares=[0.5, 1])
    for curve, x_title in ((pruning, "leaves"), (learning, "training rows")):
        shapes = curve.chart(theme=theme).shapes
        ticks = {s.points[0][0] for s in shapes if isinstance(s, Line) and s.colour == "outline"}
        labels = [s for s in shapes if isinstance(s, Text) and s.colour == "muted"]
        below = [s for s in labels if s.anchor == "middle" and re.fullmatch(r"[\d,]+", s.text)]
        assert len(below) >= 2
        assert {label.x for label in below} <= ticks  # each is centred below its tick
        titles = {s.text: s.is_turned for s in shapes if isinstance(s, Text) and s.colour == "text"}
        assert titles[x_title] is False
        assert titles[measure] is True


def test_predicted_numbers_are_points():
    rows = rows_of(120, 4, regression=True)
    report = penjing.fit(rows, recipe="rpart").score(rows)
    found = marks(report.chart(), "predicted")
    assert [(float(m["actual"]), float(m["predicted"])) for m in found] == list(
        zip(*(values.tolist() for values in report.pairs), strict=True)
    )
    with pytest.raises(ChoiceError, match="'roc' needs a categorical target"):
        report.chart("roc")
    assert "pairs" not in report.to_json()


def test_regions_of_a_plane_predict_as_the_tree():
    random = np.random.RandomState(3)
    x, y = random.rand(2, 300).round(2)
    classes = np.where(x > 0.5, np.where(y > 0.3, "a", "b"), np.where(y > 0.7, "c", "a"))
    table = Table((numeric("x", x), numeric("y", y)), nominal("k", classes), 300)
    for recipe in ("cart-binary", "rpart", "c4.5", "sklearn"):
        tree = penjing.fit(table, recipe=recipe)
        found = regions(tree, "x", "y")
        leaves = tree.apply(table)
        for row in range(300):
            inside = [
                r.node
                for r in found
                if r.x_low < x[row] <= r.x_high and r.y_low < y[row] <= r.y_high
            ]
            assert inside == [leaves[row]]
        shown = marks(tree.plane("x", "y", table), "x-low")
        assert {int(m["node"]) for m in shown} == {r.node for r in found}
        assert len(marks(tree.plane("x", "y", table), "row")) == 300
        swapped = regions(tree, "y", "x")
        assert {(r.node, r.x_low, r.y_high) for r in found} == {
            (r.node, r.y_low, r.x_high) for r in swapped
        }


def test_numbers_of_a_plane_are_written_as_the_tree_writes_them():
    random = np.random.RandomState(4)
    x, y = random.rand(2, 300)
    table = Table((numeric("x", x), numeric("y", y)), numeric("k", 40 * x + np.sqrt(y)), 300)
    tree = penjing.fit(table, recipe="rpart")
    chart = tree.plane("x", "y")
    values = [float(tree.values[leaf]) for leaf in np.flatnonzero(tree.is_leaf)]
    texts = [shape.text for shape in chart.shapes if isinstance(shape, Text)]
    shown = texts[texts.index(short_number(min(values))) :]
    assert shown[LEGEND_STEPS - 1] == short_number(max(values))
    assert all(re.fullmatch(r"[\d.]{1,5}", text) for text in shown[:LEGEND_STEPS])
    printed = tree.write("text")
    for tooltip in re.findall("<title>(.*?)</title>", chart.svg())[1:]:
        for number in re.findall(r"(?<= )\d+\.\d+", tooltip.partition(":")[2]):
            assert re.search(rf"[<>≤≥] {re.escape(number)}\b", printed)


def test_planes_that_do_not_exist_are_refused():
    tree = penjing.fit(penjing.example("watermelon3.0"), recipe="c4.5-textbook")
    with pytest.raises(ChoiceError, match="also splits on 纹理"):
        tree.plane("密度", "含糖率")
    with pytest.raises((ChoiceError, DataError), match="no column '密'"):
        tree.plane("密", "含糖率")
    with pytest.raises(ChoiceError, match=r"'纹理' is not numeric\. Numeric columns: 密度, 含糖率"):
        tree.plane("纹理", "含糖率")
    with pytest.raises(ChoiceError, match=r"fewer than two numeric columns \(0\)"):
        penjing.fit(penjing.example("watermelon2.0")).plane("纹理", "触感")
    with pytest.raises(ChoiceError, match="twice"):
        tree.plane("密度", "密度")


def test_the_branches_where_trees_differ_are_marked():
    tree = penjing.fit(penjing.example("watermelon2.0"))
    smaller = tree.prune("pessimistic")
    comparison = penjing.compare(tree, smaller)
    found = marks(comparison.chart(), "differs")
    below = {
        node
        for difference in comparison.differences
        for node in range(tree.n_nodes)
        if difference["nodes"][0] in tree.path(node)
    }
    n = tree.n_nodes
    assert {int(m["node"]) for m in found[:n] if m["differs"] == "true"} == below
    assert [m["differs"] for m in found[n:]].count("true") == len(comparison.differences)
    same = penjing.compare(tree, tree).chart()
    assert {m["differs"] for m in marks(same, "differs")} == {"false"}
    assert "same splits" in same.description


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"u": "yes", "v": "yes"}, {"u": "yes", "v": "no"}),
        ({"u": "b", "v": "c"}, {"u": "a", "v": "c"}),
        ({i: f"c{i}" for i in range(5)}, {i: f"c{i}" for i in range(3, 12)}),
    ],
)
def test_a_class_has_one_colour_in_both_compared_trees(a, b):
    trees = [penjing.Tree.from_dict({"x": branches}) for branches in (a, b)]
    chart = penjing.compare(*trees).chart()
    fills: dict[str, set[str]] = {}
    boxes = [s for s in chart.shapes if isinstance(s, Rect) and s.fill.startswith("tint:")]
    leaves = [(box, int(dict(box.values)["node"])) for box in boxes if box.values]
    n_first = trees[0].n_leaves
    for i, (box, node) in enumerate(leaves):
        tree = trees[i >= n_first]
        fills.setdefault(str(tree.answer(node)), set()).add(box.fill.split(":")[1])
    assert len(leaves) == sum(tree.n_leaves for tree in trees)
    assert all(len(found) == 1 for found in fills.values())
    own = [found for found in fills.values() if found != {"7"}]
    assert len({min(found) for found in own}) == len(own)
    texts = {shape.text for shape in chart.shapes if isinstance(shape, Text)}
    classes = {str(c) for tree in trees for c in tree.classes}
    named = {name for name, found in fills.items() if found != {"7"}}
    assert named <= texts
    assert named == classes if len(classes) <= 8 else len(named) == 7


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_compared_trees_of_numbers_have_one_scale_of_tints_and_one_axis(theme):
    random = np.random.RandomState(6)
    x = random.rand(300, 2).round(3)
    y = np.where(x[:, 0] > 0.5, 10.0, 20.0) + 3 * x[:, 1] + random.rand(300)
    wide = np.where(x[:, 1] > 0.97, 90.0, y)
    columns = (numeric("a", x[:, 0]), numeric("b", x[:, 1]))
    trees = [
        penjing.fit(Table(columns, numeric("y", target), 300), recipe="cart-binary", max_depth=d)
        for target, d in ((y, 2), (wide, 3))
    ]
    chart = penjing.compare(*trees).chart(theme=theme)
    values = [tree.values[tree.is_leaf] for tree in trees]
    low, high = min(map(min, values)), max(map(max, values))
    boxes = [s for s in chart.shapes if isinstance(s, Rect) and "node" in dict(s.values)]
    second = next(i for i, s in enumerate(boxes) if i and dict(s.values)["node"] == 0)
    for tree, own in zip(trees, (boxes[:second], boxes[second:]), strict=True):
        for box in own:
            node = int(dict(box.values)["node"])
            if tree.is_leaf[node]:
                place = (tree.values[node] - low) / (high - low)
                assert float(box.fill.removeprefix("value:")) == pytest.approx(place, abs=1e-4)
    # A node that both trees have stands at the same place of the axis, which is as wide.
    texts = [s.text for s in chart.shapes if isinstance(s, Text)]
    assert short_number(low) in texts
    assert short_number(high) in texts
    ends = re.findall(r"on an axis from (\S+) to (\S+)", chart.description)
    axis = tuple(map(float, ends[0]))
    assert axis[0] <= low
    assert high <= axis[1]
    for tree, own in zip(trees, (boxes[:second], boxes[second:]), strict=True):
        for box in own:
            lines = [s.points for s in chart.shapes if isinstance(s, Line)]
            level, mean = (
                (start, end)
                for start, end, *_ in lines
                if box.x < start[0] <= end[0] < box.x + box.width
                and box.y < start[1] <= end[1] < box.y + box.height
            )
            (left, _), (right, _) = level
            value = axis[0] + (axis[1] - axis[0]) * (mean[0][0] - left) / (right - left)
            node = int(dict(box.values)["node"])
            assert value == pytest.approx(tree.values[node], abs=0.01 * (axis[1] - axis[0]))


def test_the_line_of_chance_belongs_to_one_class():
    _, _, report = scored(4)
    several, one = (
        report.chart("precision_recall"),
        report.chart("precision_recall", positive="class 02"),
    )
    chance = "chance (share of the class)"
    dashed = [s for s in several.shapes if isinstance(s, Line) and s.colour == "muted" and s.dashes]
    assert not dashed
    assert chance not in several.svg()
    assert chance in one.svg()
    _, line = [s for s in one.shapes if isinstance(s, Line) and s.colour == "muted" and s.dashes]
    share = report.per_class[2].support / sum(score.support for score in report.per_class)
    points = [s for s in one.shapes if isinstance(s, Mark)]
    low, high = (min(points, key=lambda m: m.y), max(points, key=lambda m: m.y))
    (a, b), y = (float(dict(m.values)["y"]) for m in (low, high)), line.points[0][1]
    assert a + (b - a) * (y - low.y) / (high.y - low.y) == pytest.approx(share)


def all_charts(lang: str = "en", theme: str = "light", name: str = HOSTILE) -> list[Chart]:
    """Return one chart of every kind, of names that could do harm."""
    random = np.random.RandomState(5)
    x = random.rand(80, 2).round(2)
    classes = np.where(x[:, 0] + 0.2 * random.rand(80) > 0.5, name, "ordinary")
    columns = (numeric(name + "1", x[:, 0]), numeric("y", x[:, 1]))
    table = Table(columns, nominal(name, classes), 80)
    tree = penjing.fit(table, recipe="cart-binary", max_depth=4)
    report = tree.score(table)
    style = {"lang": lang, "theme": theme}
    numbers = Table(columns, numeric("price", x[:, 0] * 5), 80)
    regression = penjing.fit(numbers, recipe="cart-binary", max_depth=3)
    kinds = ("confusion", "roc", "precision_recall", "calibration")
    return [
        *(report.chart(kind, **style) for kind in kinds),
        tree.importances().chart(**style),
        tree.why().chart(**style),
        tree.why().chart(name + "1", **style),
        pruning_curve(tree, table, k=3).chart(**style),
        learning_curve(table, "cart-binary", k=3, shares=[0.5, 1]).chart(**style),
        penjing.compare(tree, tree.prune_at("root")).chart(**style),
        tree.plane(name + "1", "y", table, **style),
        regression.plane(name + "1", "y", numbers, **style),
        regression.score(numbers).chart(**style),
    ]


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_chart_is_safe_and_well_formed(lang, theme):
    charts = all_charts(lang, theme)
    assert {c.kind for c in charts} == set(plugins("chart"))
    for chart in charts:
        root = ET.fromstring(chart.svg())  # noqa: S314 - our own text
        assert not [e for e in root.iter() if "script" in e.tag]
        assert chart.lang == lang
        numbers = [v for e in root.iter() for k, v in e.attrib.items() if k in ("x", "y", "d")]
        assert not any(word in value for value in numbers for word in ("nan", "inf"))
        assert chart._repr_html_() == chart.svg()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_names_from_right_to_left_are_units_in_every_text_and_tooltip(lang):
    name = "אלון ירוק"
    charts = all_charts(lang, name=name)
    tree = penjing.fit([{name: i, "y": name if i > 9 else "b"} for i in range(20)], "y")
    trees = [svg.write(tree, lang=lang), icicle.write(tree, lang=lang)]
    texts = [*(chart.svg() for chart in charts), *trees]
    counted = 0
    for text in texts:
        shown = [
            e.text
            for e in ET.fromstring(text).iter()  # noqa: S314 - our own text
            if e.tag.endswith(("}text", "}title")) and e.text and re.search("[א-ת]", e.text)
        ]
        counted += len(shown)
        for line in shown:
            outside = re.sub("\u2068[^\u2068\u2069]*\u2069", "", line)
            assert line == name or not re.search("[א-ת]", outside), line
            assert line.count("\u2068") == line.count("\u2069")
        assert not re.search('data-[a-z]+="[^"]*[\u2068\u2069]', text)
    assert counted > 40


def test_charts_are_saved_as_svg_png_and_pdf(tmp_path):
    pytest.importorskip("matplotlib")
    for number, chart in enumerate(all_charts("zh")):
        for ending, start in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
            path = tmp_path / f"{number}{ending}"
            chart.save(path, dpi=60)
            assert path.read_bytes().startswith(start)
    assert chart.encode(".png", dpi=60) == chart.encode(".png", dpi=60)
    with pytest.raises(ChoiceError, match=r"'\.jpg' is not a supported"):
        chart.save(tmp_path / "x.jpg")
    assert not (tmp_path / "x.jpg").exists()


def test_themes_and_kinds_that_do_not_exist_are_refused():
    _, _, report = scored(2)
    with pytest.raises(ChoiceError, match="Did you mean 'dark'"):
        report.chart(theme="darkk")
    with pytest.raises(ChoiceError, match="Did you mean 'roc'"):
        report.chart("rok")


@pytest.mark.parametrize(
    ("values", "whole"), [([1, 7], True), ([0.61, 0.85], False), ([1, 2000], True), ([5, 5], False)]
)
def test_ticks_are_round_and_inside_the_axis(values, whole):
    axis = number_axis(values, "x", room=300, whole=whole)
    assert 2 <= len(axis.ticks) <= 9
    assert all(axis.low - 1e-9 <= tick <= axis.high + 1e-9 for tick in axis.ticks)
    assert len(set(axis.labels)) == len(axis.labels)
    for tick, label in zip(axis.ticks, axis.labels, strict=True):
        assert float(label.replace(",", "")) == pytest.approx(tick)
        assert not whole or tick == int(tick)


MAGNITUDES = st.floats(-300, 300).map(lambda power: 10.0**power)
FRACTIONS = st.floats(0, 1)


@given(MAGNITUDES, FRACTIONS, FRACTIONS, st.sampled_from([1, -1]), st.sampled_from([1, -1]),
       st.sampled_from([180.0, 270.0, 480.0]), st.booleans())  # fmt: skip
def test_labels_of_ticks_are_exact_and_do_not_overlap(  # noqa: PLR0917
    magnitude, a, b, sign, other_sign, room, is_vertical
):
    values = [sign * a * magnitude, other_sign * b * magnitude]
    axis = number_axis(values, "x", room=room, is_vertical=is_vertical)
    span = axis.high - axis.low
    assert len(axis.ticks) <= 9
    assert len(axis.ticks) >= 2 or span < 0.1 * magnitude
    assert len(set(axis.labels)) == len(axis.labels)
    for tick, label in zip(axis.ticks, axis.labels, strict=True):
        assert float(label.replace(",", "")) == pytest.approx(tick, rel=1e-9)
        assert (label == "0") == (tick == 0)
        assert axis.low - 1e-6 * span <= tick <= axis.high + 1e-6 * span
    others = [label for label in axis.labels if label != "0"]
    assert len({"e" in label for label in others}) <= 1
    if not is_vertical:
        half = [text_width(label, 12) / 2 for label in axis.labels]
        places = [axis.share(tick) * room for tick in axis.ticks]
        ends = [(x - h, x + h) for x, h in zip(places, half, strict=True)]
        assert all(right + 6 <= left for (_, right), (left, _) in pairwise(ends))
        assert all(left >= -24 and right <= room + 24 for left, right in ends)


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([0, 1], ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ([-3e-9, 2e-9], ["-3e-09", "-2e-09", "-1e-09", "0", "1e-09", "2e-09"]),
        ([-3e-4, 2e-4], ["-0.0002", "0", "0.0002"]),
        ([0, 2.5e7], ["0", "1e+07", "2e+07"]),
        ([-88000, 0], ["-80,000", "-60,000", "-40,000", "-20,000", "0"]),
        ([1.6e9, 1.6e9 + 30], ["1,600,000,005", "1,600,000,025"]),
    ],
)
def test_zero_is_written_0_and_all_numbers_in_one_way(values, labels):
    assert list(number_axis(values, "x", room=260).labels) == labels


def many_columns(n: int = 200) -> Table:
    random = np.random.RandomState(4)
    x = random.rand(600, n).round(2)
    names = [f"Horizontal_Distance_To_Hydrology_And_Roads_{i}" for i in range(n)]
    signal = (x * (np.arange(n) % 7)).sum(axis=1)
    kinds = ["yes" if v > np.median(signal) else "no" for v in signal]
    return Table(tuple(map(numeric, names, x.T)), nominal("kind", kinds), 600)


@pytest.mark.parametrize("width", [520.0, 900.0])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_bars_of_200_columns_do_not_overlap_and_the_rest_is_counted(width, lang):
    tree = penjing.fit(many_columns(), recipe="cart-binary", trace=True)
    used = sum(v != 0 for v in tree.importances().values())
    assert used > 40
    load = penjing.registry.load
    for chart, n in (
        (load("chart", "importance")(tree.importances(), lang=lang, width=width), used),
        (load("chart", "candidates")(tree.why().told, lang=lang, width=width), 200),
    ):
        texts = [shape for shape in chart.shapes if isinstance(shape, Text)]
        spans = [_span(text) for text in texts]
        assert all(left >= 0 and right <= width for left, _, right, _ in spans)
        for i, a in enumerate(spans):
            for b in spans[:i]:
                assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        n_bars = len(marks(chart, "name"))
        assert n_bars == 30
        assert any(str(n - n_bars) in text.text for text in texts)


def _span(text: Text) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a text."""
    width = text_width(text.text, text.size, bold=text.is_bold)
    left = text.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor] * width
    return left, text.y - 0.8 * text.size, left + width, text.y + 0.2 * text.size


def test_charts_without_bars_say_so():
    table = classes_table(2)
    leaf = penjing.fit(table, recipe="rpart", max_depth=0)
    for chart, said in (
        (leaf.importances().chart(), "no column has an importance above 0"),
        (leaf.why(0, table).chart(), "no column can be compared"),
    ):
        assert said in "".join(s.text for s in chart.shapes if isinstance(s, Text))
        assert not [s for s in chart.shapes if isinstance(s, Line)]


def test_the_chart_of_candidates_counts_columns_without_a_score():
    tree = penjing.fit(classes_table(3), recipe="c4.5-textbook", max_depth=1, trace=True)
    explanation = tree.why()
    n_excluded = sum(c["score"] is None for c in explanation.candidates)
    assert n_excluded > 0
    texts = [s.text for s in explanation.chart().shapes if isinstance(s, Text)]
    assert any("without a score" in t and (str(n_excluded) in t) for t in texts)


def test_rows_of_a_plane_are_drawn_by_columns_that_the_tree_does_not_split_on():
    random = np.random.RandomState(8)
    x, y = random.rand(2, 60).round(2)
    rows = [
        {"x": a, "y": 500 * b, "k": "ab"[int(a > 0.5)]}
        for a, b in zip(x.tolist(), y.tolist(), strict=True)
    ]
    tree = penjing.fit(rows, "k", recipe="cart-binary")
    assert {tree.schema[c].name for c in tree.nodes.column[~tree.is_leaf]} == {"x"}
    found = marks(tree.plane("x", "y", rows), "row")
    assert [float(m["y"]) for m in found] == [row["y"] for row in rows]


@pytest.mark.parametrize(("factor", "longest"), [(1e12, 9), (1.0, 7), (1e-6, 10)])
def test_scores_of_candidates_have_few_digits_whatever_their_size(factor, longest):
    random = np.random.RandomState(9)
    x = random.rand(100, 3).round(2)
    columns = tuple(numeric(f"x{i}", x[:, i]) for i in range(3))
    table = Table(columns, numeric("y", factor * (x[:, 0] + x[:, 1])), 100)
    chart = penjing.fit(table, recipe="cart-binary", max_depth=2).why().chart()
    texts = [s.text for s in chart.shapes if isinstance(s, Text) and re.match(r"[\d.]", s.text)]
    numbers = [text for text in texts if re.fullmatch(r"[\d.e+-]+", text)]
    bars = [float(m["value"]) for m in marks(chart, "value")]
    assert len(numbers) == len(bars) == 3
    for number, value in zip(numbers, bars, strict=True):
        assert len(number) <= longest
        assert float(number) == pytest.approx(value, rel=1e-2, abs=0)
