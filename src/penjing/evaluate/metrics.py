"""Reports on predicted classes: accuracy beside baselines, scores, lift, cut-offs, wrong rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.pickles import restore_fields
from penjing.data.row_ids import RowIds
from penjing.data.source import Label
from penjing.data.statistics import format_count, percent, plain_number, weight_sums, wilson
from penjing.data.table import Floats
from penjing.errors import ChoiceError, unknown_name_error
from penjing.evaluate.baseline import Baseline, class_baseline
from penjing.evaluate.cutoff import Cutoff, cutoff_of
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
from penjing.evaluate.report_number import ReportNumber
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_table, html_text
from penjing.formatting.text_table import max_width, table_lines
from penjing.i18n import Names, say
from penjing.predict.inputs import LevelIndex
from penjing.predict.row_predictions import RowPredictions
from penjing.text.formula import decimals
from penjing.text.labels import quoted, weight_text
from penjing.text.phrases import join_clauses, join_names
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.formatting.frame import DataFrame

Numbers = npt.NDArray[np.integer[Any]]
MOST_CLASSES_SHOWN = 40
"""With more classes, notebooks show no confusion table."""
MOST_CLASSES_NAMED = 5
"""How many classes a sentence names."""
MOST_NAMED_ROWS = 5
"""With more wrong rows, the name of their id column is printed once for all."""
MOST_WRONG_SHOWN = 20
"""How many wrong rows are printed; `Report.wrong` has all of them."""
MOST_KINDS_SHOWN = 4
"""Number of pairs of actual and predicted class that are listed, if there are more wrong rows."""
MOST_OF_KIND_SHOWN = 3
"""Number of rows that are named of each of these pairs."""


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

    def by_classes(self) -> list[list[int]]:
        """Return the positions of the rows by actual and predicted class, most rows first."""
        kinds = self._actual.astype(np.int64) * len(self._classes) + self._predicted
        order = np.argsort(kinds, kind="stable")
        starts = np.flatnonzero(np.diff(kinds[order], prepend=-1))
        groups = np.split(order, starts[1:]) if len(starts) else []
        groups.sort(key=lambda group: (-len(group), int(group[0])))
        return [group.tolist() for group in groups]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WrongRows) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # __eq__ compares values

    def __repr__(self) -> str:
        return f"<{len(self)} wrong rows>"


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
        The class that lift and cut-offs are about and, of two classes, the scores, too: by default
        the rarer one of two classes in the training rows.
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
        return cutoff_of(groups.ranked(code), self.classes[code], by, _condition(by, value))

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
        support = [sum(row) for row in self.confusion]
        present = [c for c, n in zip(self.classes, support, strict=True) if n > 0]
        n_known = len(self.classes) if self.groups is None else self.groups.n_known
        notes = []
        if self.scores is not None and len(present) == 1:
            notes.append(say("undefined_one_class", lang, name=quoted(present[0])))
        if unknown := self.classes[n_known:]:
            notes.append(_about_classes("undefined_unknown", unknown, lang))
        absent = [c for c in self.classes[:n_known] if c not in present]
        if absent and len(present) > 1:
            notes.append(_about_classes("undefined_absent", absent, lang))
        return notes

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
            "wrong": [_wrong_json(w, has_id=self.row_id is not None) for w in self.wrong],
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
        lines = []
        if self.baseline is not None:
            lines.append(_baseline_line(self.baseline, lang))
        if self.scores is not None:
            positive = self.positive if len(self.classes) == 2 else None
            lines.append(_scores_line(self.scores, positive, lang))
        return lines

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
        names = ["precision", "recall", "f1"]
        names += ["roc_auc", "average_precision"] if full and self.scores is not None else []
        by_class = self.per_class
        support = [float(score.support) for score in by_class]
        columns = {name: [getattr(score, name) for score in by_class] for name in names}
        head = [say(f"test_{name}", lang) for name in ("class", *names, "support")]
        rows = [
            [
                quoted(score.class_),
                *(_share(columns[name][i]) for name in names),
                say("plain_count", lang, n=weight_text(support[i])),
            ]
            for i, score in enumerate(by_class)
        ]
        if full:
            total = say("plain_count", lang, n=weight_text(sum(support)))
            means = [macro(columns[name]) for name in names]
            rows.append([say("test_macro", lang), *map(_share, means), total])
            means = [weighted(columns[name], support) for name in names]
            rows.append([say("test_weighted", lang), *map(_share, means), total])
        return table_lines([head, *rows])

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
        if len(self.wrong) > MOST_WRONG_SHOWN:
            return say("report_wrong", lang, rows=wrong_groups(self.wrong, self.row_id, lang))
        column, heading = heading_of(self)
        shown = [wrong_text(w, column, w.actual, w.predicted, lang) for w in self.wrong]
        return say(heading, lang, rows=join_clauses(shown, lang), column=self.row_id)

    def __str__(self) -> str:
        return self.text()


def _share(value: float | None) -> str:
    return "–" if value is None else decimals(value, 3)


def _about_classes(key: str, classes: Sequence[Label], lang: str) -> str:
    """Return a sentence about classes; of many, the first ones are named."""
    shown = [quoted(class_) for class_ in classes[:MOST_CLASSES_NAMED]]
    more = ["…"] if len(classes) > MOST_CLASSES_NAMED else []
    return say(key, lang, n=len(classes), names=join_names([*shown, *more], lang))


def _condition(by: str, value: Any) -> tuple[float, ...]:  # noqa: ANN401 - given by users
    """Return the condition of a cut-off: two costs, or a share."""
    if by == "cost":
        costs = arguments.as_list(value)
        is_valid = costs is not None and len(costs) == 2
        is_valid = is_valid and all(
            arguments.is_number(c) and 0 <= c < math.inf for c in costs or ()
        )
        if not is_valid or not any(costs or ()):
            raise ChoiceError("bad_costs", value=value)
        return tuple(float(cost) for cost in costs or ())
    if not arguments.is_number(value) or not 0 < value <= 1:
        raise ChoiceError("bad_wanted_share", name=by, value=value)
    return (float(value),)


def _baseline_line(baseline: Baseline, lang: str) -> str:
    share = percent(baseline.accuracy, 1)
    line = (
        say("report_baseline_folds", lang, percent=share)
        if baseline.class_ is None
        else say("report_baseline", lang, percent=share, name=quoted(baseline.class_))
    )
    if baseline.column_accuracy is None:
        return line
    share = percent(baseline.column_accuracy, 1)
    if baseline.column is None:
        return line + say("report_baseline_split_folds", lang, percent=share)
    return line + say("report_baseline_split", lang, percent=share, column=quoted(baseline.column))


def _scores_line(scores: ProbabilityScores, positive: Label | None, lang: str) -> str:
    area, precision = _share(scores.roc_auc), _share(scores.average_precision)
    interval = scores.intervals["roc_auc"]
    if interval is not None:
        low, high = map(_share, interval)
        area += say("report_bounds", lang, low=low, high=high)
    if positive is not None:
        precision += say("report_of_class", lang, name=quoted(positive))
    values = {"log_loss": _share(scores.log_loss), "brier": _share(scores.brier_score)}
    key = "report_scores" if positive is not None else "report_scores_macro"
    return say(key, lang, roc_auc=area, pr_auc=precision, **values)


def _wrong_json(wrong: Wrong, *, has_id: bool) -> dict[str, Label | None]:
    """Return a wrong row as plain data, with its id if the rows have ids."""
    plain: dict[str, Label | None] = {"row": wrong.row, "actual": wrong.actual}
    plain["predicted"] = wrong.predicted
    return plain | {"id": wrong.id} if has_id else plain


def heading_of(report: Report) -> tuple[str | None, str]:
    """Return the name of the ids of wrong rows, and the key of the line that lists them.

    Of many rows, the line has the name of their ids once: the name of each is then empty.
    """
    shown = report.wrong[:MOST_WRONG_SHOWN]
    has_ids = report.row_id is not None and all(wrong.id is not None for wrong in shown)
    if has_ids and len(shown) > MOST_NAMED_ROWS:
        return "", "report_wrong_by"
    return report.row_id, "report_wrong"


def wrong_text(
    wrong: Wrong, row_id: str | None, actual: object, predicted: object, lang: str
) -> str:
    """Return one wrong row, named by its id if it has one: 'row 3 no→yes', 'melon 7 no→yes'."""
    classes = {"actual": actual, "predicted": predicted}
    if row_id is None or wrong.id is None:
        return say("report_wrong_row", lang, row=wrong.row, **classes)
    return say("report_wrong_id", lang, column=row_id, id=wrong.id, **classes).lstrip()


def wrong_groups(wrong: WrongRows, row_id: str | None, lang: str) -> str:
    """Return how many rows of which class are predicted as which other one, with some of the rows.

    Examples
    --------
    >>> actual, predicted = np.array([1] * 1500 + [0]), np.array([0] * 1500 + [1])
    >>> wrong = WrongRows(np.arange(1, 1502), actual, predicted, ("no", "yes"))
    >>> wrong_groups(wrong, None, "en")
    '1,500 yes→no (row 1, 2, 3, …), 1 no→yes (row 1501)'
    """
    largest = wrong.by_classes()[:MOST_KINDS_SHOWN]
    shown = []
    for places in largest:
        rows = [wrong[place] for place in places[:MOST_OF_KIND_SHOWN]]
        has_ids = row_id is not None and all(row.id is not None for row in rows)
        names = [str(row.id if has_ids else row.row) for row in rows]
        names += ["…"] if len(places) > len(names) else []
        listed = say("list_comma", lang).join(names)
        classes = {"actual": quoted(rows[0].actual), "predicted": quoted(rows[0].predicted)}
        values: dict[str, Any] = {"n": len(places), **classes}
        column = row_id if has_ids else say("report_row", lang)
        shown.append(say("report_wrong_kind", lang, column=column, rows=listed, **values))
    text = join_clauses(shown, lang)
    others = len(wrong) - sum(len(places) for places in largest)
    return say("report_wrong_more", lang, rows=text, n=others) if others else text


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
