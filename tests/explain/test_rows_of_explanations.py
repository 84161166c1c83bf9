"""Explanations computed later use the rows that grew the tree, as its program saw them."""

from __future__ import annotations

import numpy as np
import pytest

import penjing
from penjing.criteria.entropy import entropy_bits
from penjing.data.checksum import table_checksum
from penjing.errors import PenjingError
from penjing.explain.node import explain, story
from penjing.explain.trace import compute_trace
from penjing.training import training_rows

pandas = pytest.importorskip("pandas")


def frame(n: int = 80, seed: int = 0):
    random = np.random.default_rng(seed)
    rows = pandas.DataFrame(
        {
            "b": random.normal(size=n).round(2),
            "a": random.normal(size=n).round(2),
            "k": random.choice(list("uvw"), n),
        }
    )
    noise = random.normal(size=n) / 2
    rows["y"] = np.where(rows.a + (rows.k == "u") + noise > 0.3, "yes", "no")
    return rows


RECIPES = ["id3", "c4.5-textbook", "cart-binary", "c4.5", "j48", "rpart", "sklearn"]


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("seed", range(3))
def test_a_trace_computed_later_is_the_one_that_was_kept(recipe, seed):
    rows = frame(seed=seed)
    if recipe in ("rpart", "c4.5"):
        rows.loc[::7, ["a", "b", "k"]] = np.nan  # rpart leaves such rows out
        rows["k"] = rows["k"].astype(object)
    kept = penjing.fit(rows, "y", recipe, trace=True)
    later = penjing.fit(rows, "y", recipe)
    assert later.kept_trace is None
    assert later.training_table() is not None
    assert list(later.trace) == list(kept.trace)


def test_scikit_learns_numbers_are_rounded_in_explanations_too():
    values = [1, 1 + 1e-9, 1 + 2e-9, 2, 3, 4] * 4
    rows = pandas.DataFrame({"x": values, "z": np.arange(24) % 5})
    rows["y"] = np.where(rows.x.isin([1, 1 + 2e-9]), "p", "q")
    kept, later = (penjing.fit(rows, "y", "sklearn", trace=trace) for trace in (True, False))
    assert story(later) == story(kept)
    assert explain(later)["candidates"][0]["cut"] == 1.5


def test_a_frame_that_was_changed_is_not_explained_with(monkeypatch):
    for change in (
        lambda rows: rows.__setitem__("b", rows["a"]),
        lambda rows: rows.__setitem__("y", rows["y"].sample(frac=1, random_state=1).to_numpy()),
        lambda rows: rows.__setitem__("k", rows["k"].to_numpy()[::-1]),
        lambda rows: rows.__setitem__("a", rows["a"].where(rows.index != 5, 9.0)),
    ):
        rows = frame()
        tree = penjing.fit(rows, "y", "c4.5-textbook")
        before = explain(tree)
        change(rows)
        assert explain(tree) == before  # from the small table that the tree has kept
        with monkeypatch.context() as patch:
            patch.setattr(training_rows, "KEPT_CELLS", 16)
            rows = frame()
            tree = penjing.fit(rows, "y", "c4.5-textbook")
            assert tree.training_table() is not None
            change(rows)
            assert tree.training_table() is None
            with pytest.raises(PenjingError, match="training rows"):
                explain(tree)


def test_an_array_that_was_changed_is_not_explained_with():
    numbers = frame()[["a", "b"]].to_numpy().copy()
    classes = frame()["y"].to_numpy()
    tree = penjing.fit(numbers, classes, "cart-binary")
    assert tree.training_table() is not None
    numbers[:, 1] = numbers[:, 0]
    assert tree.training_table() is None


def test_weights_count_for_the_checksum():
    rows = frame().assign(w=1.0)
    first = table_checksum(penjing.read(rows, "y", weight="w"))
    rows.loc[3, "w"] = 2.0
    assert table_checksum(penjing.read(rows, "y", weight="w")) != first


def test_rows_are_matched_by_the_names_of_columns_and_categories():
    rows = frame()
    tree = penjing.fit(rows, "y", "c4.5-textbook")
    expected = list(tree.trace)
    shuffled = rows.sample(frac=1, random_state=3)[["y", "k", "a", "b"]]
    assert list(compute_trace(tree, penjing.read(shuffled, "y"))) == expected
    assert list(compute_trace(tree, shuffled)) == expected
    with pytest.raises(PenjingError, match="'k'"):
        compute_trace(tree, rows.drop(columns="k"))


def test_a_tree_made_by_hand_is_explained_with_a_wider_table():
    tree = penjing.Tree.from_dict({"k": {"u": "yes", "v": "no", "w": "no"}}, target="y")
    step = compute_trace(tree, penjing.read(frame(), "y"))[0]
    assert [candidate["column"] for candidate in step["candidates"]] == ["k"]


class Halved:
    """Half of the entropy, under the name of another criterion."""

    name, native = "gini", None

    def impurity(self, total, s):  # noqa: ARG002 - the protocol's
        return entropy_bits(total) / 2

    def between(self, best_splits):
        return best_splits.gain


def half_of_entropy(counts):
    return entropy_bits(counts) / 2


@pytest.mark.parametrize("criterion", [Halved(), half_of_entropy])
@pytest.mark.parametrize("engine", ["native", "memory"])
def test_a_criterion_of_ones_own_explains_later_too(criterion, engine):
    rows = frame()
    kept, later = (
        penjing.fit(rows, "y", criterion=criterion, engine=engine, trace=trace)
        for trace in (True, False)
    )
    assert list(later.trace) == list(kept.trace)


@pytest.mark.parametrize("seed", range(4))
def test_known_values_that_are_split_at_once_have_no_step_of_their_own(seed):
    rows = frame(seed=seed)
    random = np.random.default_rng(seed)
    rows["k"] = rows["k"].where(random.random(len(rows)) > 0.4, None)
    kept, later = (penjing.fit(rows, "y", missing="branch", trace=trace) for trace in (True, False))
    assert list(later.trace) == list(kept.trace)
    halves = set(range(later.n_nodes)) - {step["node"] for step in story(later)}
    for node in halves:
        candidates = explain(later, node)["candidates"]
        assert [c["column"] for c in candidates] == [later.schema[later.nodes.column[node]].name]
