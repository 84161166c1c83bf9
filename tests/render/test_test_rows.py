"""Pictures with test rows: each leaf shows what evaluate counts there, with Wilson's interval."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penjing
from penjing import fit
from penjing.data.statistics import wilson
from penjing.data.table import Table, nominal, numeric
from penjing.evaluate.leaf_results import leaf_results
from penjing.render import box_parts, diagram
from penjing.render import theme as themes

FEW = settings(max_examples=15, deadline=None)


def rows(seed: int, target: str, n: int = 120) -> Table:
    rng = np.random.RandomState(seed)
    x = np.round(rng.rand(n), 2)
    kind = [("a", "b", "c", "d")[v] for v in rng.randint(0, 4 if seed % 2 else 3, n)]
    signal = x + 0.2 * rng.randn(n) + 0.3 * np.array([k == "b" for k in kind])
    y = numeric("y", 10 * signal) if target == "number" else nominal("y", (signal > 0.6).tolist())
    return Table((numeric("x", x), nominal("kind", kind)), y, n)


@FEW
@given(st.integers(0, 1000))
def test_leaves_count_the_correct_predictions_of_the_test_rows(seed):
    tree, test = fit(rows(seed, "class"), recipe="id3", max_depth=3), rows(seed + 1, "class", 70)
    results = leaf_results(tree, test)
    report = tree.score(test)
    assert (results.total().correct, results.total().weight) == (report.correct, report.n)
    nodes, right = (
        tree.apply(test),
        tree.predict(test) == np.array([test.target.levels[c] for c in test.target.codes]),
    )
    made = diagram.build_diagram(tree, test=test)
    for box in made.boxes:
        here = nodes == box.node
        if box.kind != "leaf":
            assert not box.test_text
        elif not here.any():
            assert box.test_text == "no test rows"
            assert box.test is None
        else:
            k, n = int(right[here].sum()), int(here.sum())
            assert box.test_text.startswith(f"test {k}/{n} ")
            assert (box.test.low, box.test.high) == wilson(k, n)
            assert box.test.mark == k / n
    assert f"test accuracy {report.correct}/{report.n}" in made.facts
    stopped = int((~tree.is_leaf[nodes]).sum())
    assert (f"{stopped} test rows stop before a leaf" in made.facts) == (stopped > 0)


@pytest.mark.parametrize("show", ["none", "counts", "data"])
@pytest.mark.parametrize("target", ["class", "number"])
def test_test_rows_stand_close_below_the_other_texts_of_a_leaf(show, target):
    """Without a bar between, no room is left for one."""
    tree = fit(rows(1, target), recipe="rpart")
    folded = diagram.build_diagram(tree, test=rows(2, target), show=show, max_leaves=2).boxes
    for box in (*diagram.build_diagram(tree, test=rows(2, target), show=show).boxes, *folded):
        parts = list(box_parts.box_parts(box, themes.THEMES["light"]))
        texts = [p.y - box.y for p in parts if isinstance(p, box_parts.Label)][1:]
        if not box.test_text:
            continue
        has_bar = bool(box.bar) or box.spread is not None
        assert texts[-1] - texts[-2] == (22.0 if has_bar else 14.0)
        assert 12 <= box.height - texts[-1] <= 20


@FEW
@given(st.integers(0, 1000))
def test_leaves_of_numbers_show_the_mean_of_the_test_rows_and_its_interval(seed):
    tree, test = fit(rows(seed, "number"), recipe="cart-binary", max_depth=3), rows(seed, "number")
    results, nodes, y = leaf_results(tree, test), tree.apply(test), test.target.numbers()
    assert results.total().rmse == pytest.approx(tree.score(test).rmse)
    for box in diagram.build_diagram(tree, test=test).boxes:
        here = y[nodes == box.node]
        if box.kind == "leaf" and len(here) > 1:
            result = results.of([box.node])
            assert result.mean == pytest.approx(here.mean())
            half = 1.959964 * here.std(ddof=1) / np.sqrt(len(here))
            assert result.mean_interval == pytest.approx(
                (here.mean() - half, here.mean() + half), rel=1e-6
            )
            assert re.fullmatch(rf"test \S+, RMSE \S+, n={len(here)}", box.test_text)


def test_folded_and_gathered_boxes_add_up_their_leaves():
    table = rows(3, "class", 400)
    tree = fit(table, recipe="id3")
    for max_leaves in (2, 5, 9):
        made = diagram.build_diagram(tree, test=table, max_leaves=max_leaves)
        ends = [re.match(r"test (\d+)/(\d+)", b.test_text) for b in made.boxes if b.test_text]
        assert sum(int(m[2]) for m in ends if m) == 400


def test_pictures_of_every_kind_show_test_rows_by_names_of_classes(tmp_path):
    tree, test = fit(rows(2, "class")), rows(4, "class", 50)
    svg = tree.write("svg", test=test, class_names={False: "cheap", True: "dear"})
    assert "cheap" in svg
    assert re.search(r">test \d+/\d+ [\d.]+%<", svg)
    assert "测试" in tree.write("svg", test=test, lang="zh")
    pytest.importorskip("matplotlib")
    axes = tree.plot(test=test, show="counts", layout="left-to-right", align_leaves=True)
    assert any(text.get_text().startswith("test ") for text in axes.texts)
    for ending in ("svg", "png", "pdf"):
        tree.save_picture(tmp_path / f"a.{ending}", test=test, show="none", align_leaves=True)
        assert (tmp_path / f"a.{ending}").stat().st_size > 1000
    import matplotlib.pyplot as plt  # noqa: PLC0415 - an extra

    plt.close("all")


def test_wrong_options_of_pictures_are_refused():
    tree = fit(rows(2, "class"))
    for options in ({"show": "rows"}, {"layout": "circle"}):
        with pytest.raises(penjing.PenjingError, match=next(iter(options))):
            tree.write("svg", **options)
    with pytest.raises(penjing.PenjingError, match="align_leaves"):
        tree.plot(align_leaves="yes")
    with pytest.raises(penjing.PenjingError, match="no column 'y'"):
        tree.write("svg", test=[{"x": 1.0, "kind": "a"}])


def test_rows_that_are_spread_over_branches_do_not_stop():
    training = penjing.read(
        {"x": ["a", "a", "b", "b", "b", "a"], "y": ["p", "p", "q", "q", "q", "p"]}, target="y"
    )
    test = {"x": ["a", None, None, "new"], "y": ["p", "p", "q", "q"]}
    tree = fit(training, recipe="c4.5")
    results = leaf_results(tree, test)
    facts = diagram.build_diagram(tree, test=test).facts
    assert results.divided == 3.0  # C4.5 treats unseen categories as missing
    assert "3 test rows with missing values are spread over several branches" in facts
    assert "stop" not in facts
    stopping = fit(training, recipe="c4.5", unseen="stop")
    facts = diagram.build_diagram(stopping, test=test).facts
    assert "2 test rows with missing values are spread over several branches" in facts
    assert "1 test rows stop before a leaf" in facts
    whole = diagram.build_diagram(tree, test={"x": [None, "b"], "y": ["p", "q"]}).facts
    assert "1 test row with missing values is spread" in whole
    assert "stop" not in whole
    id3 = fit(training, recipe="id3")
    assert leaf_results(id3, test).divided == 0.0
