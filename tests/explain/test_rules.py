"""Short rule lists keep their bound, and read as they count."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import parse_printed as printed
import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.errors import CapabilityError, ChoiceError
from strategies import tables

EXAMPLES = ("watermelon2.0", "watermelon3.0", "buys_computer", "basketball", "golf", "play_tennis")
RECIPES = ("id3", "c4.5-textbook", "cart-binary")


def errors(answers, table):
    truth = [table.target.levels[code] for code in table.target.codes]
    wrong = np.array([a != t for a, t in zip(answers.tolist(), truth, strict=True)])
    return float(table.weights[wrong].sum())


@pytest.mark.parametrize("recipe", RECIPES)
@given(table=tables(max_rows=30), loss=st.sampled_from([0.0, 0.02, 0.1, 0.5]))
def test_a_list_loses_no_more_than_its_bound(recipe, table, loss):
    tree = penjing.fit(table, recipe=recipe)
    made = tree.ruleset(table, max_loss=loss)
    of_tree = errors(tree.predict(table), table)
    of_list = errors(made.predict(table), table)
    assert of_list <= of_tree + loss * table.n_rows + 1e-9
    assert made.training[0] == pytest.approx(table.n_rows - of_list)
    assert made.training[1] == pytest.approx(table.n_rows - of_tree)
    assert len(made.rules) <= tree.n_leaves
    json.dumps(made.to_json(), allow_nan=False)


@pytest.mark.parametrize("name", EXAMPLES)
def test_textbook_tables_get_fewer_rules_than_leaves_and_lose_nothing(name):
    table = penjing.example(name)
    tree = penjing.fit(table)
    made = tree.ruleset(table, max_loss=0)
    assert errors(made.predict(table), table) <= errors(tree.predict(table), table)
    assert len(made.rules) < tree.n_leaves
    assert made.text("zh").splitlines()[-2].startswith("默认类别：")


def test_intervals_are_merged_and_rows_counted_after_those_before():
    x = numeric("x", range(20))
    table = Table((x,), nominal("class", ["a"] * 5 + ["b"] * 9 + ["a"] * 6), 20)
    made = penjing.fit(table, recipe="id3").ruleset(table, max_loss=0)
    assert made.to_json()["rules"][0]["when"] == ["4.5 < x ≤ 13.5"]
    assert made.to_json()["default"] == "a"
    assert sum(rule.weight for rule in made.rules) <= 20


def test_rules_need_classes_and_a_target():
    x = numeric("x", range(9))
    numbers = Table((x,), numeric("y", range(9)), 9)
    with pytest.raises(CapabilityError, match="a rule set needs a categorical target"):
        penjing.fit(numbers, recipe="cart-binary").ruleset(numbers)
    table = penjing.example("golf")
    tree = penjing.fit(table)
    with pytest.raises(ChoiceError, match="have no column"):
        tree.ruleset([{c.name: c.values()[0] for c in table.columns}])
    with pytest.raises(ChoiceError):
        tree.ruleset(table, max_loss=2)


def test_a_loss_that_cannot_be_is_named_as_one():
    table = penjing.example("golf")
    with pytest.raises(ChoiceError, match="max_loss") as caught:
        penjing.fit(table).ruleset(table, max_loss=-1)
    assert "held out" not in str(caught.value)


def of_hundredths(n=120):
    """Return a table whose numbers have no exact binary form, and a class that needs intervals."""
    random = np.random.RandomState(7)
    x, y = (np.round(random.rand(n), 2) for _ in range(2))
    noisy = (np.abs(x - 0.5) < 0.21) ^ (y > 0.77) ^ (random.rand(n) < 0.05)
    told = ["in" if one else "out" for one in noisy]
    return Table((numeric("x", x), numeric("y", y)), nominal("class", told), n)


def rows_of(table):
    columns = {column.name: column.values() for column in table.columns}
    return [{name: values[i] for name, values in columns.items()} for i in range(table.n_rows)]


@pytest.mark.parametrize("recipe", ["sklearn", "rpart", "c4.5", "c5.0", "j48", "cart-binary"])
def test_whoever_follows_the_printed_list_counts_the_rows_it_tells(recipe):
    table = of_hundredths()
    left, made = rows_of(table), penjing.fit(table, recipe=recipe).ruleset(table, max_loss=0)
    assert any(" x " in when for rule in made.to_json()["rules"] for when in rule["when"])
    for rule in made.to_json()["rules"]:
        tests = [printed.test_of(when) for when in rule["when"]]
        here = [row for row in left if all(test(row, {}) for test in tests)]
        assert len(here) == rule["rows"]
        left = [row for row in left if row not in here]


@pytest.mark.parametrize("recipe", ["sklearn", "rpart", "c4.5", "c5.0", "j48", "c4.5-textbook"])
def test_the_branches_of_candidates_divide_the_rows_as_they_read(recipe):
    table = of_hundredths()
    rows = rows_of(table)
    for step in penjing.fit(table, recipe=recipe, trace=True).trace:
        here = rows
        for when in step.get("path", ()):
            here = [row for row in here if printed.test_of(when)(row, {})]
        for candidate in step.get("candidates", ()):
            for branch in candidate.get("branches", ()):
                test = printed.test_of(f"{candidate['column']} {branch['answer']}")
                assert sum(test(row, {}) for row in here) == branch["rows"]
