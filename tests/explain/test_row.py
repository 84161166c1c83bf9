"""Why a row is answered so: the path is the tree's, every flip flips, and none is nearer."""

from __future__ import annotations

import json
import re
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import penjing
from penjing.api.tree import Tree
from penjing.data.statistics import wilson
from penjing.data.table import Table, nominal, numeric
from penjing.errors import CapabilityError, ChoiceError, DataError
from strategies import tables

RECIPES = ("id3", "c4.5-textbook", "cart-binary", "rpart", "c4.5")


def asked(tree: Tree) -> list[int]:
    return sorted({int(c) for c in tree.nodes.column if c >= 0})


def values(tree: Tree, c: int) -> list[object]:
    """Return a value for every way to answer the questions about a column."""
    field = tree.schema[c]
    if not field.is_numeric:
        return list(field.levels)
    cuts = tree.nodes.cut[(tree.nodes.column == c) & np.isfinite(tree.nodes.cut)]
    single = tree.recipe.get("precision") == "single"
    kind = np.float32 if single else np.float64
    with np.errstate(over="ignore"):  # numbers beyond 32 bits
        above = [float(np.nextafter(kind(cut), kind(np.inf))) for cut in cuts]
    return [*cuts.tolist(), *above]


@pytest.mark.parametrize("recipe", RECIPES)
@given(table=tables(("nominal", "numeric"), max_rows=12) | tables(missing=True), data=st.data())
def test_every_flip_flips_and_no_smaller_one_exists(recipe, table, data):
    missing = any(column.has_missing for column in table.columns)
    known = np.any([column.codes >= 0 for column in table.columns], axis=0)
    if recipe == "rpart" and not known.any():
        with pytest.raises(DataError, match="no rows are left"):
            penjing.fit(table, recipe=recipe)
        return
    if recipe in ("id3", "cart-binary") and missing:
        tree = penjing.fit(table, recipe=recipe, missing="fraction")
    else:
        tree = penjing.fit(table, recipe=recipe)
    row = data.draw(st.sampled_from(list(table.rows())))
    row.pop(tree.target.name)
    answer = tree.predict([row])[0]
    told = tree.explain(row, flips=5).to_json()
    assert told["answer"] == answer
    stop = int(tree.apply([row])[0])
    assert [node["node"] for node in told["path"]] == tree.path(stop)
    assert (told["stopped"] is None) == bool(tree.is_leaf[stop])
    json.dumps(told, allow_nan=False)
    for flip in told["flips"]:
        changed = row | {change["column"]: change["to"] for change in flip["changes"]}
        assert tree.predict([changed])[0] == flip["answer"] != answer
    # Brute force over one column at a time: if one suffices, the nearest changes one.
    singles = [row | {tree.schema[c].name: value} for c in asked(tree) for value in values(tree, c)]
    can = bool(singles) and any(a != answer for a in tree.predict(singles))
    if can:
        assert len(told["flips"][0]["changes"]) == 1
    elif not told["flips"] and not missing and len(asked(tree)) <= 3:
        for some in combinations(asked(tree), 2):
            for pair in product(*(values(tree, c) for c in some)):
                names = [tree.schema[c].name for c in some]
                both = row | dict(zip(names, pair, strict=True))
                assert tree.predict([both])[0] == answer


def test_the_distance_of_a_huge_number_is_finite():
    column = numeric("x", [1e300, 0, 0, 1e300, 0, 0, 0, 0, 1e300])
    target = nominal("y", list("aaabaaaab"))
    tree = penjing.fit(Table((column,), target, 9), recipe="c4.5")
    explanation = tree.explain({"x": 1e300}, flips=5).to_json()
    assert explanation["flips"]
    json.dumps(explanation, allow_nan=False)


