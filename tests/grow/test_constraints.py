"""Constraints as settings: names, values, columns, recipes and engines that do not take them."""

from __future__ import annotations

import numpy as np
import pytest

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.errors import PenjingError
from penjing.grow.constraints import Constraints, constraints_of, limits_of
from penjing.tree.counts import Classes
from penjing.tree.monotonic import UNBOUNDED, Bounds, child_bounds


def loans(n: int = 120, classes: int = 2) -> Table:
    draw = np.random.RandomState(0)
    income, debt = draw.normal(40, 12, n).round(), draw.exponential(8, n).round(1)
    label = ((income - 2 * debt + draw.normal(0, 20, n)) // 20).astype(int) % classes
    home = draw.choice(["own", "rent"], n).tolist()
    columns = (numeric("income", income), numeric("debt", debt), nominal("home", home))
    return Table(columns, nominal("repaid", label.tolist(), [*range(classes)]), n)


def fit(**settings: object) -> penjing.Tree:
    table = settings.pop("table", None) or loans()
    recipe = str(settings.pop("recipe", "cart-binary"))
    return penjing.fit(table, recipe=recipe, quiet=True, **settings)


def test_the_model_remembers_the_constraints_by_name(tmp_path):
    tree = fit(monotonic_cst=[1, -1, 0], interaction_cst=[[0, "debt"]])
    assert tree.recipe["monotonic_cst"] == {"income": 1, "debt": -1}
    assert tree.recipe["interaction_cst"] == [["income", "debt"]]
    tree.save(str(tmp_path / "tree.json"))
    again = penjing.load(str(tmp_path / "tree.json"))
    assert again.recipe == tree.recipe
    page = tree.report(training=loans(), cross_validation=False)
    assert "The probability of 1 never decreases as income increases." in page


def test_a_tree_without_constraints_does_not_mention_them():
    assert not {"monotonic_cst", "interaction_cst"} & fit().recipe.keys()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"monotonic_cst": {"incom": 1}}, "there is no column 'incom'"),
        ({"monotonic_cst": {"income": 2}}, "must be 1 (increasing), -1 (decreasing) or 0"),
        ({"monotonic_cst": {"income": True}}, "must be 1 (increasing), -1 (decreasing) or 0"),
        ({"monotonic_cst": {"income": "up"}}, "must be 1 (increasing), -1 (decreasing) or 0"),
        ({"monotonic_cst": {"home": 1}}, "column 'home' is categorical"),
        ({"monotonic_cst": {"home": 1}, "recipe": "sklearn"}, "column 'home' is categorical"),
        ({"monotonic_cst": [1, 0]}, "has 2 entries, but the table has 3 columns"),
        ({"monotonic_cst": "income"}, "must map column names"),
        ({"monotonic_cst": 1}, "must map column names"),
        ({"monotonic_cst": {0: 1}}, "must map column names"),
        ({"monotonic_cst": {"income": 1}, "recipe": "id3"}, "needs binary splits"),
        ({"monotonic_cst": {"income": 1}, "recipe": "c4.5"}, "needs binary splits"),
        ({"interaction_cst": "pairwise", "recipe": "j48", "B": True}, "needs binary splits"),
        ({"interaction_cst": "all"}, "must be 'pairwise', 'no_interactions' or groups"),
        ({"interaction_cst": ["income", "debt"]}, "must be 'pairwise', 'no_interactions' or"),
        ({"interaction_cst": [["income", "x"]]}, "there is no column 'x'"),
        ({"interaction_cst": [[7]]}, "there is no column '7'"),
        ({"monotonic_cst": {"income": 1}, "laplace": True}, "cannot be used together"),
        ({"monotonic_cst": {"income": 1}, "missing": "branch"}, "cannot be used together"),
    ],
)
def test_wrong_constraints_are_refused_in_a_sentence(settings, words):
    with pytest.raises(PenjingError) as error:
        fit(**settings)
    assert words in str(error.value)
    assert error.value.say("zh") != str(error.value)


