"""A tree as a self-contained Python module."""

from __future__ import annotations

import math
from itertools import pairwise

from penjing.export.code import (
    Syntax,
    comment_safe,
    fits_nested_if,
    header_sentence,
    if_else_lines,
    wrap_items,
)
from penjing.export.identifiers import column_variables
from penjing.export.plan import Plan, build_plan
from penjing.export.tables import build_tables
from penjing.tree.counts import TIE
from penjing.tree.tree_data import TreeData

_HEAD = '''\
"""{origin}.

predict(row) answers for a row {{column: value}}; None, NaN and an absent column are missing.
"""

import math

COLUMNS = {columns}
CLASSES = {classes}
LEVELS = {{
{levels}
}}
ANSWERS = [
{answers}
]
SHARES = [
{shares}
]


def _number(value):
    return math.nan if value is None else float(value)


def _level(value, column):
    """The number of a level: by value, else by text; -1 is missing, -2 was never seen."""
    if value is None or value != value:
        return -1
    known, alike = LEVELS[column]
    try:
        if value in known:
            return known[value]
    except TypeError:
        pass
    whole = isinstance(value, float) and value.is_integer()
    return alike.get(str(int(value) if whole else value).strip(), -2)

'''

_TEXT = '''
def _text(value, column):
    """The level as a text; None is missing, 0 was never seen."""
    code = _level(value, column)
    return None if code == -1 else TEXTS[column][code] if code >= 0 else 0

'''

_UNSEEN = """
def _unseen(column):
    return ValueError(f"a level of {column} was never seen")

"""

_TABLE_WALK = '''
def _cells(row):
    return [
        _number(row.get(name)) if name not in LEVELS else _level(row.get(name), name)
        for name in COLUMNS
    ]


def _branch(node, cells):
    """The branch a row takes, -1 where it stops, -2 where it goes down every branch."""
    first = TEST_START[node]
    for k in range(first, TEST_START[node + 1]):
        value = cells[COLUMN[k]]
        if CUT[k] == CUT[k]:
            if value == value:
                return BELOW[k] if value <= CUT[k] else 1 - BELOW[k]
        elif value >= 0 or value in BRANCH[k]:
            branch = BRANCH[k].get(value)
            if branch is None and k == first:
                return -1
            if branch is not None and branch >= 0:
                return branch
        elif value == -2 and k == first:
{unseen}
    return LAST[node]


def _walk(node, cells):
    while (branch := _branch(node, cells)) >= 0:
        node = CHILD[node] + branch
    return node, branch == -2


TEST_START = [
{test_start}
]
COLUMN = [
{column}
]
CUT = [
{cut}
]
BELOW = [
{below}
]
BRANCH = [
{pairs}
]
LAST = [
{last}
]
CHILD = [
{child}
]
N_CHILDREN = [
{n_children}
]
SHARE = [
{share}
]

'''

_STOP = '''
def _stop(row):
    """The node where a row stops."""
    return _walk(0, _cells(row))[0]

'''

_PREDICT = '''
def predict(row):
    """Return {what}."""
    return {answer}
'''

_PROBA = '''

def predict_proba(row):
    """Return the share of each class, in the order of CLASSES."""
    return list(SHARES[_stop(row)])
'''

_FRACTIONAL = '''
def _mixed(row):
    """What the nodes that a row reaches answer, by their parts; and the node, if it is one."""
    cells = _cells(row)
    node, is_shared = _walk(0, cells)
    if not is_shared:
        return list(SHARES[node]), node
    found, part, waiting = [0.0] * len(SHARES[0]), 1.0, []
    while True:
        if is_shared:
            for child in range(CHILD[node] + N_CHILDREN[node] - 1, CHILD[node] - 1, -1):
                if SHARE[child] > 0:
                    waiting.append((child, part * SHARE[child]))
        else:
            for s, value in enumerate(SHARES[node]):
                found[s] += part * value
        if not waiting:
            return found, None
        node, part = waiting.pop()
        node, is_shared = _walk(node, cells)

'''

_FRACTIONAL_PREDICT = '''
def predict(row):
    """Return the class of a row; of classes that are as likely the first."""
    found, node = _mixed(row)
    if node is not None:
        return CLASSES[ANSWERS[node]]
{best}


def predict_proba(row):
    """Return the share of each class, in the order of CLASSES."""
    return _mixed(row)[0]
'''

_MOST_PROBABLE = """\
    least = max(found) - {tie!r}
    return CLASSES[next(k for k, share in enumerate(found) if share >= least)]"""

_LEAST_COST = """\
    risks = [0.0] * len(CLASSES)
    for share, factor, loss in zip(found, FACTOR, LOSS):
        risks = [risk + share * cost * factor for risk, cost in zip(risks, loss)]
    most = min(risks) + {tie!r} * max(risks)
    return CLASSES[next(k for k, risk in enumerate(risks) if risk <= most)]"""


