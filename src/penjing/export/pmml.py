"""A tree as PMML 4.4, the XML exchange format for models.

The predicates treat missing values explicitly (``missingValueStrategy="none"``: any other
comparison with a missing value is false). A row that takes no branch has the prediction of its
node.
"""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import quoteattr

from penjing.data.table import Field
from penjing.errors import CapabilityError
from penjing.export import conditions
from penjing.export.plan import (
    Plan,
    build_plan,
    refuse_characters,
    refuse_fractions,
    refuse_unseen_error,
)
from penjing.tree.tree_data import TreeData

MAX_DEPTH = 200
"""Maximum depth of nested nodes; evaluators read XML recursively."""
MAX_TESTS = 50
STRATEGIES = (
    'missingValueStrategy="none" noTrueChildStrategy="returnLastPrediction"'
    ' splitCharacteristic="multiSplit"'
)
WHITESPACE_ENTITIES = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def write(tree: TreeData, *, missing: str | None = None, unseen: str | None = None) -> str:
    """Return a tree as a PMML document.

    Parameters
    ----------
    tree : TreeData
        The tree.
    missing, unseen : str, optional
        As for `predict`; default: those of the tree's recipe. PMML does not support fractional
        cases: such a tree needs ``missing="stop"``.

    Examples
    --------
    >>> import penjing
    >>> print(write(penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})))  # doctest: +ELLIPSIS
    <?xml version="1.0" encoding="UTF-8"?>
    <PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">
    ...
    """
    plan = build_plan(tree, "pmml", missing=missing, unseen=unseen)
    refuse_fractions(plan, "pmml")
    refuse_unseen_error(plan, "pmml")
    refuse_characters(plan, "pmml", _is_invalid_in_xml)
    if tree.depth > MAX_DEPTH or plan.n_tests > MAX_TESTS:
        raise CapabilityError("export_too_deep", kind="pmml", depth=tree.depth, limit=MAX_DEPTH)
    from penjing import __version__  # noqa: PLC0415 - the top package imports this one

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
    if not is_target:  # with listed values, evaluators treat all others as missing
        return f"{head}/>"
    values = "".join(f"<Value value={_attribute(v)}/>" for v in field.levels)
    return f"{head}>{values}</DataField>"


def _type(levels: Any) -> str:  # noqa: ANN401 - any values
    if levels and all(isinstance(v, int) and not isinstance(v, bool) for v in levels):
        return "integer"
    return "string"


def _outputs(plan: Plan) -> list[str]:
    if plan.tree.is_regression:
        return []
    kind = _type(plan.tree.classes)
    predicted, *titles = map(_attribute, plan.output_names)
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
    stack: list[tuple[int, int, conditions.Condition | None]] = [(0, 2, conditions.ALWAYS)]
    while stack:
        node, depth, test = stack.pop()
        pad = "  " * depth
        if test is None:
            lines.append(f"{pad}</Node>")
            continue
        score = plan.prediction_text(node)
        count = repr(float(plan.tree.weight[node]))
        head = f'{pad}<Node id="{node}" score={_attribute(score)} recordCount="{count}">'
        lines.append(head + _predicate(plan, test) + _distribution(plan, node))
        stack.append((node, depth, None))
        branches = conditions.branches(plan, plan.splits[node])
        stack += [(c, depth + 1, t) for c, t in reversed(branches) if t != conditions.NEVER]
    return lines


def _distribution(plan: Plan, node: int) -> str:
    if plan.tree.is_regression:
        return ""
    weight = float(plan.tree.weight[node]) or 1.0
    return "".join(
        f"<ScoreDistribution value={_attribute(class_)} recordCount={_attribute(share * weight)}"
        f" probability={_attribute(share)}/>"
        for class_, share in zip(plan.classes, plan.probabilities[node].tolist(), strict=True)
    )


def _predicate(plan: Plan, test: conditions.Condition) -> str:
    if isinstance(test, conditions.All | conditions.Any):
        if not test.parts:
            return "<True/>" if isinstance(test, conditions.All) else "<False/>"
        word = "and" if isinstance(test, conditions.All) else "or"
        return _compound(word, [_predicate(plan, part) for part in test.parts])
    name = _attribute(plan.name(test.column))
    if isinstance(test, conditions.AtMost | conditions.MoreThan):
        word = "lessOrEqual" if isinstance(test, conditions.AtMost) else "greaterThan"
        return f'<SimplePredicate field={name} operator="{word}" value="{test.cut!r}"/>'
    if isinstance(test, conditions.Missing | conditions.Known):
        word = "isMissing" if isinstance(test, conditions.Missing) else "isNotMissing"
        return f'<SimplePredicate field={name} operator="{word}"/>'
    # One predicate for each category: evaluators disagree on quotes inside arrays.
    is_one = isinstance(test, conditions.OneOf)
    word = "equal" if is_one else "notEqual"
    parts = [
        f'<SimplePredicate field={name} operator="{word}" value={_attribute(text)}/>'
        for text in (plan.texts(test.column)[code] for code in test.codes)
    ]
    predicate = _compound("or" if is_one else "and", parts)
    if is_one:
        return predicate
    is_missing = f'<SimplePredicate field={name} operator="isMissing"/>'
    return _compound("or", [is_missing, predicate])


def _compound(word: str, parts: list[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    return f'<CompoundPredicate booleanOperator="{word}">{"".join(parts)}</CompoundPredicate>'


def _attribute(value: object) -> str:
    return quoteattr(str(value), WHITESPACE_ENTITIES)


def _is_invalid_in_xml(character: str) -> bool:
    return (character < " " and character not in "\t\n\r") or character in "\ufffe\uffff"
