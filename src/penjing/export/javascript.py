"""A tree as a self-contained JavaScript module."""

from __future__ import annotations

import json
import math

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

_HEAD = """\
// {origin}.
//
// predict(row) answers for a row {{column: value}}; null, undefined and NaN are missing.

export const columns = {columns};
export const classes = {classes};
const levels = new Map([
{levels}
]);
const answers = [
{answers}
];
const shares = [
{shares}
];

// A row has what every object inherits (toString, constructor) only where it has it itself.
const _at = (row, name) => (
    name in Object.prototype && !Object.prototype.hasOwnProperty.call(row, name)
        ? undefined : row[name]);
const _isMissing = (value) => Number.isNaN(value);
const _numberOf = (value) => (value === null || value === undefined ? NaN : Number(value));

// The place of a level: -1 is missing, -2 was never seen.
function _levelOf(value, column) {{
    if (value === null || value === undefined || Number.isNaN(value)) return -1;
    const found = levels.get(column).get(value);
    if (found !== undefined) return found;
    return typeof value === "string" ? -2 : levels.get(column).get(String(value)) ?? -2;
}}
"""

_NESTED = """
const texts = new Map([
{texts}
]);

// The level as a text: null is missing, 0 was never seen.
function _textOf(value, column) {{
    const code = _levelOf(value, column);
    return code === -1 ? null : code >= 0 ? texts.get(column)[code] : 0;
}}

{unseen}// The node where a row stops.
function stopOf(row) {{
{body}
}}
"""

_UNSEEN = """\
const _unseen = (name) => new RangeError(`a level of ${name} was never seen`);

"""

_TABLE_WALK = """
const cellsOf = (row) => columns.map(
    (name) => (levels.has(name) ? _levelOf(_at(row, name), name) : _numberOf(_at(row, name))));

const testStart = [
{test_start}
];
const column = [
{column}
];
const cut = [
{cut}
];
const below = [
{below}
];
const pairStart = [
{pair_start}
];
const pairCode = [
{pair_code}
];
const pairBranch = [
{pair_branch}
];
const last = [
{last}
];
const child = [
{child}
];
const nChildren = [
{n_children}
];
const share = [
{share}
];

// The branch of a level: -2 counts as missing, -3 has none.
function findBranch(test, code) {{
    let low = pairStart[test];
    let high = pairStart[test + 1];
    while (low < high) {{
        const middle = (low + high) >> 1;
        if (pairCode[middle] === code) return pairBranch[middle];
        if (pairCode[middle] < code) low = middle + 1;
        else high = middle;
    }}
    return -3;
}}

// The branch a row takes, -1 where it stops, -2 where it goes down every branch.
function branchOf(node, cells) {{
    const first = testStart[node];
    for (let k = first; k < testStart[node + 1]; k += 1) {{
        const value = cells[column[k]];
        if (!Number.isNaN(cut[k])) {{
            if (!Number.isNaN(value)) return value <= cut[k] ? below[k] : 1 - below[k];
        }} else if (value >= 0 || findBranch(k, value) >= 0) {{
            const branch = findBranch(k, value);
            if (branch >= 0) return branch;
            if (branch === -3 && k === first) return -1;
        }} else if (value === -2 && k === first) {{
            {unseen}
        }}
    }}
    return last[node];
}}

function walk(node, cells) {{
    let at = node;
    for (;;) {{
        const branch = branchOf(at, cells);
        if (branch < 0) return [at, branch === -2];
        at = child[at] + branch;
    }}
}}
"""

_STOP = """
const stopOf = (row) => walk(0, cellsOf(row))[0];
"""

_PREDICT = {
    "class": """
export const predict = (row) => classes[answers[stopOf(row)]];
export const predictProba = (row) => [...shares[stopOf(row)]];
""",
    "number": """
export const predict = (row) => answers[stopOf(row)];
""",
}

_FRACTIONAL = """
// What the nodes that a row reaches answer, by their parts; and the node, if it is one.
function mixed(row) {
    const cells = cellsOf(row);
    let [node, isShared] = walk(0, cells);
    if (!isShared) return [[...shares[node]], node];
    const found = shares[0].map(() => 0);
    const waiting = [];
    let part = 1;
    for (;;) {
        if (isShared) {
            for (let c = child[node] + nChildren[node] - 1; c >= child[node]; c -= 1) {
                if (share[c] > 0) waiting.push([c, part * share[c]]);
            }
        } else {
            shares[node].forEach((value, s) => { found[s] += part * value; });
        }
        if (!waiting.length) return [found, null];
        [node, part] = waiting.pop();
        [node, isShared] = walk(node, cells);
    }
}
"""

_FRACTIONAL_PREDICT = {
    "class": """
// Of classes that are as likely the first.
export function predict(row) {{
    const [found, node] = mixed(row);
    if (node !== null) return classes[answers[node]];
{best}
}}
export const predictProba = (row) => mixed(row)[0];
""",
    "number": """
export const predict = (row) => mixed(row)[0][0];
""",
}

_MOST_PROBABLE = """\
    const least = found.reduce((a, b) => Math.max(a, b)) - {tie};
    return classes[found.findIndex((value) => value >= least)];"""

_LEAST_COST = """\
    const risks = found.map(() => 0);
    found.forEach((value, t) => {{
        loss[t].forEach((cost, s) => {{ risks[s] += value * cost * factor[t]; }});
    }});
    const most = risks.reduce((a, b) => Math.min(a, b))
        + {tie} * risks.reduce((a, b) => Math.max(a, b));
    return classes[risks.findIndex((risk) => risk <= most)];"""


