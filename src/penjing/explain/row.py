"""Explain the prediction for one row: its path, the counts on it, and what would change it."""

from __future__ import annotations

import heapq
import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import count, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from penjing import arguments
from penjing.data.source import Label, Source
from penjing.data.statistics import wilson
from penjing.data.table import Table
from penjing.errors import ChoiceError, WrongSourceError, WrongTypeError, unknown_name_error
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_text
from penjing.predict.flat import comparison_cuts
from penjing.predict.inputs import align, as_row, complete_row, row_names, used_columns
from penjing.predict.predict import apply, policies, predict, predict_proba
from penjing.text import row_explanation as writer
from penjing.text import surrogate_labels
from penjing.text.labels import branch_text, number_text, quoted
from penjing.tree.split import NO_BRANCH, Split, Surrogate, level_text
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.formatting.frame import DataFrame

Plain = dict[str, Any]
Row = dict[int, float]
"""Values by column: a number, or the code of a category; a column without one is missing."""

N_FLIPS = 3
"""How many changes are reported by default."""
MOST_VISITED = 20_000
"""How many nodes (or changed rows) the search for changes visits at most."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a row is predicted as it is, and what would change the prediction; prints as text.

    Parameters
    ----------
    told : mapping
        The explanation as plain data; see :func:`explain_row` for its keys.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("fish"))
    >>> explanation = tree.explain({"no surfacing": 1, "flippers": 1})
    >>> print(explanation)
    prediction: yes, 100% (95% confidence interval 34% to 100%)
      'no surfacing' = 1  (1)  2 : 1 → yes
      flippers = 1        (1)  2 : 0 → yes
    changes that would alter the prediction:
      flippers = 0          no
      'no surfacing' = 0    no
    """

    told: Mapping[str, Any]

    def to_json(self) -> Plain:
        """Return the explanation as plain data, ready for JSON.

        Returns
        -------
        dict
            ``answer``, ``row``, ``path``, ``stopped``, ``shares``, ``interval`` and ``flips``;
            see :func:`explain_row`.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> explanation = tree.explain({"no surfacing": 1, "flippers": 1}).to_json()
        >>> explanation["answer"], explanation["shares"]
        ('yes', {'yes': 1.0, 'no': 0.0})
        """
        return dict(self.told)

    def to_dict(self) -> Plain:
        """Return the same as :meth:`to_json`.

        Examples
        --------
        >>> import penjing
        >>> penjing.fit(penjing.example("fish")).explain({"no surfacing": 0}).to_dict()["answer"]
        'no'
        """
        return self.to_json()

    def to_pandas(self) -> DataFrame:
        """Return the nodes of the path, one per row.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.explain({"no surfacing": 1, "flippers": 1}).to_pandas()["answer"].tolist()
        ['no', 'yes', 'yes']
        """
        steps = self.told["path"]
        names = dict.fromkeys(name for step in steps for name in step)
        return frame_of({name: [step.get(name) for step in steps] for name in names})

    def _repr_html_(self) -> str:
        return html_text(self.text())

    def text(self, lang: str = "en", *, ascii_only: bool = False) -> str:
        """Return the explanation as text.

        Parameters
        ----------
        lang : str
            The language: ``en`` or ``zh``.
        ascii_only : bool
            Whether to use ASCII characters only.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> print(tree.explain({"no surfacing": 1, "flippers": 1}, flips=1).text("zh"))
        预测：yes，100%（95% 置信区间 34%–100%）
          'no surfacing' = 1  (1)  2 : 1 → yes
          flippers = 1        (1)  2 : 0 → yes
        以下改动会改变预测：
          flippers = 0          no
        """
        return writer.write(self.told, lang, ascii_only=ascii_only)

    def __str__(self) -> str:
        return self.text()


