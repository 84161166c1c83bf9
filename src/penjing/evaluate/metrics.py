"""Reports on predictions: accuracy, confusion table and wrong rows; errors of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from penjing.data.row_ids import RowIds
from penjing.data.source import Label
from penjing.data.statistics import format_count, percent, plain_number, wilson
from penjing.data.table import Floats
from penjing.evaluate.report_number import ReportNumber
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_table, html_text
from penjing.formatting.text_table import max_width, table_lines
from penjing.i18n import say
from penjing.text.phrases import join_clauses

if TYPE_CHECKING:
    from penjing.formatting.frame import DataFrame

Numbers = npt.NDArray[np.integer[Any]]
MOST_CLASSES_SHOWN = 40
"""With more classes, notebooks show no confusion table."""
MOST_WRONG_SHOWN = 20
"""How many wrong rows are printed; `Report.wrong` has all of them."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A row whose prediction is wrong.

    Parameters
    ----------
    row : int
        The number of the row in its source, counted from 1.
    actual, predicted : object
        The class that the row has, and the one that the tree predicts.
    id : object
        The id of the row; None if the rows have no id column.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> penjing.fit(fish, max_depth=1).score(fish).wrong[0]
    Wrong(row=3, actual='no', predicted='yes')
    """

    row: int
    actual: Label
    predicted: Label
    id: Label | None = field(default=None, repr=False)


class WrongRows(Sequence[Wrong]):
    """The rows with wrong predictions; a `Wrong` is made when its item is read.

    A large table may have millions of them, of which a report prints a few.
    """

    __slots__ = ("_actual", "_classes", "_ids", "_predicted", "_rows")

    def __init__(
        self,
        rows: Numbers,
        actual: Numbers,
        predicted: Numbers,
        classes: tuple[Label, ...],
        ids: RowIds | None = None,
    ) -> None:
        self._rows, self._actual, self._predicted = rows, actual, predicted
        self._classes, self._ids = classes, ids

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Wrong: ...
    @overload
    def __getitem__(self, index: slice) -> list[Wrong]: ...
    def __getitem__(self, index: int | slice) -> Wrong | list[Wrong]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        actual, predicted = int(self._actual[index]), int(self._predicted[index])
        id_ = None if self._ids is None else self._ids.of(index)
        return Wrong(int(self._rows[index]), self._classes[actual], self._classes[predicted], id_)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WrongRows) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # __eq__ compares values

    def __repr__(self) -> str:
        return f"<{len(self)} wrong rows>"


@dataclass(frozen=True, slots=True)
class ClassScore:
    """Precision and recall of one class.

    Parameters
    ----------
    class_ : object
        The class.
    precision : float or None
        Of the rows predicted as this class, the share that have it; None if there are none.
    recall : float or None
        Of the rows that have this class, the share predicted as it; None if there are none.
    support : float
        The weight of the rows that have this class.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> penjing.fit(fish, max_depth=1).score(fish).per_class[1]
    ClassScore(class_='no', precision=1.0, recall=0.6666666666666666, support=3)
    """

    class_: Label
    precision: float | None
    recall: float | None
    support: float


@dataclass(frozen=True, slots=True)
class Report(ReportNumber):
    """Correct and wrong predictions of a tree for classes; as a number, the accuracy.

    Parameters
    ----------
    target, source : str
        The name of the target, and where the rows came from.
    n : int
        The number of rows.
    weight, correct : float
        The weight of all rows, and of those predicted correctly; counts if each row weighs 1.
    classes : tuple
        The tree's classes in their order, then those that only these rows have.
    confusion : tuple of tuples
        The weight of the rows of each actual class (down) by predicted class (across).
    wrong : sequence of Wrong
        Every row with a wrong prediction.
    unlabelled : int
        How many rows had no value of the target and were left out.
    row_id : str or None
        The name of the id column, by which wrong rows are named.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> report = penjing.fit(fish, max_depth=1).score(fish)
    >>> report.correct, report.n, report.confusion
    (4, 5, ((2, 0), (1, 2)))
    >>> print(report)
    accuracy 80% (4 of 5), 95% confidence interval 38% to 96%
                  predicted
    actual        yes    no
      yes           2     0
      no            1     2
    wrong predictions: row 3 no→yes
    """

    target: str
    source: str
    n: int
    weight: float
    correct: float
    classes: tuple[Label, ...]
    confusion: tuple[tuple[float, ...], ...]
    wrong: Sequence[Wrong]
    unlabelled: int = 0
    row_id: str | None = None

    def __float__(self) -> float:
        return float(self.accuracy)

    @property
    def accuracy(self) -> float:
        """The share of correct predictions.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish, max_depth=1).score(fish).accuracy
        0.8
        """
        return self.correct / self.weight

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% confidence interval of the accuracy (Wilson 1927).

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> low, high = penjing.fit(fish, max_depth=1).score(fish).interval
        >>> round(low, 3), round(high, 3)
        (0.376, 0.964)
        """
        return wilson(self.correct, self.weight)

    @property
    def per_class(self) -> tuple[ClassScore, ...]:
        """Precision and recall of each class, in the order of `classes`.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> report = penjing.fit(fish, max_depth=1).score(fish)
        >>> [(score.class_, score.recall) for score in report.per_class]
        [('yes', 1.0), ('no', 0.6666666666666666)]
        """
        scores = []
        for i, class_ in enumerate(self.classes):
            correct = self.confusion[i][i]
            support = sum(self.confusion[i])
            predicted = sum(row[i] for row in self.confusion)
            precision = correct / predicted if predicted else None
            recall = correct / support if support else None
            scores.append(ClassScore(class_, precision, recall, support))
        return tuple(scores)

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data, ready for JSON.

        Returns
        -------
        dict
            The fields of the report, with ``accuracy``, ``interval`` and ``per_class``.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish, max_depth=1).score(fish).to_json()["wrong"]
        [{'row': 3, 'actual': 'no', 'predicted': 'yes'}]
        """
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
                {"row": w.row, "actual": w.actual, "predicted": w.predicted}
                | ({} if self.row_id is None else {"id": w.id})
                for w in self.wrong
            ],
            "unlabelled": self.unlabelled,
        } | ({} if self.row_id is None else {"row_id": self.row_id})

    def to_dict(self) -> dict[str, Any]:
        """Return the same as :meth:`to_json`.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).to_dict()["accuracy"]
        1.0
        """
        return self.to_json()

    def to_pandas(self) -> DataFrame:
        """Return the confusion table with precision, recall and support, one row per class.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish, max_depth=1).score(fish).to_pandas()[["precision", "recall"]].round(2)
               precision  recall
        class
        yes         0.67    1.00
        no          1.00    0.67
        """
        columns: dict[str, list[object]] = {
            f"predicted {class_}": [row[i] for row in self.confusion]
            for i, class_ in enumerate(self.classes)
        }
        for name in ("precision", "recall", "support"):
            columns[name] = [getattr(score, name) for score in self.per_class]
        return frame_of(columns, self.classes, "class")

    def _repr_html_(self) -> str:
        names = [str(class_) for class_ in self.classes]
        head = [f"{say('report_actual', 'en')} \\ {say('report_predicted', 'en')}", *names]
        rows = [
            [name, *(format_count(v) for v in row)]
            for name, row in zip(names, self.confusion, strict=True)
        ]
        if len(names) > MOST_CLASSES_SHOWN:
            return html_text(self.headline())
        return html_table([head], rows, self.headline())

    def text(self, lang: str = "en") -> str:
        """Return the whole report as text.

        Parameters
        ----------
        lang : str
            The language: ``en`` or ``zh``.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> print(penjing.fit(fish).score(fish).text())
        accuracy 100% (5 of 5), 95% confidence interval 57% to 100%
                      predicted
        actual        yes    no
          yes           2     0
          no            0     3
        """
        lines = [self.headline(lang), *self.table(lang)]
        if self.wrong:
            lines.append(self.wrong_text(lang))
        if self.unlabelled:
            lines.append(say("report_unlabelled", lang, n=self.unlabelled, target=self.target))
        return "\n".join(lines)

    def headline(self, lang: str = "en") -> str:
        """Return one line: the accuracy with its interval.

        Parameters
        ----------
        lang : str
            The language: ``en`` or ``zh``.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).headline()
        'accuracy 100% (5 of 5), 95% confidence interval 57% to 100%'
        """
        low, high = self.interval
        digits = 0 if high - low >= 0.1 else 1 if high - low >= 0.01 else 2
        return say(
            "report_accuracy",
            lang,
            correct=format_count(self.correct),
            of=format_count(self.weight),
            percent=percent(self.correct, self.weight),
            low=f"{100 * low:.{digits}f}",
            high=f"{100 * high:.{digits}f}",
        )

    def table(self, lang: str = "en") -> list[str]:
        """Return the lines of the confusion table, actual down and predicted across.

        Parameters
        ----------
        lang : str
            The language: ``en`` or ``zh``.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).table()[2:]
        ['  yes           2     0', '  no            0     3']
        """
        names = [str(class_) for class_ in self.classes]
        cells = [[format_count(v) for v in row] for row in self.confusion]
        sides = [say("report_actual", lang), *(f"  {name}" for name in names)]
        rows = [[side, *row] for side, row in zip(sides, [names, *cells], strict=True)]
        head = " " * (max_width(sides, 11) + 3) + say("report_predicted", lang)
        lines = [head, *table_lines(rows, least_name=11, least=6)]
        return [line.rstrip() for line in lines]

    def wrong_text(self, lang: str = "en") -> str:
        """Return one line that lists the wrong rows, at most the first 20.

        Parameters
        ----------
        lang : str
            The language: ``en`` or ``zh``.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish, max_depth=1).score(fish).wrong_text()
        'wrong predictions: row 3 no→yes'
        """
        shown = [
            wrong_text(w, self.row_id, w.actual, w.predicted, lang)
            for w in self.wrong[:MOST_WRONG_SHOWN]
        ]
        rows = join_clauses(shown, lang)
        if len(self.wrong) > MOST_WRONG_SHOWN:
            rows = say("report_wrong_more", lang, rows=rows, n=len(self.wrong) - MOST_WRONG_SHOWN)
        return say("report_wrong", lang, rows=rows)

    def __str__(self) -> str:
        return self.text()


@dataclass(frozen=True, slots=True)
class NumberReport(ReportNumber):
    """Errors of a tree that predicts a number; as a number, R² as scikit-learn defines it.

    Parameters
    ----------
    target, source : str
        The name of the target, and where the rows came from.
    n : int
        The number of rows.
    weight : float
        Their weight.
    rmse, mae : float
        The root mean squared error, and the mean absolute error.
    r2 : float or None
        1 - sum of squared errors / sum of squares about the mean; None if the target is the
        same in all rows.
    unlabelled : int
        How many rows had no value of the target and were left out.

    Examples
    --------
    >>> import penjing
    >>> rows = [{"x": x, "y": x + 0.5} for x in (0, 1, 4, 5)]
    >>> report = penjing.fit(rows, "y", recipe="sklearn", max_depth=1).score(rows)
    >>> report.rmse, report.mae, round(report.r2, 4)
    (0.5, 0.5, 0.9412)
    >>> print(report)
    root mean squared error 0.5, mean absolute error 0.5, R² 0.9412   (4 rows)
    """

    target: str
    source: str
    n: int
    weight: float
    rmse: float
    mae: float
    r2: float | None
    unlabelled: int = 0

    def __float__(self) -> float:
        return float(self.rmse == 0) if self.r2 is None else float(self.r2)

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data, ready for JSON.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"x": x, "y": x + 0.5} for x in (0, 1, 4, 5)]
        >>> penjing.fit(rows, "y", recipe="sklearn", max_depth=1).score(rows).to_json()["mae"]
        0.5
        """
        return {name: getattr(self, name) for name in self.__slots__}

    def to_dict(self) -> dict[str, Any]:
        """Return the same as :meth:`to_json`.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"x": i, "y": i / 2} for i in range(9)]
        >>> penjing.fit(rows, "y", "cart-binary").score(rows).to_dict()["rmse"]
        0.0
        """
        return self.to_json()

    def to_pandas(self) -> DataFrame:
        """Return the report as a data frame of one row.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"x": i, "y": i / 2} for i in range(9)]
        >>> penjing.fit(rows, "y", "cart-binary").score(rows).to_pandas()[["rmse", "r2"]]
           rmse   r2
        0   0.0  1.0
        """
        return frame_of({name: [value] for name, value in self.to_json().items()})

    def _repr_html_(self) -> str:
        return html_text(self.text())

    def text(self, lang: str = "en") -> str:
        """Return the report as text.

        Parameters
        ----------
        lang : str
            The language: ``en`` or ``zh``.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"x": x, "y": x + 0.5} for x in (0, 1, 4, 5)]
        >>> penjing.fit(rows, "y", recipe="sklearn", max_depth=1).score(rows).text("zh")
        '均方根误差 0.5，平均绝对误差 0.5，R² 0.9412   （4 个样本）'
        """
        r2 = "–" if self.r2 is None else f"{self.r2:.4f}"
        values = {"rmse": f"{self.rmse:.4g}", "mae": f"{self.mae:.4g}", "r2": r2, "n": self.n}
        lines = [say("report_number", lang, **values)]
        if self.unlabelled:
            lines.append(say("report_unlabelled", lang, n=self.unlabelled, target=self.target))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


