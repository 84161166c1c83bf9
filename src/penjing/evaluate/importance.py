"""Importance of columns: by decrease in impurity, or by permutation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from penjing import arguments
from penjing.criteria.entropy import entropy_bits
from penjing.criteria.gini import gini_impurity
from penjing.data.read.dispatch import check_source_type
from penjing.data.source import Source
from penjing.data.table import Floats, Table
from penjing.errors import CapabilityError, ChoiceError
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_table
from penjing.formatting.text_table import align_left, align_right, max_width
from penjing.i18n import say
from penjing.predict.inputs import align
from penjing.predict.predict import classes_of
from penjing.registry import load
from penjing.text.formula import decimals
from penjing.text.labels import quoted
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.formatting.chart_protocol import AnyChart
    from penjing.formatting.frame import DataFrame

KINDS = ("impurity", "permutation")


class Importances(dict[str, float]):
    """The importance of each column by name, largest first; prints as a table.

    Examples
    --------
    >>> import penjing
    >>> print(penjing.fit(penjing.example("fish")).importances())
    column          importance
    flippers            0.5675
    'no surfacing'      0.4325
    """

    def text(self, lang: str = "en") -> str:
        """Return a heading and one line per column.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.

        Examples
        --------
        >>> import penjing
        >>> penjing.fit(penjing.example("fish")).importances().text().splitlines()[1][:8]
        'flippers'
        """
        rows = [_head(lang), *self._cells()]
        widths = [max_width([row[i] for row in rows], 6) for i in (0, 1)]
        return "\n".join(
            f"{align_left(name, widths[0])}  {align_right(number, widths[1])}"
            for name, number in rows
        )

    def to_dict(self) -> dict[str, float]:
        """Return a plain dict.

        Examples
        --------
        >>> import penjing
        >>> type(penjing.fit(penjing.example("fish")).importances().to_dict()).__name__
        'dict'
        """
        return dict(self)

    def to_pandas(self) -> DataFrame:
        """Return a data frame with one row per column.

        Examples
        --------
        >>> import penjing
        >>> list(penjing.fit(penjing.example("fish")).importances().to_pandas())
        ['importance']
        """
        return frame_of({"importance": list(self.values())}, list(self), "column")

    def chart(
        self, *, lang: str = "en", theme: str = "light", title: str | None = None
    ) -> AnyChart:
        """Return the importances as a chart of bars.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.
        theme : str
            ``light``, ``dark`` or ``print``.
        title : str, optional
            The heading; default: what the chart shows.

        Examples
        --------
        >>> import penjing
        >>> penjing.fit(penjing.example("fish")).importances().chart().title
        'Importance of the columns'
        """
        made: AnyChart = load("chart", "importance")(self, lang=lang, theme=theme, title=title)
        return made

    def _cells(self) -> list[tuple[str, str]]:
        return [(quoted(name), _signed(value)) for name, value in self.items()]

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return html_table([_head("en")], self._cells())


def _head(lang: str) -> tuple[str, str]:
    return say("why_column", lang), say("importance_head", lang)


def _signed(value: float) -> str:
    return f"-{decimals(-value)}" if value < 0 and float(decimals(value)) else decimals(value)


def importances(
    tree: TreeData,
    kind: str = "impurity",
    data: Source | None = None,
    *,
    surrogates: bool = False,
    n: int = 10,
    seed: int = 0,
) -> Importances:
    """Return the importance of each column, by name, largest first.

    Parameters
    ----------
    tree : TreeData
        The tree.
    kind : str
        ``impurity``: the decrease in impurity by the splits on a column (by the tree's own
        criterion, weighted by rows), as shares of the sum. ``permutation``: the loss in accuracy
        (or in explained variance) on ``data`` when the column is shuffled, a mean.
    data : Table or source
        Rows with the target, for ``permutation``; preferably not the training rows.
    surrogates : bool
        Count surrogates too (for ``impurity``): each with the decrease of its split times its
        adjusted agreement, as rpart does.
    n : int
        How often each column is shuffled.
    seed : int
        The seed of the shuffling.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("golf"), recipe="cart-binary")
    >>> list(importances(tree))[0]
    'temperature'
    """
    arguments.one_of("importance", kind, KINDS)
    arguments.boolean("surrogates", surrogates)
    if data is not None:
        check_source_type(data)
    n = arguments.whole_number("n", n, 1, arguments.MAX_REPETITIONS)
    seed = arguments.whole_number("seed", seed, 0)
    values = (
        _by_impurity(tree, surrogates=surrogates)
        if kind == "impurity"
        else _by_permutation(tree, data, n, seed)
    )
    order = sorted(range(len(values)), key=lambda c: (-values[c], c))
    return Importances({tree.schema[c].name: float(values[c]) for c in order})


def _by_impurity(tree: TreeData, *, surrogates: bool) -> list[float]:
    if not tree.has_counts:
        raise CapabilityError("importance_needs_counts")
    values = [0.0] * len(tree.schema)
    weighted_impurity = tree.weight * _impurity(tree)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        of_children = weighted_impurity[tree.first_child[node] :][: tree.n_children[node]]
        decrease = max(float(weighted_impurity[node] - of_children.sum()), 0.0)
        values[int(tree.nodes.column[node])] += decrease
        for surrogate in tree.nodes.surrogates.get(node, ()) if surrogates else ():
            values[surrogate.column] += decrease * max(float(surrogate.adjusted), 0.0)
    total = sum(values)
    return [value / total if total > 0 else 0.0 for value in values]


def _impurity(tree: TreeData) -> Floats:
    """Return the impurity of each node, by the criterion that the tree was grown by."""
    if tree.is_regression:
        weight = np.where(tree.weight > 0, tree.weight, 1.0)
        return tree.losses / weight
    measure = gini_impurity if tree.recipe.get("criterion") == "gini" else entropy_bits
    return measure(tree.nodes.total)


def _by_permutation(tree: TreeData, data: Source | None, n: int, seed: int) -> list[float]:
    if data is None:
        raise ChoiceError("permutation_needs_data")
    table = align(tree, data)
    if table.target is None:
        raise ChoiceError("rules_need_target", target=tree.target.name)
    random = np.random.default_rng(seed)
    before = _goodness_of_fit(tree, table)
    losses = []
    for c, column in enumerate(table.columns):
        if not (tree.nodes.column == c).any() and not _is_surrogate(tree, c):
            losses.append(0.0)
            continue
        column_losses = []
        for _ in range(n):
            shuffled = column.take(random.permutation(table.n_rows))
            columns = (*table.columns[:c], shuffled, *table.columns[c + 1 :])
            column_losses.append(before - _goodness_of_fit(tree, replace(table, columns=columns)))
        losses.append(float(np.mean(column_losses)))
    return losses


def _is_surrogate(tree: TreeData, c: int) -> bool:
    return any(s.column == c for tests in tree.nodes.surrogates.values() for s in tests)


def _goodness_of_fit(tree: TreeData, table: Table) -> float:
    """Return the accuracy on rows, or the share of the variance that the tree explains."""
    assert table.target is not None
    predicted, weight = classes_of(tree, table), table.weights
    if not tree.is_regression:
        return float(weight[predicted == table.target.codes].sum() / weight.sum())
    actual = table.target.numbers()
    mean = float((actual * weight).sum() / weight.sum())
    variance = float((weight * (actual - mean) ** 2).sum())
    return 1 - float((weight * (actual - predicted) ** 2).sum()) / variance if variance > 0 else 0.0
