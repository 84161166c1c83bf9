"""rpart's rules against rpart by the letter; its tables, surrogates and settings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import penjing
from oracle_rpart import LEFT, Oracle, is_close
from penjing.data.table import Table, nominal, numeric
from penjing.dialects.rpart.cp_table import complexities
from penjing.errors import CapabilityError, ChoiceError
from penjing.tree.counts import Classes, Costs
from penjing.tree.serialize import to_json
from reference.programs.rpart import branch_there  # noqa: F401 - the harness can be imported
from strategies import part_weights, tables
from user_trees import from_json


@st.composite
def cases(draw):
    """Draw a small table with missing values, and settings."""
    n = draw(st.integers(4, 40))
    n_classes = draw(st.sampled_from([0, 2, 2, 3]))
    columns = []
    for i in range(draw(st.integers(1, 4))):
        size = draw(st.integers(2, 5))
        holes = draw(st.sampled_from([0, 0, 1, 3]))
        pool = [*range(size)] * 3 + [None] * holes
        codes = draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))
        if draw(st.booleans()):
            columns.append(nominal(f"c{i}", codes, list(range(size))))
        else:
            columns.append(numeric(f"c{i}", [np.nan if v is None else v * 1.5 for v in codes]))
    if n_classes:
        y = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
        assume(max(y) == n_classes - 1)
        target = nominal("y", y, list(range(n_classes)))
    else:
        target = numeric("y", draw(st.lists(st.integers(0, 8), min_size=n, max_size=n)))
    some = np.any([c.codes >= 0 for c in columns], axis=0)
    table = Table(tuple(columns), target, n).take(some)
    assume(table.n_rows > 2)
    assume(not n_classes or table.target.codes.max() == n_classes - 1)
    settings = {
        "cp": draw(st.sampled_from([0.0, 0.01, 0.05, 0.2])),
        "minsplit": draw(st.integers(2, 8)),
        "minbucket": draw(st.integers(1, 3)),
        "maxsurrogate": draw(st.integers(0, 3)),
        "usesurrogate": draw(st.integers(0, 2)),
    }
    return replace(table, row_numbers=None), n_classes, settings


def oracle_of(table, n_classes, settings):
    columns = [
        [None if code < 0 else code if c.kind == "nominal" else value for code, value in pairs]
        for c in table.columns
        for pairs in [list(zip(c.codes.tolist(), c.values(), strict=True))]
    ]
    levels = [len(c.levels) if c.kind == "nominal" else 0 for c in table.columns]
    y = table.target.codes.tolist() if n_classes else table.target.values()
    return Oracle(columns, levels, y, n_classes=n_classes, **settings)


def is_tied(tree, node) -> bool:
    return any(tie["node"] == node for tie in tree.about["ties"])


def compare(tree, node, there, nodes) -> None:
    """Compare a node of ours with one of the oracle's, and hand on their children."""
    assert tree.weight[node] == len(there.rows)
    assert is_close(float(tree.losses[node]), there.risk)
    if tree.is_leaf[node]:
        assert there.test is None
        return
    assert there.test is not None
    gain, column, where, below = there.test
    assert is_close(float(tree.nodes.gain[node]), gain)
    if tree.nodes.column[node] != column:
        assert is_tied(tree, node)  # which of two equal numbers is larger hangs on rounding
        return
    split = tree.split(node)
    stand_ins = sorted(split.surrogates, key=lambda s: s.column)
    theirs = sorted(there.stand_ins, key=lambda s: s[1])
    assert [s.column for s in stand_ins] == [s[1] for s in theirs]
    for one, other in zip(stand_ins, theirs, strict=True):
        assert is_close(one.agreement, other[0])
        assert is_close(one.adjusted, other[4])
    first, second = tree.children(node)
    if below is None:
        levels = {code for code, side in where.items() if side == LEFT}
        if levels not in [set(g.tolist()) for g in split.groups]:
            return  # another grouping of the same worth
        left_first = levels == set(split.groups[0].tolist())
    else:
        if not is_close(split.cut, where):
            return
        left_first = below == LEFT
    left, right = there.sons
    pair = (left, right) if left_first else (right, left)
    nodes += [(first, pair[0]), (second, pair[1])]


