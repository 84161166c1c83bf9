"""Predicted numbers can be told apart in every picture, whatever their size and range."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import penjing
from penjing.data.table import Table, numeric
from penjing.render import dot, icicle, svg
from penjing.render.diagram import build_diagram
from penjing.render.html.page_data import page_data
from penjing.render.value_scale import value_scale
from penjing.text.labels import value_text

TARGETS = {
    "years": (2000.0, 5.0),
    "a large offset": (1e6, 1.0),
    "seconds since 1970": (1.6e9, 40.0),
    "a negative offset": (-123_456_789.0, 2.0),
    "tiny": (0.0, 1e-9),
    "huge": (-2e15, 1e15),
    "as usual": (10.0, 10.0),
}


def grown(name, n=400):
    start, step = TARGETS[name]
    x = np.arange(n) % 97
    y = start + step * (x // 25) + 0.05 * step * np.sin(np.arange(n))
    columns = (numeric("x", x), numeric("year", 1990 + x % 31))
    tree = penjing.fit(Table(columns, numeric("y", y), n), recipe="rpart")
    assert tree.n_leaves == 4
    return tree


@pytest.mark.parametrize("name", TARGETS)
def test_different_predictions_look_different(name):
    tree = grown(name)
    leaves = np.flatnonzero(tree.is_leaf).tolist()
    boxes = [box for box in build_diagram(tree).boxes if box.node in leaves]
    shown = {
        "picture": [box.name for box in boxes],
        "text": [value_text(tree, node) for node in leaves],
        "icicle": [
            bar.name
            for bar in icicle.build_icicle(tree, "light").bars
            if bar.name and bar.name not in ("x", "year")
        ],
        "page": [page_data(tree, "en", "light", None)["scale"]["short"][node] for node in leaves],
        "values of the page": [
            page_data(tree, "en", "light", None)["value"][node] for node in leaves
        ],
        "dot": [
            label.split("\\n")[0]
            for label in re.findall(r'label="([^"]*)"', dot.write(tree))
            if label.startswith(("-", *"0123456789"))
        ],
    }
    scale = value_scale(tree)
    span = scale.highest - scale.lowest
    for kind, texts in shown.items():
        assert len(set(texts)) == 4, (kind, texts)
        numbers = sorted(float(text) for text in texts)
        for number, value in zip(numbers, sorted(tree.values[leaves]), strict=True):
            assert abs(number - value) <= span / 100, (kind, texts)


@pytest.mark.parametrize("name", TARGETS)
def test_the_legend_and_the_axis_have_different_ends(name):
    tree = grown(name)
    steps = [text for text, _ in page_data(tree, "en", "light", None)["scale"]["legend"]]
    assert len(set(steps)) == len(steps), steps
    picture = svg.write(tree)
    assert all(f">{step}</text>" in picture for step in steps)
    note = re.search(
        r"from (\S+) to (\S+)$", page_data(tree, "en", "light", None)["scale"]["note"]["en"][0]
    )
    low, high = (float(end) for end in note.groups())
    assert low < tree.values.min() < tree.values.max() < high


def test_many_zeros_are_written_as_a_power_of_ten():
    texts = [box.name for box in build_diagram(grown("huge")).boxes]
    assert all(len(text) <= 9 for text in texts), texts


def test_ends_of_the_axis_of_years_are_years():
    """A column with a small range has more than three digits too."""
    rng = np.random.RandomState(0)
    year = rng.randint(1987, 2024, 300)
    table = Table((numeric("year", year),), numeric("y", np.where(year < 2004, 1.0, 2.0)), 300)
    labels = [label.text for label in build_diagram(penjing.fit(table)).boxes[0].plot.labels]
    assert labels == ["1987", "2023"]


def test_rows_of_one_number_have_no_spread():
    """Rounding of the sums is not shown as a spread."""
    x = np.arange(400) % 100
    table = Table((numeric("x", x),), numeric("y", np.where(x > 50, 3.3, -7.1)), 400)
    for recipe in ("rpart", "cart-binary", "sklearn"):
        tree = penjing.fit(table, recipe=recipe)
        texts = [line for box in build_diagram(tree).boxes[1:] for line in box.lines]
        assert sum("± 0 " in f"{text} " for text in texts) == 2, texts
        assert "training RMSE 0 | R² 1" in svg.write(tree)
        assert (
            json.dumps(page_data(tree, "en", "light", None)["scale"]["spread_text"][1:])
            == '["0", "0"]'
        )
        assert "± 0, " in dot.write(tree)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.0, 0.1), (-3e12, 0.0), (0.0, 2e-6)])
@pytest.mark.parametrize("recipe", ["rpart", "cart-binary", "sklearn"])
def test_a_mean_of_zero_is_written_as_zero(low, high, recipe):
    """What sums are rounded by is not shown as a prediction."""
    x = np.random.RandomState(3).rand(300)
    table = Table((numeric("x", x),), numeric("y", np.where(x > 0.5, high, low)), 300)
    tree = penjing.fit(table, recipe=recipe)
    zero = 1 if low == 0 else 2
    shown = {
        "text": value_text(tree, zero),
        "picture": build_diagram(tree).boxes[zero].name,
        "page": page_data(tree, "en", "light", None)["scale"]["short"][zero],
        "value of the page": page_data(tree, "en", "light", None)["value"][zero],
        "dot": re.findall(r'label="([-+.e0-9]+)', dot.write(tree))[zero - 1],
        "legend": re.findall(r">([-+.e0-9]+)</text>", svg.write(tree))[0 if zero == 1 else 5],
    }
    assert set(shown.values()) == {"0"}, shown


@pytest.mark.parametrize(
    ("lang", "part"),
    [("en", "On its own training rows its root mean"), ("zh", "在自己的训练样本上")],
)
def test_a_report_without_folds_has_the_error_in_training(lang, part):
    summary = grown("as usual").report(lang=lang, cross_validation=False).split("<svg")[0]
    assert part in summary


def test_figures_of_a_report_have_no_powers_of_ten():
    x = np.arange(300) % 83
    y = 68_000.0 * (x // 20) + 1_000 * np.sin(np.arange(300))
    table = Table((numeric("x", 1_600_000_000 + x),), numeric("y", y), 300)
    report = penjing.fit(table, recipe="rpart").report(folds=3)
    summary = report.split("<svg")[0]
    assert "e+0" not in summary
    assert re.search(r"<strong>\d{2,3},\d{3}</strong>", summary)
    assert "1600000000 … 1600000082" in report