def explain_row(tree: TreeData, row: Source, *, flips: int = N_FLIPS) -> Explanation:
    """Return why a row is predicted as it is.

    Parameters
    ----------
    tree : TreeData
        The tree.
    row : dict, or a table of one row
        The row; columns that are left out are missing.
    flips : int
        How many changes to look for that would change the prediction.

    Returns
    -------
    Explanation
        ``answer``: the prediction. ``shares``: the predicted probability of each class.
        ``interval``: the 95% interval of that of the prediction (Wilson 1927). ``value_range``,
        for numeric targets: the smallest and the largest prediction of the tree. ``row``: the
        values of the columns that the tree splits on. ``path``: the nodes of the path, each with
        its rows, its prediction and the branch that the row takes. ``stopped``: why the row
        stops above a leaf, if it does. ``flips``: changes that give another prediction, nearest
        first: the fewest columns changed, then the smallest change (in units of half the
        column's range; 1 for a category), then the one that leaves the path latest. Each was
        checked: `predict` returns its ``answer`` for every value above ``above`` and at most
        ``at_most`` (None: unlimited), as the ``test`` says.

    Examples
    --------
    >>> barks = {"barks": {1: "dog", 0: "cat"}}
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {"<= 2.5": "bird", "> 2.5": barks}})
    >>> print(explain_row(tree, {"legs": 4, "barks": 1}))
    prediction: dog
      legs > 2.5          (4)
      barks = 1           (1)
    changes that would alter the prediction:
      barks = 0             cat
      legs ≤ 2.5            bird
    """
    arguments.whole_number("flips", flips, 0)
    table = align(tree, _complete(tree, row))
    if table.n_rows != 1:
        raise ChoiceError("explain_one_row", n=table.n_rows)
    prediction = _plain(predict(tree, table)[0])
    stop = int(apply(tree, table)[0])
    path = tree.path(stop)
    explanation: Plain = {
        "answer": prediction,
        "row": {tree.schema[c].name: _value(table, c) for c in _split_columns(tree)},
        "path": [_path_node(tree, table, node, child) for node, child in _with_children(path)],
        "stopped": None if tree.is_leaf[stop] else _stop_reason(tree, table, stop),
    }
    if tree.is_regression:
        explanation["value_range"] = list(tree.value_range)
    else:
        shares = predict_proba(tree, table)[0].tolist()
        by_class = zip(tree.classes, shares, strict=True)
        explanation["shares"] = {str(class_): share for class_, share in by_class}
        # A mixture of leaves has no single count of rows to compute an interval from.
        is_mixture = explanation["stopped"] == "shared"
        explanation["interval"] = None if is_mixture else _interval(tree, stop)
    explanation["flips"] = _flips(tree, table, prediction, flips) if flips > 0 else []
    return Explanation(explanation)


def _complete(tree: TreeData, row: Source) -> Source:
    """Return a row given as a dict with None for the columns it lacks; other sources as given."""
    row = as_row(row)
    if not isinstance(row, Mapping):
        if isinstance(row, int | float | bytes | None) or (
            isinstance(row, str) and not _is_file(row)
        ):
            raise WrongTypeError("explain_no_row", found=row)
        return row
    known = row_names(tree)
    for name, value in row.items():
        if not isinstance(name, str):
            raise unknown_name_error("unknown_column", name, known)
        if isinstance(value, Iterable) and not isinstance(value, str):
            raise WrongSourceError("explain_odd_cell", column=name, value=value)
    if not tree.schema:
        return Table((), None, 1)
    if row and not any(name in known or name == tree.target.name for name in row):
        raise unknown_name_error("unknown_column", next(iter(row)), known)  # a row of another table
    return [complete_row(tree, row)]


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except OSError:  # not a valid file name
        return False


def _split_columns(tree: TreeData) -> list[int]:
    """Return the columns that a tree splits on, in the order of its nodes."""
    return list(dict.fromkeys(int(c) for c in tree.nodes.column.tolist() if c >= 0))


def _with_children(path: list[int]) -> Iterator[tuple[int, int | None]]:
    """Yield each node of a path with the next one, None after the last."""
    yield from pairwise(path)
    yield path[-1], None