@given(case=cases())
def test_trees_are_those_of_rpart_by_the_letter(case):
    table, n_classes, settings = case
    tree = penjing.fit(table, recipe="rpart", **settings)
    oracle = oracle_of(table, n_classes, settings)
    nodes = [(0, oracle.root)]
    while nodes:
        node, there = nodes.pop()
        compare(tree, node, there, nodes)


@given(case=cases())
def test_stopping_early_gives_what_cutting_back_gives(case):
    table, _, settings = case
    early = penjing.fit(table, recipe="rpart", **settings)
    whole = penjing.fit(table, recipe="rpart", **(settings | {"cp": 0.0}))
    late = whole.pruned(complexities(whole, settings["cp"] * float(whole.losses[0])).cut)
    np.testing.assert_array_equal(late.nodes.parent, early.nodes.parent)
    np.testing.assert_array_equal(late.nodes.column, early.nodes.column)


@given(case=cases(), cp=st.floats(0, 1))
def test_pruning_to_cp_keeps_the_nodes_of_greater_complexity(case, cp):
    table, _, settings = case
    tree = penjing.fit(table, recipe="rpart", **(settings | {"cp": 0.0}))
    root = float(tree.losses[0])
    found = complexities(tree, 0.0).of
    assume(not np.isclose(found, cp * root, rtol=1e-6, atol=1e-9).any())
    kept = tree.pruned(np.flatnonzero((found <= cp * root) & ~tree.is_leaf))
    pruned = tree.prune("cost-complexity", cp=cp)
    np.testing.assert_array_equal(pruned.nodes.parent, kept.nodes.parent)
    np.testing.assert_array_equal(pruned.nodes.column, kept.nodes.column)


@given(case=cases())
def test_four_times_the_weight_changes_nothing(case):
    """Minimum sizes are numbers of rows; a power of two shifts no digit of what is compared."""
    table, _, settings = case
    one = penjing.fit(table, recipe="rpart", **settings)
    heavy = replace(table, weight=np.full(table.n_rows, 4.0))
    four = penjing.fit(heavy, recipe="rpart", **settings)
    np.testing.assert_array_equal(four.nodes.column, one.nodes.column)
    np.testing.assert_allclose(four.nodes.total, one.nodes.total * 4, rtol=1e-9, atol=1e-9)
    told = [
        [(n, s.column, s.agreement) for n, t in tree.nodes.surrogates.items() for s in t]
        for tree in (one, four)
    ]
    assert told[0] == told[1]


@given(case=cases())
def test_saved_trees_come_back_with_their_surrogates(case):
    table, _, settings = case
    tree = penjing.fit(table, recipe="rpart", **settings)
    back = from_json(to_json(tree))
    assert back == tree
    np.testing.assert_array_equal(back.apply(table), tree.apply(table))


@given(case=cases())
def test_all_rows_arrive_where_a_majority_takes_those_without_a_value(case):
    table, _, settings = case
    tree = penjing.fit(table, recipe="rpart", **(settings | {"usesurrogate": 2}))
    stops = tree.apply(table)
    halves = [
        node
        for node in np.flatnonzero(~tree.is_leaf).tolist()
        if tree.weight[tree.children(node)[0]] == tree.weight[tree.children(node)[1]]
    ]
    assert all(tree.is_leaf[s] or s in halves for s in stops.tolist())


MELONS = Table(
    (numeric("x", [1, 2, 3, 4, 5, 6, 7, 8]), nominal("z", list("aabbaabb"))),
    nominal("y", list("nnnnyyyy")),
    8,
)


def test_settings_go_by_rparts_names():
    tree = penjing.fit(
        MELONS, recipe="cart", minsplit=2, minbucket=1, cp=0, maxdepth=1, split="information"
    )
    assert tree.recipe["max_depth"] == 1
    assert tree.recipe["criterion"] == "gain"
    assert tree.recipe["name"] == "rpart"
    assert tree.nodes.gain[0] == pytest.approx(8 * np.log(2))
    assert tree.nodes.cut[0] == np.nextafter(4.5, 0)


