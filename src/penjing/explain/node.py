"""Explain the split of a node: every candidate as plain data, from the trace or from rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from penjing.criteria.entropy import entropy_bits
from penjing.criteria.gini import gini_impurity
from penjing.data.masked import masked
from penjing.data.notes import collect_notes
from penjing.data.table import Floats, Table
from penjing.dialects.recipes import named_recipe, recipe_of
from penjing.errors import ChoiceError, DataError
from penjing.grow.engine_of_table import engine_of_table
from penjing.grow.recipe import Recipe
from penjing.grow.trace_steps import TraceComputer
from penjing.i18n import Names
from penjing.predict.inputs import align_to
from penjing.predict.predict import apply
from penjing.text.branch_order import children_in_order
from penjing.text.labels import (
    CutText,
    answer_text,
    branch_text,
    comparison_cut,
    cut_label,
    group_names,
    in_32_bits,
    quoted,
    split_text,
)
from penjing.training.count_rows import with_counts
from penjing.training.tree_edits import TrainingSet
from penjing.tree.builder import unit_totals
from penjing.tree.counts import Totals
from penjing.tree.dialect import TEXTBOOK, dialect_of
from penjing.tree.empty_branches import absent_levels
from penjing.tree.forced import forbidden_columns, forced_nodes
from penjing.tree.split import level_text
from penjing.tree.steps import StepEntry, Steps
from penjing.tree.tree_data import TreeData

Plain = dict[str, Any]

PURE = "pure"
"""The reason of a leaf whose rows have one class."""
MOST_ROW_NUMBERS = 1_000_000
"""Steps list the numbers of their rows unless rows times depth exceed this."""


def explain(tree: TreeData, node: int = 0, data: Table | None = None) -> Plain:
    """Return the candidates of a node and how one was chosen, as plain data.

    Parameters
    ----------
    tree : TreeData
        A tree that was grown with its trace; or any tree, together with its training rows.
    node : int
        The number of the node.
    data : Table, optional
        The training rows, with the columns of the tree; needed where the tree has no trace.

    Returns
    -------
    dict
        ``node``, ``path``, ``rows``, ``classes``, ``total``, ``answer``, ``criterion``,
        ``entropy`` and ``gini`` (or ``variance``, and as ``value_range`` the smallest and the
        largest prediction of the tree), ``question``, ``stop``, ``tied`` and ``candidates``, best
        first.

    Raises
    ------
    ChoiceError
        If the tree has no trace of this node and no rows were given.
    """
    if data is None and not _has_step(tree, node):
        data = tree.training_table()
    if data is None:
        return _describe_step(tree, node, trace_step(tree, node))
    (step,) = compute_steps(tree, [node], data)
    return _describe_with_counts(tree, node, step, _with_counts(tree, data))


def explain_by(computer: TraceComputer, node: int, *, searches_leaves: bool = False) -> Plain:
    """Return what `explain` does, from the rows of a trace computer that may be used again.

    Parameters
    ----------
    computer : TraceComputer
        Computes the steps of a tree with counts.
    node : int
        The number of the node.
    searches_leaves : bool
        Whether leaves that no split was searched for have candidates, too, unless they are pure.
    """
    if searches_leaves and computer.stops.get(node, PURE) != PURE:
        step = computer.candidates(node)
    else:
        (step,) = computer.steps([node])
    return _describe_step(computer.tree, node, step)


def _has_step(tree: TreeData, node: int) -> bool:
    """Whether the trace of a tree keeps the step of a node."""
    return tree.kept_trace is not None and step_of(tree.kept_trace.get("steps"), node) is not None


def about_empty(tree: TreeData, node: int, level: int) -> Plain:
    """Return the description of a branch without training rows, as `explain` does of nodes."""
    field = tree.schema[int(tree.nodes.column[node])]
    description = about_node(tree, node)
    branch = f"{quoted(field.name)} = {quoted(level_text(field, level))}"
    none = {"total": [0] * len(tree.classes), "entropy": 0.0, "gini": 0.0}
    return (
        description
        | {"path": [*description["path"], branch], "rows": 0, "question": None, "stop": "empty"}
        | {"runner_up": None, "average_gain": None, "tied": [], "empty": [], "candidates": []}
        | ({"variance": 0.0} if tree.is_regression else none)
    )


def with_class_names(tree: TreeData, explanation: Plain) -> Plain:
    """Return an explanation as texts tell it: with the names of classes that `fit` was given."""
    names = tree.about.get("class_names")
    if not isinstance(names, list) or len(names) != len(tree.classes) or not names:
        return explanation
    by_class = dict(zip(tree.classes, map(str, names), strict=True))
    answer = explanation["answer"]
    return explanation | {
        "classes": [by_class[class_] for class_ in tree.classes],
        "answer": by_class.get(answer, answer),
    }


def cuts_of(explanation: Plain, column: str) -> Plain:
    """Return the candidate of an ordered column in a node, with all its thresholds.

    Parameters
    ----------
    explanation : dict
        What `explain` returns.
    column : str
        The name of the column.
    """
    with_cuts = {c["column"]: c for c in explanation["candidates"] if "cuts" in c}
    if column not in with_cuts:
        raise ChoiceError("no_cuts", column=column, known=Names(with_cuts) or "–")
    return dict(with_cuts[column])


def has_hidden_cuts(explanation: Plain, column: str) -> bool:
    """Return whether a column has more thresholds in a node than an explanation lists."""
    candidate = cuts_of(explanation, column)
    return int(candidate["n_cuts"]) > len(candidate["cuts"])


def all_cuts_of(tree: TreeData, explanation: Plain, column: str, data: Table | None) -> Plain:
    """Return what `cuts_of` does, with the thresholds that a trace does not keep.

    Parameters
    ----------
    tree : TreeData
        The tree.
    explanation : dict
        What `explain` returns.
    column : str
        The name of the column.
    data : Table or None
        The training rows; without them, the thresholds are those that the trace keeps.
    """
    candidate = cuts_of(explanation, column)
    if data is None or not has_hidden_cuts(explanation, column):
        return candidate
    position = [field.name for field in tree.schema].index(column)
    record = trace_computer(tree, data).column_record(explanation["node"], position)
    if record.get("n_cuts") != candidate["n_cuts"]:  # rows that did not grow the tree
        return candidate
    return candidate | {"cuts": record["cuts"], "gains": record["gains"]}


def story(tree: TreeData, data: Table | None = None, limit: int | None = None) -> list[Plain]:
    """Return the steps of growing, in the order of nodes, as plain data.

    Parameters
    ----------
    tree : TreeData
        A tree that was grown with its trace; or any tree, together with its training rows.
    data : Table, optional
        The training rows; with them each step has ``row_numbers``, and the steps of a tree
        without a trace are computed again.
    limit : int, optional
        The largest number of steps to return.
    """
    rows = tree.training_table() if tree.kept_trace is None and data is None else data
    if tree.kept_trace is not None:
        records = tree.kept_trace.get("steps", ())[:limit]
    elif rows is not None:
        computer = trace_computer(tree, rows)
        records = list(computer.steps(_listed(computer, limit)))
    else:
        raise ChoiceError("no_trace")
    row_numbers = {} if data is None else _row_numbers(tree, data)
    counted = tree if data is None or tree.kept_trace is not None else _with_counts(tree, data)
    steps = []
    for step in records:
        node = step.get("node") if isinstance(step, dict) else None
        if not (isinstance(node, int) and 0 <= node < tree.n_nodes):
            raise DataError("model_broken_trace")
        description = _describe_with_counts(tree, node, step, counted)
        numbers = _named_rows(data, row_numbers[node]) if data is not None and row_numbers else {}
        steps.append(description | numbers)
    return steps


def _with_counts(tree: TreeData, data: Table) -> TreeData:
    """Return a tree without counts with those of a table; any other as it is."""
    if tree.has_counts or data.target is None:
        return tree
    with collect_notes():  # what a command or method notes, it notes by itself
        return with_counts(tree, data)


def _describe_with_counts(
    tree: TreeData, node: int, step: Mapping[str, Any], counted: TreeData
) -> Plain:
    """Return a step by the counts of another tree; a leaf keeps its own prediction."""
    own = {"answer": tree.answer(node)} if tree.is_leaf[node] else {}
    return _describe_step(counted, node, step) | own


def _row_numbers(tree: TreeData, data: Table) -> dict[int, list[int]]:
    """Return the rows of each node; a row in fractions counts down to that split."""
    by_node: dict[int, list[int]] = {node: [] for node in range(tree.n_nodes)}
    if data.n_rows * tree.depth > MOST_ROW_NUMBERS:
        return {}
    for row, stop in enumerate(apply(tree, data).tolist()):
        for node in tree.path(stop):
            by_node[node].append(row)
    return by_node


def _named_rows(data: Table, rows: Sequence[int]) -> Plain:
    """Return the numbers of rows, and their ids if the table has an id column."""
    named: Plain = {"row_numbers": [data.row_number(row) for row in rows]}
    if data.row_ids is not None:
        ids = [data.row_id(row) for row in rows]
        named |= {"row_ids": ids, "row_id_column": data.row_ids.name}
    return named


def trace_step(tree: TreeData, node: int) -> Mapping[str, Any]:
    """Return the step of a node as the trace keeps it."""
    if tree.kept_trace is None:
        raise ChoiceError("no_trace")
    step = step_of(tree.kept_trace.get("steps"), node)
    if step is None:
        raise ChoiceError("no_trace_here", node=node)
    return step


def step_of(steps: object, node: int) -> Mapping[str, Any] | None:
    """Return the step of a node that a trace keeps, None if it keeps none."""
    if isinstance(steps, Steps):
        return steps.of(node)
    found = (
        step
        for step in (steps if isinstance(steps, list) else ())
        if isinstance(step, dict) and step.get("node") == node
    )
    return next(found, None)


def about_node(tree: TreeData, node: int) -> Plain:
    """Return the part of a step that needs no trace: path, rows, prediction and impurity."""
    total = tree.nodes.total[node]
    description: Plain = {
        "node": node,
        "path": [branch_text(tree, step) for step in tree.path(node)[1:]],
        "rows": _plain(tree.weight_of(node)),
        "answer": tree.answer(node),
        "criterion": tree.recipe.get("criterion", "gain"),
        "rules": tree.recipe.get("rules", TEXTBOOK),
        "question": None if tree.is_leaf[node] else tree.schema[int(tree.nodes.column[node])].name,
    }
    if tree.has_weights:
        description["is_weight"] = True
    if tree.is_regression:
        weight = max(tree.weight_of(node), np.finfo(float).tiny)
        variance = float(tree.losses[node]) / weight
        return description | {"variance": variance, "value_range": list(tree.value_range)}
    return description | {
        "classes": list(tree.classes),
        "total": [_plain(v) for v in total.tolist()],
        "entropy": float(entropy_bits(total)),
        "gini": float(gini_impurity(total)),
    }


def _describe_step(tree: TreeData, node: int, step: Mapping[str, Any]) -> Plain:
    """Return a step of the trace with all that can be computed from it."""
    description = about_node(tree, node)
    try:
        with np.errstate(divide="raise", invalid="raise", over="raise"):
            return description | _choice(tree, node, step)
    except (KeyError, TypeError, IndexError, ValueError, AttributeError, ArithmeticError):
        raise DataError("model_broken_trace") from None


def _choice(tree: TreeData, node: int, step: Mapping[str, Any]) -> Plain:
    """Return the part of a step that the trace knows: stop reason, ties and candidates."""
    stop = step.get("stop")
    if stop is None and tree.is_leaf[node]:
        stop = _removal_reason(tree)
    if stop == "alike" and any("after" in c for c in step.get("candidates", ())):
        stop = "no_gain"  # there are splits, but the dialect rejects all of them
    chosen = None if tree.is_leaf[node] else int(tree.nodes.column[node])
    in_average = _in_average(tree)
    candidates = [
        _candidate(tree, c, chosen)
        | ({"in_average": in_average[c["column"]]} if in_average else {})
        for c in _with_own_split(tree, node, step.get("candidates", ()))
    ]
    candidates.sort(key=_rank)
    if candidates and candidates[0]["is_chosen"] and len(candidates[0].get("branches", ())) > 1:
        _name_branches(tree, node, candidates[0])
        branches, first = candidates[0]["branches"], int(tree.first_child[node])
        if len(branches) == tree.n_children[node] and "cut" not in candidates[0]:
            candidates[0]["branches"] = [branches[c - first] for c in children_in_order(tree, node)]
    scored = [c for c in candidates if c["score"] is not None]
    runner_up = scored[1]["column"] if len(scored) > 1 and chosen is not None else None
    return {
        "stop": stop if tree.is_leaf[node] else None,
        "runner_up": runner_up,
        "average_gain": _average_gain(step, in_average),
        "tied": [tree.schema[c].name for c in step.get("tied", ())],
        "empty": [
            level_text(tree.schema[int(tree.nodes.column[node])], code)
            for code in absent_levels(tree, node)
        ],
        "candidates": candidates,
        **_steered(tree, node, step),
    }


def _name_branches(tree: TreeData, node: int, chosen: Plain) -> None:
    """Name the branches of the chosen split by its groups, if they are too many for a trace."""
    children = list(tree.children(node))
    if len(chosen["branches"]) == len(children):
        for branch, child in zip(chosen["branches"], children, strict=True):
            branch["answer"] = branch["answer"] or ", ".join(group_names(tree, child))
        if chosen.get("cut") is not None and np.isfinite(tree.nodes.cut[node]):
            for place, branch in enumerate(chosen["branches"][:2]):  # as the tree prints them
                branch["answer"] = answer_text(tree, node, place)


def _steered(tree: TreeData, node: int, step: Mapping[str, Any]) -> Plain:
    """Return what was forced in a node, and what no split may use; empty for other trees."""
    steered: Plain = {}
    if node in forced_nodes(tree):
        own = step.get("chosen")
        parts = ((child, *tree.parent_of(child)) for child in tree.children(node))
        steered["forced"] = {
            "split": split_text(tree, node),
            "gain": float(tree.nodes.gain[node]),
            "branches": [
                {
                    "answer": answer_text(tree, parent, branch).removeprefix("= "),
                    "rows": _plain(tree.weight_of(child)),
                }
                for child, parent, branch in parts
            ],
            "own": None if own is None else tree.schema[own].name,
            "is_best": _is_best_of_column(tree, node, step),
        }
    if names := forbidden_columns(tree):
        steered["forbidden"] = list(names)
    return steered


def _is_best_of_column(tree: TreeData, node: int, step: Mapping[str, Any]) -> bool:
    """Whether a node is split as the recipe would split this column."""
    column = int(tree.nodes.column[node])
    records = (r for r in step.get("candidates", ()) if r["column"] == column)
    return any(bool(record.get("is_best")) for record in records)


def _in_average(tree: TreeData) -> list[bool]:
    """Return which columns count for C4.5's average gain; empty for dialects without it."""
    if not dialect_of(tree).averages_gains:
        return []
    return recipe_of_tree(tree).options.in_average(tree.schema, tree.weight_of(0))


