"""Pruning of a finished tree, with the validation or training rows that a method needs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from penjing import arguments
from penjing.data.folds import Fold
from penjing.data.read.dispatch import check_source_type
from penjing.data.table import Table
from penjing.errors import ChoiceError
from penjing.predict.inputs import align, align_to, hide_unordered_levels, labelled_rows, markers_of
from penjing.prune.decisions import OWN_MEASURES, measure_of
from penjing.prune.renumber import NodeMapping, carry_trace, map_nodes, renumber_decisions
from penjing.registry import load
from penjing.training.cp_validation import cross_validated
from penjing.tree.tree_data import TreeData


def prune(
    tree: TreeData,
    method: str,
    *,
    validation: Any = None,  # noqa: ANN401 - whatever `align` takes
    training: Any = None,  # noqa: ANN401 - the same
    folds: int | None = None,
    **options: Any,  # noqa: ANN401 - checked against the method's own
) -> TreeData:
    """Return a smaller tree; the one given stays as it is.

    What was decided of every question stands in ``about["pruning"]`` of the new tree.

    Parameters
    ----------
    tree : TreeData
        What to prune.
    method : str
        ``reduced-error`` (needs validation rows), ``error-based`` (needs the training rows if
        branches may be raised), or one that needs none: ``pessimistic``, ``cost-complexity``,
        ``minimum-error``, ``mdl``, ``collapse``, ``simplify``.
    validation : Table or source
        Rows that decide; not the training rows, and not the rows that report afterwards.
    training : Table or source
        The rows that the tree was grown from, for raising branches or for ``folds``.
    folds : int
        Cross-validate the complexities of the tree first, in so many parts of the training
        rows; then ``cost-complexity`` needs neither ``cp`` nor ``alpha``.
    **options
        Of the method: ``ties`` of reduced-error; ``confidence`` of pessimistic and error-based,
        ``raise_branches`` of the latter; ``alpha``, ``cp``, ``by``, ``one_se`` of
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
    told = inspect.signature(pruner).parameters
    known = {k: p.default for k, p in told.items() if p.kind is p.KEYWORD_ONLY}
    _check_options(method, options, pruner)
    if training is not None:  # methods that do not need it leave it alone
        check_source_type(training)
    if folds is not None:
        tree = _cross_validated(tree, method, training, folds)
    measure = OWN_MEASURES.get(method, "errors")
    record: dict[str, Any] = {"method": method, "options": known | options, "measure": measure}
    if "counter" in told and training is not None:
        options = options | {"counter": _counter(tree, training)}
    if "judge" in told:
        if validation is None:
            raise ChoiceError("needs_validation", method=method)
        if isinstance(validation, int | float | Fold):
            raise ChoiceError("share_needs_rows", value=validation)
        table = judging(tree, validation)
        missing = "fraction" if tree.recipe.get("missing") == "fraction" else "refuse"
        judge = load("engine", "memory")(table, missing=missing, shares_of="tree")
        record |= {"measure": measure_of(judge.reader), "validation": source_of(table)}
        smaller, decisions = pruner(tree, judge, **options)
    elif validation is not None:
        raise ChoiceError("validation_not_used", method=method)
    else:
        smaller, decisions = pruner(tree, **options)
    found = map_nodes(tree, smaller)
    record["decisions"] = renumber_decisions([decision.to_json() for decision in decisions], found)
    earlier = [_followed(told, found) for told in tree.about.get("pruning", ())]
    about = dict(smaller.about) | {"pruning": [*earlier, record]}
    if "training" in about:
        about["training"] = _training(tree, smaller)
    about = {key: value for key, value in about.items() if value is not None}
    trace = carry_trace(tree, smaller, found)
    pruned: TreeData = replace(smaller, about=about, kept_trace=trace, reading=tree.reading)
    return pruned


def _followed(record: Mapping[str, Any], found: NodeMapping) -> Mapping[str, Any]:
    """Return what was decided before, under the numbers that nodes have now."""
    decisions = record.get("decisions", ())
    if not all("now" in decision for decision in decisions):
        return record  # of a model that was written when they were not followed
    return dict(record) | {"decisions": renumber_decisions(decisions, found)}


def _check_options(method: str, given: Mapping[str, Any], pruner: Callable[..., Any]) -> None:
    if given and not arguments.known_options(pruner):
        raise ChoiceError("no_options", word=next(iter(given)), method=method)
    arguments.check_options(pruner, given, "unknown_option", method=method)


def _counter(tree: TreeData, training: Any) -> Any:  # noqa: ANN401 - an engine
    """Return an engine that holds the training rows of a tree."""
    missing = "fraction" if tree.recipe.get("missing") == "fraction" else "refuse"
    return load("engine", "native")(judging(tree, training), missing=missing)


def _cross_validated(tree: TreeData, method: str, training: Any, folds: int) -> TreeData:  # noqa: ANN401
    if method != "cost-complexity":
        raise ChoiceError("folds_not_used", method=method)
    if training is None:
        raise ChoiceError("folds_need_rows", folds=folds)
    return cross_validated(tree, training, folds)


def judging(like: TreeData | Table, source: Any) -> Table:  # noqa: ANN401 - whatever `align` takes
    """Return validation rows as an engine wants them.

    Coded as a tree, or the rows that one is to be grown from; without the rows that do not say
    what is to be predicted; and with levels that an order does not know taken for missing.
    """
    if isinstance(like, TreeData):
        table, _ = labelled_rows(align(like, source), like.target.name)
    else:
        assert like.target is not None
        how = {"missing": markers_of(like)}
        aligned = align_to(like.schema, like.target.field, source, **how)
        table, _ = labelled_rows(aligned, like.target.name)
    return hide_unordered_levels(table, like.schema)


def source_of(table: Table) -> dict[str, Any]:
    """Return what a tree keeps of the rows that decided or tested: name, size, fingerprint."""
    told = {key: table.source[key] for key in ("name", "sha256") if key in table.source}
    return told | {"n_rows": table.n_rows}


def _training(tree: TreeData, smaller: TreeData) -> dict[str, Any] | None:
    """Return how many training rows the smaller tree gets right, None if that is not known.

    Counts in the leaves say it, unless rows were shared out over branches: then only the rows
    themselves could tell.
    """
    told: dict[str, Any] = tree.about["training"]
    may_share = tree.recipe.get("missing") == "fraction"
    is_whole = bool((tree.nodes.total == np.floor(tree.nodes.total)).all())
    if may_share and not (is_whole and _right(tree) == told["correct"]):
        return None
    return told | {"correct": _right(smaller)}


def _right(tree: TreeData) -> float:
    """Return the weight of the training rows that have the class their leaf answers with."""
    leaves = np.flatnonzero(tree.is_leaf)
    return float(tree.nodes.total[leaves, tree.values[leaves]].sum())
