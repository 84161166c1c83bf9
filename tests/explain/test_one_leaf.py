"""A tree of one leaf says why, and what it says grows more does."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

import penjing
from penjing.cli import main
from penjing.explain.one_leaf import MOST_ROWS, one_leaf
from penjing.i18n import say

NOISE = np.random.default_rng(0).normal(size=(300, 3))
CLASSES = np.random.default_rng(1).integers(0, 2, 300)


def noise():
    return penjing.read(NOISE, labels=CLASSES)


def numbers():
    return penjing.read(NOISE, labels=NOISE[:, 0])


def melons():
    return penjing.example("watermelon2.0")


def ten_melons():
    return penjing.example("watermelon2.0").take(np.arange(10))


def ten_melons_with_density():
    """Ten rows whose columns of many categories do not count for C4.5's average gain."""
    table = penjing.example("watermelon3.0").take(np.array([0, 1, 2, 5, 6, 9, 13, 14, 15, 16]))
    names = ("色泽", "根蒂", "敲声", "纹理", "密度")
    columns = tuple(column for column in table.columns if column.name in names)
    return replace(table, columns=columns)


def exclusive_or():
    """Sixteen rows in which no column alone has a gain."""
    return penjing.read(
        [{"a": f"{i // 2 % 2}", "b": f"{i % 2}", "y": "np"[(i // 2 + i) % 2]} for i in range(16)],
        "y",
    )


def close_numbers():
    """Two numbers that are equal in 32 bits."""
    return penjing.read([{"x": 1 + 5e-8 * (i > 4), "y": "np"[i > 4]} for i in range(10)], "y")


def neighbouring_numbers():
    """Two numbers that are closer than the smallest gap of C4.5 and J48."""
    return penjing.read([{"x": 1 + 5e-6 * (i > 4), "y": "np"[i > 4]} for i in range(10)], "y")


def rows_without_values():
    """Rows of one class, and rows of another class in which every value is missing."""
    rows = [
        {"x": i if i % 2 else None, "z": i if i % 2 else None, "y": "np"[i % 2]} for i in range(30)
    ]
    return penjing.read(rows, "y")


def few_of_a_class():
    """Three rows of a class, which a category separates from the others."""
    return penjing.read([{"a": "uv"[i < 3], "y": "np"[i < 3]} for i in range(24)], "y", quiet=True)


CASES = [
    (melons, "rpart", {}, "one_leaf_min_weight", "minsplit=20"),
    (ten_melons, "c4.5", {}, "one_leaf_pruned", "estimated errors"),
    (noise, "c4.5", {}, "one_leaf_costly", "penalty"),
    (noise, "j48", {}, "one_leaf_costly", "penalty"),
    (noise, "rpart", {"cp": 0.5}, "one_leaf_complexity", "cp=0.5"),
    (noise, "rpart", {"minbucket": 200}, "one_leaf_min_branch", "minbucket=200"),
    (numbers, "rpart", {"cp": 0.9}, "one_leaf_complexity", "cp=0.9"),
    (noise, "sklearn", {"ccp_alpha": 0.5}, "one_leaf_complexity", "ccp_alpha=0.5"),
    (noise, "sklearn", {"min_samples_split": 400}, "one_leaf_min_weight", "min_samples_split=400"),
    (noise, "sklearn", {"min_samples_leaf": 200}, "one_leaf_min_weight", "min_samples_leaf=200"),
    (noise, "id3", {"max_depth": 0}, "one_leaf_max_depth", "max_depth=0"),
    (noise, "id3", {"max_leaves": 1}, "one_leaf_max_leaves", "max_leaves=1"),
    (noise, "id3", {"min_weight": 1000}, "one_leaf_min_weight", "min_weight=1000"),
    (noise, "id3", {"min_gain": 1}, "one_leaf_min_gain", "min_gain=1"),
    (noise, "c4.5", {"min_weight": 1000}, "one_leaf_min_weight", "(min_weight=1000)"),
    (noise, "c5.0", {"min_branch": 200}, "one_leaf_min_weight", "(min_branch=200)"),
    (few_of_a_class, "rpart", {}, "one_leaf_min_branch", "(minbucket=7)"),
    (noise, "cart-binary", {"min_branch": 200}, "one_leaf_min_branch", "min_branch=200"),
    (noise, "cart-binary", {"validation": 0.3, "seed": 1}, "one_leaf_validation", "validation set"),
    (ten_melons_with_density, "c4.5", {}, "one_leaf_screened", "no average gain"),
    (exclusive_or, "j48", {}, "one_leaf_no_gain", "positive gain"),
    (exclusive_or, "c5.0", {}, "one_leaf_no_gain", "positive gain"),
    (exclusive_or, "rpart", {"minsplit": 2, "cp": 0}, "one_leaf_no_gain", "positive gain"),
    (close_numbers, "sklearn", {}, "one_leaf_close", "recipe sklearn"),
    (close_numbers, "c4.5", {}, "one_leaf_close", "recipe c4.5"),
    (close_numbers, "c5.0", {}, "one_leaf_close", "recipe c5.0"),
    (neighbouring_numbers, "c4.5", {}, "one_leaf_close", "recipe c4.5"),
    (neighbouring_numbers, "j48", {}, "one_leaf_close", "recipe j48"),
    (rows_without_values, "rpart", {}, "one_leaf_pure_known", "are missing"),
]


@pytest.mark.parametrize(("make", "recipe", "settings", "key", "words"), CASES)
def test_the_reason_is_said(make, recipe, settings, key, words):
    table = make()
    tree = penjing.fit(table, recipe=recipe, **settings)
    assert tree.n_leaves == 1
    found = one_leaf(tree, table)
    assert found.key == key
    assert words in found.text()
    assert re.search("[\u4e00-\u9fff]", found.text("zh"))
    assert not re.search("[\u4e00-\u9fff]: ", found.text("zh"))


@pytest.mark.parametrize(("make", "recipe", "settings"), [case[:3] for case in CASES])
def test_what_is_suggested_grows_as_many_leaves_as_it_says(make, recipe, settings):
    table = make()
    found = one_leaf(penjing.fit(table, recipe=recipe, **settings), table)
    for each in found.suggestions:
        own = {} if "recipe" in each.settings else {"recipe": recipe, **settings}
        grown = penjing.fit(table, **(own | dict(each.settings)))
        assert grown.n_leaves == each.n_leaves > 1
        assert say("leaves", n=each.n_leaves) in found.text()
    if recipe in ("rpart", "sklearn", "c4.5", "j48") and found.key != "one_leaf_pure_known":
        assert found.suggestions


def test_nothing_can_help_where_there_is_one_class_or_one_value():
    pure = penjing.read(NOISE, labels=["yes"] * 300)
    found = one_leaf(penjing.fit(pure, recipe="id3"), pure)
    assert found.text() == "the tree is a single leaf: every row has the same 'class', yes."
    constant = penjing.read([["a", "u"], ["a", "v"]], names=["p", "y"], target="y")
    found = one_leaf(penjing.fit(constant, recipe="id3"), constant)
    assert found.text() == "the tree is a single leaf: no column has two different values."
    same = penjing.read(NOISE, labels=[1.5] * 300, schema=None)
    found = one_leaf(penjing.fit(same, recipe="cart-binary"), same)
    assert found.key == "one_leaf_pure"


def test_a_tree_with_splits_has_no_such_reason():
    assert one_leaf(penjing.fit(melons(), recipe="id3"), melons()) is None


def test_of_many_rows_settings_are_named_without_being_tried():
    n = MOST_ROWS + 1
    table = penjing.read(np.resize(NOISE, (n, 3)), labels=np.resize(CLASSES, n))
    found = one_leaf(penjing.fit(table, recipe="rpart", cp=0.9), table)
    assert [each.n_leaves for each in found.suggestions] == [None] * 3
    assert "try cp=0.0" in found.text()


def test_the_command_says_it(capsys):
    assert main(["fit", "example:watermelon2.0", "--recipe", "CART", "--lang", "en"]) == 0
    said = capsys.readouterr().err
    assert "single leaf" in said
    assert "--recipe cart-textbook (8 leaves)" in said


def test_fit_warns_in_python_and_can_be_silenced():
    with pytest.warns(penjing.DataWarning, match="single leaf: a node needs at least 20 rows"):
        penjing.fit(melons(), recipe="rpart")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        penjing.fit(melons(), recipe="rpart", quiet=True)
        assert main(["fit", "example:watermelon2.0", "--recipe", "CART"]) == 0
        penjing.CARTClassifier().fit(NOISE[:10], CLASSES[:10])
        penjing.DecisionTreeClassifier(max_depth=1, min_samples_split=50).fit(
            NOISE[:10], CLASSES[:10]
        )


@pytest.mark.parametrize(
    "recipe", ["auto", "id3", "c4.5-textbook", "cart-binary", "c4.5", "rpart", "sklearn"]
)
@pytest.mark.parametrize(
    "options",
    [["--max-depth", "0"], ["--max-leaves", "1"], ["--max-leaves", "2"], ["--min-gain", "5"],
     ["--min-weight", "99"], ["--min-branch", "99"], []],
    ids=" ".join,
)  # fmt: skip
def test_what_the_command_suggests_is_true_as_typed(recipe, options, capsys):
    command = ["fit", "example:golf", "--recipe", recipe, *options, "--lang", "en"]
    is_refused = recipe in ("rpart", "sklearn") and options[:1] in (
        ["--min-weight"],
        ["--min-branch"],
    )
    assert main(command) == is_refused
    said = capsys.readouterr().err
    assert ("its own setting is --min" in said) == is_refused
    for typed, n in re.findall(
        r"((?:--\S+ \S+ ?)+)\((\d+) leaves\)", said.partition("To grow more:")[2]
    ):
        assert main([*command, *typed.split()]) == 0
        assert f"{n} leaves, " in capsys.readouterr().out, typed


def test_labels_in_a_list_are_no_reason_to_fail():
    with pytest.warns(penjing.DataWarning, match="every row has the same"):
        penjing.fit(NOISE[:10], ["k"] * 10)
    with pytest.warns(penjing.DataWarning, match="minsplit=20"):
        penjing.fit(NOISE[:10].tolist(), CLASSES[:10].tolist(), "rpart", sample_weight=[1.0] * 10)


@pytest.mark.parametrize(
    ("make", "recipe", "settings", "suggested"),
    [
        (noise, "id3", {"max_leaf_nodes": 1}, {"max_leaf_nodes": None}),
        (noise, "sklearn", {"max_leaf_nodes": 1}, {"max_leaf_nodes": None}),
        (noise, "rpart", {"min_samples_split": 400, "cp": 0}, {"min_samples_split": 2}),
        (ten_melons, "c4.5", {"m": 6, "pruning": "none"}, {"m": 1.0}),
    ],
)
def test_what_is_suggested_has_the_name_that_was_given(make, recipe, settings, suggested):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert penjing.fit(make(), recipe=recipe, **settings).n_leaves == 1
    (name, value), said = *suggested.items(), str(caught[-1].message)
    assert f"{name}={value!r}" in said.split("To grow more")[1]


def test_the_rows_that_the_recipe_uses_are_counted(tmp_path, capsys):
    """`rpart` leaves out rows in which everything is missing."""
    lines = [f"{'' if i % 3 else 'ab'[i % 2]},{'np'[i % 2]}" for i in range(60)]
    path = tmp_path / "rows.csv"
    path.write_text("c,y\n" + "\n".join(lines), "utf-8")
    assert main(["fit", str(path), "--recipe", "rpart", "--minsplit", "30"]) == 0
    assert "(minsplit=30), and the recipe uses 20 of the 60 rows" in capsys.readouterr().err


def rows_of_two(n: int, n_yes: int, **columns) -> list[dict]:
    """Return rows of the classes yes and no, of which the first n_yes have yes."""
    return [
        {name: value(i) for name, value in columns.items()} | {"y": "yes" if i < n_yes else "no"}
        for i in range(n)
    ]


def rare_with_missing():
    """One row of the second class; one value is missing."""
    return penjing.read(rows_of_two(14, 1, a=lambda i: i if i != 5 else None, b=lambda i: i % 3))


def uneven():
    """Two columns of little use for the classes."""
    return penjing.read(rows_of_two(40, 12, a=lambda i: f"{i * 7 % 3}", b=lambda i: i * 11 % 17))


@pytest.mark.parametrize(
    ("make", "recipe", "settings"),
    [
        (rare_with_missing, "rpart", {}),
        (rare_with_missing, "sklearn", {"min_samples_split": 30}),
        (uneven, "rpart", {"min_gain": 5.0, "max_depth": 0}),
        (uneven, "j48", {"min_gain": 0.5}),
        (uneven, "c5.0", {"m": 25}),
        (uneven, "c4.5", {"m": 25, "c": 1}),
        (uneven, "c4.5-textbook", {"prune": "mdl"}),
        (uneven, "c4.5", {"prune": "mdl"}),
        (uneven, "id3", {"max_leaves": 1, "prune": "pessimistic"}),
        (noise, "cart-binary", {"validation": 0.3, "seed": 1}),
        (uneven, "cart-textbook", {"validation": 0.4, "prune": "reduced-error", "min_gain": 9}),
    ],
)
def test_limits_are_lifted_until_the_tree_has_a_split(make, recipe, settings):
    """Several settings may be needed, another recipe, or growing without pruning."""
    table = make()
    with pytest.warns(penjing.DataWarning, match="single leaf") as caught:
        penjing.fit(table, recipe=recipe, **settings)
    text = str(caught[-1].message)
    found = re.findall(
        r"(?:: |, |or )([\w.=', -]*?) \((\d+) leaves\)", text.split("To grow more")[1]
    )
    assert found, text
    for typed, n in found:
        given, _, omitted = typed.partition("without ")
        names = [name for name in re.split(", | and ", omitted.strip()) if name]
        kept = {name: value for name, value in settings.items() if name not in names}
        changed = eval(f"dict({given})")  # noqa: S307 - as the message has it
        tree = penjing.fit(table, **({"recipe": recipe} | kept | changed), quiet=True)
        assert tree.n_leaves == int(n) > 1, text


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("options", "suggested"),
    [
        (["-r", "id3", "--prune", "mdl", "--root", "windy"], "without --prune"),
        (["-r", "id3", "--prune", "reduced-error", "--validate-share", ".3", "--min-gain", "3"],
         "--min-gain 0 without --prune"),
        (["-r", "c5.0", "-m", "10", "--min-gain", "3"], "-m 1 --min-gain 0"),
        (["-r", "rpart", "--set", "minsplit=30"], "--set minsplit=2 --minbucket 1"),
        (["-r", "id3", "--max-depth", "0"], "--set max_depth=none"),
    ],
)  # fmt: skip
def test_the_command_names_options_as_they_are_typed(options, suggested, lang, capsys):
    assert main(["fit", "example:golf", *options, "--lang", lang]) == 0
    without = say("one_leaf_without", lang, names="")
    assert suggested.replace("without ", without) in capsys.readouterr().err


def test_options_that_the_suggested_recipe_does_not_have_are_left_out(tmp_path, capsys):
    """No threshold of C5.0 is worth its penalty, and the textbook's C4.5 has no ``-m``."""
    path = tmp_path / "rows.csv"
    numbers = (1, 1.00000001, 1.00000002)
    rows = [f"{numbers[i * 7 % 3]},{'yes' if i == 4 else 'no'}" for i in range(14)]
    path.write_text("a,y\n" + "\n".join(rows), "utf-8")
    assert main(["fit", str(path), "-r", "c5.0", "-m", "9", "--lang", "en"]) == 0
    assert "To grow more: --recipe c4.5-textbook without -m (" in capsys.readouterr().err


def test_a_constraint_that_forbids_all_splits_is_named(tmp_path, capsys):
    path = tmp_path / "falling.csv"
    path.write_text("a,y\n" + "\n".join(f"{i},{9.5 - i}" for i in range(6)), "utf-8")
    assert main(["fit", str(path), "-r", "sklearn", "--monotonic", "a=1", "--lang", "en"]) == 0
    assert "To grow more: without --monotonic (6 leaves)" in capsys.readouterr().err


def test_the_rows_of_a_validation_share_are_not_counted():
    with pytest.warns(penjing.DataWarning, match="the table has 12") as caught:
        penjing.fit(melons(), recipe="rpart", validation=0.3)
    assert "uses" not in str(caught[-1].message)


def test_what_the_user_forced_is_the_reason():
    forbidden = {"forbid": ["色泽", "根蒂", "敲声", "纹理", "脐部", "触感"]}
    for options, words in (
        ({"force_splits": {"": None}}, "the root was forced to be a leaf."),
        (forbidden, "no split may use 色泽, 根蒂, 敲声, 纹理, 脐部 and 触感, and no other column"),
    ):
        with pytest.warns(penjing.DataWarning, match="single leaf") as caught:
            penjing.fit(melons(), recipe="id3", **options)
        said = str(caught[-1].message)
        assert words in said
        assert "To grow more" not in said


@pytest.mark.parametrize("recipe", ["id3", "c4.5", "c5.0", "rpart", "sklearn"])
def test_a_minimum_by_the_name_of_scikit_learn_is_lifted_by_that_name(recipe):
    table = penjing.example("watermelon3.0")
    with pytest.warns(penjing.DataWarning, match="min_samples_split=[02]"):
        tree = penjing.fit(table, recipe=recipe, min_samples_split=60)
    assert tree.n_leaves == 1


def test_a_forbidden_column_is_no_candidate():
    rows = [{"a": "uv"[i % 2], "b": i % 3, "y": "np"[i % 2]} for i in range(30)]
    table = penjing.read(rows, "y")
    for recipe, settings in (("c4.5", {}), ("id3", {"min_gain": 0.5})):
        tree = penjing.fit(table, recipe=recipe, forbid=["a"], quiet=True, **settings)
        assert tree.n_leaves == 1
        text = one_leaf(tree, table).text()
        assert "a:" not in text
        assert "'a'" not in text
