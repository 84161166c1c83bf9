"""Rows with wrong predictions: all of them as records, and some of them as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from penjing.data.pickles import restore_fields
from penjing.data.row_ids import RowIds
from penjing.data.source import Label
from penjing.i18n import say
from penjing.text.labels import quoted
from penjing.text.phrases import join_clauses

Numbers = npt.NDArray[np.integer[Any]]
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

    def __setstate__(self, state: list[Any]) -> None:
        restore_fields(self, state)


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

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        for name, value in ({"_ids": None} | state[1]).items():  # 0.1.0 pickled no ids
            setattr(self, name, value)

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
        return f"<{len(self)} wrong row{'s' * (len(self) != 1)}>"


def wrong_json(wrong: Wrong, *, has_id: bool) -> dict[str, Label | None]:
    """Return a wrong row as plain data, with its id if the rows have ids."""
    plain: dict[str, Label | None] = {"row": wrong.row, "actual": wrong.actual}
    plain["predicted"] = wrong.predicted
    return plain | {"id": wrong.id} if has_id else plain


def wrong_rows_line(wrong: WrongRows, row_id: str | None, lang: str) -> str:
    """Return one line that lists the wrong rows; more than 20 are counted by their classes."""
    if len(wrong) > MOST_WRONG_SHOWN:
        return say("report_wrong", lang, rows=wrong_groups(wrong, row_id, lang))
    column, heading = heading_of(wrong, row_id)
    shown = [wrong_text(w, column, w.actual, w.predicted, lang) for w in wrong]
    return say(heading, lang, rows=join_clauses(shown, lang), column=row_id)


def heading_of(wrong: Sequence[Wrong], row_id: str | None) -> tuple[str | None, str]:
    """Return the name of the ids of wrong rows, and the key of the line that lists them.

    Of many rows, the line has the name of their ids once: the name of each is then empty.
    """
    shown = wrong[:MOST_WRONG_SHOWN]
    has_ids = row_id is not None and all(each.id is not None for each in shown)
    if has_ids and len(shown) > MOST_NAMED_ROWS:
        return "", "report_wrong_by"
    return row_id, "report_wrong"


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
