"""Trains a tree: reads the data, selects the engine, grows, prunes, adds a description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.encode.coded import Wants, coded
from penjing.data.folds import Fold, hold_out
from penjing.data.masked import masked
from penjing.data.memory_limit import memory_bytes, native_engine_bytes
from penjing.data.notes import record_notes
from penjing.data.read import read
from penjing.data.read.given_weights import are_values, weight_values
from penjing.data.source import Weights
from penjing.data.table import Column, Table
from penjing.dialects.recipes import AUTO, recipe_of
from penjing.engines.out_of_core.engine import (
    can_be_counted,
    decides_by_counts,
    has_many_levels,
    map_columns,
)
from penjing.errors import CapabilityError, ChoiceError, DataError
from penjing.grow.engine import PREPARED_ROWS, Engine
from penjing.grow.engine_of_table import engine_of_table
from penjing.grow.loop import PrePruner, grow_unpruned
from penjing.grow.pre_pruned import can_pre_prune, pre_pruned
from penjing.grow.recipe import Recipe
from penjing.grow.steering import NO_STEERING, Steering, parse_steering
from penjing.predict.flat import row_blocks, threshold_gaps
from penjing.predict.inputs import used_columns
from penjing.predict.predict import classes_of
from penjing.progress import ProgressCallback
from penjing.prune.decisions import Ties, check_ties
from penjing.prune.pre_pruning import ValidationPrePruner
from penjing.training import pruning, remote
from penjing.training.auto_recipe import RecipeChoice, choose_recipe, is_auto
from penjing.training.kept_trace import TraceMode, finish_with_trace
from penjing.training.select_engine import (
    EngineSelection,
    in_memory,
    load_in_memory,
    refuse_too_large,
    select_engine,
)
from penjing.training.sketches import column_distributions, sketches
from penjing.training.training_rows import TrainingRows
from penjing.tree.counts import check_range
from penjing.tree.forced import acts_of, with_record
from penjing.tree.tree_data import TreeData

PREPRUNED = "prepruned"
"""The pruning method that works while the tree grows."""


def train(
    data: Any,  # noqa: ANN401 - anything that `read` accepts
    target: Any = None,  # noqa: ANN401 - a column name, or the values themselves
    recipe: str | Recipe = AUTO,
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
    sketch: bool = False,
    schema: Mapping[str, Any] | None = None,
    weight: Weights | None = None,
    seed: int = 0,
    progress: ProgressCallback | None = None,
    force_splits: Any = None,  # noqa: ANN401 - checked by `parse_steering`
    forbid: Any = None,  # noqa: ANN401 - the same
    is_strict: bool = True,
    origin: TrainingRows | None = None,
    **changes: Any,  # noqa: ANN401 - settings of the recipe, checked by it
) -> TreeData:
    """Grow a tree; parameters as in :func:`penjing.fit`, and two more.

    ``origin`` records the rows. Unless ``is_strict``, forced splits that cannot be made in these
    rows are left to the recipe.

    Examples
    --------
    >>> import penjing
    >>> train(penjing.example("watermelon2.0"), recipe="id3").n_leaves
    8
    """
    _check_arguments(
        engine=engine, prune=prune, query=query, weight=weight, work=work, ties=ties, trace=trace,
        sketch=sketch,
        threads=threads, seed=seed, progress=progress, schema=schema,
    )  # fmt: skip
    remote_engine = remote.engine_for(data, engine)
    if remote_engine is not None:
        remote.refuse_local_settings(
            remote_engine, validation=validation, prune=prune, weight=weight
        )
        _refuse_steering(remote_engine, force_splits, forbid)
        if memory_limit is not None:
            changes["memory_limit"] = memory_limit
        remote_request = remote.RemoteRequest(
            remote_engine, target, schema, query, progress, is_traced=trace is True
        )
        return _train_remote(data, remote_request, recipe, changes)
    if isinstance(data, Table):
        labels = None if target is None or isinstance(target, str) else target
        column = weight if isinstance(weight, str) else None
        _check_unread(schema=schema, weight=column, target=labels)
        data, weight = _with_weights(data, weight), None
    is_chosen_later = is_auto(recipe)
    request = _FitRequest(
        recipe if is_chosen_later else recipe_of(recipe, **changes),
        changes if is_chosen_later else {},
        validation, prune, ties, select_engine(data, engine, memory_limit, query), memory_limit,
        threads, trace, sketch, seed, progress, (force_splits, forbid), is_strict,
    )  # fmt: skip
    _refuse_steering(request.selection.engine, force_splits, forbid)
    reading: dict[str, Any] = {"weight": weight, "memory_limit": memory_limit}
    if target is not None and not isinstance(target, str):
        table = _read(data, target, schema, **reading)
        return request.fit_rows(table, None, origin, sorts_classes=not schema)
    if not request.selection.is_coded or are_values(weight):
        table = data if isinstance(data, Table) else _read(data, target, schema, **reading)
        return request.fit_rows(table, target, origin)
    assert weight is None or isinstance(weight, str)
    wants = Wants(target, schema, weight, weightless=request.counts_weightless())
    table, space = coded(
        str(data), wants, query=query, work=work, threads=threads, progress=progress
    )
    record_notes(table.notes)
    try:
        is_on_disk = request.selection.engine == "disk"
        return request.fit_rows(table if is_on_disk else in_memory(table), target, None)
    finally:
        space.close()


def _train_remote(
    data: Any,  # noqa: ANN401 - where the rows are, or what is copied to a database
    request: remote.RemoteRequest,
    recipe: str | Recipe,
    changes: dict[str, Any],
) -> TreeData:
    """Return the tree of rows in a database or a cluster."""
    engine, target = request.engine, request.target
    if remote.needs_reading(data, engine, request.query, changes.get("table")):
        data = _read_into_memory(data, target, request.schema)
        _with_target(data, target if isinstance(target, str) else None)
        remote.refuse_local_settings(engine, weight=data.weight)
        request = replace(request, target=None, schema=None)
    if "memory_limit" not in remote.capabilities_of(engine).settings:
        changes.pop("memory_limit", None)
    return remote.fit(data, request, recipe, **changes)


def _read(data: Any, target: Any, schema: Any, **reading: Any) -> Table:  # noqa: ANN401 - see `read`
    """Return the table of some data, whose target may be given as values; record its notes."""
    if target is None or isinstance(target, str):
        table = read(data, target, schema, **reading)
    else:
        table = read(data, None, schema, labels=target, **reading)
    record_notes(table.notes)
    return table


def _with_weights(table: Table, weight: Weights | None) -> Table:
    """Return a table with weights that were given beside it."""
    if not are_values(weight):
        return table
    name = str(table.source.get("name", "table"))
    return replace(table, weight=weight_values(weight, table.n_rows, name))


def _check_arguments(**given: Any) -> None:  # noqa: ANN401 - checked here
    """Raise an error for an invalid argument, before any row is read."""
    arguments.text("engine", given["engine"])
    check_ties(given["ties"])
    for name in ("prune", "query"):
        arguments.optional_text(name, given[name])
    if given["work"] is not None:
        arguments.path("work", given["work"])
    if not (isinstance(given["trace"], str) and given["trace"] == "auto"):
        arguments.boolean("trace", given["trace"])
    arguments.boolean("sketch", given["sketch"])
    arguments.optional_whole_number("threads", given["threads"], 1, arguments.MAX_WHOLE_NUMBER)
    arguments.whole_number("seed", given["seed"], 0)
    arguments.check_function("progress", given["progress"])
    if given["schema"] is not None:
        arguments.check_instance("schema", given["schema"], Mapping, "schema_shape")


@dataclass(frozen=True, slots=True)
class _FitRequest:
    """The arguments of `train`, apart from the data."""

    recipe: str | Recipe
    """The recipe with its settings, or ``auto``."""
    changes: Mapping[str, Any]
    """The settings for the recipe that is chosen automatically."""
    validation: Any
    prune: str | None
    ties: Ties
    selection: EngineSelection
    memory_limit: float | str | None
    threads: int | None
    trace: TraceMode
    sketch: bool
    seed: int
    progress: ProgressCallback | None
    steering: tuple[Any, Any]
    """The arguments ``force_splits`` and ``forbid``."""
    is_strict: bool

    def counts_weightless(self) -> bool:
        """Return whether rows of weight 0 are coded, too; refuse a recipe that needs too much."""
        if isinstance(self.recipe, str):
            return False
        self._refuse_too_large(self.recipe)
        return self.recipe.options.counts_weightless

    def _refuse_too_large(self, recipe: Recipe) -> None:
        if self.selection.is_coded:
            is_traced = self.trace is True
            refuse_too_large(
                recipe, self.selection, self.prune, self.validation, is_traced=is_traced
            )

    def fit_rows(
        self,
        table: Table,
        target: str | None,
        origin: TrainingRows | None,
        *,
        sorts_classes: bool = False,
    ) -> TreeData:
        """Return the tree of a table, with records of what was chosen automatically."""
        table = _with_target(table, target)
        choice = choose_recipe(
            self.recipe, table, self.changes, self.prune, self._refuse_too_large,
            is_validated=self.validation is not None,
        )  # fmt: skip
        if origin is not None:
            origin.record(table, choice.recipe)
        if sorts_classes and choice.recipe.dialect.sorts_classes:
            table = _with_sorted_classes(table)
        tree = choice.record_in(self._fit_table(table, choice))
        reason = self.selection.reason
        return tree if reason is None else replace(tree, about={**tree.about, "engine": reason})

    def _prepare_stored(self, table: Table, recipe: Recipe) -> tuple[Table, str]:
        """Return a table for the disk engine, and the engine; mapped if counts do not suffice."""
        needs_loop = self.trace is True or self.validation is not None
        if PREPARED_ROWS in recipe.dialect.needs:
            return load_in_memory(table, recipe, self.memory_limit), "native"
        if decides_by_counts(recipe) and can_be_counted(table) and not needs_loop:
            return table, "disk"
        limit = memory_bytes(self.memory_limit)
        if has_many_levels(table) and native_engine_bytes(table) <= limit:  # faster, if it fits
            return in_memory(table), "native"
        return map_columns(table, recipe, limit, self.progress), "disk"

    def _parse_steering(self, table: Table) -> Steering:
        forced, forbidden = self.steering
        if forced is None and forbidden is None:
            return NO_STEERING
        return replace(parse_steering(*self.steering, table.schema), is_strict=self.is_strict)

    def _fit_table(self, table: Table, choice: RecipeChoice) -> TreeData:
        """Return the tree of a table by a recipe and a pruning method."""
        name, recipe, dialect = self.selection.engine, choice.recipe, choice.recipe.dialect
        if name == "disk":
            table, name = self._prepare_stored(table, recipe)
        table = _prepared(table, recipe)
        check_range(table, small_target=dialect.stops_at_small_impurity)
        steering = self._parse_steering(table)
        chosen = recipe.fits(masked(table, steering.forbidden))
        table, held_out = _split_validation(table, self.validation, self.seed)
        columns = masked(table, steering.forbidden)
        prune = _pruning_method(chosen, choice.prune, held_out)
        options: dict[str, Any] = {"threads": self.threads}
        if name == "disk":
            options["memory_limit"] = self.memory_limit
        counter = engine_of_table(name, columns, chosen, **options)
        gate = None
        if prune == PREPRUNED and held_out is not None:
            chosen.refuse_missing(columns.columns)
            judge = engine_of_table("native", held_out, chosen, shares_of="tree")
            gate = ValidationPrePruner(judge, self.ties, pruning.source_of(held_out))
        tree = _grow(counter, columns, chosen, self.progress, gate, steering)
        is_kept = False if self.trace == "auto" and name == "disk" else self.trace
        tree = finish_with_trace(tree, counter, columns, chosen, is_kept)
        if steering is not NO_STEERING:
            tree = replace(tree, about=with_record(tree.about, acts_of(tree), steering.forbidden))
        if name == "disk" and tree.kept_trace is not None:
            tree.kept_trace["steps"].as_list()  # before the folder of the rows is removed
        if self.sketch:
            tree = replace(tree, sketch=sketches(tree, counter, chosen))
            tree = _with_distributions(tree, table, is_stored=name == "disk")
        if gate is not None:
            return describe(tree, table, gate)
        if dialect.complexity_errors is not None and dialect.cross_validates(chosen):
            errors = dialect.complexity_errors(tree, table, chosen, self.threads)
            about = dict(tree.about) | {"cp_table": errors}
            tree = replace(tree, about=about)
        tree = describe(tree, table)
        if prune is None:
            return tree
        validated = {} if held_out is None else {"validation": held_out, "ties": self.ties}
        raised = {} if name == "disk" else {"training": table}  # for subtree raising
        pruning_options: dict[str, Any] = {**choice.pruning_options, **validated, **raised}
        return pruning.prune(tree, prune, **pruning_options)


def _with_distributions(tree: TreeData, table: Table, *, is_stored: bool) -> TreeData:
    """Return the tree with the distributions of its columns, if these fit in memory."""
    if is_stored:
        return tree
    return replace(tree, about=dict(tree.about) | {"columns": column_distributions(tree, table)})


def _prepared(table: Table, recipe: Recipe) -> Table:
    """Return the table as the recipe sees it; directions are those of the second class, sorted."""
    if recipe.monotonic_cst is not None:
        table = _with_sorted_classes(table)
    table = recipe.prepared(table)
    if not table.n_rows:
        raise DataError("no_known_rows", source=table.source.get("name", "the table"))
    return table


def _pruning_method(recipe: Recipe, method: str | None, held_out: Table | None) -> str | None:
    """Return how the tree is pruned, None if only its recipe decides."""
    method = recipe.options.pruning_method if method is None else method
    if method is None and held_out is not None:
        return PREPRUNED
    if method == PREPRUNED and held_out is None:
        raise ChoiceError("needs_validation", method=PREPRUNED)
    return method


def _read_into_memory(data: Any, target: Any, schema: Mapping[str, Any] | None) -> Table:  # noqa: ANN401
    """Return any data as a table in memory."""
    if isinstance(data, Table):
        _check_unread(schema=schema)
        return data
    has_values = target is not None and not isinstance(target, str)
    if has_values or not select_engine(data, "native").is_coded:
        return _read(data, target, schema)
    table, space = coded(str(data), Wants(target, schema))
    try:
        return in_memory(table)
    finally:
        space.close()


def _grow(  # noqa: PLR0917 - what a tree is grown by
    engine: Engine,
    table: Table,
    recipe: Recipe,
    progress: ProgressCallback | None,
    gate: PrePruner | None,
    steering: Steering,
) -> TreeData:
    """Return the tree before its program's last steps: grown by the engine, or by the loop."""
    if gate is None or can_pre_prune(recipe):
        if steering.forced:
            tree = engine.grow_steered(recipe, steering, progress)
        else:
            tree = engine.grow(recipe, progress)
        if tree is not None and gate is not None:
            tree = pre_pruned(tree, gate, engine.reader)
        if tree is not None:
            return tree
    recipe.refuse_missing(table.columns)
    return grow_unpruned(engine, recipe, gate, progress, steering)


