"""Questions about a tree of a workbook: candidates, thresholds, rows, pruning path, rules.

Every number comes from the function that the Python API calls.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from functools import partial
from itertools import islice
from typing import Any, cast

import numpy as np

from penjing.api.comparison import compare
from penjing.data.table import Field, Table
from penjing.errors import ChoiceError, PenjingError, unknown_name_error
from penjing.evaluate.curves import pruning_curve
from penjing.evaluate.validation import score
from penjing.explain.node import explain_by, recipe_of_tree
from penjing.explain.node_explanation import NodeExplanation
from penjing.explain.node_text import stop_sentence
from penjing.grow.candidate_records import json_numbers, threshold_measure
from penjing.predict.predict import apply
from penjing.progress import ProgressCallback
from penjing.prune.bottom_up import below_or_in
from penjing.registry import load, plugins
from penjing.render.html import page_data
from penjing.render.leaf_rules import rules_of
from penjing.text.labels import branch_text
from penjing.tree.forced import forced_nodes, steps_to
from penjing.tree.split import level_text
from penjing.tree.tree_data import TreeData
from penjing.webapp.failures import ConflictError, NotFoundError
from penjing.webapp.journal_steps import checked_node
from penjing.webapp.lab_workbook import Moved, Workbook
from penjing.webapp.texts import in_all
from penjing.webapp.tree_scores import exact_value, label, measure_of, predictions_of, tree_score

Plain = dict[str, Any]

MAX_PAGE_NODES = 10_000
"""Of a tree with more nodes the upper part is drawn, down to a depth; its nodes keep their numbers,
since nodes are numbered level by level."""
MAX_RULES = 1_000
"""So many rules are listed: those of a tree with 12,000 leaves are 5 MB."""
MAX_THRESHOLDS = 2_000
"""A gain curve has at most this many points, the best among them."""
ROWS_PER_PAGE = 500
"""The largest number of rows in one answer."""


def tree_view(workbook: Workbook, tree_id: str, lang: str = "en") -> Plain:
    """Return what the page needs to show a tree, with its figures.

    Parameters
    ----------
    workbook : Workbook
        The workbook.
    tree_id : str
        The tree.
    lang : str
        The language that the page is in; it has the texts of both.
    """
    tree = workbook.tree(tree_id)
    depth = shown_depth(tree)
    return {
        "tree": tree_id,
        "leaves": tree.n_leaves,
        "depth": tree.depth,
        "training": workbook.score(tree_id, "training"),
        "validation": workbook.score(tree_id, "validation"),
        "page": workbook.pages.get_or_make(
            (tree_id, lang),
            lambda: page_data(cut_to_depth(tree, depth), lang, "light", None, replay=False),
        ),
        "shown_depth": depth,
        "forced": sorted(forced_nodes(tree)),
    }


def shown_depth(tree: TreeData) -> int | None:
    """Return the depth down to which a large tree is drawn; None if all of it is.

    Examples
    --------
    >>> import penjing
    >>> shown_depth(penjing.fit(penjing.example("fish"))) is None
    True
    """
    if tree.n_nodes <= MAX_PAGE_NODES:
        return None
    sizes = np.cumsum(np.bincount(tree.depths))
    return max(int(np.searchsorted(sizes, MAX_PAGE_NODES, "right")) - 1, 1)


def cut_to_depth(tree: TreeData, depth: int | None) -> TreeData:
    """Return a tree without what is below a depth; the other nodes keep their numbers."""
    if depth is None:
        return tree
    is_cut = (tree.depths == depth) & ~tree.is_leaf
    return tree.pruned(np.flatnonzero(is_cut).tolist())


def workbook_state(workbook_id: str, table_id: str, workbook: Workbook) -> Plain:
    """Return a workbook as the page shows it: its parts, and the history of its trees."""
    growing, history = workbook.growing, workbook.history.state()
    first = workbook.tree(workbook.history.first)
    assert workbook.table.target is not None
    return {
        "workbook": workbook_id,
        "table": table_id,
        "name": workbook.source.name,
        "target": workbook.table.target.name,
        "recipe": growing.recipe if growing.model is None else str(first.recipe.get("name")),
        "grown_by": str(first.recipe.get("name")),
        "settings": dict(growing.settings),
        "forbid": list(growing.forbid),
        "division": {"division": dict(workbook.division), "rows": workbook.rows.sizes()},
        "first": workbook.history.first,
        "current": history.current,
        "history": [entry.to_json() for entry in history.entries],
        "undo": history.undo,
        "redo": history.redo,
        "validation_looks": workbook.validation_looks,
        "finished": None if workbook.finished is None else workbook.finished.to_json(),
    }


def changes(workbook: Workbook, moved: Moved) -> Plain:
    """Return how a step changed the figures of each part."""
    return {part: workbook.change(moved, part) for part in ("training", "validation")}


def preview(workbook: Workbook, plain: object, progress: ProgressCallback | None = None) -> Plain:
    """Return what a step would do; the validation rows are not looked at."""
    tree, changed, step = workbook.preview(plain, progress)
    rows = workbook.rows.training
    before, after = predictions_of(tree, rows), predictions_of(changed, rows)
    result = tree_score(changed, rows, after)
    node = 0 if step.act == "prune" else step.node(changed)
    return {
        "changed": changed is not tree,
        "leaves": changed.n_leaves,
        "depth": changed.depth,
        "training": result,
        "change": measure_of(result) - measure_of(tree_score(tree, rows, before)),
        "n_changed": int((before != after).sum()),
        "branches": [_branch(changed, child) for child in changed.children(node)],
    }


def _branch(tree: TreeData, node: int) -> Plain:
    return {
        "text": branch_text(tree, node),
        "rows": _plain_weight(tree.weight_of(node)),
        "total": [] if tree.is_regression else json_numbers(tree.nodes.total[node]),
        "prediction": tree.answer(node),
        "is_leaf": bool(tree.is_leaf[node]),
    }


def _plain_weight(weight: float) -> float:
    return json_numbers(np.array([weight]))[0]


def why(workbook: Workbook, tree_id: str, node: object) -> Plain:
    """Return the candidates of a node, ranked, with the counts of their branches."""
    tree = workbook.tree(tree_id)
    at = checked_node(tree, node)
    with workbook.computer(tree_id) as computer:
        told = explain_by(computer, at, searches_leaves=True)
    explanation = NodeExplanation(told, tree)
    return {
        "node": at,
        "path": steps_to(tree, at),
        "why": explanation.to_dict(),
        "text": in_all(explanation.text),
        "stop": None if told["stop"] is None else in_all(partial(stop_sentence, told)),
        "is_leaf": bool(tree.is_leaf[at]),
    }


def _column(tree: TreeData, name: object) -> tuple[int, Field]:
    names = [field.name for field in tree.schema]
    if name not in names:
        raise unknown_name_error("unknown_column", name, names)
    return names.index(str(name)), tree.schema[names.index(str(name))]


def thresholds(workbook: Workbook, tree_id: str, node: object, column: object) -> Plain:
    """Return the gain of every threshold of a numeric or ordinal column in a node."""
    tree = workbook.tree(tree_id)
    at, (position, field) = checked_node(tree, node), _column(tree, column)
    with workbook.computer(tree_id) as computer:
        record = computer.column_record(at, position)
    if "cuts" not in record:
        has_order = field.has_order
        key = "lab_no_thresholds" if has_order else "force_threshold_categorical"
        raise ChoiceError(key, column=field.name)
    cuts, gains, best = record["cuts"], record["gains"], record["cut"]
    shown = _shown(len(cuts), cuts.index(best) if best in cuts else 0)
    cuts, gains = [cuts[i] for i in shown], [gains[i] for i in shown]
    labels = None
    if not field.is_numeric:
        labels = [level_text(field, math.floor(cut)) for cut in cuts]
    return {
        "node": at,
        "column": field.name,
        "cuts": cuts,
        "gains": [None if g is None or math.isnan(g) else g for g in gains],
        "n_cuts": record["n_cuts"],
        "best": best,
        "labels": labels,
        "score_name": threshold_measure(recipe_of_tree(tree), tree.reader).name,
    }


def _shown(n: int, best: int) -> list[int]:
    """Return at most so many positions, evenly spaced, the best one among them."""
    if n <= MAX_THRESHOLDS:
        return list(range(n))
    places = np.linspace(0, n - 1, MAX_THRESHOLDS - 1).round().astype(int).tolist()
    return sorted({*places, best})


def categories(workbook: Workbook, tree_id: str, node: object, column: object) -> Plain:
    """Return the counts of each category of a column in a node, and the recipe's groups."""
    tree = workbook.tree(tree_id)
    at, (position, field) = checked_node(tree, node), _column(tree, column)
    if field.is_numeric:
        raise ChoiceError("force_groups_ordered", column=field.name)
    with workbook.computer(tree_id) as computer:
        counts = computer.column_counts(at, position)
        record = computer.column_record(at, position)
    weights = np.asarray(tree.reader.weight(counts.cells), np.float64).reshape(-1)
    groups: dict[int, list[Any]] = {}
    for code, side in zip(record.get("codes", ()), record.get("sides", ()), strict=True):
        groups.setdefault(side, []).append(field.levels[code])
    values = np.asarray(tree.reader.value(counts.cells), np.float64).reshape(-1)
    return {
        "node": at,
        "column": field.name,
        "categories": [
            {
                "category": field.levels[code],
                "rows": _plain_weight(weight),
                "total": [] if tree.is_regression else json_numbers(cells),
                "mean": float(value) if tree.is_regression else None,
            }
            for code, weight, cells, value in zip(
                counts.codes.tolist(), weights.tolist(), counts.cells, values.tolist(), strict=True
            )
        ],
        "groups": [groups[side] for side in sorted(groups)],
        "can_group": not (field.has_order or recipe_of_tree(tree).options.orders_categories),
    }


