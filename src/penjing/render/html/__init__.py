"""One HTML file with everything in it: opens from disk, asks no server, needs no network."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from typing import Any

from penjing.errors import unknown_name_error
from penjing.explain.node import story
from penjing.i18n import LANGUAGES, catalogue, say
from penjing.predict.flat import comparison_cuts
from penjing.render import annotations as card_notes
from penjing.render import pruning_text
from penjing.render.class_colours import shades_of
from penjing.render.diagram import heading, measured_by
from penjing.render.icicle import reading
from penjing.render.trace_text import told_step
from penjing.text.font_metrics import ADVANCES, advance
from penjing.text.labels import cut_text, quoted, value_text
from penjing.tree.split import Surrogate
from penjing.tree.tree_data import TreeData

_PREFIXES = ("view_", "mark_", "measure_", "rule_", "leaves", "folded_leaves", "icicle_", "root")
VIEWS = ("tree", "icicle", "list")
_STEPS = 500
"""How many steps of a trace go into the page."""


def write(
    tree: TreeData,
    *,
    lang: str = "en",
    theme: str = "light",
    title: str | None = None,
    view: str = "tree",
) -> str:
    """Return a tree as one self-contained page.

    Fold and unfold, zoom, search, the icicle of the whole tree, the path of a row typed into a
    form with what would change its answer, the steps of growing if the tree kept its trace; with
    the keyboard alone, for screen readers, in every language and both themes.

    Parameters
    ----------
    tree : TreeData
        What to show.
    lang : str
        The language to start in, ``en`` or ``zh``; the page can switch.
    theme : str
        The theme to start in, ``light`` or ``dark``; the page can switch.
    title : str, optional
        The heading; the target's name if not given.
    view : str
        The view to start in, ``tree``, ``icicle`` or ``list``; the page can switch.
    """
    if theme not in {"light", "dark"}:
        raise unknown_name_error("unknown_plug", theme, ("light", "dark"), socket="theme")
    if lang not in LANGUAGES:
        raise unknown_name_error("unknown_plug", lang, LANGUAGES, socket="lang")
    if view not in VIEWS:
        raise unknown_name_error("unknown_plug", view, VIEWS, socket="view")
    data = page_data(tree, lang, theme, title) | {"view": view}
    # In a script element only "</" and "<!--" could end the data early.
    plain = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    room = files("penjing.render.html")
    script = (room / "view.js").read_text(encoding="utf-8")
    style = (room / "view.css").read_text(encoding="utf-8")
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}" data-theme="{theme}">\n<head>\n'
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(data['title'])}</title>\n"
        '<link rel="icon" href="data:,">\n'
        f'<style>\n{style}</style>\n</head>\n<body>\n<div id="penjing"></div>\n'
        f'<script type="application/json" id="data">{plain}</script>\n'
        f'<script type="module">\n{script}\n'
        'mount(document.getElementById("penjing"),'
        ' JSON.parse(document.getElementById("data").textContent));\n'
        "</script>\n</body>\n</html>\n"
    )


def page_data(tree: TreeData, lang: str, theme: str, title: str | None) -> dict[str, Any]:
    """Return what the page needs to know of a tree, as plain data."""
    nodes = tree.nodes
    heads = {code: heading(tree, code, title) for code in LANGUAGES}
    questions = [not leaf for leaf in tree.is_leaf.tolist()]
    cuts = [
        None if math.isnan(c) else "inf" if math.isinf(c) else c
        for c in comparison_cuts(tree).tolist()
    ]
    read = [None if c is None else cut_text(tree, i) for i, c in enumerate(cuts)]
    ties = card_notes.ties_of(tree)
    data: dict[str, Any] = {
        "title": heads[lang]["title"],
        "facts": {code: head["facts"] for code, head in heads.items()},
        "lang": lang,
        "theme": theme,
        "counted": tree.has_counts,
        "criterion": measured_by(tree),
        "classes": None if tree.is_regression else [str(c) for c in tree.classes],
        "shades": shades_of(tree),
        "legend": {code: head["legend"] for code, head in heads.items()},
        "icicle": {code: reading(tree, code) for code in LANGUAGES},
        "schema": [
            {"name": f.name, "levels": None if f.is_numeric else [str(v) for v in f.levels]}
            for f in tree.schema
        ],
        "parent": nodes.parent.tolist(),
        "column": nodes.column.tolist(),
        "cut": cuts,
        "cut_text": ["" if cut is None else cut.number for cut in read],
        "open": [node for node, cut in enumerate(read) if cut is not None and cut.is_open],
        "levels": [nodes.levels(i).tolist() for i in range(len(nodes))],
        "total": [[_short(v) for v in row] for row in nodes.total.tolist()],
        "value": (
            [value_text(tree, i) for i in range(len(nodes))]
            if tree.is_regression
            else tree.values.tolist()
        ),
        "score": [
            round(s, 4) if q else 0 for s, q in zip(nodes.score.tolist(), questions, strict=True)
        ],
        "missing": None if nodes.missing is None else nodes.missing.tolist(),
        "surrogates": {
            node: [_stand_in(s) for s in found if s.is_used]
            for node, found in nodes.surrogates.items()
        },
        "takes_missing": [n for n in range(len(nodes)) if card_notes.takes_missing(tree, n)],
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


def _stand_in(test: Surrogate) -> dict[str, Any]:
    """Return a surrogate as the page asks it."""
    groups = [codes.tolist() for codes in test.groups]
    return {"column": test.column, "cut": test.cut, "below": test.below, "groups": groups}


def _marks(tree: TreeData, lang: str, ties: dict[int, list[str]]) -> dict[int, list[Any]]:
    """Return what questions say besides their counts: on the card, and in full."""
    found = {}
    for node in range(len(tree.nodes)):
        short = card_notes.short(tree, node, lang) if not tree.is_leaf[node] else ""
        told = card_notes.long(tree, node, lang, ties.get(node, ()))
        if short or told:
            found[node] = [short, told]
    return found


def _steps(tree: TreeData) -> list[dict[str, Any]] | None:
    """Return the steps of growing, each told in every language; None without a trace."""
    if not tree.kept_trace:
        return None
    steps = story(tree, limit=_STEPS)
    grown = [
        {
            "node": step["node"],
            "text": {
                lang: "\n".join(told_step(step, i, len(steps), tree.recipe, lang, ascii_only=False))
                for lang in LANGUAGES
            },
        }
        for i, step in enumerate(steps, start=1)
    ]
    return grown + list(itertools.islice(_decisions(tree), _STEPS))


def _decisions(tree: TreeData) -> Iterator[dict[str, Any]]:
    """Yield the decisions of pruning as steps; each shows the node that is left of its own."""
    for record in tree.about.get("pruning", ()):
        for decision in record.get("decisions", ()):
            if "now" in decision:
                head = {"n": len(record["decisions"]), "method": record["method"]}
                text = {
                    lang: say("pruned_head", lang, **head)
                    + "\n  "
                    + pruning_text.step(tree, record, decision, lang)
                    for lang in LANGUAGES
                }
                yield {"node": decision["now"], "text": text}


def _quoted(data: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the names that are printed in quotes, each with how it reads."""
    names = [field["name"] for field in data["schema"]]
    names += itertools.chain(data["classes"] or (), *(f["levels"] or () for f in data["schema"]))
    return [(name, quoted(name)) for name in dict.fromkeys(names) if quoted(name) != name]


def _widths(data: dict[str, Any]) -> dict[str, Any]:
    """Return the width of every character that the page may have to place."""
    kept = [data[key] for key in ("classes", "schema", "words", "marks", "quoted")]
    texts = json.dumps(kept, ensure_ascii=False)
    others = {c for c in texts + "≤≥−…≠" if not " " <= c <= "~"}
    regular, bold = ADVANCES
    return {
        "regular": regular,
        "bold": bold,
        "other": {c: advance(c, bold=False) for c in sorted(others)},
    }


def _short(value: float) -> float | int:
    return int(value) if value == int(value) else value