def write(tree: TreeData, *, missing: str | None = None, unseen: str | None = None) -> str:
    """Return a tree as the text of a JavaScript module with ``predict(row)``.

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
    >>> print(write(tree))  # doctest: +ELLIPSIS
    // The tree of 'class' (by hand, penjing ...).
    ...
        if (legs === "0") {
            return 1; // fish
        } else if (legs === "2") {
    ...
    """
    plan = build_plan(tree, "javascript", missing=missing, unseen=unseen)
    kind = "number" if tree.is_regression else "class"
    parts = [_head(plan)]
    if fits_nested_if(plan):
        parts.append(_nested(plan))
    else:
        parts += [_table_walk(plan), *([] if plan.has_fractions else [_STOP])]
    if plan.has_fractions:
        if plan.costs is not None:
            factor, loss = (json.dumps(list(x)) for x in (plan.costs.factor, plan.costs.loss))
            parts.append(f"\nconst factor = {factor};\nconst loss = {loss};\n")
        best = _MOST_PROBABLE if plan.costs is None else _LEAST_COST
        return "".join(
            [*parts, _FRACTIONAL, _FRACTIONAL_PREDICT[kind].format(best=best.format(tie=repr(TIE)))]
        )
    return "".join([*parts, _PREDICT[kind]])


def _head(plan: Plan) -> str:
    levels = []
    for c in plan.columns:
        if plan.is_numeric(c):
            continue
        pairs = []
        for code, (level, text) in enumerate(zip(plan.levels(c), plan.texts(c), strict=True)):
            pairs.append(f"[{_text(text)}, {code}]")
            if not isinstance(level, str):
                pairs.append(f"[{json.dumps(level)}, {code}]")
        levels.append(f"    [{_text(plan.name(c))}, new Map([{', '.join(pairs)}])],")
    values = plan.tree.values.tolist()
    classes = [c if isinstance(c, str) else json.dumps(c) for c in plan.tree.classes]
    class_literals = [
        _text(text) if isinstance(c, str) else text
        for c, text in zip(plan.tree.classes, classes, strict=True)
    ]
    return _HEAD.format(
        origin=header_sentence(plan),
        columns="[" + ", ".join(_text(plan.name(c)) for c in plan.columns) + "]",
        classes="[" + ", ".join(class_literals) + "]",
        levels="\n".join(levels),
        answers=wrap_items(map(_number, values) if plan.tree.is_regression else values),
        shares="\n".join(
            "    [" + ", ".join(map(_number, row)) + "]," for row in plan.probabilities.tolist()
        ),
    )


def _nested(plan: Plan) -> str:
    names = column_variables(plan, "javascript")
    body = []
    for c, v in names.items():
        name = _text(plan.name(c))
        get = f"_at(row, {name})"
        value = f"_numberOf({get})" if plan.is_numeric(c) else f"_textOf({get}, {name})"
        body.append(f"    const {v} = {value};")
    texts = [
        f"    [{_text(plan.name(c))}, [{', '.join(map(_text, plan.texts(c)))}]],"
        for c in plan.columns
        if not plan.is_numeric(c)
    ]
    body += if_else_lines(plan, names, SYNTAX)
    unseen = _UNSEEN if plan.unseen == "error" else ""
    return _NESTED.format(texts="\n".join(texts), unseen=unseen, body="\n".join(body))


def _table_walk(plan: Plan) -> str:
    tables = build_tables(plan)
    unseen_action = {
        "stop": "return -1;",
        "missing": "continue;",
        "error": "throw new RangeError(`a level of ${columns[column[k]]} was never seen`);",
    }
    return _TABLE_WALK.format(
        unseen=unseen_action[plan.unseen],
        test_start=wrap_items(tables.test_start),
        column=wrap_items(tables.column),
        cut=wrap_items(map(_number, tables.cut)),
        below=wrap_items(tables.below),
        pair_start=wrap_items(tables.pair_start),
        pair_code=wrap_items(tables.pair_code),
        pair_branch=wrap_items(tables.pair_branch),
        last=wrap_items(tables.fallback),
        child=wrap_items(tables.child),
        n_children=wrap_items(tables.n_children),
        share=wrap_items(map(_number, plan.fractions)),
    )


def _number(value: float) -> str:
    value = float(value)
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _text(text: str) -> str:
    """Return a literal without '<', since the program may be part of an HTML page."""
    escaped = (
        json.dumps(text, ensure_ascii=False).replace("<", "\\u003c").replace("\x7f", "\\u007f")
    )
    return escaped.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


SYNTAX = Syntax(
    and_=" && ",
    or_=" || ",
    true="true",
    false="false",
    number=lambda cut: repr(cut) if math.isfinite(cut) else f"{math.copysign(1, cut):.0f}e999",
    text=_text,
    missing_number="_isMissing({v})",
    known_number="!_isMissing({v})",
    missing_text="{v} === null",
    known_text="{v} !== null",
    equals="{v} === {level}",
    if_="if ({}) {{",
    elif_="}} else if ({}) {{",
    close="}",
    return_node=lambda node, answer: f"return {node}; // {comment_safe(answer)}",
    raise_unseen=lambda column: f"throw _unseen({_text(column)});",
)
