"""A tree as a self-contained JavaScript module."""

from __future__ import annotations

import json

from penjing.export.language import Fields, Language, Values
from penjing.export.plan import Plan
from penjing.export.program import write_program
from penjing.tree.tree_data import TreeData

_UNSEEN = """\
const _unseen = (name) => new RangeError(`a level of ${name} was never seen`);

"""


def write(tree: TreeData, *, missing: str | None = None, unseen: str | None = None) -> str:
    """Return a tree as the text of a JavaScript module with ``predict(row)``.

    The parameters are those of :func:`penjing.export.program.write_program`.

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
    return write_program(tree, JavaScript(), missing=missing, unseen=unseen)


class JavaScript(Language):
    """JavaScript (ECMAScript 2020); a row is an object."""

    name = "javascript"
    missing_number, known_number = "_isMissing({v})", "!_isMissing({v})"
    missing_text, known_text = "{v} === null", "{v} !== null"
    equals = "{v} === {level}"
    unseen_error = "throw new RangeError(`a level of ${columns[column[k]]} was never seen`);"
    number_variable = "    const {v} = _numberOf(_at(row, {name}));"
    text_variable = "    const {v} = _textOf(_at(row, {name}), {name});"
    row = "    [{}],"

    head = """\
// {origin}.
//
// predict(row) answers for a row {column: value}; null, undefined and NaN are missing.

export const columns = [{columns}];
export const classes = [{classes}];
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
function _levelOf(value, column) {
    if (value === null || value === undefined || Number.isNaN(value)) return -1;
    const found = levels.get(column).get(value);
    if (found !== undefined) return found;
    return typeof value === "string" ? -2 : levels.get(column).get(String(value)) ?? -2;
}
"""

    nested = """
const texts = new Map([
{texts}
]);

// The level as a text: null is missing, 0 was never seen.
function _textOf(value, column) {
    const code = _levelOf(value, column);
    return code === -1 ? null : code >= 0 ? texts.get(column)[code] : 0;
}

{unseen}// The node where a row stops.
function stopOf(row) {
{variables}{body}
}
"""

    walk = """
const cellsOf = (row) => columns.map(
    (name) => (levels.has(name) ? _levelOf(_at(row, name), name) : _numberOf(_at(row, name))));

{tables}

// The branch of a level: -2 counts as missing, -3 has none.
function findBranch(test, code) {
    let low = pairStart[test];
    let high = pairStart[test + 1];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (pairCode[middle] === code) return pairBranch[middle];
        if (pairCode[middle] < code) low = middle + 1;
        else high = middle;
    }
    return -3;
}

// The branch a row takes, -1 where it stops, -2 where it goes down every branch.
function branchOf(node, cells) {
    const first = testStart[node];
    for (let k = first; k < testStart[node + 1]; k += 1) {
        const value = cells[column[k]];
        if (!Number.isNaN(cut[k])) {
            if (!Number.isNaN(value)) return value <= cut[k] ? below[k] : 1 - below[k];
        } else if (value >= 0 || findBranch(k, value) >= 0) {
            const branch = findBranch(k, value);
            if (branch >= 0) return branch;
            if (branch === -3 && k === first) return -1;
        } else if (value === -2 && k === first) {
            {unseen}
        }
    }
    return last[node];
}

function walk(node, cells) {
    let at = node;
    for (;;) {
        const branch = branchOf(at, cells);
        if (branch < 0) return [at, branch === -2];
        at = child[at] + branch;
    }
}
"""

    stop = """
const stopOf = (row) => walk(0, cellsOf(row))[0];
"""

    predict_class = """
export const predict = (row) => classes[answers[stopOf(row)]];
export const predictProba = (row) => [...shares[stopOf(row)]];
"""

    predict_number = """
export const predict = (row) => answers[stopOf(row)];
"""

    costs = """
const factor = {factor_list};
const loss = {loss_list};
"""

    fractional = """\
{costs}
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

    fractional_predict_class = """
// Of classes that are as likely the first.
export function predict(row) {
    const [found, node] = mixed(row);
    if (node !== null) return classes[answers[node]];
{best}
}
export const predictProba = (row) => mixed(row)[0];
"""

    fractional_predict_number = """
export const predict = (row) => mixed(row)[0][0];
"""

    most_probable = """\
    const least = found.reduce((a, b) => Math.max(a, b)) - {tie};
    return classes[found.findIndex((value) => value >= least)];"""

    least_cost = """\
    const risks = found.map(() => 0);
    found.forEach((value, t) => {
        loss[t].forEach((cost, s) => { risks[s] += value * cost * factor[t]; });
    });
    const most = risks.reduce((a, b) => Math.min(a, b))
        + {tie} * risks.reduce((a, b) => Math.max(a, b));
    return classes[risks.findIndex((risk) => risk <= most)];"""

    def text(self, text: str) -> str:
        """Return a literal without '<', since the program may be part of an HTML page."""
        escaped = json.dumps(text, ensure_ascii=False)
        for character in "<\x7f\u2028\u2029":
            escaped = escaped.replace(character, f"\\u{ord(character):04x}")
        return escaped

    def raise_unseen(self, column: str) -> str:
        """Return the statement that refuses an unseen category of a column."""
        return f"throw _unseen({self.text(column)});"

    def table(self, name: str, values: Values) -> str:
        """Return the declaration of a list of numbers, by a name in camel case."""
        first, *words = name.split("_")
        return f"const {first}{''.join(map(str.title, words))} = [\n{self.items(values)}\n];"

    def level_line(self, plan: Plan, c: int) -> str:
        """Return the line with which the head declares the categories of a column."""
        pairs = []
        for code, (level, text) in enumerate(zip(plan.levels(c), plan.texts(c), strict=True)):
            pairs.append(f"[{self.text(text)}, {code}]")
            if not isinstance(level, str):
                pairs.append(f"[{json.dumps(level)}, {code}]")
        return f"    [{self.text(plan.name(c))}, new Map([{', '.join(pairs)}])],"

    def head_fields(self, plan: Plan) -> Fields:
        """Return the classes, which keep their types."""
        classes = (self.text(c) if isinstance(c, str) else json.dumps(c) for c in plan.tree.classes)
        return {"classes": ", ".join(classes)}

    def nested_fields(self, plan: Plan) -> Fields:
        """Return the categories as texts, and the error for unseen ones."""
        texts = [
            f"    [{self.text(plan.name(c))}, [{self.text_list(plan.texts(c))}]],"
            for c in plan.columns
            if not plan.is_numeric(c)
        ]
        return {
            "texts": "\n".join(texts),
            "unseen": _UNSEEN if plan.unseen == "error" else "",
        }