def rows_page(
    table: Table,
    start: int,
    count: int,
    positions: np.ndarray[Any, Any] | None = None,
    tree: TreeData | None = None,
) -> Plain:
    """Return some rows of a table, perhaps with the predictions of a tree.

    Parameters
    ----------
    table : Table
        The rows.
    start, count : int
        The first row, from 0, and how many.
    positions : array, optional
        The rows to choose from; by default all.
    tree : TreeData, optional
        A tree whose columns the table has.
    """
    if start < 0 or not 0 <= count <= ROWS_PER_PAGE:
        raise ChoiceError("lab_bad_page", start=start, count=count, most=ROWS_PER_PAGE)
    total = table.n_rows if positions is None else len(positions)
    wanted = np.arange(start, min(start + count, total))
    part = table.take(wanted if positions is None else positions[wanted])
    columns = [*part.columns, *([] if part.target is None else [part.target])]
    values = [column.values() for column in columns]
    ids = None
    if part.row_ids is not None:
        ids = [exact_value(part.row_id(row)) for row in range(part.n_rows)]
    predictions = None
    if tree is not None:
        predictions = [exact_value(label(tree, value)) for value in predictions_of(tree, part)]
    return {
        "start": start,
        "total": total,
        "columns": [column.name for column in columns],
        "rows": [[exact_value(value) for value in row] for row in zip(*values, strict=True)],
        "numbers": [part.row_number(row) for row in range(part.n_rows)],
        "ids": ids,
        "id_name": None if part.row_ids is None else part.row_ids.name,
        "predictions": predictions,
    }


