"""Compare any number of trees: sizes, scores with intervals, and each pair of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from penjing import arguments
from penjing.data.source import Source
from penjing.data.statistics import wilson
from penjing.errors import ChoiceError
from penjing.evaluate import several_text
from penjing.evaluate.compare import (
    Difference,
    DifferingRow,
    TableScore,
    differences,
    differing_rows,
    read_for_all,
    share_of,
    table_score,
)
from penjing.evaluate.sign_test import verdict
from penjing.evaluate.validation import cross_validate
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_text
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.data.table import Table
    from penjing.formatting.frame import DataFrame

TRAINING = "training"
LEAVE_ONE_OUT = "leave-one-out"
Folds = int | Literal["leave-one-out"]


class ScoredTree(TypedDict):
    """One of several trees that were compared."""

    name: str
    leaves: int
    depth: int
    tables: dict[str, TableScore]
    """Its score on each table, for classes with the 95% interval of the accuracy."""
    cross_validation: TableScore | None
    """The score of trees grown by its recipe on rows left out; None if not asked for, or if the
    tree cannot be grown again."""


class TreePair(TypedDict):
    """Two of several trees."""

    trees: list[str]
    """Their names."""
    same: bool
    """Whether they have the same splits and the same predictions."""
    differences: list[Difference]
    """Every place where they differ, from the root down."""
    rows: dict[str, list[DifferingRow]]
    """For each table the rows that they predict differently."""
    verdict: dict[str, Any] | None
    """The sign test on the table ``test``, if there is one."""


class TreesComparison:
    """Several trees side by side: their sizes and scores, and where each two of them differ.

    Parameters
    ----------
    trees : list of dict
        Name, leaves, depth, the score on each table, and that of cross-validation; see
        `ScoredTree`.
    pairs : list of dict
        Every two trees: whether they are the same, where they differ, and the rows that they
        predict differently; see `TreePair`.
    folds : int, "leave-one-out" or None
        How cross-validation was done.

    Examples
    --------
    >>> import penjing
    >>> melons = penjing.example("watermelon2.0")
    >>> tree = penjing.fit(melons)
    >>> small = tree.prune("pessimistic")
    >>> comparison = penjing.compare(tree, small, small, tables={"training": melons})
    >>> [(pair["trees"], pair["same"]) for pair in comparison.pairs]
    [(['a', 'b'], False), (['a', 'c'], False), (['b', 'c'], True)]
    """

    def __init__(
        self, trees: list[ScoredTree], pairs: list[TreePair], folds: Folds | None = None
    ) -> None:
        self.trees, self.pairs, self.folds = trees, pairs, folds

    def text(self, lang: str = "en") -> str:
        """Return a table of the trees and a table of the pairs.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> print(penjing.compare(tree, tree, tree).text())
                       leaves  depth
        a                   3      2
        b                   3      2
        c                   3      2
        <BLANKLINE>
        pair      first difference
        a, b      none
        a, c      none
        b, c      none
        """
        return several_text.write(self.to_dict(), lang)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> len(penjing.compare(tree, tree, tree).to_dict()["pairs"])
        3
        """
        return {"trees": self.trees, "pairs": self.pairs, "folds": self.folds}

    def to_pandas(self) -> DataFrame:
        """Return one row per tree: its size, and its score on each table.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> tree = penjing.fit(fish)
        >>> penjing.compare(tree, tree, tree, tables={"training": fish}).to_pandas()
              leaves  depth  training accuracy
        tree
        a          3      2                1.0
        b          3      2                1.0
        c          3      2                1.0
        """
        columns: dict[str, list[object]] = {
            "leaves": [tree["leaves"] for tree in self.trees],
            "depth": [tree["depth"] for tree in self.trees],
        }
        for name, score in self.trees[0]["tables"].items():
            key = "mean squared error" if "squares" in score else "accuracy"
            columns[f"{name} {key}"] = [share_of(tree["tables"][name]) for tree in self.trees]
        if self.folds is not None:
            scores = [tree["cross_validation"] for tree in self.trees]
            columns["cross-validation"] = [None if s is None else share_of(s) for s in scores]
        return frame_of(columns, [tree["name"] for tree in self.trees], "tree")

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<TreesComparison of {', '.join(repr(tree['name']) for tree in self.trees)}>"

    def _repr_html_(self) -> str:
        return html_text(self.text())


