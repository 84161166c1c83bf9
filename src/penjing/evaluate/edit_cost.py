"""What a change of a tree cost: correct predictions, or errors, before and after it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.table import Table
from penjing.formatting.html_table import html_text
from penjing.i18n import say
from penjing.predict.predict import classes_of
from penjing.text.labels import rounded_text, weight_text
from penjing.text.phrases import join_clauses
from penjing.tree.tree_data import TreeData


@dataclass(frozen=True, slots=True)
class RowsCost:
    """Predictions for some rows before and after a change.

    Parameters
    ----------
    before, after : float
        The weight of the correct predictions; for numbers, the mean squared error.
    of : float
        The weight of the rows.
    rows : int
        The number of rows.
    changed : int
        The number of rows that are predicted differently.
    is_error : bool
        Whether the numbers are errors, of which fewer are better.
    """

    before: float
    after: float
    of: float
    rows: int
    changed: int
    is_error: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data.

        Examples
        --------
        >>> RowsCost(3.0, 2.0, 4.0, 4, 1, False).to_dict()["accuracy"]
        [0.75, 0.5]
        """
        plain: dict[str, Any] = {"rows": self.rows, "of": self.of, "changed": self.changed}
        if self.is_error:
            return plain | {"mean_squared_error": [self.before, self.after]}
        of = self.of or 1.0
        return plain | {
            "correct": [self.before, self.after],
            "accuracy": [self.before / of, self.after / of],
        }


@dataclass(frozen=True, repr=False)
class EditCost:
    """What a change of a tree cost on training and validation rows; prints as text.

    Parameters
    ----------
    leaves : (int, int)
        The number of leaves before and after.
    training, validation : RowsCost or None
        The predictions for the training rows and the validation set, as far as they were given.

    Examples
    --------
    >>> import penjing
    >>> melons = penjing.example("watermelon2.0")
    >>> print(penjing.fit(melons).prune_at("纹理=清晰").edit_cost)
    8 → 4 leaves; training rows correct 17/17 → 15/17, 2 rows predicted differently
    """

    leaves: tuple[int, int]
    training: RowsCost | None = None
    validation: RowsCost | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the cost as plain data, ready for JSON.

        Examples
        --------
        >>> EditCost((8, 5)).to_dict()
        {'leaves': [8, 5], 'training': None, 'validation': None}
        """
        parts = {"training": self.training, "validation": self.validation}
        plain = {key: None if part is None else part.to_dict() for key, part in parts.items()}
        return {"leaves": list(self.leaves), **plain}

    def text(self, lang: str = "en", *, ascii_only: bool = False) -> str:
        """Return the cost as one line.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.
        ascii_only : bool
            Use ASCII characters only.

        Examples
        --------
        >>> EditCost((8, 5)).text("zh")
        '叶结点 8 → 5'
        """
        arrow = "->" if ascii_only else "→"
        before, after = self.leaves
        values = {"before": before, "after": after, "n": after, "arrow": arrow}
        texts = [say("edit_leaves", lang, **values)]
        for name, part in (("training", self.training), ("validation", self.validation)):
            if part is not None:
                texts.append(_rows_text(name, part, lang, arrow))
        return join_clauses(texts, lang, semicolon=True)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<EditCost: {self.text()}>"

    def _repr_html_(self) -> str:
        return html_text(self.text())


def _rows_text(name: str, part: RowsCost, lang: str, arrow: str) -> str:
    values: dict[str, Any] = {
        "name": say(f"edit_{name}", lang),
        "n": part.changed,
        "arrow": arrow,
    }
    if part.is_error:
        ends = {"before": rounded_text(part.before), "after": rounded_text(part.after)}
        return say("edit_error", lang, **ends, **values)
    of = weight_text(part.of)
    ends = {side: f"{weight_text(getattr(part, side))}/{of}" for side in ("before", "after")}
    return say("edit_correct", lang, **ends, **values)


def edit_cost(
    before: TreeData,
    after: TreeData,
    training: Table | None,
    validation: Table | None,
    reached: npt.NDArray[Any] | None = None,
) -> EditCost:
    """Return what the change from one tree to another cost.

    Parameters
    ----------
    before, after : TreeData
        Two trees of the same target.
    training, validation : Table, optional
        Rows with their target, coded like those of the trees.
    reached : array, optional
        The training rows that both trees may predict differently; by default all of them.
    """
    return EditCost(
        (before.n_leaves, after.n_leaves),
        None if training is None else _training_cost(before, after, training, reached),
        None if validation is None else _rows_cost(before, after, validation),
    )


def _training_cost(
    before: TreeData, after: TreeData, rows: Table, reached: npt.NDArray[Any] | None
) -> RowsCost:
    """Return the cost on training rows; rows that no change reaches need no prediction."""
    known = before.about.get("training")
    if reached is None or len(reached) == rows.n_rows or not isinstance(known, dict):
        return _rows_cost(before, after, rows)
    part = _rows_cost(before, after, rows.take(reached))
    correct, of = float(known["correct"]), float(known["of"])
    later = correct + (part.after - part.before)
    return replace(part, before=correct, after=later, of=of, rows=rows.n_rows)


def _rows_cost(before: TreeData, after: TreeData, rows: Table) -> RowsCost:
    first, second = (classes_of(tree, rows) for tree in (before, after))
    weight, n = rows.weights, rows.n_rows
    changed = int((first != second).sum())
    assert rows.target is not None
    total = float(weight.sum())
    if before.is_regression:
        numbers = rows.target.numbers()
        errors = [
            float((weight * (each - numbers) ** 2).sum()) / (total or 1.0)
            for each in (first, second)
        ]
        return RowsCost(errors[0], errors[1], total, n, changed, is_error=True)
    right = [float(np.sum(weight[each == rows.target.codes])) for each in (first, second)]
    return RowsCost(right[0], right[1], total, n, changed, is_error=False)
