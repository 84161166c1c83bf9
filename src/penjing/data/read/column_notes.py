"""Notes about columns: one value only, spellings of one category, and leaks of the target.

Rows are counted without their weights. Each column is first judged by `SCREEN` rows, so that a
column without anything to note costs a few microseconds; only the others are counted in full.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.lazy_column import LazyColumn
from penjing.data.notes import Note
from penjing.data.read.reading import fold_key
from penjing.data.statistics import Z95, percent, wilson
from penjing.data.table import Column, Floats, Table
from penjing.i18n import number_text

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

MIN_ACCURACY, MIN_ACCURACY_LOW = 0.9875, 0.98
"""A column predicts the target alone if this share of the rows is correct, and the lower end of
the 95% interval is this high: at least 189 rows without any error. Honest columns stay below:
petal width of iris 96%, odor of mushroom 98.5%."""

MIN_COPY_LOW = 0.96
"""A column with one category for each class is a near-copy from this lower end: 93 rows or more."""

MIN_SAMPLE_ACCURACY = 2 * MIN_COPY_LOW - 1
"""Below this share in a sample, a column has twice the errors that either note allows, or more."""

MIN_FEWER_ERRORS, MIN_FEWER_ERRORS_LOW = 0.9, 0.8
"""This share of the errors of the most frequent class must be avoided: at least 16 errors."""

MIN_OVERLAP, MIN_OVERLAP_LOW = 0.9, 0.7
"""Rows without a value are the rows of a class if this share of both is common: 9 rows or more."""

MIN_CORRELATION, MIN_KNOWN = 0.99, 50
"""The lower end of the 95% interval of a correlation with a numeric target; rows that it needs."""

MIN_MODE_SHARE = 0.05
"""The most frequent number of a target counts as a class if this share of the rows has it."""

MIN_CONSTANT_ROWS = 3
SCREEN, SAMPLE = 128, 4096
"""The rows that a first look takes, half of them of the most frequent class; and a second."""
SCREEN_ERRORS = 20
"""More errors among the rows of the first look, and a column does not predict the target."""
EXTRA_INTERVALS = 2
"""Intervals of numbers besides one for each class."""
MAX_CLASSES = 30


COUNTED = (
    "note_constant", "note_predicts_alone", "note_target_copy", "note_missing_is_class",
    "note_known_is_class", "note_follows_target",
)  # fmt: skip
"""The notes that need the rows, not only the categories; the disk engine does not make them."""


def find_leaks(table: Table, dates: Mapping[str, Mask] | None = None) -> list[Note]:
    """Return notes about columns that tell the target or nothing at all.

    Parameters
    ----------
    table : Table
        The table; rows without a target have been dropped.
    dates : dict, optional
        For each column of dates, which is not itself in the table: the rows without a value.

    Examples
    --------
    >>> from penjing.data.table import nominal, numeric
    >>> classes = nominal("paid", ["yes", "no", "no"] * 70)
    >>> amount = numeric("amount", [20.0, 0.0, 0.0] * 70)
    >>> print(find_leaks(Table((amount,), classes, 210))[0])
    'amount' is nearly a copy of 'paid': it alone predicts 100% of the rows (210 of 210). If it is
    known only after 'paid', leave it out: schema={'amount': 'ignore'}.
    """
    target = table.target
    if table.n_rows < MIN_CONSTANT_ROWS or not table.columns:
        return []
    if target is None:
        return _Look(table.columns, _spread(table.n_rows, SCREEN)).constant_note()
    search = _NumberLeaks if target.is_numeric else _ClassLeaks
    return search(table, dates or {}).notes()


def find_spellings(columns: Sequence[Column], target: Column | None) -> list[Note]:
    """Return notes about categories and classes that differ only in case or blanks.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> print(find_spellings([nominal("plan", ["Basic", "basic", "Pro"])], None)[0])
    'plan' has categories that differ only in case or blanks: Basic and basic. To merge them:
    fold_case=True.
    """
    notes = [_spellings(column, CATEGORY_NOTES) for column in columns if not column.is_numeric]
    if target is not None and not target.is_numeric:
        notes.append(_spellings(target, CLASS_NOTES))
    return [note for note in notes if note is not None]


CATEGORY_NOTES = ("note_spelling_categories", "note_spelling_categories_more")
CLASS_NOTES = ("note_spelling_classes", "note_spelling_classes_more")
"""The notes about one group of spellings, and about several."""


def _spellings(column: Column, keys: tuple[str, str]) -> Note | None:
    """Return the note that some categories differ only in case or blanks."""
    if not all(isinstance(level, str) for level in column.levels):
        return None
    folded = [fold_key(level) for level in column.levels]
    if len(set(folded)) == len(folded):
        return None
    groups: dict[str, list[str]] = {}
    for key, level in zip(folded, column.levels, strict=True):
        groups.setdefault(key, []).append(level)
    several = [group for group in groups.values() if len(group) > 1]
    values = {"column": column.name, "values": several[0], "n": len(several) - 1}
    return Note(keys[len(several) > 1], values)


class _Look:
    """The numbers of all columns in a few rows: values or codes, NaN if missing."""

    def __init__(self, columns: Sequence[Column], rows: Ints) -> None:
        self.columns, self.rows = columns, rows
        self.values = np.empty((len(rows), len(columns)))
        for i, column in enumerate(columns):
            self.values[:, i] = _uncoded(column)[rows]
        is_known = np.array([_is_uncoded(column) for column in columns], np.bool_)
        self.is_missing = np.where(is_known, np.isnan(self.values), self.values < 0)

    def constant_note(self) -> list[Note]:
        """Return the note about columns with the same value in every row."""
        is_same = (self.values == self.values[0]).all(axis=0) & ~self.is_missing[0]
        columns = [self.columns[i] for i in np.flatnonzero(is_same).tolist()]
        names = [c.name for c in columns if (_uncoded(c) == _uncoded(c)[0]).all()]
        return [Note("note_constant", {"columns": names, "n": len(names)})] if names else []

    def n_distinct(self, i: int) -> int:
        """Return how many values a column has in these rows, missing ones aside."""
        return len(set(self.values[~self.is_missing[:, i], i].tolist()))

    def with_missing(self) -> list[tuple[str, Mask]]:
        """Return the columns with and without values, and their rows without a value."""
        n_missing = self.is_missing.sum(axis=0)
        found = np.flatnonzero((n_missing > 0) & (n_missing < len(self.rows))).tolist()
        return [(self.columns[i].name, _missing(self.columns[i])) for i in found]


def _is_uncoded(column: Column) -> bool:
    """Return whether a column has numbers, but no codes yet."""
    return isinstance(column, LazyColumn) and not column.is_coded


def _uncoded(column: Column) -> npt.NDArray[Any]:
    """Return the numbers of a column without codes, or the codes."""
    return column.raw if isinstance(column, LazyColumn) and not column.is_coded else column.codes


def _missing(column: Column) -> Mask:
    values = _uncoded(column)
    return np.isnan(values) if _is_uncoded(column) else values < 0


def _spread(n: int, wanted: int) -> Ints:
    """Return evenly spaced positions."""
    return np.arange(n) if n <= wanted else np.arange(wanted) * n // wanted


def _numbers(column: Column, rows: Ints | slice) -> Floats:
    """Return the numbers of some rows, or their ranks; NaN is missing."""
    if isinstance(column, LazyColumn) and not column.is_coded:
        return np.asarray(column.raw[rows], np.float64)
    codes = column.codes[rows].astype(np.float64)
    codes[codes < 0] = np.nan
    return codes


class _Leaks:
    """Searches the columns of a table for leaks of its target."""

    def __init__(self, table: Table, dates: Mapping[str, Mask]) -> None:
        assert table.target is not None
        self.table, self.target, self.dates = table, table.target, dates
        self.columns = table.columns
        self.parts = {name for name in table.names if name.rpartition(".")[0] in dates}

    def missing_notes(self, classes: Ints, names: Sequence[Any], look: _Look) -> list[Note]:
        """Return the notes that the rows without a value are the rows of a class."""
        totals = np.bincount(classes, minlength=len(names))
        found: dict[tuple[str, int], list[str]] = {}
        columns = [pair for pair in look.with_missing() if pair[0] not in self.parts]
        for name, is_missing in [*columns, *self.dates.items()]:
            n_missing = np.bincount(classes[is_missing], minlength=len(names))
            matched = _matched_class(n_missing, totals)
            if matched is not None:
                found.setdefault(matched, []).append(name)
        return [
            Note(
                "note_missing_is_class" if key == "missing" else "note_known_is_class",
                {
                    "columns": columns, "n": len(columns), "class_": names[k],
                    "target": self.target.name,
                },
            )
            for (key, k), columns in found.items()
        ]  # fmt: skip


def _matched_class(n_missing: Ints, totals: Ints) -> tuple[str, int] | None:
    """Return the class of which all rows and no others are without a value, or with one."""
    n, sizes = int(totals.sum()), totals.tolist()
    for key, marked in (("missing", n_missing), ("known", totals - n_missing)):
        n_marked = int(marked.sum())
        for k, both in enumerate(marked.tolist()):
            union = n_marked + sizes[k] - both
            if _overlaps(both, union) and _overlaps(n - union, n - both):
                return key, k
    return None


def _overlaps(both: int, union: int) -> bool:
    return both > 0 and both >= MIN_OVERLAP * union and wilson(both, union)[0] >= MIN_OVERLAP_LOW


class _ClassLeaks(_Leaks):
    """Searches for leaks of a target with classes."""

    def notes(self) -> list[Note]:
        """Return the notes, those about constant columns included."""
        table, classes = self.table, self.target.codes.astype(np.int64)
        counts = np.bincount(classes, minlength=len(self.target.levels))
        main = int(counts.argmax())
        rows = _two_groups(np.flatnonzero(classes == main), np.flatnonzero(classes != main))
        look = _Look(self.columns, rows)
        found = look.constant_note()
        missing = self.missing_notes(classes, tuple(self.target.levels), look)
        known = {name for note in missing for name in note.values["columns"]}
        n_classes = int(np.count_nonzero(counts))
        n_errors = table.n_rows - int(counts[main])
        if not (_reaches(table.n_rows, 0, n_errors, MIN_COPY_LOW) and 1 < n_classes <= MAX_CLASSES):
            return [*found, *missing]
        # Of few rows, only a copy of the target is sure enough to be noted.
        only_copies = not _reaches(table.n_rows, 0, n_errors, MIN_ACCURACY_LOW)
        candidates = [
            column
            for column, passes in zip(
                self.columns,
                _screened(look, classes[rows], n_classes, only_copies=only_copies),
                strict=True,
            )
            if passes and not {column.name, column.name.rpartition(".")[0]} & known
        ]
        for column in candidates:
            if note := self._predictor_note(column, classes, counts):
                found.append(note)
        return [*found, *missing]

    def _predictor_note(self, column: Column, classes: Ints, counts: Ints) -> Note | None:
        """Return the note that a column predicts the target alone, or is a copy of it."""
        n, baseline = len(classes), len(classes) - int(counts.max())
        if n > 2 * SAMPLE and column.is_numeric:
            rows = _spread(n, SAMPLE)
            right = _by_intervals(_joint_counts(column, rows, classes, len(counts)))
            if right < MIN_SAMPLE_ACCURACY * len(rows):
                return None
        joint = _joint_counts(column, slice(None), classes, len(counts))
        right = _by_intervals(joint) if column.is_numeric else _left_one_out(joint)
        values = {
            "column": column.name, "target": self.target.name, "percent": percent(right, n),
            "right": right, "of": n,
        }  # fmt: skip
        if _is_one_to_one(joint[1:], counts) and _reaches(n, n - right, baseline, MIN_COPY_LOW):
            return Note("note_target_copy", values)
        if right >= MIN_ACCURACY * n and _reaches(n, n - right, baseline, MIN_ACCURACY_LOW):
            return Note("note_predicts_alone", values)
        return None


def _screened(look: _Look, classes: Ints, n_classes: int, *, only_copies: bool) -> list[bool]:
    """Return which columns may predict the target, or copy it, judged by a few rows."""
    passes = [False] * len(look.columns)
    ordered = [i for i, column in enumerate(look.columns) if column.is_numeric]
    if only_copies:
        ordered = [i for i in ordered if look.n_distinct(i) <= n_classes]
    if ordered:
        in_order = classes[look.values[:, ordered].argsort(axis=0, kind="stable")]
        n_changes = (in_order[1:] != in_order[:-1]).sum(axis=0)
        # Between so many intervals, and on both sides of each row that is an error.
        most = n_classes + EXTRA_INTERVALS + 2 * SCREEN_ERRORS  # missing: one interval more
        for i, n in zip(ordered, n_changes.tolist(), strict=True):
            passes[i] = n <= most
    size = int(classes.max()) + 1
    for i, column in enumerate(look.columns):
        if not column.is_numeric and len(column.levels) > 1:
            pairs = (look.values[:, i].astype(np.int64) + 1) * size + classes
            joint = np.bincount(pairs, minlength=(len(column.levels) + 1) * size)
            n_right = int(joint.reshape(-1, size).max(axis=1).sum())
            passes[i] = len(classes) - n_right <= SCREEN_ERRORS
    return passes


def _two_groups(main: Ints, others: Ints) -> Ints:
    """Return rows for a first look, half of them of each group."""
    half = SCREEN // 2
    n_others = min(half, len(others))
    return np.concatenate(
        [main[_spread(len(main), SCREEN - n_others)], others[_spread(len(others), half)]]
    )


def _reaches(n: int, n_errors: int, baseline: int, low: float) -> bool:
    """Return whether a rule is far better than chance and than the most frequent class."""
    avoided = baseline - n_errors
    return (
        avoided > 0
        and wilson(n - n_errors, n)[0] >= low
        and avoided >= MIN_FEWER_ERRORS * baseline
        and wilson(avoided, baseline)[0] >= MIN_FEWER_ERRORS_LOW
    )


def _joint_counts(column: Column, rows: Ints | slice, classes: Ints, n_classes: int) -> Ints:
    """Return the classes of each category or number, (values, classes); the first is missing."""
    if column.is_numeric:
        numbers = _numbers(column, rows)
        is_missing = np.isnan(numbers)
        codes = np.zeros(len(numbers), np.int64)
        codes[~is_missing] = np.unique(numbers[~is_missing], return_inverse=True)[1] + 1
    else:
        codes = column.codes[rows].astype(np.int64) + 1
    n_values = int(codes.max(initial=0)) + 1
    pairs = codes * n_classes + classes[rows]
    return np.bincount(pairs, minlength=n_values * n_classes).reshape(n_values, n_classes)


def _left_one_out(joint: Ints) -> int:
    """Return how many rows the other rows of their category predict; ties count as errors."""
    ordered = np.sort(joint, axis=1)
    first, second = ordered[:, -1], ordered[:, -2]
    return int(first[first - 1 > second].sum())


def _by_intervals(joint: Ints) -> int:
    """Return how many rows a few intervals of numbers predict, and missing as its own."""
    n_classes = int(np.count_nonzero(joint.sum(axis=0)))
    right = int(joint[0].max())
    intervals = [joint[1:]] if len(joint) > 1 else []
    splits = [_best_cut(interval) for interval in intervals]
    for _ in range(n_classes + EXTRA_INTERVALS - 1):
        best = max(range(len(splits)), key=lambda i: splits[i][0], default=None)
        if best is None or splits[best][0] <= 0:
            break
        interval, (_, cut) = intervals[best], splits[best]
        intervals[best : best + 1] = [interval[:cut], interval[cut:]]
        splits[best : best + 1] = [_best_cut(interval[:cut]), _best_cut(interval[cut:])]
    return right + sum(int(interval.sum(axis=0).max()) for interval in intervals)


def _best_cut(joint: Ints) -> tuple[float, int]:
    """Return the gain in purity of the best threshold, and the values below it."""
    if len(joint) < 2:
        return 0.0, 0
    below = np.cumsum(joint, axis=0, dtype=np.float64)
    total = below[-1]
    above, below = total - below[:-1], below[:-1]
    purity = (below**2).sum(axis=1) / below.sum(axis=1) + (above**2).sum(axis=1) / above.sum(axis=1)
    cut = int(purity.argmax())
    return float(purity[cut] - (total**2).sum() / total.sum()), cut + 1


def _is_one_to_one(joint: Ints, counts: Ints) -> bool:
    """Return whether there is one category for each class."""
    used = joint[joint.sum(axis=1) > 0]
    if len(used) != np.count_nonzero(counts):
        return False
    return len(set(used.argmax(axis=1).tolist())) == len(used)


class _NumberLeaks(_Leaks):
    """Searches for leaks of a numeric target."""

    def notes(self) -> list[Note]:
        """Return the notes, those about constant columns included."""
        n = self.table.n_rows
        rows = _spread(n, SCREEN)
        found = _Look(self.columns, rows).constant_note()
        if n < MIN_KNOWN:
            return found
        sample = _spread(n, SAMPLE)
        target = self.target.numbers()
        for column in self.columns:
            if column.is_numeric and self._may_follow(column, rows, target):
                numbers = _values(column, sample)
                is_known = ~np.isnan(numbers)
                r = _correlation(numbers[is_known], target[sample][is_known])
                if _low_correlation(r, int(is_known.sum())) >= MIN_CORRELATION:
                    digits = math.floor(abs(r) * 1000) / 1000  # 1 only if it is
                    values = {"column": column.name, "target": self.target.name, "r": digits}
                    found.append(Note("note_follows_target", values))
        numbers, n_rows = np.unique(target, return_counts=True)
        mode = int(n_rows.argmax())
        if n_rows[mode] < MIN_MODE_SHARE * n:
            return found
        is_mode = (target == numbers[mode]).astype(np.int64)
        both = _two_groups(np.flatnonzero(is_mode == 0), np.flatnonzero(is_mode))
        names = ("", number_text(numbers[mode]))
        notes = self.missing_notes(is_mode, names, _Look(self.columns, both))
        return [*found, *(note for note in notes if note.values["class_"])]  # not the others

    def _may_follow(self, column: Column, rows: Ints, target: Floats) -> bool:
        """Return whether a correlation is possible, judged by a few rows."""
        numbers = _values(column, rows)
        is_known = ~np.isnan(numbers)
        r = _correlation(numbers[is_known], target[rows][is_known])
        return abs(r) >= 2 * MIN_CORRELATION - 1


def _values(column: Column, rows: Ints) -> Floats:
    """Return the numbers of some rows, NaN if missing."""
    if isinstance(column, LazyColumn) and not column.is_coded:
        return np.asarray(column.raw[rows], np.float64)
    return np.append(np.asarray(column.levels, np.float64), np.nan)[column.codes[rows]]


def _correlation(x: Floats, y: Floats) -> float:
    """Return the correlation of two columns or of their ranks, whichever is stronger."""
    if len(x) < 3:
        return 0.0
    pairs = ((x, y), (_ranks(x), _ranks(y)))
    return max((_pearson(*pair) for pair in pairs), key=abs)


def _ranks(values: Floats) -> Floats:
    """Return the rank of each value; equal values share the mean of theirs."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[codes]


def _pearson(x: Floats, y: Floats) -> float:
    with np.errstate(all="ignore"):
        x, y = x - x.mean(), y - y.mean()
        r = float((x @ y) / math.sqrt(float(x @ x) * float(y @ y) or math.inf))
    return min(max(r, -1.0), 1.0) if math.isfinite(r) else 0.0


def _low_correlation(r: float, n: int) -> float:
    """Return the lower end of the 95% interval of a correlation's size (Fisher 1921)."""
    if n < MIN_KNOWN:
        return 0.0
    return 1.0 if abs(r) >= 1 else math.tanh(math.atanh(abs(r)) - Z95 / math.sqrt(n - 3))
