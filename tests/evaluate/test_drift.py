"""Summaries of predictions and drift, counted again from the definition."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from penjing.api.tree import Tree
from penjing.data.column_bins import ColumnBins, column_bins
from penjing.data.table import Table, nominal, numeric
from penjing.errors import DataError
from penjing.evaluate.drift import population_stability_index, tree_parts
from penjing.evaluate.prediction_summary import summary_of
from penjing.i18n import LANGUAGES
from penjing.predict.inputs import align_all
from penjing.tree.serialize import from_json


def table(seed: int, n: int = 400, missing: float = 0.1, shift: float = 0.0) -> Table:
    random = np.random.default_rng(seed)
    x = random.normal(size=n) + shift
    colour = random.choice(["red", "blue", "green", "white"], n)
    y = np.where(x + (colour == "red") + 0.5 * random.normal(size=n) > 0.5, "yes", "no")
    x[random.random(n) < missing] = np.nan
    colours = [None if random.random() < missing else c for c in colour]
    columns = (numeric("x", x), nominal("colour", colours), numeric("noise", random.random(n)))
    return Table(columns, nominal("y", y.tolist()), n)


def psi(new, training) -> float:
    """Return the index by its definition, bin by bin."""
    bins = [(a, b) for a, b in zip(new, training, strict=True) if a > 0 or b > 0]
    n, m = sum(a + 0.5 for a, _ in bins), sum(b + 0.5 for _, b in bins)
    total = 0.0
    for a, b in bins:
        p, q = (a + 0.5) / n, (b + 0.5) / m
        total += (p - q) * math.log(p / q)
    return total


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=8))
def test_the_index_is_its_definition(bins):
    new, training = (np.array(part, np.float64) for part in zip(*bins, strict=True))
    if new.sum() and training.sum():
        found = population_stability_index(new, training)
        assert found == pytest.approx(psi(new, training), abs=1e-12)
        assert found >= -1e-15
        assert population_stability_index(new, new) == 0


RECIPES = ("c4.5-textbook", "cart-binary", "rpart", "c4.5", "sklearn")


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_training_rows_do_not_drift(recipe):
    rows = table(1, missing=0.0 if recipe == "cart-binary" else 0.1)
    tree = penjing.fit(rows, recipe=recipe)
    drift = tree.drift(rows)
    assert drift.leaves_psi == pytest.approx(0, abs=1e-9)
    assert all(column.psi == 0 for column in drift.columns)
    assert sum(part.share for part in drift.leaves) == pytest.approx(1)
    assert sum(part.training_share for part in drift.leaves) == pytest.approx(1)
    assert len(drift.leaves) <= 21
    for lang in LANGUAGES:
        assert drift.text(lang)


@pytest.mark.parametrize("recipe", RECIPES)
def test_shifted_rows_drift(recipe):
    missing = 0.0 if recipe == "cart-binary" else 0.1
    rows = table(1, missing=missing)  # the tree refers to its training rows weakly
    tree = penjing.fit(rows, recipe=recipe)
    same, other = tree.drift(table(2, missing=missing)), tree.drift(table(2, 400, missing, 1.0))
    assert same.max_psi < 0.25 < other.max_psi
    x = {column.name: column for column in other.columns}["x"]
    assert x.psi > 0.25
    assert other.leaves_psi > same.leaves_psi


def test_the_index_of_a_column_is_counted_in_its_bins():
    rows, new = table(1), table(3, shift=0.4)
    drift = penjing.fit(rows, recipe="c4.5-textbook").drift(new)
    by_name = {column.name: column for column in drift.columns}
    values, others = (t.columns[0].numbers() for t in (rows, new))
    known = np.sort(values[~np.isnan(values)])
    bounds = column_bins(rows.columns[0], rows.columns[0].field, rows.weights).bounds
    assert len(bounds) == 9
    counts = []
    for of in (others, values):
        cells = [int(((of > low) & (of <= high)).sum()) for low, high in edges(bounds)]
        counts.append([*cells, int(np.isnan(of).sum())])
    assert by_name["x"].psi == pytest.approx(psi(*counts))
    assert max(counts[1][:-1]) - min(counts[1][:-1]) <= 2  # about equally many rows
    assert by_name["x"].training_missing_share == pytest.approx(np.isnan(values).mean())
    assert known[0] < bounds[0]
    colours, seen = new.columns[1].values(), rows.columns[1].values()
    levels = [*rows.columns[1].levels, None]
    expected = psi([colours.count(c) for c in levels], [seen.count(c) for c in levels])
    assert by_name["colour"].psi == pytest.approx(expected)


def edges(bounds):
    ends = [-math.inf, *bounds.tolist(), math.inf]
    return list(itertools.pairwise(ends))


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_saved_model_knows_the_distributions_of_its_columns(recipe, tmp_path):
    missing = 0.0 if recipe == "cart-binary" else 0.1
    rows, new = table(1, missing=missing), table(2, missing=missing, shift=0.5)
    tree = penjing.fit(rows, recipe=recipe, sketch=True)
    tree.save(tmp_path / "m.tree")
    loaded = penjing.load(tmp_path / "m.tree").drift(new)
    by_rows = {column.name: column for column in tree.drift(new).columns}
    assert not loaded.lacks_columns
    assert loaded.columns
    for column in loaded.columns:
        assert column == by_rows[column.name]
    given_rows = penjing.load(tmp_path / "m.tree").drift(new, training=rows)
    assert given_rows.columns == tuple(by_rows.values())
    assert {"noise"} <= {column.name for column in given_rows.columns}


def test_a_model_without_distributions_compares_leaves(tmp_path):
    penjing.fit(table(1), recipe="c4.5").save(tmp_path / "m.tree")
    drift = penjing.load(tmp_path / "m.tree").drift(table(2))
    assert drift.lacks_columns
    assert all(column.psi is None for column in drift.columns)
    assert "training=" in drift.text()
    assert "--train" in drift.text(command=True)
    assert drift.max_psi == max(drift.leaves_psi, drift.predictions_psi)


def test_unseen_categories_and_missing_values_are_counted():
    tree = penjing.fit(table(1), recipe="c4.5-textbook")
    rows = [
        {"x": 1.0, "colour": "pink", "noise": 0.1},
        {"x": None, "colour": "pink", "noise": 0.1},
        {"x": 1.0, "colour": "grey", "noise": 0.1},
        {"x": 1.0, "colour": "red", "noise": 0.1},
    ]
    drift = tree.drift(rows)
    by_name = {column.name: column for column in drift.columns}
    assert by_name["colour"].unseen == (("pink", 2), ("grey", 1))
    assert by_name["colour"].unseen_share == 0.75
    assert by_name["x"].missing_share == 0.25
    assert drift.leaves_by_chance > 0.1
    assert "by chance" in drift.text()
    summary = tree.summarize(rows)
    counts = {column.name: column for column in summary.columns}
    assert counts["colour"].unseen == 3
    assert counts["colour"].categories == (("pink", 2), ("grey", 1))
    unseen = [i + 1 for i, row in enumerate(rows) if row["colour"] in ("pink", "grey")]
    assert list(counts["colour"].unseen_rows) == unseen
    assert "pink (2) and grey (1), in rows 1, 2 and 3\n" in summary.text()
    assert "pink（2）和 grey（1），在第 1、2 和 3 行\n" in summary.text("zh")
    assert "grey (1), in row 2\n" in tree.summarize([rows[3], rows[2]]).text()
    many = tree.summarize([rows[0]] * 3000)
    assert many.columns[[c.name for c in many.columns].index("colour")].unseen_rows == (
        *range(1, 1001),
    )
    assert "pink (3,000), in rows 1, 2, 3 and 2,997 more\n" in many.text()
    assert "pink（3000），在第 1、2、3 行和另外 2997 行\n" in many.text("zh")
    assert json_is_plain(many.to_json())
    assert counts["x"].missing == 1
    assert sum(summary.predictions.values()) == summary.n == 4


def test_rows_that_cannot_be_compared():
    tree = penjing.fit(table(1), recipe="c4.5-textbook")
    with pytest.raises(DataError, match="no rows"):
        tree.drift(replace(table(1).take(np.zeros(400, bool)), target=None))
    by_hand = Tree.from_dict({"x": {0: "a", 1: "b"}})
    with pytest.raises(DataError, match="no counts"):
        by_hand.drift([{"x": 0}])


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_node_is_in_one_part(recipe):
    tree = penjing.fit(table(1, 2000, 0.0), recipe=recipe)
    part, names, weight = tree_parts(tree)
    assert len(names) == len(weight) <= 21
    leaves = tree.is_leaf
    counted = np.bincount(part[leaves], tree.weight[leaves], len(weight))
    assert counted == pytest.approx(weight)
    for node in range(1, tree.n_nodes):
        above = part[tree.nodes.parent[node]]
        assert above in (part[node], len(names) - 1)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_summary_of_parts_is_that_of_the_whole(recipe):
    missing = 0.0 if recipe == "cart-binary" else 0.1
    tree = penjing.fit(table(1, missing=missing), recipe=recipe)
    rows = align_all(tree, table(5, 300, missing))
    parts = [rows.take(np.arange(start, start + 100)) for start in (0, 100, 200)]
    whole = tree.summarize(rows)
    assert summary_of(tree, parts) == whole
    predicted = tree.predict(rows).tolist()
    assert whole.predictions == {c: predicted.count(c) for c in whole.predictions}
    stops = tree.apply(rows).tolist()
    assert {leaf.node: leaf.rows for leaf in whole.leaves} == {s: stops.count(s) for s in stops}
    assert json_is_plain(whole.to_json())
    for lang in LANGUAGES:
        assert whole.text(lang)


def json_is_plain(value) -> bool:
    import json  # noqa: PLC0415

    return json.loads(json.dumps(value)) == value


def test_a_summary_of_numbers():
    tree = penjing.fit([{"x": i, "y": i / 2} for i in range(9)], "y", "cart-binary")
    summary = tree.summarize([{"x": 0}, {"x": 8}])
    assert summary.numbers == {"min": 0.0, "mean": 2.0, "max": 4.0}
    assert "mean 2" in summary.text()
    drift = tree.drift([{"x": 0}, {"x": 8}])
    assert drift.predictions_psi is None


@given(st.lists(st.one_of(st.none(), st.integers(-20, 20)), min_size=1, max_size=60))
def test_bins_hold_every_row_once(values):
    column = numeric("x", [math.nan if v is None else float(v) for v in values])
    bins = column_bins(column, column.field, np.ones(len(values)))
    assert bins.counts.sum() + bins.missing == len(values)
    assert (bins.count(column, column.field, np.ones(len(values))) == bins.cells).all()
    again = ColumnBins.from_json(bins.to_json())
    assert (again.cells == bins.cells).all()
    if len(bins.counts) > 1:
        assert (bins.counts > 0).all()


def test_a_damaged_distribution_is_refused():
    tree = penjing.fit(table(1), recipe="c4.5-textbook", sketch=True)
    for change in (
        {"bounds": [3.0, 1.0]},
        {"counts": [1.0]},
        {"missing": -1},
        {"column": 99},
        {"counts": "many"},
    ):
        plain = tree.to_json()
        plain["about"]["columns"][0] |= change
        with pytest.raises(DataError, match=r"about\.columns"):
            from_json(plain)


def test_new_rows_are_weighted_as_the_training_rows(tmp_path):
    rows = [f"{i},{1 + 9 * (i > 3)},{'no' if i > 3 else 'yes'}" for i in range(8)]
    (tmp_path / "t.csv").write_text("\n".join(["x,w,y", *rows]))
    tree = penjing.fit(tmp_path / "t.csv", "y", weight="w", recipe="cart-binary", quiet=True)
    for training in (None, tmp_path / "t.csv"):
        drift = tree.drift(tmp_path / "t.csv", training)
        assert drift.max_psi == 0
        assert drift.text().splitlines()[0] == (
            "8 new rows, compared with 8 training rows (total weight 44)"
        )
        assert "训练集的 8 行（总权重 44）" in drift.text("zh")
        assert drift.to_dict()["n_training"] == 8
