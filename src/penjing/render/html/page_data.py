"""The data of a page: the tree as arrays, its texts in every language, and its replay."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from penjing.explain.split_data import with_sketches
from penjing.i18n import LANGUAGES, catalogue, say
from penjing.predict.flat import comparison_cuts
from penjing.render import annotations as node_notes
from penjing.render.box_texts import removed_variance, score_name
from penjing.render.class_colours import class_order, colour_indices
from penjing.render.data_plot import DataPlot, PlotLabel, data_plot, has_words
from penjing.render.heading import heading
from penjing.render.html.replay import replay_data
from penjing.render.icicle import encoding_caption
from penjing.render.theme import THEMES
from penjing.render.value_scale import (
    LEGEND_STEPS,
    ValueScale,
    short_ends,
    short_number,
    spreads_of,
    value_scale,
    value_tints,
)
from penjing.render.visible_nodes import GatheredLeaves
from penjing.text.direction import isolated
from penjing.text.font_metrics import ADVANCES, advance
from penjing.text.labels import CutText, cut_text, quoted, value_texts
from penjing.tree.split import Surrogate
from penjing.tree.tree_data import TreeData

_PREFIXES = (
    "view_", "mark_", "measure_", "rule_", "leaves", "folded_leaves", "icicle_", "root", "legend_",
    "because_answer", "tip_", "picture_share", "picture_variance", "picture_range", "gathered_",
    "picture_weight", "total_weight", "clause_", "list_comma",
)  # fmt: skip
PLACES = 4
"""Decimals of numbers in plots."""


def page_data(
    tree: TreeData, lang: str, theme: str, title: str | None, *, replay: bool = True
) -> dict[str, Any]:
    """Return the data of the page: the tree as arrays, and its texts in every language.

    Parameters
    ----------
    tree : TreeData
        The tree.
    lang, theme : str
        The language and the colours that the page starts with.
    title : str, optional
        The heading; by default the target and the data.
    replay : bool
        Whether the page can replay how the tree was grown and pruned.
    """
    tree = with_sketches(tree)
    nodes = tree.nodes
    scale = value_scale(tree, tree.sketch or ())
    headings = {code: heading(tree, code, title) for code in LANGUAGES}
    cuts = [
        None if math.isnan(c) else "inf" if math.isinf(c) else c
        for c in comparison_cuts(tree).tolist()
    ]
    cut_labels = [None if c is None else cut_text(tree, i) for i, c in enumerate(cuts)]
    ties = node_notes.tied_columns(tree)
    data: dict[str, Any] = {
        "title": headings[lang]["title"],
        "facts": {code: heading_["facts"] for code, heading_ in headings.items()},
        "lang": lang,
        "theme": theme,
        "counted": tree.has_counts,
        "weighted": tree.has_weights,
        "criterion": score_name(tree),
        "classes": None if tree.is_regression else [str(c) for c in tree.classes],
        "shades": colour_indices(tree),
        "order": [] if tree.is_regression else class_order(tree),
        "icicle": {code: encoding_caption(tree, code) for code in LANGUAGES},
        "schema": [
            {"name": f.name, "levels": None if f.is_numeric else [str(v) for v in f.levels]}
            for f in tree.schema
        ],
        "parent": nodes.parent.tolist(),
        "column": nodes.column.tolist(),
        "cut": cuts,
        "cut_text": ["" if cut is None else cut.number for cut in cut_labels],
        "open": [node for node, cut in enumerate(cut_labels) if cut is not None and cut.is_open],
        "levels": [nodes.levels(i).tolist() for i in range(len(nodes))],
        "total": [[_plain_number(v) for v in row] for row in nodes.total.tolist()],
        "value": (
            value_texts(tree.values.tolist()) if tree.is_regression else tree.values.tolist()
        ),
        "score": _scores(tree),
        "missing": None if nodes.missing is None else nodes.missing.tolist(),
        "surrogates": {
            node: [_surrogate(s) for s in surrogates if s.is_used]
            for node, surrogates in nodes.surrogates.items()
        },
        "takes_missing": [n for n in range(len(nodes)) if node_notes.receives_missing(tree, n)],
        "shares_out": tree.recipe.get("missing") == "fraction" and nodes.missing is None,
        "laplace": bool(tree.recipe.get("laplace")),
        "single": tree.recipe.get("precision") == "single",
        "ties": [node for node in ties if not tree.is_leaf[node]],
        "marks": _marks(tree, ties, cut_labels),
        "words": {code: _words(code, len(catalogue(code))) for code in LANGUAGES},
        "scale": None if scale is None else _scale(tree, scale),
        "plots": _plots(tree, scale),
        "show": None,
        "replay": replay_data(tree) if replay and tree.has_counts else None,
        "view": "tree",
        "max_leaves": None,
        "is_document": True,
    }
    data["quoted"] = _quoted(data)
    data["widths"] = _widths(data)
    return data


@cache
def _words(lang: str, _n_known: int) -> dict[str, str]:
    """Return the sentences of the page in a language, which has so many; plug-ins may add some."""
    return {key: text for key, text in catalogue(lang).items() if key.startswith(_PREFIXES)}


def _surrogate(surrogate: Surrogate) -> dict[str, Any]:
    """Return a surrogate as plain data."""
    groups = [codes.tolist() for codes in surrogate.groups]
    return {
        "column": surrogate.column,
        "cut": surrogate.cut,
        "below": surrogate.below,
        "groups": groups,
    }


def _marks(
    tree: TreeData, ties: dict[int, list[str]], cuts: Sequence[CutText | None]
) -> dict[str, dict[int, list[Any]]]:
    """Return for each language the notes of each node that has any.

    They are the note on its card, those in its details, and what holds for missing values.
    """
    marks: dict[str, dict[int, list[Any]]] = {}
    nodes = np.flatnonzero(~tree.is_leaf).tolist()
    for lang in LANGUAGES:
        marks[lang] = {}
        for node in nodes:
            short = node_notes.card_marks(tree, node, lang)
            long = node_notes.split_notes(tree, node, lang, ties.get(node, ()), cuts[node])
            missing = node_notes.missing_notes(tree, node, lang)
            if short or long or missing:
                marks[lang][node] = [short, long, missing]
        nodes = list(marks[lang])  # whether a node has notes does not depend on the language
    return marks


def _scores(tree: TreeData) -> list[str]:
    """Return how good each split is, as a number: its score, or the variance that it removes."""
    if not tree.has_counts:
        return []
    if not tree.is_regression:
        scores = zip(tree.nodes.score.tolist(), tree.is_leaf.tolist(), strict=True)
        return ["" if is_leaf else f"{score:.3f}" for score, is_leaf in scores]
    shares = [
        None if is_leaf else removed_variance(tree, node)
        for node, is_leaf in enumerate(tree.is_leaf.tolist())
    ]
    return ["" if share is None else short_number(100 * share) for share in shares]


def _scale(tree: TreeData, scale: ValueScale) -> dict[str, Any]:
    """Return the scale of a regression tree, and the numbers of its nodes that cards show."""
    deviation = spreads_of(tree).tolist()
    ends = dict(zip(("low", "high"), short_ends(scale.axis_low, scale.axis_high), strict=True))
    return {
        "lowest": scale.lowest,
        "highest": scale.highest,
        "axis": [scale.axis_low, scale.axis_high],
        "short": [scale.text(value) for value in tree.values.tolist()],
        "spread": [float(f"{value:.6g}") for value in deviation],
        "spread_text": [short_number(value) for value in deviation],
        "steps": LEGEND_STEPS,
        "tints": {name: list(value_tints(THEMES[name])) for name in ("light", "dark")},
        "legend": [
            [scale.text(value), round(scale.relative(value), PLACES)]
            for value in scale.legend_values()
        ],
        "note": {
            lang: [say(key, lang, **ends) for key in ("picture_axis_data", "picture_axis")]
            for lang in LANGUAGES
        },
    }


def _plots(tree: TreeData, scale: ValueScale | None) -> dict[int, dict[str, Any]]:
    """Return the plots of the nodes that have a sketch."""
    indices = colour_indices(tree)
    order = [] if tree.is_regression else class_order(tree)
    gathered = GatheredLeaves.of(tree)
    plots = {}
    for sketch in tree.sketch or ():
        drawn = gathered.branches(int(sketch["node"]))
        plot = data_plot(tree, sketch, indices, order, scale, branches=drawn)
        made = dict.fromkeys(LANGUAGES, plot)
        if has_words(sketch):
            for lang in LANGUAGES[1:]:
                made[lang] = data_plot(
                    tree, sketch, indices, order, scale, branches=drawn, lang=lang
                )
        texts = {lang: [_plot_label(label) for label in plot.labels] for lang, plot in made.items()}
        widths = {lang: plot.width for lang, plot in made.items()}
        plots[int(sketch["node"])] = _plot(plot) | {"labels": texts, "width": widths}
    return plots


def _plot(plot: DataPlot) -> dict[str, Any]:
    """Return a plot as plain data: the pieces of a bar have their colours and upper ends."""
    return {
        "bars": [
            [
                *_rounded(bar.left, bar.right),
                [[p.colour_index, *_rounded(p.top)] for p in bar.pieces],
            ]
            for bar in plot.bars
        ],
        "means": [_rounded(m.left, m.right, m.low, m.centre, m.high) for m in plot.means],
        "lines": [_rounded(*line) for line in plot.branch_means],
        "threshold": plot.threshold,
        "dividers": _rounded(*plot.dividers),
    }


def _plot_label(label: PlotLabel) -> list[Any]:
    return [*_rounded(label.x), label.anchor, label.text, *_rounded(label.room), label.is_name]


def _rounded(*numbers: float) -> list[float]:
    return [round(number, PLACES) for number in numbers]


def _quoted(data: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the names that are printed in quotes or from the right, each with its printed form."""
    names = [field["name"] for field in data["schema"]]
    names += itertools.chain(data["classes"] or (), *(f["levels"] or () for f in data["schema"]))
    printed = {name: isolated(quoted(name)) for name in names}
    return [(name, text) for name, text in printed.items() if text != name]


def _widths(data: dict[str, Any]) -> dict[str, Any]:
    """Return the width of every character that the page may draw."""
    labels = [plot["labels"] for plot in data["plots"].values()]
    shown = [labels, *(data[key] for key in ("classes", "schema", "marks", "quoted"))]
    texts = json.dumps(shown, ensure_ascii=False)
    words = itertools.chain.from_iterable(data["words"][lang].values() for lang in LANGUAGES)
    found = set().union(texts, "≤≥−…≠±", *words)
    characters = {c for c in found if not " " <= c <= "~"}
    regular, bold = ADVANCES
    return {
        "regular": regular,
        "bold": bold,
        "other": {c: advance(c, bold=False) for c in sorted(characters)},
    }


def _plain_number(value: float) -> float | int:
    return int(value) if value == int(value) else value