def rows_of_node(
    workbook: Workbook, tree_id: str, node: object, *, part: str, start: int, count: int
) -> Plain:
    """Return rows that reach a node; a fractional case counts down to the split that divides it."""
    tree = workbook.tree(tree_id)
    at = checked_node(tree, node)
    rows = part_rows(workbook, part)
    is_below = np.zeros(tree.n_nodes, bool)
    is_below[at] = True
    is_below = below_or_in(tree, is_below)
    positions = np.flatnonzero(is_below[apply(tree, rows)])
    return rows_page(rows, start, count, positions, tree)


def part_rows(workbook: Workbook, part: object) -> Table:
    """Return the training or validation rows."""
    if part not in ("training", "validation"):
        raise ConflictError("lab_part", part=part)
    rows = workbook.rows.of(str(part))
    if rows is None:
        raise NotFoundError("lab_no_validation_rows")
    return rows


def pruning_path(workbook: Workbook, tree_id: str, *, validation: bool) -> Plain:
    """Return the trees of cost-complexity pruning with their figures, the full tree first."""
    tree = workbook.tree(tree_id)
    held_out = workbook.rows.validation if validation else None
    curve = pruning_curve(tree, None, held_out)
    train = pruning_curve(tree, None, workbook.rows.training)["points"]
    points = []
    for point, trained in zip(curve["points"], train, strict=True):
        value, error = point["test"], None
        if value is not None and held_out is not None:
            is_whole = point["leaves"] == tree.n_leaves
            workbook.look(tree_id if is_whole else f"{tree_id}/{point['leaves']}")
            if not tree.is_regression:
                error = math.sqrt(value * (1 - value) / held_out.total_weight)
        points.append(
            {
                "alpha": point["alpha"],
                "leaves": point["leaves"],
                "training": trained["test"],
                "validation": value,
                "error": error,
            }
        )
    methods = pruning_methods(workbook, tree)
    return {"measure": curve["measure"], "points": points, "methods": methods}