def _average_gain(step: Mapping[str, Any], in_average: Sequence[bool]) -> float | None:
    """Return the average gain; None if no column that counts for it can be split on."""
    columns = [c["column"] for c in step.get("candidates", ()) if c["gain"] is not None]
    if in_average and not any(in_average[c] for c in columns):
        return None
    average: float | None = step.get("average_gain")
    return average


def _removal_reason(tree: TreeData) -> str:
    """Return why a node that could be split is a leaf."""
    if tree.about.get("pruning"):
        return "pruned"
    reason = dialect_of(tree).removal_reason(tree.recipe)
    if reason is not None:
        return reason
    return "max_leaves" if tree.recipe.get("max_leaves") is not None else "by_hand"


def _with_own_split(
    tree: TreeData, node: int, records: Sequence[Mapping[str, Any]]
) -> Sequence[Mapping[str, Any]]:
    """Return candidates in which the column of a split made by hand has that split.

    The candidate that a recipe finds for the column may have another threshold or other groups.
    """
    name = tree.recipe.get("name")
    if tree.is_leaf[node] or (isinstance(name, str) and named_recipe(name) is not None):
        return records
    children, column = list(tree.children(node)), int(tree.nodes.column[node])
    after = tree.nodes.total[children]
    weights = tree.reader.weight(after)
    if not records or not (weights > 0).sum() > 1:
        return records
    found = next((r for r in records if r["column"] == column), {"column": column})
    own = {key: value for key, value in found.items() if key not in ("known", "codes", "sides")}
    known, share = after.sum(axis=0), weights.sum() / tree.weight_of(node)
    own |= {
        "missing": (tree.nodes.total[node] - known).tolist(),
        "after": after.tolist(),
        "split_information": float(entropy_bits(weights)),
    }
    if tree.is_regression:
        gain = float(tree.reader.loss(known) - tree.reader.loss(after).sum()) / weights.sum()
    else:
        before, parts = float(entropy_bits(known)), weights / weights.sum()
        remaining = float(parts @ entropy_bits(after))
        own |= {"entropy_before": before, "entropy_after": remaining}
        own["gini_after"] = float(parts @ gini_impurity(after))
        gain = before - remaining
    own |= {"gain": gain * share, "score": gain * share}
    cut = float(tree.nodes.cut[node])
    if np.isnan(cut):
        codes = [(code, b) for b, c in enumerate(children) for code in tree.nodes.levels(c)]
        own |= {"codes": [int(code) for code, _ in codes], "sides": [side for _, side in codes]}
    else:
        own = {"n_cuts": 0, "cuts": [], "gains": []} | own
        own["cut"] = None if np.isinf(cut) else cut
    return [own, *(r for r in records if r["column"] != column)]


