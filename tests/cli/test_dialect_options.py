"""Options by the programs' own names, the table of recipes, priors, losses, weights and costs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import penjing
from penjing.cli.parameters import PROGRAM_OPTIONS
from penjing.data.table import Table, nominal, numeric
from penjing.dialects.recipes import RECIPES, recipe_of
from penjing.errors import CapabilityError, ChoiceError
from penjing.i18n import say
from penjing.render import nested_json
from penjing.render.recipe_table import GROUPS
from reference.check import comparer
from shared import SHARED

REFERENCE, KYPHOSIS = SHARED / "reference", SHARED / "data/kyphosis/kyphosis.csv"
needs_shared = pytest.mark.skipif(not KYPHOSIS.exists(), reason=f"{KYPHOSIS} is not there")
LISTED = {setting for group in GROUPS.values() for setting in group}


# -- the table ------------------------------------------------------------------------------


def test_every_setting_is_in_the_table_and_explained_in_both_languages():
    for recipe in RECIPES.values():
        assert set(recipe.table()) <= LISTED
        assert set(recipe.settings()) - {"name"} <= LISTED
    for setting in LISTED:
        assert say(f"setting_{setting}", "en") != say(f"setting_{setting}", "zh")


def test_recipes_stand_side_by_side(run):
    text = run("recipes", "--width", "240").out
    head = text.splitlines()[0].split()
    assert head == [name for name, recipe in RECIPES.items() if name == recipe.name]
    row = next(line for line in text.splitlines() if line.startswith("deviate"))
    assert row.split() == ["deviate", "·", "·", "·", "·", "table", "quantile", "table", "·", "·"]
    row = next(line for line in text.splitlines() if line.startswith("cut_at"))
    assert row.split()[1:] == [*["(midpoint)"] * 4, *["value"] * 3, *["(midpoint)"] * 2]


def test_narrow_terminals_get_blocks(run):
    text = run("recipes", "--width", "80", "--lang", "zh").out
    assert max(len(line) for line in text.splitlines() if "。" not in line) <= 80
    assert text.count("criterion ") == text.count("剪枝\n") > 1


def test_one_recipe_says_what_its_settings_mean(run):
    text = run("recipes", "j48").out
    row = next(line for line in text.splitlines() if line.startswith("confidence"))
    assert row.split(None, 4) == [
        "confidence",
        "0.25",
        "-C",
        "-c",
        "confidence level CF of error-based pruning",
    ]
    assert run("recipes", "j48", "--json").data["j48"]["deviate"] == "quantile"
    assert run("recipes", "j49").code == 1


# -- own names ------------------------------------------------------------------------------

SAME = [
    ("j48", ["-C", "0.1", "-M", "1", "-B", "-S"], {"C": 0.1, "M": 1, "B": True, "S": True}),
    ("j48", ["-U", "-A"], {"U": True, "A": True, "R": False}),
    ("c4.5", ["-m", "1", "-c", "10", "-g"], {"m": 1, "c": 10, "g": True}),
    ("c4.5", ["-s", "-m", "1"], {"s": True, "m": 1}),
    ("c4.5", ["--set", "m=1", "--set", "c=10"], {"min_branch": 1, "confidence": 0.1}),
    ("j48", ["--set", "collapse=no", "--set", "B=no"], {"collapse": False, "shape": "multiway"}),
    ("j48", ["--set", "pruning=none", "--set", "max-depth=none"],
     {"pruning": "none", "max_depth": None}),
    (
        "rpart",
        ["--cp", "0", "--minsplit", "2", "--minbucket", "1", "--maxdepth", "3", "--xval", "3"],
        {"cp": 0.0, "minsplit": 2, "minbucket": 1, "max_depth": 3, "xval": 3},
    ),
    ("rpart", ["--split", "information", "--minsplit", "4"], {"criterion": "gain", "minsplit": 4}),
    ("sklearn", ["--min-samples-leaf", "2"], {"min_samples_leaf": 2}),
    ("sklearn", ["--ccp-alpha", "0.05", "--max-leaf-nodes", "4"],
     {"ccp_alpha": 0.05, "max_leaves": 4}),
]  # fmt: skip


@pytest.mark.parametrize(("recipe", "words", "settings"), SAME)
def test_own_names_mean_what_the_settings_mean(run, recipe, words, settings):
    done = run("fit", "Watermelon-train1.csv", "--recipe", recipe, "--no-trace", "--json", *words)
    assert done.code == 0, done.err
    table = penjing.read("Watermelon-train1.csv")
    tree = penjing.fit(table, recipe=recipe, **settings)
    told = done.data
    assert told["recipe"] == json.loads(json.dumps(tree.to_json()))["recipe"]
    assert told["nodes"] == json.loads(json.dumps(tree.to_json()))["nodes"]


def test_every_option_is_a_setting_of_some_recipe():
    examples = {"split": "gini", "xval": 3, "class_weight": "balanced"}
    for name in PROGRAM_OPTIONS:
        known = []
        for recipe in RECIPES:
            value = examples.get(name, 1 if name not in ("prior", "loss", "cost") else None)
            value = True if name in "RBUSAOJgs" else 0.5 if name in ("C", "cp") else value
            try:
                recipe_of(recipe, **{name: value})
            except (ChoiceError, CapabilityError):
                continue
            known.append(recipe)
        assert known, name


def test_two_options_that_contradict_each_other_are_refused(run):
    done = run("fit", "Watermelon-train1.csv", "--recipe", "j48", "-R", "-U")
    assert done.code == 1
    assert "-R and -U contradict each other" in done.err
    with pytest.raises(ChoiceError, match="contradict each other"):
        recipe_of("j48", M=2, min_branch=3)
    assert recipe_of("j48", U=True, R=False).options.pruning == "none"
    assert recipe_of("j48", R=False, U=True).options.pruning == "none"


def test_an_option_of_another_program_is_not_a_setting(run):
    done = run("fit", "Watermelon-train1.csv", "--recipe", "id3", "-C", "0.25")
    assert done.code == 1
    assert "'-C' is not a setting" in done.err


# -- priors, losses, weights, costs ---------------------------------------------------------


@needs_shared
@pytest.mark.parametrize(
    ("golden", "words", "settings"),
    [
        ("kyphosis-prior", ["--prior", "absent=0.65,present=0.35"],
         {"prior": {"absent": 0.65, "present": 0.35}}),
        ("kyphosis-loss", ["--loss", '{"present": {"absent": 4}}'],
         {"loss": {"present": {"absent": 4}}}),
        ("kyphosis-cost", None, None),
    ],
)  # fmt: skip
def test_rparts_goldens_by_name(run, golden, words, settings):
    plain = json.loads((REFERENCE / "rpart" / f"{golden}.json").read_text("utf-8"))
    names = [a["name"] for a in plain["data"]["attributes"]]
    if words is None:  # the golden's own
        cost = dict(zip(names, plain["settings"]["cost"], strict=True))
        words = ["--cost", ",".join(f"{n}={c}" for n, c in cost.items())]
        settings = {"cost": cost}
    done = run("fit", KYPHOSIS, "-t", "Kyphosis", "--recipe", "rpart", "-o", "k.tree", *words)
    assert done.code == 0, done.err
    compare = comparer(REFERENCE)
    table = penjing.read(KYPHOSIS, "Kyphosis")
    for tree in (penjing.load("k.tree"), penjing.fit(table, recipe="rpart", **settings)):
        assert list(tree.classes) == plain["data"]["classes"]
        ours = json.loads(nested_json.write(tree, empty="skip"))
        assert compare.compare(plain, ours).verdict == "identical"


@needs_shared
def test_the_form_of_the_goldens_can_be_exported(run):
    run("fit", KYPHOSIS, "-t", "Kyphosis", "--recipe", "rpart", "-o", "k.tree")
    done = run("export", "k.tree", "--to", "nested", "-o", "k.json")
    assert done.code == 0, done.err
    ours = json.loads(Path("k.json").read_text("utf-8"))
    golden = json.loads((REFERENCE / "rpart/kyphosis-default.json").read_text("utf-8"))
    assert comparer(REFERENCE).compare(golden, ours).verdict == "identical"


def rows() -> Table:
    x = numeric("x", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    a = nominal("a", ["u", "u", "v", "v", "v", "v"])
    return Table((x, a), nominal("y", ["no", "no", "yes", "no", "yes", "yes"]), 6)


def test_class_weights_by_name_are_balanced_ones():
    by_name = penjing.fit(rows(), recipe="sklearn", class_weight={"no": 1.0, "yes": 1.0})
    balanced = penjing.fit(rows(), recipe="sklearn", class_weight="balanced")
    assert str(by_name) == str(balanced)
    heavy = penjing.fit(rows(), recipe="sklearn", max_depth=1, class_weight={"yes": 3.0})
    # x <= 2.5 has two of class no; above it 1 no and 3 yes that weigh 9.
    assert heavy.predict_proba([{"x": 6.0, "a": "v"}])[0].tolist() == pytest.approx([0.1, 0.9])
    with pytest.raises(ChoiceError, match="maybe"):
        penjing.fit(rows(), recipe="sklearn", class_weight={"maybe": 1.0})


def test_priors_and_losses_by_name_are_checked():
    with pytest.raises(ChoiceError, match="prior must have 2 values, got 1"):
        penjing.fit(rows(), recipe="rpart", prior={"no": 1.0})
    with pytest.raises(ChoiceError, match="maybe"):
        penjing.fit(rows(), recipe="rpart", loss={"maybe": {"no": 1.0}})


def test_a_costly_column_is_asked_less():
    free = penjing.fit(rows(), recipe="rpart", minsplit=2, maxdepth=1, cp=0)
    dear = penjing.fit(rows(), recipe="rpart", minsplit=2, maxdepth=1, cp=0, cost={"x": 100.0})
    assert [t.schema[int(t.nodes.column[0])].name for t in (free, dear)] == ["x", "a"]


@pytest.mark.parametrize("recipe", ["id3", "c4.5-textbook", "j48", "rpart", "sklearn"])
def test_laplace_shares_by_hand(recipe):
    tree = penjing.fit(rows(), recipe=recipe, max_depth=0, laplace=True)
    assert tree.predict_proba([{"x": 1.0, "a": "u"}])[0].tolist() == [(3 + 1) / 8, (3 + 1) / 8]
    four = rows().take(np.array([0, 1, 2, 3]))
    tree = penjing.fit(four, recipe=recipe, max_depth=0, A=True)
    assert tree.predict_proba([{"x": 1.0, "a": "u"}])[0].tolist() == [(3 + 1) / 6, (1 + 1) / 6]


def test_pairs_that_are_none_are_told(run):
    done = run("fit", "Watermelon-train1.csv", "--recipe", "rpart", "--prior", "yes")
    assert done.code == 1
    assert "must be name=number" in done.err


@pytest.mark.parametrize("alpha", ["0.05", "9"])
def test_a_tree_that_scikit_learn_prunes_is_fitted_with_the_default_trace(run, alpha):
    done = run("fit", "example:watermelon2.0", "--recipe", "sklearn", "--ccp-alpha", alpha)
    assert done.code == 0, done.err
    assert "leaf" in done.out or "leaves" in done.out
