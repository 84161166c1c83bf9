"""From rows that stay in a database or a cluster to a tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from penjing.data.table import Note, Table
from penjing.dialects.recipes import recipe_of
from penjing.engines import remote_counts
from penjing.errors import CapabilityError, ChoiceError
from penjing.grow.engine import Grower
from penjing.grow.loop import grow
from penjing.grow.recipe import Recipe
from penjing.grow.trace_record import Trace
from penjing.predict.flat import comparison_cuts
from penjing.progress import ProgressCallback
from penjing.registry import load
from penjing.training.finish_locally import grown, kept_gaps
from penjing.tree.builder import TreeBuilder
from penjing.tree.nodes import LEAF
from penjing.tree.tree_data import TreeData

ENGINES = ("duckdb", "postgres", "spark")
"""The engines that leave rows where they are."""
OWN: dict[str, tuple[str, ...]] = {"spark": ("checkpoint", "memory_limit", "session")}
"""What an engine wants to be told besides the recipe's settings."""
RULES = ("textbook", "quinlan", "rpart")
"""The rules that decide by counts alone; rows that ask surrogates are not yet sent in Spark."""

_COUNTED = ("refuse", "surrogate", "branch")
POLICIES = {"duckdb": _COUNTED, "postgres": _COUNTED, "spark": _COUNTED}
"""What an engine can do with missing values: send whole rows; shares of rows round otherwise."""


def engine_for(data: object, engine: str) -> str | None:
    """Return which engine counts where the rows are; None if they are to be read.

    Examples
    --------
    >>> engine_for("postgresql://localhost/shop", "auto"), engine_for("melons.csv", "auto")
    ('postgres', None)
    """
    if engine in ENGINES:
        return engine
    if isinstance(data, str) and data.startswith(("postgresql://", "postgres://")):
        return "postgres"
    is_frame = type(data).__module__.startswith("pyspark.")
    return "spark" if is_frame and engine == "auto" else None


@dataclass(frozen=True, slots=True)
class Asked:
    """What `fit` was asked for besides the recipe."""

    engine: str
    target: Any
    schema: Mapping[str, Any] | None
    query: str | None
    progress: ProgressCallback | None
    is_traced: bool


def is_to_be_read(data: object, engine: str, query: str | None, table: str | None) -> bool:
    """Say whether data are no database, so that they are read before an engine counts them there.

    Examples
    --------
    >>> is_to_be_read("melons.csv", "duckdb", None, None)
    True
    >>> is_to_be_read("duckdb:shop.db", "duckdb", None, "orders")
    False
    """
    if engine != "duckdb" or query is not None or table is not None:
        return False
    is_named = isinstance(data, str) and data.startswith("duckdb:")
    return not is_named and "duckdb" not in type(data).__module__


_NOTES: ContextVar[list[Note] | None] = ContextVar("notes", default=None)


@contextmanager
def heard() -> Iterator[list[Note]]:
    """Collect what is noted of the columns of tables that stay where they are."""
    notes: list[Note] = []
    token = _NOTES.set(notes)
    try:
        yield notes
    finally:
        _NOTES.reset(token)


def refuse_here(engine: str, **given: object) -> None:
    """Refuse what needs the rows here."""
    for name, value in given.items():
        if value is not None:
            raise CapabilityError("engine_lacks_setting", engine=engine, setting=name)


def fit(
    data: Any,  # noqa: ANN401 - where the rows are
    asked: Asked,
    recipe: str | Recipe,
    *,
    table: str | None = None,
    **changes: Any,  # noqa: ANN401 - settings of the recipe, or of the engine
) -> TreeData:
    """Grow a tree from rows that stay where they are."""
    engine = asked.engine
    own = {name: changes.pop(name) for name in OWN.get(engine, ()) if name in changes}
    recipe = recipe_of(recipe, **changes)
    check(recipe, engine)
    wish = (asked.schema or {}).get(asked.target) if isinstance(asked.target, str) else None
    if wish == "numeric" or recipe.criterion == "variance":
        raise CapabilityError("engine_lacks_numeric_target", column=asked.target)
    if asked.target is not None and not isinstance(asked.target, str):
        raise CapabilityError("engine_lacks_setting", engine=engine, setting="target")
    if engine != "spark" and not isinstance(data, Table):
        if (table is None) == (asked.query is None):
            raise ChoiceError("table_or_query")
        own |= {"query": asked.query} if table is None else {"table": table}
    told = {"target": asked.target, "schema": asked.schema, **own}
    counting: Any = load("engine", engine)(data, recipe, **told)
    try:
        survey = counting.rows.survey
        if (notes := _NOTES.get()) is not None:
            notes += survey.notes
        recipe = recipe.fits(remote_counts.sketch_of(survey))
        for judged in survey.columns:
            if judged.n_missing and recipe.missing == "refuse":
                said = {"column": judged.column.name, "n": judged.n_missing}
                raise ChoiceError("missing_refused", recipe=recipe.name, **said)
            if judged.n_missing and recipe.missing not in POLICIES[engine]:
                said = {"column": judged.column.name, "missing": recipe.missing}
                raise CapabilityError("engine_lacks_missing", engine=engine, **said)
        return _described(_grown(counting, recipe, asked), counting, engine)
    finally:
        counting.close()


