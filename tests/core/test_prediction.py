"""Prediction in C++ agrees with the oracle, for any number of threads."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle_predict import REPORT, SHARE, STOP, UNSEEN, PlainNode, PlainTree
from penjing import _core

THREADS = (1, 2, 7)


N_COLUMNS = 4  # two of numbers, two nominal
N_LEVELS = 6


@st.composite
def plain_trees(draw, only_cuts=False):
    nodes = [PlainNode()]
    waiting = [0]
    while waiting and len(nodes) < 40:
        place = waiting.pop(0)
        if place and not draw(st.booleans()):
            continue
        node = nodes[place]
        node.column = draw(st.integers(0, 1 if only_cuts else N_COLUMNS - 1))
        node.first_child = len(nodes)
        if node.column < 2:
            node.cut = draw(st.sampled_from([-1.5, 0.0, 0.5, 2.0, float("inf")]))
            node.n_children = 2
        elif draw(st.integers(0, 4)) == 0:  # a cut in the positions of ordered levels
            node.cut = draw(st.sampled_from([0.0, 1.5, 3.0]))
            node.n_children = 2
        else:
            # wide steps between codes: some nodes get a table, some a sorted list
            stride = draw(st.sampled_from([1, 50]))
            branch_of = draw(st.lists(st.integers(-1, 3), min_size=N_LEVELS, max_size=N_LEVELS))
            node.n_children = max(max(branch_of) + 1, 1)
            node.levels = [
                [code * stride for code in range(N_LEVELS) if branch_of[code] == branch]
                for branch in range(node.n_children)
            ]
        node.missing = draw(st.sampled_from([STOP, SHARE, SHARE, 0, node.n_children - 1]))
        for _ in range(node.n_children):
            weight = draw(st.sampled_from([0.0, 1.0, 2.0, 0.25, 7.0]))
            waiting.append(len(nodes))
            nodes.append(PlainNode(weight=weight))
    return PlainTree(nodes, draw(st.sampled_from([STOP, -2, REPORT])))


numbers = st.sampled_from([-2.0, -1.5, 0.0, -0.0, 0.5, 1.0, 3.0, float("nan"), float("inf")])
codes = st.sampled_from([-1, 0, 1, 2, 3, 5, 50, 150, 250, 10**9, UNSEEN])


def columns_of(rows):
    kinds = [np.float64, np.float64, np.int32, np.int32]
    return [np.array([row[j] for row in rows], kinds[j]) for j in range(N_COLUMNS)]


def same_as_oracle(tree, rows, values, threads):
    flat = _core.FlatTree(**tree.arrays())
    asked = {node.column for node in tree.nodes if node.column >= 0}
    assert flat.used_columns.tolist() == sorted(asked)
    columns = [c if j in asked else None for j, c in enumerate(columns_of(rows))]

    lost = [tree.stop(row) if tree.branch_is_unseen(row) else None for row in rows]
    if any(node is not None for node in lost):
        first = next(i for i, node in enumerate(lost) if node is not None)
        column = tree.nodes[lost[first]].column
        with pytest.raises(_core.UnseenValueError) as caught:
            flat.apply(columns, len(rows), threads=threads)
        assert caught.value.args == (first, column, rows[first][column], lost[first])
    else:
        stops = flat.apply(columns, len(rows), threads=threads)
        assert stops.tolist() == [tree.stop(row) for row in rows]

    reached = [tree.reached(row) for row in rows]
    if any(unseen for _, unseen in reached):
        first = next(i for i, (_, unseen) in enumerate(reached) if unseen)
        with pytest.raises(_core.UnseenValueError) as caught:
            flat.predict_fractional(columns, values, len(rows), threads=threads)
        assert caught.value.args[0] == first
        assert caught.value.args[3] == reached[first][1][0]
    else:
        mixed = flat.predict_fractional(columns, values, len(rows), threads=threads)
        assert mixed.shape == (len(rows), values.shape[1])
        expected = [tree.mixture(row, values).tolist() for row in rows]
        assert mixed.tolist() == expected  # bit for bit
        some = np.arange(len(rows))[::-2]
        part = flat.predict_fractional(
            columns, values, len(rows), threads=threads, rows=some.copy()
        )
        assert part.tolist() == mixed[some].tolist()


@settings(deadline=None)
@given(
    plain_trees(),
    st.lists(st.tuples(numbers, numbers, codes, codes).map(list), max_size=20),
    st.integers(1, 3),
    st.sampled_from(THREADS),
)
def test_rows_reach_the_nodes_of_the_oracle(tree, rows, width, threads):
    values = np.random.default_rng(3).random((len(tree.nodes), width))
    same_as_oracle(tree, rows, values, threads)


@settings(deadline=None)
@given(
    plain_trees(only_cuts=True),
    st.lists(st.tuples(numbers, numbers, codes, codes).map(list), max_size=40),
)
def test_eight_rows_in_step_reach_the_nodes_of_the_oracle(tree, rows):
    values = np.random.default_rng(3).random((len(tree.nodes), 2))
    same_as_oracle(tree, rows, values, 1)


def random_tree(rng, n_nodes, *, only_cuts):
    """Return a tree of about n_nodes that asks about four columns, sharing out what is missing."""
    nodes = [PlainNode()]
    place = 0
    while len(nodes) < n_nodes:
        node = nodes[place]
        node.column = int(rng.integers(0, 2 if only_cuts else N_COLUMNS))
        node.first_child = len(nodes)
        node.missing = SHARE
        if node.column < 2:
            node.cut = float(rng.normal())
            node.n_children = 2
        else:
            node.n_children = 3
            node.levels = [[0, 3], [1], [2, 5]]
        nodes += [PlainNode(weight=float(rng.integers(1, 9))) for _ in range(node.n_children)]
        place += 1
    return PlainTree(nodes)


@pytest.mark.parametrize("only_cuts", [True, False])
def test_threads_change_nothing(only_cuts):
    rng = np.random.default_rng(11)
    tree = random_tree(rng, 400, only_cuts=only_cuts)
    n = 30_001  # several blocks a thread, and a ragged end
    columns = [
        np.where(rng.random(n) < 0.03, np.nan, rng.normal(size=n)),
        rng.normal(size=n),
        rng.integers(-1, 7, n).astype(np.int32),
        rng.integers(-1, 7, n).astype(np.int32),
    ]
    values = rng.random((len(tree.nodes), 3))
    flat = _core.FlatTree(**tree.arrays())
    stops = [flat.apply(columns, n, threads=t) for t in THREADS]
    mixed = [flat.predict_fractional(columns, values, n, threads=t) for t in THREADS]
    assert all(np.array_equal(stops[0], other) for other in stops)
    assert all(mixed[0].tobytes() == other.tobytes() for other in mixed)
    for i in rng.integers(0, n, 300).tolist():
        row = [column[i].item() for column in columns]
        assert stops[0][i] == tree.stop(row)
        assert mixed[0][i].tolist() == tree.mixture(row, values).tolist()


@pytest.mark.parametrize("order", ["rows", "columns", "part", "backwards", "thin"])
def test_rows_of_a_matrix_walk_as_those_of_columns(order):
    rng = np.random.default_rng(7)
    tree = random_tree(rng, 300, only_cuts=True)
    flat = _core.FlatTree(**tree.arrays())
    n = 9_001
    whole = rng.normal(size=(n, 6))
    whole[rng.random(whole.shape) < 0.01] = np.nan
    if order == "columns":
        whole = np.asfortranarray(whole)
    at = {"part": (2, 3), "backwards": (5, 0)}.get(order, (0, 1))
    matrix = whole[:, ::2] if order == "thin" else whole
    columns = [matrix[:, c] for c in at]
    for threads in THREADS:
        stops = flat.apply([*columns, None, None], n, threads=threads)
        apart = flat.apply([*(c.copy() for c in columns), None, None], n, threads=threads)
        assert np.array_equal(stops, apart)
    for i in rng.integers(0, n, 300).tolist():
        assert stops[i] == tree.stop([column[i].item() for column in columns])


def test_the_lowest_unseen_row_is_reported_for_any_number_of_threads():
    nodes = [PlainNode(2, float("nan"), 1, [[0], [1]], 2), PlainNode(), PlainNode()]
    flat = _core.FlatTree(**PlainTree(nodes, REPORT).arrays())
    codes = np.zeros(50_000, np.int32)
    codes[[49_999, 31_234, 40_000]] = 7
    for threads in THREADS:
        with pytest.raises(_core.UnseenValueError) as caught:
            flat.apply([None, None, codes], len(codes), threads=threads)
        assert caught.value.args == (31_234, 2, 7, 0)


def chain(depth, missing):
    """Return a tree that asks the same question again and again, ever smaller cuts."""
    nodes = []
    for i in range(depth):
        nodes += [PlainNode(0, float(-i), 2 * i + 1, [], 2, missing), PlainNode()]
    nodes = [nodes[0], *(node for i in range(1, depth) for node in (nodes[2 * i], PlainNode()))]
    return PlainTree([*nodes, PlainNode(), PlainNode()])


@pytest.mark.parametrize("missing", [0, SHARE])
def test_a_chain_of_fifty_thousand_nodes(missing):
    depth = 50_000
    tree = chain(depth, missing)
    flat = _core.FlatTree(**tree.arrays())
    assert flat.n_nodes == 2 * depth + 1
    column = np.array([1.0, -0.5, -1.5, -(depth + 1.0), np.nan])
    stops = flat.apply([column], 5).tolist()
    assert stops == [tree.stop([v]) for v in column.tolist()]
    assert stops[3] == 2 * depth - 1
    values = np.random.default_rng(0).random((flat.n_nodes, 2))
    mixed = flat.predict_fractional([column], values, 5)
    assert mixed.tolist() == [tree.mixture([v], values).tolist() for v in column.tolist()]


def test_a_column_of_a_million_levels():
    n_levels = 1_000_000
    n = n_levels + 1
    arrays = {
        "column": np.append(0, np.full(n_levels, -1)).astype(np.int32),
        "cut": np.full(n, np.nan),
        "first_child": np.ones(n, np.int32),
        "n_children": np.append(n_levels, np.zeros(n_levels)).astype(np.int32),
        "level_start": np.append(0, np.arange(n)).astype(np.int64),
        "level_codes": np.arange(n_levels)[::-1].astype(np.int32),
        "missing_mode": np.full(n, STOP, np.int32),
        "weight": np.ones(n),
    }
    codes = np.array([0, 1, n_levels - 1, n_levels, -1], np.int32)
    stops = _core.FlatTree(**arrays).apply([codes], 5)
    assert stops.tolist() == [n_levels, n_levels - 1, 1, 0, 0]


def test_many_nodes_on_a_column_of_many_levels_stay_small():
    # 20,000 nodes that each know two far-apart levels out of 10^6: tables would be 80 GB.
    depth = 20_000
    nodes = []
    for i in range(depth):
        levels = [[i], [999_999 - i]]
        nodes += [PlainNode(0, float("nan"), 2 * i + 1, levels, 2), PlainNode()]
    nodes = [nodes[0], *(x for i in range(1, depth) for x in (nodes[2 * i], PlainNode()))]
    tree = PlainTree([*nodes, PlainNode(), PlainNode()])
    flat = _core.FlatTree(**tree.arrays())
    codes = np.array([0, 999_999, 5], np.int32)
    assert flat.apply([codes], 3).tolist() == [1, 2, 0]


def test_a_lone_leaf_asks_about_nothing():
    flat = _core.FlatTree(**PlainTree([PlainNode()]).arrays())
    assert flat.used_columns.tolist() == []
    assert flat.apply([], 3).tolist() == [0, 0, 0]
    assert (
        flat.predict_fractional([None], np.array([[0.25, 0.75]]), 2).tolist() == [[0.25, 0.75]] * 2
    )


def test_a_child_without_weight_takes_no_part_in_sharing():
    nodes = [PlainNode(0, 0.5, 1, [], 2, SHARE), PlainNode(weight=0.0), PlainNode(weight=3.0)]
    flat = _core.FlatTree(**PlainTree(nodes).arrays())
    values = np.array([[0.0], [np.nan], [7.0]])  # 0 times NaN would spoil the mixture
    assert flat.predict_fractional([np.array([np.nan])], values, 1).tolist() == [[7.0]]


def test_no_rows():
    flat = _core.FlatTree(**chain(3, 0).arrays())
    assert flat.apply([np.empty(0)], 0, threads=7).shape == (0,)
    assert flat.predict_fractional([np.empty(0)], np.zeros((7, 4)), 0).shape == (0, 4)
    for row in (-1, 3):
        with pytest.raises(IndexError, match="not below"):
            flat.predict_fractional([np.zeros(3)], np.zeros((7, 4)), 3, rows=np.array([0, row]))


def test_what_is_handed_in_is_checked():
    flat = _core.FlatTree(**chain(2, 0).arrays())
    nominal_flat = _core.FlatTree(
        **PlainTree(
            [PlainNode(0, float("nan"), 1, [[0], [1]], 2), PlainNode(), PlainNode()]
        ).arrays()
    )
    with pytest.raises(ValueError, match="not handed in"):
        flat.apply([None], 3)
    with pytest.raises(ValueError, match="not handed in"):
        flat.apply([], 3)
    with pytest.raises(ValueError, match="per row"):
        flat.apply([np.zeros(2)], 3)
    with pytest.raises(TypeError, match="float64 numbers or int32"):
        flat.apply([np.zeros(3, np.float32)], 3)
    with pytest.raises(ValueError, match="int32 codes"):
        nominal_flat.apply([np.zeros(3)], 3)
    with pytest.raises(ValueError, match="row per node"):
        flat.predict_fractional([np.zeros(3)], np.zeros((2, 1)), 3)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("column", [-2, -1, -1], "about none"),
        ("first_child", [0, 0, 0], "after their parent"),
        ("first_child", [2, 0, 0], "inside the tree"),
        ("n_children", [0, 0, 0], "inside the tree"),
        ("n_children", [1, 0, 0], "two children"),
        ("missing_mode", [2, 0, 0], "missing_mode"),
        ("missing_mode", [-3, 0, 0], "missing_mode"),
        ("level_start", [0, 0, 0, 1], "level_start"),
        ("weight", [1.0, -1.0, 1.0], "weights"),
        ("weight", [1.0, float("nan"), 1.0], "weights"),
        ("unseen_mode", 0, "unseen_mode"),
        ("cut", [0.0], "per node"),
    ],
)
def test_a_tree_that_is_none_is_refused(name, value, sentence):
    arrays = PlainTree([PlainNode(0, 0.5, 1, [], 2), PlainNode(), PlainNode()]).arrays()
    arrays[name] = value if name == "unseen_mode" else np.array(value, arrays[name].dtype)
    with pytest.raises(ValueError, match=sentence):
        _core.FlatTree(**arrays)


def test_a_level_in_two_branches_is_refused():
    nodes = [PlainNode(0, float("nan"), 1, [[0, 1], [1]], 2), PlainNode(), PlainNode()]
    with pytest.raises(ValueError, match="one branch only"):
        _core.FlatTree(**PlainTree(nodes).arrays())


def test_one_tree_serves_several_threads_of_python():
    rng = np.random.default_rng(5)
    tree = random_tree(rng, 200, only_cuts=True)
    flat = _core.FlatTree(**tree.arrays())
    columns = [rng.normal(size=20_000), rng.normal(size=20_000)]
    expected = flat.apply(columns, 20_000)
    answers = []
    callers = [
        threading.Thread(target=lambda: answers.append(flat.apply(columns, 20_000, threads=2)))
        for _ in range(4)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(answers) == 4
    assert all(np.array_equal(expected, answer) for answer in answers)


def test_numbers_that_are_not_aligned_are_refused():
    tree = random_tree(np.random.default_rng(7), 300, only_cuts=True)
    records = np.zeros(50, [("p", "i4"), ("a", "f8"), ("q", "i4")])
    with pytest.raises(TypeError, match="aligned"):
        _core.FlatTree(**tree.arrays()).apply([records["a"], records["a"], None, None], 50)
