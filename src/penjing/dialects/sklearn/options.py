"""Settings of the scikit-learn dialect: minimum sizes, class weights, 32-bit values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from penjing import arguments
from penjing.data.table import Floats, Table
from penjing.errors import ChoiceError, DataError, WrongTypeError, unknown_name_error
from penjing.grow.dialect_options import DialectOptions
from penjing.tree.counts import Costs

_NAMES = {"max_leaf_nodes": "max_leaves", "A": "laplace"}
_CRITERIA = {
    "gini": "gini",
    "entropy": "gain",
    "log_loss": "gain",
    "gain": "gain",
    "squared_error": "variance",
    "variance": "variance",
}
_PARTS: dict[str, Callable[[float], float]] = {"sqrt": math.sqrt, "log2": math.log2}
_IGNORED: dict[str, tuple[Any, ...]] = {
    "splitter": ("best",),
}
"""Parameters of scikit-learn that are not supported, and the values that are accepted."""


@dataclass(frozen=True, slots=True)
class SklearnOptions(DialectOptions):
    """The settings of scikit-learn's decision trees, by their own names.

    ``criterion``, ``max_depth`` and ``max_leaf_nodes`` are settings of a recipe.

    Parameters
    ----------
    min_samples_split, min_samples_leaf : int or float
        The least number of rows of a node that is split, and of a child; a float is a share of
        all rows.
    min_weight_fraction_leaf : float
        The least weight of a child, as a share of all.
    min_impurity_decrease : float
        The least decrease of the impurity of the whole tree by a split.
    ccp_alpha : float
        The complexity of cost-complexity pruning, in impurity per leaf.
    class_weight : str, mapping or None
        ``balanced``, or the weight of the rows of each class.
    max_features : int, float, str or None
        How many columns are tried in a node, drawn at random: a number, a share, ``sqrt`` or
        ``log2`` of all; None for all.
    random_state : int or None
        Of tied columns, take the first of the table (None), or the one that scikit-learn tries
        first with this seed. 0 if ``max_features`` leaves columns out.
    random_start : int or None
        The state of scikit-learn's generator instead of a seed: the next number of a generator
        that has been used before.
    nominal : str
        What to do with categorical columns, which scikit-learn does not have: code their
        categories by ``position`` and treat them as ordered, or raise an error (``refuse``).
    precision : str
        ``single``: numbers are rounded to 32 bits before they are compared.
    gap : float
        A threshold lies only between values that are further apart than this.
    """

    shapes: ClassVar[tuple[str, ...]] = ("binary",)
    orders_categories: ClassVar[bool] = True
    missing_policies: ClassVar[tuple[str, ...]] = ("direction",)
    divides_rows: ClassVar[bool] = False
    criteria: ClassVar[tuple[str, ...] | None] = ("gini", "gain", "variance")
    replaced: ClassVar[Mapping[str, str]] = {
        "min_weight": "min_samples_split",
        "min_branch": "min_samples_leaf",
    }

    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    ccp_alpha: float = 0.0
    class_weight: str | Mapping[Any, float] | None = None
    max_features: int | float | str | None = None
    random_state: int | None = None
    random_start: int | None = None
    nominal: Literal["position", "refuse"] = "position"
    precision: Literal["single", "double"] = "single"
    gap: float = 1e-7

    @property
    def fixed(self) -> dict[str, str]:
        """What scikit-learn does that other dialects have a setting for."""
        return {
            "cut_at": "midpoint", "cut_cost": "no", "tolerance": "0", "zero_gain": "yes",
            "pruning": "cost-complexity", "ties": "drawn" if self.depth_first else "first",
            "empty": "majority",
        }  # fmt: skip

    def named(self, setting: str) -> list[str]:
        """Return scikit-learn's own name for a setting, if it has another."""
        return [name for name, of in _NAMES.items() if of == setting]

    @property
    def centred(self) -> bool:
        """Whether the mean is subtracted from a number before its squares are summed."""
        return False

    @property
    def depth_first(self) -> bool:
        """Whether nodes must be grown one at a time, depth first."""
        return self.random_state is not None or self.random_start is not None

    @property
    def start(self) -> int | None:
        """The initial state of the generator; None if columns are in the order of the table."""
        if self.random_start is not None:
            return self.random_start
        return None if self.random_state is None else first_state(self.random_state)

    def setting(self, name: str, value: Any) -> tuple[str, Any]:  # noqa: ANN401 - any setting's
        """Return the setting and its value that a parameter of scikit-learn stands for."""
        if name == "criterion" and isinstance(value, str):
            if value not in _CRITERIA:
                raise unknown_name_error("unknown_choice", value, _CRITERIA, kind="criterion")
            value = _CRITERIA[value]
        if name in _IGNORED:
            accepted = _IGNORED[name]
            if not isinstance(value, str | None) or value not in accepted:
                raise unknown_name_error("unknown_choice", value, accepted, kind=name)
            return "gap", self.gap  # nothing changes
        return _NAMES.get(name, name), value

    def check(self) -> None:
        """Raise an error for settings that cannot be used."""
        for name in (
            "min_samples_split",
            "min_samples_leaf",
            "min_weight_fraction_leaf",
            "min_impurity_decrease",
            "ccp_alpha",
            "gap",
        ):
            arguments.number(name, getattr(self, name))
        for name, allowed in (
            ("nominal", ("position", "refuse")),
            ("precision", ("single", "double")),
        ):
            arguments.one_of(name, getattr(self, name), allowed)
        if isinstance(self.class_weight, str) and self.class_weight != "balanced":
            raise unknown_name_error(
                "unknown_choice", self.class_weight, ("balanced",), kind="class_weight"
            )
        self._check_seeds()
        self._check_class_weight()
        self._check_max_features()

    def _check_seeds(self) -> None:
        for name in ("random_state", "random_start"):
            seed = getattr(self, name)
            if seed is not None and not (arguments.is_whole(seed) and 0 <= seed < 2**32):
                raise arguments.bad_value_error("bad_random_state", name, seed, int)

    def _check_class_weight(self) -> None:
        given: Any = self.class_weight
        if given is None or isinstance(given, str):
            return
        if not isinstance(given, Mapping):
            values = {"name": "class_weight", "value": given, "example": {"yes": 2}}
            raise WrongTypeError("bad_numbers", **values)
        for weight in given.values():
            arguments.number("class_weight", weight)

    def _check_max_features(self) -> None:
        most = self.max_features
        if isinstance(most, str) and most not in _PARTS:
            raise unknown_name_error("unknown_choice", most, _PARTS, kind="max_features")
        if isinstance(most, str) or most is None:
            return
        is_share = isinstance(most, float) and 0 < most <= 1
        if not is_share and not (arguments.is_whole(most) and most >= 1):
            raise arguments.bad_value_error("bad_max_features", "max_features", most, int | float)

    def n_looked_at(self, n_columns: int) -> int:
        """Return how many of the columns are tried in a node."""
        most = self.max_features
        if isinstance(most, str):
            return max(1, int(_PARTS[most](n_columns)))
        if isinstance(most, float):
            return max(1, int(most * n_columns))
        return n_columns if most is None else min(most, n_columns)

    def fits(self, table: Table) -> SklearnOptions:
        """Return the settings for a table, with shares of rows as numbers of rows."""
        if table.is_regression and self.class_weight is not None:
            assert table.target is not None
            target = table.target.name
            raise ChoiceError("only_for_classes", name="class_weight", target=target)
        least = self.min_samples_leaf
        if isinstance(least, float) and least < 1:
            least = math.ceil(least * table.n_rows)
        split = self.min_samples_split
        if isinstance(split, float) and split <= 1:
            split = max(2, math.ceil(split * table.n_rows))
        drawn = self.n_looked_at(len(table.columns)) < len(table.columns)
        seed = 0 if drawn and not self.depth_first else self.random_state
        split = max(split, 2 * least)
        return replace(self, min_samples_leaf=least, min_samples_split=split, random_state=seed)

    def prepared(self, table: Table) -> Table:
        """Return the table with 32-bit numbers, and categories ordered by position.

        Rows of weight 0, their own or that of their class, are left out as in scikit-learn.
        """
        row_weights = table.weights * self._row_class_weights(table)
        if not row_weights.all():
            if not row_weights.any():
                raise DataError("no_weight", source=table.source.get("name", "the table"))
            table = table.take(row_weights != 0)
        columns = []
        for column in table.columns:
            if column.is_numeric:
                columns.append(column.rounded() if self.precision == "single" else column)
                continue
            if self.nominal == "refuse":
                raise ChoiceError("nominal_refused", column=column.name)
            columns.append(replace(column, kind="ordered"))
        return replace(table, columns=tuple(columns))

    def _row_class_weights(self, table: Table) -> Floats:
        """Return the class weight of each row."""
        if table.is_regression or not isinstance(self.class_weight, Mapping):
            return np.ones(table.n_rows)
        assert table.target is not None
        return self._class_weights(table.target.levels)[table.target.codes]

    def _class_weights(self, levels: Iterable[Any]) -> Floats:
        """Return the weight of each class, 1 if none was given."""
        assert isinstance(self.class_weight, Mapping)
        levels = list(levels)
        for name in self.class_weight:
            if str(name) not in map(str, levels):
                raise unknown_name_error("unknown_class", name, levels, option="class_weight")
        given = {str(name): weight for name, weight in self.class_weight.items()}
        return np.array([float(given.get(str(level), 1.0)) for level in levels])

    def costs(self, table: Table) -> Costs | None:
        """Return the class weights as factors; None where there are none."""
        if table.is_regression or self.class_weight is None:
            return None
        assert table.target is not None
        levels = table.target.levels
        count: Floats = np.bincount(table.target.codes, minlength=len(levels)).astype(np.float64)
        if self.class_weight == "balanced":
            rows_per_class = table.n_rows / np.count_nonzero(count)
            factor = np.divide(rows_per_class, count, out=np.ones_like(count), where=count > 0)
        else:
            assert isinstance(self.class_weight, Mapping)
            factor = self._class_weights(levels)
        wrong = tuple(tuple(row) for row in (1.0 - np.eye(len(levels))).tolist())
        return Costs(tuple(factor.tolist()), wrong, tuple(factor.tolist()))


@lru_cache(maxsize=1024)  # making a generator takes long for a small table
def first_state(seed: int) -> int:
    """Return the initial state of scikit-learn's generator for a ``random_state``."""
    return int(np.random.RandomState(seed).randint(0, 2**31 - 1))