def _refuse_steering(engine: str, force_splits: object, forbid: object) -> None:
    """Raise an error if splits are forced or forbidden, and the engine cannot do that."""
    # an array has no truth value
    is_given = any(
        v is not None and (bool(v) if isinstance(v, Mapping | Sequence) else True)
        for v in (force_splits, forbid)
    )
    if is_given and not remote.capabilities_of(engine).steers:
        raise CapabilityError("engine_cannot_steer", engine=engine)


def _check_unread(**reading: object) -> None:
    """Raise an error for reading options: the data are a table already."""
    for name, value in reading.items():
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


def _with_sorted_classes(table: Table) -> Table:
    """Return a table whose classes are sorted: scikit-learn sorts them, and the first wins ties."""
    target = table.target
    if target is None or target.is_numeric:
        return table
    try:
        levels = sorted(target.levels)
    except TypeError:  # such as texts and numbers
        return table
    code_of = {level: code for code, level in enumerate(levels)}
    codes = np.array([code_of[level] for level in target.levels], np.int32)[target.codes]
    return replace(table, target=Column(target.name, target.kind, tuple(levels), codes))


def _split_validation(table: Table, validation: Any, seed: int) -> tuple[Table, Table | None]:  # noqa: ANN401
    """Return the training rows and the validation set, if there is one."""
    if validation is None:
        return table, None
    if isinstance(validation, Fold):
        return validation.of(table)
    if isinstance(validation, float):
        return hold_out(table, validation, seed)
    return table, pruning.validation_set(table, validation)


