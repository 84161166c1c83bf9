"""The comparison of several trees as text: a table of the trees, and a table of the pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from penjing.data.statistics import percent
from penjing.evaluate.comparison_text import MIN_NAME_WIDTH, SIGNIFICANCE, difference_text
from penjing.formatting.lists import numbered_rows
from penjing.formatting.text_table import align_left, max_width, table_lines
from penjing.i18n import say
from penjing.text.labels import figure_text, percent_ends, weight_text
from penjing.text.phrases import join_names

Plain = Mapping[str, Any]

MAX_ROWS = 10
"""Number of differing rows of a pair that are listed."""


def write(comparison: Plain, lang: str = "en") -> str:
    """Return the comparison of several trees.

    Parameters
    ----------
    comparison : dict
        What `TreesComparison.to_dict` returns; ``test`` may name the file of the test set.
    lang : str
        ``en`` or ``zh``.
    """
    lines = [*_trees_table(comparison, lang), "", *_pairs_table(comparison, lang)]
    return "\n".join(lines)


def _trees_table(comparison: Plain, lang: str) -> list[str]:
    trees = comparison["trees"]
    columns = [
        ["", *(str(tree["name"]) for tree in trees)],
        [say("compare_leaves", lang), *(str(tree["leaves"]) for tree in trees)],
        [say("compare_depth", lang), *(str(tree["depth"]) for tree in trees)],
    ]
    for name in trees[0]["tables"]:
        head = _table_name(comparison, name, lang)
        if any("squares" in tree["tables"][name] for tree in trees):
            head = say("compare_rmse", lang, name=head)
        columns.append([head, *(_score(tree["tables"][name], lang) for tree in trees)])
    if comparison["folds"] is not None:
        folds = comparison["folds"]
        key = "compare_leave_one_out" if isinstance(folds, str) else "compare_folds"
        scores = [_score(tree["cross_validation"] or {}, lang) for tree in trees]
        columns.append([say(key, lang, n=folds), *scores])
    lines = table_lines(list(zip(*columns, strict=True)), 2, least_name=MIN_NAME_WIDTH)
    if any("interval" in score for tree in trees for score in tree["tables"].values()):
        lines.append(say("compare_intervals", lang))
    return lines


def _table_name(comparison: Plain, name: str, lang: str) -> str:
    if name == "training":
        return say("compare_training", lang)
    return comparison.get("test") or name if name == "test" else name


def _score(score: Plain, lang: str) -> str:
    if "squares" in score and score.get("weight"):
        return figure_text(math.sqrt(score["squares"] / score["weight"]))
    if "correct" not in score or not score.get("weight"):
        return "-"
    share = percent(score["correct"], score["weight"])
    low, high = percent_ends(score["interval"])
    counts = f"{weight_text(score['correct'])}/{weight_text(score['weight'])}"
    return say("compare_score", lang, counts=counts, share=share, low=low, high=high)


def _pairs_table(comparison: Plain, lang: str) -> list[str]:
    """Return the pairs: rows predicted differently, and where the trees first differ."""
    tables = list(comparison["trees"][0]["tables"])
    heads = [say("compare_pair", lang)]
    heads += [
        say("compare_pair_rows", lang, name=_table_name(comparison, name, lang)) for name in tables
    ]
    rows = [[*heads, say("compare_first", lang)]]
    for pair in comparison["pairs"]:
        cells = [", ".join(pair["trees"]) if lang == "en" else "、".join(pair["trees"])]
        cells += [_rows_cell(pair, name, lang) for name in tables]
        first = next(iter(pair["differences"]), None)
        where = (
            say("compare_none", lang)
            if first is None
            else difference_text(first, pair["trees"], lang)
        )
        rows.append([*cells, where + _verdict(pair, lang)])
    widths = [max_width(column) + 2 for column in list(zip(*rows, strict=True))[:-1]]
    widths[0] = max(widths[0], 10)
    return ["".join(map(align_left, row[:-1], widths)) + row[-1] for row in rows]


def _rows_cell(pair: Plain, name: str, lang: str) -> str:
    rows = pair["rows"][name]
    if not rows:
        return "0"
    ids = [row.get("id") for row in rows]
    if None not in ids:
        listed = join_names(ids, lang, MAX_ROWS)
        column = rows[0]["id_column"]
        return say("compare_pair_ids", lang, n=len(rows), column=column, rows=listed)
    listed = numbered_rows([row["row"] for row in rows], lang)
    return say("compare_pair_cell", lang, n=len(rows), rows=listed)


def _verdict(pair: Plain, lang: str) -> str:
    """Return the p-value of the sign test, if it is small."""
    test = pair["verdict"]
    if test is None or test["p"] > SIGNIFICANCE:
        return ""
    better = pair["trees"][0 if test["only_a"] > test["only_b"] else 1]
    return say("compare_pair_better", lang, better=better, p=f"{test['p']:.2g}")
