"""Random tables, grown by rpart in R, by rpart by the letter, and by us: nothing is different."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from export_programs import by_python
from penjing.api.load import load
from penjing.api.tree import Tree
from reference import live_rpart
from reference.live_rpart import NO_R, Ours, has_rpart, told_by_r, verdict
from reference.rpart_comparison import differences
from reference.rpart_reimplementation import Letter
from reference.rpart_tables import case_of

needs_r = pytest.mark.skipif(not has_rpart(), reason=NO_R)


def judged(seeds: range) -> Counter[str]:
    """Return how many tables are counted as what; none is different."""
    cases = [case_of(seed) for seed in seeds]
    found = [verdict(*pair) for pair in zip(cases, told_by_r(cases), strict=True)]
    pairs = zip(seeds, found, strict=True)
    wrong = [(seed, why) for seed, (kind, why) in pairs if kind == "DIFFERENT"]
    assert not wrong
    return Counter(kind for kind, _ in found)


@needs_r
def test_trees_are_those_of_r():
    assert judged(range(25))["identical"] >= 20


@needs_r
@pytest.mark.slow
def test_trees_are_those_of_r_on_many_tables():
    counts = judged(range(400))
    assert counts["identical"] >= 350
    assert counts["slip"] > 5  # each kind does occur, or it would not be tested
    assert counts["tie"] > 1
    assert counts["NaN"] > 1


@needs_r
def test_rpart_by_the_letter_is_that_of_r():
    cases = [case_of(seed) for seed in range(25, 60)]
    for case, there in zip(cases, told_by_r(cases), strict=True):
        if there.refusal is None:
            assert not differences(Letter(case).told(), there), case.seed


@pytest.mark.parametrize(
    "seed", [11, 47, 48, 50, 63, 128, 174, 279, 999, 1188, 3257, 3631, 4524, *range(10)]
)
def test_trees_are_those_of_rpart_by_the_letter(seed):
    """Without R, too: what is known of it stands in, slips and rounding included."""
    case = case_of(seed)
    kind, why = verdict(case, Letter(case).told())
    assert kind != "DIFFERENT", why


@pytest.mark.parametrize("seed", range(100, 120))
def test_exported_programs_and_kept_models_predict_the_same(seed, tmp_path):
    case = case_of(seed)
    tree = Ours(case).tree
    columns = [column.values() for column in case.new.columns]
    rows = [dict(zip(case.new.names, cells, strict=True)) for cells in zip(*columns, strict=True)]
    expected = tree.predict(case.new).tolist()
    answers, _ = by_python(tree, rows, tmp_path)
    assert answers == (pytest.approx(expected) if tree.is_regression else expected)
    tree.save(tmp_path / "kept.tree")
    assert load(tmp_path / "kept.tree").predict(case.new).tolist() == expected


# -- the comparison would find what is wrong -------------------------------------------------


def mended(tree: Tree, **changes: object) -> Tree:
    return replace(tree, nodes=replace(tree.nodes, **changes))


def other_sides(tree: Tree) -> Tree:
    """Send missing values to the other branch."""
    assert tree.nodes.missing is not None
    missing = tree.nodes.missing
    return mended(tree, missing=np.where(missing >= 0, 1 - missing, missing).astype(np.int32))


def without_surrogates(tree: Tree) -> Tree:
    return mended(tree, surrogates={n: s[1:] for n, s in tree.nodes.surrogates.items()})


def heavier(tree: Tree) -> Tree:
    return mended(tree, total=tree.nodes.total * 1.001)


def other_table(tree: Tree) -> Tree:
    table = [[row[0] * 1.01, *row[1:]] for row in tree.about["cp_table"]]
    return replace(tree, about=dict(tree.about) | {"cp_table": table})


def other_cuts(tree: Tree) -> Tree:
    return mended(tree, cut=tree.nodes.cut + 0.01)


def with_surrogates_and_numbers() -> int:
    """Return the seed of a table in which all of this matters."""
    for seed in range(500):
        case = case_of(seed)
        if case.settings["usesurrogate"] == 2 and case.settings["maxsurrogate"] > 2:
            mine = Ours(case)
            nodes = mine.tree.nodes
            by_number = np.isfinite(nodes.cut) & (nodes.column >= 0)
            numeric = [mine.tree.schema[c].is_numeric for c in nodes.column[by_number]]
            if nodes.missing is not None and nodes.surrogates and any(numeric):
                lost = any(c.has_missing for c in case.new.columns)
                there = Letter(case).told()
                if lost and differences(replace_tree(mine, other_sides(mine.tree)), there):
                    return seed
    raise AssertionError


def replace_tree(mine: Ours, tree: Tree) -> object:
    mine.tree, kept = tree, mine.tree
    try:
        return mine.told(Letter(mine.case).told())
    finally:
        mine.tree = kept


@pytest.mark.parametrize(
    "change", [other_sides, without_surrogates, heavier, other_table, other_cuts]
)
def test_a_wrong_tree_is_found(change, monkeypatch):
    case = case_of(with_surrogates_and_numbers())
    there = Letter(case).told()
    assert verdict(case, there)[0] == "identical"

    class Wrong(Ours):
        def __init__(self, *given: object) -> None:
            super().__init__(*given)
            self.tree = change(self.tree)

    monkeypatch.setattr(live_rpart, "Ours", Wrong)
    assert verdict(case, there)[0] == "DIFFERENT"


def test_a_wrong_number_of_rows_is_found(monkeypatch):
    case = case_of(with_surrogates_and_numbers())
    grew = live_rpart.while_growing
    monkeypatch.setattr(live_rpart, "while_growing", lambda c: (grew(c)[0] + 1, grew(c)[1]))
    assert verdict(case, Letter(case).told())[0] == "DIFFERENT"