def _grown(engine: Any, recipe: Recipe, asked: Asked) -> TreeData:  # noqa: ANN401 - remote_counts.Engine
    """Return the tree: by the engine itself, or finished here, or by the readable loop."""
    if asked.is_traced:
        return grow(engine, recipe, None, Trace(), asked.progress)
    by_itself = engine.grow if isinstance(engine, Grower) else partial(grown, engine)
    tree: TreeData | None = by_itself(recipe, asked.progress)
    return grow(engine, recipe, None, None, asked.progress) if tree is None else tree


def check(recipe: Recipe, engine: str) -> None:
    """Refuse what cannot be decided from counts, before any row is looked at."""
    if engine == "spark" and recipe.rules not in {*RULES} - {"rpart"}:
        raise CapabilityError("spark_rules", engine=engine, recipe=recipe.name)
    if recipe.rules not in RULES:
        raise CapabilityError("engine_lacks_recipe", engine=engine, recipe=recipe.name)
    if getattr(recipe.options, "xval", 0):
        raise CapabilityError("engine_lacks_xval", engine=engine)


def _described(tree: TreeData, engine: remote_counts.Engine, name: str) -> TreeData:
    """Return the tree with what can only be said while its rows are at hand."""
    survey = engine.rows.survey
    # First of all: what was found on the way is forgotten when another tree is asked about.
    gap = _gaps(tree, engine) if tree.nodes.gap is None else tree.nodes.gap
    about = dict(tree.about) | {
        "n_rows": survey.n_rows,
        "source": {"name": survey.name, "n_rows": survey.n_rows},
        "left_out": [list(pair) for pair in survey.left_out],
        "engine": {"name": name},
    }
    asked = [survey.columns[c] for c in np.unique(tree.nodes.column).tolist() if c != LEAF]
    lacking = {judged.column.name: judged.n_missing for judged in asked if judged.n_missing}
    if lacking:
        about["missing"] = lacking
    about["training"] = {"correct": _right(tree, engine, lacking), "of": float(survey.n_rows)}
    return replace(tree, nodes=replace(tree.nodes, gap=gap), about=about)


def _right(tree: TreeData, engine: remote_counts.Engine, lacking: Mapping[str, int]) -> float:
    """Return how many training rows the tree gets right: those that stop at each node."""
    every = list(range(len(tree.nodes)))
    total = engine.totals(tree, every).cells if lacking else tree.nodes.total
    stays = total.copy()
    for node in every[1:]:
        stays[tree.parent_of(node)[0]] -= total[node]
    return float(stays[every, tree.values].sum())


def _gaps(tree: TreeData, engine: remote_counts.Engine) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the values on both sides of each cut, of the rows that reach the node."""
    if isinstance(engine.growth, TreeBuilder) and tree.recipe["rules"] == "textbook":
        return kept_gaps(tree, engine)
    found = np.full((len(tree.nodes), 2), np.nan)
    is_single = tree.recipe.get("precision") == "single"
    by_column: dict[int, list[int]] = {}
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        c = int(tree.nodes.column[node])
        if tree.schema[c].is_numeric:
            by_column.setdefault(c, []).append(node)
    compared_with = comparison_cuts(tree)
    for c, nodes in by_column.items():
        levels = engine.level_values(c)
        with np.errstate(over="ignore"):  # beyond what 32 bits hold: infinite there
            compared = levels.astype(np.float32).astype(np.float64) if is_single else levels
        for node, tally in zip(nodes, engine.tally(tree, nodes, [c]), strict=True):
            values = compared[tally.columns[c].codes]
            cut = float(compared_with[node])
            low, high = values[values <= cut].max(), values[values > cut].min()
            last = np.searchsorted(compared, low, side="right") - 1
            first = np.searchsorted(compared, high, side="left")
            # Values that 32 bits do not tell apart may lie on both sides of the cut itself.
            top = min(levels[last], tree.nodes.cut[node]) if is_single else levels[last]
            found[node] = top, levels[first]
    return found