def test_a_value_on_the_cut_is_not_below_it():
    tree = penjing.fit(MELONS, recipe="rpart", minsplit=2, cp=0)
    assert tree.predict([{"x": 4.5, "z": "a"}, {"x": 4.4999, "z": "a"}]).tolist() == ["y", "n"]


def test_losses_and_priors_choose_the_cheapest_class():
    costs = Costs((1.0, 1.0), ((0.0, 1.0), (4.0, 0.0)), (1.0, 1.0))
    s = Classes(2, costs)
    total = np.array([[6.0, 2.0], [9.0, 2.0]])
    assert s.value(total).tolist() == [1, 0]
    assert s.loss(total).tolist() == [6.0, 8.0]


def test_class_shares_go_by_the_priors():
    tree = penjing.fit(MELONS, recipe="rpart", prior=[0.9, 0.1], minsplit=20)
    assert tree.n_leaves == 1
    np.testing.assert_allclose(tree.predict_proba(MELONS)[0], [0.9, 0.1])


def test_asking_may_cost():
    dear = penjing.fit(MELONS, recipe="rpart", minsplit=2, cp=0, cost={"x": 100.0})
    assert dear.schema[int(dear.nodes.column[0])].name == "x"  # z gains nothing at any price
    table = replace(MELONS, target=nominal("y", list("nnnnyyny")))
    cheap = penjing.fit(table, recipe="rpart", minsplit=2, cp=0)
    dear = penjing.fit(table, recipe="rpart", minsplit=2, cp=0, cost=[1000.0, 1.0])
    assert cheap.schema[int(cheap.nodes.column[0])].name == "x"
    assert dear.schema[int(dear.nodes.column[0])].name == "z"


