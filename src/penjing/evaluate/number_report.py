"""Reports on predicted numbers: their errors, beside those of the mean and of the first split."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, get_args

import numpy as np

from penjing import arguments
from penjing.data.pickles import restore_fields
from penjing.data.source import Label
from penjing.data.statistics import plain_number
from penjing.data.table import Floats
from penjing.errors import ChoiceError
from penjing.evaluate.baseline import NumberBaseline, number_baseline
from penjing.evaluate.probability_scores import EPSILON, mean_interval
from penjing.evaluate.report_number import AnyChartKind, ReportNumber
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_text
from penjing.i18n import say
from penjing.predict.row_predictions import RowPredictions
from penjing.registry import load
from penjing.text.labels import figure_text, quoted

if TYPE_CHECKING:
    from penjing.formatting.chart_protocol import AnyChart
    from penjing.formatting.frame import DataFrame


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
    median_absolute_error : float
        The weighted median of the absolute errors; halfway where it lies between two of them.
    baseline : NumberBaseline or None
        What the mean of the training rows, and what the first split alone achieve.
    intervals : dict
        95% confidence intervals: of ``mae`` the mean plus or minus 1.96 standard errors; of
        ``rmse`` the square roots of that interval of the mean squared error.
    pairs : pair of arrays, or None
        The actual and the predicted number of each row.
    weights : array, or None
        The weight of each row.

    Examples
    --------
    >>> import penjing
    >>> rows = [{"x": x, "y": x + 0.5} for x in (0, 1, 4, 5)]
    >>> report = penjing.fit(rows, "y", recipe="sklearn", max_depth=1).score(rows)
    >>> report.rmse, report.mae, round(report.r2, 4), report.median_absolute_error
    (0.5, 0.5, 0.9412, 0.5)
    >>> print(report)
    root mean squared error 0.5, mean absolute error 0.5, R² 0.9412   (4 rows)
    median absolute error 0.5; 95% confidence interval of the mean absolute error 0.5 to 0.5
    baseline: root mean squared error 2.062 (mean 3 for every row); first split alone 0.5 (x)
    """

    target: str
    source: str
    n: int
    weight: float
    rmse: float
    mae: float
    r2: float | None
    unlabelled: int = 0
    median_absolute_error: float = 0.0
    baseline: NumberBaseline | None = None
    intervals: Mapping[str, Any] = field(default_factory=dict)
    pairs: tuple[Floats, Floats] | None = field(default=None, repr=False, compare=False)
    weights: Floats | None = field(default=None, repr=False, compare=False)

    def __float__(self) -> float:
        return float(self.rmse == 0) if self.r2 is None else float(self.r2)

    def __setstate__(self, state: list[Any]) -> None:
        """Restore a pickle; one of 0.1.0 has fewer fields."""
        restore_fields(self, state)

    def notes(self, lang: str = "en") -> list[str]:
        """Return sentences about figures that are undefined.

        Parameters
        ----------
        lang : str
            The language: ``en`` or ``zh``.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"x": i, "y": i / 2} for i in range(9)]
        >>> penjing.fit(rows, "y", "cart-binary").score(rows[:1]).notes()
        ['All rows have the same value of the target, so R² is undefined.']
        """
        return [say("undefined_r2", lang)] if self.r2 is None else []

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data, ready for JSON.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"x": x, "y": x + 0.5} for x in (0, 1, 4, 5)]
        >>> penjing.fit(rows, "y", recipe="sklearn", max_depth=1).score(rows).to_json()["mae"]
        0.5
        """
        fields = [name for name in self.__slots__ if name not in ("pairs", "weights")]
        return {name: getattr(self, name) for name in fields} | {
            "root_mean_squared_error": self.rmse,
            "mean_absolute_error": self.mae,
            "r2_score": self.r2,
            "intervals": {name: each and list(each) for name, each in self.intervals.items()},
            "baseline": None if self.baseline is None else self.baseline.to_json(),
            "notes": self.notes(),
        }

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
        left_out = ("intervals", "baseline", "notes")
        plain = {key: value for key, value in self.to_json().items() if key not in left_out}
        return frame_of({name: [value] for name, value in plain.items()})

    def chart(
        self,
        kind: AnyChartKind = "predictions",
        *,
        lang: str = "en",
        theme: str = "light",
        title: str | None = None,
    ) -> AnyChart:
        """Return the predictions as a chart: predicted against actual numbers.

        Parameters
        ----------
        kind : str
            ``predictions``; the other charts need a categorical target.
        lang : str
            ``en`` or ``zh``.
        theme : str
            ``light``, ``dark`` or ``print``.
        title : str, optional
            The heading; default: what the chart shows.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"x": x, "y": x + 0.5} for x in (0, 1, 4, 5)]
        >>> penjing.fit(rows, "y", recipe="sklearn").score(rows).chart().kind
        'predictions'
        """
        arguments.one_of("chart", kind, get_args(AnyChartKind))
        if kind != "predictions":
            raise ChoiceError("chart_not_for_numbers", kind=kind, target=self.target)
        draw = load("chart", kind)
        made: AnyChart = draw(self, lang=lang, theme=theme, title=title)
        return made

    # The methods of the reports on classes, with their parameters: `score` returns either report.
    def lift(self, positive: Label | None = None) -> NoReturn:  # noqa: ARG002
        """Raise an error: lift needs classes.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"x": x, "y": x + 0.5} for x in (0, 1, 4, 5)]
        >>> penjing.fit(rows, "y", recipe="sklearn").score(rows).lift()
        Traceback (most recent call last):
          ...
        penjing.errors.ChoiceError: lift needs a categorical target, but 'y' is numeric.
        """
        raise self._needs_classes("lift")

    def cutoff(
        self,
        positive: Label | None = None,  # noqa: ARG002
        *,
        cost: tuple[float, float] | None = None,  # noqa: ARG002
        precision: float | None = None,  # noqa: ARG002
        recall: float | None = None,  # noqa: ARG002
    ) -> NoReturn:
        """Raise an error: a cut-off needs classes.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"x": x, "y": x + 0.5} for x in (0, 1, 4, 5)]
        >>> penjing.fit(rows, "y", recipe="sklearn").score(rows).cutoff(recall=0.5)
        Traceback (most recent call last):
          ...
        penjing.errors.ChoiceError: cutoff needs a categorical target, but 'y' is numeric.
        """
        raise self._needs_classes("cutoff")

    def profit(self, matrix: Mapping[Any, Mapping[Any, float]]) -> NoReturn:  # noqa: ARG002
        """Raise an error: profit needs classes.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"x": x, "y": x + 0.5} for x in (0, 1, 4, 5)]
        >>> penjing.fit(rows, "y", recipe="sklearn").score(rows).profit({})
        Traceback (most recent call last):
          ...
        penjing.errors.ChoiceError: profit needs a categorical target, but 'y' is numeric.
        """
        raise self._needs_classes("profit")

    def calibration(self, bins: int = 10) -> NoReturn:  # noqa: ARG002
        """Raise an error: calibration needs classes.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"x": x, "y": x + 0.5} for x in (0, 1, 4, 5)]
        >>> penjing.fit(rows, "y", recipe="sklearn").score(rows).calibration()
        Traceback (most recent call last):
          ...
        penjing.errors.ChoiceError: calibration needs a categorical target, but 'y' is numeric.
        """
        raise self._needs_classes("calibration")

    def _needs_classes(self, name: str) -> ChoiceError:
        return ChoiceError("scores_need_classes", name=name, target=self.target)

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
        >>> report = penjing.fit(rows, "y", recipe="sklearn", max_depth=1).score(rows)
        >>> report.text("zh").splitlines()[0]
        '均方根误差 0.5，平均绝对误差 0.5，R² 0.9412   （4 个样本）'
        """
        r2 = "–" if self.r2 is None else f"{self.r2:.4f}"
        rmse, mae = figure_text(self.rmse), figure_text(self.mae)
        values = {"rmse": rmse, "mae": mae, "r2": r2, "n": self.n}
        lines = [say("report_number", lang, **values)]
        median, interval = figure_text(self.median_absolute_error), self.intervals.get("mae")
        if interval is None:
            lines.append(say("report_median", lang, median=median))
        else:
            low, high = (figure_text(bound) for bound in interval)
            lines.append(say("report_median_interval", lang, median=median, low=low, high=high))
        if self.baseline is not None:
            lines.append(_number_baseline_line(self.baseline, lang))
        lines += self.notes(lang)
        if self.unlabelled:
            lines.append(say("report_unlabelled", lang, n=self.unlabelled, target=self.target))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


