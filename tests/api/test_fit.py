"""From data to a tree in one call: what can be given, what is refused, what the tree remembers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.errors import ChoiceError, DataError

ROWS = [
    {"texture": texture, "density": density, "ripe": ripe}
    for texture, density, ripe in zip(
        ["clear", "clear", "faint", "faint", "blurry", "clear", "faint", "clear"],
        [0.7, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.65],
        ["yes", "yes", "no", "yes", "no", "no", "no", "yes"],
        strict=True,
    )
]


@pytest.fixture
def table():
    return penjing.read(ROWS, "ripe")


def test_a_source_is_read_and_a_table_is_taken(table, tmp_path):
    tree = penjing.fit(table)
    assert penjing.fit(ROWS, "ripe") == tree
    assert penjing.fit(table, "ripe") == tree
    lines = ["texture,density,ripe", *(",".join(map(str, row.values())) for row in ROWS)]
    path = tmp_path / "melons.csv"
    path.write_text("\n".join(lines), "utf-8")
    assert penjing.fit(path, "ripe").to_dict() == tree.to_dict()
    assert penjing.fit(str(path), "ripe").about["source"]["name"] == "melons.csv"


def test_the_tree_remembers_how_it_was_grown(table):
    tree = penjing.fit(table, recipe="c4.5-textbook", max_depth=1)
    assert tree.recipe["name"] == "c4.5-textbook"
    assert tree.recipe["max_depth"] == 1
    assert tree.about["n_rows"] == 8
    assert tree.about["training"]["of"] == 8
    assert tree.about["training"]["correct"] == tree.score(table).correct


@pytest.mark.parametrize("recipe", ["id3", "c4.5-textbook", "cart-binary"])
def test_training_rows_right_are_counted_whatever_their_weight_or_gaps(table, recipe):
    heavy = replace(table, weight=np.arange(1.0, 9.0))
    tree = penjing.fit(heavy, recipe=recipe, max_depth=1)
    assert tree.about["training"]["correct"] == pytest.approx(tree.score(heavy).correct)
    density = numeric("density", [np.nan, 0.8, 0.6, np.nan, 0.4, 0.3, 0.2, 0.65])
    holes = replace(heavy, columns=(table.columns[0], density))
    tree = penjing.fit(holes, recipe=recipe, missing="fraction", max_depth=2)
    assert tree.about["training"]["correct"] == pytest.approx(tree.score(holes).correct)


def test_gaps_hold_the_training_values_on_both_sides_of_a_cut(table):
    tree = penjing.fit(table, recipe="cart-binary")
    values = sorted(row["density"] for row in ROWS)
    for node in range(tree.n_nodes):
        cut, (low, high) = tree.nodes.cut[node], tree.nodes.gap[node]
        if np.isnan(cut):
            assert np.isnan([low, high]).all()
        else:
            assert low <= cut < high
            assert values.index(high) - values.index(low) == 1


def test_validation_comes_as_rows_a_share_or_a_fold(table):
    others = ROWS[::2]
    by_rows = penjing.fit(table, recipe="id3", validation=others)
    assert by_rows.about["pruning"][0]["method"] == "prepruned"
    assert by_rows.about["n_rows"] == 8
    by_share = penjing.fit(table, recipe="id3", validation=0.5, seed=3)
    assert by_share.about["n_rows"] == 4
    assert by_share == penjing.fit(table, recipe="id3", validation=0.5, seed=3)
    by_fold = penjing.fit(
        table, recipe="id3", validation=penjing.Fold(k=4, which=0), prune="reduced-error"
    )
    assert by_fold.about["n_rows"] == 6
    assert by_fold.about["pruning"][0]["validation"]["n_rows"] == 2


@pytest.mark.parametrize(
    ("call", "kind", "key"),
    [
        (lambda t: penjing.fit(replace(t, target=None)), DataError, "no_target_in_table"),
        (lambda t: penjing.fit(t, "texture"), ChoiceError, "other_target"),
        (lambda t: penjing.fit(t.take([])), DataError, "no_rows"),
        (lambda t: penjing.fit(t, prune="prepruned"), ChoiceError, "needs_validation"),
        (lambda t: penjing.fit(t, prune="reduced-error"), ChoiceError, "needs_validation"),
        (lambda t: penjing.fit(t, recipe="id4"), ChoiceError, "unknown_recipe"),
        (lambda t: penjing.fit(t, engine="steam"), ChoiceError, "unknown_engine"),
        (lambda t: penjing.fit(t, validation=0.3, prune="magic"), ChoiceError, "unknown_pruner"),
        (lambda t: penjing.fit(t, max_depht=3), ChoiceError, "unknown_setting"),
        (lambda t: penjing.fit(t, max_depth=-3), ChoiceError, "bad_whole_number"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(table, call, kind, key):
    with pytest.raises(kind) as caught:
        call(table)
    assert caught.value.key.removesuffix("_near") == key
    assert str(caught.value)
    assert caught.value.say("zh")


def test_one_class_only_is_a_leaf():
    table = Table((nominal("a", ["x", "y"]),), nominal("c", ["p", "p"]), 2)
    tree = penjing.fit(table)
    assert (tree.n_nodes, tree.to_dict()) == (1, "p")
    assert tree.predict({"a": "z"}).tolist() == ["p"]


@pytest.mark.parametrize("given", [{"schema": {"texture": "nominal"}}, {"weight": "w"}])
def test_a_table_has_been_read_already(given):
    with pytest.raises(ChoiceError, match=f"^{next(iter(given))}=… controls how data are read"):
        penjing.fit(penjing.example("watermelon2.0"), **given)


def test_class_names_differ_from_each_other(table):
    with pytest.raises(ChoiceError, match="different from each other"):
        penjing.fit(table, recipe="id3", class_names=["same"] * len(table.target.levels))


def test_labels_are_one_column():
    frame = pytest.importorskip("pandas").DataFrame({"x": [1, 2, 3, 4], "y": list("aabb")})
    for recipe in ("id3", "c4.5", "rpart", "sklearn"):
        with pytest.raises(penjing.ChoiceError):
            penjing.fit(frame[["x"]], frame[["y"]], recipe)


@pytest.mark.parametrize("options", [{"max_depth": 0}, {"foo": 1}, {"confidence": 0.1}])
def test_cross_validation_refuses_options_that_nothing_takes(table, options):
    with pytest.raises(ChoiceError, match=r"need prune="):
        penjing.cross_validate(table, "id3", 2, **options)
