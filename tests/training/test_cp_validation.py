"""Errors of complexities by rows left out, and the choice that follows from them."""

from __future__ import annotations

import numpy as np
import pytest

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.dialects.recipes import recipe_of
from penjing.dialects.rpart.cross_validation import CrossValidation, groups_of
from penjing.dialects.rpart.options import RpartOptions
from penjing.errors import ChoiceError
from penjing.training.cp_validation import cross_validated, cut_to
from penjing.tree.counts import reader_of


def noisy(n: int = 120, *, regression: bool = False) -> Table:
    draw = np.random.RandomState(5)
    x = draw.normal(size=(n, 3))
    score = x[:, 0] + 0.8 * draw.normal(size=n)
    columns = tuple(numeric(f"x{i}", np.round(x[:, i], 1)) for i in range(3))
    target = numeric("y", np.round(score, 1)) if regression else nominal("y", score > 0)
    return Table(columns, target, n)


@pytest.mark.parametrize("regression", [False, True])
def test_rparts_trees_get_rparts_table(regression):
    table = noisy(regression=regression)
    told = penjing.fit(table, recipe="rpart", xval=6)
    later = cross_validated(penjing.fit(table, recipe="rpart"), table, folds=6)
    assert later.about["cp_table"] == told.about["cp_table"]


@pytest.mark.parametrize("recipe", ["cart-binary", "sklearn", "id3"])
@pytest.mark.parametrize("regression", [False, True])
def test_the_table_tells_of_nested_trees(recipe, regression):
    table = noisy(80, regression=regression)
    tree = cross_validated(penjing.fit(table, recipe=recipe, max_depth=6), table, folds=5)
    rows = np.asarray(tree.about["cp_table"])
    assert (np.diff(rows[:, 0]) < 0).all()
    assert (np.diff(rows[:, 1]) > 0).all()
    assert (np.diff(rows[:, 2]) < 1e-12).all()
    assert rows[0, 2] == pytest.approx(1.0)
    small = tree.prune("cost-complexity")
    large = tree.prune("cost-complexity", one_se=False)
    assert small.n_leaves <= large.n_leaves <= tree.n_leaves


@pytest.mark.parametrize("recipe", ["cart-binary", "rpart"])
def test_more_folds_than_rows_leave_each_row_out(recipe):
    table = noisy(20)
    tree = penjing.fit(table, recipe=recipe)
    rows = cross_validated(tree, table, folds=20).about["cp_table"]
    assert cross_validated(tree, table, folds=10**9).about["cp_table"] == rows
    with pytest.raises(ChoiceError):
        tree.prune("cost-complexity", training=table, folds=10**30)


def test_noise_is_pruned_away():
    table = noisy(200)
    tree = cross_validated(penjing.fit(table, recipe="cart-binary"), table)
    pruned = tree.prune("cost-complexity")
    assert pruned.n_leaves < tree.n_leaves / 4
    assert pruned.about["cp_table"][-1][1] == int((~pruned.is_leaf).sum())


def test_without_a_table_a_number_is_needed():
    tree = penjing.fit(noisy(), recipe="cart-binary")
    with pytest.raises(ChoiceError):
        tree.prune("cost-complexity")


def test_groups_are_counted_in_the_source():
    table = noisy(10).take(np.arange(10) != 3)
    assert groups_of(table, RpartOptions(xval=4)).tolist() == [0, 1, 2, 0, 1, 2, 3, 0, 1]
    given = tuple(range(9))
    assert groups_of(table, RpartOptions(xval=given)).tolist() == list(given)
    with pytest.raises(ChoiceError):
        groups_of(table, RpartOptions(xval=(1, 2)))


def test_the_slips_of_rpart_can_be_left_out():
    table = noisy(90)
    loss = [[0, 1], [5, 0]]
    slip = penjing.fit(table, recipe="rpart", loss=loss, xval=5)
    right = penjing.fit(table, recipe="rpart", loss=loss, xval=5, loss_transposed=False)
    assert [r[:3] for r in slip.about["cp_table"]] == [r[:3] for r in right.about["cp_table"]]
    assert [r[3] for r in slip.about["cp_table"]] != [r[3] for r in right.about["cp_table"]]
    # One answer for all rows costs, on rows left out, what it costs on those it was learnt from.
    assert right.about["cp_table"][0][3] == pytest.approx(1.0)


def test_a_tree_cut_to_nothing_is_its_root():
    tree = penjing.fit(noisy(), recipe="cart-binary")
    assert cut_to(tree, 1e9).n_leaves == 1
    assert cut_to(tree, -1.0).n_leaves == tree.n_leaves


def _mixed_table(rng, *, regression):
    n = int(rng.integers(40, 120))
    z = rng.normal(size=(n, 4))
    columns = [
        numeric(f"x{j}", np.where(rng.random(n) < 0.1, np.nan, z[:, j].round(1))) for j in (0, 1)
    ]
    for j in (2, 3):
        codes = (z[:, j] * 2 + rng.normal(size=n)).astype(int) % 4
        columns.append(nominal(f"c{j}", [None if rng.random() < 0.1 else f"v{c}" for c in codes]))
    score = z[:, 0] + z[:, 1] * (z[:, 2] > 0) + rng.normal(size=n) / 2
    classes = np.digitize(score, [-0.5, 0.5])
    target = (
        numeric("y", score.round(2)) if regression else nominal("y", [f"k{c}" for c in classes])
    )
    weight = rng.integers(1, 4, n) / 2 if regression and rng.random() < 0.3 else None
    return Table(tuple(columns), target, n, weight=weight)


@pytest.mark.parametrize("seed", range(24))
def test_folds_grown_in_cpp_have_the_errors_of_those_grown_in_python(seed):
    rng = np.random.default_rng(seed)
    regression = bool(seed % 2)
    table = _mixed_table(rng, regression=regression)
    settings = {
        "minsplit": int(rng.integers(2, 12)), "cp": 0.002, "xval": int(rng.integers(2, 11)),
        "usesurrogate": seed % 3, "surrogatestyle": int(rng.integers(2)),
        "stuck_repeats": bool(rng.integers(2)), "loss_transposed": bool(rng.integers(2)),
    }  # fmt: skip
    if regression and table.weight is None and rng.random() < 0.5:
        settings["sums"] = "cases"
    if not regression and rng.random() < 0.5:
        settings["loss"] = ((0, 2, 5), (1, 0, 3), (4, 1, 0))
    recipe = recipe_of("rpart", **settings).fits(table)
    tree = penjing.fit(table, recipe="rpart", **settings)
    reader = tree.reader if regression else reader_of(table, recipe.options.costs(table))
    in_cpp = CrossValidation(table, recipe, reader, threads=2)
    in_python = CrossValidation(table, recipe, reader)
    assert in_cpp.is_native
    in_python.is_native = False
    assert in_cpp.risks(tree) == in_python.risks(tree)
    alpha = recipe.options.cp * in_cpp.risks(tree)[0]
    complexities = alpha * np.array([50.0, 20.0, 8.0, 3.0, 1.1])
    for ours, theirs in zip(
        in_cpp.errors(alpha, complexities), in_python.errors(alpha, complexities), strict=True
    ):
        assert ours.tolist() == theirs.tolist()
