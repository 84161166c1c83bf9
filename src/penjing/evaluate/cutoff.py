"""Cut-offs of the predicted probability of one class: the cheapest, or the best of a condition."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from penjing import arguments
from penjing.data.source import Label
from penjing.data.statistics import plain_number
from penjing.data.table import Floats
from penjing.errors import ChoiceError
from penjing.evaluate.probability_scores import RankedRows
from penjing.formatting.html_table import html_text
from penjing.i18n import say
from penjing.text.formula import decimals
from penjing.text.labels import number_text, quoted, rounded_text
from penjing.text.phrases import rows_of


@dataclass(frozen=True, slots=True)
class Cutoff:
    """A cut-off: rows with at least this probability of a class are predicted as that class.

    Parameters
    ----------
    class_ : object
        The class.
    cutoff : float or None
        The cut-off; None if no row is to be predicted as the class, or if the condition cannot be
        met.
    is_met : bool
        Whether a cut-off meets the condition.
    true_positives, false_positives, false_negatives, true_negatives : float
        The weight of the rows by prediction and actual class at the cut-off.
    by : str
        ``cost``, ``precision`` or ``recall``.
    wanted : tuple of float
        The costs of a false positive and a false negative, or the precision or recall wanted.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> report = penjing.fit(fish, max_depth=1).score(fish)
    >>> print(report.cutoff("no", cost=(1, 5)).text()[21:])
    predict no if its probability is at least 0.333; cost 2, precision 0.600, recall 1.000 (5 rows)
    >>> report.cutoff("yes", precision=0.5).cutoff
    0.6666666666666666
    """

    class_: Label
    cutoff: float | None
    is_met: bool
    true_positives: float
    false_positives: float
    false_negatives: float
    true_negatives: float
    by: str
    wanted: tuple[float, ...]

    @property
    def precision(self) -> float | None:
        """The share of the rows predicted as the class that have it; None if there are none.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).cutoff("yes", recall=1).precision
        1.0
        """
        predicted = self.true_positives + self.false_positives
        return self.true_positives / predicted if predicted else None

    @property
    def recall(self) -> float | None:
        """The share of the rows of the class that are predicted as it; None if there are none.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).cutoff("yes", precision=1).recall
        1.0
        """
        actual = self.true_positives + self.false_negatives
        return self.true_positives / actual if actual else None

    @property
    def cost(self) -> float | None:
        """The cost of the wrong predictions; None unless costs were given.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).cutoff("yes", cost=(1, 5)).cost
        0.0
        """
        if self.by != "cost":
            return None
        false_positive, false_negative = self.wanted
        return false_positive * self.false_positives + false_negative * self.false_negatives

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
        >>> penjing.fit(fish).score(fish).cutoff("yes", recall=0.9).text("zh")[:32]
        '按查全率至少 0.9 选取的阈值：预测概率不低于 1.000 时'
        """
        wanted = ":".join(number_text(float(value)) for value in self.wanted)
        name = quoted(self.class_)
        head = say(f"cutoff_by_{self.by}", lang, wanted=wanted)
        if not self.is_met:
            return head + say("cutoff_unmet", lang)
        at = (
            say("cutoff_never", lang, name=name)
            if self.cutoff is None
            else say("cutoff_at", lang, name=name, cutoff=decimals(self.cutoff, 3))
        )
        if self.cost is not None:
            at += say("cutoff_cost", lang, cost=rounded_text(self.cost))
        precision, recall = (
            "–" if value is None else decimals(value, 3) for value in (self.precision, self.recall)
        )
        figures = say(
            "cutoff_figures",
            lang,
            precision=precision,
            recall=recall,
            rows=rows_of(self.true_positives + self.false_positives, lang),
        )
        return head + at + figures

    def to_json(self) -> dict[str, Any]:
        """Return the cut-off as plain data.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).cutoff("yes", recall=1).to_json()["cutoff"]
        1.0
        """
        names = ("true_positives", "false_positives", "false_negatives", "true_negatives")
        return {
            "class": self.class_,
            "by": self.by,
            "wanted": list(self.wanted),
            "is_met": self.is_met,
            "cutoff": self.cutoff,
            "precision": self.precision,
            "recall": self.recall,
            "cost": self.cost,
        } | {name: getattr(self, name) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Return the same as :meth:`to_json`.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).cutoff("yes", recall=1).to_dict()["by"]
        'recall'
        """
        return self.to_json()

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return html_text(self.text())


def cutoff_of(rows: RankedRows, class_: Label, by: str, wanted: tuple[float, ...]) -> Cutoff:
    """Return the best cut-off; of equally good ones, the highest.

    ``cost``: the lowest cost of wrong predictions, where predicting no row as the class is a
    candidate, too. ``precision``: the highest recall of the cut-offs with at least that precision.
    ``recall``: the highest precision of the cut-offs with at least that recall.

    Parameters
    ----------
    rows : RankedRows
        The tested rows by the probability of the class.
    class_ : object
        The class.
    by, wanted
        The condition, as in `Cutoff`.
    """
    # From the highest cut-off down; the first candidate predicts no row as the class.
    true = np.concatenate([[0.0], np.cumsum(rows.positive[::-1])])
    false = np.concatenate([[0.0], np.cumsum(rows.negative[::-1])])
    cutoffs = [None, *rows.score[::-1].tolist()]
    n_true, n_false = true[-1], false[-1]
    predicted = true + false
    precision = np.divide(true, predicted, out=np.full(len(true), -1.0), where=predicted > 0)
    recall = true / n_true if n_true else np.full(len(true), -1.0)
    best: int | None
    if by == "cost":
        best = int((wanted[0] * false + wanted[1] * (n_true - true)).argmin())
    elif by == "precision":
        best = _best(precision >= wanted[0], recall)
    else:
        best = _best(recall >= wanted[0], precision)
    at = 0 if best is None else best
    return Cutoff(
        class_,
        None if best is None else cutoffs[best],
        best is not None,
        plain_number(true[at]),
        plain_number(false[at]),
        plain_number(n_true - true[at]),
        plain_number(n_false - false[at]),
        by,
        wanted,
    )


def _best(is_allowed: Any, value: Floats) -> int | None:  # noqa: ANN401 - an array of booleans
    """Return the first allowed candidate with the largest value; None if there is none.

    The first candidate predicts no row as the class and has no precision.
    """
    is_allowed = is_allowed.copy()
    is_allowed[0] = False
    if not is_allowed.any() or value.max() < 0:
        return None
    return int(np.where(is_allowed, value, -2.0).argmax())


def checked_condition(by: str, value: Any) -> tuple[float, ...]:  # noqa: ANN401 - given by users
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