def test_the_nearest_cut_comes_first_and_numbers_are_those_of_the_model():
    x = numeric("x", [1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    tree = penjing.fit(Table((x,), nominal("y", list("aabbaa")), 6), recipe="cart-binary")
    told = tree.explain({"x": 9.0}).to_json()
    assert told["answer"] == "b"
    (near,) = told["flips"][0]["changes"]
    assert near["test"] == "x > 10.5"
    assert near["to"] == np.nextafter(10.5, np.inf)
    assert near["from"] == 9.0


def test_the_evidence_of_the_watermelon_is_told_in_both_languages():
    tree = penjing.fit(penjing.example("watermelon2.0"))
    melon = {"纹理": "清晰", "根蒂": "稍蜷", "色泽": "浅白", "触感": "软粘"}
    told = tree.explain(melon)
    assert told.to_json()["interval"] == list(wilson(2, 3))
    assert told.text("zh").splitlines()[:4] == [
        "预测：是，67%（95% 置信区间 21%–94%）",
        "  纹理 = 清晰         (清晰)  7 : 2 → 是",
        "  根蒂 = 稍蜷         (稍蜷)  2 : 1 → 是",
        "  色泽 = 浅白 在这里没有分支：以这个结点的预测为准",
    ]
    assert "色泽 = 乌黑" in told.text("zh").splitlines()[5]
    assert str(told).startswith("prediction: 是, 67% (95% confidence interval 21% to 94%)")
    assert "→" not in told.text(ascii_only=True)


def test_surrogates_and_missing_ways_are_named():
    random = np.random.RandomState(2)
    x = random.rand(60)
    holes = np.where(random.rand(60) < 0.2, np.nan, x)
    table = Table(
        (numeric("x", holes), numeric("z", x + 0.01 * random.rand(60))),
        nominal("y", np.where(x > 0.5, "big", "small").tolist()),
        60,
    )
    tree = penjing.fit(table, recipe="rpart", minsplit=4)
    asks = tree.schema[int(tree.nodes.column[0])].name
    other = "z" if asks == "x" else "x"
    text = str(tree.explain({other: 0.9}))
    assert (
        f"missing; decided by the surrogate {other} >" in text
        or f"missing; decided by the surrogate {other} ≤" in text
    )
    assert "takes the branch for missing values" in str(tree.explain({}))
    shared = penjing.fit(table, recipe="c4.5-textbook")
    assert "spread over all branches" in str(shared.explain({}))


def test_numbers_are_explained_too():
    x = numeric("x", range(30))
    tree = penjing.fit(
        Table((x,), numeric("y", [v * v for v in range(30)]), 30), recipe="cart-binary", max_depth=3
    )
    told = tree.explain({"x": 3}).to_json()
    assert told["flips"]
    assert "interval" not in told


def test_one_row_at_a_time():
    tree = penjing.fit(penjing.example("golf"))
    with pytest.raises(ChoiceError, match="one row is explained at a time, got 14"):
        tree.explain(penjing.example("golf"))


def test_a_lone_leaf_cannot_flip():
    told = Tree.from_dict("yes").explain({"a": 1})
    assert told.to_json()["flips"] == []
    assert "no change was found" in str(told)


def test_a_chain_of_many_questions_is_explained():
    n = 3000
    classes = ["a" if i % 2 else "b" for i in range(n)]
    table = Table((numeric("x", np.arange(n, dtype=float)),), nominal("y", classes), n)
    tree = penjing.fit(table, recipe="cart-binary")
    told = tree.explain({"x": 1500.0}).to_json()
    assert told["answer"] == "b"
    tests = {flip["changes"][0]["test"] for flip in told["flips"]}
    assert tests & {"1498.5 < x ≤ 1499", "1500.5 < x ≤ 1501"}


def inside(tree: Tree, change: dict[str, Any]) -> list[Any]:
    """Return values that a change promises: inside its printed interval, the ends among them."""
    field = next(f for f in tree.schema if f.name == change["column"])
    if not field.is_numeric:
        if change["above"] is None and change["at_most"] is None:
            return [change["to"]]
        low = -1 if change["above"] is None else field.levels.index(change["above"])
        high = None if change["at_most"] is None else field.levels.index(change["at_most"])
        return list(field.levels[low + 1 : None if high is None else high + 1])
    if change["test"].endswith("≠ ?"):
        return [-1e9, 0.0, 1e9]
    words = change["test"].split()
    number = float(words[-1])
    high = {"≤": number, "<": np.nextafter(number, -np.inf)}.get(words[-2])
    low = {">": number, "≥": np.nextafter(number, -np.inf)}.get(words[-2])
    if len(words) > 3 and words[1] in ("<", "≤"):  # an interval
        low = float(words[0]) if words[1] == "<" else np.nextafter(float(words[0]), -np.inf)
    assert (low is None) == (change["above"] is None)
    assert (high is None) == (change["at_most"] is None)
    if low is None:
        return [high, np.nextafter(high, -np.inf), high - 0.3, high - 1e9, change["to"]]
    first = np.nextafter(low, np.inf)
    if high is None:
        return [first, max(first, low + 0.3), max(first, low + 1e9), change["to"]]
    assert change["above"] <= low < high <= change["at_most"]
    return [first, low / 2 + high / 2 if low < low / 2 + high / 2 else high, high, change["to"]]


def kept(tree: Tree, row: dict[str, Any], n: int = 5) -> int:
    """Check that every point of each flip is answered as promised; return how many flips."""
    flips = tree.explain(row, flips=n).to_json()["flips"]
    for flip in flips:
        values = [inside(tree, change) for change in flip["changes"]]
        names = [change["column"] for change in flip["changes"]]
        rows = [row | dict(zip(names, point, strict=True)) for point in product(*values)]
        assert set(tree.predict(rows)) == {flip["answer"]}, (row, flip)
    return len(flips)


@pytest.mark.parametrize("recipe", [*RECIPES, "sklearn"])
@settings(max_examples=60)
@given(
    table=tables(("nominal", "numeric", "ordered"), max_rows=14) | tables(missing=True),
    data=st.data(),
)
def test_every_value_of_a_printed_interval_is_answered_as_promised(recipe, table, data):
    missing = any(column.has_missing for column in table.columns)
    more = {"missing": "fraction"} if missing and recipe in ("id3", "cart-binary") else {}
    try:
        tree = penjing.fit(table, recipe=recipe, **more)
    except (DataError, CapabilityError):
        assume(False)
    row = data.draw(st.sampled_from(list(table.rows())))
    row.pop(tree.target.name)
    if data.draw(st.booleans()) and row:
        row |= {data.draw(st.sampled_from(sorted(row))): None}
    kept(tree, row)
    told = tree.explain(row, flips=0).to_json()
    assert (told["stopped"] == "shared") <= (told["interval"] is None)
    if told["interval"] is not None:
        low, high = told["interval"]
        share = told["shares"][str(told["answer"])]
        assert low - 1e-12 <= share <= high + 1e-12


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"纹理": [1]}, "column '纹理' of the row holds [1]."),
        ({"纹理": b"x"}, "column '纹理' of the row holds b'x'."),
        ({3: "x"}, "there is no column '3' in the table"),
        ("abc", "'abc' is not a row."),
        (None, "None is not a row."),
    ],
)
def test_odd_rows_are_blamed_where_they_are_odd(row, says):
    tree = penjing.fit(penjing.example("watermelon2.0"))
    with pytest.raises((ChoiceError, DataError), match=re.escape(says)):
        tree.explain(row)