@pytest.mark.parametrize("recipe", ["cart-binary", "rpart", "sklearn"])
def test_more_than_two_classes_are_refused(recipe):
    with pytest.raises(penjing.ChoiceError, match="two classes or a numeric target"):
        fit(table=loans(classes=3), recipe=recipe, monotonic_cst={"income": 1})
    assert fit(table=loans(classes=3), recipe=recipe, interaction_cst="no_interactions").n_leaves


def test_a_database_refuses_constraints():
    pytest.importorskip("duckdb")
    with pytest.raises(penjing.CapabilityError, match="engine duckdb does not support monotonic"):
        fit(engine="duckdb", monotonic_cst={"income": 1})


@pytest.mark.parametrize("recipe", ["cart-binary", "rpart", "sklearn"])
def test_the_disk_engine_grows_the_same_tree(recipe, tmp_path):
    table = loans(400)
    path = tmp_path / "loans.csv"
    rows = zip(*(column.values() for column in (*table.columns, table.target)), strict=True)
    lines = [",".join(map(str, row)) for row in rows]
    path.write_text("income,debt,home,repaid\n" + "\n".join(lines))
    settings = {"recipe": recipe, "monotonic_cst": {"income": 1, "debt": -1}, "quiet": True}
    schema = {"repaid": "nominal"}
    on_disk, native = (
        penjing.fit(str(path), "repaid", engine=engine, schema=schema, **settings)
        for engine in ("disk", "native")
    )
    assert on_disk.to_json()["nodes"] == native.to_json()["nodes"]


def test_auto_chooses_a_recipe_that_takes_constraints():
    tree = fit(recipe="auto", monotonic_cst={"income": 1})
    assert tree.recipe["shape"] == "binary"


def test_bounds_of_children_meet_in_the_middle():
    low, high = child_bounds(UNBOUNDED, 1, 0.25, 0.75)
    assert (low, high) == (Bounds(upper=0.5), Bounds(lower=0.5))
    assert child_bounds(low, -1, 0.4, 0.2) == (
        Bounds(0.30000000000000004, 0.5),
        Bounds(upper=0.30000000000000004),
    )
    assert child_bounds(low, 0, 9.0, 9.0) == (low, low)


def test_groups_are_those_of_scikit_learn():
    schema = [column.field for column in loans().columns]
    one = penjing.Recipe("x", shape="binary", interaction_cst=[["income"]])
    assert constraints_of(one, schema, Classes(2)) == Constraints(
        (), (frozenset({0}), frozenset({1, 2}))
    )


def test_why_counts_what_constraints_refuse():
    tree = fit(monotonic_cst={"debt": 1}, trace=True)
    told = tree.why(0).to_dict()
    refused = {c["column"]: c["refused"] for c in told["candidates"] if "refused" in c}
    assert refused["debt"] > 0
    assert "candidates that violate monotonic_cst or interaction_cst: debt (" in tree.why(0).text()
    assert "不满足" in tree.why(0).text("zh")


def test_a_leaf_says_that_constraints_refuse_every_split():
    table = Table((numeric("x", [1, 2, 3, 4]),), nominal("y", [1, 1, 0, 0], [0, 1]), 4)
    tree = penjing.fit(table, recipe="cart-binary", monotonic_cst={"x": 1}, trace=True, quiet=True)
    assert tree.n_leaves == 1
    assert tree.why(0).to_dict()["stop"] == "constraints"


def test_limits_of_a_finished_tree_are_those_of_its_growth():
    table = loans()
    recipe = penjing.Recipe("x", criterion="gini", shape="binary", monotonic_cst={"income": 1})
    tree = penjing.fit(table, recipe=recipe, quiet=True)
    from penjing.engines import memory  # noqa: PLC0415

    engine = memory.Engine(table)
    limits = limits_of(engine, tree, range(tree.n_nodes), recipe.fits(table))
    assert limits is not None
    np.testing.assert_array_equal([each.bounds for each in limits], tree.value_bounds)
