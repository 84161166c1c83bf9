"""Errors of complexities by rows left out, and the choice that follows from them."""

from __future__ import annotations

import numpy as np
import pytest

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.dialects.rpart.options import RpartOptions
from penjing.errors import ChoiceError
from penjing.training.cp_validation import cross_validated, cut_to, groups_of


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
