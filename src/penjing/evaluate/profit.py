"""Profit of predictions by a matrix: what each combination of actual and predicted class earns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penjing import arguments
from penjing.data.read.level_index import LevelIndex
from penjing.data.source import Label
from penjing.data.table import Floats
from penjing.errors import ChoiceError, WrongTypeError, unknown_name_error
from penjing.evaluate.probability_scores import ProbabilityGroups
from penjing.formatting.html_table import html_text
from penjing.i18n import say
from penjing.text.labels import quoted, rounded_text


@dataclass(frozen=True, slots=True)
class Profit:
    """The profit of a tree's predictions, compared with other ways to predict.

    Parameters
    ----------
    total : float
        The profit of the tree's predictions over all rows.
    mean : float
        The same per row.
    by_expected_profit : float or None
        The profit if each row is predicted as the class with the highest expected profit, by the
        tree's probabilities; ties go to the first class.
    constant : float
        The highest profit of one class for every row.
    constant_class : object
        That class.
    perfect : float
        The profit if each row is predicted as the class that earns most for its actual class.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> report = penjing.fit(fish, max_depth=1).score(fish)
    >>> print(report.profit({"yes": {"yes": 10}, "no": {"yes": -3}}))
    profit 17 (3.4 per row); by expected profit 17; best single class 11 (yes); at most 20
    """

    total: float
    mean: float
    by_expected_profit: float | None
    constant: float
    constant_class: Label
    perfect: float

    def text(self, lang: str = "en") -> str:
        """Return one line.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).profit({"yes": {"yes": 10}}).text("zh")
        '收益 20（每行 4）；按期望收益预测 20；一律预测同一类别最多 20（yes）；上限 20'
        """
        numbers = {
            name: "–" if value is None else rounded_text(value)
            for name, value in (
                ("total", self.total), ("mean", self.mean), ("constant", self.constant),
                ("expected", self.by_expected_profit), ("perfect", self.perfect),
            )
        }  # fmt: skip
        return say("profit", lang, **numbers, name=quoted(self.constant_class))

    def to_json(self) -> dict[str, Any]:
        """Return the profit as plain data.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).profit({"yes": {"yes": 10}}).to_json()["total"]
        20.0
        """
        return {name: getattr(self, name) for name in self.__slots__}

    def to_dict(self) -> dict[str, Any]:
        """Return the same as :meth:`to_json`.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).profit({"yes": {"yes": 10}}).to_dict()["mean"]
        4.0
        """
        return self.to_json()

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return html_text(self.text())


def profit_matrix(matrix: object, classes: Sequence[Label]) -> Floats:
    """Return a profit matrix as an array, actual class down and predicted class across.

    Parameters
    ----------
    matrix : dict
        ``{actual: {predicted: number}}``; what is not given earns 0.
    classes : sequence
        The classes.

    Examples
    --------
    >>> profit_matrix({"yes": {"yes": 10, "no": -1}}, ["no", "yes"])
    array([[ 0.,  0.], [-1., 10.]])
    """
    found = np.zeros((len(classes), len(classes)))
    places = LevelIndex(classes)
    for actual, row in _pairs(matrix):
        for predicted, value in _pairs(row):
            at = tuple(_code(places, class_, classes) for class_ in (actual, predicted))
            if not arguments.is_number(value) or not np.isfinite(value):
                raise ChoiceError("bad_profit_number", value=value)
            found[at] = value
    return found


def _pairs(value: object) -> list[tuple[Any, Any]]:
    if not isinstance(value, Mapping):
        raise WrongTypeError("bad_profit", value=value)
    return list(value.items())


def _code(places: LevelIndex, class_: Label, classes: Sequence[Label]) -> int:
    code = places.of(class_)
    if code < 0:
        raise unknown_name_error("no_such_class", class_, classes)
    return code


def profit_of(
    matrix: Floats, confusion: Floats, classes: Sequence[Label], groups: ProbabilityGroups | None
) -> Profit:
    """Return the profit of tested rows.

    Parameters
    ----------
    matrix, confusion : (classes, classes) float64
        What each combination earns, and the weight of its rows.
    classes : sequence
        The classes.
    groups : ProbabilityGroups or None
        The rows with their predicted probabilities.
    """
    support = confusion.sum(axis=1)
    constants = support @ matrix
    best = int(constants.argmax())
    expected = None
    if groups is not None:
        choice = (groups.probability @ matrix).argmax(axis=1)
        expected = float((groups.weight * matrix[:, choice].T).sum())
    total = float((matrix * confusion).sum())
    return Profit(
        total,
        total / float(support.sum()),
        expected,
        float(constants[best]),
        classes[best],
        float((support * matrix.max(axis=1)).sum()),
    )
