"""How well a tree answers: right and wrong counted, with what chance allows for."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from penjing.data.statistics import brief, percent, plain, wilson
from penjing.data.table import Floats
from penjing.i18n import say

Numbers = npt.NDArray[np.integer[Any]]
SHOWN = 20
"""How many wrong rows are printed; `Report.wrong` has all."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A row that was answered wrongly; rows are counted from 1 as in their source."""

    row: int
    actual: Any
    predicted: Any


class WrongRows(Sequence[Wrong]):
    """The rows that were answered wrongly; each is made when it is looked at.

    A large table may have millions of them, and a report is asked for a few.
    """

    __slots__ = ("_actual", "_classes", "_predicted", "_rows")

    def __init__(
        self, rows: Numbers, actual: Numbers, predicted: Numbers, classes: tuple[Any, ...]
    ) -> None:
        self._rows, self._actual, self._predicted = rows, actual, predicted
        self._classes = classes

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Wrong: ...
    @overload
    def __getitem__(self, place: slice) -> list[Wrong]: ...
    def __getitem__(self, place: int | slice) -> Wrong | list[Wrong]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        actual, predicted = int(self._actual[place]), int(self._predicted[place])
        return Wrong(int(self._rows[place]), self._classes[actual], self._classes[predicted])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WrongRows) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # equal rows are equal, whatever array holds them

    def __repr__(self) -> str:
        return f"<{len(self)} wrong rows>"


@dataclass(frozen=True, slots=True)
class ClassScore:
    """How one class fares.

    Parameters
    ----------
    class_ : object
        The class.
    precision : float or None
        Of the rows answered with this class, the share that have it; None if there are none.
    recall : float or None
        Of the rows that have this class, the share answered with it; None if there are none.
    support : float
        The weight of the rows that have it.
    """

    class_: Any
    precision: float | None
    recall: float | None
    support: float


@dataclass(frozen=True, slots=True)
class Report:
    """Right and wrong answers of a tree that predicts classes.

    Parameters
    ----------
    target, source : str
        What was predicted, and where the rows came from.
    n : int
        The number of rows.
    weight, correct : float
        The weight of all rows, and of those answered rightly; counts where rows weigh 1.
    classes : tuple
        The tree's classes in their order, then those that only these rows have.
    confusion : tuple of tuples
        The weight of the rows of each actual class (down) by predicted class (across).
    wrong : sequence of Wrong
        Every row answered wrongly.
    unlabelled : int
        How many rows had no value of the target and were left out.
    """

    target: str
    source: str
    n: int
    weight: float
    correct: float
    classes: tuple[Any, ...]
    confusion: tuple[tuple[float, ...], ...]
    wrong: Sequence[Wrong]
    unlabelled: int = 0

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return self.correct / self.weight

    @property
    def interval(self) -> tuple[float, float]:
        """Where the accuracy on more such rows may lie, with 95 % confidence (Wilson 1927)."""
        return wilson(self.correct, self.weight)

    @property
    def per_class(self) -> tuple[ClassScore, ...]:
        """Precision and recall of each class."""
        scores = []
        for i, class_ in enumerate(self.classes):
            hit = self.confusion[i][i]
            support = sum(self.confusion[i])
            told = sum(row[i] for row in self.confusion)
            precision = hit / told if told else None
            scores.append(
                ClassScore(class_, precision, hit / support if support else None, support)
            )
        return tuple(scores)

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "target": self.target,
            "source": self.source,
            "n": self.n,
            "weight": self.weight,
            "correct": self.correct,
            "accuracy": self.accuracy,
            "interval": list(self.interval),
            "classes": list(self.classes),
            "confusion": [list(row) for row in self.confusion],
            "per_class": [
                {
                    "class": s.class_,
                    "precision": s.precision,
                    "recall": s.recall,
                    "support": s.support,
                }
                for s in self.per_class
            ],
            "wrong": [
                {"row": w.row, "actual": w.actual, "predicted": w.predicted} for w in self.wrong
            ],
            "unlabelled": self.unlabelled,
        }

    def text(self, lang: str = "en") -> str:
        """Return the report as lines of text."""
        lines = [self.headline(lang), *self.table(lang)]
        if self.wrong:
            lines.append(self.wrong_text(lang))
        if self.unlabelled:
            lines.append(say("report_unlabelled", lang, n=self.unlabelled, target=self.target))
        return "\n".join(lines)

    def headline(self, lang: str = "en") -> str:
        """Return the accuracy as k/n, with its interval."""
        low, high = self.interval
        digits = 0 if high - low >= 0.1 else 1 if high - low >= 0.01 else 2
        return say(
            "report_accuracy",
            lang,
            correct=brief(self.correct),
            of=brief(self.weight),
            percent=percent(self.correct, self.weight),
            low=f"{100 * low:.{digits}f}",
            high=f"{100 * high:.{digits}f}",
        )

    def table(self, lang: str = "en") -> list[str]:
        """Return the lines of the confusion table, actual down and predicted across."""
        names = [str(class_) for class_ in self.classes]
        cells = [[brief(v) for v in row] for row in self.confusion]
        head, side = say("report_predicted", lang), say("report_actual", lang)
        first = max(11, width(side), *(2 + width(name) for name in names))
        wide = [
            max(6, 2 + width(name), *(2 + len(row[i]) for row in cells))
            for i, name in enumerate(names)
        ]
        lines = [
            " " * (first + 3) + head,
            _left(side, first) + "".join(_right(n, w) for n, w in zip(names, wide, strict=True)),
        ]
        for name, row in zip(names, cells, strict=True):
            counts = "".join(_right(cell, w) for cell, w in zip(row, wide, strict=True))
            lines.append(_left("  " + name, first) + counts)
        return [line.rstrip() for line in lines]

    def wrong_text(self, lang: str = "en") -> str:
        """Return one line that names the wrong rows, the first of them where they are many."""
        shown = [
            say("report_wrong_row", lang, row=w.row, actual=w.actual, predicted=w.predicted)
            for w in self.wrong[:SHOWN]
        ]
        rows = (", " if lang == "en" else "，").join(shown)
        if len(self.wrong) > SHOWN:
            rows = say("report_wrong_more", lang, rows=rows, n=len(self.wrong) - SHOWN)
        return say("report_wrong", lang, rows=rows)

    def __str__(self) -> str:
        return self.text()


