"""A summary of predictions: unseen categories and missing values by column, shares of leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from penjing.data.source import Label
from penjing.data.statistics import percent
from penjing.data.table import Table
from penjing.evaluate.lift import MAX_RULE, path_of
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_text
from penjing.formatting.text_table import clip, table_lines
from penjing.i18n import say
from penjing.predict.inputs import align_all, used_columns
from penjing.predict.predict import grouped_predictions
from penjing.text.labels import path_in_language, quoted, rounded_text
from penjing.text.phrases import join_names
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.formatting.frame import DataFrame

MAX_SHOWN = 20
"""How many leaves, predictions or columns a printed table lists."""
MAX_CATEGORIES = 5
"""How many unseen categories of a column are printed."""
MAX_ROWS = 1000
"""How many rows with unseen categories a column keeps."""
MAX_ROWS_SHOWN = 3
"""How many of them are printed."""


@dataclass(frozen=True, slots=True)
class ColumnCounts:
    """What new rows have in a column that the tree splits on.

    Parameters
    ----------
    name : str
        The column.
    missing : int
        The number of rows without a value.
    unseen : int
        The number of rows with a category that the training rows do not have.
    categories : tuple of (object, int)
        These categories with their rows, the most frequent first.
    unseen_rows : tuple of int
        The numbers of these rows, from 1; at most the first 1,000.
    """

    name: str
    missing: int
    unseen: int
    categories: tuple[tuple[Label, int], ...] = ()
    unseen_rows: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LeafCount:
    """The rows that end in a node: a leaf, or a node where a value has no branch.

    Parameters
    ----------
    node : int
        The node.
    rows : int
        The number of rows.
    share : float
        Their share of all rows.
    is_leaf : bool
        Whether the node is a leaf. Rows end elsewhere if their value is missing or unseen there.
    rule : str
        The conditions of the node.
    """

    node: int
    rows: int
    share: float
    is_leaf: bool
    rule: str


@dataclass(frozen=True, slots=True)
class PredictionSummary:
    """A summary of predictions for rows; prints as `penjing predict --summary` does.

    Parameters
    ----------
    target : str
        The name of the target.
    n : int
        The number of rows.
    predictions : dict
        The number of rows by predicted class, the most frequent first; empty for numbers.
    columns : tuple of ColumnCounts
        The columns that the tree splits on.
    leaves : tuple of LeafCount
        The nodes in which rows end, the largest first; a fractional case counts where it is
        divided.
    numbers : dict or None
        For a number, ``min``, ``mean`` and ``max`` of the predictions.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> print(tree.summarize([{"legs": 2}, {"legs": 2}, {"legs": 6}, {"legs": None}]))
    4 rows
    prediction  rows  share
    fish           2    50%
    bird           2    50%
    column  missing  unseen
    legs          1       1  6 (1), in row 3
    leaf        rows  share
    (all rows)     2    50%  not a leaf: value missing or unseen
    legs = 2       2    50%
    """

    target: str
    n: int
    predictions: dict[Label, int]
    columns: tuple[ColumnCounts, ...]
    leaves: tuple[LeafCount, ...]
    numbers: dict[str, float] | None = None

    def text(self, lang: str = "en") -> str:
        """Return the summary as text.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
        >>> tree.summarize([{"legs": 2}]).text("zh").splitlines()[:3]
        ['1 行', '预测  行数  比例', 'bird     1  100%']
        """
        lines = [say("n_rows", lang, n=self.n)]
        if not self.n:
            return lines[0]
        words = [say(f"summary_{key}", lang) for key in ("prediction", "rows", "share")]
        if self.numbers is not None:
            values = {name: rounded_text(value) for name, value in self.numbers.items()}
            lines.append(say("summary_numbers", lang, **values))
        else:
            rows = [
                [quoted(class_), self._count(n, lang), f"{percent(n, self.n)}%"]
                for class_, n in list(self.predictions.items())[:MAX_SHOWN]
            ]
            lines += [*table_lines([words, *rows]), *self._more(len(self.predictions), lang)]
        lines += self._column_lines(lang)
        words[0] = say("summary_leaf", lang)
        shown = self.leaves[:MAX_SHOWN]
        rows = [
            [
                clip(path_in_language(leaf.rule, lang), MAX_RULE) or say("summary_all_rows", lang),
                self._count(leaf.rows, lang),
                f"{percent(leaf.rows, self.n)}%",
            ]
            for leaf in shown
        ]
        table = table_lines([words, *rows])
        for i, leaf in enumerate(shown, start=1):
            if not leaf.is_leaf:
                table[i] += "  " + say("summary_inside", lang)
        return "\n".join([*lines, *table, *self._more(len(self.leaves), lang)])

    def _column_lines(self, lang: str) -> list[str]:
        if not self.columns:
            return []
        words = [say(f"summary_{key}", lang) for key in ("column", "missing", "unseen")]
        shown = sorted(self.columns, key=lambda c: -(c.missing + c.unseen))[:MAX_SHOWN]
        rows = [
            [quoted(c.name), self._count(c.missing, lang), self._count(c.unseen, lang)]
            for c in shown
        ]
        table = table_lines([words, *rows])
        for i, column in enumerate(shown, start=1):
            if names := _category_names(column, lang):
                table[i] += "  " + names
        return [*table, *self._more(len(self.columns), lang)]

    @staticmethod
    def _count(n: int, lang: str) -> str:
        return say("plain_count", lang, n=n)

    @staticmethod
    def _more(n: int, lang: str) -> list[str]:
        return [say("document_more", lang, n=n - MAX_SHOWN)] if n > MAX_SHOWN else []

    def to_json(self) -> dict[str, Any]:
        """Return the summary as plain data.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
        >>> tree.summarize([{"legs": 2}]).to_json()["predictions"]
        [{'class': 'bird', 'rows': 1, 'share': 1.0}]
        """
        predictions: Any = self.numbers and dict(self.numbers)
        if self.numbers is None:
            predictions = [
                {"class": class_, "rows": n, "share": n / self.n}
                for class_, n in self.predictions.items()
            ]
        columns = [
            asdict(column)
            | {
                "categories": [{"category": level, "rows": n} for level, n in column.categories],
                "unseen_rows": [*column.unseen_rows],
            }
            for column in self.columns
        ]
        leaves = [asdict(leaf) for leaf in self.leaves]
        return {
            "target": self.target,
            "n": self.n,
            "predictions": predictions,
            "columns": columns,
            "leaves": leaves,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the same as :meth:`to_json`.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
        >>> tree.summarize([{"legs": 2}]).to_dict()["n"]
        1
        """
        return self.to_json()

    def to_pandas(self) -> DataFrame:
        """Return the leaves as a data frame.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
        >>> tree.summarize([{"legs": 2}]).to_pandas()["rows"].tolist()
        [1]
        """
        names = LeafCount.__slots__
        return frame_of({name: [getattr(leaf, name) for leaf in self.leaves] for name in names})

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return html_text(self.text())