def _path_node(tree: TreeData, table: Table, node: int, child: int | None) -> Plain:
    total = tree.nodes.total[node]
    entry: Plain = {
        "node": node,
        "rows": _number(tree.weight_of(node)) if tree.has_counts else None,
        "answer": _plain(tree.answer(node)),
        "question": None,
        "value": None,
        "branch": None,
        "by": None,
    }
    if tree.has_weights:
        entry["is_weight"] = True
    if not tree.is_regression and tree.has_counts:
        entry["total"] = [_number(v) for v in total.tolist()]
    if not tree.is_leaf[node]:
        c = int(tree.nodes.column[node])
        entry |= {"question": tree.schema[c].name, "value": _value(table, c)}
    if child is not None:
        value = entry["value"] if isinstance(entry["value"], int | float) else None
        branch = branch_text(tree, child, value=value)
        entry |= {"branch": branch, "by": _sent_by(tree, table, node)}
    return entry


def _sent_by(tree: TreeData, table: Table, node: int) -> str:
    """Return what decided the branch of a row: its value, a surrogate, or that it has none.

    ``missing``: the value is missing. ``unseen``: the node has no branch for its category.
    """
    split = tree.split(node)
    assert split is not None
    if split.branches(table.columns[split.column])[0] != NO_BRANCH:
        return "value"
    for surrogate in (s for s in split.surrogates if s.is_used):
        if surrogate.branches(table.columns[surrogate.column])[0] != NO_BRANCH:
            return f"surrogate: {surrogate_labels.surrogate_text(tree, surrogate)}"
    return "missing" if table.columns[split.column].codes[0] < 0 else "unseen"


def _stop_reason(tree: TreeData, table: Table, node: int) -> str:
    """Return why a row stops at a split: its value is missing or has no branch.

    ``shared``: it is missing, and the row follows every branch by a fraction.
    """
    c = int(tree.nodes.column[node])
    code, (unseen, missing) = int(table.columns[c].codes[0]), policies(tree, None, None)
    is_missing = unseen == "missing" and code >= len(tree.schema[c].levels)
    if code >= 0 and (tree.schema[c].is_numeric or not is_missing):
        return "no_branch"
    return "shared" if missing == "fraction" else "missing"


def _interval(tree: TreeData, node: int) -> list[float] | None:
    weight = tree.weight_of(node)
    if not tree.has_counts or weight <= 0:
        return None
    correct = min(float(tree.nodes.total[node, tree.values[node]]), weight)
    return list(wilson(correct, weight))


# -- changes that give another prediction -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Allowed:
    """The values of a column that lead down a path: an interval, or some categories.

    Values are above ``low`` and at most ``high``, or one of ``levels``. No training row has a
    value between ``low`` and ``low_gap_end``, nor between ``high_gap_end`` and ``high``: within
    these gaps an end may be rounded.
    """

    low: float = -math.inf
    high: float = math.inf
    low_gap_end: float = math.nan
    high_gap_end: float = math.nan
    levels: tuple[int, ...] | None = None

    def nearest(self, value: float | None, *, single: bool, is_code: bool) -> float | None:
        """Return the allowed value nearest to this one; None if this one is allowed."""
        if self.levels is not None:
            return None if value in self.levels else float(self.levels[0])
        if value is not None and self.low < value <= self.high:
            return None
        if math.isinf(self.low) and math.isinf(self.high):
            return 0.0 if value is None else None
        if (value is None and math.isfinite(self.high)) or (
            value is not None and value > self.high
        ):
            return self.high
        if is_code:
            return self.low + 1.0
        dtype = np.float32 if single else np.float64
        with np.errstate(over="ignore"):  # beyond 32 bits it is infinite
            above = dtype(self.low)
        return float(above if float(above) > self.low else np.nextafter(above, dtype(np.inf)))

    def narrowed(self, threshold: _Threshold, *, is_below: bool) -> _Allowed:
        """Return the values that are also on one side of a threshold."""
        low_end, high_end = threshold.gap
        if is_below:
            if threshold.below >= self.high:
                return self
            return replace(self, high=threshold.below, high_gap_end=low_end)
        if threshold.above <= self.low:
            return self
        return replace(self, low=threshold.above, low_gap_end=high_end)

    def ends(self) -> tuple[str, str]:
        """Return both ends as short texts, which include no value that is not allowed."""
        low = _rounded_inward(self.low, self.low_gap_end, ROUND_CEILING)
        high = _rounded_inward(self.high, self.high_gap_end, ROUND_FLOOR)
        return (
            (number_text(low), number_text(high))
            if low < high
            else (number_text(self.low), number_text(self.high))
        )


