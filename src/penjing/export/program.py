"""The programs that trees become: what is written and in which order, for every language.

A small tree is nested if and else; a large one, and one with fractional cases, is a walk over
tables. Both return the node where a row stops, and the prediction of that node follows.
"""

from __future__ import annotations

from collections.abc import Iterable

from penjing.export import conditions
from penjing.export.language import Fields, Language, Values, comment_safe, fill
from penjing.export.plan import Plan, build_plan
from penjing.export.tables import build_tables
from penjing.tree.counts import TIE
from penjing.tree.tree_data import TreeData

MAX_DEPTH = 20
"""Deeper trees are written as tables."""
MAX_NODES = 600
"""Trees with more nodes are written as tables: Java limits the size of a method."""
MAX_TESTS = 12
"""Trees with more tests (split and surrogates) in a node are written as tables."""


def write_program(
    tree: TreeData, language: Language, *, missing: str | None = None, unseen: str | None = None
) -> str:
    """Return a tree as the text of a program.

    Parameters
    ----------
    tree : TreeData
        The tree.
    language : Language
        The language of the program.
    missing, unseen : str, optional
        As for `predict`; default: those of the tree's recipe.
    """
    plan = build_plan(tree, language.name, missing=missing, unseen=unseen)
    language.check(plan)
    predict = "predict_number" if tree.is_regression else "predict_class"
    variables = {"variables": _variables(plan, language)}
    head = fill(language.part("head"), variables | _head_fields(plan, language))
    if plan.has_fractions:
        fields = {"costs": _costs(plan, language), "best": _best_class(plan, language)}
        end = language.part("fractional") + language.part(f"fractional_{predict}")
        return head + _walk(plan, language) + fill(end, fields)
    if not _fits_nested_if(plan):
        return head + _walk(plan, language) + language.part("stop") + language.part(predict)
    body = {"body": "\n".join(_if_else_lines(plan, language))}
    nested = fill(language.part("nested"), variables | body | language.nested_fields(plan))
    return head + nested + language.part(predict)


def _fits_nested_if(plan: Plan) -> bool:
    """Return whether a tree is small enough for nested if and else."""
    return (
        len(plan.splits) <= MAX_NODES and plan.tree.depth <= MAX_DEPTH and plan.n_tests <= MAX_TESTS
    )


# -- head, tables and costs ---------------------------------------------------------------------


def _head_fields(plan: Plan, language: Language) -> Fields:
    categorical = [c for c in plan.columns if not plan.is_numeric(c)]
    fields = {
        "origin": language.sentence(_origin(plan)),
        "columns": language.text_list(plan.name(c) for c in plan.columns),
        "levels": "\n".join(language.level_line(plan, c) for c in categorical),
        "answers": language.items(plan.tree.values.tolist()),
        "shares": language.rows(plan.probabilities.tolist()),
        "width": str(plan.probabilities.shape[1]),
    }
    return fields | language.head_fields(plan)


def _origin(plan: Plan) -> str:
    """Return the sentence at the top of a program."""
    from penjing import __version__  # noqa: PLC0415 - the top package imports this one

    tree = plan.tree
    recipe = str(tree.recipe.get("name", "by hand"))
    source = tree.about.get("source", {}).get("name")
    rows = f" from {source}" if source else ""
    sentence = f"The tree of {tree.target.name!r}{rows} ({recipe}, penjing {__version__})"
    # A development version must not make the line too long that a release would print.
    length = len(sentence) - len(__version__) + len(__version__.partition(".dev")[0])
    return comment_safe(sentence if length <= 60 else f"The tree of {tree.target.name!r}")


def _variables(plan: Plan, language: Language) -> str:
    lines = []
    for c, v in language.variables(plan).items():
        name = plan.name(c)
        is_number = plan.is_numeric(c)
        template = language.number_variable if is_number else language.text_variable
        fields = {"v": v, "name": language.text(name), "comment": comment_safe(name)}
        lines.append(fill(template, fields) + "\n")
    return "".join(lines)


