"""Validation rows of classes that the tree does not know."""

from __future__ import annotations

import pytest

import penjing
from penjing.errors import DataError, DataWarning

ROWS = [{"x": i % 7, "z": i % 3, "y": "uv"[i % 7 > 3]} for i in range(60)]
UNKNOWN = [{**row, "y": row["y"].upper()} for row in ROWS[:30]]
SOME = [*ROWS[:20], *UNKNOWN[20:]]
ERROR = "its classes are U, V, those of the training set u, v"
NOTE = (
    r"not trained on the classes V and U: their validation rows \(10 of 30\) are always predicted"
)


def by_fit(validation, **how):
    return penjing.fit(ROWS, "y", "c4.5-textbook", validation=validation, **how)


def by_prune(validation):
    tree = penjing.fit(ROWS, "y", "c4.5-textbook", quiet=True)
    return tree.prune("reduced-error", validation=validation)


def by_prepruning(validation):
    return by_fit(validation, prune="prepruned")


def by_pruning(validation):
    return by_fit(validation, prune="reduced-error")


@pytest.mark.parametrize("validate", [by_pruning, by_prune, by_prepruning])
def test_unknown_classes_of_validation_rows_are_named(validate):
    with pytest.raises(DataError, match=ERROR):
        validate(UNKNOWN)
    with pytest.warns(DataWarning, match=NOTE) as warned:
        validate(SOME)
    assert sum("not trained" in str(w.message) for w in warned) == 1


def test_one_class_is_named_in_the_singular():
    with pytest.warns(DataWarning, match="the class U: its validation rows"):
        by_prune([{**row, "y": row["y"].replace("u", "U")} for row in ROWS])


def test_known_classes_need_no_note(recwarn):
    assert by_pruning(ROWS[:30]).n_leaves == 2
    assert by_prepruning(0.3).n_leaves == 2
    by_prune([{"x": 1, "z": 0, "y": "u"}])  # a class that no validation row has is no unknown one
    assert not [w for w in recwarn if "not trained" in str(w.message)]


def test_many_classes_are_cut_short():
    rows = [*ROWS, *({**ROWS[0], "y": f"w{i}"} for i in range(8))]
    with pytest.warns(DataWarning, match="the classes w0, w1, w2, w3, w4, …: their validation"):
        by_prune(rows)
