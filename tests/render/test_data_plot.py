"""The plot in a card shows the sketch: heights of bars are counts, lines are means of branches."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penjing
from penjing import fit
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from penjing.explain.split_data import with_sketches
from penjing.render import data_plot as plots
from penjing.render.box_parts import _fitting
from penjing.render.class_colours import class_order, colour_indices
from penjing.render.diagram import build_diagram
from penjing.render.value_scale import value_scale
from penjing.text.font_metrics import width as text_width

FEW = settings(max_examples=30, deadline=None)


def random_tree(seed: int, kind: str, n_classes: int = 3, *, n: int = 150) -> Tree:
    """Return a tree with numbers, skewed numbers, categories and missing values."""
    rng = np.random.RandomState(seed)
    x, skewed = rng.randn(n), np.exp(4 * rng.randn(n))
    gaps = np.where(rng.rand(n) < 0.15, np.nan, rng.randint(0, 9, n).astype(float))
    recipe = ("rpart", "cart-binary", "sklearn", "c4.5")[seed % (3 if kind == "number" else 4)]
    n_places = rng.randint(2, 8 if recipe == "rpart" else 40)  # rpart tries every grouping
    places = [f"place {v}" for v in rng.randint(0, n_places, n)]
    grades = [("low", "mid", "high")[v] for v in rng.randint(0, 3, n)]
    columns = (
        numeric("x", x), numeric("skewed", skewed), numeric("gaps", gaps),
        nominal("place", places),
        replace(nominal("grade", grades, ["low", "mid", "high"]), kind="ordinal"),
    )  # fmt: skip
    signal = x + np.log(skewed) / 4 + np.nan_to_num(gaps) / 9 + 0.5 * rng.randn(n)
    if kind == "number":
        target = numeric("y", 1000 + 50 * signal)
    else:
        ranks = np.argsort(np.argsort(signal)) * n_classes // n
        target = nominal("y", [f"class {v}" for v in ranks])
    limit = {"max_leaves": 9} if recipe == "cart-binary" else {}
    if recipe == "sklearn":
        columns = tuple(c for c in columns if c.kind == "numeric")
    if recipe == "cart-binary":
        columns = tuple(c for c in columns if c.name != "gaps")
    return with_sketches(fit(Table(columns, target, n), recipe=recipe, **limit))


def plots_of(tree: Tree) -> list[tuple[dict, plots.DataPlot]]:
    scale = value_scale(tree, tree.sketch)
    how = (colour_indices(tree), class_order(tree), scale)
    return [(sketch, plots.data_plot(tree, sketch, *how)) for sketch in tree.sketch]


@FEW
@given(st.integers(0, 10_000), st.sampled_from([2, 7, 8, 9, 19, 26]))
def test_heights_of_bars_are_the_counts_of_the_sketch(seed, n_classes):
    tree = random_tree(seed, "class", n_classes)
    indices = colour_indices(tree)
    for sketch, plot in plots_of(tree):
        entries = [*sketch["counts"], *([sketch["missing"]] if "missing" in sketch else [])]
        classes = sketch["classes"]
        if len(sketch["counts"]) > len(sketch.get("codes", sketch["counts"])):
            node = sketch["node"]  # too many categories: a bar for each branch
            entries = tree.nodes.total[list(tree.children(node))].tolist()
            classes = list(range(n_classes))
        assert len(plot.bars) == len(entries)
        pieces = [piece for bar in plot.bars for piece in bar.pieces]
        assert sum(p.rows for p in pieces) == pytest.approx(sum(map(sum, entries)))
        for place, class_ in enumerate(classes):
            if indices.count(indices[class_]) == 1 and n_classes <= 8:
                shown = sum(p.rows for p in pieces if p.colour_index == indices[class_])
                assert shown == pytest.approx(sum(entry[place] for entry in entries))
        heights = [(p.top - p.bottom) / p.rows for p in pieces]
        assert np.allclose(heights, heights[0])
        assert max(p.top for p in pieces) == pytest.approx(1)
        for bar in plot.bars:  # from the bottom, without gaps
            ends = [0.0, *(end for p in bar.pieces for end in (p.bottom, p.top))]
            assert ends[:-1:2] == pytest.approx(ends[1::2])


@FEW
@given(st.integers(0, 10_000), st.sampled_from(["class", "number"]))
def test_everything_is_within_the_plot_and_bars_do_not_overlap(seed, kind):
    for _, plot in plots_of(random_tree(seed, kind)):
        spans = [(bar.left, bar.right) for bar in (plot.bars or plot.means)]
        assert all(0 <= a < b <= 1 + 1e-12 for a, b in spans)
        assert all(a[1] <= b[0] + 1e-12 for a, b in pairwise(spans))
        assert plots.LEAST_WIDTH <= plot.width <= plots.MOST_WIDTH
        for label in plot.labels:
            assert 0 <= label.x <= 1
        for mean in plot.means:
            assert 0 <= mean.low <= mean.centre <= mean.high <= 1
        assert all(not a < line < b for line in plot.dividers for a, b in spans)


@FEW
@given(st.integers(0, 10_000))
def test_the_wedge_stands_between_the_rows_of_both_branches(seed):
    tree = random_tree(seed, "class")
    for sketch, plot in plots_of(tree):
        cut = float(tree.nodes.cut[sketch["node"]])
        if "bounds" not in sketch or cut not in sketch["bounds"]:
            continue
        n_below = sketch["bounds"].index(cut) + 1
        assert plot.bars[n_below - 1].right == pytest.approx(plot.threshold)
        assert plot.bars[n_below].left == pytest.approx(plot.threshold)


@FEW
@given(st.integers(0, 10_000))
def test_lines_are_the_predictions_of_the_branches(seed):
    tree = random_tree(seed, "number")
    scale = value_scale(tree, tree.sketch)
    for sketch, plot in plots_of(tree):
        values = {scale.on_axis(float(tree.values[c])) for c in tree.children(sketch["node"])}
        assert {y for _, _, y in plot.branch_means} <= values
        counts = [entry[0] for entry in sketch["counts"] if entry[0] > 0]
        if len(sketch["counts"]) > len(sketch.get("codes", sketch["counts"])):
            continue  # too many categories: a bar for each branch
        counts += [sketch["missing"][0]] if "missing" in sketch else []
        assert sorted(m.rows for m in plot.means) == pytest.approx(sorted(counts))


def test_the_categories_of_a_branch_stand_together():
    places = [f"p{v % 6}" for v in range(60)]
    target = nominal("y", ["ab"[v % 2] for v in range(60)])
    tree = with_sketches(
        fit(Table((nominal("place", places),), target, 60), recipe="cart-binary", max_depth=1)
    )
    ((_, plot),) = plots_of(tree)
    assert len(plot.dividers) == 1
    left = {label.text for label in plot.labels if label.x < plot.dividers[0]}
    assert left in ({"p0", "p2", "p4"}, {"p1", "p3", "p5"})


def test_a_skewed_column_is_spread_over_the_plot():
    values = np.concatenate([np.linspace(0, 1, 100), [1e6]])
    target = nominal("y", ["a" if v < 0.3 else "b" for v in values])
    table = Table((numeric("x", values),), target, len(values))
    tree = with_sketches(fit(table, recipe="cart-binary"))
    ((_, plot),) = plots_of(tree)
    assert plot.threshold == pytest.approx(0.3, abs=0.1)
    heights = [max(p.top for p in bar.pieces) for bar in plot.bars if bar.pieces]
    assert len(heights) > 10
    assert sorted(heights)[len(heights) // 2] > 0.3


def test_gathered_branches_have_their_own_means_and_numbers_that_are_not_clipped():
    """Each branch of a plot stands for the leaves of one box: its line is at their mean."""
    n = 60
    code = np.repeat(np.arange(n), 4)
    values = 10.0 * (code * 7 % 9) + np.tile([0.0, 1.0, 2.0, 3.0], n)
    column = nominal("town", [f"town {k}" for k in code])
    tree = fit(
        Table((column,), numeric("income", values), 4 * n), recipe="cart-textbook", max_depth=1
    )
    picture = build_diagram(tree, show="data")
    plot = picture.boxes[0].plot
    gathered = [box for box in picture.boxes if box.kind == "gathered"]
    assert len(plot.branch_means) == len(plot.means) == len(picture.boxes) - 1 > 2
    for mean, (left, right, line) in zip(plot.means, plot.branch_means, strict=True):
        assert (mean.left, mean.right) == (left, right)
        assert line == pytest.approx(mean.centre)
    # The strip of a gathered box is about all of its rows, not about its first leaf.
    strips = sorted(box.spread.mark for box in gathered)
    assert strips == pytest.approx(sorted(mean.centre for mean in plot.means), abs=1e-6)
    assert sum(int(label.text.split()[0]) for label in plot.labels) == n
    assert all(text_width(label.text, 11) <= label.room * plot.width for label in plot.labels)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("recipe", ["c4.5", "rpart", "c4.5-textbook"])
@pytest.mark.parametrize("form", ["c{}", "city {} of the north", "{}", "取值{}"])
@pytest.mark.parametrize("n_levels", [3, 12, 24, 30, 200])
def test_labels_of_many_categories_fit_and_count_the_rest(n_levels, form, recipe, lang):
    rng = np.random.RandomState(n_levels)
    codes = np.concatenate([np.arange(n_levels), rng.randint(0, n_levels, 1500)])
    names = [form.format(v) for v in range(n_levels)]
    kinds = ["yes" if (c % 3 == 0) ^ (rng.rand() < 0.1) else "no" for c in codes]
    columns = (nominal("place", [names[c] for c in codes]), numeric("x", rng.randn(len(codes))))
    table = Table(columns, nominal("kind", kinds), len(codes))
    tree = with_sketches(fit(table, recipe=recipe, max_depth=2))
    diagram = build_diagram(tree, lang=lang, show="data")
    boxes = [box for box in diagram.boxes if box.plot]
    assert boxes[0].node == 0
    for box in boxes:
        spans = _label_spans(box.plot, box.width - 2 * plots.INSET)
        assert spans
        assert spans[0][0] >= -plots.INSET
        assert spans[-1][1] <= box.width - plots.INSET
        assert all(a[1] <= b[0] for a, b in pairwise(spans)), spans
    texts = [text for *_, text in _label_spans(boxes[0].plot, boxes[0].width - 2 * plots.INSET)]
    if len(texts) < min(n_levels, 12):
        not_drawn = re.search(r"(\d+) (?:of the \d+ branches|个没有画出)", diagram.facts)
        n_drawn = n_levels - (int(not_drawn[1]) if not_drawn else 0)
        assert sum(_counted(text, names) for text in texts) == n_drawn, texts


@pytest.mark.parametrize(
    ("sizes", "expected"), [((7, 2), r"AB, CD.* and MN \+2"), ((60,) * 5, "300 c.*s")]
)
def test_a_number_of_categories_cannot_be_read_as_one_of_rows(sizes, expected):
    """Groups whose names do not fit are counted with a plus, or all in one label."""
    names = [
        [f"{chr(65 + 2 * i)}{chr(66 + 2 * i)}" for i in range(sizes[0])],
        ["Germany", "Sweden"],
    ]
    if len(sizes) > 2:
        names = [[f"town {k} {i}" for i in range(n)] for k, n in enumerate(sizes)]
    rows = [(name, f"k{k}") for k, group in enumerate(names) for name in group * 9]
    table = Table(
        (nominal("place", [r[0] for r in rows]),), nominal("k", [r[1] for r in rows]), len(rows)
    )
    tree = with_sketches(fit(table, recipe="rpart" if len(sizes) == 2 else "id3"))
    (box,) = (b for b in build_diagram(tree, show="data").boxes if b.plot)
    texts = [text for *_, text in _label_spans(box.plot, box.width - 2 * plots.INSET)]
    assert re.fullmatch(expected, " ".join(texts)), texts


def _label_spans(plot: plots.DataPlot, width: float) -> list[tuple[float, float, str]]:
    """Return the ends and texts of labels as they are drawn."""
    spans = []
    for label in plot.labels:
        text = _fitting(label.text, label.room * width) if label.is_name else label.text
        size = text_width(text, plots.SMALL)
        left = label.x * width - {"left": 0.0, "center": 0.5, "right": 1.0}[label.anchor] * size
        spans += [(left, left + size, text)] if text else []
    return spans


def _counted(text: str, names: list[str]) -> int:
    """Return how many categories a label stands for: those that it names, and the rest."""
    *named, last = re.split(r", | and |、| 以及另外 | 和 ", text)
    if not named and last.startswith("+"):
        return int(last[1:])
    assert set(named) <= set(names)
    if last in names:
        return len(named) + 1
    rest = re.fullmatch(r"(\d+) (?:more|categor(?:y|ies)|个|个取值)", last)
    assert rest, text
    return len(named) + int(rest[1])


def test_the_wedge_of_a_threshold_is_above_the_labels():
    # Digits are less than 0.76 of the font size high.
    top_of_digits = plots.BASELINE - 0.76 * plots.SMALL
    assert top_of_digits >= 1 + plots.WEDGE + 1.5
    assert plots.BASELINE + 2 <= plots.AXIS


def test_the_data_are_counted_once_for_all_pictures(monkeypatch):
    tree = penjing.fit(penjing.example("watermelon3.0"))
    first = tree.write("svg")
    monkeypatch.setattr("penjing.explain.split_data.sketches", lambda *_: pytest.fail("counted"))
    assert tree.write("svg") == first
    assert tree.write("svg", class_names={"是": "good"}) != first
    assert tree.sketch is None  # the model itself has none, and no pickle either
    copy = pickle.loads(pickle.dumps(tree))  # noqa: S301 - its own
    assert copy.training_table() is None
    assert "_drawn_sketches" not in copy.__dict__


def test_a_picture_without_data_counts_none(monkeypatch):
    rows = [{"x": i, "y": "uv"[i % 2]} for i in range(60)]
    tree = penjing.fit(rows, "y", "cart-binary", quiet=True)
    monkeypatch.setattr("penjing.explain.split_data.sketches", lambda *_: pytest.fail("counted"))
    assert tree.n_leaves > 24
    assert "<svg" in tree.write("svg")
    assert "<svg" in tree.write("svg", show="counts")
