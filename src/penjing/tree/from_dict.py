"""Build a tree from a nested dict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from penjing import arguments
from penjing.data.read.schema import ColumnSpec, check_schema, parse_column_spec
from penjing.data.source import ColumnSchema
from penjing.data.table import Field
from penjing.errors import DataError, WrongSourceError
from penjing.tree.nodes import LEAF, Nodes
from penjing.tree.split import NO_BRANCH
from penjing.tree.split_syntax import (
    Side,
    are_two_sides,
    parse_cut,
    parse_levels,
    parse_number,
    parse_side,
    plain_text,
    strip_column_name,
    unquote,
)
from penjing.tree.tree_data import BY_HAND, TreeData

MAX_DICTS = 10_000_000
"""The largest number of dicts in a nested dict."""

Schema = Mapping[str, ColumnSchema] | Sequence[Field] | None


class CountedLeaf(NamedTuple):
    """A leaf with the numbers that a printed tree has in parentheses: rows, and errors."""

    answer: Any
    rows: float
    errors: float = 0.0


@dataclass(slots=True)
class _NodeLists:
    """The lists from which a tree is built, one entry per node."""

    parent: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)
    gap: list[tuple[float, float]] = field(default_factory=list)
    levels: list[tuple[int, ...]] = field(default_factory=list)
    leaf: list[CountedLeaf | None] = field(default_factory=list)

    def set_cut(self, node: int, number: float, *, is_open: bool) -> None:
        """Set the threshold of a node; if it is open, the number itself takes the upper branch."""
        self.cut[node] = math.nextafter(number, -math.inf) if is_open else number
        if is_open:  # so that it is printed as it was written
            self.gap[node] = (self.cut[node], number)

    def add_node(self, parent: int, levels: tuple[int, ...]) -> None:
        """Append a node that has neither a split nor a class yet."""
        self.parent.append(parent)
        self.column.append(LEAF)
        self.cut.append(math.nan)
        self.gap.append((math.nan, math.nan))
        self.levels.append(levels)
        self.leaf.append(None)

    @property
    def leaves(self) -> list[CountedLeaf]:
        """The leaves, in the order of nodes."""
        return [leaf for leaf in self.leaf if leaf is not None]

    @property
    def is_counted(self) -> bool:
        """Whether every leaf has its numbers of rows and errors."""
        return all(math.isfinite(leaf.rows) for leaf in self.leaves)


def from_dict(
    plain: Any,  # noqa: ANN401 - a dict, or a class
    target: str = "class",
    schema: Schema = None,
) -> TreeData:
    """Return the tree of a nested dict ``{column: {category: class or dict}}``.

    Such a tree has no counts: every leaf stands for one row.

    Parameters
    ----------
    plain : dict
        As `Tree.to_dict` returns it, or with branches as in a printed tree: categories
        (``"clear"``, ``"= clear"``), groups of categories (a tuple, ``"in {a, b}"``), and the two
        sides of a threshold: ``"<= c"`` and ``"> c"``, ``"< c"`` and ``">= c"``, ``"≠ ?"`` (known)
        and ``"= ?"``. Blanks do not matter, and ``≤ ≥`` mean the same as ``<= >=``. Write a
        category that looks like one of these as a tuple: ``("<=30",)``. If all leaves are numbers
        and one of them is a float, the tree predicts numbers.
    target : str
        The name of the target.
    schema : dict, or fields
        Types of columns and of the target as in :func:`penjing.read`. The order of an ordinal
        column is needed for thresholds such as ``"<= M"``.

    Examples
    --------
    >>> tree = from_dict({"no surfacing": {0: "no", 1: {"flippers": {0: "no", 1: "yes"}}}})
    >>> tree.depth, tree.n_leaves
    (2, 3)
    >>> sizes = {"size": {"<= M": "no", "> M": "yes"}}
    >>> from_dict(sizes, schema={"size": {"ordinal": ["S", "M", "L"]}}).schema[0].kind
    'ordered'
    """
    arguments.text("target", target)
    specs = declared_types(schema)
    _check_size(plain)
    columns: dict[str, dict[Any, int]] = {
        name: {level: code for code, level in enumerate(spec.levels or ())}
        for name, spec in specs.items()
    }
    positions: dict[str, int] = {}
    numeric: set[str] = set()
    lists = _NodeLists()
    lists.add_node(-1, ())
    order: list[Any] = [plain]
    for node, part in enumerate(order):  # the list grows during the loop: breadth first
        if not isinstance(part, dict):
            classes = specs[target].levels if target in specs else None
            lists.leaf[node] = _leaf(part, classes)
            continue
        name, branches = _column_and_branches(part)
        codes_of = columns.setdefault(name, {})
        spec = specs.get(name, ColumnSpec("nominal"))
        lists.column[node] = positions.setdefault(name, len(positions))
        cut = _threshold(name, list(branches), spec)
        is_printed = all(parse_levels(key) is not None for key in branches)
        used_codes: set[int] = set()
        for key, below in branches.items():
            levels = (
                () if cut is not None else _levels(name, parse_levels(key) if is_printed else key)
            )
            levels = tuple(_declared_level(level, spec.levels) for level in levels)
            codes = tuple(codes_of.setdefault(level, len(codes_of)) for level in levels)
            if len(used_codes | set(codes)) < len(used_codes) + len(codes):
                raise DataError("dict_level_twice", column=name, level=key)
            used_codes.update(codes)
            lists.add_node(node, codes)
            order.append(below)
        if cut is not None:
            lists.set_cut(node, cut[0], is_open=cut[1])
            if math.isfinite(cut[0]):
                numeric.add(name)
    fields = _fields(lists, positions, columns, specs, numeric)
    splits_on_missing = math.inf in lists.cut
    recipe = {
        "name": BY_HAND,
        "missing": "branch" if splits_on_missing else "refuse",
        "unseen": "stop",
    }
    answers = _target_field(target, specs.get(target), lists.leaves)
    nodes, is_counted = _nodes(lists, answers, specs.get(target))
    about: dict[str, Any] = {"counted": False}
    if is_counted:
        about = _training_summary(nodes)
    return TreeData(nodes, fields, answers, recipe, about=about)


def declared_types(schema: Any) -> dict[str, ColumnSpec]:  # noqa: ANN401 - checked here
    """Return the type that a schema gives each column."""
    check_schema(schema)
    if schema is None:
        return {}
    by_name = schema if isinstance(schema, Mapping) else {f.name: f for f in schema}
    return {str(name): parse_column_spec(name, value) for name, value in by_name.items()}


def _check_size(plain: Any) -> None:  # noqa: ANN401 - a dict, or a class
    """Refuse a dict that contains itself, or that expands to too many nodes.

    A dict may occur in several places; its nodes then count once for each.
    """
    size: dict[int, int] = {}
    ancestors: set[int] = set()
    stack = [plain] if isinstance(plain, dict) else []
    while stack:
        part, key = stack[-1], id(stack[-1])
        children = [value for value in part.values() if isinstance(value, dict)]
        if key in ancestors:  # all its children have been counted
            ancestors.remove(key)
            size[key] = 1 + sum(size[id(value)] for value in children)
            if size[key] > MAX_DICTS:
                raise DataError("dict_too_large", limit=MAX_DICTS)
        if key in size:
            stack.pop()
            continue
        ancestors.add(key)
        if any(id(value) in ancestors for value in children):
            raise DataError("dict_holds_itself")
        stack += children


def _leaf(part: Any, classes: Sequence[Any] | None) -> CountedLeaf:  # noqa: ANN401 - unchecked
    """Return a leaf: a class, a number, or a leaf with its counts."""
    leaf = part if isinstance(part, CountedLeaf) else CountedLeaf(part, math.nan)
    return leaf._replace(answer=_declared_level(_plain(leaf.answer), classes))


# -- columns and the target --------------------------------------------------------------------


def _declared_level(level: Any, levels: Sequence[Any] | None) -> Any:  # noqa: ANN401
    """Return the declared category or class that a value is, by text if not by value."""
    if not levels or any(level == each and type(level) is type(each) for each in levels):
        return level
    return next((each for each in levels if str(each) == str(level)), level)


def _fields(
    lists: _NodeLists,
    positions: Mapping[str, int],
    columns: Mapping[str, Mapping[Any, int]],
    specs: Mapping[str, ColumnSpec],
    with_threshold: set[str],
) -> tuple[Field, ...]:
    """Return the columns of the tree; splits of an ordinal column get thresholds."""
    fields = []
    for name, column in positions.items():
        kind, levels = specs.get(name, ColumnSpec("nominal")).kind, tuple(columns[name])
        is_ordered = kind == "ordered" and bool(levels) and _cut_groups(lists, column, len(levels))
        if is_ordered:
            fields.append(Field(name, "ordered", levels))
            continue
        is_numeric = name in with_threshold or kind == "numeric"
        if is_numeric and levels:
            raise DataError("dict_mixed_column", column=name)
        fields.append(Field(name, "numeric") if is_numeric else Field(name, "nominal", levels))
    return tuple(fields)


def _cut_groups(lists: _NodeLists, column: int, n_levels: int) -> bool:
    """Turn two groups of ordered categories into a threshold; return whether all splits could."""
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(lists.parent):
        if parent >= 0 and lists.column[parent] == column and math.isnan(lists.cut[parent]):
            children.setdefault(parent, []).append(node)
    found = {}
    for node, (first, *others) in children.items():
        below, n_below = sorted(lists.levels[first]), len(lists.levels[first])
        above = sorted(lists.levels[others[0]]) if len(others) == 1 else []
        if below != list(range(n_below)) or above != list(range(n_below, n_levels)):
            return False
        found[node] = n_below - 1
    for node, cut in found.items():
        lists.cut[node] = float(cut)
        for child in children[node]:
            lists.levels[child] = ()
    return True


def _target_field(name: str, spec: ColumnSpec | None, leaves: Iterable[CountedLeaf]) -> Field:
    """Return the target: classes in the order of leaves, or a number."""
    answers = list(dict.fromkeys(leaf.answer for leaf in leaves))
    are_numbers = all(arguments.is_number(answer) for answer in answers)
    if spec is not None and spec.kind == "numeric":
        if not are_numbers:
            wrong = next(answer for answer in answers if not arguments.is_number(answer))
            raise DataError("dict_not_a_number", target=name, value=wrong)
        return Field(name, "numeric")
    if spec is not None and spec.levels is not None:
        unknown = [answer for answer in answers if answer not in spec.levels]
        return Field(name, "nominal", (*spec.levels, *unknown))
    if spec is None and are_numbers and any(isinstance(answer, float) for answer in answers):
        return Field(name, "numeric")
    return Field(name, "nominal", tuple(answers))


# -- sums of the nodes ---------------------------------------------------------------------------


def _nodes(lists: _NodeLists, target: Field, spec: ColumnSpec | None) -> tuple[Nodes, bool]:
    """Return the nodes, and whether their sums are counts of rows."""
    is_counted = _has_exact_counts(lists, target, spec)
    votes = lists.is_counted
    own = [
        None if leaf is None else _leaf_sums(leaf, target, has_votes=votes, is_counted=is_counted)
        for leaf in lists.leaf
    ]
    n = len(own)
    total = np.zeros((n, 3 if target.is_numeric else len(target.levels)))
    for node in range(n - 1, -1, -1):  # children before their parents
        if own[node] is not None:
            total[node] = own[node]
        if node:
            total[lists.parent[node]] += total[node]
    nodes = Nodes(
        parent=np.asarray(lists.parent, np.int32),
        column=np.asarray(lists.column, np.int32),
        cut=np.asarray(lists.cut, np.float64),
        level_start=np.append([0], np.cumsum([len(c) for c in lists.levels])).astype(np.int64),
        level_codes=np.asarray([c for codes in lists.levels for c in codes], np.int32),
        total=total,
        gain=np.zeros(n),
        score=np.zeros(n),
        gap=np.asarray(lists.gap) if np.isfinite(lists.gap).any() else None,
        missing=np.where(np.isposinf(lists.cut), 1, NO_BRANCH).astype(np.int32)
        if math.inf in lists.cut
        else None,
    )
    return replace(nodes, answers=_own_answers(lists, nodes, target)), is_counted


def _has_exact_counts(lists: _NodeLists, target: Field, spec: ColumnSpec | None) -> bool:
    """Whether the printed numbers are the class counts of every leaf.

    Errors are known by class only if there are two classes, and no third one that no leaf
    predicts: the schema says so.
    """
    if not lists.is_counted or target.is_numeric or not any(leaf.rows for leaf in lists.leaves):
        return False
    are_whole = all(
        float(number).is_integer() for leaf in lists.leaves for number in (leaf.rows, leaf.errors)
    )
    has_two = spec is not None and spec.levels is not None and len(target.levels) == 2
    return are_whole and (has_two or not any(leaf.errors for leaf in lists.leaves))


def _leaf_sums(
    leaf: CountedLeaf, target: Field, *, has_votes: bool, is_counted: bool
) -> list[float]:
    rows = leaf.rows if has_votes else 1.0
    if target.is_numeric:
        number = float(leaf.answer)
        return [rows, rows * number, rows * number**2]
    sums = [0.0] * len(target.levels)
    code = list(target.levels).index(leaf.answer)
    sums[code] = rows - leaf.errors
    if is_counted and leaf.errors:
        sums[1 - code] = leaf.errors
    return sums


def _own_answers(lists: _NodeLists, nodes: Nodes, target: Field) -> dict[int, float]:
    """Return the prediction of each leaf that its sums do not give."""
    answers: dict[int, float] = {}
    for node, leaf in enumerate(lists.leaf):
        if leaf is None:
            continue
        total = nodes.total[node]
        if target.is_numeric:
            if total[0] <= 0 or total[1] / total[0] != float(leaf.answer):
                answers[node] = float(leaf.answer)
        elif int(total.argmax()) != (code := list(target.levels).index(leaf.answer)):
            answers[node] = code
    return answers


def _training_summary(nodes: Nodes) -> dict[str, Any]:
    """Return what a tree with counts says about its rows."""
    leaves = np.flatnonzero(nodes.column == LEAF)
    answers = nodes.total.argmax(axis=1)
    for node, code in nodes.answers.items():
        answers[node] = int(code)
    correct, n_rows = nodes.total[leaves, answers[leaves]].sum(), nodes.total[0].sum()
    return {
        "counted": True,
        "n_rows": int(n_rows),
        "training": {"correct": float(correct), "of": float(n_rows)},
    }


# -- splits --------------------------------------------------------------------------------------


def _column_and_branches(part: dict[Any, Any]) -> tuple[str, dict[Any, Any]]:
    branches = next(iter(part.values()), None)
    if len(part) != 1 or not isinstance(branches, dict) or not branches:
        raise DataError("dict_not_a_tree", found=list(part))
    name = str(next(iter(part)))
    plain = {
        key if isinstance(key, tuple) else strip_column_name(name, key): below
        for key, below in branches.items()
    }
    branches = plain if len(plain) == len(branches) else branches
    in_order = dict(reversed(branches.items()))
    keys = list(in_order)
    if len(keys) == 2 and are_two_sides(*keys):  # '> c' was written before '<= c'
        branches = in_order
    return name, branches


def _levels(column: str, key: Any) -> tuple[Any, ...]:  # noqa: ANN401 - any key of a dict
    levels = key if isinstance(key, tuple) else (key,)
    try:
        return tuple(_plain(level) for level in levels or (None,))
    except DataError:
        raise DataError("dict_bad_level", column=column, level=key) from None


def _plain(value: Any) -> Any:  # noqa: ANN401 - unchecked input
    """Return a text, boolean or finite number as a Python value; refuse anything else."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return str(value)  # not of a class of its own
    if isinstance(value, bool) or (arguments.is_number(value) and math.isfinite(value)):
        return value
    raise WrongSourceError("dict_not_a_tree", found=value)


