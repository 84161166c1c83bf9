"""Why a node has its split, as a document: its impurity, its candidates, and their formulas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penjing.explain import node_text
from penjing.formatting.document import Block, Document, FormulaLine, Grid, Heading, Paragraph
from penjing.i18n import say
from penjing.text import formula
from penjing.text.labels import condition_text, quoted
from penjing.text.phrases import class_counts, join_clauses, rows_of

Plain = Mapping[str, Any]


def node_document(
    explanation: Plain,
    target: str,
    lang: str = "en",
    *,
    all_candidates: bool = False,
    closing: tuple[str, ...] = (),
) -> Document:
    """Return the explanation of a node as a document.

    Parameters
    ----------
    explanation : dict
        The result of :func:`penjing.explain.node.explain`.
    target : str
        The name of the target.
    lang : str
        ``en`` or ``zh``.
    all_candidates : bool
        Show the formulas of all candidates, not only of the chosen one.
    closing : tuple of str
        Sentences for the end: decisions of pruning.
    """
    location = node_text.node_location(explanation, lang)
    blocks: list[Block] = [Heading(location), Paragraph(rows_line(explanation, lang))]
    if explanation["stop"] is not None:
        blocks.append(Paragraph(node_text.stop_sentence(explanation, lang)))
    blocks += formula_blocks(explanation, lang, all_candidates=all_candidates)
    blocks += [Paragraph(sentence) for sentence in closing]
    return Document(say("why_title", lang, target=quoted(target)), blocks, lang)


def rows_line(explanation: Plain, lang: str) -> str:
    """Return the number of rows of a node, and their classes or mean."""
    rows = rows_of(explanation["rows"], lang, is_weight="is_weight" in explanation)
    if not explanation["rows"]:
        return rows
    if "variance" in explanation:
        mean = say("why_mean", lang, mean=node_text.prediction_text(explanation))
        return join_clauses([rows, mean], lang)
    mixed = class_counts(explanation["classes"], explanation["total"])
    return join_clauses([rows, mixed], lang)


def formula_blocks(explanation: Plain, lang: str, *, all_candidates: bool) -> list[Block]:
    """Return the impurity of a node, the table of its candidates, and the formulas."""
    if not explanation["rows"]:
        return []
    measure = formula.variance if "variance" in explanation else formula.impurity
    blocks: list[Block] = [FormulaLine(measure(explanation))]
    with_gain = [c for c in explanation["candidates"] if c["gain"] is not None]
    if with_gain:
        blocks.append(_table(explanation, with_gain, lang, all_candidates=all_candidates))
    for candidate in with_gain if all_candidates else with_gain[:1]:
        steps = node_text.formulas(explanation, candidate, all_candidates=all_candidates)
        blocks += [FormulaLine(step) for step in steps]
    sentences = node_text.closing_sentences(explanation, lang)
    return [*blocks, *(Paragraph(sentence) for sentence in sentences)]


def _table(explanation: Plain, with_gain: list[Plain], lang: str, *, all_candidates: bool) -> Grid:
    shown = node_text.number_columns(explanation, with_gain, all_candidates=all_candidates)
    headings = [say(node_text.heading_key(key, explanation), lang) for key, _ in shown]
    rows = [
        [
            condition_text(
                quoted(candidate["column"])
                + node_text.condition_suffix(candidate, ascii_only=False),
                lang,
            ),
            *(number(candidate) for _, number in shown),
            node_text.remark(explanation, candidate, lang),
        ]
        for candidate in with_gain
    ]
    head = [say("why_column", lang), *headings, say("why_remark", lang)]
    return Grid(head, rows, last_left=True)