def compare_several(
    trees: Sequence[TreeData],
    tables: Mapping[str, Source] | None = None,
    names: Sequence[str] | None = None,
    *,
    folds: Folds | None = None,
    seed: int = 0,
) -> TreesComparison:
    """Compare any number of trees; see :func:`penjing.compare`.

    Parameters
    ----------
    trees : sequence of TreeData
        The trees.
    tables : dict from name to Table or source, optional
        Rows that all trees predict. Trees are grown again from the table ``training``.
    names : sequence of str, optional
        What to call the trees; letters if not given.
    folds : int or "leave-one-out", optional
        Cross-validate the recipe of every tree on the table ``training``.
    seed : int
        The seed that assigns rows to folds.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("fish"))
    >>> compare_several([tree, tree]).pairs[0]["same"]
    True
    """
    for position, tree in enumerate(trees):
        arguments.check_instance(f"trees[{position}]", tree, TreeData, "not_tree")
    if len(trees) < 2:
        raise ChoiceError("compare_needs_two", n=len(trees))
    names = _names(names, len(trees))
    if tables is not None:
        arguments.check_instance("tables", tables, Mapping, "not_mapping")
    for tree in trees:
        if tree.is_regression != trees[0].is_regression:
            raise ChoiceError("compare_kinds", a=trees[0].target.name, b=tree.target.name)
    if folds is not None and not (isinstance(folds, str) and folds == LEAVE_ONE_OUT):
        folds = arguments.whole_number("folds", folds, 2)
    seed = arguments.whole_number("seed", seed, 0)
    rows = {name: read_for_all(trees, source) for name, source in (tables or {}).items()}
    if folds is not None and TRAINING not in rows:
        raise ChoiceError("compare_folds_need_rows", folds=folds)
    scored: list[ScoredTree] = [
        {
            "name": name,
            "leaves": tree.n_leaves,
            "depth": tree.depth,
            "tables": {
                key: _with_interval(table_score(tree, table)) for key, table in rows.items()
            },
            "cross_validation": _cross_validation(tree, rows, folds, seed),
        }
        for name, tree in zip(names, trees, strict=True)
    ]
    pairs = [
        _pair((names[i], trees[i]), (names[j], trees[j]), rows)
        for i, j in combinations(range(len(trees)), 2)
    ]
    return TreesComparison(scored, pairs, folds)


def _names(names: Sequence[str] | None, n: int) -> tuple[str, ...]:
    """Return a name for each tree, or raise an error if there are fewer or more."""
    if names is None:
        letters = "abcdefghijklmnopqrstuvwxyz"
        return tuple(letters[i] if n <= len(letters) else f"tree {i + 1}" for i in range(n))
    found: tuple[str, ...] = () if isinstance(names, str) else arguments.texts("names", names)
    if len(found) != n or len(set(found)) != n:
        raise ChoiceError("not_n_names", n=n, value=names)
    return found


def _with_interval(score: TableScore) -> TableScore:
    """Return a score with the 95% interval of the accuracy, as `Report.interval` computes it."""
    if "correct" in score and score.get("weight"):
        low, high = wilson(score["correct"], score["weight"])
        score["interval"] = [low, high]
    return score


def _cross_validation(
    tree: TreeData, rows: Mapping[str, Table], folds: Folds | None, seed: int
) -> TableScore | None:
    """Return the score of trees of the same recipe on rows left out; None if that is impossible."""
    if folds is None:
        return None
    table = rows[TRAINING]
    k: Folds = folds if isinstance(folds, str) else min(folds, table.n_rows)
    try:
        report: Any = cross_validate(table, tree, k, seed=seed)
    except ChoiceError:  # written by hand, or pruned by validation rows that are not here
        return None
    score: TableScore = {"n": report.n, "weight": report.weight}
    if tree.is_regression:
        score["squares"] = report.rmse**2 * report.weight
        return score
    score["correct"] = report.correct
    return _with_interval(score)


def _pair(
    first: tuple[str, TreeData], second: tuple[str, TreeData], rows: Mapping[str, Table]
) -> TreePair:
    (name, a), (other, b) = first, second
    found = list(differences(a, b))
    test = rows.get("test")
    has_test = test is not None and test.target is not None and not a.is_regression
    return {
        "trees": [name, other],
        "same": not found,
        "differences": found,
        "rows": {key: list(differing_rows(a, b, table)) for key, table in rows.items()},
        "verdict": verdict(a, b, test) if has_test and test is not None else None,
    }
