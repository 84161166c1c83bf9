"""A tree as a self-contained Python module."""

from __future__ import annotations

from itertools import pairwise

from penjing.export.language import Fields, Language, Values, fill, wrap_items
from penjing.export.plan import Plan
from penjing.export.program import write_program
from penjing.tree.tree_data import TreeData

_TEXTS = '''
TEXTS = {
{texts}
}


def _text(value, column):
    """The level as a text; None is missing, 0 was never seen."""
    code = _level(value, column)
    return None if code == -1 else TEXTS[column][code] if code >= 0 else 0

'''

_UNSEEN = """
def _unseen(column):
    return ValueError(f"a level of {column} was never seen")

"""


def write(tree: TreeData, *, missing: str | None = None, unseen: str | None = None) -> str:
    """Return a tree as the text of a Python module with ``predict(row)``.

    The parameters are those of :func:`penjing.export.program.write_program`.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> made = {}
    >>> exec(write(tree), made)
    >>> made["predict"]({"legs": 2}), made["predict_proba"]({"legs": 0})
    ('bird', [1.0, 0.0])
    """
    return write_program(tree, Python(), missing=missing, unseen=unseen)


class Python(Language):
    """Python 3.8; a row is a mapping."""

    name = "python"
    and_, or_, not_ = " and ", " or ", "not "
    true, false = "True", "False"
    missing_number, known_number = "{v} != {v}", "{v} == {v}"
    missing_text, known_text = "{v} is None", "{v} is not None"
    equals = "{v} == {level}"
    is_in = ("{v} in (", ")")
    if_, elif_, close = "if {}:", "elif {}:", ""
    return_node = "return {node}  # {comment}"
    unseen_stop, unseen_missing = "return -1", "continue"
    unseen_error = "raise ValueError(f'a level of {COLUMNS[COLUMN[k]]} was never seen')"
    number_variable = "    {v} = _number(row.get({name}))"
    text_variable = "    {v} = _text(row.get({name}), {name})"
    row = "    ({},),"
    nan, infinity = "math.nan", "math.inf"

    head = '''\
"""{origin}.

predict(row) answers for a row {column: value}; None, NaN and an absent column are missing.
"""

import math

COLUMNS = [{columns}]
CLASSES = [{classes}]
LEVELS = {
{levels}
}
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

    nested = '''\
{texts}{unseen}
def _stop(row):
    """The node where a row stops."""
{variables}{body}

'''

    walk = '''
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


{tables}

'''

    stop = '''
def _stop(row):
    """The node where a row stops."""
    return _walk(0, _cells(row))[0]

'''

    predict_class = '''
def predict(row):
    """Return the class of a row."""
    return CLASSES[ANSWERS[_stop(row)]]


def predict_proba(row):
    """Return the share of each class, in the order of CLASSES."""
    return list(SHARES[_stop(row)])
'''

    predict_number = '''
def predict(row):
    """Return the number that a row is given."""
    return ANSWERS[_stop(row)]
'''

    costs = """
FACTOR = {factor_list}
LOSS = {loss_list}
"""

    fractional = '''
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

    fractional_predict_class = '''\
{costs}
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

    fractional_predict_number = '''
def predict(row):
    """Return the number that a row is given."""
    return _mixed(row)[0][0]
'''

    most_probable = """\
    least = max(found) - {tie}
    return CLASSES[next(k for k, share in enumerate(found) if share >= least)]"""

    least_cost = """\
    risks = [0.0] * len(CLASSES)
    for share, factor, loss in zip(found, FACTOR, LOSS):
        risks = [risk + share * cost * factor for risk, cost in zip(risks, loss)]
    most = min(risks) + {tie} * max(risks)
    return CLASSES[next(k for k, risk in enumerate(risks) if risk <= most)]"""

    def text(self, text: str) -> str:
        """Return a text as a literal."""
        return repr(text)

    def raise_unseen(self, column: str) -> str:
        """Return the statement that refuses an unseen category of a column."""
        return f"raise _unseen({column!r})"

    def table(self, name: str, values: Values) -> str:
        """Return the declaration of a list of numbers."""
        return f"{name.upper()} = [\n{self.items(values)}\n]"

    def tables(self, tables: dict[str, Values], plan: Plan) -> str:  # noqa: ARG002
        """Return the declarations of the tables; a test of categories is a dict."""
        lines = []
        for name, values in tables.items():
            if name == "pair_start":
                spans = pairwise(map(int, values))
                codes, branches = tables["pair_code"], tables["pair_branch"]
                pairs = [dict(zip(codes[i:j], branches[i:j], strict=True)) for i, j in spans]
                lines.append(f"BRANCH = [\n{wrap_items(pairs)}\n]")
            elif not name.startswith("pair_"):
                lines.append(self.table(name, values))
        return "\n".join(lines)

    def level_line(self, plan: Plan, c: int) -> str:
        """Return the line with which the head declares the categories of a column."""
        by_value = {level: code for code, level in enumerate(plan.levels(c))}
        # Of texts that differ only in surrounding spaces, the first counts.
        by_text = {text.strip(): code for code, text in reversed(list(enumerate(plan.texts(c))))}
        return f"    {plan.name(c)!r}: ({by_value!r}, {by_text!r}),"

    def sentence(self, text: str) -> str:
        """Return the sentence at the top, which stands in a docstring."""
        return text.replace('"', "'")

    def head_fields(self, plan: Plan) -> Fields:
        """Return the classes, which keep their types."""
        return {"classes": ", ".join(map(repr, plan.tree.classes))}

    def nested_fields(self, plan: Plan) -> Fields:
        """Return the categories as texts, and the error for unseen ones."""
        texts = [
            f"    {plan.name(c)!r}: {plan.texts(c)!r},"
            for c in plan.columns
            if not plan.is_numeric(c)
        ]
        return {
            "texts": fill(_TEXTS, {"texts": "\n".join(texts)}) if texts else "",
            "unseen": _UNSEEN if plan.unseen == "error" else "",
        }
