"""Constraints on the splits of a tree: ``monotonic_cst`` and ``interaction_cst`` of scikit-learn.

A split on a column with a direction is refused if the value of a child exceeds the bounds of its
node, or if both values are in the wrong order (scikit-learn's ``check_monotonicity``). A path may
use only columns that share a group. Both follow from the splits above a node, so a finished tree
has the same limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from penjing.arguments import as_list, is_number, is_whole
from penjing.data.table import Field, Floats, Table
from penjing.errors import ChoiceError, WrongTypeError, unknown_name_error
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import Classes, Reader
from penjing.tree.monotonic import (
    UNBOUNDED,
    Bounds,
    NodeLimits,
    child_bounds,
    node_values,
    value_signs,
)
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.grow.engine import Engine, NativeEngine, RowSource, TreeStructure
    from penjing.grow.recipe import Recipe

SETTINGS = ("monotonic_cst", "interaction_cst")
PAIRWISE, NO_INTERACTIONS = "pairwise", "no_interactions"

Monotonic = Mapping[str, int] | Sequence[int]
"""1, -1 or 0 by column name, or for each column of the table."""
Interaction = str | Sequence[Sequence[str | int]]
"""``pairwise``, ``no_interactions``, or groups of columns by name or position."""


def has_constraints(recipe: Recipe) -> bool:
    """Return whether a recipe has constraints."""
    return recipe.monotonic_cst is not None or recipe.interaction_cst is not None


# -- settings --------------------------------------------------------------------------------------


def check_constraints(recipe: Recipe) -> None:
    """Raise an error for constraints that cannot be used, whatever the table."""
    if recipe.monotonic_cst is not None:
        _directions(recipe.monotonic_cst)
    if recipe.interaction_cst is not None:
        _groups(recipe.interaction_cst)
    for setting in SETTINGS:
        if getattr(recipe, setting) is None:
            continue
        if not (recipe.dialect.takes_constraints and recipe.shape == "binary"):
            raise ChoiceError("constraints_need_binary", recipe=recipe.name, setting=setting)
        if recipe.missing == "branch":
            raise ChoiceError("settings_exclude", one=setting, other="missing='branch'")
    if recipe.monotonic_cst is not None and recipe.laplace:
        raise ChoiceError("settings_exclude", one="monotonic_cst", other="laplace")


def _directions(given: object) -> dict[str | int, int]:
    """Return the direction of each column, by name or by position."""
    if isinstance(given, Mapping):
        pairs: list[tuple[Any, Any]] = list(given.items())
        if not all(isinstance(name, str) for name, _ in pairs):
            raise WrongTypeError("bad_monotonic", value=given)
    else:
        entries = None if isinstance(given, str) else as_list(given)
        if entries is None:
            raise WrongTypeError("bad_monotonic", value=given)
        pairs = list(enumerate(entries))
    for name, direction in pairs:
        is_direction = is_number(direction) and not isinstance(direction, bool | np.bool_)
        if not is_direction or direction not in (-1, 0, 1):
            raise ChoiceError("monotonic_direction", column=name, value=direction)
    return {name: int(direction) for name, direction in pairs}


def _groups(given: object) -> list[list[str | int]] | str:
    """Return the groups of columns, each by name or by position; or the word for all of them."""
    if isinstance(given, str):
        if given not in (PAIRWISE, NO_INTERACTIONS):
            raise WrongTypeError("bad_interaction", value=given)
        return given
    groups = None if isinstance(given, Mapping) else as_list(given)
    found: list[list[str | int]] = []
    for group in groups if groups is not None else [given]:
        members: Any = group
        is_set = isinstance(members, set | frozenset)
        columns = sorted(members, key=str) if is_set else as_list(members)
        if groups is None or isinstance(group, str | Mapping) or columns is None:
            raise WrongTypeError("bad_interaction", value=given)
        if not all(isinstance(column, str) or is_whole(column) for column in columns):
            raise WrongTypeError("bad_interaction", value=given)
        if not columns:
            raise ChoiceError("interaction_empty")
        found.append(columns)
    return found


def fitted_constraints(recipe: Recipe, table: Table) -> dict[str, Any]:
    """Return the constraints by the names of a table's columns, or raise an error.

    Parameters
    ----------
    recipe : Recipe
        The recipe.
    table : Table
        The training rows.

    Returns
    -------
    dict
        ``monotonic_cst`` and ``interaction_cst``, None where there is no constraint.
    """
    fields = [column.field for column in table.columns]
    monotonic = None
    if recipe.monotonic_cst is not None:
        monotonic = _fitted_directions(_directions(recipe.monotonic_cst), fields)
        target = table.target
        if target is not None and not table.is_regression and len(target.levels) > 2:
            values = {"target": target.name, "n": len(target.levels)}
            raise ChoiceError("monotonic_multiclass", **values)
    interaction: str | tuple[tuple[str, ...], ...] | None = None
    if recipe.interaction_cst is not None:
        groups = _groups(recipe.interaction_cst)
        interaction = groups if isinstance(groups, str) else _fitted_groups(groups, fields)
    return {"monotonic_cst": monotonic, "interaction_cst": interaction}


def _fitted_directions(
    directions: Mapping[str | int, int], fields: Sequence[Field]
) -> dict[str, int]:
    names = [field.name for field in fields]
    is_by_position = any(isinstance(name, int) for name in directions)
    if is_by_position and len(directions) != len(fields):
        raise ChoiceError("monotonic_length", n=len(directions), columns=len(fields))
    fitted = {}
    for name, direction in directions.items():
        if isinstance(name, str) and name not in names:
            raise unknown_name_error("unknown_column", name, names)
        field = fields[name] if isinstance(name, int) else fields[names.index(name)]
        if direction and not field.has_order:
            raise ChoiceError("monotonic_categorical", column=field.name)
        if direction:
            fitted[field.name] = direction
    return fitted


def _fitted_groups(
    groups: Sequence[Sequence[str | int]], fields: Sequence[Field]
) -> tuple[tuple[str, ...], ...]:
    names = [field.name for field in fields]
    fitted = []
    for group in groups:
        for column in group:
            is_known = column in names if isinstance(column, str) else 0 <= column < len(names)
            if not is_known:
                raise unknown_name_error("unknown_column", column, names)
        fitted.append(tuple(c if isinstance(c, str) else names[c] for c in group))
    return tuple(fitted)


# -- limits of nodes -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constraints:
    """The constraints of a recipe by the positions of columns.

    Parameters
    ----------
    signs : tuple of int
        The direction of `node_values` in each column; empty if no column has one.
    groups : tuple of frozenset of int
        The columns that may be used together; empty without ``interaction_cst``.
    """

    signs: tuple[int, ...]
    groups: tuple[frozenset[int], ...]


def constraints_of(recipe: Recipe, schema: Sequence[Field], s: Reader) -> Constraints | None:
    """Return the constraints of a recipe that fits a table; None if it has none."""
    if not has_constraints(recipe):
        return None
    names = [field.name for field in schema]
    signs: tuple[int, ...] = ()
    if isinstance(recipe.monotonic_cst, Mapping):
        signs = value_signs([recipe.monotonic_cst.get(name, 0) for name in names], s)
    groups: list[frozenset[int]] = []
    if recipe.interaction_cst is not None:
        given = _groups(recipe.interaction_cst)
        if given == PAIRWISE and len(names) > 1:
            groups = [frozenset(pair) for pair in combinations(range(len(names)), 2)]
        elif isinstance(given, str):
            groups = [frozenset({c}) for c in range(len(names))]
        else:
            position = {name: c for c, name in enumerate(names)}
            groups = [frozenset(position[str(name)] for name in group) for group in given]
            # As in scikit-learn, the columns of no group form one more.
            rest = frozenset(range(len(names))).difference(*groups)
            groups += [rest] if rest else []
    return Constraints(signs, tuple(groups))


def limits_of(
    source: Engine | RowSource, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
) -> list[NodeLimits] | None:
    """Return what the constraints of a recipe allow in each node; None if it has none.

    Parameters
    ----------
    source : Engine or RowSource
        Knows the columns, and the sums of nodes that the tree does not know.
    tree : TreeStructure
        The tree, which grows or is finished.
    nodes : sequence of int
        The nodes.
    recipe : Recipe
        The recipe.
    """
    s = source.reader
    constraints = constraints_of(recipe, source.schema, s)
    if constraints is None:
        return None
    known: dict[int, Bounds] = {0: UNBOUNDED}
    limits = []
    for node in nodes:
        path, columns = [node], set()
        while path[-1]:
            path.append(tree.parent_of(path[-1])[0])
            split = tree.split(path[-1])
            assert split is not None
            columns.add(split.column)
        if constraints.signs:
            _add_bounds(known, path[::-1], constraints, (source, tree))
        allowed = None
        if constraints.groups:
            fitting = [group for group in constraints.groups if columns <= group]
            allowed = frozenset[int]().union(*fitting)
        bounds = known.get(node, UNBOUNDED)
        limits.append(NodeLimits(bounds, constraints.signs, allowed, s))
    return limits


def _add_bounds(
    known: dict[int, Bounds],
    path: Sequence[int],
    constraints: Constraints,
    rows: tuple[Engine | RowSource, TreeStructure],
) -> None:
    """Add the bounds of the nodes on a path from the root."""
    source, tree = rows
    for parent, node in pairwise(path):
        if node in known:
            continue
        split = tree.split(parent)
        assert split is not None
        children = tree.children(parent)
        sign = constraints.signs[split.column]
        values = [0.0, 0.0]
        if sign:
            totals = np.stack([_total(source, tree, child) for child in children])
            values = node_values(totals, source.reader).tolist()
        below = child_bounds(known[parent], sign, *values)
        known |= dict(zip(children, below, strict=True))


def _total(source: Engine | RowSource, tree: TreeStructure, node: int) -> Floats:
    """Return the sums of a node as the tree records them, or as the engine counts them."""
    if isinstance(tree, TreeBuilder):
        return tree.total(node)
    if isinstance(tree, TreeData) and tree.has_counts:
        return np.asarray(tree.nodes.total[node])
    return np.asarray(source.totals(tree, [node]).cells[0])


def core_limits(limits: Sequence[NodeLimits] | None, n_columns: int) -> dict[str, Any] | None:
    """Return the limits of nodes as the search in C++ takes them; None if there are none."""
    if not limits:
        return None
    excluded = [[each.excludes(c) for c in range(n_columns)] for each in limits]
    return {
        "signs": np.asarray(limits[0].signs, np.int8),
        "factor": value_factor(limits[0].reader),
        "bounds": np.asarray([each.bounds for each in limits], np.float64).ravel(),
        "excluded": np.asarray(excluded, np.uint8).ravel(),
    }


def core_constraints(
    recipe: Recipe, source: NativeEngine | Table, s: Reader
) -> dict[str, Any] | None:
    """Return the constraints of a recipe as the growing kernels take them; None if it has none.

    The schema of the source takes long to make for a small table, so it is asked for only then.
    """
    if not has_constraints(recipe):
        return None
    constraints = constraints_of(recipe, source.schema, s)
    assert constraints is not None
    groups = constraints.groups
    return {
        "signs": np.asarray(constraints.signs, np.int8),
        "factor": value_factor(s),
        "group_start": np.cumsum([0, *map(len, groups)], dtype=np.int64),
        "group_columns": np.asarray([c for group in groups for c in sorted(group)], np.int32),
    }


def value_factor(s: Reader) -> Floats | None:
    """Return the weights of the classes in the value of a node; None if all are one."""
    costs = s.costs if isinstance(s, Classes) else None
    return None if costs is None else np.asarray(costs.factor, np.float64)
