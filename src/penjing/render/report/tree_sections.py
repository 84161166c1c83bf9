"""The sections about the tree itself: rules, importance, the root, pruning, and the trace."""

from __future__ import annotations

from penjing.data.table import Table
from penjing.errors import PenjingError
from penjing.evaluate.importance import importances
from penjing.explain import node_text, pruning_text, trace_text
from penjing.explain.node import explain as explain_node
from penjing.explain.node import number_of_steps, story
from penjing.i18n import say
from penjing.render.charts import importance_bars
from penjing.render.leaf_rules import rules_of
from penjing.render.report.evaluation import CHART_WIDTH, count_text
from penjing.render.report.page import LONG, NUMBER, PLAIN, Page, preformatted
from penjing.text.formula import decimals
from penjing.text.labels import MAX_GROUP_WIDTH, condition_text, quoted
from penjing.text.row_amounts import amount_heading
from penjing.tree.tree_data import TreeData

MAX_RULES = 100
"""Number of rules that are listed."""
MAX_DECISIONS = 40
"""Number of decisions of a pruning that are listed."""
MAX_STEPS = 200
"""Number of steps of the trace that are listed."""
MAX_COLUMNS = 200
"""Number of columns whose importance is listed."""
PRE_WIDTH = 110
"""The width of preformatted text."""


def add_rules(page: Page, tree: TreeData) -> None:
    """Add the rules, those with most rows first."""
    lang = page.lang
    rules = sorted(rules_of(tree), key=lambda rule: -rule.weight)
    keys = ["prediction", "rule"]
    if tree.has_counts:
        keys += ["rows"] if tree.is_regression else ["rows", "right"]
    rows = []
    for rule in rules[:MAX_RULES]:
        conditions = say("rule_and", lang).join(
            condition_text(condition, lang, most=MAX_GROUP_WIDTH) for condition in rule.conditions
        )
        cells = [rule.prediction, conditions or say("rule_always", lang)]
        cells += [count_text(rule.weight), f"{100 * rule.confidence:.0f}%"]
        rows.append(cells[: len(keys)])
    more = len(rules) - len(rows)
    rest = f"<p class=f>{page.say('document_more', n=more)}</p>" if more else ""
    heads = [
        amount_heading(tree, "document_rows", lang)
        if key == "rows"
        else say(f"document_{key}", lang)
        for key in keys
    ]
    kinds = [PLAIN, LONG, NUMBER, NUMBER][: len(keys)]
    heading = say("document_rules", lang)
    page.add_section("rules", heading, page.table(heading, heads, rows, kinds) + rest)


def add_importances(page: Page, tree: TreeData) -> None:
    """Add the importances of the columns that the tree uses."""
    lang = page.lang
    try:
        found = importances(tree)
    except PenjingError:  # a tree without counts
        return
    used = sorted(((name, v) for name, v in found.items() if v > 0), key=lambda item: -item[1])
    if len(used) < 2:
        return
    heading = say("document_importance", lang)
    figure = page.figure(
        lambda theme: importance_bars.draw(
            found, lang=lang, theme=theme, width=CHART_WIDTH, title=""
        ).svg(),
        heading,
    )
    heads = [say("why_column", lang), say("importance_head", lang)]
    rows = [[quoted(name), decimals(value)] for name, value in used[:MAX_COLUMNS]]
    table = page.table(heading, heads, rows, (PLAIN, NUMBER))
    page.add_section("importance", heading, f"<div class=charts>{figure}{table}</div>")


def add_root(page: Page, tree: TreeData, train: Table | None) -> None:
    """Add the candidate splits of the root, if they are known or can be computed."""
    try:
        explanation = explain_node(tree, 0, train)
    except PenjingError:
        return
    written = node_text.write(explanation, page.lang, width=PRE_WIDTH)
    page.add_section("root", say("document_root", page.lang), preformatted(written))


def add_pruning(page: Page, tree: TreeData) -> None:
    """Add the decisions of pruning."""
    records = [r for r in tree.about.get("pruning", ()) if r.get("decisions")]
    texts = [
        pruning_text.decision_list(tree, record, page.lang, limit=MAX_DECISIONS, for_command=None)
        for record in records
    ]
    if texts:
        body = preformatted("\n".join(texts))
        page.add_section("decisions", say("document_decisions", page.lang), body)


def add_trace(page: Page, tree: TreeData, train: Table | None) -> None:
    """Add how the tree was grown, step by step, or why that is not known."""
    try:
        steps = story(tree, train, MAX_STEPS)
        n_steps = number_of_steps(tree, train)
        written = trace_text.write_all(
            tree, steps, page.lang, n_steps=n_steps, limit=MAX_STEPS, for_command=None
        )
    except PenjingError as problem:
        written = problem.say(page.lang)
    page.add_section("trace", say("document_trace", page.lang), preformatted(written))
