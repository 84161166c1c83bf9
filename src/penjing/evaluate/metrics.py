"""Reports on predicted classes: accuracy beside baselines, scores, lift, cut-offs, wrong rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.pickles import restore_fields
from penjing.data.read.level_index import LevelIndex
from penjing.data.row_ids import RowIds
from penjing.data.source import Label
from penjing.data.statistics import format_count, plain_number, weight_sums, wilson
from penjing.data.table import Floats
from penjing.errors import ChoiceError, unknown_name_error
from penjing.evaluate import report_text
from penjing.evaluate.baseline import Baseline, class_baseline
from penjing.evaluate.cutoff import Cutoff, checked_condition, cutoff_of
from penjing.evaluate.lift import Lift, lift_of, path_of
from penjing.evaluate.number_report import NumberReport  # noqa: F401 - 0.1.0 had it here
from penjing.evaluate.probability_scores import (
    ProbabilityGroups,
    ProbabilityScores,
    calibration_points,
    macro,
    probability_scores,
    weighted,
)
from penjing.evaluate.profit import Profit, profit_matrix, profit_of
from penjing.evaluate.report_number import AnyChartKind, ReportNumber
from penjing.evaluate.wrong_rows import (
    Wrong,  # noqa: F401 - 0.1.0 had it here
    WrongRows,
    wrong_json,
    wrong_rows_line,
)
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_table, html_text
from penjing.i18n import Names, say
from penjing.predict.row_predictions import RowPredictions
from penjing.registry import load
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.formatting.chart_protocol import AnyChart
    from penjing.formatting.frame import DataFrame

Numbers = npt.NDArray[np.integer[Any]]
MOST_CLASSES_SHOWN = 40
"""With more classes, notebooks show no confusion table."""
CHARTS = ("confusion", "roc", "precision_recall", "calibration")
"""The charts of a report on predicted classes."""


@dataclass(frozen=True, slots=True)
class ClassScore:
    """Precision, recall and ranking of one class against all others.

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
    f1 : float or None
        The harmonic mean of precision and recall: 2 correct / (rows + predictions of this class);
        None if there are neither.
    roc_auc, average_precision : float or None
        The areas under the ROC curve and under the precision-recall curve; None where undefined.
    predicted : float
        The weight of the rows predicted as this class.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> score = penjing.fit(fish, max_depth=1).score(fish).per_class[1]
    >>> score.class_, score.precision, round(score.recall, 3), score.support, round(score.f1, 3)
    ('no', 1.0, 0.667, 3, 0.8)
    >>> [round(bound, 3) for bound in score.recall_interval]
    [0.208, 0.939]
    """

    class_: Label
    precision: float | None
    recall: float | None
    support: float
    f1: float | None = None
    roc_auc: float | None = None
    average_precision: float | None = None
    predicted: float = 0.0

    @property
    def precision_interval(self) -> tuple[float, float] | None:
        """The 95% confidence interval of the precision (Wilson 1927)."""
        if self.precision is None:
            return None
        return wilson(self.precision * self.predicted, self.predicted)

    @property
    def recall_interval(self) -> tuple[float, float] | None:
        """The 95% confidence interval of the recall (Wilson 1927)."""
        return None if self.recall is None else wilson(self.recall * self.support, self.support)


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
    baseline : Baseline or None
        What predicting one class, and what the first split alone achieve.
    scores : ProbabilityScores or None
        The scores of the predicted probabilities.
    positive : object or None
        The class to which lift, cut-offs and, with two classes, the scores refer; by default the
        rarer one of two classes in the training rows.
    groups : ProbabilityGroups or None
        The tested rows by their predicted probabilities, from which scores, lift and cut-offs are
        computed.
    tree : TreeData or None
        The tree, for the conditions of leaves; None for a cross-validation.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> report = penjing.fit(fish, max_depth=1).score(fish)
    >>> report.correct, report.n, report.confusion
    (4, 5, ((2, 0), (1, 2)))
    >>> report.baseline.accuracy, round(report.roc_auc, 3), round(report.log_loss, 3)
    (0.6, 0.833, 0.382)
    >>> print(report)
    accuracy 80% (4 of 5), 95% confidence interval 38% to 96%
    baseline 60% (always no); first split alone 80% ('no surfacing')
    ROC AUC 0.833 (0.507 to 1.000), PR AUC 0.667 (yes), log loss 0.382, Brier score 0.133
                  predicted
    actual        yes    no
      yes           2     0
      no            1     2
    class  precision  recall     F1  rows
    yes        0.667   1.000  0.800     2
    no         1.000   0.667  0.800     3
    wrong predictions: row 3 no→yes
    """

    target: str
    source: str
    n: int
    weight: float
    correct: float
    classes: tuple[Label, ...]
    confusion: tuple[tuple[float, ...], ...]
    wrong: WrongRows
    unlabelled: int = 0
    row_id: str | None = None
    baseline: Baseline | None = None
    scores: ProbabilityScores | None = None
    positive: Label | None = None
    groups: ProbabilityGroups | None = field(default=None, repr=False, compare=False)
    tree: TreeData | None = field(default=None, repr=False, compare=False)

    def __float__(self) -> float:
        return float(self.accuracy)

    def __setstate__(self, state: list[Any]) -> None:
        """Restore a pickle; one of 0.1.0 has fewer fields."""
        restore_fields(self, state)

    @property
    def has_weights(self) -> bool:
        """Whether the counts are sums of weights, and not numbers of rows.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).has_weights
        False
        """
        counts = [count for row in self.confusion for count in row]
        return not math.isclose(self.weight, self.n) or any(c != int(c) for c in counts)

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
        cells = np.array(self.confusion, np.float64)
        supports, predictions = cells.sum(axis=1).tolist(), cells.sum(axis=0).tolist()
        scores = []
        for i, class_ in enumerate(self.classes):
            correct = float(cells[i, i])
            support, predicted = supports[i], predictions[i]
            scores.append(
                ClassScore(
                    class_,
                    correct / predicted if predicted else None,
                    correct / support if support else None,
                    plain_number(support),
                    2 * correct / (support + predicted) if support + predicted else None,
                    None if self.scores is None else self.scores.roc_auc_by_class[i],
                    None if self.scores is None else self.scores.average_precision_by_class[i],
                    plain_number(predicted),
                )
            )
        return tuple(scores)

    @property
    def balanced_accuracy(self) -> float | None:
        """The mean recall of the classes that these rows have.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> round(penjing.fit(fish, max_depth=1).score(fish).balanced_accuracy, 4)
        0.8333
        """
        return macro([score.recall for score in self.per_class])

    @property
    def log_loss(self) -> float | None:
        """The mean negative logarithm of the probability predicted for the actual class.

        A probability of 0 counts as 2.2e-16, as in scikit-learn.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> round(penjing.fit(fish, max_depth=1).score(fish).log_loss, 4)
        0.3819
        """
        return None if self.scores is None else self.scores.log_loss

    @property
    def brier_score(self) -> float | None:
        """The mean squared error of the probabilities; beyond two classes, summed over classes.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> round(penjing.fit(fish, max_depth=1).score(fish).brier_score, 4)
        0.1333
        """
        return None if self.scores is None else self.scores.brier_score

    @property
    def roc_auc(self) -> float | None:
        """The area under the ROC curve; beyond two classes, the mean of each against all others.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> round(penjing.fit(fish, max_depth=1).score(fish).roc_auc, 4)
        0.8333
        """
        return None if self.scores is None else self.scores.roc_auc

    @property
    def average_precision(self) -> float | None:
        """The area under the precision-recall curve of the positive class, as average precision.

        Beyond two classes it is the mean of each class against all others.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> round(penjing.fit(fish, max_depth=1).score(fish).average_precision, 4)
        0.6667
        """
        return None if self.scores is None else self.scores.average_precision

    def lift(self, positive: Label | None = None) -> Lift:
        """Return the leaves by the predicted probability of a class, with lift and gain.

        Parameters
        ----------
        positive : object, optional
            The class; by default :attr:`positive`.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> [row.gain for row in penjing.fit(fish, max_depth=1).score(fish).lift("no")]
        [0.6666666666666666, 1.0]
        """
        groups, code = self._groups_of_class(positive)
        rule_of = None if self.tree is None else partial(path_of, self.tree)
        return lift_of(groups, code, self.classes[code], rule_of)

    def cutoff(
        self,
        positive: Label | None = None,
        *,
        cost: tuple[float, float] | None = None,
        precision: float | None = None,
        recall: float | None = None,
    ) -> Cutoff:
        """Return the best cut-off of the predicted probability of a class, chosen on these rows.

        Of equally good cut-offs it is the highest.

        Parameters
        ----------
        positive : object, optional
            The class; by default :attr:`positive`.
        cost : (float, float), optional
            The costs of a false positive and of a false negative: the cut-off with the lowest cost.
        precision : float, optional
            The precision wanted: the cut-off with the highest recall that has at least this.
        recall : float, optional
            The recall wanted: the cut-off with the highest precision that has at least this.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish, max_depth=1).score(fish).cutoff("yes", cost=(5, 1)).cutoff is None
        True
        """
        given = {"cost": cost, "precision": precision, "recall": recall}
        wanted = {name: value for name, value in given.items() if value is not None}
        if len(wanted) != 1:
            raise ChoiceError("one_cutoff_condition")
        by, value = next(iter(wanted.items()))
        groups, code = self._groups_of_class(positive)
        return cutoff_of(groups.ranked(code), self.classes[code], by, checked_condition(by, value))

    def profit(self, matrix: Mapping[Any, Mapping[Any, float]]) -> Profit:
        """Return what the predictions earn.

        Parameters
        ----------
        matrix : dict
            ``{actual: {predicted: number}}``; combinations that are not given earn 0.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).profit({"yes": {"yes": 10, "no": -10}}).total
        20.0
        """
        values = profit_matrix(matrix, self.classes)
        confusion = np.array(self.confusion, np.float64)
        return profit_of(values, confusion, self.classes, self.groups)

    def calibration(self, bins: int = 10) -> dict[str, Any]:
        """Compare the predicted probability of predictions with the share that is correct.

        Parameters
        ----------
        bins : int
            The number of intervals of equal width between 0 and 1.

        Returns
        -------
        dict
            ``kind`` and ``points``: for each interval that has rows ``low``, ``high``, ``weight``,
            ``said`` (the mean predicted probability of the predicted class) and ``right`` (the
            share of correct predictions).

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> points = penjing.fit(fish, max_depth=1).score(fish).calibration()["points"]
        >>> [(round(point["said"], 3), round(point["right"], 3)) for point in points]
        [(0.667, 0.667), (1.0, 1.0)]
        """
        if self.groups is None:
            raise ChoiceError("no_probabilities")
        bins = arguments.whole_number("bins", bins, 1)
        return {"kind": "calibration", "points": calibration_points(self.groups, bins)}

    def chart(
        self,
        kind: AnyChartKind = "confusion",
        *,
        positive: Label | None = None,
        bins: int = 10,
        lang: str = "en",
        theme: str = "light",
        title: str | None = None,
    ) -> AnyChart:
        """Return a chart of the report.

        Parameters
        ----------
        kind : str
            ``confusion`` (heat map), ``roc``, ``precision_recall`` or ``calibration``;
            ``predictions`` needs a numeric target.
        positive : object, optional
            The class of ``roc`` and ``precision_recall``; default: that of the report, or of more
            than two classes the seven largest ones.
        bins : int
            The number of intervals of ``calibration``.
        lang : str
            ``en`` or ``zh``.
        theme : str
            ``light``, ``dark`` or ``print``.
        title : str, optional
            The heading; default: what the chart shows.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish, max_depth=1).score(fish).chart("roc").title
        'ROC curve'
        """
        arguments.one_of("chart", kind, (*CHARTS, "predictions"))
        if kind == "predictions":
            raise ChoiceError("chart_not_for_classes", target=self.target)
        options: dict[str, Any] = {"lang": lang, "theme": theme, "title": title}
        if kind in ("roc", "precision_recall"):
            options["positive"] = positive
        if kind == "calibration":
            options["bins"] = bins
        made: AnyChart = load("chart", kind)(self, **options)
        return made

    def _groups_of_class(self, positive: Label | None) -> tuple[ProbabilityGroups, int]:
        """Return the groups and the code of a class."""
        if self.groups is None:
            raise ChoiceError("no_probabilities")
        if positive is None:
            positive = self.positive
        if positive is None:
            raise ChoiceError("needs_positive", known=Names(self.classes))
        return self.groups, class_code(positive, self.classes)

    @property
    def intervals(self) -> dict[str, Any]:
        """The 95% confidence intervals by the name of the figure, None where there is none.

        Accuracy, precision and recall: Wilson (1927). ROC AUC: DeLong et al. (1988). PR AUC: the
        logit interval (Boyd et al. 2013). Log loss and Brier score: mean plus or minus 1.96
        standard errors. Weights count as numbers of rows.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish, max_depth=1).score(fish).intervals["accuracy"][1].__round__(3)
        0.964
        """
        by_class = self.per_class
        return {
            "accuracy": self.interval,
            "precision_by_class": [score.precision_interval for score in by_class],
            "recall_by_class": [score.recall_interval for score in by_class],
            **({} if self.scores is None else self.scores.intervals),
        }

    def notes(self, lang: str = "en") -> list[str]:
        """Return sentences about figures that are undefined, and about classes left out.

        Parameters
        ----------
        lang : str
            The language: ``en`` or ``zh``.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> rows = [{"no surfacing": 0, "flippers": 0, "fish": "no"}]
        >>> tree.score(rows).notes()
        ['These rows have only the class no, so ROC AUC is undefined.']
        """
        return report_text.undefined_figures(self, lang)

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data, ready for JSON.

        Returns
        -------
        dict
            The fields of the report, with ``accuracy``, ``interval`` and ``per_class``; the scores
            under the names of scikit-learn's functions (``roc_auc_score``, ``log_loss`` …), None
            where undefined; ``intervals``, ``baseline`` and ``notes``.

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
                    "f1": s.f1,
                    "roc_auc": s.roc_auc,
                    "average_precision": s.average_precision,
                }
                for s in self.per_class
            ],
            "wrong": [wrong_json(w, has_id=self.row_id is not None) for w in self.wrong],
            "unlabelled": self.unlabelled,
            **self._scores_by_sklearn_name(),
            "intervals": {
                name: [each and list(each) for each in value]
                if name.endswith("_by_class")
                else value and list(value)
                for name, value in self.intervals.items()
            },
            "baseline": None if self.baseline is None else self.baseline.to_json(),
            "positive": self.positive,
            "notes": self.notes(),
        } | ({} if self.row_id is None else {"row_id": self.row_id})

    def _scores_by_sklearn_name(self) -> dict[str, Any]:
        """Return the scores under the names of scikit-learn's functions."""
        by_class, scores = self.per_class, self.scores
        support = [float(score.support) for score in by_class]
        columns = {
            name: [getattr(score, attribute) for score in by_class]
            for name, attribute in (
                ("precision", "precision"),
                ("recall", "recall"),
                ("fscore", "f1"),
            )
        }
        return {
            "accuracy_score": self.accuracy,
            "balanced_accuracy_score": self.balanced_accuracy,
            "precision_recall_fscore_support": {
                "labels": list(self.classes),
                **columns,
                "support": [score.support for score in by_class],
                "macro": {name: macro(values) for name, values in columns.items()},
                "weighted": {name: weighted(values, support) for name, values in columns.items()},
            },
            "log_loss": self.log_loss,
            "brier_score_loss": self.brier_score,
            "roc_auc_score": self.roc_auc,
            "roc_auc_score_weighted": None if scores is None else scores.roc_auc_weighted,
            "average_precision_score": self.average_precision,
            "average_precision_score_weighted": (
                None if scores is None else scores.average_precision_weighted
            ),
        }

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
        for name in ("precision", "recall", "f1", "support"):
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
        baseline 60% (always no); first split alone 80% ('no surfacing')
        ROC AUC 1.000, PR AUC 1.000 (yes), log loss 0.000, Brier score 0.000
                      predicted
        actual        yes    no
          yes           2     0
          no            0     3
        class  precision  recall     F1  rows
        yes        1.000   1.000  1.000     2
        no         1.000   1.000  1.000     3
        """
        lines = [self.headline(lang), *self.score_lines(lang), *self.table(lang)]
        lines += [*self.class_table(lang), *self.notes(lang)]
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
        return report_text.accuracy_line(self, lang)

    def score_lines(self, lang: str = "en") -> list[str]:
        """Return the lines of the baselines and of the scores of probabilities.

        Parameters
        ----------
        lang : str
            The language: ``en`` or ``zh``.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).score_lines()[0]
        "baseline 60% (always no); first split alone 80% ('no surfacing')"
        """
        return report_text.score_lines(self, lang)

    def class_table(self, lang: str = "en", *, full: bool = False) -> list[str]:
        """Return the lines of a table with precision, recall and F1 of each class.

        Parameters
        ----------
        lang : str
            The language: ``en`` or ``zh``.
        full : bool
            Whether to add ROC AUC and PR AUC of each class, and the averages.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> for line in penjing.fit(fish, max_depth=1).score(fish).class_table(full=True):
        ...     print(line)
        class             precision  recall     F1  ROC AUC  PR AUC  rows
        yes                   0.667   1.000  0.800    0.833   0.667     2
        no                    1.000   0.667  0.800    0.833   0.867     3
        macro average         0.833   0.833  0.800    0.833   0.767     5
        weighted average      0.867   0.800  0.800    0.833   0.787     5
        """
        return report_text.class_table(self, lang, full=full)

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
        return report_text.confusion_table(self, lang)

    def wrong_text(self, lang: str = "en") -> str:
        """Return one line that lists the wrong rows; more than 20 are counted by their classes.

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
        return wrong_rows_line(self.wrong, self.row_id, lang)

    def __str__(self) -> str:
        return self.text()