def _category_names(column: ColumnCounts, lang: str) -> str:
    """Return the unseen categories with their counts, and the first rows that have them."""
    if not column.categories:
        return ""
    counts = [
        say("name_and_count", lang, name=quoted(level), n=n) for level, n in column.categories
    ]
    names = join_names(counts, lang, MAX_CATEGORIES)
    numbers = [str(row) for row in column.unseen_rows[:MAX_ROWS_SHOWN]]
    if column.unseen <= MAX_ROWS_SHOWN:
        rows = join_names(numbers, lang)
        return say("summary_in_rows", lang, n=column.unseen, names=names, rows=rows)
    rows, more = say("list_comma", lang).join(numbers), column.unseen - MAX_ROWS_SHOWN
    return say("summary_in_more_rows", lang, n=column.unseen, names=names, rows=rows, more=more)


def unseen_categories(table: Table, c: int, n_known: int) -> Counter[Label]:
    """Return the categories of a column that the tree does not know, with their rows."""
    column = table.columns[c]
    if column.is_numeric or len(column.levels) <= n_known:
        return Counter()
    unseen = column.codes[column.codes >= n_known] - n_known
    counts = np.bincount(unseen, minlength=len(column.levels) - n_known).tolist()
    return Counter(
        {level: n for level, n in zip(column.levels[n_known:], counts, strict=True) if n}
    )


