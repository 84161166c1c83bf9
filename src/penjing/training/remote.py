"""Trains a tree on rows that stay in a database or a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from penjing.data.notes import record_notes
from penjing.data.read.infer_remote import RemoteTable
from penjing.data.table import Table
from penjing.dialects import recipes
from penjing.engines import remote_counts
from penjing.errors import CapabilityError, ChoiceError
from penjing.grow.constraints import SETTINGS as CONSTRAINT_SETTINGS
from penjing.grow.engine import CONSTRAINTS, Capabilities
from penjing.grow.loop import grow_unpruned
from penjing.grow.recipe import Recipe
from penjing.grow.trace_steps import with_steps
from penjing.i18n import Names
from penjing.predict.flat import comparison_cuts
from penjing.progress import ProgressCallback
from penjing.registry import load
from penjing.training.auto_recipe import TableFacts, choose_recipe, is_auto
from penjing.training.finish_locally import grow_and_finish, stored_gaps
from penjing.training.kept_trace import finish_with_skeleton
from penjing.tree.builder import TreeBuilder
from penjing.tree.nodes import LEAF
from penjing.tree.tree_data import TreeData


def capabilities_of(engine: str) -> Capabilities:
    """Return what an engine can do.

    Examples
    --------
    >>> capabilities_of("duckdb").is_remote, capabilities_of("native").is_remote
    (True, False)
    """
    capabilities: Capabilities = load("engine", engine).capabilities
    return capabilities


def engine_for(data: object, engine: str) -> str | None:
    """Return the engine that counts rows where they are; None if the rows are to be read.

    Examples
    --------
    >>> engine_for("postgresql://localhost/shop", "auto"), engine_for("melons.csv", "auto")
    ('postgres', None)
    """
    if engine != "auto" and capabilities_of(engine).is_remote:
        return engine
    if isinstance(data, str) and data.startswith(("postgresql://", "postgres://")):
        return "postgres"
    is_frame = type(data).__module__.startswith("pyspark.")
    return "spark" if is_frame and engine == "auto" else None


@dataclass(frozen=True, slots=True)
class RemoteRequest:
    """The arguments of `fit` for a remote engine, besides data and recipe."""

    engine: str
    target: Any
    schema: Mapping[str, Any] | None
    query: str | None
    progress: ProgressCallback | None
    is_traced: bool


def needs_reading(data: object, engine: str, query: str | None, table: str | None) -> bool:
    """Return whether data are not a database, and have to be read and copied to one.

    Examples
    --------
    >>> needs_reading("melons.csv", "duckdb", None, None)
    True
    >>> needs_reading("duckdb:shop.db", "duckdb", None, "orders")
    False
    """
    if engine != "duckdb" or query is not None or table is not None:
        return False
    is_named = isinstance(data, str) and data.startswith("duckdb:")
    return not is_named and "duckdb" not in type(data).__module__


def refuse_local_settings(engine: str, **settings: object) -> None:
    """Raise an error for settings that need the rows in this process."""
    for name, value in settings.items():
        if value is not None:
            raise CapabilityError("engine_lacks_setting", engine=engine, setting=name)


def fit(
    data: Any,  # noqa: ANN401 - where the rows are
    request: RemoteRequest,
    recipe: str | Recipe,
    *,
    table: str | None = None,
    **changes: Any,  # noqa: ANN401 - settings of the recipe, or of the engine
) -> TreeData:
    """Grow a tree from rows that stay where they are."""
    engine = request.engine
    capabilities = capabilities_of(engine)
    settings = {name: changes.pop(name) for name in capabilities.settings if name in changes}

    def refuse(chosen: Recipe) -> None:
        check(chosen, engine)

    # The engine is opened before its table is known: with the recipe that is chosen most often.
    choice = choose_recipe(recipe, _UNKNOWN_TABLE, changes, check=refuse)
    target_type = (
        (request.schema or {}).get(request.target) if isinstance(request.target, str) else None
    )
    if target_type == "numeric" or choice.recipe.criterion == "variance":
        raise CapabilityError("engine_lacks_numeric_target", column=request.target)
    if request.target is not None and not isinstance(request.target, str):
        raise CapabilityError("engine_lacks_setting", engine=engine, setting="target")
    load("engine", engine).check_source(data)
    if engine != "spark" and not isinstance(data, Table):
        if (table is None) == (request.query is None):
            raise ChoiceError("table_or_query")
        settings |= {"query": request.query} if table is None else {"table": table}
    settings |= {"target": request.target, "schema": request.schema}
    counter: Any = load("engine", engine)(data, choice.recipe, **settings)
    try:
        survey = counter.rows.survey
        record_notes(survey.notes)
        if is_auto(recipe):
            first = choice.recipe
            choice = choose_recipe(recipe, _facts(survey), changes, check=refuse)
            if choice.recipe != first:
                counter.close()
                counter = load("engine", engine)(data, choice.recipe, **settings)
                survey = counter.rows.survey
        chosen = choice.recipe.fits(remote_counts.summary_table(survey))
        _refuse_missing(survey, chosen, engine)
        tree = _describe(_grow(counter, chosen, request), counter, engine)
    finally:
        counter.close()
    return (
        tree
        if choice.record is None
        else replace(tree, about={**tree.about, "auto": choice.record})
    )


def _refuse_missing(survey: RemoteTable, recipe: Recipe, engine: str) -> None:
    """Raise an error for missing values that the recipe or the engine cannot treat."""
    for judged in survey.columns:
        if judged.n_missing and recipe.missing == "refuse":
            values = {"column": judged.column.name, "n": judged.n_missing}
            raise ChoiceError("missing_refused", recipe=recipe.name, **values)
        if judged.n_missing and recipe.missing not in capabilities_of(engine).missing:
            values = {"column": judged.column.name, "missing": recipe.missing}
            raise CapabilityError("engine_lacks_missing", engine=engine, **values)


_UNKNOWN_TABLE = TableFacts(0, is_regression=False, is_categorical=False, has_missing=lambda: True)


def _facts(survey: RemoteTable) -> TableFacts:
    """Return the facts by which a recipe is chosen for a remote table."""
    return TableFacts(
        survey.n_rows,
        is_regression=False,
        is_categorical=all(judged.column.kind == "nominal" for judged in survey.columns),
        has_missing=lambda: any(judged.n_missing for judged in survey.columns),
    )


def _grow(engine: Any, recipe: Recipe, request: RemoteRequest) -> TreeData:  # noqa: ANN401 - remote_counts.Engine
    """Return the tree: grown by the engine, or finished in this process, or by the loop."""
    if request.is_traced:
        tree = with_steps(grow_unpruned(engine, recipe, None, request.progress), engine, recipe)
        tree = finish_with_skeleton(tree, engine, recipe)
        tree.kept_trace["steps"].as_list()  # while the engine is open
        return tree
    grown: TreeData | None = engine.grow(recipe, request.progress)
    if grown is None:
        grown = grow_and_finish(engine, recipe, request.progress)
    if grown is None:
        grown = grow_unpruned(engine, recipe, None, request.progress)
    return finish_with_skeleton(grown, engine, recipe)


def check(recipe: Recipe, engine: str) -> None:
    """Raise an error if the engine lacks something the recipe needs, before any row is read."""
    capabilities = capabilities_of(engine)
    lacks = capabilities.lacks_of(recipe)
    if CONSTRAINTS in lacks:
        setting = next(name for name in CONSTRAINT_SETTINGS if getattr(recipe, name) is not None)
        raise CapabilityError("engine_lacks_constraints", engine=engine, setting=setting)
    if lacks:
        known = dict.fromkeys(
            each.name for each in recipes.RECIPES.values() if not capabilities.lacks_of(each)
        )
        values = {"recipe": recipe.name, "known": Names(known)}
        raise CapabilityError("engine_lacks_recipe", engine=engine, **values)
    if recipe.dialect.cross_validates(recipe):
        raise CapabilityError("engine_lacks_xval", engine=engine)


def _describe(tree: TreeData, engine: remote_counts.Engine, name: str) -> TreeData:
    """Return the tree with a description of its training rows."""
    survey = engine.rows.survey
    # First of all: the engine drops its gaps when the nodes of another tree are counted.
    gap = _gaps(tree, engine) if tree.nodes.gap is None else tree.nodes.gap
    about = dict(tree.about) | {
        "n_rows": survey.n_rows,
        "source": {"name": survey.name, "n_rows": survey.n_rows},
        "left_out": [list(pair) for pair in survey.left_out],
        "engine": {"name": name},
    }
    split_columns = [survey.columns[c] for c in np.unique(tree.nodes.column).tolist() if c != LEAF]
    missing = {judged.column.name: judged.n_missing for judged in split_columns if judged.n_missing}
    if missing:
        about["missing"] = missing
    about["training"] = {"correct": _n_correct(tree, engine, missing), "of": float(survey.n_rows)}
    reading = survey.reading.to_json() or None
    return replace(tree, nodes=replace(tree.nodes, gap=gap), about=about, reading=reading)


def _n_correct(tree: TreeData, engine: remote_counts.Engine, missing: Mapping[str, int]) -> float:
    """Return how many training rows are predicted correctly, by the rows that stop at each node."""
    nodes = list(range(len(tree.nodes)))
    total = engine.totals(tree, nodes).cells if missing else tree.nodes.total
    stopping = total.copy()
    for node in nodes[1:]:
        stopping[tree.parent_of(node)[0]] -= total[node]
    return float(stopping[nodes, tree.values].sum())


def _gaps(tree: TreeData, engine: remote_counts.Engine) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the values on both sides of each cut, of the rows that reach the node."""
    if isinstance(engine.current_tree, TreeBuilder) and engine.gaps_are_complete:
        return stored_gaps(tree, engine)
    gap_of = np.full((len(tree.nodes), 2), np.nan)
    is_single = tree.recipe.get("precision") == "single"
    by_column: dict[int, list[int]] = {}
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        c = int(tree.nodes.column[node])
        # An infinite cut separates known from missing values.
        if tree.schema[c].is_numeric and np.isfinite(tree.nodes.cut[node]):
            by_column.setdefault(c, []).append(node)
    compared_with = comparison_cuts(tree)
    for c, nodes in by_column.items():
        levels = engine.level_values(c)
        with np.errstate(over="ignore"):  # numbers beyond the range of 32 bits become infinite
            compared = levels.astype(np.float32).astype(np.float64) if is_single else levels
        for node, tally in zip(nodes, engine.tally(tree, nodes, [c]), strict=True):
            values = compared[tally.columns[c].codes]
            cut = float(compared_with[node])
            low, high = values[values <= cut].max(), values[values > cut].min()
            last = np.searchsorted(compared, low, side="right") - 1
            first = np.searchsorted(compared, high, side="left")
            # Values that are equal in 32 bits may lie on both sides of the cut.
            top = min(levels[last], tree.nodes.cut[node]) if is_single else levels[last]
            gap_of[node] = top, levels[first]
    return gap_of