def _threshold(column: str, keys: list[Any], spec: ColumnSpec) -> tuple[float, bool] | None:
    """Return the threshold that two keys describe, and whether it is open; None for categories.

    The threshold of an ordinal column is the position of a category. Sides of thresholds that do
    not belong together are refused: they are mistyped, or categories that need quotes.
    """
    sides = [parse_side(key) for key in keys]
    if len(keys) == 2:
        cut = parse_cut(*keys)
        if cut is not None and not (spec.kind == "ordered" and math.isfinite(cut[0])):
            return cut
        if spec.kind == "ordered" and spec.levels is not None and are_two_sides(*keys):
            return _ordered_cut(column, keys, sides, spec.levels)
    comparing = [side for side in sides if side is not None and side.sign[0] in "<>"]
    if len(comparing) < len(keys) or (len(keys) > 2 and not all(map(_has_number, comparing))):
        return None
    if not any(map(_has_number, comparing)):
        if len(keys) == 2 and are_two_sides(*keys):
            raise DataError("dict_no_order", column=column, one=keys[0], other=keys[1])
        if spec.kind != "ordered":  # such as <b> and <i>
            return None
    if len(keys) == 1:
        raise DataError("dict_one_side", column=column, one=keys[0])
    raise DataError("dict_bad_cut", column=column, one=keys[0], other=keys[-1])


def _has_number(side: Side) -> bool:
    return parse_number(side) is not None


def _ordered_cut(
    column: str, keys: list[Any], sides: Sequence[Side | None], levels: Sequence[Any]
) -> tuple[float, bool]:
    """Return the position of the last category below a threshold."""
    side = sides[0]
    assert side is not None
    word = unquote(side.rest)
    texts = [plain_text(str(level)) for level in levels]
    if word not in texts:
        known = ", ".join(texts)
        raise DataError("dict_level_not_ordered", column=column, level=word, known=known)
    position = texts.index(word) - (side.sign == "<")
    if not 0 <= position < len(texts) - 1:
        raise DataError("dict_bad_cut", column=column, one=keys[0], other=keys[1])
    return float(position), False
