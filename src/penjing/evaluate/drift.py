"""Drift: how new rows differ from the training rows, by the population stability index (PSI).

The index of two distributions over the same bins is the sum of (p - q) ln(p / q), p and q being the
shares of a bin in the new and in the training rows. Half a row is added to every bin, so that no
share is 0. By the usual rule (Siddiqi 2006) an index below 0.1 means little change, from 0.25 on
much. Two samples of m and n rows from one population have an index of about (bins - 1)(1/m + 1/n).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from penjing.data.column_bins import ColumnBins, column_bins
from penjing.data.source import Label
from penjing.data.statistics import weight_sums
from penjing.data.table import Column, Floats, Table
from penjing.errors import DataError
from penjing.evaluate.lift import MAX_RULE, path_of
from penjing.evaluate.prediction_summary import MAX_SHOWN, unseen_categories
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_text
from penjing.formatting.text_table import clip, table_lines
from penjing.i18n import say
from penjing.predict.inputs import align_all, used_columns
from penjing.predict.predict import classes_of, policies, predictor_of
from penjing.text.formula import decimals
from penjing.text.labels import path_in_language, quoted, weight_text
from penjing.text.phrases import join_names
from penjing.tree.nodes import Ids
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.formatting.frame import DataFrame

MODERATE, LARGE = 0.1, 0.25
"""The usual thresholds of the index (Siddiqi 2006)."""
MAX_PARTS = 20
"""The leaves are compared in at most this many parts of the tree."""
ADDED = 0.5
"""What is added to every bin."""


@dataclass(frozen=True, slots=True)
class Share:
    """A part of the rows: its share in the new and in the training rows.

    Parameters
    ----------
    name : object
        A class, or the conditions of a part of the tree.
    share, training_share : float
        The shares.
    """

    name: Label
    share: float
    training_share: float


@dataclass(frozen=True, slots=True)
class ColumnDrift:
    """How a column of the new rows differs from the training rows.

    Parameters
    ----------
    name : str
        The column.
    psi : float or None
        The population stability index, missing values and unseen categories being bins, too; None
        if nothing is known about the training rows.
    by_chance : float or None
        The index to expect of two samples of one population.
    missing_share, training_missing_share : float or None
        The shares of rows without a value.
    unseen_share : float
        The share of rows with a category that the training rows do not have.
    unseen : tuple of (object, int)
        These categories with their rows, the most frequent first.
    """

    name: str
    psi: float | None
    by_chance: float | None
    missing_share: float
    training_missing_share: float | None
    unseen_share: float
    unseen: tuple[tuple[Label, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Drift:
    """How new rows differ from the rows that a tree was grown from; prints as `penjing drift`.

    Parameters
    ----------
    n : int
        The number of new rows.
    training_weight : float
        The weight of the training rows.
    leaves_psi, leaves_by_chance : float
        The index of the parts of the tree in which rows end, and the one to expect by chance.
    leaves : tuple of Share
        These parts: at most 20, by dividing the largest ones first.
    predictions_psi, predictions_by_chance : float or None
        The same of the predicted classes; None for numbers.
    predictions : tuple of Share
        The predicted classes.
    columns : tuple of ColumnDrift
        The columns that the tree splits on and, if the training rows are given, all others.
    lacks_columns : bool
        Whether nothing is known about some columns of the training rows.
    n_training : int or None
        The number of training rows; None if it is not known.

    Examples
    --------
    >>> import penjing
    >>> melons = penjing.example("watermelon2.0")
    >>> drift = penjing.fit(melons).drift(melons)
    >>> drift.max_psi
    0.0
    """

    n: int
    training_weight: float
    leaves_psi: float
    leaves_by_chance: float
    leaves: tuple[Share, ...]
    predictions_psi: float | None
    predictions_by_chance: float | None
    predictions: tuple[Share, ...]
    columns: tuple[ColumnDrift, ...]
    lacks_columns: bool
    n_training: int | None = None

    @property
    def max_psi(self) -> float:
        """The largest index of leaves, predictions and columns.

        Examples
        --------
        >>> import penjing
        >>> melons = penjing.example("watermelon2.0")
        >>> rows = [{"色泽": "青绿", "根蒂": "硬挺", "纹理": "模糊", "触感": "软粘"}] * 30
        >>> penjing.fit(melons).drift(rows).max_psi > 0.25
        True
        """
        found = [self.leaves_psi, self.predictions_psi, *(c.psi for c in self.columns)]
        return max(value for value in found if value is not None)

    def text(self, lang: str = "en", *, command: bool = False) -> str:
        """Return the comparison as text.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.
        command : bool
            Name options of the command in place of arguments.

        Examples
        --------
        >>> import penjing
        >>> melons = penjing.example("watermelon2.0")
        >>> print("; ".join(penjing.fit(melons).drift(melons).text().splitlines()[:2]))
        17 new rows, compared with 17 training rows; PSI of leaves 0.000 (little change)
        """
        lines = [self._rows_line(lang)]
        lines.append(say("drift_leaves", lang, psi=psi_text(self.leaves_psi, lang)))
        lines += self._share_lines(self.leaves, "summary_leaf", lang, changed_only=True)
        if self.predictions_psi is not None:
            lines.append(say("drift_predictions", lang, psi=psi_text(self.predictions_psi, lang)))
            lines += self._share_lines(self.predictions, "summary_prediction", lang)
        lines += self._column_lines(lang)
        if self.lacks_columns:
            lines.append(say("drift_lacks_columns_cli" if command else "drift_lacks_columns", lang))
        if self.leaves_by_chance >= MODERATE:
            chance = decimals(self.leaves_by_chance, 2)
            lines.append(say("drift_by_chance", lang, n=self.n, psi=chance))
        return "\n".join(lines)

    def _rows_line(self, lang: str) -> str:
        """Return how many rows are compared; the training rows have their weight, too."""
        weight, n_training = self.training_weight, self.n_training
        rows = say("plain_count", lang, n=self.n)
        if n_training is None and weight == int(weight):
            n_training = int(weight)
        if n_training is None:
            return say(
                "drift_rows_of_weight", lang, n=self.n, rows=rows, weight=weight_text(weight)
            )
        training = say("plain_count", lang, n=n_training)
        if math.isclose(weight, n_training, rel_tol=1e-9):
            return say("drift_rows", lang, n=self.n, rows=rows, training=training)
        weights = {"training": training, "weight": weight_text(weight)}
        return say("drift_rows_and_weight", lang, n=self.n, rows=rows, **weights)

    @staticmethod
    def _share_lines(
        shares: Sequence[Share], key: str, lang: str, *, changed_only: bool = False
    ) -> list[str]:
        """Return a table of shares; of parts of the tree, those that changed most."""
        shown = list(shares)
        if changed_only:
            shown = sorted(shown, key=lambda s: -abs(s.share - s.training_share))[:5]
        words = [say(f"drift_{word}", lang) for word in ("new", "training")]
        rows = [
            [
                clip(_name(part, lang, is_rule=changed_only), MAX_RULE)
                or say("summary_all_rows", lang),
                f"{100 * part.share:.1f}%",
                f"{100 * part.training_share:.1f}%",
            ]
            for part in shown[:MAX_SHOWN]
        ]
        return table_lines([[say(key, lang), *words], *rows])

    def _column_lines(self, lang: str) -> list[str]:
        if not self.columns:
            return []
        words = ["summary_column", "drift_psi", "drift_missing", "drift_missing_training"]
        words.append("drift_unseen")
        shown = sorted(self.columns, key=lambda c: (-(c.psi or 0.0), -c.unseen_share))[:MAX_SHOWN]
        rows = [
            [
                quoted(c.name),
                "–" if c.psi is None else decimals(c.psi, 3),
                f"{100 * c.missing_share:.1f}%",
                "–"
                if c.training_missing_share is None
                else f"{100 * c.training_missing_share:.1f}%",
                f"{100 * c.unseen_share:.1f}%",
            ]
            for c in shown
        ]
        table = table_lines([[say(word, lang) for word in words], *rows])
        for i, column in enumerate(shown, start=1):
            named = [
                say("name_and_count", lang, name=quoted(level), n=n)
                for level, n in column.unseen[:5]
            ]
            more = ["…"] if len(column.unseen) > 5 else []
            if named:
                table[i] += "  " + join_names([*named, *more], lang)
        if len(self.columns) > MAX_SHOWN:
            table.append(say("document_more", lang, n=len(self.columns) - MAX_SHOWN))
        return table

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as plain data.

        Examples
        --------
        >>> import penjing
        >>> melons = penjing.example("watermelon2.0")
        >>> penjing.fit(melons).drift(melons).to_json()["max_psi"]
        0.0
        """
        columns = [
            asdict(column)
            | {"unseen": [{"category": level, "rows": n} for level, n in column.unseen]}
            for column in self.columns
        ]
        return {
            "n": self.n,
            "training_weight": self.training_weight,
            "n_training": self.n_training,
            "max_psi": self.max_psi,
            "thresholds": {"moderate": MODERATE, "large": LARGE},
            "leaves": {
                "psi": self.leaves_psi,
                "by_chance": self.leaves_by_chance,
                "shares": [asdict(part) for part in self.leaves],
            },
            "predictions": {
                "psi": self.predictions_psi,
                "by_chance": self.predictions_by_chance,
                "shares": [asdict(part) for part in self.predictions],
            },
            "columns": columns,
            "lacks_columns": self.lacks_columns,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the same as :meth:`to_json`.

        Examples
        --------
        >>> import penjing
        >>> melons = penjing.example("watermelon2.0")
        >>> penjing.fit(melons).drift(melons).to_dict()["n"]
        17
        """
        return self.to_json()

    def to_pandas(self) -> DataFrame:
        """Return the columns as a data frame.

        Examples
        --------
        >>> import penjing
        >>> melons = penjing.example("watermelon2.0")
        >>> float(penjing.fit(melons).drift(melons).to_pandas()["psi"].max())
        0.0
        """
        names = [name for name in ColumnDrift.__slots__ if name not in ("name", "unseen")]
        columns = {name: [getattr(c, name) for c in self.columns] for name in names}
        return frame_of(columns, [c.name for c in self.columns], "column")

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return html_text(self.text())


def _name(part: Share, lang: str, *, is_rule: bool) -> str:
    return path_in_language(str(part.name), lang) if is_rule else quoted(part.name)


def psi_text(psi: float, lang: str) -> str:
    """Return an index with what it means."""
    key = "large" if psi >= LARGE else "moderate" if psi >= MODERATE else "little"
    return say(f"drift_{key}", lang, psi=decimals(psi, 3))


def population_stability_index(new: Floats, training: Floats) -> float:
    """Return the index of two distributions over the same bins, given by weights.

    Bins that both leave empty do not count.

    Examples
    --------
    >>> population_stability_index(np.array([10.0, 10.0]), np.array([10.0, 10.0]))
    0.0
    >>> round(population_stability_index(np.array([30.0, 10.0]), np.array([10.0, 30.0])), 4)
    1.0403
    """
    some = (new > 0) | (training > 0)
    p, q = new[some] + ADDED, training[some] + ADDED
    p, q = p / p.sum(), q / q.sum()
    return float(((p - q) * np.log(p / q)).sum())


def index_by_chance(new: Floats, training: Floats) -> float:
    """Return the index to expect of two samples of one population with so many rows and bins."""
    n_bins = int(((new > 0) | (training > 0)).sum())
    n_new, n_training = float(new.sum()), float(training.sum())
    return (n_bins - 1) * (1 / n_new + 1 / n_training) if n_new and n_training else 0.0


def drift(
    tree: TreeData,
    source: Any,  # noqa: ANN401 - whatever `align_all` takes
    training: Table | None = None,
) -> Drift:
    """Return how new rows differ from the training rows of a tree.

    Parameters
    ----------
    tree : TreeData
        The tree; its counts are those of the training rows.
    source : Table or source
        The new rows.
    training : Table, optional
        The training rows, coded as the tree is. Without them the columns are compared with what
        the model has kept.
    """
    if not tree.has_counts:
        raise DataError("drift_needs_counts")
    table = align_all(tree, source, keeps_weight=True)
    if not table.n_rows or not table.weights.sum() > 0:
        raise DataError("drift_no_rows", source=str(table.source.get("name", "table")))
    group, names, trained = tree_parts(tree)
    predictor = predictor_of(tree)
    rows = predictor.rows(tree, table)
    new = predictor.weights_by_group(
        rows, policies(tree, None, None), table.weights, group, len(trained)
    )
    columns, lacks_columns = _columns(tree, table, training)
    classes, class_psi, class_chance = _predictions(tree, table)
    return Drift(
        table.n_rows,
        float(tree.weight_of(0)),
        population_stability_index(new, trained),
        index_by_chance(new, trained),
        _shares(names, new, trained),
        class_psi,
        class_chance,
        classes,
        columns,
        lacks_columns,
        n_training if isinstance(n_training := tree.about.get("n_rows"), int) else None,
    )


def _shares(names: Sequence[Label], new: Floats, training: Floats) -> tuple[Share, ...]:
    total, trained = float(new.sum()), float(training.sum())
    return tuple(
        Share(name, a / total, b / trained if trained else 0.0)
        for name, a, b in zip(names, new.tolist(), training.tolist(), strict=True)
        if a > 0 or b > 0
    )


def tree_parts(tree: TreeData) -> tuple[Ids, list[str], Floats]:
    """Return the part of each node, and the name and the training weight of each part.

    The tree is divided at its largest nodes into at most `MAX_PARTS` parts. The last part holds the
    rows that end above these nodes, since their value has no branch there.
    """
    weight = tree.weight
    parts: list[int] = [0]
    waiting = [(-float(weight[0]), 0)] if not tree.is_leaf[0] else []
    while waiting:
        _, node = heapq.heappop(waiting)
        children = list(tree.children(node))
        if len(parts) - 1 + len(children) > MAX_PARTS:
            continue
        parts.remove(node)
        parts += children
        for child in children:
            if not tree.is_leaf[child]:
                heapq.heappush(waiting, (-float(weight[child]), child))
    parts.sort()
    part_of = np.full(tree.n_nodes, -1, np.int32)
    part_of[parts] = np.arange(len(parts))
    parent = tree.nodes.parent
    is_open = part_of < 0
    for _ in range(tree.depth):  # nodes take the part of their parents, level by level
        below = np.flatnonzero(is_open & (parent >= 0))
        found = part_of[parent[below]]
        part_of[below] = found
        is_open[below[found >= 0]] = False
        if not (found >= 0).any():
            break
    part_of[part_of < 0] = len(parts)
    trained = np.append(weight[parts], 0.0)
    trained[-1] = max(float(weight[0]) - float(trained.sum()), 0.0)
    if trained[-1] <= 1e-9 * float(weight[0]):  # the rounding error of fractions
        trained[-1] = 0.0
    return part_of, [*(path_of(tree, node) for node in parts), "…"], trained


def _predictions(
    tree: TreeData, table: Table
) -> tuple[tuple[Share, ...], float | None, float | None]:
    """Return the shares of the predicted classes, with their index; nothing for numbers.

    In the training rows they are the weights of the leaves by their predictions.
    """
    if tree.is_regression:
        return (), None, None
    n = len(tree.classes)
    new = weight_sums(classes_of(tree, table), table.weights, n)
    leaves = np.flatnonzero(tree.is_leaf)
    trained = weight_sums(tree.values[leaves], tree.weight[leaves], n)
    psi, chance = population_stability_index(new, trained), index_by_chance(new, trained)
    return _shares(tree.classes, new, trained), psi, chance


def _columns(
    tree: TreeData, table: Table, training: Table | None
) -> tuple[tuple[ColumnDrift, ...], bool]:
    """Return the comparison of columns, and whether nothing is known of some of them."""
    kept = _kept_bins(tree)
    used = used_columns(tree)
    others = [] if training is None else [c for c in range(len(tree.schema)) if c not in used]
    total = float(table.weights.sum())
    found, lacks = [], False
    for c in [*used, *others]:
        field, column = tree.schema[c], table.columns[c]
        trained_column = None if training is None else training.columns[c]
        if c not in used and (_is_absent(column) or _is_absent(trained_column)):
            continue  # predictions do not need it
        bins = kept.get(c)
        if training is not None and trained_column is not None:
            bins = column_bins(trained_column, field, training.weights)
        unseen = unseen_categories(table, c, len(field.levels))
        missing = float(table.weights[column.codes < 0].sum()) / total
        is_unseen = column.codes >= len(field.levels)
        unseen_share = 0.0 if field.is_numeric else float(table.weights[is_unseen].sum()) / total
        psi = chance = missing_before = None
        if bins is None:
            lacks = True
        else:
            new, trained = bins.count(column, field, table.weights), bins.cells
            psi, chance = population_stability_index(new, trained), index_by_chance(new, trained)
            missing_before = bins.missing / float(trained.sum()) if trained.sum() else 0.0
        found.append(
            ColumnDrift(
                field.name,
                psi,
                chance,
                missing,
                missing_before,
                unseen_share,
                tuple(unseen.most_common()),
            )
        )
    return tuple(found), lacks


def _is_absent(column: Column | None) -> bool:
    return column is None or column.n_missing == len(column.codes)


def _kept_bins(tree: TreeData) -> Mapping[int, ColumnBins]:
    return {
        int(plain["column"]): ColumnBins.from_json(plain) for plain in tree.about.get("columns", ())
    }