def training_part(
    table: Table | None,
    recipe: Recipe | None,
    validation: Any,  # noqa: ANN401 - a source, a share, or a Fold
    seed: int,
) -> Table | None:
    """Return the rows that a tree was grown from; all of them unless some are its validation set.

    Parameters
    ----------
    table : Table or None
        All rows.
    recipe : Recipe or None
        The recipe, which may use fewer rows.
    validation : source, float, Fold or None
        The validation set, as in :func:`penjing.fit`.
    seed : int
        The seed that decides which rows a share takes.

    Examples
    --------
    >>> import penjing
    >>> training_part(penjing.example("watermelon2.0"), None, 0.3, 0).n_rows
    12
    """
    if table is None or not isinstance(validation, float | Fold):
        return table
    used = table if recipe is None else _prepared(table, recipe)
    return _split_validation(used, validation, seed)[0]


def describe(tree: TreeData, table: Table, gate: ValidationPrePruner | None = None) -> TreeData:
    """Return the tree with a description of its training rows.

    Parameters
    ----------
    tree : TreeData
        The tree.
    table : Table
        Its training rows.
    gate : ValidationPrePruner, optional
        What decided the pre-pruning.
    """
    about = dict(tree.about) | {
        "n_rows": table.n_rows,
        "source": pruning.source_of(table),
        "left_out": [list(pair) for pair in table.left_out],
    }
    missing = _missing_values(tree, table)
    if missing:
        about["missing"] = missing
    if gate is not None:
        about["pruning"] = gate.pruning_records()
    if not tree.is_regression:
        about["training"] = {
            "correct": _correct_weight(tree, table, is_complete=not missing),
            "of": table.total_weight,
        }
    nodes = tree.nodes
    if nodes.gap is None:
        nodes = replace(nodes, gap=threshold_gaps(tree, table))
    return replace(tree, nodes=nodes, about=about, reading=table.source.get("reading"))


def _missing_values(tree: TreeData, table: Table) -> dict[str, int]:
    """Return the numbers of missing values in the columns of splits, if they have any."""
    if not any(column.has_missing for column in table.columns):
        return {}
    split_columns = [table.columns[c] for c in used_columns(tree, with_surrogates=False)]
    return {column.name: column.n_missing for column in split_columns if column.has_missing}


def _correct_weight(tree: TreeData, table: Table, *, is_complete: bool) -> float:
    """Return the weight of the training rows that the tree predicts correctly."""
    if is_complete:
        counts = tree.nodes.total[tree.is_leaf]
        if not tree.nodes.answers and "costs" not in tree.about:  # every leaf predicts its majority
            # One class after another: NumPy is slow at many maxima of few numbers.
            return float(counts.T.copy().max(axis=0).sum())
        return float(counts[np.arange(len(counts)), tree.values[tree.is_leaf]].sum())
    assert table.target is not None
    is_correct = np.concatenate([_is_correct(tree, part) for part in row_blocks(table)])
    return float(table.weights[is_correct].sum())


def _is_correct(tree: TreeData, table: Table) -> npt.NDArray[np.bool_]:
    assert table.target is not None
    return np.asarray(classes_of(tree, table) == table.target.codes)