def write(tree: TreeData, *, missing: str | None = None, unseen: str | None = None) -> str:
    """Return a tree as the text of a Python module with ``predict(row)``.

    Parameters
    ----------
    tree : TreeData
        The tree.
    missing, unseen : str, optional
        As for `predict`; default: those of the tree's recipe.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> made = {}
    >>> exec(write(tree), made)
    >>> made["predict"]({"legs": 2}), made["predict_proba"]({"legs": 0})
    ('bird', [1.0, 0.0])
    """
    plan = build_plan(tree, "python", missing=missing, unseen=unseen)
    parts = [_head(plan)]
    is_nested = fits_nested_if(plan)
    parts += (
        [_nested(plan)] if is_nested else [_tables(plan), *([] if plan.has_fractions else [_STOP])]
    )
    if plan.has_fractions:
        parts.append(_FRACTIONAL)
        if not tree.is_regression:
            return "".join([*parts, _costs(plan), _FRACTIONAL_PREDICT.format(best=_best(plan))])
        text = _PREDICT.format(what="the number that a row is given", answer="_mixed(row)[0][0]")
        return "".join([*parts, text])
    if tree.is_regression:
        text = _PREDICT.format(what="the number that a row is given", answer="ANSWERS[_stop(row)]")
        return "".join([*parts, text])
    text = _PREDICT.format(what="the class of a row", answer="CLASSES[ANSWERS[_stop(row)]]")
    return "".join([*parts, text, _PROBA])


def _head(plan: Plan) -> str:
    levels = []
    for c in plan.columns:
        if plan.is_numeric(c):
            continue
        by_value = {level: code for code, level in enumerate(plan.levels(c))}
        # Of texts that differ only in surrounding spaces, the first counts.
        by_text = {text.strip(): code for code, text in reversed(list(enumerate(plan.texts(c))))}
        levels.append(f"    {plan.name(c)!r}: ({by_value!r}, {by_text!r}),")
    tree = plan.tree
    answers = [_number(v) for v in tree.values.tolist()] if tree.is_regression else tree.values
    return _HEAD.format(
        origin=comment_safe(header_sentence(plan)).replace('"', "'"),
        columns=repr([plan.name(c) for c in plan.columns]),
        classes=repr(list(tree.classes)),
        levels="\n".join(levels),
        answers=wrap_items(answers),
        shares="\n".join(
            f"    ({', '.join(map(_number, row))},)," for row in plan.probabilities.tolist()
        ),
    )


def _nested(plan: Plan) -> str:
    names = column_variables(plan, "python")
    levels = [
        f"    {plan.name(c)!r}: {plan.texts(c)!r}," for c in plan.columns if not plan.is_numeric(c)
    ]
    lines = ["", "TEXTS = {", *levels]
    body = []
    for c, v in names.items():
        get = f"row.get({plan.name(c)!r})"
        value = f"_number({get})" if plan.is_numeric(c) else f"_text({get}, {plan.name(c)!r})"
        body.append(f"    {v} = {value}")
    body += if_else_lines(plan, names, SYNTAX)
    texts = "" if all(plan.is_numeric(c) for c in plan.columns) else "\n".join([*lines, "}", ""])
    head = '\ndef _stop(row):\n    """The node where a row stops."""\n'
    head = (_UNSEEN if plan.unseen == "error" else "") + head
    return (texts + "\n" + _TEXT if texts else "") + head + "\n".join(body) + "\n\n"


def _tables(plan: Plan) -> str:
    tables = build_tables(plan)
    pairs = [
        dict(zip(tables.pair_code[start:stop], tables.pair_branch[start:stop], strict=True))
        for start, stop in pairwise(tables.pair_start)
    ]
    unseen_action = {
        "stop": "            return -1",
        "missing": "            continue",
        "error": "            raise ValueError(f'a level of {COLUMNS[COLUMN[k]]} was never seen')",
    }
    return _TABLE_WALK.format(
        unseen=unseen_action[plan.unseen],
        test_start=wrap_items(tables.test_start),
        column=wrap_items(tables.column),
        cut=wrap_items(_number(cut) for cut in tables.cut),
        below=wrap_items(tables.below),
        pairs=wrap_items(pairs),
        last=wrap_items(tables.fallback),
        child=wrap_items(tables.child),
        n_children=wrap_items(tables.n_children),
        share=wrap_items(map(_number, plan.fractions)),
    )


def _costs(plan: Plan) -> str:
    if plan.costs is None:
        return ""
    return f"\nFACTOR = {list(plan.costs.factor)!r}\nLOSS = {list(map(list, plan.costs.loss))!r}\n"


def _best(plan: Plan) -> str:
    return (_MOST_PROBABLE if plan.costs is None else _LEAST_COST).format(tie=TIE)


def _number(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "math.nan" if math.isnan(value) else "math.inf" if value > 0 else "-math.inf"


SYNTAX = Syntax(
    and_=" and ",
    or_=" or ",
    true="True",
    false="False",
    number=lambda cut: repr(cut) if math.isfinite(cut) else f"{math.copysign(1, cut):.0f}e999",
    text=repr,
    missing_number="{v} != {v}",
    known_number="{v} == {v}",
    missing_text="{v} is None",
    known_text="{v} is not None",
    equals="{v} == {level}",
    if_="if {}:",
    elif_="elif {}:",
    close="",
    return_node=lambda node, answer: f"return {node}  # {comment_safe(answer)}",
    raise_unseen=lambda column: f"raise _unseen({column!r})",
    is_in=("{v} in (", ")"),
    not_="not ",
)