def _rank(candidate: Plain) -> tuple[bool, bool, bool, float]:
    """Return the sort key of a candidate: the chosen one, then by score, then others by gain."""
    score, gain = candidate["score"], candidate["gain"]
    return (
        not candidate["is_chosen"],
        gain is None,
        score is None,
        -(score if score is not None else gain or 0.0),
    )


def _candidate(tree: TreeData, record: Mapping[str, Any], chosen: int | None) -> Plain:
    """Return a candidate of the trace with its gain, gain ratio and branches."""
    field = tree.schema[record["column"]]
    missing = _weight(tree, np.asarray(record["missing"], float))
    candidate: Plain = {
        "column": field.name,
        "kind": field.kind,
        "is_chosen": record["column"] == chosen,
        "missing": _plain(missing),
        "gain": None,
        "score": record["score"],
        **({"refused": record["refused"]} if "refused" in record else {}),
    }
    if "after" not in record:
        return candidate
    after = np.asarray(record["after"], float)
    known = _weight(tree, after.sum(axis=0))
    candidate["known"] = _plain(known)
    has_missing_branch = "cut" in record and record["cut"] is None
    if has_missing_branch or tree.recipe.get("missing") == "branch":
        candidate["known"] = _plain(known - missing)
        missing = 0.0
    candidate |= {"split_information": record["split_information"]}
    if tree.is_regression:
        before = float(tree.reader.loss(after.sum(axis=0))) / known
        remaining = float(tree.reader.loss(after).sum()) / known
        gain = (before - remaining) * known / (known + missing)
        candidate |= {
            "gain": gain if abs(gain) > 1e-12 * before else 0.0,
            "variance_after": remaining,
        }
    else:
        gain = (record["entropy_before"] - record["entropy_after"]) * known / (known + missing)
        candidate |= {
            "gain": gain if abs(gain) > 1e-12 * record["entropy_before"] else 0.0,
            "criterion_gain": record["gain"],
            "entropy_before": record["entropy_before"],
            "entropy_after": record["entropy_after"],
            "gini_before": float(gini_impurity(after.sum(axis=0))),
            "gini_after": record["gini_after"],
        }
        candidate["gain_ratio"] = candidate["gain"] / record["split_information"]
    if "cut" in record:
        candidate |= {
            k: record[k] for k in ("cut", "n_cuts", "cuts", "gains", "penalty") if k in record
        }
    return candidate | {"branches": _branches(tree, record, after)}


