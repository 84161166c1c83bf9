"""A tree as Markdown: a heading, a line of facts, and a table of rules."""

from __future__ import annotations

from penjing.formatting.markdown_text import escape_cell, escape_markdown
from penjing.i18n import say
from penjing.render.diagram import heading
from penjing.render.leaf_rules import rules_of
from penjing.text.labels import percent_ends, weight_text
from penjing.text.row_amounts import amount_heading
from penjing.tree.tree_data import TreeData


def write(tree: TreeData, *, lang: str = "en", title: str | None = None) -> str:
    """Return a tree as Markdown.

    Examples
    --------
    >>> import penjing
    >>> print(write(penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}})))
    ## class
    <BLANKLINE>
    by hand | 2 leaves | depth 1 | no counts
    <BLANKLINE>
    | class | when |
    | --- | --- |
    | yes | texture = clear |
    | no | texture = faint |
    """
    head = heading(tree, lang, title)
    names = [tree.target.name]
    if tree.has_counts:
        names.append(amount_heading(tree, "rule_support", lang))
        if not tree.is_regression:
            names.append(say("rule_confidence", lang))
    names.append(say("rule_when", lang))
    facts = escape_markdown(head["facts"])
    lines = [f"## {escape_cell(head['title'])}", "", facts, "", _row(names)]
    lines.append("| " + " | ".join("---" for _ in names) + " |")
    for rule in rules_of(tree, lang):
        cells = [rule.prediction]
        if tree.has_counts:
            cells.append(weight_text(rule.weight))
            if not tree.is_regression:
                low, high = percent_ends(rule.interval)
                cells.append(f"{100 * rule.confidence:.0f}% ({low}-{high})")
        cells.append(say("rule_and", lang).join(rule.conditions) or say("rule_always", lang))
        lines.append(_row(cells))
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(escape_cell(cell) for cell in cells) + " |"
