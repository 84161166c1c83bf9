"""Cross-validation: each row is predicted by a tree that has not seen it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from penjing.api.fit import fit
from penjing.api.tree import Tree
from penjing.data.folds import folds, hold_out
from penjing.data.read import read
from penjing.data.table import Table, nominal
from penjing.dialects.recipes import RECIPES
from penjing.errors import ChoiceError, DataError
from penjing.evaluate.metrics import Report
from penjing.evaluate.validation import cross_validate, not_a_test
from shared import shared
from strategies import grown, skeleton, tables

COURSE = "data/watermelon-course/Watermelon-"


@pytest.fixture(scope="module")
def melons() -> dict[str, Table]:
    return {name: read(shared(f"{COURSE}{name}.csv")) for name in ("train1", "test1", "train2")}


@given(tables(max_rows=16), st.integers(2, 5), st.sampled_from(["id3", "cart-binary"]))
def test_every_row_is_answered_by_a_tree_that_has_not_seen_it(table, k, recipe):
    assume(table.n_rows >= k)
    report = cross_validate(table, recipe, k, seed=4)
    right = 0
    for train, held_out in folds(table, k, seed=4):
        right += grown(train, recipe).score(held_out).correct
    assert (report.correct, report.n) == (right, table.n_rows)
    assert isinstance(report, Report)
    assert cross_validate(table, RECIPES[recipe], k, seed=4) == report
    assert cross_validate(table, lambda t: grown(t, recipe), k, seed=4) == report
    assert cross_validate(table, grown(table, recipe), k, seed=4) == report


@given(tables(max_rows=16, regression=True), st.integers(2, 5))
def test_numbers_are_cross_validated(table, k):
    assume(table.n_rows >= k)
    report = cross_validate(table, "id3", k)
    squares = 0.0
    for train, held_out in folds(table, k):
        off = grown(train).predict(held_out) - held_out.target.numbers()
        squares += float((off**2).sum())
    assert report.rmse == pytest.approx(math.sqrt(squares / table.n_rows))


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_every_recipe_is_cross_validated_as_it_is_fitted(melons, recipe):
    table = melons["train2"]
    right = sum(fit(t, recipe=recipe).score(out).correct for t, out in folds(table, 3))
    assert cross_validate(table, recipe, 3).correct == right
    assert cross_validate(table, fit(table, recipe=recipe), 3).correct == right


def test_each_fold_can_hold_out_rows_that_decide_its_pruning(melons):
    table = melons["train1"]
    report = cross_validate(table, "id3", 4, prune="reduced-error", validation=0.3, ties="keep")
    right = 0
    for train, held_out in folds(table, 4):
        rest, validation = hold_out(train, 0.3)
        tree = grown(rest).prune("reduced-error", validation=validation, ties="keep")
        right += tree.score(held_out).correct
    assert report.correct == right


def test_a_tree_that_others_pruned_cannot_be_grown_again(melons):
    table = melons["train1"]
    tree = grown(table).prune("reduced-error", validation=melons["test1"])
    with pytest.raises(ChoiceError, match="pruned on a validation set"):
        cross_validate(table, tree, 4)
    assert cross_validate(table, tree, 4, prune="pessimistic").n == 16
    with pytest.raises(ChoiceError, match="unknown recipe 'id33'"):
        cross_validate(table, "id33", 4)
    with pytest.raises(DataError, match="no target"):
        cross_validate(replace(table, target=None), "id3", 4)


def test_growers_may_order_classes_as_they_like():
    table = Table((nominal("x", "ppqq"),), nominal("y", ["a", "a", "b", "b"]), 4)
    by_hand = Tree.from_dict({"x": {"q": "b", "p": "a"}}, "y")
    assert by_hand.classes == ("b", "a")
    assert cross_validate(table, lambda _: by_hand, 2).correct == 4


# -- training accuracy after pruning ------------------------------------------------------------


def test_the_training_accuracy_follows_the_pruning_or_is_left_out(melons):
    table = melons["train1"]
    tree = grown(table)
    tree = replace(tree, about={**tree.about, "training": {"correct": 16.0, "of": 16.0}})
    pruned = tree.prune("pessimistic")
    assert pruned.about["training"] == {"correct": 14.0, "of": 16.0}
    assert pruned.score(table).correct == 14
    assert skeleton(tree.prune("pessimistic")) == skeleton(pruned)
    gaps = read(shared("data/watermelon-book/watermelon2.0alpha.csv"))
    shared_out = grown(gaps, "c4.5-textbook")
    told = {"training": {"correct": shared_out.score(gaps).correct, "of": 17.0}}
    shared_out = replace(shared_out, about={**shared_out.about, **told})
    assert "training" not in shared_out.prune("pessimistic", confidence=0.01).about


def test_held_out_rows_are_not_called_the_training_set(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n" + "".join(f"{i % 9},{'mn'[i % 2]}\n" for i in range(90)), "utf-8")
    table = read(str(path), "y")
    training, test = hold_out(table, 0.3)
    tree = fit(training, quiet=True)
    assert not_a_test(tree, test) == []
    assert not_a_test(tree, training) == ["note_training_tested"]
    assert not_a_test(tree, table) == ["note_training_tested"]
    assert not_a_test(fit(table, quiet=True), test) == ["note_training_tested"]
    assert "is the training set" not in tree.report(test=test)
    pruned = tree.prune("reduced-error", validation=test)
    assert not_a_test(pruned, test) == ["note_validation_tested"]