def test_a_leaf_explains_a_row_of_nothing():
    assert str(Tree.from_dict("yes").explain({})).startswith("prediction: yes")


def test_an_unseen_level_is_not_called_missing():
    colours = nominal("c", ["r", "g", "b", "r", "g", "b"] * 5)
    table = Table((colours,), nominal("y", ["1", "0", "0", "1", "0", "0"] * 5), 30)
    tree = penjing.fit(table, recipe="rpart", minsplit=2)
    told = tree.explain({"c": "pink"})
    assert told.to_json()["path"][0]["by"] == "unseen"
    assert "(pink)  category not seen here in training; takes the branch for missing values" in str(
        told
    )
    assert "(?)  missing; takes the branch for missing values" in str(tree.explain({"c": None}))


def test_no_bare_error_of_python():
    melons = penjing.example("watermelon2.0")
    tree = penjing.fit(melons, trace=True)
    calls = [
        lambda: tree.explain({}).text("fr"),
        lambda: tree.write("svg", lang="fr"),
        *(lambda n=n: penjing.bootstrap(melons, n=n) for n in (0, "x", 2.5)),
        lambda: penjing.bootstrap(melons, n=1, seed=-1),
        lambda: tree.importances("permutation", melons, seed=-1),
        lambda: tree.importances("permutation", melons, n=0),
        *(lambda v=v: tree.ruleset(melons, max_loss=v) for v in ("x", -1)),
        *(lambda v=v: tree.write("svg", max_leaves=v) for v in ("x", 0)),
        lambda: tree.trace["a"],
        lambda: tree.trace[0:2],
    ]
    for call in calls:
        with pytest.raises(ChoiceError, match=r"must be|Choose|en, zh"):
            call()


@pytest.mark.parametrize("recipe", ["cart-binary", "rpart", "c4.5", "sklearn"])
def test_intervals_of_a_large_tree_hold(recipe):
    random = np.random.RandomState(5)
    n = 1500
    columns = tuple(numeric(name, random.randn(n).round(7).tolist()) for name in ("u", "v", "w"))
    table = Table(columns, nominal("y", random.choice(list("abc"), n).tolist()), n)
    tree = penjing.fit(table, recipe=recipe)
    found = 0
    for row in list(table.rows())[:40]:
        row.pop("y")
        found += kept(tree, row, 3)
        if recipe != "sklearn":
            found += kept(tree, row | {"v": None}, 3)
    assert found > 40 or tree.n_leaves < 5


UNSEEN = {
    "c4.5": {
        "en": "{name} = Rain! was not seen in training and counts as missing: the row is",
        "zh": "{name} = Rain! 在训练集中没有出现过，视为缺失：该样本",
    },
    "id3": {
        "en": "there is no branch for {name} = Rain!",
        "zh": "{name} = Rain! 在这里没有分支",
    },
}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("recipe", list(UNSEEN))
def test_a_category_that_was_not_seen_is_named(recipe, lang):
    tree = penjing.fit("example:play_tennis", recipe=recipe, quiet=True)
    name = tree.schema[0].name
    sentence = UNSEEN[recipe][lang].format(name=name)
    assert sentence in tree.explain({name: "Rain!"}).text(lang)
    assert sentence not in tree.explain({name: None}).text(lang)
