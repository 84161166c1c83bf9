"""Trees with constraints: no pair of rows violates a direction, no path mixes groups of columns."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.dialects.recipes import recipe_of
from penjing.dialects.rpart.cross_validation import CrossValidation
from penjing.errors import PenjingError
from penjing.tree.counts import Number, Reader, reader_of, sums

NAMES = ("a", "b", "c")
RECIPES: dict[str, dict[str, object]] = {
    "cart-binary": {},
    "cart-binary, fractions": {"missing": "fraction"},
    "c4.5-textbook": {"shape": "binary"},
    "rpart": {"cp": 0.0, "minsplit": 4, "xval": 0},
    "rpart, no surrogates": {"cp": 0.0, "minsplit": 4, "xval": 0, "usesurrogate": 0},
    "sklearn": {},
    "sklearn, drawn": {"random_state": 3, "max_features": 2},
}
TAKES_MISSING = ("cart-binary, fractions", "c4.5-textbook", "rpart", "sklearn")
METHODS = (
    "pessimistic", "cost-complexity", "minimum-error", "mdl", "collapse", "simplify",
    "reduced-error", "error-based",
)  # fmt: skip


def made(
    seed: int, n: int, *, regression: bool, missing: float = 0.0, weighted: bool = False
) -> Table:
    """Return numbers that are related to the target, one of them against the usual direction."""
    draw = np.random.RandomState(seed)
    x = np.round(draw.normal(size=(n, len(NAMES))), draw.randint(0, 3))
    y = x[:, 0] - x[:, 1] * draw.randint(-1, 2) + draw.normal(size=n)
    x[draw.uniform(size=x.shape) < missing] = np.nan
    kind = nominal("kind", draw.choice(["u", "v", "w"], n).tolist(), ["u", "v", "w"])
    columns = tuple(numeric(name, x[:, i]) for i, name in enumerate(NAMES))
    target = numeric("y", y) if regression else nominal("y", (y > 0).tolist(), [False, True])
    weight = draw.uniform(0.1, 3.0, n) if weighted else None
    return Table((*columns, kind), target, n, weight)


def grown(table: Table, recipe: str, engine: str = "native", **more: object) -> penjing.Tree:
    name = recipe.partition(",")[0]
    return penjing.fit(table, recipe=name, engine=engine, quiet=True, **RECIPES[recipe] | more)


def value_of(tree: penjing.Tree, rows: Table) -> np.ndarray:
    if tree.is_regression:
        return np.asarray(tree.predict(rows), float)
    return np.asarray(tree.predict_proba(rows))[:, 1]


def pairs(
    seed: int, directions: dict[str, int], *, unseen: bool = False, n: int = 60
) -> tuple[Table, Table]:
    """Return rows and the same rows moved in the direction of every constraint.

    With ``unseen``, some have a category that is not in the training rows.
    """
    draw = np.random.RandomState(seed)
    low = np.round(draw.normal(size=(n, len(NAMES))) * 1.5, 2)
    step = np.abs(draw.normal(size=low.shape)) * 2
    high = low + step * np.array([directions.get(name, 0) for name in NAMES])
    kinds = ["u", "v", "w", *(["new"] if unseen else [])]
    kind = nominal("kind", draw.choice(kinds, n).tolist(), kinds)

    def table(x: np.ndarray) -> Table:
        return Table((*(numeric(c, x[:, i]) for i, c in enumerate(NAMES)), kind), None, n)

    return table(low), table(high)


def has_branches(tree: penjing.Tree, rows: Table) -> np.ndarray:
    """Return whether every split on the path of each row has a branch for its value."""
    at, known = np.zeros(rows.n_rows, int), np.ones(rows.n_rows, bool)
    for node in range(tree.n_nodes):
        if (split := tree.split(node)) is not None:
            branch = split.branches(rows.columns[split.column])
            here = at == node
            known &= ~here | (branch >= 0)
            at = np.where(here & (branch >= 0), tree.first_child[node] + branch, at)
    return known


def check_monotonic(tree: penjing.Tree, directions: dict[str, int], seed: int) -> None:
    low, high = pairs(seed, directions, unseen=tree.recipe["unseen"] == "stop")
    stops = tree.recipe["unseen"] == "stop"  # where there is no branch; rpart tries surrogates
    known = stops | (has_branches(tree, low) & has_branches(tree, high))
    assert (value_of(tree, low) <= value_of(tree, high))[known].all()
    if not tree.is_regression:
        assert (np.asarray(tree.predict(low)) <= np.asarray(tree.predict(high)))[known].all()


some_directions = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([-1, 0, 1]), max_size=3)
cases = {
    "seed": st.integers(0, 10**6),
    "n": st.integers(3, 70),
    "regression": st.booleans(),
    "weighted": st.booleans(),
    "directions": some_directions,
}


@pytest.mark.parametrize("recipe", RECIPES)
@given(**cases, missing=st.sampled_from([0.0, 0.0, 0.3]))
@settings(max_examples=40)
def test_predictions_are_monotonic_in_rows_whose_values_are_known(  # noqa: PLR0917 - drawn
    recipe, seed, n, regression, weighted, directions, missing
):
    missing = missing if recipe in TAKES_MISSING else 0.0
    table = made(seed, n, regression=regression, missing=missing, weighted=weighted)
    tree = grown(table, recipe, monotonic_cst=directions)
    check_monotonic(tree, directions, seed)


@pytest.mark.parametrize("recipe", ["cart-binary", "rpart", "sklearn"])
@pytest.mark.parametrize("method", METHODS)
@given(**cases)
@settings(max_examples=10)
def test_pruned_trees_are_monotonic(  # noqa: PLR0917 - drawn
    method, recipe, seed, n, regression, weighted, directions
):
    table = made(seed, n, regression=regression, weighted=weighted)
    tree = grown(table, recipe, monotonic_cst=directions)
    options: dict[str, object] = {"alpha": 0.01} if method == "cost-complexity" else {}
    if method == "reduced-error":
        options["validation"] = made(seed + 1, 30, regression=regression)
    if method == "error-based":
        options["training"] = table
    try:
        pruned = tree.prune(method, **options)
    except PenjingError:  # not for numbers, or not with weights
        return
    check_monotonic(pruned, directions, seed)


@given(**cases)
@settings(max_examples=30)
def test_a_tree_that_is_saved_and_loaded_keeps_its_bounds(  # noqa: PLR0917 - drawn
    seed, n, regression, weighted, directions, tmp_path_factory
):
    table = made(seed, n, regression=regression, weighted=weighted)
    tree = grown(table, "sklearn", monotonic_cst=directions)
    path = tmp_path_factory.mktemp("models") / "tree.json"
    tree.save(str(path))
    again = penjing.load(str(path))
    assert again.recipe["monotonic_cst"] == {k: v for k, v in directions.items() if v}
    low, _ = pairs(seed, directions)
    np.testing.assert_array_equal(value_of(tree, low), value_of(again, low))


some_groups = st.sampled_from(["pairwise", "no_interactions"]) | st.lists(
    st.sets(st.sampled_from([*NAMES, "kind"]), min_size=1, max_size=3).map(sorted), max_size=3
)


def allowed_together(groups: str | list[list[str]], columns: set[str]) -> bool:
    """Return whether columns share a group, by the definition."""
    everything = {*NAMES, "kind"}
    if groups == "pairwise":
        return len(columns) <= 2
    if groups == "no_interactions":
        return len(columns) <= 1
    listed = [set(group) for group in groups]
    listed.append(everything.difference(*listed))
    return not columns or any(columns <= group for group in listed)


@pytest.mark.parametrize("recipe", RECIPES)
@given(**cases, groups=some_groups)
@settings(max_examples=25)
def test_no_path_uses_columns_of_different_groups(  # noqa: PLR0917 - drawn
    recipe, seed, n, regression, weighted, directions, groups
):
    table = made(seed, n, regression=regression, weighted=weighted)
    tree = grown(table, recipe, monotonic_cst=directions, interaction_cst=groups)
    for leaf in np.flatnonzero(tree.is_leaf).tolist():
        path = tree.path(leaf)[:-1]
        assert allowed_together(groups, {tree.schema[tree.split(p).column].name for p in path})
    check_monotonic(tree, directions, seed)


@pytest.mark.parametrize("recipe", RECIPES)
@given(
    **cases,
    groups=st.none() | some_groups,
    missing=st.sampled_from([0.0, 0.3]),
    max_leaves=st.none() | st.integers(2, 8),
    threads=st.integers(1, 3),
)
@settings(max_examples=40)
def test_native_and_memory_grow_the_same_tree(  # noqa: PLR0917 - drawn
    recipe, seed, n, regression, weighted, directions, groups, missing, max_leaves, threads
):
    missing = missing if recipe in TAKES_MISSING else 0.0
    table = made(seed, n, regression=regression, missing=missing, weighted=weighted)
    more = {"monotonic_cst": directions, "interaction_cst": groups, "max_leaves": max_leaves}
    one = grown(table, recipe, **more, threads=threads)
    other = grown(table, recipe, "memory", **more)
    assert one.to_json() == other.to_json()


@pytest.mark.parametrize("recipe", ["cart-binary", "rpart", "sklearn"])
@given(**cases, groups=st.none() | some_groups)
@settings(max_examples=25)
def test_traces_of_both_engines_are_equal_and_choose_what_was_grown(  # noqa: PLR0917 - drawn
    recipe, seed, n, regression, weighted, directions, groups
):
    table = made(seed, n, regression=regression, weighted=weighted)
    more = {"monotonic_cst": directions, "interaction_cst": groups, "trace": True}
    one, other = (grown(table, recipe, engine, **more) for engine in ("native", "memory"))
    assert one.to_json() == other.to_json()
    for step in one.to_json()["trace"]["steps"]:
        if not one.is_leaf[step["node"]]:
            assert step["chosen"] == one.nodes.column[step["node"]]


def test_some_directions_do_change_trees():
    changed = 0
    for seed in range(20):
        table = made(seed, 60, regression=False)
        plain = grown(table, "cart-binary")
        constrained = grown(table, "cart-binary", monotonic_cst={"a": 1, "b": -1})
        changed += plain.n_leaves != constrained.n_leaves
    assert changed > 10


def test_leaves_are_clipped_where_a_column_without_a_direction_exceeds_the_bounds():
    clipped = 0
    for seed in range(30):
        tree = grown(made(seed, 70, regression=True), "sklearn", monotonic_cst={"a": 1})
        means = tree.reader.value(tree.nodes.total)
        clipped += int((means != tree.values).sum())
    assert clipped > 0


def test_pairs_of_groups_are_all_pairs():
    assert all(allowed_together("pairwise", set(pair)) for pair in combinations(NAMES, 2))


@given(**cases)
@settings(max_examples=40)
def test_cross_validation_of_monotonic_trees_is_the_same_in_both_languages(
    seed, n, regression, weighted, directions
):
    table = made(seed, n + 20, regression=regression, weighted=weighted)
    options = {"cp": 0.001, "minsplit": 4, "xval": 4}
    recipe = recipe_of("rpart", monotonic_cst=directions, **options).fits(table)
    reader = reader_of(table, recipe.options.costs(table))
    native, python = (CrossValidation(table, recipe, reader, 1) for _ in range(2))
    python.is_native = False
    risk = float(reader.loss(reader_sums(table, reader)))
    complexities = np.array([0.3, 0.1, 0.02]) * risk
    one, other = (each.errors(0.001 * risk, complexities) for each in (native, python))
    np.testing.assert_allclose(one, other, rtol=1e-12)


def reader_sums(table: Table, reader: Reader) -> np.ndarray:
    """Return the sums of all rows."""
    y = table.target.codes
    if isinstance(reader, Number):
        y = table.target.numbers() - reader.centre
    return sums(np.zeros(table.n_rows, np.intp), 1, table.weights, y, reader)[0]