def test_the_one_standard_error_rule_takes_the_smallest_tree_that_will_do():
    table = [[0.5, 0, 1.0, 1.0, 0.05], [0.1, 1, 0.5, 0.58, 0.05], [0.01, 2, 0.4, 0.55, 0.05]]
    tree = penjing.fit(MELONS, recipe="rpart", minsplit=2, cp=0)
    tree = replace(tree, about=dict(tree.about) | {"cp_table": table})
    from penjing.prune.cost_complexity import best_cp  # noqa: PLC0415

    assert best_cp(tree) == 0.1
    assert best_cp(tree, one_se=False) == 0.01


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"cp": -1}, "bad_number"),
        ({"minsplit": 0}, "bad_whole_number"),
        ({"usesurrogate": 3}, "unknown_choice"),
        ({"split": "twoing"}, "unknown_choice"),
        ({"prior": [0.5, 0.6]}, "bad_prior"),
        ({"prior": [1.0]}, "bad_length"),
        ({"loss": [[0, 1], [1, 1]]}, "bad_loss"),
        ({"loss": [[0, 1], [0, 0]]}, "bad_loss"),
        ({"loss": [[0, 1], [1]]}, "bad_loss"),
        ({"loss": [[0, float("nan")], [1, 0]]}, "bad_loss"),
        ({"loss": 5}, "bad_numbers"),
        ({"loss": {"y": 5}}, "bad_numbers"),
        ({"loss": {"y": {"q": 5}}}, "unknown_class"),
        ({"prior": [float("nan"), 1.0]}, "bad_prior"),
        ({"prior": 1}, "bad_numbers"),
        ({"prior": {"y": "much"}}, "bad_numbers"),
        ({"cost": 5}, "bad_numbers"),
        ({"cost": {"x": 0}}, "bad_cost"),
        ({"cost": [1.0]}, "bad_length"),
        ({"cost": {"q": 2.0}}, "unknown_column"),
        ({"shape": "multiway"}, "unknown_choice"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(settings, key):
    with pytest.raises(ChoiceError) as error:
        penjing.fit(MELONS, recipe="rpart", **settings)
    assert error.value.key.startswith(key)


def test_a_class_that_is_not_there_is_told_of_the_option_that_names_it():
    with pytest.raises(ChoiceError, match="prior names the class 'q'"):
        penjing.fit(MELONS, recipe="rpart", prior={"q": 1.0})


@pytest.mark.filterwarnings("error")
def test_a_class_without_a_prior_says_nothing():
    table = Table((numeric("x", [1, 2, 3, 4, 5, 6]),), nominal("y", list("aabbcc")), 6)
    tree = penjing.fit(table, recipe="rpart", prior=[0.0, 0.5, 0.5], minsplit=2, cp=0)
    assert tree.predict(table).tolist() == list("bbbbcc")


def test_too_many_groupings_are_refused():
    n = 30
    table = Table((nominal("id", range(n)),), nominal("y", [i % 3 for i in range(n)], [0, 1, 2]), n)
    with pytest.raises(CapabilityError):
        penjing.fit(table, recipe="rpart", minsplit=2, cp=0)


@given(case=cases(), seed=st.integers(0, 1000))
def test_a_weight_is_so_many_copies_where_no_size_is_asked_for(case, seed):
    """Numbers of rows are asked for by minimum sizes and by surrogates; here by neither."""
    table, _, settings = case
    times = np.random.RandomState(seed).randint(1, 4, table.n_rows)
    settings |= {"minsplit": 2, "minbucket": 1, "maxsurrogate": 0, "usesurrogate": 0}
    weighted = penjing.fit(replace(table, weight=times.astype(float)), recipe="rpart", **settings)
    copies = table.take(np.repeat(np.arange(table.n_rows), times))
    copied = penjing.fit(replace(copies, row_numbers=None), recipe="rpart", **settings)
    np.testing.assert_allclose(weighted.nodes.total[0], copied.nodes.total[0], atol=1e-9)
    np.testing.assert_allclose(weighted.nodes.gain[0], copied.nodes.gain[0], atol=1e-9)
    table_, other = weighted.about["cp_table"], copied.about["cp_table"]
    assert table_[0] == pytest.approx(other[0])


@pytest.mark.parametrize("recipe", ["rpart", "sklearn", "cart"])
@given(case=cases())
def test_every_engine_grows_the_same_tree(recipe, case):
    table, _, _ = case
    trees = [
        penjing.fit(table, recipe=recipe, engine=engine, max_depth=4)
        for engine in ("memory", "native")
    ]
    assert trees[0] == trees[1]


def test_cart_is_rpart():
    assert penjing.fit(MELONS, recipe="cart") == penjing.fit(MELONS, recipe="rpart")


def test_surrogates_are_drawn():
    draw = np.random.RandomState(1)
    x = draw.normal(size=60).round(2)
    twin = nominal("twin", np.where(x > 0, "up", "down").tolist()[:-20] + ["up"] * 20)
    table = Table((numeric("x", np.where(np.arange(60) == 7, np.nan, x)), twin),
                  nominal("y", (x > 0).tolist()), 60)  # fmt: skip
    drawn = penjing.fit(table, recipe="rpart").draw(surrogates=True)
    assert "? twin = down → x <" in drawn
    assert "? -> x" in penjing.fit(table, recipe="rpart").draw(surrogates=True, ascii_only=True)


@given(
    table=tables(missing=True)
    | tables(missing=True, regression=True)
    | tables(missing=True, weights=part_weights),
    settings=st.fixed_dictionaries(
        {
            "minsplit": st.integers(1, 5),
            "cp": st.sampled_from([0.0, 0.02]),
            "usesurrogate": st.integers(0, 2),
        }
    ),
)
def test_no_table_is_too_odd(table, settings):
    known = np.any([column.codes >= 0 for column in table.columns], axis=0)
    assume(known.any())
    tree = penjing.fit(table, recipe="rpart", **settings)
    assert from_json(to_json(tree)) == tree
    assert len(tree.predict(table)) == table.n_rows
    inner = np.flatnonzero(~tree.is_leaf)
    for node in inner.tolist():
        parts = tree.weight[list(tree.children(node))]
        assert (parts > 0).all()
        assert parts.sum() <= tree.weight[node] * (1 + 1e-9)
