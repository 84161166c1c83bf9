"""From data to a finished tree: read, select the engine, grow, prune, describe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.encode.coded import Wants, coded
from penjing.data.folds import Fold, hold_out
from penjing.data.memory_limit import memory_bytes, native_engine_bytes
from penjing.data.read import read
from penjing.data.table import Table
from penjing.dialects.recipes import recipe_of
from penjing.dialects.rpart.options import RpartOptions
from penjing.engines.out_of_core.engine import (
    can_be_counted,
    decides_by_counts,
    has_many_levels,
    mapped_or_refused,
)
from penjing.errors import ChoiceError, DataError
from penjing.grow.dialect import Dialect
from penjing.grow.engine import Engine
from penjing.grow.loop import grow
from penjing.grow.recipe import Recipe
from penjing.grow.trace_record import AUTO, Trace, trace_is_cheap
from penjing.predict.flat import row_blocks, threshold_gaps
from penjing.predict.predict import classes_of
from penjing.progress import ProgressCallback
from penjing.prune.decisions import Ties, check_ties
from penjing.prune.pre_pruning import ValidationPrePruner
from penjing.registry import load
from penjing.training import pruning, remote
from penjing.training.cp_validation import cp_errors
from penjing.training.select_engine import in_memory, pick, refuse_before, whole_or_refused
from penjing.tree.counts import reader_of
from penjing.tree.nodes import LEAF
from penjing.tree.tree_data import TreeData

PREPRUNED = "prepruned"
"""The one way of pruning that works while the tree grows."""


def train(
    data: Any,  # noqa: ANN401 - whatever `read` can read
    target: Any = None,  # noqa: ANN401 - a name, or the classes themselves
    recipe: str | Recipe = "id3",
    *,
    validation: Any = None,  # noqa: ANN401 - a source, a share, or a Fold
    prune: str | None = None,
    ties: Ties = "cut",
    engine: str = "auto",
    memory_limit: float | str | None = None,
    work: str | None = None,
    query: str | None = None,
    threads: int | None = None,
    trace: bool | Literal["auto"] = False,
    schema: Mapping[str, Any] | None = None,
    weight: str | None = None,
    seed: int = 0,
    progress: ProgressCallback | None = None,
    **changes: Any,  # noqa: ANN401 - settings of the recipe, checked by it
) -> TreeData:
    """Grow a tree; parameters as in :func:`penjing.fit`.

    Examples
    --------
    >>> import penjing
    >>> train(penjing.example("watermelon2.0"), recipe="id3").n_leaves
    8
    """
    _check_call(
        engine=engine, prune=prune, query=query, weight=weight, work=work, ties=ties, trace=trace,
        threads=threads, seed=seed, progress=progress, schema=schema,
    )  # fmt: skip
    away = remote.engine_for(data, engine)
    if away is not None:
        remote.refuse_here(away, validation=validation, prune=prune, weight=weight)
        if remote.is_to_be_read(data, away, query, changes.get("table")):
            data = _taken(data, target, schema)
            _with_target(data, target if isinstance(target, str) else None)
            target = schema = None
        said = remote.Asked(away, target, schema, query, progress, is_traced=trace is True)
        if away == "spark" and memory_limit is not None:
            changes["memory_limit"] = memory_limit
        return remote.fit(data, said, recipe, **changes)
    if isinstance(data, Table):
        apart = None if target is None or isinstance(target, str) else target
        _check_unread(schema=schema, weight=weight, target=apart)
    chosen = recipe_of(recipe, **changes)
    picked = pick(data, engine, memory_limit, query)
    growing = _Growing(
        chosen, validation, prune, ties, picked.engine, memory_limit, threads, trace, seed, progress
    )
    how: dict[str, Any]
    if picked.is_coded and (target is None or isinstance(target, str)):
        refuse_before(chosen, picked, prune, validation, is_traced=trace is True)
        weightless = chosen.options.counts_weightless
        wants = Wants(target, schema, weight, weightless=weightless)
        how = {
            "query": query,
            "work": work,
            "threads": threads,
            "progress": progress,
        }
        table, space = coded(str(data), wants, **how)
        try:
            tree = growing.tree(in_memory(table) if picked.engine != "disk" else table, target)
        finally:
            space.close()
    elif target is None or isinstance(target, str):
        how = {"weight": weight, "memory_limit": memory_limit}
        table = data if isinstance(data, Table) else read(data, target, schema, **how)
        tree = growing.tree(table, target)
    else:
        how = {"weight": weight, "memory_limit": memory_limit}
        table = read(data, None, schema, labels=target, **how)
        if chosen.rules == "sklearn" and not schema:
            table = _with_classes_in_order(table)
        tree = growing.tree(table, None)
    return (
        tree if picked.told is None else replace(tree, about={**tree.about, "engine": picked.told})
    )


def _check_call(**given: Any) -> None:  # noqa: ANN401 - that is to be found out
    """Refuse what no fit can use, before any row is looked at; what is left out costs nothing."""
    arguments.text("engine", given["engine"])
    check_ties(given["ties"])
    for name in ("prune", "query", "weight"):
        arguments.optional_text(name, given[name])
    if given["work"] is not None:
        arguments.path("work", given["work"])
    if not (isinstance(given["trace"], str) and given["trace"] == "auto"):
        arguments.boolean("trace", given["trace"])
    arguments.optional_whole_number("threads", given["threads"], 1, arguments.MAX_WHOLE_NUMBER)
    arguments.whole_number("seed", given["seed"], 0)
    arguments.check_function("progress", given["progress"])
    if given["schema"] is not None:
        arguments.check_instance("schema", given["schema"], Mapping, "schema_shape")


@dataclass(frozen=True, slots=True)
class _Growing:
    """What `fit` was asked for, before there is a table."""

    recipe: Recipe
    validation: Any
    prune: str | None
    ties: Ties
    engine: str
    memory_limit: float | str | None
    threads: int | None
    trace: bool | Literal["auto"]
    seed: int
    progress: ProgressCallback | None

    def _stored(self, table: Table) -> tuple[Table, str]:
        """Return a table as the disk engine wants it: mapped, where counts do not decide."""
        recipe = self.recipe
        is_watched = self.trace is True or self.validation is not None
        if recipe.rules == "sklearn":  # numbers are rounded first: another table
            return whole_or_refused(table, recipe, self.memory_limit), "native"
        if decides_by_counts(recipe) and can_be_counted(table) and not is_watched:
            return table, "disk"
        limit = memory_bytes(self.memory_limit)
        if (
            has_many_levels(table) and native_engine_bytes(table) <= limit
        ):  # quicker, where it can be had
            return in_memory(table), "native"
        return mapped_or_refused(table, recipe, limit, self.progress), "disk"

    def _traced(self, table: Table, engine: str) -> bool | Literal["auto"]:
        """Return whether a trace is kept; ``auto`` where the grown tree has to tell."""
        by_cases = self.recipe.rules == "quinlan" and self.recipe.settings().get("sums") == "cases"
        if self.trace != AUTO or (
            engine != "disk" and not by_cases and trace_is_cheap(None, table)
        ):
            return self.trace
        return False

    def tree(self, table: Table, target: str | None) -> TreeData:
        """Return the tree of a table."""
        table = _with_target(table, target)
        name = self.engine
        if name == "disk":
            table, name = self._stored(table)
        table = self.recipe.prepared(table)
        if not table.n_rows:
            raise DataError("no_known_rows", source=table.source.get("name", "the table"))
        chosen = self.recipe.fits(table)
        table, held_out = _validation(table, self.validation, self.seed)
        prune = self.prune
        if prune is None and getattr(chosen.options, "pruning", None) == "reduced-error":
            prune = "reduced-error"  # J48 -R
        if prune is None and held_out is not None:
            prune = PREPRUNED
        if prune == PREPRUNED and held_out is None:
            raise ChoiceError("needs_validation", method=PREPRUNED)
        options: dict[str, Any] = {"threads": self.threads}
        if name == "disk":
            options["memory_limit"] = self.memory_limit
        counting = _engine(name, table, chosen, **options)
        traced = self._traced(table, name)
        if prune == PREPRUNED and held_out is not None:
            chosen.refuse_missing(table.columns)
            judge = _engine("memory", held_out, chosen, shares_of="tree")
            gate = ValidationPrePruner(judge, self.ties, pruning.source_of(held_out))
            trace = Trace() if traced else None
            tree = grow(counting, chosen, gate, trace, self.progress)
            return _described(tree, table, gate)
        tree = _grown(counting, table, chosen, self.progress, traced=traced)
        if isinstance(chosen.options, RpartOptions) and chosen.options.xval:
            told = {"cp_table": cp_errors(tree, table, chosen)}
            tree = replace(tree, about=dict(tree.about) | told)
        tree = _described(tree, table)
        if prune is None:
            return tree
        how: dict[str, Any] = (
            {} if held_out is None else {"validation": held_out, "ties": self.ties}
        )
        return pruning.prune(tree, prune, **how)


def _taken(data: Any, target: Any, schema: Mapping[str, Any] | None) -> Table:  # noqa: ANN401
    """Return data as a table in memory, whatever they are."""
    if isinstance(data, Table):
        _check_unread(schema=schema)
        return data
    if target is not None and not isinstance(target, str):
        return read(data, None, schema, labels=target)
    if not pick(data, "native").is_coded:
        return read(data, target, schema)
    table, space = coded(str(data), Wants(target, schema))
    try:
        return in_memory(table)
    finally:
        space.close()


def _grown(
    engine: Engine,
    table: Table,
    recipe: Recipe,
    progress: ProgressCallback | None,
    *,
    traced: bool | Literal["auto"],
) -> TreeData:
    """Return the tree, grown by the engine itself where it can and nothing has to be watched."""
    grower = getattr(engine, "grow", None)  # an engine that is a Grower
    if grower is not None and traced is not True:
        tree: TreeData | None = grower(recipe, progress)
        if tree is not None and not (traced == AUTO and trace_is_cheap(tree, table)):
            rules: Dialect = load("dialect", recipe.rules)
            return rules.finish(tree, engine, recipe)
    recipe.refuse_missing(table.columns)
    return grow(engine, recipe, None, Trace() if traced else None, progress)


def _engine(name: str, table: Table, recipe: Recipe, **options: Any) -> Engine:  # noqa: ANN401
    costs, centred = recipe.options.costs(table), recipe.options.centred
    if costs is not None or not centred:
        options["reader"] = reader_of(table, costs, centred=centred)
    engine: Engine = load("engine", name)(table, missing=recipe.missing, **options)
    return engine


def _check_unread(**given: object) -> None:
    """Refuse what can only be said of data that are not a table yet."""
    for name, value in given.items():
        if value is not None:
            raise ChoiceError("table_is_read", name=name)


def _with_target(table: Table, target: str | None) -> Table:
    if table.target is None:
        raise DataError("no_target_in_table")
    if target is not None and target != table.target.name:
        raise ChoiceError("other_target", target=target, found=table.target.name)
    if not table.n_rows:
        raise DataError("no_rows", source=table.source.get("name", "the table"))
    return table


def _with_classes_in_order(table: Table) -> Table:
    """Return a table whose classes are sorted: scikit-learn sorts them, and the first wins ties."""
    target = table.target
    if target is None or target.is_numeric:
        return table
    try:
        levels = sorted(target.levels)
    except TypeError:  # texts and numbers, say
        return table
    place = {level: code for code, level in enumerate(levels)}
    codes = np.array([place[level] for level in target.levels], np.int32)[target.codes]
    return replace(table, target=replace(target, levels=tuple(levels), codes=codes))


def _validation(table: Table, validation: Any, seed: int) -> tuple[Table, Table | None]:  # noqa: ANN401
    """Return the training and the validation rows."""
    if validation is None:
        return table, None
    if isinstance(validation, Fold):
        return validation.of(table)
    if isinstance(validation, float):
        return hold_out(table, validation, seed)
    return table, pruning.judging(table, validation)


def _described(tree: TreeData, table: Table, gate: ValidationPrePruner | None = None) -> TreeData:
    """Return the tree with what can only be said while its rows are at hand."""
    about = dict(tree.about) | {
        "n_rows": table.n_rows,
        "source": pruning.source_of(table),
        "left_out": [list(pair) for pair in table.left_out],
    }
    # Not np.unique: that loads numpy.ma, 2 MB and 7 ms of the first fit.
    c_asked = tree.nodes.column[tree.nodes.column != LEAF]
    asked = [table.columns[c] for c in np.flatnonzero(np.bincount(c_asked)).tolist()]
    lacking = {column.name: column.n_missing for column in asked if column.has_missing}
    if lacking:
        about["missing"] = lacking
    if gate is not None:
        about["pruning"] = gate.pruning_records()
    if not tree.is_regression:
        about["training"] = {
            "correct": _training(tree, table, is_whole=not lacking),
            "of": table.total_weight,
        }
    nodes = tree.nodes
    if nodes.gap is None:
        nodes = replace(nodes, gap=threshold_gaps(tree, table))
    return replace(tree, nodes=nodes, about=about, reading=table.source.get("reading"))


def _training(tree: TreeData, table: Table, *, is_whole: bool) -> float:
    """Return the weight of the training rows that the tree gets right."""
    if is_whole:
        leaves = np.flatnonzero(tree.is_leaf)
        return float(tree.nodes.total[leaves, tree.values[leaves]].sum())
    assert table.target is not None
    right = np.concatenate([_is_right(tree, part) for part in row_blocks(table)])
    return float(table.weights[right].sum())


def _is_right(tree: TreeData, table: Table) -> npt.NDArray[np.bool_]:
    assert table.target is not None
    return np.asarray(classes_of(tree, table) == table.target.codes)
