"""Lift and gain: the leaves of a tree by the predicted probability of one class, highest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from penjing.data.source import Label
from penjing.data.statistics import plain_number, weight_sums
from penjing.evaluate.probability_scores import ProbabilityGroups
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_text
from penjing.formatting.text_table import clip, right_aligned
from penjing.i18n import say
from penjing.text.formula import decimals
from penjing.text.labels import branch_text, path_in_language, quoted, weight_text
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.formatting.frame import DataFrame

MAX_RULE = 72
"""The largest width of conditions in a table; longer ones are cut."""


@dataclass(frozen=True, slots=True)
class LiftRow:
    """The rows that stop in one node, and all rows with a higher probability.

    Parameters
    ----------
    node : int or None
        The node; None where the rows of several trees have this probability.
    probability : float
        The predicted probability of the class; of fractional cases, the mean.
    rows, positives : float
        The weight of the rows, and of those that have the class.
    rate : float
        The share of the rows that have the class.
    lift : float or None
        The rate divided by that of all rows; None if no row has the class.
    cumulative_rows : float
        The share of all rows in this node and those before it.
    gain : float or None
        The share of all rows of the class in this node and those before it.
    rule : str
        The conditions of the node.
    """

    node: int | None
    probability: float
    rows: float
    positives: float
    rate: float
    lift: float | None
    cumulative_rows: float
    gain: float | None
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Lift(Sequence[LiftRow]):
    """The leaves by the predicted probability of a class, highest first; prints as a table.

    Nodes with the same probability are in the order of their numbers.

    Parameters
    ----------
    class_ : object
        The class.
    rows : tuple of LiftRow
        The leaves.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> print(penjing.fit(fish, max_depth=1).score(fish).lift("yes"))
      p(yes)  rows  yes  share of yes  lift  cumulative rows    gain
       0.667     3    2         66.7%  1.67            60.0%  100.0%  'no surfacing' = 1
       0.000     2    0          0.0%  0.00           100.0%  100.0%  'no surfacing' = 0
    """

    class_: Label
    rows: tuple[LiftRow, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> LiftRow: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[LiftRow, ...]: ...

    def __getitem__(self, index: int | slice) -> LiftRow | tuple[LiftRow, ...]:
        return self.rows[index]

    def __iter__(self) -> Iterator[LiftRow]:
        return iter(self.rows)

    def text(self, lang: str = "en", most: int | None = None) -> str:
        """Return the table as text.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.
        most : int, optional
            The largest number of leaves to list; default: all.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).lift("yes").text("zh").splitlines()[0]
        '  p(yes)  样本数  yes  yes 的比例  提升度  累计样本  累计增益'
        """
        name = quoted(self.class_)
        head = [f"p({name})", say("lift_rows", lang), name, say("lift_rate", lang, name=name)]
        head += [say(f"lift_{key}", lang) for key in ("lift", "cumulative", "gain")]
        shown = self.rows[:most]
        cells = [
            [
                decimals(row.probability, 3),
                say("plain_count", lang, n=weight_text(row.rows)),
                say("plain_count", lang, n=weight_text(row.positives)),
                f"{100 * row.rate:.1f}%",
                "–" if row.lift is None else decimals(row.lift, 2),
                f"{100 * row.cumulative_rows:.1f}%",
                "–" if row.gain is None else f"{100 * row.gain:.1f}%",
            ]
            for row in shown
        ]
        lines = right_aligned([head, *cells])
        lines[1:] = [
            f"{line}  {_conditions(row, lang)}".rstrip()
            for line, row in zip(lines[1:], shown, strict=True)
        ]
        if len(shown) < len(self.rows):
            lines.append("  " + say("document_more", lang, n=len(self.rows) - len(shown)))
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Return the table as plain data.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).lift("yes").to_json()["leaves"][0]["gain"]
        1.0
        """
        return {"class": self.class_, "leaves": [asdict(row) for row in self.rows]}

    def to_dict(self) -> dict[str, Any]:
        """Return the same as :meth:`to_json`.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).lift("yes").to_dict()["class"]
        'yes'
        """
        return self.to_json()

    def to_pandas(self) -> DataFrame:
        """Return a data frame with one row per leaf.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).lift("yes").to_pandas()["gain"].tolist()
        [1.0, 1.0, 1.0]
        """
        names = LiftRow.__slots__
        return frame_of({name: [getattr(row, name) for row in self.rows] for name in names})

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return html_text(self.text())


def _conditions(row: LiftRow, lang: str) -> str:
    """Return the conditions of a node in a table; the root has none."""
    rule = clip(path_in_language(row.rule, lang), MAX_RULE)
    return rule or (say("summary_all_rows", lang) if row.node == 0 else "")


def path_of(tree: TreeData, node: int) -> str:
    """Return the conditions on the path to a node: 'texture = clear, density ≤ 0.3815'.

    Examples
    --------
    >>> import penjing
    >>> path_of(penjing.fit(penjing.example("fish")), 3)
    "'no surfacing' = 1, flippers = 1"
    """
    return ", ".join(branch_text(tree, step) for step in tree.path(node)[1:])


def lift_of(
    groups: ProbabilityGroups, k: int, class_: Label, rule_of: Callable[[int], str] | None
) -> Lift:
    """Return the leaves by the probability of class ``k``.

    Parameters
    ----------
    groups : ProbabilityGroups
        The tested rows. Without nodes, rows with the same probability are one entry.
    k : int
        The code of the class.
    class_ : object
        The class.
    rule_of : function or None
        Returns the conditions of a node.
    """
    score, every, positive = (
        groups.probability[:, k], groups.weight.sum(axis=1), groups.weight[:, k],
    )  # fmt: skip
    keys = score if groups.nodes is None else groups.nodes
    distinct, place = np.unique(keys, return_inverse=True)
    n = len(distinct)
    rows, positives = weight_sums(place, every, n), weight_sums(place, positive, n)
    first = np.zeros(n, np.intp)
    first[place[::-1]] = np.arange(len(place))[::-1]
    # The mean of equal probabilities is not computed, so that it is exact.
    is_one = np.bincount(place, minlength=n) == 1
    means = weight_sums(place, score * every, n) / rows
    probability = np.where(is_one | (groups.nodes is None), score[first], means)
    order = np.lexsort((np.arange(n), -probability))
    total, all_positives = float(rows.sum()), float(positives.sum())
    base = all_positives / total
    leaves = []
    n_rows = n_positives = 0.0
    for i in order.tolist():
        n_rows, n_positives = n_rows + rows[i], n_positives + positives[i]
        node = None if groups.nodes is None else int(distinct[i])
        rate = float(positives[i] / rows[i])
        leaves.append(
            LiftRow(
                node,
                float(probability[i]),
                plain_number(rows[i]),
                plain_number(positives[i]),
                rate,
                rate / base if base else None,
                float(n_rows / total),
                float(n_positives / all_positives) if base else None,
                "" if node is None or rule_of is None else rule_of(node),
            )
        )
    return Lift(class_, tuple(leaves))