def wrong_text(
    wrong: Wrong, row_id: str | None, actual: object, predicted: object, lang: str
) -> str:
    """Return one wrong row, named by its id if it has one: 'row 3 no→yes', 'melon 7 no→yes'."""
    classes = {"actual": actual, "predicted": predicted}
    if row_id is None or wrong.id is None:
        return say("report_wrong_row", lang, row=wrong.row, **classes)
    return say("report_wrong_id", lang, column=row_id, id=wrong.id, **classes)


def report_of(
    *,
    target: str,
    source: str,
    classes: tuple[Label, ...],
    actual: Numbers,
    predicted: Numbers,
    weight: Floats,
    rows: Numbers,
    unlabelled: int,
    ids: RowIds | None = None,
) -> Report:
    """Return the report of actual and predicted classes, given as codes."""
    n = len(classes)
    cells = np.bincount(actual * np.intp(n) + predicted, weight, n * n).reshape(n, n)
    wrong = np.flatnonzero(actual != predicted)
    return Report(
        target=target,
        source=source,
        n=len(actual),
        weight=plain_number(weight.sum()),
        correct=plain_number(np.trace(cells)),
        classes=classes,
        confusion=tuple(tuple(plain_number(v) for v in row) for row in cells),
        wrong=WrongRows(
            rows[wrong],
            actual[wrong],
            predicted[wrong],
            classes,
            None if ids is None else ids.take(wrong),
        ),
        unlabelled=unlabelled,
        row_id=None if ids is None else ids.name,
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
    """Return the report of actual and predicted numbers."""
    total_weight = float(weight.sum())
    errors = predicted - actual
    deviations = actual - np.average(actual, weights=weight)
    squared_errors = float((weight * errors**2).sum())
    squared_deviations = float((weight * deviations**2).sum())
    is_constant = float(actual.min()) == float(actual.max())
    return NumberReport(
        target=target,
        source=source,
        n=len(actual),
        weight=plain_number(total_weight),
        rmse=math.sqrt(squared_errors / total_weight),
        mae=float((weight * np.abs(errors)).sum() / total_weight),
        r2=None if is_constant else 1 - squared_errors / squared_deviations,
        unlabelled=unlabelled,
    )