def pruning_methods(workbook: Workbook, tree: TreeData) -> list[str]:
    """Return the pruning methods that can be used without options.

    A method that needs no rows is tried on the root alone: it refuses what it cannot prune, such
    as trees of numeric targets, before it looks at the splits.
    """
    root = tree.pruned([0])
    usable = []
    for name in plugins("pruner"):
        prune = load("pruner", name)
        parameters = inspect.signature(prune).parameters
        try:
            if "judge" not in parameters:
                prune(root, **({"raise_branches": False} if "counter" in parameters else {}))
            elif workbook.given("validation") is None:
                continue
        except PenjingError:
            continue
        usable.append(name)
    return usable


def rules(workbook: Workbook, tree_id: str, lang: str) -> Plain:
    """Return the rules of the first leaves one by one, and if that are all, as one text."""
    tree = workbook.tree(tree_id)
    listed = [
        {
            "node": rule.node,
            "when": list(rule.conditions),
            "prediction": tree.answer(rule.node),
            "rows": _plain_weight(rule.weight),
            "confidence": None if tree.is_regression else rule.confidence,
        }
        for rule in islice(rules_of(tree, lang), MAX_RULES)
    ]
    are_all = len(listed) == tree.n_leaves
    text = tree.write("rules", lang=cast("Any", lang)) if are_all else None
    return {"rules": listed, "total": tree.n_leaves, "text": text}


def score_report(workbook: Workbook, tree_id: str, part: object) -> Plain:
    """Return the whole report of a tree on the training or validation rows."""
    rows = part_rows(workbook, part)
    if part == "validation":
        workbook.look(tree_id)
    report = score(workbook.tree(tree_id), rows)
    return {"part": part, "report": report.to_json(), "text": in_all(report.text)}


def explained_row(workbook: Workbook, tree_id: str, row: object) -> Plain:
    """Return why a row is predicted as it is, and what would change the prediction."""
    if not isinstance(row, Mapping) or not row:
        raise ChoiceError("lab_not_object", name="row")
    tree = workbook.tree(tree_id)
    known = [field.name for field in tree.schema]
    for name, value in row.items():
        if name not in known:
            raise unknown_name_error("unknown_column", name, known)
        if not isinstance(value, str | int | float | None):
            raise ChoiceError("lab_not_object", name="row")
    explanation = tree.explain(dict(row))
    return {"explanation": explanation.to_json(), "text": in_all(explanation.text)}


def compared(workbook: Workbook, one: str, other: str) -> Plain:
    """Return where two trees differ, and on which training and validation rows."""
    tables = {
        part: rows
        for part in ("training", "validation")
        if (rows := workbook.rows.of(part)) is not None
    }
    if "validation" in tables:
        workbook.look(one, other)
    comparison = compare(workbook.tree(one), workbook.tree(other), tables)
    return {"comparison": comparison.to_dict(), "text": in_all(comparison.text)}
