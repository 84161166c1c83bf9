"""Pickles and model files of penjing 0.1.0 can be read."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import penjing

SAVED = Path(__file__).parents[1] / "tree" / "saved_models" / "0.1.0"
TREES = ("by-hand", "c45-pruned", "id3-trace", "rpart", "sklearn-regression")


def unpickled(name: str) -> object:
    with pytest.warns(DeprecationWarning, match="penjing 0.3") if name in MOVED else nothing():
        return pickle.loads((SAVED / f"{name}.pickle").read_bytes())  # noqa: S301 - our own


MOVED = {
    *TREES,
    "explanation",
    "fold",
    "recipe",
    "report",
    "ruleset",
    "stability",
    "table",
    "table-of-numbers",
}


class nothing:  # noqa: N801 - a context that does nothing
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


@pytest.fixture(autouse=True)
def modules_not_imported_yet(monkeypatch):
    """Forget old modules, so that each import of one warns."""
    for old in penjing._OLD_MODULES:
        monkeypatch.delitem(sys.modules, f"penjing.{old}", raising=False)


@pytest.mark.parametrize("name", TREES)
def test_a_pickled_tree_is_the_saved_tree(name):
    tree = unpickled(name)
    assert type(tree) is penjing.Tree
    saved = penjing.load(SAVED / f"{name}.json")
    assert tree == saved
    assert str(tree) == str(saved)
    assert pickle.loads(pickle.dumps(tree)) == tree  # noqa: S301 - our own


def test_a_pickle_of_now_names_the_public_class_only():
    tree = penjing.fit(penjing.example("fish"))
    assert b"penjing.api" not in pickle.dumps(tree)


@pytest.mark.parametrize("name", ["estimator-c45", "estimator-dropin", "estimator-regressor"])
def test_pickled_estimators_predict_and_have_a_tree_with_methods(name):
    model = unpickled(name)
    tree = model.model_ if name == "estimator-dropin" else model.tree_
    assert type(tree) is penjing.Tree
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):  # noqa: S301 - our own
        again = copied.model_ if name == "estimator-dropin" else copied.tree_
        assert again.draw() == tree.draw()
    rows = [["clear", 0.7], ["faint", 0.2]] if name == "estimator-c45" else np.array([[0.7, 1]])
    assert len(model.predict(rows)) == len(rows)


def test_pickled_results_are_what_they_were():
    table = unpickled("table")
    assert type(table) is penjing.Table
    assert table.n_rows == 17
    assert unpickled("recipe") == penjing.RECIPES["rpart"].but(cp=0.02)
    report = unpickled("report")
    assert report.correct == 17
    assert report.baseline is None
    assert report.text().startswith("accuracy 100% (17 of 17)")
    assert report.to_json()["roc_auc_score"] is None
    report = penjing.fit(table).score(table)
    again = pickle.loads(pickle.dumps(report))  # noqa: S301 - our own
    assert again == report
    assert again.lift() == report.lift()
    assert "dog" in str(unpickled("explanation"))
    assert unpickled("stability").n == 5
    assert unpickled("fold") == penjing.Fold(0, 3, 0)
    melons = penjing.example("watermelon2.0")
    assert list(unpickled("ruleset").predict(melons)) == list(melons.target.values())


def test_wrong_rows_pickled_before_rows_had_ids_are_read():
    wrong = penjing.fit(penjing.example("fish"), max_depth=1).score(penjing.example("fish")).wrong
    slots = {"_rows": wrong._rows, "_actual": wrong._actual, "_predicted": wrong._predicted}
    old = type(wrong).__new__(type(wrong))
    old.__setstate__((None, slots | {"_classes": wrong._classes}))
    assert list(old) == list(wrong)
    assert old[0].id is None
    row = type(wrong[0]).__new__(type(wrong[0]))
    row.__setstate__([wrong[0].row, wrong[0].actual, wrong[0].predicted])
    assert row == wrong[0]
    assert pickle.loads(pickle.dumps(wrong)) == wrong  # noqa: S301 - our own


@pytest.mark.parametrize("old", sorted(penjing._OLD_MODULES))
def test_an_old_module_is_found_and_warned_about_and_hides_nothing(old):
    code = (
        f"import warnings; warnings.simplefilter('error'); import penjing\n"
        f"try:\n    import penjing.{old}\nexcept DeprecationWarning as w: print(w)\n"
        f"else: raise SystemExit('no warning')\n"
        f"warnings.simplefilter('ignore'); import penjing.{old}\n"
        f"assert callable(penjing.fit) and callable(penjing.read) and callable(penjing.compare)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"penjing.{old} is now penjing.{penjing._OLD_MODULES[old]}" in done.stdout


def test_names_of_old_modules_are_those_of_now():
    with pytest.warns(DeprecationWarning, match="is now"):
        from penjing.options import Quinlan  # noqa: PLC0415
    with pytest.warns(DeprecationWarning, match="is now"):
        from penjing.store import load  # noqa: PLC0415
    from penjing.dialects.c45.options import C45Options  # noqa: PLC0415

    assert Quinlan is C45Options
    assert load is penjing.load


def test_tables_of_plain_numbers_are_pickled():
    old = unpickled("table-of-numbers")
    assert list(old.rows())[1] == {"a": 1.5, "b": None, "y": old.target.values()[1]}
    again = pickle.loads(pickle.dumps(old))  # noqa: S301 - our own
    assert list(again.rows()) == list(old.rows())
    assert penjing.fit(again, recipe="c4.5").n_leaves >= 1


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_star_import_of_an_old_module_brings_its_names():
    names: dict[str, object] = {}
    exec("from penjing.table import *; from penjing.options import *", names)  # noqa: S102
    assert names["Table"] is penjing.Table
    assert {"nominal", "Quinlan", "Options"} <= names.keys()