BEYOND_32_BITS = 2.0**128 - 2.0**103
"""The least number that is infinite in 32 bits."""


@dataclass(frozen=True, slots=True)
class _Threshold:
    """A threshold: values up to ``below`` take one branch, values beyond ``above`` the other."""

    below: float
    above: float
    gap: tuple[float, float] = (math.nan, math.nan)

    @staticmethod
    def of(cut: float, *, single: bool, is_code: bool, gap: tuple[float, float]) -> _Threshold:
        """Return the threshold of a cut.

        If the model compares numbers in 32 bits, ``below`` and ``above`` are the last number that
        rounds to the first branch and the first that rounds to the other.
        """
        if single and cut == -math.inf:  # what is below all numbers of 32 bits rounds to it
            return _Threshold(-BEYOND_32_BITS, -BEYOND_32_BITS, gap)
        if not math.isfinite(cut) or not (single or is_code):
            return _Threshold(cut, cut, gap)
        if is_code:
            return _Threshold(math.floor(cut), math.floor(cut))
        with np.errstate(over="ignore"):  # beyond 32 bits it is infinite
            rounded = np.float32(cut)
        last = rounded if float(rounded) <= cut else np.nextafter(rounded, np.float32(-np.inf))
        first = float(np.nextafter(last, np.float32(np.inf)))
        return _Threshold(float(last), float(last) / 2 + first / 2, gap)


def _rounded_inward(end: float, gap_end: float, rounding: str) -> float:
    """Return an end of an interval in few digits, rounded inward but not beyond ``gap_end``."""
    if math.isinf(end) or math.isnan(gap_end):
        return end
    exact = Decimal(end)
    for digits in range(4, 17):
        rounded = (
            float(exact.quantize(Decimal((0, (1,), exact.adjusted() + 1 - digits)), rounding))
            if end
            else end
        )
        if (rounded < gap_end) if rounding == ROUND_CEILING else (rounded >= gap_end):
            return rounded
    return end


def _flips(tree: TreeData, table: Table, prediction: Label, n: int) -> list[Plain]:
    """Return the nearest changes that give another prediction, each checked by `predict`.

    Nodes are visited from the root in order of distance. A child is at least as far as its
    parent, so the first leaf with another prediction is a nearest one.
    """
    search = _Search(tree, table)
    flips = search.single_changes(prediction) if search.has_missing else []
    found_columns = [{flip.pop("at")} for flip in flips]
    if len(flips) >= n:
        return flips[:n]
    for node, allowed in search.nearest_leaves():
        if tree.answer(node) == prediction:
            continue
        changed = search.changes(allowed)
        columns = set(changed)
        if not columns or any(fewer <= columns for fewer in found_columns):
            continue
        after = search.predict(changed)
        if after == prediction:  # sent elsewhere by a surrogate, or divided into fractions
            continue
        found_columns.append(columns)
        flips.append(
            {
                "changes": search.to_json(changed),
                "answer": after,
                "distance": search.distance(changed),
            }
        )
        if len(flips) >= n:
            break
    return flips


