"""Why a node asks what it asks: every candidate as plain data, from the trace or from rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from penjing.criteria.entropy import entropy_bits
from penjing.criteria.gini import gini_impurity
from penjing.data.table import Floats, Table
from penjing.dialects.recipes import RECIPES, recipe_of
from penjing.errors import ChoiceError, DataError
from penjing.grow.dialect import Dialect
from penjing.grow.engine import Engine
from penjing.grow.recipe import Recipe
from penjing.grow.trace_record import candidates_step, scores_of
from penjing.predict.predict import apply
from penjing.registry import load
from penjing.text.branch_order import children_in_order
from penjing.text.labels import CutText, branch_text, comparison_cut, cut_label, in_32_bits, quoted
from penjing.tree.builder import TreeBuilder
from penjing.tree.split import level_text
from penjing.tree.tree_data import TreeData

Plain = dict[str, Any]

PASSAGES = 1_000_000
"""Rows are named in a story unless they pass more nodes than this."""


def explain(tree: TreeData, node: int = 0, data: Table | None = None) -> Plain:
    """Return all that was weighed in one node, as plain data.

    Parameters
    ----------
    tree : TreeData
        A tree that was grown with its trace, or any tree and the rows to weigh anew.
    node : int
        Which node.
    data : Table, optional
        The training rows, with the columns of the tree; needed where the tree has no trace.

    Returns
    -------
    dict
        ``node``, ``path``, ``rows``, ``classes``, ``total``, ``answer``, ``criterion``,
        ``entropy`` and ``gini`` (or ``variance``), ``question``, ``stop``, ``tied`` and
        ``candidates``, best first.

    Raises
    ------
    ChoiceError
        If the tree keeps no trace of this node and no rows were given.
    """
    if data is None:
        return _told(tree, node, kept_step(tree, node))
    return _told_by(tree, node, weighed(tree, [node], data)[0], _filled(tree, data))


def about_empty(tree: TreeData, node: int, level: int) -> Plain:
    """Return what is to be said of a branch that no training row took."""
    field = tree.schema[int(tree.nodes.column[node])]
    told = about_node(tree, node)
    branch = f"{quoted(field.name)} = {quoted(level_text(field, level))}"
    none = {"total": [0] * len(tree.classes), "entropy": 0.0, "gini": 0.0}
    return (
        told
        | {"path": [*told["path"], branch], "rows": 0, "question": None, "stop": "empty"}
        | {"runner_up": None, "average_gain": None, "tied": [], "empty": [], "candidates": []}
        | ({"variance": 0.0} if tree.is_regression else none)
    )


def cuts_of(told: Plain, column: str) -> Plain:
    """Return what is told of an ordered column in a node, with all its cuts.

    Parameters
    ----------
    told : dict
        What `explain` returns.
    column : str
        The name of the column.
    """
    found = {c["column"]: c for c in told["candidates"] if "cuts" in c}
    if column not in found:
        raise ChoiceError("no_cuts", column=column, known=", ".join(found) or "–")
    return dict(found[column])


def story(tree: TreeData, data: Table | None = None, limit: int | None = None) -> list[Plain]:
    """Return the steps that growing took, in the order of nodes, as plain data.

    Parameters
    ----------
    tree : TreeData
        A tree that was grown with its trace, or any tree and its training rows.
    data : Table, optional
        The training rows; with them each step has ``row_numbers``, and a tree that kept no trace
        is weighed anew.
    limit : int, optional
        Return only so many steps.
    """
    if tree.kept_trace is not None:
        kept = tree.kept_trace.get("steps", ())[:limit]
    elif data is not None:
        kept = weighed(tree, range(tree.n_nodes)[:limit], data)
    else:
        raise ChoiceError("no_trace_pruned" if tree.about.get("pruning") else "no_trace")
    who = {} if data is None else _row_numbers(tree, data)
    filled = tree if data is None or tree.kept_trace is not None else _filled(tree, data)
    steps = []
    for step in kept:
        node = step.get("node") if isinstance(step, dict) else None
        if not (isinstance(node, int) and 0 <= node < tree.n_nodes):
            raise DataError("model_broken_trace")
        told = _told_by(tree, node, step, filled)
        steps.append(told | ({"row_numbers": who[node]} if who else {}))
    return steps


def _filled(tree: TreeData, data: Table) -> TreeData:
    """Return a tree made by hand with the counts of a table; any other as it is."""
    if tree.has_counts or data.target is None:
        return tree
    engine = load("engine", "memory")(data, missing=recipe_of_tree(tree).missing)
    cells = engine.totals(tree, range(tree.n_nodes)).cells
    return replace(tree, nodes=replace(tree.nodes, total=cells), target=data.target.field)


def _told_by(tree: TreeData, node: int, step: Mapping[str, Any], filled: TreeData) -> Plain:
    """Return what is told of a node by the counts of a filled tree; a leaf answers as written."""
    own = {"answer": tree.answer(node)} if tree.is_leaf[node] else {}
    return _told(filled, node, step) | own


def _row_numbers(tree: TreeData, data: Table) -> dict[int, list[int]]:
    """Return which rows passed each node; one that is shared out counts where that begins."""
    passed: dict[int, list[int]] = {node: [] for node in range(tree.n_nodes)}
    if data.n_rows * tree.depth > PASSAGES:
        return {}
    for row, stop in enumerate(apply(tree, data).tolist()):
        for node in tree.path(stop):
            passed[node].append(data.row_number(row))
    return passed


def kept_step(tree: TreeData, node: int) -> Mapping[str, Any]:
    """Return the step of the trace that tells of a node."""
    if tree.kept_trace is None:
        raise ChoiceError("no_trace_pruned" if tree.about.get("pruning") else "no_trace")
    steps = tree.kept_trace.get("steps")
    for step in steps if isinstance(steps, list) else ():
        if isinstance(step, dict) and step.get("node") == node:
            return step
    raise ChoiceError("no_trace_here", node=node)


def about_node(tree: TreeData, node: int) -> Plain:
    """Return what a node is, whoever asks: its path, rows and answer."""
    total = tree.nodes.total[node]
    told: Plain = {
        "node": node,
        "path": [branch_text(tree, step) for step in tree.path(node)[1:]],
        "rows": _plain(tree.weight_of(node)),
        "answer": tree.answer(node),
        "criterion": tree.recipe.get("criterion", "gain"),
        "rules": tree.recipe.get("rules", "textbook"),
        "question": None if tree.is_leaf[node] else tree.schema[int(tree.nodes.column[node])].name,
    }
    if tree.is_regression:
        weight = max(tree.weight_of(node), np.finfo(float).tiny)
        return told | {"variance": float(tree.losses[node]) / weight}
    return told | {
        "classes": list(tree.classes),
        "total": [_plain(v) for v in total.tolist()],
        "entropy": float(entropy_bits(total)),
        "gini": float(gini_impurity(total)),
    }


def _told(tree: TreeData, node: int, step: Mapping[str, Any]) -> Plain:
    told = about_node(tree, node)
    try:
        with np.errstate(divide="raise", invalid="raise", over="raise"):
            return told | _step(tree, node, step)
    except (KeyError, TypeError, IndexError, ValueError, AttributeError, ArithmeticError):
        raise DataError("model_broken_trace") from None


def _step(tree: TreeData, node: int, step: Mapping[str, Any]) -> Plain:
    stop = step.get("stop")
    if stop is None and tree.is_leaf[node]:
        stop = _taken_back(tree)
    if stop == "alike" and any("after" in c for c in step.get("candidates", ())):
        stop = "no_gain"  # there are divisions, and the rules will have none of them
    chosen = None if tree.is_leaf[node] else int(tree.nodes.column[node])
    counted = _counted(tree)
    offered = [
        _candidate(tree, c, chosen) | ({"in_average": counted[c["column"]]} if counted else {})
        for c in step.get("candidates", ())
    ]
    offered.sort(key=_rank)
    if offered and offered[0]["is_chosen"] and len(offered[0].get("branches", ())) > 1:
        branches, first = offered[0]["branches"], int(tree.first_child[node])
        if len(branches) == tree.n_children[node] and "cut" not in offered[0]:
            offered[0]["branches"] = [branches[c - first] for c in children_in_order(tree, node)]
    comparison_cut = [c for c in offered if c["score"] is not None]
    runner_up = (
        comparison_cut[1]["column"] if len(comparison_cut) > 1 and chosen is not None else None
    )
    return {
        "stop": stop if tree.is_leaf[node] else None,
        "runner_up": runner_up,
        "average_gain": _average(step, counted),
        "tied": [tree.schema[c].name for c in step.get("tied", ())],
        "empty": [
            level_text(tree.schema[int(tree.nodes.column[node])], code)
            for code in tree.empty_levels(node)
        ],
        "candidates": offered,
    }


def _counted(tree: TreeData) -> list[bool]:
    """Return which columns count for the average gain that others must reach, if any are."""
    if tree.recipe.get("rules") not in ("quinlan", "c50"):
        return []
    options: Any = recipe_of_tree(tree).options
    return list(options.in_average(tree.schema, tree.weight_of(0)))


def _average(step: Mapping[str, Any], counted: Sequence[bool]) -> float | None:
    """Return the average gain; none where no column that counts for it offers a division."""
    offered = [c["column"] for c in step.get("candidates", ()) if c["gain"] is not None]
    if counted and not any(counted[c] for c in offered):
        return None
    average: float | None = step.get("average_gain")
    return average


def _taken_back(tree: TreeData) -> str:
    """Return why a node that could be divided is a leaf all the same."""
    if tree.about.get("pruning"):
        return "pruned"
    if tree.recipe.get("rules") == "rpart" or tree.recipe.get("ccp_alpha"):
        return "complexity"
    return "max_leaves" if tree.recipe.get("max_leaves") is not None else "by_hand"


def _rank(candidate: Plain) -> tuple[bool, bool, bool, float]:
    """Best first: the chosen one, then by score, then those that did not take part, by gain."""
    score, gain = candidate["score"], candidate["gain"]
    return (
        not candidate["is_chosen"],
        gain is None,
        score is None,
        -(score if score is not None else gain or 0.0),
    )


def _candidate(tree: TreeData, kept: Mapping[str, Any], chosen: int | None) -> Plain:
    field = tree.schema[kept["column"]]
    missing = _weight(tree, np.asarray(kept["missing"], float))
    told: Plain = {
        "column": field.name,
        "kind": field.kind,
        "is_chosen": kept["column"] == chosen,
        "missing": _plain(missing),
        "gain": None,
        "score": kept["score"],
    }
    if "after" not in kept:
        return told
    after = np.asarray(kept["after"], float)
    known = _weight(tree, after.sum(axis=0))
    told["known"] = _plain(known)
    if tree.recipe.get("missing") == "branch":  # rows without a value are one of the parts
        told["known"] = _plain(known - missing)
        missing = 0.0
    told |= {"split_information": kept["split_information"]}
    if tree.is_regression:
        before = float(tree.reader.loss(after.sum(axis=0))) / known
        remains = float(tree.reader.loss(after).sum()) / known
        gain = (before - remains) * known / (known + missing)
        told |= {"gain": gain if abs(gain) > 1e-12 * before else 0.0, "variance_after": remains}
    else:
        gain = (kept["entropy_before"] - kept["entropy_after"]) * known / (known + missing)
        told |= {
            "gain": gain if abs(gain) > 1e-12 * kept["entropy_before"] else 0.0,
            "criterion_gain": kept["gain"],
            "entropy_before": kept["entropy_before"],
            "entropy_after": kept["entropy_after"],
            "gini_before": float(gini_impurity(after.sum(axis=0))),
            "gini_after": kept["gini_after"],
        }
        told["gain_ratio"] = told["gain"] / kept["split_information"]
    if "cut" in kept:
        told |= {k: kept[k] for k in ("cut", "n_cuts", "cuts", "gains", "penalty") if k in kept}
    return told | {"branches": _branches(tree, kept, after)}


def _branches(tree: TreeData, kept: Mapping[str, Any], after: Floats) -> list[Plain]:
    field = tree.schema[kept["column"]]
    if "cut" in kept:
        apart = ["≠ ?", "= ?"]
        cut = None if kept["cut"] is None else _read(tree, kept)
        answers = apart if cut is None else [cut.side(0), cut.side(1), *apart[1:]][: len(after)]
    elif "codes" in kept:
        answers = [
            ", ".join(
                quoted(level_text(field, code))
                for code, side in zip(kept["codes"], kept["sides"], strict=True)
                if side == branch
            )
            for branch in range(len(after))
        ]
        answers = [answer or "?" for answer in answers]  # missing values, in their own branch
    else:
        answers = [""] * len(after)
    told = []
    for answer, part in zip(answers, after, strict=True):
        branch: Plain = {"answer": answer, "rows": _plain(_weight(tree, part))}
        if tree.is_regression:
            branch["variance"] = float(tree.reader.loss(part)) / max(_weight(tree, part), 1e-300)
        else:
            branch |= {
                "total": [_plain(v) for v in part.tolist()],
                "entropy": float(entropy_bits(part)),
                "gini": float(gini_impurity(part)),
            }
        told.append(branch)
    return told


def _read(tree: TreeData, kept: Mapping[str, Any]) -> CutText:
    """Return how the cut of a candidate reads among its others."""
    field, cut = tree.schema[kept["column"]], kept["cut"]
    if not field.is_numeric:
        return CutText(level_text(field, int(cut)))
    text = cut_label(cut, kept["cuts"] if kept["n_cuts"] == len(kept["cuts"]) else ())
    number = float(text)
    is_single = tree.recipe.get("precision") == "single"
    return CutText(text, (in_32_bits(number) if is_single else number) > comparison_cut(tree, cut))


def weighed(tree: TreeData, nodes: Sequence[int], data: Table) -> list[Mapping[str, Any]]:
    """Return the steps that growing would have taken in these nodes, from the rows."""
    recipe = recipe_of_tree(tree)
    engine = load("engine", "memory")(data, missing=recipe.missing)
    rules = load("dialect", recipe.rules)
    totals = engine.totals(tree, range(tree.n_nodes))
    growth = TreeBuilder.from_totals(engine.reader, tree.nodes.parent.tolist(), totals)
    return [_weighed(tree, node, growth, (engine, rules, recipe)) for node in nodes]


def _weighed(
    tree: TreeData, node: int, growth: TreeBuilder, by: tuple[Engine, Dialect, Recipe]
) -> Mapping[str, Any]:
    engine, rules, recipe = by
    reason = rules.stops(growth, node, recipe)
    if reason is not None and tree.is_leaf[node]:
        return {"node": node, "stop": reason}
    offers = rules.offers(engine, tree, [node], recipe)
    tally = next(engine.tally(tree, [node]))
    (choice,) = rules.choose(offers, recipe)
    stop = "alike" if choice.split is None else None
    if choice.split is not None and choice.split.gain < recipe.min_gain:
        stop = "min_gain"
    told = {"stop": stop, "tied": list(choice.tied)}
    return (
        {"node": node}
        | told
        | candidates_step(engine, tally, (offers, scores_of(offers, recipe), 0), recipe)
    )


def recipe_of_tree(tree: TreeData) -> Recipe:
    """Return the recipe that a tree was grown by; ID3 for one made by hand."""
    settings = {k: v for k, v in tree.recipe.items() if k != "name"}
    name = tree.recipe.get("name")
    if name not in RECIPES:
        return recipe_of("id3", missing="fraction")
    return recipe_of(name, **settings)


def _weight(tree: TreeData, total: Floats) -> float:
    return float(tree.reader.weight(total))


def _plain(value: float) -> float | int:
    return int(value) if float(value).is_integer() else float(value)