@dataclass(frozen=True, slots=True)
class NumberReport:
    """How far the answers of a tree that predicts a number are off.

    Parameters
    ----------
    target, source : str
        What was predicted, and where the rows came from.
    n : int
        The number of rows.
    weight : float
        Their weight.
    rmse, mae : float
        The root of the mean squared error, and the mean absolute error.
    r2 : float or None
        1 - sum of squared errors / sum of squares about the mean; None where all rows have the
        same number.
    unlabelled : int
        How many rows had no value of the target and were left out.
    """

    target: str
    source: str
    n: int
    weight: float
    rmse: float
    mae: float
    r2: float | None
    unlabelled: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {name: getattr(self, name) for name in self.__slots__}

    def text(self, lang: str = "en") -> str:
        """Return the report as lines of text."""
        r2 = "–" if self.r2 is None else f"{self.r2:.4f}"
        told = {"rmse": f"{self.rmse:.4g}", "mae": f"{self.mae:.4g}", "r2": r2, "n": self.n}
        lines = [say("report_number", lang, **told)]
        if self.unlabelled:
            lines.append(say("report_unlabelled", lang, n=self.unlabelled, target=self.target))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


def width(text: str) -> int:
    """Return how many cells of a terminal a text fills.

    Examples
    --------
    >>> width("纹理"), width("texture")
    (4, 7)
    """
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _left(text: str, cells: int) -> str:
    return text + " " * (cells - width(text))


def _right(text: str, cells: int) -> str:
    return " " * (cells - width(text)) + text


def report_of(
    *,
    target: str,
    source: str,
    classes: tuple[Any, ...],
    actual: Numbers,
    predicted: Numbers,
    weight: Floats,
    rows: Numbers,
    unlabelled: int,
) -> Report:
    """Count right and wrong answers, given as codes of classes."""
    n = len(classes)
    cells = np.bincount(actual * np.intp(n) + predicted, weight, n * n).reshape(n, n)
    wrong = np.flatnonzero(actual != predicted)
    return Report(
        target=target,
        source=source,
        n=len(actual),
        weight=plain(weight.sum()),
        correct=plain(np.trace(cells)),
        classes=classes,
        confusion=tuple(tuple(plain(v) for v in row) for row in cells),
        wrong=WrongRows(rows[wrong], actual[wrong], predicted[wrong], classes),
        unlabelled=unlabelled,
    )


def number_report_of(
    *,
    target: str,
    source: str,
    actual: Floats,
    predicted: Floats,
    weight: Floats,
    unlabelled: int,
) -> NumberReport:
    """Measure how far predicted numbers are off."""
    whole = float(weight.sum())
    off = predicted - actual
    about = actual - np.average(actual, weights=weight)
    squares, spread = float((weight * off**2).sum()), float((weight * about**2).sum())
    is_constant = float(actual.min()) == float(actual.max())
    return NumberReport(
        target=target,
        source=source,
        n=len(actual),
        weight=plain(whole),
        rmse=math.sqrt(squares / whole),
        mae=float((weight * np.abs(off)).sum() / whole),
        r2=None if is_constant else 1 - squares / spread,
        unlabelled=unlabelled,
    )