class _Search:
    """Searches the leaves of a tree for changes of a row, nearest first."""

    def __init__(self, tree: TreeData, table: Table) -> None:
        self.tree = tree
        self.table = table
        self.is_single = tree.recipe.get("precision") == "single"
        self.split_columns = _split_columns(tree)
        self.cuts = comparison_cuts(tree)
        self._thresholds: dict[int, _Threshold] = {}
        self.row: Row = {}
        for c in used_columns(tree):
            column, field = table.columns[c], tree.schema[c]
            code = int(column.codes[0])
            if field.is_numeric:
                if code >= 0:
                    self.row[c] = float(column.levels[code])
            elif 0 <= code < len(field.levels):
                self.row[c] = float(code)
        self.half_ranges = {c: _half_range(tree, c) for c in self.split_columns}
        self.has_missing = any(c not in self.row for c in self.split_columns)

    def _compared(self, c: int, value: float | None) -> float | None:
        """Return a value as the model compares it with a threshold."""
        if value is None or not self.is_single or not self.tree.schema[c].is_numeric:
            return value
        with np.errstate(over="ignore"):
            return float(np.float32(value))

    def nearest_leaves(self) -> Iterator[tuple[int, dict[int, _Allowed]]]:
        """Yield leaves and the values that lead to them, nearest first.

        Among equally near ones, those that leave the row's path latest come first.
        """
        number = count()
        heap: list[tuple[tuple[int, float, int], int, int, dict[int, _Allowed]]] = []
        heapq.heappush(heap, ((0, 0.0, 0), next(number), 0, {}))
        for _ in range(MOST_VISITED):
            if not heap:
                return
            (n_changed, _, leaves_path), _, node, allowed = heapq.heappop(heap)
            if node < 0 or self.tree.is_leaf[node]:
                yield ~node if node < 0 else node, allowed
                continue
            c = int(self.tree.nodes.column[node])
            # ~node: the row stops at the split, by a category that has no branch here.
            for child in (*self.tree.children(node), ~node):
                of_child = self._narrowed(node, child, allowed.get(c, _Allowed()))
                if of_child.levels == () or (child < 0 and of_child.levels is None):
                    continue
                for_child = allowed | {c: of_child}
                changed = self.changes(for_child)
                here = leaves_path if n_changed else -int(self.tree.depths[node]) if changed else 0
                cost = (len(changed), self.distance(changed), here)
                heapq.heappush(heap, (cost, next(number), child, for_child))

    def _narrowed(self, node: int, child: int, allowed: _Allowed) -> _Allowed:
        """Return those of the allowed values of a node's column that lead to a child."""
        cut = float(self.cuts[node])
        if math.isnan(cut):
            nodes = self.tree.nodes
            codes = nodes.levels(child).tolist() if child >= 0 else self.tree.empty_levels(node)
            return _Allowed(levels=tuple(k for k in codes if k in (allowed.levels or codes)))
        if cut == math.inf:  # known values, or all numbers of 32 bits
            return allowed
        is_below = child == self.tree.first_child[node]
        return allowed.narrowed(self._threshold(node), is_below=is_below)

    def _threshold(self, node: int) -> _Threshold:
        if node not in self._thresholds:
            gap = self.tree.nodes.gap
            low, high = (math.nan, math.nan) if gap is None else gap[node].tolist()
            c, cut = int(self.tree.nodes.column[node]), float(self.cuts[node])
            self._thresholds[node] = self._threshold_of(c, cut, (low, high))
        return self._thresholds[node]

    def _threshold_of(
        self, c: int, cut: float, gap: tuple[float, float] = (math.nan, math.nan)
    ) -> _Threshold:
        is_code = not self.tree.schema[c].is_numeric
        return _Threshold.of(cut, single=self.is_single, is_code=is_code, gap=gap)

    def changes(self, allowed: Mapping[int, _Allowed]) -> Row:
        """Return the columns whose value is not allowed, with the nearest value that is."""
        changed = {}
        for c, values in allowed.items():
            is_code = not self.tree.schema[c].is_numeric
            value = self._compared(c, self.row.get(c))
            to = values.nearest(value, single=self.is_single, is_code=is_code)
            if to is not None:
                changed[c] = to
        return changed

    def distance(self, changed: Row) -> float:
        """Return the sum of the changes, in units of half a column's range; 1 for a category."""
        total = 0.0
        for c, to in changed.items():
            if c in self.row and self.tree.schema[c].is_numeric:
                total += abs(to / self.half_ranges[c] - self.row[c] / self.half_ranges[c])
            else:
                total += 1.0
        return min(total, sys.float_info.max)  # JSON has no infinity

    def predict(self, changed: Row) -> Label:
        """Return the prediction for the changed row."""
        prediction: Label = _plain(predict(self.tree, self._changed_row(changed))[0])
        return prediction

    def _changed_row(self, changed: Row) -> Plain:
        """Return the changed row by column names, other columns as they are."""
        values = {column.name: _value(self.table, c) for c, column in enumerate(self.table.columns)}
        return values | {self.tree.schema[c].name: self._plain(c, to) for c, to in changed.items()}

    def single_changes(self, prediction: Label) -> list[Plain]:
        """Return for each column its smallest change that alone gives another prediction.

        Where values are missing, surrogates and fractions also decide, so all values are tried.
        """
        changes: list[tuple[int, float]] = []
        for c in self.split_columns:
            changes += [(c, to) for to in self._distinct_values(c) if to != self.row.get(c)]
        if not changes or len(changes) > MOST_VISITED:
            return []
        rows = [self._changed_row({c: to}) for c, to in changes]
        predictions = [_plain(a) for a in predict(self.tree, rows)]
        best: dict[int, Plain] = {}
        for (c, to), after in zip(changes, predictions, strict=True):
            distance = self.distance({c: to})
            if after != prediction and distance < best.get(c, {"distance": math.inf})["distance"]:
                best[c] = {"to": to, "answer": after, "distance": distance, "at": c}
        stop = int(apply(self.tree, self.table)[0])
        path = enumerate(self.tree.path(stop))
        position = {int(self.tree.nodes.column[node]): i for i, node in path}
        flips = sorted(
            best.values(), key=lambda flip: (flip["distance"], -position.get(flip["at"], -1))
        )
        return [{"changes": self.to_json({f["at"]: f.pop("to")})} | f for f in flips]

    def _distinct_values(self, c: int) -> Iterator[float]:
        """Yield one value of a column for each combination of branches it can take."""
        field = self.tree.schema[c]
        if not field.has_order:
            yield from map(float, range(len(field.levels)))
            return
        seen: set[float] = set()
        for node in np.flatnonzero(self.tree.nodes.column == c).tolist():
            threshold = self._threshold(node)
            if math.isfinite(threshold.below) and threshold.below not in seen:
                seen.add(threshold.below)
                for side in (_Allowed(high=threshold.below), _Allowed(low=threshold.above)):
                    is_code = not field.is_numeric
                    to = side.nearest(None, single=self.is_single, is_code=is_code)
                    if to is not None and (not is_code or 0 <= to < len(field.levels)):
                        yield to

    def _allowed(self, changed: Row) -> dict[int, _Allowed]:
        """Return the intervals in which changed values may lie while every branch stays the same.

        A row that is divided into fractions takes many paths; the tests on all of them count.
        """
        row = {c: self._compared(c, v) for c, v in (self.row | changed).items()}
        allowed = {c: _Allowed() for c in changed if self.tree.schema[c].has_order}
        stack = [0]
        while stack:
            node = stack.pop()
            split = self.tree.split(node)
            if split is None:
                continue
            branch = self._branch(split, row, allowed, self._threshold(node))
            for test in (s for s in split.surrogates if s.is_used):
                if branch == NO_BRANCH:
                    threshold = self._threshold_of(test.column, test.cut or 0.0)
                    branch = self._branch(test, row, allowed, threshold)
                    if test.cut is not None and test.below == 1 and branch != NO_BRANCH:
                        branch = 1 - branch
            branch = split.missing if branch == NO_BRANCH else branch
            children = self.tree.children(node)
            stack += children if branch == NO_BRANCH else [children[branch]]
        return allowed

    def _branch(
        self,
        test: Split | Surrogate,
        row: Mapping[int, float | None],
        allowed: dict[int, _Allowed],
        threshold: _Threshold,
    ) -> int:
        """Return the branch of a row by one test; narrow what is allowed if the test needs it."""
        c, value = test.column, row.get(test.column)
        if value is None:
            return NO_BRANCH
        if test.cut is None:
            return next((i for i, codes in enumerate(test.groups) if value in codes), NO_BRANCH)
        is_below = value <= threshold.below
        if c in allowed:
            allowed[c] = allowed[c].narrowed(threshold, is_below=is_below)
        return 0 if is_below else 1

    def to_json(self, changed: Row) -> list[Plain]:
        """Return changes as plain data; every value that passes the tests changes the same way."""
        allowed = self._allowed(changed)
        return [self._change(c, to, allowed.get(c)) for c, to in changed.items()]

    def _change(self, c: int, to: float, allowed: _Allowed | None) -> Plain:
        field = self.tree.schema[c]
        value = self.row.get(c)
        change = {
            "column": field.name,
            "from": None if value is None else self._plain(c, value),
            "to": self._plain(c, to),
            "test": f"{quoted(field.name)} = {quoted(level_text(field, int(to)))}",
            "above": None,
            "at_most": None,
        }
        if allowed is None:
            return change
        low, high = allowed.ends()
        if not field.is_numeric:
            low, high = (
                quoted(level_text(field, int(end))) if math.isfinite(end) else ""
                for end in (allowed.low, allowed.high)
            )
        if math.isfinite(allowed.low):
            change["above"] = self._plain(c, allowed.low)
        if math.isfinite(allowed.high):
            change["at_most"] = self._plain(c, allowed.high)
        is_numeric = field.is_numeric
        test = _interval_text(quoted(field.name), allowed, low, high, is_numeric=is_numeric)
        return change | {"test": test}

    def _plain(self, c: int, value: float | None) -> Any:  # noqa: ANN401 - a level or a number
        if value is None:
            return None
        field = self.tree.schema[c]
        return value if field.is_numeric else field.levels[int(value)]