def class_code(value: object, classes: Sequence[Any]) -> int:
    """Return the position of a class; raise an error for values that are no class.

    Examples
    --------
    >>> class_code("yes", ["no", "yes"])
    1
    """
    is_label = isinstance(value, str | bool | np.bool_) or arguments.is_number(value)
    code = LevelIndex(classes).of(value) if is_label else -1
    if code < 0:
        raise unknown_name_error("no_such_class", value, classes)
    return code


def report_of(
    *,
    target: str,
    source: str,
    classes: tuple[Label, ...],
    actual: Numbers,
    predictions: RowPredictions,
    weight: Floats,
    rows: Numbers,
    unlabelled: int,
    ids: RowIds | None = None,
    positive: int | None = None,
    column: str | None = None,
    tree: TreeData | None = None,
) -> Report:
    """Return the report of actual and predicted classes, given as codes.

    ``positive`` is the code of the class that the report is about, None if it is about none, and
    ``column`` the name of the column of the first split.
    """
    n, predicted = len(classes), predictions.predicted
    cells = weight_sums(actual * np.intp(n) + predicted, weight, n * n).reshape(n, n)
    wrong = np.flatnonzero(actual != predicted)
    groups = ProbabilityGroups.of_rows(
        probability=predictions.probability,
        group=predictions.group,
        predicted=predicted,
        actual=actual,
        weight=weight,
        n_classes=n,
        nodes=predictions.nodes,
    )
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
        baseline=class_baseline(
            classes=classes,
            actual=actual,
            weight=weight,
            without_split=predictions.without_split,
            one_split=predictions.one_split,
            column=column,
        ),
        scores=probability_scores(groups, positive if n == 2 else None),
        positive=None if positive is None else classes[positive],
        groups=groups,
        tree=tree,
    )