class SummaryCounter:
    """Counts predictions, table by table, in memory that does not grow with the rows.

    Parameters
    ----------
    tree : TreeData
        The tree.
    unseen, missing
        As in :func:`penjing.predict.predict.predict`.
    """

    def __init__(
        self,
        tree: TreeData,
        unseen: Literal["stop", "missing", "error"] | None = None,
        missing: Literal["stop", "fraction", "error"] | None = None,
    ) -> None:
        self._tree = tree
        self._policies: Any = {"unseen": unseen, "missing": missing}
        self._used = used_columns(tree)
        self._n = 0
        self._missing = dict.fromkeys(self._used, 0)
        self._unseen: dict[int, Counter[Label]] = {c: Counter() for c in self._used}
        self._unseen_rows: dict[int, list[int]] = {c: [] for c in self._used}
        self._by_node = np.zeros(tree.n_nodes, np.int64)
        self._by_class = np.zeros(max(len(tree.classes), 1), np.int64)
        self._sum, self._low, self._high = 0.0, np.inf, -np.inf

    def add(self, table: Table) -> None:
        """Count the rows of a table that is coded as the tree is."""
        if not table.n_rows:
            return
        tree = self._tree
        for c in self._used:
            self._missing[c] += table.columns[c].n_missing
            unseen = unseen_categories(table, c, len(tree.schema[c].levels))
            self._unseen[c] += unseen
            rows = self._unseen_rows[c]
            if unseen and len(rows) < MAX_ROWS:
                found = np.flatnonzero(table.columns[c].codes >= len(tree.schema[c].levels))
                rows += (found[: MAX_ROWS - len(rows)] + self._n + 1).tolist()
        self._n += table.n_rows
        predicted, group, _, nodes = grouped_predictions(tree, table, **self._policies)
        self._by_node += np.bincount(nodes[group], minlength=tree.n_nodes)
        if tree.is_regression:
            self._sum += float(predicted.sum())
            self._low = min(self._low, float(predicted.min()))
            self._high = max(self._high, float(predicted.max()))
        else:
            self._by_class += np.bincount(predicted, minlength=len(tree.classes))

    def result(self) -> PredictionSummary:
        """Return the summary of all rows."""
        tree, numbers = self._tree, None
        if tree.is_regression and self._n:
            numbers = {"min": self._low, "mean": self._sum / self._n, "max": self._high}
        order = np.argsort(-self._by_class, kind="stable").tolist()
        predictions = {tree.classes[k]: int(self._by_class[k]) for k in order if self._by_class[k]}
        columns = tuple(
            ColumnCounts(
                tree.schema[c].name,
                self._missing[c],
                sum(self._unseen[c].values()),
                tuple(self._unseen[c].most_common()),
                tuple(self._unseen_rows[c]),
            )
            for c in self._used
        )
        order = np.argsort(-self._by_node, kind="stable").tolist()
        leaves = tuple(
            LeafCount(
                node,
                int(self._by_node[node]),
                int(self._by_node[node]) / self._n,
                bool(tree.is_leaf[node]),
                path_of(tree, node),
            )
            for node in order
            if self._by_node[node]
        )
        return PredictionSummary(tree.target.name, self._n, predictions, columns, leaves, numbers)


def summarize(
    tree: TreeData,
    source: Any,  # noqa: ANN401 - whatever `align_all` takes
    *,
    unseen: Literal["stop", "missing", "error"] | None = None,
    missing: Literal["stop", "fraction", "error"] | None = None,
) -> PredictionSummary:
    """Return a summary of the predictions for rows, as :meth:`penjing.Tree.summarize` does."""
    return summary_of(tree, [align_all(tree, source)], unseen=unseen, missing=missing)


def summary_of(
    tree: TreeData,
    tables: Iterable[Table],
    *,
    unseen: Literal["stop", "missing", "error"] | None = None,
    missing: Literal["stop", "fraction", "error"] | None = None,
) -> PredictionSummary:
    """Return a summary of the predictions for tables that are coded as the tree is."""
    counter = SummaryCounter(tree, unseen, missing)
    for table in tables:
        counter.add(table)
    return counter.result()