def _interval_text(
    name: str, allowed: _Allowed, low: str, high: str, *, is_numeric: bool = False
) -> str:
    """Return an interval as text; an unlimited one requires only that the value is known.

    An end just below a round number, as rpart has them, is written with the round number: no
    value lies between, so ``≤ 6.499999999999999`` is ``< 6.5``.
    """
    above = _round_number_above(allowed.low) if is_numeric else None
    below = _round_number_above(allowed.high) if is_numeric else None
    if math.isinf(allowed.low) and math.isinf(allowed.high):
        return f"{name} ≠ ?"
    upper = f" ≤ {high}" if below is None else f" < {below}"
    if math.isinf(allowed.low):
        return name + upper
    if math.isinf(allowed.high):
        return f"{name} > {low}" if above is None else f"{name} ≥ {above}"
    return (f"{low} < {name}" if above is None else f"{above} ≤ {name}") + upper


def _round_number_above(end: float) -> str | None:
    """Return the next number after an end as text, if that is a shorter one; else None.

    Examples
    --------
    >>> _round_number_above(6.499999999999999), _round_number_above(2.5)
    ('6.5', None)
    """
    if not math.isfinite(end):
        return None
    following = math.nextafter(end, math.inf)
    is_shorter = len(repr(following)) + 6 < len(repr(end))
    return number_text(following) if is_shorter else None


def _half_range(tree: TreeData, c: int) -> float:
    """Return half the range of a column's thresholds and their neighbours; 1 if there is one."""
    here = (tree.nodes.column == c) & np.isfinite(tree.nodes.cut)
    parts = [tree.nodes.cut[here]]
    if tree.nodes.gap is not None:
        parts.append(tree.nodes.gap[here].ravel())
    numbers = np.concatenate(parts)
    numbers = numbers[np.isfinite(numbers)]
    if not numbers.size:
        return 1.0
    half = float(numbers.max() / 2 - numbers.min() / 2)  # the range itself may overflow
    return max(half, float(np.abs(numbers).max()) * 1e-3, 1e-300) if numbers.size > 1 else 1.0


def _value(table: Table, c: int) -> Any:  # noqa: ANN401 - a level may be any plain value
    column = table.columns[c]
    code = int(column.codes[0])
    return None if code < 0 else _plain(column.levels[code])


def _plain(value: Any) -> Any:  # noqa: ANN401 - a class may be any plain value
    return value.item() if isinstance(value, np.generic) else value


def _number(value: float) -> float | int:
    return int(value) if float(value).is_integer() else float(value)
