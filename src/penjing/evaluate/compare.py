"""Compare two trees: where their splits differ, and which rows they predict differently."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, NotRequired, TypedDict

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.read.level_index import LevelIndex, text_of
from penjing.data.source import Label, Source
from penjing.data.statistics import plain_number
from penjing.data.table import Table
from penjing.errors import ChoiceError
from penjing.evaluate import comparison_text
from penjing.evaluate.sign_test import verdict
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_text
from penjing.i18n import say
from penjing.predict.inputs import align_to, reading_of, used_columns
from penjing.predict.predict import classes_of
from penjing.registry import load
from penjing.text.labels import answer_text
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.formatting.chart_protocol import AnyChart
    from penjing.formatting.frame import DataFrame

SAME = "same"


class PathStep(TypedDict):
    """One step from a node to its child; ``cut``, ``side`` and ``text``, or ``levels``."""

    column: str | None
    """The column that the node splits on."""
    cut: NotRequired[float]
    """The threshold, for a numeric column."""
    side: NotRequired[str]
    """``<=`` or ``>``, for a numeric column."""
    text: NotRequired[str]
    """The branch as texts and pictures of the tree print it: ``≤ 23.35``."""
    levels: NotRequired[list[Label]]
    """The categories that lead to the child, for other columns."""


class Difference(TypedDict):
    """A place where two trees differ."""

    path: list[PathStep]
    """The splits that lead to the place in the first tree."""
    nodes: list[int]
    """The number of the node in each tree."""
    kind: str
    """``column`` (they split on different columns), ``cut`` (at different thresholds), ``groups``
    (categories are grouped differently), ``leaf`` (only one splits) or ``answer`` (two leaves
    predict differently)."""
    a: Any
    """What the first tree does there: its split as a dict, or its prediction."""
    b: Any
    """What the second tree does there."""
    tie: float | None
    """For ``column``, the score that both columns had when one of the trees was grown; None if
    they were not tied."""
    below: bool
    """Whether the subtrees below two different splits differ too."""


class TableScore(TypedDict):
    """How well a tree predicts the rows of one table; only ``n`` if they have no target."""

    n: int
    """The number of rows."""
    weight: NotRequired[float]
    """Their weight."""
    correct: NotRequired[float]
    """The weight of the rows predicted correctly, for classes."""
    squares: NotRequired[float]
    """The sum of squared errors, for numbers."""
    interval: NotRequired[list[float]]
    """The 95% interval of the accuracy, in the comparison of several trees."""


class ComparedTree(TypedDict):
    """One of two trees that were compared."""

    name: str
    leaves: int
    depth: int
    tables: dict[str, TableScore]
    """Its score on each table."""


class DifferingRow(TypedDict):
    """A row that two trees predict differently."""

    row: int
    """The number of the row in its source, counted from 1."""
    answers: list[Label]
    """Both predictions."""
    id: NotRequired[Label]
    """The id of the row, if its table has an id column."""
    id_column: NotRequired[str]
    """The name of that column."""


class Comparison(dict[str, Any]):
    """Two trees side by side: their sizes and scores, where they differ, and on which rows.

    Parameters
    ----------
    trees : list of dict
        Both trees: name, leaves, depth, and the score on each table; see `ComparedTree`.
    rows : dict
        For each table the rows that the trees predict differently; see `DifferingRow`.
    same : bool
        Whether both trees have the same splits and the same predictions.
    differences : list of dict
        Every place where the trees differ, from the root down; see `Difference`.
    is_pruned : bool
        Whether the second tree is the first one, pruned.
    verdict : dict, optional
        The sign test on the table ``test``, if there is one; see
        :func:`penjing.evaluate.sign_test.verdict`.
    pair : pair of TreeData, optional
        The trees themselves, for pictures.

    Examples
    --------
    >>> import penjing
    >>> melons = penjing.example("watermelon2.0")
    >>> tree = penjing.fit(melons)
    >>> comparison = penjing.compare(tree, tree.prune("pessimistic"), {"training": melons})
    >>> comparison.is_pruned, len(comparison.differences)
    (True, 1)
    """

    # A dict as it was in 0.1; from 0.3 on it is a plain object (docs/decisions/029).

    def __init__(
        self,
        trees: list[ComparedTree],
        rows: dict[str, list[DifferingRow]],
        same: bool,  # noqa: FBT001 - a field
        differences: list[Difference],
        *,
        is_pruned: bool = False,
        verdict: dict[str, Any] | None = None,
        pair: tuple[TreeData, TreeData] | None = None,
    ) -> None:
        super().__init__(trees=trees, rows=rows, same=same, differences=differences)
        self.trees, self.rows, self.same, self.differences = trees, rows, same, differences
        self.is_pruned, self.verdict, self.pair = is_pruned, verdict, pair

    def text(self, lang: str = "en") -> str:
        """Return the comparison as text.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> "3" in penjing.compare(tree, tree).text("zh")
        True
        """
        return comparison_text.write(self._with_evidence(), lang)

    def chart(
        self,
        *,
        lang: str = "en",
        theme: str = "light",
        title: str | None = None,
        max_leaves: int = 32,
    ) -> AnyChart:
        """Return both trees as a chart; the branches where they differ are marked.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.
        theme : str
            ``light``, ``dark`` or ``print``.
        title : str, optional
            The heading; default: the names of the trees.
        max_leaves : int
            The number of leaves of each tree; beyond it, subtrees are folded.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> penjing.compare(tree, tree.prune_at("root")).chart().kind
        'compared_trees'
        """
        if self.pair is None:
            raise ChoiceError("chart_no_trees")
        names = (self.trees[0]["name"], self.trees[1]["name"])
        draw = load("chart", "compared_trees")
        made: AnyChart = draw(
            self.pair, self.differences, names, lang=lang, theme=theme, title=title,
            max_leaves=arguments.whole_number("max_leaves", max_leaves, 1),
        )  # fmt: skip
        return made

    def to_dict(self) -> dict[str, Any]:
        """Return the trees, differences and rows as plain data, ready for JSON.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> penjing.compare(tree, tree).to_dict()["same"]
        True
        """
        return {name: getattr(self, name) for name in _ENTRIES}

    def to_pandas(self) -> DataFrame:
        """Return one row per tree: its size, and its score on each table.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> tree = penjing.fit(fish)
        >>> penjing.compare(tree, tree, {"training": fish}).to_pandas()
              leaves  depth  training accuracy
        tree
        a          3      2                1.0
        b          3      2                1.0
        """
        columns: dict[str, list[object]] = {
            "leaves": [tree["leaves"] for tree in self.trees],
            "depth": [tree["depth"] for tree in self.trees],
        }
        for name, score in self.trees[0]["tables"].items():
            key = "mean squared error" if "squares" in score else "accuracy"
            columns[f"{name} {key}"] = [share_of(tree["tables"][name]) for tree in self.trees]
        return frame_of(columns, [tree["name"] for tree in self.trees], "tree")

    def _with_evidence(self) -> dict[str, Any]:
        evidence = {} if self.verdict is None else {"verdict": self.verdict}
        return self.to_dict() | {"is_pruned": self.is_pruned} | evidence

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        names = " and ".join(repr(tree["name"]) for tree in self.trees)
        return f"<Comparison of {names}: {len(self.differences)} differences>"

    def _repr_html_(self) -> str:
        return html_text(self.text())

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - as a dict has it
        message = say("comparison_was_dict", name=name)
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return super().__getitem__(name)


_ENTRIES = ("trees", "rows", "same", "differences")


def share_of(score: TableScore) -> float | None:
    """Return the accuracy or the mean squared error of a score; None without a target."""
    part = score.get("correct", score.get("squares"))
    return None if part is None or not score.get("weight") else part / score["weight"]


def compare(
    a: TreeData,
    b: TreeData,
    tables: Mapping[str, Source] | None = None,
    names: tuple[str, str] = ("a", "b"),
) -> Comparison:
    """Compare two trees: sizes, scores, where they differ, and on which rows.

    Parameters
    ----------
    a, b : Tree
        The trees.
    tables : dict from name to Table or source, optional
        Rows that both trees predict.
    names : pair of str
        What to call the trees.

    Returns
    -------
    Comparison
        It prints as text. ``trees``: the name, leaves and depth of each tree, and for each table
        how many rows it predicts correctly (``correct`` of ``weight``) or its sum of squared
        errors (``squares``). ``same``: whether both have the same splits and predictions.
        ``differences``: each place where they differ, from the root down. ``rows``: for each
        table the rows that they predict differently, with both predictions.

    Examples
    --------
    >>> import penjing
    >>> a = penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}})
    >>> b = penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "yes"}})
    >>> compare(a, b).differences
    [{'path': [{'column': 'texture', 'levels': ['faint']}], 'nodes': [2, 2],
      'kind': 'answer', 'a': 'no', 'b': 'yes', 'tie': None, 'below': False}]
    """
    for name, tree in (("a", a), ("b", b)):
        arguments.check_instance(name, tree, TreeData, "not_tree")
    names = _pair_of_names(names)
    if tables is not None:
        arguments.check_instance("tables", tables, Mapping, "not_mapping")
    if a.is_regression != b.is_regression:
        raise ChoiceError("compare_kinds", a=a.target.name, b=b.target.name)
    trees: list[ComparedTree] = [
        {"name": name, "leaves": tree.n_leaves, "depth": tree.depth, "tables": {}}
        for name, tree in zip(names, (a, b), strict=True)
    ]
    rows: dict[str, list[DifferingRow]] = {}
    evidence = None
    for name, source in (tables or {}).items():
        table = read_for_all((a, b), source)
        for compared, tree in zip(trees, (a, b), strict=True):
            compared["tables"][name] = table_score(tree, table)
        rows[name] = list(differing_rows(a, b, table))
        if name == "test" and table.target is not None and not a.is_regression:
            evidence = verdict(a, b, table)
    found = list(differences(a, b))
    return Comparison(
        trees, rows, not found, found, is_pruned=is_pruned(a, b), verdict=evidence, pair=(a, b)
    )


def is_pruned(one: TreeData, other: TreeData) -> bool:
    """Return whether the second tree is the first one, pruned."""
    before, after = one.about.get("pruning", ()), other.about.get("pruning", ())
    source, other_source = one.about.get("source", {}), other.about.get("source", {})
    is_same_growth = (
        source.get("sha256") == other_source.get("sha256") and one.recipe == other.recipe
    )
    return (
        is_same_growth and len(after) > len(before) and list(after[: len(before)]) == list(before)
    )


def _pair_of_names(names: object) -> tuple[str, str]:
    """Return the names of two trees, or raise an error if there are not two."""
    pair: tuple[str, ...] = () if isinstance(names, str) else arguments.texts("names", names)
    if len(pair) != 2:
        raise ChoiceError("not_two_names", value=names)
    return pair[0], pair[1]


def differences(a: TreeData, b: TreeData) -> Iterator[Difference]:
    """Yield every place where two trees differ, from the root down.

    The places below such a place are not listed; ``below`` says whether they differ. A category
    without a branch is predicted by the node that splits, so it is the same as a branch to a leaf
    with that prediction.

    Yields
    ------
    dict
        See :class:`Difference`.
    """
    stack: list[tuple[_Place, _Place]] = [(_Place(a, 0), _Place(b, 0))]
    while stack:
        first, second = stack.pop()
        kind, tie = _difference(first, second)
        if kind != SAME:
            yield {
                "path": path_of(a, first.node) + first.extra_steps,
                "nodes": [first.node, second.node],
                "kind": kind,
                "a": first.to_json(),
                "b": second.to_json(),
                "tie": tie,
                "below": _differs_below(first, second),
            }
        elif first.is_split:
            stack.extend(reversed(list(_child_pairs(first, second))))


def path_of(tree: TreeData, node: int) -> list[PathStep]:
    """Return the steps from the root to a node."""
    steps: list[PathStep] = []
    for parent, child in pairwise(tree.path(node)):
        place = _Place(tree, parent)
        if place.has_cut:
            branch = int(child != tree.first_child[parent])
            side, text = ("<=", ">")[branch], answer_text(tree, parent, branch)
            steps.append({"column": place.column, "cut": place.cut, "side": side, "text": text})
        else:
            steps.append({"column": place.column, "levels": place.levels_of(child)})
    return steps


class _Place:
    """A node, or a node as the prediction for a category that it has no branch for."""

    def __init__(self, tree: TreeData, node: int, level: Label | None = None) -> None:
        self.tree, self.node = tree, node
        self.is_split = level is None and not bool(tree.is_leaf[node])
        column = int(tree.nodes.column[node])
        field = tree.schema[column] if column >= 0 else None
        self.column = None if field is None else field.name
        self.levels = () if field is None or field.is_numeric else tuple(field.levels)
        self.cut = float(tree.nodes.cut[node])
        # A threshold on an ordered categorical column divides its categories into two groups.
        self.has_cut = field is not None and field.is_numeric
        self.extra_steps: list[PathStep] = []
        if level is not None:
            self.extra_steps.append({"column": self.column, "levels": [level]})

    def to_json(self) -> Label | dict[str, Any]:
        """Return the split as plain data, or the prediction of a leaf."""
        if not self.is_split:
            answer: Label = self.tree.answer(self.node)
            return answer
        if self.has_cut:
            text = answer_text(self.tree, self.node, 0)
            return {"column": self.column, "cut": self.cut, "text": text}
        groups = [self.levels_of(child) for child in self.tree.children(self.node)]
        return {"column": self.column, "groups": groups}

    def children(self) -> list[int | None]:
        """Return the child that each category leads to, None where it has no branch."""
        children: list[int | None] = [None] * len(self.levels)
        nodes = self.tree.children(self.node)
        if not np.isnan(self.cut):
            return [nodes[0] if code <= self.cut else nodes[1] for code in range(len(children))]
        for child in nodes:
            for code in self.tree.nodes.levels(child).tolist():
                children[code] = child
        return children

    def levels_of(self, child: int) -> list[Label]:
        """Return the categories that lead to a child."""
        return [
            level for level, to in zip(self.levels, self.children(), strict=True) if to == child
        ]

    def at(self, child: int | None, level: Label) -> _Place:
        """Return a child, or this node as the prediction for a category without a branch."""
        return _Place(self.tree, self.node, level) if child is None else _Place(self.tree, child)


class _LevelBranches(NamedTuple):
    """The child that a category leads to in each of two trees; whether both have the category."""

    level: Label
    first: int | None
    second: int | None
    in_both: bool


def _level_branches(first: _Place, second: _Place) -> list[_LevelBranches]:
    """Return where each category of the column that both split on leads in both trees."""
    first_children, second_children = first.children(), second.children()
    positions = LevelIndex(first.levels)
    matching: dict[int, int] = {}
    only_second = []
    for code, level in enumerate(second.levels):
        position = positions.of(level)
        if position >= 0 and position not in matching:
            matching[position] = code
        else:
            only_second.append(_LevelBranches(level, None, second_children[code], in_both=False))
    of_first = [
        _LevelBranches(level, first_children[code], second_children[matching[code]], in_both=True)
        if code in matching
        else _LevelBranches(level, first_children[code], None, in_both=False)
        for code, level in enumerate(first.levels)
    ]
    return of_first + only_second


def _difference(first: _Place, second: _Place) -> tuple[str, float | None]:
    """Return the kind of difference between two places, and the score if it was a tie."""
    if not (first.is_split or second.is_split):
        one, other = first.tree.answer(first.node), second.tree.answer(second.node)
        return (SAME if one == other or text_of(one) == text_of(other) else "answer"), None
    if first.is_split != second.is_split:
        return "leaf", None
    if first.column != second.column:
        return "column", _tie(first, second)
    if first.has_cut != second.has_cut:
        return "groups", None
    if first.has_cut:
        return (SAME if first.cut == second.cut else "cut"), None
    return (SAME if _has_same_groups(first, second) else "groups"), None


def _tie(first: _Place, second: _Place) -> float | None:
    """Return the score of a recorded tie between the columns that two places split on."""
    for place, other in ((first, second), (second, first)):
        for tie in place.tree.about.get("ties", ()):
            names = [place.tree.schema[c].name for c in tie["columns"]]
            if tie["node"] == place.node and other.column in names:
                return float(tie["score"])
    return None


def _differs_below(first: _Place, second: _Place) -> bool:
    """Return whether the subtrees below two different splits differ too.

    They do not if the branches lead to the same subtrees, one to one. If the columns differ and
    all branches lead to leaves, the splits are all that differs.
    """
    if not (first.is_split and second.is_split):
        return False
    one, other = first.tree.children(first.node), second.tree.children(second.node)
    if first.column != second.column and all(
        place.tree.is_leaf[list(children)].all()
        for place, children in ((first, one), (second, other))
    ):
        return False
    if len(one) != len(other):
        return True
    left = list(other)
    has_sides = first.column == second.column and first.has_cut and second.has_cut
    for child in one:
        candidates = left[:1] if has_sides else left
        match = next((c for c in candidates if _is_same(first.tree, child, second.tree, c)), None)
        if match is None:
            return True
        left.remove(match)
    return False


def _is_same(a: TreeData, node: int, b: TreeData, other: int) -> bool:
    """Return whether two subtrees have the same splits and predictions."""
    stack = [(_Place(a, node), _Place(b, other))]
    while stack:
        first, second = stack.pop()
        if _difference(first, second)[0] != SAME:
            return False
        if first.is_split:
            stack.extend(_child_pairs(first, second))
    return True


def _has_same_groups(first: _Place, second: _Place) -> bool:
    """Whether both trees group the categories that both know in the same way."""
    branches = _level_branches(first, second)
    pairs = {(b.first, b.second) for b in branches if None not in (b.first, b.second)}
    of_first, of_second = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    if not len(of_first) == len(of_second) == len(pairs):
        return False
    # A category that only one tree has a branch for is separated from its group by the other.
    return not any(
        b.in_both
        and (
            (b.second is None and b.first in of_first)
            or (b.first is None and b.second in of_second)
        )
        for b in branches
    )


def _child_pairs(first: _Place, second: _Place) -> Iterator[tuple[_Place, _Place]]:
    """Yield the pairs of places that the branches of the same split lead to."""
    if first.has_cut:
        pairs_by_side = zip(
            first.tree.children(first.node), second.tree.children(second.node), strict=True
        )
        for one, other in pairs_by_side:
            yield _Place(first.tree, one), _Place(second.tree, other)
        return
    pairs: dict[tuple[int | None, int | None], Label] = {}
    for branches in _level_branches(first, second):
        pairs.setdefault((branches.first, branches.second), branches.level)
    paired = {node for pair in pairs if None not in pair for node in enumerate(pair)}
    for (child, match), level in pairs.items():
        is_unpaired = (child is None) != (match is None) and not {(0, child), (1, match)} & paired
        if None not in (child, match) or is_unpaired:
            yield first.at(child, level), second.at(match, level)


def read_for_all(trees: Sequence[TreeData], source: Source) -> Table:
    """Return a source as a table with all columns that any of the trees splits on."""
    if isinstance(source, Table):
        return source
    fields = {field.name: field for tree in reversed(trees) for field in tree.schema}
    schema = [fields[name] for name in dict.fromkeys(f.name for tree in trees for f in tree.schema)]
    needed = {tree.schema[c].name for tree in trees for c in used_columns(tree)}
    table = align_to(schema, trees[0].target, source, needed, reading=reading_of(*trees))
    if all(reading_of(tree) == reading_of(trees[0]) for tree in trees):
        return table
    return replace(table, source={k: v for k, v in table.source.items() if k != "reading"})


def table_score(tree: TreeData, table: Table) -> TableScore:
    """Return how many rows of a table are predicted correctly, or the sum of squared errors."""
    if table.target is None:
        return {"n": table.n_rows}
    rows = table.take(table.target.codes >= 0)
    assert rows.target is not None
    predicted, weight = classes_of(tree, rows), rows.weights
    score: TableScore = {"n": rows.n_rows, "weight": plain_number(weight.sum())}
    if tree.is_regression:
        score["squares"] = float(weight @ (predicted - rows.target.numbers()) ** 2)
    else:
        codes = _codes_among(tree.classes, rows.target.levels)[predicted]
        score["correct"] = plain_number(weight[codes == rows.target.codes].sum())
    return score


def differing_rows(a: TreeData, b: TreeData, table: Table) -> Iterator[DifferingRow]:
    """Yield the rows of a table that two trees predict differently."""
    by_a, by_b = classes_of(a, table), classes_of(b, table)
    is_same = by_a == (by_b if b.is_regression else _codes_among(b.classes, a.classes)[by_b])
    for row in np.flatnonzero(~is_same).tolist():
        predictions = [_label(a, by_a[row]), _label(b, by_b[row])]
        differing: DifferingRow = {"row": table.row_number(row), "answers": predictions}
        if table.row_ids is not None and (row_id := table.row_id(row)) is not None:
            differing |= {"id": row_id, "id_column": table.row_ids.name}
        yield differing


def _codes_among(classes: Iterable[Label], others: Iterable[Label]) -> npt.NDArray[np.intp]:
    """Return the position of each class among others, -1 where it is not among them."""
    positions = LevelIndex(others)
    return np.array([positions.of(class_) for class_ in classes], np.intp)


def _label(tree: TreeData, value: float) -> Label:
    """Return a prediction of `classes_of` as a class or number."""
    if tree.is_regression:
        return float(value)
    label: Label = tree.classes[int(value)]
    return label