def _branches(tree: TreeData, record: Mapping[str, Any], after: Floats) -> list[Plain]:
    field = tree.schema[record["column"]]
    if "cut" in record:
        if record["cut"] is None:
            texts = ["≠ ?", "= ?"]
        else:
            cut = _cut_text(tree, record)
            texts = [cut.side(0), cut.side(1), "= ?"][: len(after)]
    elif "codes" in record:
        texts = [
            ", ".join(
                quoted(level_text(field, code))
                for code, side in zip(record["codes"], record["sides"], strict=True)
                if side == branch
            )
            for branch in range(len(after))
        ]
        texts = [text or "?" for text in texts]  # no category: the branch of missing values
    else:
        texts = [""] * len(after)
    branches = []
    for text, part in zip(texts, after, strict=True):
        branch: Plain = {"answer": text, "rows": _plain(_weight(tree, part))}
        if tree.is_regression:
            branch["variance"] = float(tree.reader.loss(part)) / max(_weight(tree, part), 1e-300)
        else:
            branch |= {
                "total": [_plain(v) for v in part.tolist()],
                "entropy": float(entropy_bits(part)),
                "gini": float(gini_impurity(part)),
            }
        branches.append(branch)
    return branches


def _cut_text(tree: TreeData, record: Mapping[str, Any]) -> CutText:
    """Return the threshold of a candidate in as few digits as tell it from its others."""
    field, cut = tree.schema[record["column"]], record["cut"]
    if not field.is_numeric:
        return CutText(level_text(field, int(cut)))
    is_single = tree.recipe.get("precision") == "single"
    others = record["cuts"] if record["n_cuts"] == len(record["cuts"]) else ()
    text = cut_label(cut, others, single=is_single)
    number = float(text)
    return CutText(text, (in_32_bits(number) if is_single else number) > comparison_cut(tree, cut))


