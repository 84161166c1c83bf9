"""Count rows at the nodes of a tree: every node gets the class counts, or the sums, of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from penjing import arguments
from penjing.criteria.entropy import entropy_bits
from penjing.criteria.gini import gini_impurity
from penjing.data.notes import Note, record_notes
from penjing.data.read import read
from penjing.data.table import Column, Field, Floats, Table
from penjing.errors import PenjingError, closest_match
from penjing.predict.inputs import used_columns
from penjing.predict.predict import apply, classes_of
from penjing.registry import load
from penjing.training.pruning import source_of, validation_rows
from penjing.tree.tree_data import TreeData

MAX_NAMES = 5
"""Notes name at most so many categories."""
Missing = Literal["stop", "fraction"]


def with_counts(
    tree: TreeData,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    missing: Missing | None = None,
    others: Sequence[Field] | None = None,
) -> TreeData:
    """Return a tree whose nodes have the counts of the rows of a table.

    Splits and the predictions of leaves stay as they are; an inner node predicts the majority
    (or the mean) of its rows, which it is pruned to. What the tree and the table have not in
    common is recorded as notes.

    Parameters
    ----------
    tree : TreeData
        The tree, such as one that was written by hand.
    source : Table or source
        Rows with the target.
    missing : str, optional
        A row without a value stays at the node (``stop``), or goes down every branch by weight
        (``fraction``). By default as the tree says; the new tree predicts in the same way.
    others : sequence of Field, optional
        Columns of the table that the tree does not split on: an explanation compares them, too.
        By default those of the source, if it can be read twice.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"flippers": {0: "no", 1: "yes"}}, target="fish")
    >>> with_counts(tree, penjing.example("fish")).nodes.total.tolist()
    [[3.0, 2.0], [1.0, 0.0], [2.0, 2.0]]
    """
    if missing is not None:
        policy = {"stop": "refuse", "fraction": "fraction"}
        arguments.one_of("missing", missing, tuple(policy))
        recipe = dict(tree.recipe) | {"missing": policy[missing]}
        tree = replace(tree, recipe=recipe)
    rows = validation_rows(tree, source)
    record_notes(notes_of(tree, rows))
    rows = recipe_rows(tree, rows)
    assert rows.target is not None
    others = other_columns(tree, source) if others is None else others
    reading = rows.source.get("reading") if tree.reading is None else tree.reading
    known = replace(
        tree, schema=_with_columns(tree, others), target=rows.target.field, reading=reading
    )
    policy_of_rows = "fraction" if tree.recipe.get("missing") == "fraction" else "refuse"
    engine = load("engine", "native")(rows, missing=policy_of_rows)
    cells = engine.totals(known, range(tree.n_nodes)).cells
    centre = getattr(engine.reader, "centre", 0.0)
    counted = replace(known, nodes=replace(tree.nodes, total=cells, answers={}), centre=centre)
    answers = _answers(tree, counted)
    gain, score = _gains(counted)
    nodes = replace(counted.nodes, answers=answers, gain=gain, score=score)
    about = {key: value for key, value in tree.about.items() if key not in _OF_OTHER_ROWS}
    about |= {"counted": True, "n_rows": rows.n_rows, "source": source_of(rows)}
    result = replace(counted, nodes=nodes, about=about, kept_trace=None, sketch=None, skeleton=None)
    if not tree.is_regression:
        is_correct = classes_of(result, rows) == rows.target.codes
        correct, of = float(rows.weights[is_correct].sum()), rows.total_weight
        result = replace(result, about=about | {"training": {"correct": correct, "of": of}})
    record_notes(_unreached(result))
    return result


_OF_OTHER_ROWS = ("ties", "n_ties", "stops", "training", "missing", "source", "n_rows", "cp_table")
"""What a tree tells about the rows that it was grown from."""


def other_columns(tree: TreeData, source: Any) -> Sequence[Field]:  # noqa: ANN401 - any source
    """Return the columns of a source; none if it cannot be read twice."""
    if isinstance(source, Table):
        return source.schema
    is_file = isinstance(source, str | Path) and str(source) != "-"
    if not (is_file or isinstance(source, list | Mapping) or hasattr(source, "columns")):
        return ()
    try:
        return read(source, tree.target.name).schema
    except PenjingError:
        return ()


def _with_columns(tree: TreeData, others: Sequence[Field]) -> tuple[Field, ...]:
    names = {tree.target.name, *(field.name for field in tree.schema)}
    return (*tree.schema, *(field for field in others if field.name not in names))


def recipe_rows(tree: TreeData, rows: Table) -> Table:
    """Return rows as the program of a tree compares them: C4.5 and scikit-learn in 32 bits."""
    if tree.recipe.get("precision") != "single":
        return rows
    used = set(used_columns(tree))
    columns = tuple(
        column.rounded() if column.is_numeric and position in used else column
        for position, column in enumerate(rows.columns)
    )
    return replace(rows, columns=columns)


def _extra(column: Column, field: Field) -> list[int]:
    """Return the codes of categories that rows have and a tree has not."""
    n = len(field.levels)
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.levels))
    return [code for code in range(n, len(column.levels)) if counts[code]]


def _answers(tree: TreeData, counted: TreeData) -> dict[int, float]:
    """Return the predictions that the counts do not give: leaves keep theirs."""
    old, new, is_empty = tree.values, counted.values, counted.weight <= 0
    keeps = np.flatnonzero((counted.is_leaf | is_empty) & (old != new))
    return {node: old[node].item() for node in keeps.tolist()}


def _gains(tree: TreeData) -> tuple[Floats, Floats]:
    """Return the gain of every split, and its score: the gain, or the gain ratio."""
    total, weight = tree.nodes.total, tree.weight
    criterion = tree.recipe.get("criterion", "gain")
    if tree.is_regression:
        impurity = tree.reader.loss(total) / np.where(weight > 0, weight, 1.0)
    else:
        impurity = gini_impurity(total) if criterion == "gini" else entropy_bits(total)
    gain, score = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
    for node in np.flatnonzero(~tree.is_leaf & (weight > 0)).tolist():
        children = list(tree.children(node))
        known, parts = total[children].sum(axis=0), weight[children]
        if not parts.sum():
            continue
        whole = (
            float(tree.reader.loss(known)) / parts.sum()
            if tree.is_regression
            else float(gini_impurity(known) if criterion == "gini" else entropy_bits(known))
        )
        decrease = whole - float(parts @ impurity[children]) / parts.sum()
        gain[node] = max(decrease, 0.0) * parts.sum() / weight[node]
        information = float(entropy_bits(parts))
        by_ratio = criterion == "gain_ratio" and information > 0
        score[node] = gain[node] / information if by_ratio else gain[node]
    return gain, score


# -- what the tree and the table have not in common ------------------------------------------------


def notes_of(tree: TreeData, rows: Table) -> Iterator[Note]:
    """Yield notes about categories and classes that only a tree or only its rows have.

    Parameters
    ----------
    tree : TreeData
        The tree.
    rows : Table
        Rows that were aligned to it, with the target.
    """
    assert rows.target is not None
    stopped = _rows_without_branch(tree, rows)
    for position in used_columns(tree):
        column, field = rows.columns[position], tree.schema[position]
        if field.is_numeric:
            continue
        n = np.bincount(column.codes[column.codes >= 0], minlength=len(column.levels))
        if codes := stopped.get(position):
            names = [str(column.levels[code]) for code in dict.fromkeys(codes)]
            yield Note("note_counts_no_branch", _named(field, names, len(codes)))
        others = [str(column.levels[code]) for code in _extra(column, field)]
        for code in np.flatnonzero(n[: len(field.levels)] == 0).tolist()[:MAX_NAMES]:
            level = str(field.levels[code])
            near = closest_match(level, others)
            values = {"column": field.name, "level": level}
            if near is None:
                yield Note("note_counts_no_row", values)
            else:
                yield Note("note_counts_no_row_near", values | {"near": near})
    if not tree.is_regression and (classes := _extra(rows.target, tree.target)):
        n = np.bincount(rows.target.codes, minlength=len(rows.target.levels))
        names = [str(rows.target.levels[code]) for code in classes]
        yield Note("note_counts_no_leaf", _named(tree.target, names, int(n[classes].sum())))


def _rows_without_branch(tree: TreeData, rows: Table) -> dict[int, list[int]]:
    """Return, by column, the categories of the rows that stop at a split without their branch."""
    found: dict[int, list[int]] = {}
    stops = apply(tree, rows, unseen="stop")
    for row in np.flatnonzero(~tree.is_leaf[stops]).tolist():
        column = int(tree.nodes.column[stops[row]])
        code = int(rows.columns[column].codes[row])
        if code >= 0:
            found.setdefault(column, []).append(code)
    return found


def _named(field: Field, names: list[str], n: int) -> dict[str, Any]:
    shown = names[:MAX_NAMES] + (["…"] if len(names) > MAX_NAMES else [])
    return {"column": field.name, "levels": shown, "n": n}


def _unreached(tree: TreeData) -> list[Note]:
    """Return a note about the leaves that no row reaches."""
    empty = int((tree.is_leaf & (tree.weight <= 0)).sum())
    return [Note("note_counts_unreached", {"n": empty})] if empty else []
