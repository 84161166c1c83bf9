"""Pruning of a finished tree, with the validation or training rows that a method needs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from penjing import arguments
from penjing.data.checksum import part_digest
from penjing.data.folds import Fold
from penjing.data.notes import Note, record_notes
from penjing.data.read.dispatch import check_source_type
from penjing.data.read.level_index import text_of
from penjing.data.table import Table
from penjing.errors import ChoiceError, DataError
from penjing.i18n import Names
from penjing.predict.inputs import align, align_to, hide_unordered_levels, labelled_rows, reading_of
from penjing.prune.decisions import OWN_MEASURES, measure_of
from penjing.prune.renumber import NodeMapping, carry_trace, map_nodes, renumber_decisions
from penjing.registry import load
from penjing.training.cp_validation import cross_validated
from penjing.tree.skeleton import skeleton_of
from penjing.tree.tree_data import TreeData, renumber_stops


def prune(
    tree: TreeData,
    method: str,
    *,
    validation: Any = None,  # noqa: ANN401 - whatever `align` takes
    training: Any = None,  # noqa: ANN401 - the same
    folds: int | None = None,
    **options: Any,  # noqa: ANN401 - checked against the method's own
) -> TreeData:
    """Return a smaller tree; the given tree is not changed.

    ``about["pruning"]`` of the new tree holds the decision for every split.

    Parameters
    ----------
    tree : TreeData
        The tree to prune.
    method : str
        ``reduced-error`` (needs a validation set), ``error-based`` (needs the training rows for
        subtree raising), or one that needs no rows: ``pessimistic``, ``cost-complexity``,
        ``minimum-error``, ``mdl``, ``collapse``, ``simplify``.
    validation : Table or source
        The validation set; neither the training rows nor the test set.
    training : Table or source
        The training rows of the tree, for subtree raising or for ``folds``.
    folds : int
        Cross-validate the complexities of the tree first, with this many folds of the training
        rows; then ``cost-complexity`` needs neither ``cp`` nor ``alpha``.
    **options
        Options of the method: ``ties`` of reduced-error; ``confidence`` of pessimistic and
        error-based, ``raise_branches`` of the latter; ``alpha``, ``cp``, ``by``, ``one_se`` of
        cost-complexity; ``m`` of minimum-error; ``slack`` of collapse.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}, target="ripe")
    >>> texture = nominal("texture", ["clear", "faint"])
    >>> table = Table((texture,), nominal("ripe", ["yes", "yes"]), 2)
    >>> prune(tree, "reduced-error", validation=table).n_leaves
    1
    """
    pruner = load("pruner", method)
    parameters = inspect.signature(pruner).parameters
    known = {k: p.default for k, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
    _check_options(method, options, pruner)
    if training is not None:  # checked even if the method does not need it
        check_source_type(training)
    if folds is not None:
        tree = _cross_validated(tree, method, training, folds)
    measure = OWN_MEASURES.get(method, "errors")
    record: dict[str, Any] = {"method": method, "options": known | options, "measure": measure}
    if "counter" in parameters and training is not None:
        options = options | {"counter": _counter(tree, training)}
    if "judge" in parameters:
        if validation is None:
            raise ChoiceError("needs_validation", method=method)
        if isinstance(validation, int | float | Fold):
            raise ChoiceError("share_needs_rows", value=validation)
        table = validation_set(tree, validation)
        missing = "fraction" if tree.recipe.get("missing") == "fraction" else "refuse"
        judge = load("engine", "native")(table, missing=missing, shares_of="tree")
        record |= {"measure": measure_of(judge.reader), "validation": source_of(table)}
        smaller, decisions = _checked(pruner(tree, judge, **options), method)
    elif validation is not None:
        raise ChoiceError("validation_not_used", method=method)
    else:
        smaller, decisions = _checked(pruner(tree, **options), method)
    new_ids = map_nodes(tree, smaller)
    record["decisions"] = renumber_decisions(
        [decision.to_json() for decision in decisions], new_ids
    )
    earlier = [_renumber_record(previous, new_ids) for previous in tree.about.get("pruning", ())]
    about = dict(smaller.about) | {"pruning": [*earlier, record]}
    about |= {"stops": renumber_stops(tree.about, new_ids.now).get("stops")}
    if "training" in about:
        about["training"] = _training_summary(tree, smaller)
    about = {key: value for key, value in about.items() if value is not None}
    pruned: TreeData = replace(
        smaller,
        about=about,
        kept_trace=carry_trace(tree, smaller, new_ids),
        reading=tree.reading,
        sketch=_renumber_sketches(tree.sketch, smaller, new_ids),
        skeleton=_skeleton(tree, smaller),
    )
    return pruned


def _checked(result: Any, method: str) -> tuple[TreeData, Iterable[Any]]:  # noqa: ANN401 - of a plug-in
    """Return the tree and the decisions that a pruner returned; refuse anything else."""
    is_pair = isinstance(result, tuple) and len(result) == 2
    if is_pair and isinstance(result[0], TreeData) and isinstance(result[1], Iterable):
        return result[0], result[1]
    raise ChoiceError("pruner_returned", name=method, value=result)


def _skeleton(tree: TreeData, pruned: TreeData) -> Mapping[str, Any] | None:
    """Return the skeleton from before the first pruning."""
    if tree.skeleton is not None or pruned.n_nodes == tree.n_nodes:
        return tree.skeleton
    return skeleton_of(tree, pruned)


def _renumber_sketches(
    sketches: Sequence[Mapping[str, Any]] | None, pruned: TreeData, new_ids: NodeMapping
) -> list[Mapping[str, Any]] | None:
    """Return the sketches of the nodes that still have their split, by their new numbers."""
    if sketches is None:
        return None
    kept = [
        dict(sketch) | {"node": new_ids.now[sketch["node"]]}
        for sketch in sketches
        if sketch["node"] in new_ids.now
    ]
    return [
        sketch
        for sketch in kept
        if not pruned.is_leaf[sketch["node"]] and sketch["node"] not in new_ids.other
    ]


def _renumber_record(record: Mapping[str, Any], new_ids: NodeMapping) -> Mapping[str, Any]:
    """Return the record of an earlier pruning with the current node ids."""
    decisions = record.get("decisions", ())
    if not all("now" in decision for decision in decisions):
        return record  # written by a version that did not store current node ids
    return dict(record) | {"decisions": renumber_decisions(decisions, new_ids)}


def _check_options(method: str, options: Mapping[str, Any], pruner: Callable[..., Any]) -> None:
    if options and not arguments.known_options(pruner):
        raise ChoiceError("no_options", word=next(iter(options)), method=method)
    arguments.check_options(pruner, options, "unknown_option", method=method)


def _counter(tree: TreeData, training: Any) -> Any:  # noqa: ANN401 - an engine
    """Return an engine that holds the training rows of a tree."""
    missing = "fraction" if tree.recipe.get("missing") == "fraction" else "refuse"
    return load("engine", "native")(validation_rows(tree, training), missing=missing)


def _cross_validated(tree: TreeData, method: str, training: Any, folds: int) -> TreeData:  # noqa: ANN401
    if method != "cost-complexity":
        raise ChoiceError("folds_not_used", method=method)
    if training is None:
        raise ChoiceError("folds_need_rows", folds=folds)
    return cross_validated(
        tree, training, arguments.whole_number("folds", folds, 2, arguments.MAX_WHOLE_NUMBER)
    )


def validation_rows(
    like: TreeData | Table,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *others: TreeData,
) -> Table:
    """Return rows coded like those of a tree, or like a training table, for other trees, too.

    Rows without a target are left out. Categories that an ordinal column does not have become
    missing.
    """
    if isinstance(like, TreeData):
        table, _ = labelled_rows(align(like, source, *others), like.target.name)
    else:
        assert like.target is not None
        reading = reading_of(like)
        aligned = align_to(like.schema, like.target.field, source, reading=reading)
        table, _ = labelled_rows(aligned, like.target.name)
    return hide_unordered_levels(table, like.schema)


MOST_CLASSES_NAMED = 5


def validation_set(like: TreeData | Table, source: Any) -> Table:  # noqa: ANN401 - whatever `align` takes
    """Return the rows to validate with, as `validation_rows` does, and note unknown classes.

    Raise an error if no row has a class of the training rows: every split would be removed.
    """
    table = validation_rows(like, source)
    assert like.target is not None
    if not like.target.is_numeric:
        record_notes(unknown_class_notes(tuple(like.target.levels), table, required=True))
    return table


def unknown_class_notes(
    classes: Sequence[Any], table: Table, *, required: bool = False
) -> list[Note]:
    """Return the note about validation rows whose class is not one of the training rows.

    Parameters
    ----------
    classes : sequence
        The classes of the training rows.
    table : Table
        The validation rows.
    required : bool
        Raise an error if no row has one of these classes.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> table = Table((), nominal("ripe", ["yes", "Yes", "no", "Yes"]), 4)
    >>> print(str(*unknown_class_notes(["yes", "no"], table))[:78], "…")
    the tree was not trained on the class Yes: its validation rows (2 of 4) are al …
    """
    target = table.target
    if target is None or target.is_numeric:
        return []
    known = {*classes}
    times = np.bincount(target.codes[target.codes >= 0], minlength=len(target.levels)).tolist()
    unknown = [
        (level, n)
        for level, n in zip(target.levels, times, strict=True)
        if n and level not in known
    ]
    if not unknown:
        return []
    n_rows = sum(n for _, n in unknown)
    names = _listed([level for level, _ in unknown])
    if required and n_rows == sum(times):
        name = table.source.get("name", "table")
        details = {"names": Names(names), "known": Names(_listed(classes))}
        raise DataError("validation_unknown_classes", source=name, n=len(unknown), **details)
    counts = {"n": len(unknown), "rows": n_rows, "total": sum(times)}
    return [Note("note_validation_classes", {"names": names, **counts})]


def _listed(classes: Sequence[Any]) -> list[str]:
    """Return classes as texts; of many, the first ones."""
    more = ["…"] if len(classes) > MOST_CLASSES_NAMED else []
    return [*map(text_of, classes[:MOST_CLASSES_NAMED]), *more]


def source_of(table: Table) -> dict[str, Any]:
    """Return the description of a set of rows: name, size, digest, and which part of a file."""
    source = {key: table.source[key] for key in ("name", "sha256") if key in table.source}
    part = part_digest(table) if "sha256" in source else None
    return source | {"n_rows": table.n_rows} | ({} if part is None else {"part": part})


def _training_summary(tree: TreeData, smaller: TreeData) -> dict[str, Any] | None:
    """Return how many training rows the smaller tree predicts correctly, None if unknown.

    The counts in the leaves give it, unless there were fractional cases: then it would need the
    rows themselves.
    """
    summary: dict[str, Any] = tree.about["training"]
    may_have_fractions = tree.recipe.get("missing") == "fraction"
    has_whole_counts = bool((tree.nodes.total == np.floor(tree.nodes.total)).all())
    if may_have_fractions and not (
        has_whole_counts and _correct_weight(tree) == summary["correct"]
    ):
        return None
    return summary | {"correct": _correct_weight(smaller)}


def _correct_weight(tree: TreeData) -> float:
    """Return the weight of the training rows whose class is the prediction of their leaf."""
    leaves = np.flatnonzero(tree.is_leaf)
    return float(tree.nodes.total[leaves, tree.values[leaves]].sum())