def compute_steps(tree: TreeData, nodes: Sequence[int], data: Table) -> list[Mapping[str, Any]]:
    """Return the steps of these nodes of a tree, from its training rows."""
    return list(trace_computer(tree, data).steps(nodes))


def _listed(computer: TraceComputer, limit: int | None) -> list[int]:
    """Return the nodes that have a step of their own, at most ``limit``."""
    return [n for n in range(computer.tree.n_nodes) if n not in computer.halves][:limit]


def number_of_steps(tree: TreeData, data: Table | None) -> int:
    """Return how many steps `story` has without a limit; a split in three takes two nodes."""
    if tree.kept_trace is not None:
        return len(tree.kept_trace["steps"])
    return tree.n_nodes if data is None else len(_listed(trace_computer(tree, data), None))


def with_trace(tree: TreeData, data: Table, limit: int | None = None) -> TreeData:
    """Return a tree with the trace that its training rows tell.

    Best splits are found for all nodes at once; a step is built when somebody asks for it.

    Parameters
    ----------
    tree : TreeData
        Any tree.
    data : Table
        Its training rows.
    limit : int, optional
        The largest number of nodes, from the root.
    """
    computer = trace_computer(tree, data)
    nodes = _listed(computer, limit)
    computer.search([node for node in nodes if node not in computer.stops])
    steps = Steps(computer.steps, [StepEntry(node, node) for node in nodes])
    trace = {"steps": steps, "is_whole": len(nodes) + len(computer.halves) >= tree.n_nodes}
    return replace(_with_counts(tree, data), kept_trace=trace)


