"""A tree as one interactive HTML page that works from disk, without server or network."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from typing import Any

from penjing.errors import unknown_name_error
from penjing.explain import pruning_text
from penjing.explain.node import story
from penjing.explain.trace_text import step_lines
from penjing.i18n import LANGUAGES, catalogue, say
from penjing.predict.flat import comparison_cuts
from penjing.render import annotations as node_notes
from penjing.render.class_colours import colour_indices
from penjing.render.diagram import heading, score_name
from penjing.render.icicle import encoding_caption
from penjing.text.font_metrics import ADVANCES, advance
from penjing.text.labels import cut_text, quoted, value_text
from penjing.text.phrases import method_name
from penjing.tree.split import Surrogate
from penjing.tree.tree_data import TreeData

_PREFIXES = ("view_", "mark_", "measure_", "rule_", "leaves", "folded_leaves", "icicle_", "root")
VIEWS = ("tree", "icicle", "list")
MAX_STEPS = 500
"""Maximum number of steps of the trace in the page."""


def write(
    tree: TreeData,
    *,
    lang: str = "en",
    theme: str = "light",
    title: str | None = None,
    view: str = "tree",
) -> str:
    """Return a tree as one self-contained page.

    Readers can fold, zoom and search the tree, switch to an icicle plot or a list, enter a row to
    see its path and the changes that would alter its prediction, and replay the growth of a tree
    that has a trace. The page works with the keyboard alone and with screen readers.

    Parameters
    ----------
    tree : TreeData
        The tree to show.
    lang : str
        The language to start in, ``en`` or ``zh``; the page can switch.
    theme : str
        The theme to start in, ``light`` or ``dark``; the page can switch.
    title : str, optional
        The heading; default: the target's name.
    view : str
        The view to start in, ``tree``, ``icicle`` or ``list``; the page can switch.
    """
    if theme not in {"light", "dark"}:
        raise unknown_name_error("unknown_choice", theme, ("light", "dark"), kind="theme")
    if lang not in LANGUAGES:
        raise unknown_name_error("unknown_choice", lang, LANGUAGES, kind="lang")
    if view not in VIEWS:
        raise unknown_name_error("unknown_choice", view, VIEWS, kind="view")
    data = page_data(tree, lang, theme, title) | {"view": view}
    # In a script element, "</" and "<!--" would end the data early.
    json_text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    folder = files("penjing.render.html")
    script = (folder / "view.js").read_text(encoding="utf-8")
    style = (folder / "view.css").read_text(encoding="utf-8")
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}" data-theme="{theme}">\n<head>\n'
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(data['title'])}</title>\n"
        '<link rel="icon" href="data:,">\n'
        f'<style>\n{style}</style>\n</head>\n<body>\n<div id="penjing"></div>\n'
        f'<script type="application/json" id="data">{json_text}</script>\n'
        f'<script type="module">\n{script}\n'
        'mount(document.getElementById("penjing"),'
        ' JSON.parse(document.getElementById("data").textContent));\n'
        "</script>\n</body>\n</html>\n"
    )


def page_data(tree: TreeData, lang: str, theme: str, title: str | None) -> dict[str, Any]:
    """Return the data of the page: the tree as arrays, and its texts in every language."""
    nodes = tree.nodes
    headings = {code: heading(tree, code, title) for code in LANGUAGES}
    is_split = [not leaf for leaf in tree.is_leaf.tolist()]
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
        "criterion": score_name(tree),
        "classes": None if tree.is_regression else [str(c) for c in tree.classes],
        "shades": colour_indices(tree),
        "legend": {code: heading_["legend"] for code, heading_ in headings.items()},
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
            [value_text(tree, i) for i in range(len(nodes))]
            if tree.is_regression
            else tree.values.tolist()
        ),
        "score": [
            round(s, 4) if q else 0 for s, q in zip(nodes.score.tolist(), is_split, strict=True)
        ],
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
        "marks": {code: _marks(tree, code, ties) for code in LANGUAGES},
        "words": {
            code: {k: v for k, v in catalogue(code).items() if k.startswith(_PREFIXES)}
            for code in LANGUAGES
        },
        "trace": _steps(tree),
    }
    data["quoted"] = _quoted(data)
    data["widths"] = _widths(data)
    return data


def _surrogate(surrogate: Surrogate) -> dict[str, Any]:
    """Return a surrogate as plain data."""
    groups = [codes.tolist() for codes in surrogate.groups]
    return {
        "column": surrogate.column,
        "cut": surrogate.cut,
        "below": surrogate.below,
        "groups": groups,
    }


def _marks(tree: TreeData, lang: str, ties: dict[int, list[str]]) -> dict[int, list[Any]]:
    """Return the notes of each node that has any: on its card, and in its tooltip."""
    marks = {}
    for node in range(len(tree.nodes)):
        short = node_notes.card_marks(tree, node, lang) if not tree.is_leaf[node] else ""
        long = node_notes.tooltip_notes(tree, node, lang, ties.get(node, ()))
        if short or long:
            marks[node] = [short, long]
    return marks


def _steps(tree: TreeData) -> list[dict[str, Any]] | None:
    """Return the steps of growing and pruning as texts; None without a trace."""
    if not tree.kept_trace:
        return None
    steps = story(tree, limit=MAX_STEPS)
    growing_steps = [
        {
            "node": step["node"],
            "text": {
                lang: "\n".join(
                    step_lines(step, i, len(steps), tree.recipe, lang, ascii_only=False)
                )
                for lang in LANGUAGES
            },
        }
        for i, step in enumerate(steps, start=1)
    ]
    return growing_steps + list(itertools.islice(_decisions(tree), MAX_STEPS))


def _decisions(tree: TreeData) -> Iterator[dict[str, Any]]:
    """Yield the pruning decisions as steps, each at the node that replaced the one decided on."""
    for record in tree.about.get("pruning", ()):
        for decision in record.get("decisions", ()):
            if "now" in decision:
                n = len(record["decisions"])
                text = {
                    lang: say("pruned_head", lang, n=n, method=method_name(record["method"], lang))
                    + "\n  "
                    + pruning_text.decision_text(tree, record, decision, lang)
                    for lang in LANGUAGES
                }
                yield {"node": decision["now"], "text": text}


def _quoted(data: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the names that are printed in quotes, each with its quoted form."""
    names = [field["name"] for field in data["schema"]]
    names += itertools.chain(data["classes"] or (), *(f["levels"] or () for f in data["schema"]))
    return [(name, quoted(name)) for name in dict.fromkeys(names) if quoted(name) != name]


def _widths(data: dict[str, Any]) -> dict[str, Any]:
    """Return the width of every character that the page may draw."""
    shown = [data[key] for key in ("classes", "schema", "words", "marks", "quoted")]
    texts = json.dumps(shown, ensure_ascii=False)
    characters = {c for c in texts + "≤≥−…≠" if not " " <= c <= "~"}
    regular, bold = ADVANCES
    return {
        "regular": regular,
        "bold": bold,
        "other": {c: advance(c, bold=False) for c in sorted(characters)},
    }


def _plain_number(value: float) -> float | int:
    return int(value) if value == int(value) else value
