"""The trace of growing and pruning a tree as a document, with the formulas of every node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penjing.explain import pruning_text, trace_text
from penjing.explain.node_document import formula_blocks
from penjing.explain.node_text import node_location
from penjing.formatting.document import Block, Document, Heading, Inline, Items, Paragraph, Strong
from penjing.i18n import say
from penjing.text.labels import quoted
from penjing.text.phrases import method_name
from penjing.tree.tree_data import TreeData

Plain = Mapping[str, Any]


def trace_document(
    tree: TreeData,
    steps: Sequence[Plain],
    lang: str = "en",
    *,
    n_steps: int = 0,
    limit: int | None = None,
    formulas: bool = True,
    note: str = "",
    for_command: bool = False,
) -> Document:
    """Return how a tree was grown and pruned as a document.

    Parameters
    ----------
    tree, steps, lang, n_steps, limit
        As in :func:`penjing.explain.trace_text.write_all`.
    formulas : bool
        Show the impurity of every node, all its candidates, and the formulas of the chosen one.
    note : str
        A sentence for the beginning.
    for_command : bool
        Name options of the command instead of methods.
    """
    about = trace_text.about_trace(tree, steps, n_steps)
    blocks: list[Block] = [Paragraph(note)] if note else []
    if steps:
        blocks.append(Paragraph(trace_text.opening_sentence(about, lang)))
    for i, step in enumerate(steps, start=1):
        blocks += _step_blocks(step, i, about, lang, formulas=formulas)
    closing = trace_text.closing(steps, about, lang, for_command=for_command)
    blocks += [Paragraph(sentence) for sentence in closing]
    for record in tree.about.get("pruning", ()):
        if record.get("decisions"):
            blocks += _pruning_blocks(tree, record, lang, limit, for_command=for_command)
    return Document(say("trace_title", lang, target=quoted(tree.target.name)), blocks, lang)


def _step_blocks(step: Plain, i: int, about: Plain, lang: str, *, formulas: bool) -> list[Block]:
    title = say("story_step", lang, i=i, n=about["steps"], place=node_location(step, lang))
    parts = trace_text.step_parts(step, about["recipe"], lang, ascii_only=False)
    if formulas:  # the table has the candidates
        parts = [(key, text) for key, text in parts if key != "weigh"]
    colon = say("label_colon", lang)
    lines: list[list[Inline]] = [
        [Strong(say(f"story_label_{key}", lang)), colon, text] for key, text in parts
    ]
    blocks: list[Block] = [Heading(title), Items(lines)]
    return [*blocks, *formula_blocks(step, lang, all_candidates=False)] if formulas else blocks


def _pruning_blocks(
    tree: TreeData, record: Plain, lang: str, limit: int | None, *, for_command: bool
) -> list[Block]:
    decisions = record["decisions"]
    n = int(record.get("n_decisions", len(decisions)))
    method = method_name(str(record.get("method", "?")), lang)
    blocks: list[Block] = [
        Heading(say("pruned_head", lang, method=method, n=n)),
        Items([pruning_text.decision_text(tree, record, d, lang) for d in decisions[:limit]]),
    ]
    if limit is not None and limit < len(decisions):
        sentence = pruning_text.more_steps(len(decisions) - limit, lang, for_command=for_command)
        blocks.append(Paragraph(sentence))
    return blocks