def trace_computer(tree: TreeData, data: Table) -> TraceComputer:
    """Return what computes the steps of a tree from its training rows."""
    recipe, rows = _recipe_and_rows(tree, data)
    rows = masked(rows, forbidden_columns(tree))
    engine = engine_of_table("native", rows, recipe)
    return TraceComputer(engine, tree, recipe, _known_totals(tree, rows))


def training_set_computer(tree: TreeData, training: TrainingSet) -> TraceComputer:
    """Return what `trace_computer` does, with rows that are already prepared and counted.

    Parameters
    ----------
    tree : TreeData
        A tree with counts.
    training : TrainingSet
        Its training rows; they may serve several trees, one after another.
    """
    totals = _known_totals(tree, training.table)
    return TraceComputer(training.engine, tree, training.recipe, totals)


def _recipe_and_rows(tree: TreeData, data: Any) -> tuple[Recipe, Table]:  # noqa: ANN401 - a table, or a source
    """Return the recipe of a tree, and rows as that recipe prepares them for growing."""
    recipe = recipe_of_tree(tree)
    return recipe, recipe.prepared(rows_of_tree(tree, data))


def has_training_counts(tree: TreeData, data: Table) -> bool:
    """Return whether rows have as many of each class as those that a tree was grown from.

    Parameters
    ----------
    tree : TreeData
        The tree.
    data : Table
        Rows with the columns of the tree.
    """
    if not tree.has_counts:
        return True
    recipe, rows = _recipe_and_rows(tree, data)
    if tree.is_regression:
        return bool(np.isclose(rows.total_weight, tree.weight_of(0), rtol=1e-9, atol=0))
    cells = engine_of_table("native", rows, recipe).totals(tree, [0]).cells[0]
    grown = tree.nodes.total[0]
    return cells.shape == grown.shape and bool(np.allclose(cells, grown, rtol=1e-9, atol=0))