def _number_baseline_line(baseline: NumberBaseline, lang: str) -> str:
    rmse = figure_text(baseline.rmse)
    if baseline.mean is None:
        line = say("report_number_baseline_folds", lang, rmse=rmse)
    else:
        line = say("report_number_baseline", lang, rmse=rmse, mean=figure_text(baseline.mean))
    if baseline.column_rmse is None:
        return line
    rmse = figure_text(baseline.column_rmse)
    if baseline.column is None:
        return line + say("report_number_split_folds", lang, rmse=rmse)
    return line + say("report_number_split", lang, rmse=rmse, column=quoted(baseline.column))


def number_report_of(
    *,
    target: str,
    source: str,
    actual: Floats,
    predictions: RowPredictions,
    weight: Floats,
    unlabelled: int,
    column: str | None = None,
) -> NumberReport:
    """Return the report of actual and predicted numbers."""
    total_weight = float(weight.sum())
    errors = predictions.predicted - actual
    deviations = actual - np.average(actual, weights=weight)
    squared_errors = float((weight * errors**2).sum())
    squared_deviations = float((weight * deviations**2).sum())
    is_constant = float(actual.min()) == float(actual.max())
    mse, mae = squared_errors / total_weight, float((weight * np.abs(errors)).sum() / total_weight)
    squared = mean_interval(mse, errors**2, weight)
    return NumberReport(
        target=target,
        source=source,
        n=len(actual),
        weight=plain_number(total_weight),
        rmse=math.sqrt(mse),
        mae=mae,
        r2=None if is_constant else 1 - squared_errors / squared_deviations,
        unlabelled=unlabelled,
        median_absolute_error=weighted_median(np.abs(errors), weight),
        baseline=number_baseline(
            actual=actual,
            weight=weight,
            without_split=predictions.without_split,
            one_split=predictions.one_split,
            column=column,
        ),
        intervals={
            "mae": mean_interval(mae, np.abs(errors), weight),
            "rmse": squared and (math.sqrt(squared[0]), math.sqrt(squared[1])),
        },
        pairs=(actual, np.asarray(predictions.predicted, np.float64)),
        weights=weight,
    )


def weighted_median(values: Floats, weight: Floats) -> float:
    """Return the weighted median; halfway between two values if it lies exactly between them.

    Examples
    --------
    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.ones(3))
    2.0
    >>> weighted_median(np.array([1.0, 2.0, 9.0]), np.array([1.0, 1.0, 2.0]))
    5.5
    """
    order = np.argsort(values, kind="stable")
    values, sums = values[order], np.cumsum(weight[order])
    half = 0.5 * sums[-1]
    at = min(int(np.searchsorted(sums, half)), len(values) - 1)
    if sums[at] - half > EPSILON:  # scikit-learn's rule for a sum that equals half
        return float(values[at])
    return float((values[at] + values[min(at + 1, len(values) - 1)]) / 2)
