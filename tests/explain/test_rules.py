"""Short rule lists keep their bound, and read as they count."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import parse_printed as printed
import penjing
from deep_chains import chain_table
from penjing.data.statistics import wilson
from penjing.data.table import Table, nominal, numeric
from penjing.errors import CapabilityError, ChoiceError
from penjing.explain import rule_choice
from penjing.explain.rule_conditions import rows_where, rules_of_leaves
from penjing.render import leaf_rules
from random_tables import some_table
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


@pytest.mark.parametrize("votes", [False, True])
@pytest.mark.parametrize("n_known", [0, 1, 4])
def test_rows_of_unknown_classes_are_errors_and_never_the_default(votes, n_known):
    rows = [{"a": i % 5, "y": "v" if i % 5 else "u"} for i in range(20)]
    tree = penjing.fit(rows, "y", "cart-binary")
    rules = tree.ruleset(rows[:n_known] + [{"a": 4, "y": "w"}] * 60, votes=votes)
    assert rules.to_json()["default"] in {"u", "v"}
    assert rules.training[0] <= n_known
    assert rules.training[-1] == n_known + 60
    assert "w" not in rules.predict(rows).tolist()


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


def best_rule(candidates, rules, remaining, table, default):
    """Return the best rule by its definition, from the rows that each covers."""
    actual, weight = table.target.codes, table.weights
    ranked = {True: [], False: []}
    for i in candidates:
        rows = rows_where(rules[i][0], table) & remaining
        n, class_ = float(weight[rows].sum()), rules[i][1]
        if n <= 0:
            continue
        wrong, right = (float(weight[rows & m].sum()) for m in (actual != class_, actual == class_))
        is_better = right - float(weight[rows & (actual == default)].sum()) > 0
        error_rate = wilson(wrong, n, rule_choice.Z25)[1]
        ranked[class_ != default and is_better].append((error_rate, -n, len(rules[i][0]), i))
    ranks = ranked[True] or ranked[False]
    return min(ranks)[3] if ranks else None


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_next_rule_is_the_best_one_on_the_rows_that_remain(seed, weighted):
    random = np.random.default_rng(seed)
    table = some_table(random, 80, regression=False, missing=False, weighted=weighted)
    tree = penjing.fit(table, recipe="id3")
    rules = rules_of_leaves(tree, np.flatnonzero(tree.is_leaf).tolist())
    # Shorter rules overlap, so that a rule that is chosen changes others.
    rules += [(conditions[:1], class_) for conditions, class_ in rules]
    waiting = rule_choice._RemainingRules(rules, table, len(tree.classes))
    candidates, remaining = set(range(len(rules))), np.ones(table.n_rows, bool)
    while True:
        default = int(random.integers(len(tree.classes)))
        best = waiting.best(default)
        assert best == best_rule(candidates, rules, remaining, table, default)
        if best is None:
            break
        rows = waiting.take(best)
        expected = rows_where(rules[best][0], table) & remaining
        assert rows.tolist() == np.flatnonzero(expected).tolist()
        remaining &= ~expected
        candidates.remove(best)


def test_rules_of_a_deep_chain_write_two_thresholds_a_leaf(monkeypatch):
    tree = penjing.fit(chain_table(1000), recipe="cart-textbook")
    assert tree.depth > 400
    written = []
    cut_text = leaf_rules.cut_text
    monkeypatch.setattr(leaf_rules, "cut_text", lambda *a: (written.append(a), cut_text(*a))[1])
    assert len(tree.write("rules").splitlines()) == tree.n_leaves
    assert len(written) <= 2 * tree.n_leaves


def test_a_list_of_many_rules_sums_only_those_that_change(monkeypatch):
    table = chain_table(1000)
    tree = penjing.fit(table, recipe="cart-textbook")
    sums = []
    one_sum = rule_choice._RemainingRules._sum
    monkeypatch.setattr(
        rule_choice._RemainingRules, "_sum", lambda *a: (sums.append(a[1]), one_sum(*a))[1]
    )
    assert errors(tree.ruleset(table, max_loss=0.0).predict(table), table) == 0
    assert len(sums) <= 4 * tree.n_leaves