def rows_of_tree(tree: TreeData, data: Any) -> Table:  # noqa: ANN401 - a table, or a source
    """Return rows with the columns, categories and classes of a tree, in its order."""
    target = data.target if isinstance(data, Table) else None
    if target is not None and (data.schema, target.field) == (tree.schema, tree.target):
        known: Table = data
        return known
    rows = align_to(tree.schema, tree.target, data, reading=tree.reading)
    if rows.target is None:
        raise DataError("training_rows_need_target", target=tree.target.name)
    return rows


def _known_totals(tree: TreeData, data: Table) -> Totals | None:
    """Return the sums of a tree's nodes if they are those of these rows; None to count them."""
    if tree.is_regression or not tree.has_counts or data.weight is not None or data.target is None:
        return None
    codes = data.target.codes
    if len(codes) == 0 or codes.min() < 0 or codes.max() >= len(tree.classes):
        return None
    classes = np.bincount(codes, minlength=len(tree.classes))
    is_same = np.array_equal(classes, tree.nodes.total[0])
    return unit_totals(tree.nodes.total) if is_same else None


def recipe_of_tree(tree: TreeData) -> Recipe:
    """Return the recipe that a tree was grown by; ID3 for a tree that was not grown."""
    settings = {k: v for k, v in tree.recipe.items() if k != "name"}
    name = tree.recipe.get("name")
    if not isinstance(name, str) or named_recipe(name) is None:
        return recipe_of("id3", missing="fraction")
    own = tree.training_recipe()
    if own is not None and not isinstance(own.criterion, str):  # a file holds its name only
        settings["criterion"] = own.criterion
    return recipe_of(name, **settings)


def _weight(tree: TreeData, total: Floats) -> float:
    return float(tree.reader.weight(total))


def _plain(value: float) -> float | int:
    return int(value) if float(value).is_integer() else float(value)