def _walk(plan: Plan, language: Language) -> str:
    tables = build_tables(plan)
    listed: dict[str, Values] = {
        "test_start": tables.test_start,
        "column": tables.column,
        "cut": tables.cut,
        "below": tables.below,
        "pair_start": tables.pair_start,
        "pair_code": tables.pair_code,
        "pair_branch": tables.pair_branch,
        "last": tables.fallback,
        "child": tables.child,
        "n_children": tables.n_children,
        "share": plan.fractions,
    }
    unseen = {
        "stop": language.unseen_stop,
        "missing": language.unseen_missing,
        "error": language.unseen_error,
    }
    fields = {"tables": language.tables(listed, plan), "unseen": unseen[plan.unseen]}
    return fill(language.part("walk"), fields | language.walk_fields(plan))


def _costs(plan: Plan, language: Language) -> str:
    if plan.costs is None:
        return ""
    factor, loss = plan.costs.factor, plan.costs.loss
    fields = {
        "factor": language.items(factor),
        "loss": language.rows(loss),
        "factor_list": _list(map(language.number, factor)),
        "loss_list": _list(_list(map(language.number, row)) for row in loss),
    }
    return fill(language.part("costs"), fields)


def _list(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


def _best_class(plan: Plan, language: Language) -> str:
    best = language.part("most_probable" if plan.costs is None else "least_cost")
    return fill(best, {"tie": repr(TIE)}).removesuffix("\n")


# -- nested if and else -------------------------------------------------------------------------


def _if_else_lines(plan: Plan, language: Language) -> list[str]:
    """Return the lines of nested if and else that return the node where a row stops."""
    variables = language.variables(plan).items()
    names = {c: fill(language.reference, {"v": v}) for c, v in variables}
    lines: list[str] = []
    stack: list[tuple[int, int, str]] = [(language.indent, 0, "")]  # indent, and a node or a line
    while stack:
        depth, node, line = stack.pop()
        if line:
            lines.append("    " * depth + line)
            continue
        split = plan.splits[node]
        following: list[tuple[int, int, str]] = []
        keyword = language.if_
        if split is not None and plan.unseen == "error":
            unseen = conditions.unseen_condition(plan, split)
            if unseen != conditions.NEVER:
                c = split.tests[0].column
                condition = _condition_text(plan, unseen, names, language)
                lines.append("    " * depth + language.if_.format(condition))
                lines.append("    " * (depth + 1) + language.raise_unseen(plan.name(c)))
                if language.close:
                    lines.append("    " * depth + language.close)
        for child, test in conditions.branches(plan, split):
            if test == conditions.NEVER:
                continue
            condition = _condition_text(plan, test, names, language)
            following.append((depth, 0, keyword.format(condition)))
            following.append((depth + 1, child, ""))
            keyword = language.elif_
        if following and language.close:
            following.append((depth, 0, language.close))
        comment = comment_safe(plan.prediction_text(node))
        # The comment comes last, since it may contain "{node}".
        line = language.return_node.replace("{node}", str(node)).replace("{comment}", comment)
        following.append((depth, 0, line))
        stack += reversed(following)
    return lines


def _condition_text(
    plan: Plan, test: conditions.Condition, names: dict[int, str], language: Language
) -> str:
    """Return a condition as text; the recursion is at most as deep as a node has tests."""
    if isinstance(test, conditions.All | conditions.Any):
        is_all = isinstance(test, conditions.All)
        if not test.parts:
            return language.true if is_all else language.false
        parts = [_condition_text(plan, part, names, language) for part in test.parts]
        return "(" + (language.and_ if is_all else language.or_).join(parts) + ")"
    v = names[test.column]
    if isinstance(test, conditions.AtMost):
        return f"{v} <= {language.threshold(test.cut)}"
    if isinstance(test, conditions.MoreThan):
        return f"{v} > {language.threshold(test.cut)}"
    is_number = plan.is_numeric(test.column)
    if isinstance(test, conditions.Missing):
        return (language.missing_number if is_number else language.missing_text).format(v=v)
    if isinstance(test, conditions.Known):
        return (language.known_number if is_number else language.known_text).format(v=v)
    texts = plan.texts(test.column)
    levels = [language.text(texts[code]) for code in test.codes]
    is_list = len(levels) > 1 and language.is_in is not None
    if is_list and language.is_in is not None:
        membership = language.is_in[0].format(v=v) + ", ".join(levels) + language.is_in[1]
    else:
        membership = language.or_.join(language.equals.format(v=v, level=lv) for lv in levels)
    if isinstance(test, conditions.NoneOf):
        return f"{language.not_}({membership})"
    return membership if len(levels) == 1 or is_list else f"({membership})"
