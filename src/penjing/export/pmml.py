"""A tree as PMML 4.4, the XML in which models travel.

Predicates say themselves what becomes of missing values (``missingValueStrategy="none"``: any
other comparison with one is false), and a row that no branch takes keeps its node's answer.
"""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import quoteattr

from penjing.data.table import Field
from penjing.errors import CapabilityError
from penjing.export import conditions as when
from penjing.export.plan import Plan, plan_of, refuse_error, refuse_letters, refuse_shares
from penjing.tree.tree_data import TreeData

DEEPEST = 200
"""How many nodes may stand inside each other; evaluators read XML by recursion."""
MOST_TESTS = 50
STRATEGIES = (
    'missingValueStrategy="none" noTrueChildStrategy="returnLastPrediction"'
    ' splitCharacteristic="multiSplit"'
)
LINES = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def write(tree: TreeData, *, missing: str | None = None, unseen: str | None = None) -> str:
    """Return a tree as a PMML document.

    Parameters
    ----------
    tree : TreeData
        The tree.
    missing, unseen : str, optional
        As `predict` takes them; else as the tree's recipe says. PMML cannot share rows out: a
        tree grown so needs ``missing="stop"``.

    Examples
    --------
    >>> import penjing
    >>> print(write(penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})))  # doctest: +ELLIPSIS
    <?xml version="1.0" encoding="UTF-8"?>
    <PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">
    ...
    """
    plan = plan_of(tree, "pmml", missing=missing, unseen=unseen)
    refuse_shares(plan, "pmml")
    refuse_error(plan, "pmml")
    refuse_letters(plan, "pmml", _is_no_xml)
    n_tests = max((len(ask.tests) for ask in plan.asks if ask), default=0)
    if tree.depth > DEEPEST or n_tests > MOST_TESTS:
        raise CapabilityError("export_too_deep", kind="pmml", depth=tree.depth, limit=DEEPEST)
    from penjing import __version__  # noqa: PLC0415 - the package's own name, set above all rooms

    kind = "regression" if tree.is_regression else "classification"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">',
        f'  <Header><Application name="penjing" version="{__version__}"/></Header>',
        f'  <DataDictionary numberOfFields="{len(plan.columns) + 1}">',
        *(_data_field(tree.schema[c]) for c in plan.columns),
        _data_field(tree.target, is_target=True),
        "  </DataDictionary>",
        f'  <TreeModel functionName="{kind}" {STRATEGIES}>',
        "    <MiningSchema>",
        *(f"      <MiningField name={_attribute(plan.name(c))}/>" for c in plan.columns),
        f'      <MiningField name={_attribute(tree.target.name)} usageType="target"/>',
        "    </MiningSchema>",
        *_outputs(plan),
        *_nodes(plan),
        "  </TreeModel>",
        "</PMML>",
    ]
    return "\n".join(lines) + "\n"


def _data_field(field: Field, *, is_target: bool = False) -> str:
    name = _attribute(field.name)
    if field.is_numeric:
        return f'    <DataField name={name} optype="continuous" dataType="double"/>'
    kind = _type(field.levels)
    head = f'    <DataField name={name} optype="categorical" dataType="{kind}"'
    if not is_target:  # where levels are listed, evaluators take others for missing
        return f"{head}/>"
    values = "".join(f"<Value value={_attribute(v)}/>" for v in field.levels)
    return f"{head}>{values}</DataField>"


def _type(levels: Any) -> str:  # noqa: ANN401 - levels
    if levels and all(isinstance(v, int) and not isinstance(v, bool) for v in levels):
        return "integer"
    return "string"


def _outputs(plan: Plan) -> list[str]:
    if plan.tree.is_regression:
        return []
    kind = _type(plan.tree.classes)
    predicted, *titles = map(_attribute, plan.answers)
    rows = [
        f'      <OutputField name={title} optype="continuous" dataType="double"'
        f' feature="probability" value={_attribute(c)}/>'
        for title, c in zip(titles, plan.classes, strict=True)
    ]
    first = (
        f'      <OutputField name={predicted} optype="categorical"'
        f' dataType="{kind}" feature="predictedValue"/>'
    )
    return ["    <Output>", first, *rows, "    </Output>"]


def _nodes(plan: Plan) -> list[str]:
    lines: list[str] = []
    waiting: list[tuple[int, int, when.Condition | None]] = [(0, 2, when.ALWAYS)]
    while waiting:
        node, depth, test = waiting.pop()
        pad = "  " * depth
        if test is None:
            lines.append(f"{pad}</Node>")
            continue
        value = plan.tree.values[node]
        score = repr(float(value)) if plan.tree.is_regression else plan.classes[int(value)]
        count = repr(float(plan.tree.weight[node]))
        head = f'{pad}<Node id="{node}" score={_attribute(score)} recordCount="{count}">'
        lines.append(head + _predicate(plan, test) + _distribution(plan, node))
        waiting.append((node, depth, None))
        ask = plan.asks[node]
        if ask is not None:
            arms = list(zip(ask.children, when.branches(plan, ask), strict=True))
            waiting += [(c, depth + 1, t) for c, t in reversed(arms) if t != when.NEVER]
    return lines


def _distribution(plan: Plan, node: int) -> str:
    if plan.tree.is_regression:
        return ""
    weight = float(plan.tree.weight[node]) or 1.0
    return "".join(
        f"<ScoreDistribution value={_attribute(class_)} recordCount={_attribute(share * weight)}"
        f" probability={_attribute(share)}/>"
        for class_, share in zip(plan.classes, plan.shares[node].tolist(), strict=True)
    )


def _predicate(plan: Plan, test: when.Condition) -> str:
    if isinstance(test, when.All | when.Any):
        if not test.parts:
            return "<True/>" if isinstance(test, when.All) else "<False/>"
        word = "and" if isinstance(test, when.All) else "or"
        return _compound(word, [_predicate(plan, part) for part in test.parts])
    name = _attribute(plan.name(test.column))
    if isinstance(test, when.AtMost | when.MoreThan):
        word = "lessOrEqual" if isinstance(test, when.AtMost) else "greaterThan"
        return f'<SimplePredicate field={name} operator="{word}" value="{test.cut!r}"/>'
    if isinstance(test, when.Missing | when.Known):
        word = "isMissing" if isinstance(test, when.Missing) else "isNotMissing"
        return f'<SimplePredicate field={name} operator="{word}"/>'
    # One test a level: evaluators disagree on how a quote inside an array is written.
    is_one = isinstance(test, when.OneOf)
    word = "equal" if is_one else "notEqual"
    parts = [
        f'<SimplePredicate field={name} operator="{word}" value={_attribute(text)}/>'
        for text in (plan.texts(test.column)[code] for code in test.codes)
    ]
    found = _compound("or" if is_one else "and", parts)
    if is_one:
        return found
    gone = f'<SimplePredicate field={name} operator="isMissing"/>'
    return _compound("or", [gone, found])


def _compound(word: str, parts: list[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    return f'<CompoundPredicate booleanOperator="{word}">{"".join(parts)}</CompoundPredicate>'


def _attribute(value: object) -> str:
    return quoteattr(str(value), LINES)


def _is_no_xml(letter: str) -> bool:
    return (letter < " " and letter not in "\t\n\r") or letter in "\ufffe\uffff"
