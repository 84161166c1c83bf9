"""All that is written about a tree, as texts a person reads: pictures, pages, reports, charts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from penjing.api.tree import Tree
from penjing.data.table import Table
from penjing.errors import PenjingError
from penjing.render.html.page_data import page_data
from written_documents import read_html

RENDERERS = ("text", "markdown", "dot", "svg", "icicle")
REPORT_CHARTS = ("confusion", "roc", "precision_recall", "calibration")


def written_texts(tree: Tree, rows: Table, lang: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each writer and its texts; what a tree does not have is left out."""
    writers: dict[str, Callable[[], Any]] = {
        **{kind: lambda kind=kind: tree.write(kind, lang=lang) for kind in RENDERERS},
        "svg, counts": lambda: tree.write("svg", lang=lang, show="counts", max_leaves=3),
        "svg, test rows": lambda: tree.write("svg", lang=lang, test=rows),
        "icicle, print": lambda: tree.write("icicle", lang=lang, theme="print"),
        "page": lambda: _page_texts(tree, lang),
        "report": lambda: tree.report(test=rows, lang=lang, cross_validation=False, trace=True),
        "importances": lambda: tree.importances().text(lang),
        "importance": lambda: tree.importances().chart(lang=lang),
        "score": lambda: tree.score(rows).text(lang),
        "ruleset": lambda: tree.ruleset(rows, votes=True).text(lang),
        "predictions": lambda: tree.score(rows).chart("predictions", lang=lang),
        "explain": lambda: tree.explain(rows.take([0])).text(lang),
    }
    if len(numbers := _numeric(tree)) > 1:
        writers["plane"] = lambda: tree.plane(*numbers[:2], rows, lang=lang)
    for kind in REPORT_CHARTS:
        writers[kind] = lambda kind=kind: tree.score(rows).chart(kind, lang=lang)
    for node in (0, len(tree.nodes) - 1):
        why = tree.why(node, rows)
        writers |= {
            f"why {node}": lambda why=why: why.text(lang),
            f"why {node}, LaTeX": lambda why=why: why.to_latex(lang),
            f"why {node}, Markdown": lambda why=why: why.to_markdown(lang),
            f"candidates {node}": lambda why=why: why.chart(lang=lang),
        }
    if numbers:
        writers["thresholds"] = lambda: tree.why(0, rows).chart(column=numbers[0], lang=lang)
    writers |= {
        "trace": lambda: tree.trace.with_rows(rows).text(lang),
        "trace, LaTeX": lambda: tree.trace.with_rows(rows).to_latex(lang),
        "trace, Markdown": lambda: tree.trace.with_rows(rows).to_markdown(lang),
    }
    for name, write in writers.items():
        try:
            made = write()
        except PenjingError:
            continue
        yield name, _texts(made)


def _numeric(tree: Tree) -> list[str]:
    return [field.name for field in tree.schema if field.is_numeric]


def _page_texts(tree: Tree, lang: str) -> list[str]:
    """Return the texts in the data of a page that are not those of its script."""
    data = page_data(tree, lang, "light", None)
    return list(_strings([data[key][lang] for key in ("facts", "icicle", "marks")]))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for each in value.values() for text in _strings(each))
    elif isinstance(value, list | tuple):
        yield from (text for each in value for text in _strings(each))


def _texts(made: Any) -> list[str]:
    if isinstance(made, list):
        return made
    text = made if isinstance(made, str) else made.svg()
    if re.match(r"\s*(<!doctype|<svg|<\?xml)", text, re.IGNORECASE):
        return [part.strip() for part in read_html(text).texts if part.strip()]
    return text.splitlines()
