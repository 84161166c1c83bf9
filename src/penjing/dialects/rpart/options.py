"""Settings of the rpart dialect: complexity, minimum sizes, surrogates, priors and losses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from penjing import arguments
from penjing.data.table import Floats, Table
from penjing.errors import ChoiceError, WrongTypeError, unknown_name_error
from penjing.grow.dialect_options import DialectOptions
from penjing.tree.counts import Costs

_NAMES = {"maxdepth": "max_depth", "split": "criterion", "costs": "cost", "A": "laplace"}
_CRITERIA = {"information": "gain", "gini": "gini"}


@dataclass(frozen=True, slots=True)
class RpartOptions(DialectOptions):
    """The settings of rpart, by its own names; ``maxdepth`` and ``split`` are settings of a recipe.

    Parameters
    ----------
    cp : float
        The least decrease of risk by a split, as a share of the risk of the root, for each leaf.
    minsplit : int
        The least number of rows of a node that is split.
    minbucket : int or None
        The least number of rows of a child; None: a third of ``minsplit``.
    maxsurrogate : int
        The largest number of surrogates of a split.
    usesurrogate : int
        0: a row with a missing value stays at the node. 1: surrogates send it on, if one can.
        2: if none can, it follows the majority.
    surrogatestyle : int
        0: agreement is counted over the rows whose value of the split column is known; 1: over
        those with both values known.
    prior : sequence of float, mapping from class, or None
        The prior probability of each class; None: its frequency.
    loss : matrix of float, mapping of mappings, or None
        ``loss[i][j]`` is the cost of predicting class j for a row of class i; 1 for errors that
        a mapping leaves out.
    cost : sequence of float, mapping from name, or None
        The cost of each column, by which its gains are divided.
    xval : int or sequence of int
        Cross-validate the cp table: in this many folds (row i is in fold i mod xval), or in the
        folds given for each row. 0: do not.
    loss_transposed : bool
        Whether cross-validation uses the transposed losses, as rpart 4.1 does.
    stuck_repeats : bool
        Whether a held-out row that no surrogate sends on gets the loss of the row before it, as
        in rpart 4.1.
    sums : str
        ``exact``: sums that differ only by rounding are equal, and the first column wins; or
        ``cases``: numbers are added in the order of rpart's sorted rows, and the last bit
        decides as it does there.
    alpha : float or None
        The least decrease of risk for each leaf, absolute instead of as a share.
    """

    shapes: ClassVar[tuple[str, ...]] = ("binary",)
    counts_weightless: ClassVar[bool] = True
    replaced: ClassVar[Mapping[str, str]] = {"min_weight": "minsplit", "min_branch": "minbucket"}
    missing_policies: ClassVar[tuple[str, ...]] = ("surrogate",)
    criteria: ClassVar[tuple[str, ...] | None] = ("gini", "gain", "variance")

    cp: float = 0.01
    minsplit: int = 20
    minbucket: int | None = None
    maxsurrogate: int = 5
    usesurrogate: int = 2
    surrogatestyle: int = 0
    prior: tuple[float, ...] | Mapping[Any, float] | None = None
    loss: tuple[tuple[float, ...], ...] | Mapping[Any, Mapping[Any, float]] | None = None
    cost: Mapping[str, float] | tuple[float, ...] | None = None
    xval: int | tuple[int, ...] = 0
    loss_transposed: bool = True
    stuck_repeats: bool = True
    sums: Literal["exact", "cases"] = "exact"
    alpha: float | None = None

    @property
    def fixed(self) -> dict[str, str]:
        """What rpart does that other dialects have a setting for."""
        return {
            "cut_at": "midpoint", "cut_cost": "no", "gap": "0", "precision": "double",
            "tolerance": "0", "zero_gain": "no", "pruning": "cost-complexity", "ties": "first",
            "empty": "majority",
        }  # fmt: skip

    def named(self, setting: str) -> list[str]:
        """Return rpart's own name for a setting, if it has another."""
        return [name for name, of in _NAMES.items() if of == setting]

    @property
    def surrogates(self) -> RpartOptions:
        """How surrogates are searched and used."""
        return self

    @property
    def least(self) -> int:
        """The least number of rows of a child."""
        # R rounds half to even, as Python does.
        return round(self.minsplit / 3) if self.minbucket is None else self.minbucket

    def setting(self, name: str, value: Any) -> tuple[str, Any]:  # noqa: ANN401 - any setting's
        """Return the setting and its value that an option of rpart stands for."""
        if name == "split":
            value = _CRITERIA[arguments.one_of("split", value, _CRITERIA)]
        if name in ("prior", "cost", "costs", "xval") and _is_row(value):
            value = tuple(value)
        if name in _EXAMPLES and value is not None:
            value = _numbers(name, value)
        return _NAMES.get(name, name), value

    def check(self) -> None:
        """Raise an error for settings that cannot be used."""
        for name, least in (("minsplit", 1), ("maxsurrogate", 0), ("minbucket", 1)):
            arguments.optional_whole_number(
                name, getattr(self, name), least, arguments.MAX_WHOLE_NUMBER
            )
        for name, allowed in (
            ("usesurrogate", (0, 1, 2)), ("surrogatestyle", (0, 1)), ("sums", ("exact", "cases")),
        ):  # fmt: skip
            value: Any = getattr(self, name)
            if type(value) is not type(allowed[0]) or value not in allowed:
                raise unknown_name_error("unknown_choice", value, allowed, kind=name)
        arguments.number("cp", self.cp, infinite=True)
        groups = self.xval if isinstance(self.xval, tuple) and self.xval else (self.xval,)
        for group in groups:
            arguments.whole_number("xval", group, 0, arguments.MAX_WHOLE_NUMBER)

    def fits(self, table: Table) -> RpartOptions:
        """Return the settings for a table, or raise an error if they do not fit it."""
        assert table.target is not None
        for name in ("prior", "loss") if table.is_regression else ():
            if getattr(self, name) is not None:
                raise ChoiceError("only_for_classes", name=name, target=table.target.name)
        levels = () if table.is_regression else tuple(table.target.levels)
        self = replace(self, prior=_row(self.prior, levels), loss=_matrix(self.loss, levels))  # noqa: PLW0642
        n_classes = len(levels)
        for name in ("prior", "loss"):
            given = getattr(self, name)
            if given is not None and len(given) != n_classes:
                raise ChoiceError("bad_length", name=name, n=len(given), expected=n_classes)
        assert not isinstance(self.prior, Mapping)
        if self.prior is not None and not (
            all(p >= 0 for p in self.prior) and abs(sum(self.prior) - 1) <= 1e-9
        ):
            raise ChoiceError("bad_prior", value=list(self.prior))
        if self.loss is not None:
            is_square = all(len(row) == n_classes for row in self.loss)
            matrix = np.asarray(self.loss) if is_square else np.eye(n_classes)
            is_valid = bool((matrix >= 0).all() and np.isfinite(matrix).all())
            has_cost = n_classes == 1 or bool(matrix.any(axis=1).all())  # as in rpart
            if not (is_square and is_valid and has_cost) or np.diag(matrix).any():
                raise ChoiceError("bad_loss", n=n_classes)
        return replace(self, cost=_cost_of(self.cost, table))

    def prepared(self, table: Table) -> Table:
        """Return the table without the rows whose values are all missing.

        With weights they are kept: R counts the weight as a known value of a row.
        """
        if not all(column.has_missing for column in table.columns) or not table.columns:
            return table
        if table.weight is not None:
            return table
        known = np.zeros(table.n_rows, np.bool_)
        for column in table.columns:
            known |= column.codes >= 0
        return table if known.all() else table.take(known)

    def costs(self, table: Table) -> Costs | None:
        """Return priors and losses as factors of class weights; None for a number.

        Sums are in rpart's order: if all classes count the same, their altered priors differ
        from 1 by the last bit, which decides ties.
        """
        if table.is_regression:
            return None
        assert table.target is not None
        counts = np.bincount(table.target.codes, table.weights, len(table.target.levels))
        share: Floats = counts.astype(np.float64)
        n = int(table.target.codes.max()) + 1  # rpart ignores later classes
        share = share / share.sum()
        assert not isinstance(self.prior, Mapping)
        prior = share if self.prior is None else np.asarray(self.prior)
        loss = 1.0 - np.eye(len(share)) if self.loss is None else np.asarray(self.loss)
        altered, total_loss = np.zeros(len(share)), 0.0
        for i in range(n):
            for j in range(n):
                total_loss += float(loss[i, j] * prior[i])
                altered[i] += loss[i, j] * prior[i]
        factor = np.divide(prior, share, out=prior.copy(), where=share > 0)
        altered = np.divide(altered, total_loss * share, out=altered, where=total_loss * share > 0)
        rows = tuple(tuple(row) for row in loss.tolist())
        return Costs(tuple(factor.tolist()), rows, tuple(altered.tolist()), n)

    @property
    def has_costs(self) -> bool:
        """Whether priors or losses are given."""
        return self.prior is not None or self.loss is not None


def _row(
    given: tuple[float, ...] | Mapping[Any, float] | None, levels: Sequence[Any]
) -> tuple[float, ...] | None:
    """Return a number for each class; a mapping must have all of them."""
    if not isinstance(given, Mapping):
        return given
    named = {_level("prior", name, levels): float(value) for name, value in given.items()}
    for level in levels:
        if level not in named:
            raise ChoiceError("bad_length", name="prior", n=len(named), expected=len(levels))
    return tuple(named[level] for level in levels)


def _matrix(
    given: tuple[tuple[float, ...], ...] | Mapping[Any, Mapping[Any, float]] | None,
    levels: Sequence[Any],
) -> tuple[tuple[float, ...], ...] | None:
    """Return losses as a matrix; errors that are not in a mapping cost 1."""
    if not isinstance(given, Mapping):
        return given
    matrix = 1.0 - np.eye(len(levels))
    position = {level: i for i, level in enumerate(levels)}
    for actual, row in given.items():
        for predicted, loss in row.items():
            i, j = (position[_level("loss", name, levels)] for name in (actual, predicted))
            matrix[i, j] = loss
    return tuple(tuple(row) for row in matrix.tolist())


def _level(option: str, name: object, levels: Sequence[Any]) -> Any:  # noqa: ANN401 - any kind
    """Return the class of this name; names from the command line are text."""
    by_text = {str(level): level for level in levels}
    if str(name) not in by_text:
        raise unknown_name_error("unknown_class", name, levels, option=option)
    return by_text[str(name)]


_EXAMPLES: dict[str, object] = {
    "prior": {"yes": 0.3, "no": 0.7},
    "loss": {"yes": {"no": 5}},
    "cost": {"age": 2},
    "costs": {"age": 2},
}


def _numbers(name: str, value: Any) -> Any:  # noqa: ANN401 - what the user gave
    """Return values as floats: by name, or in order; of losses a row for each class."""
    is_loss = name == "loss"
    try:
        if isinstance(value, Mapping):
            return {k: _named(v) if is_loss else float(v) for k, v in value.items()}
        if _is_row(value):
            return tuple(tuple(map(float, v)) if is_loss else float(v) for v in value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise WrongTypeError("bad_numbers", name=name, value=value, example=_EXAMPLES[name])


def _named(row: Any) -> dict[Any, float]:  # noqa: ANN401 - what the user gave
    """Return a row of losses by name."""
    if not isinstance(row, Mapping):
        raise TypeError
    return {k: float(v) for k, v in row.items()}


def _is_row(value: object) -> bool:
    if isinstance(value, str | bytes | bytearray) or not isinstance(value, Sequence | np.ndarray):
        return False
    return len(getattr(value, "shape", (0,))) == 1


def _cost_of(
    cost: Mapping[str, float] | tuple[float, ...] | None, table: Table
) -> tuple[float, ...] | None:
    """Return the cost of each column, in the order of the table."""
    if cost is None:
        return None
    if isinstance(cost, Mapping):
        for name in cost:
            if name not in table.names:
                raise unknown_name_error("unknown_column", name, table.names)
        cost = tuple(float(cost.get(name, 1.0)) for name in table.names)
    if len(cost) != len(table.columns):
        raise ChoiceError("bad_length", name="cost", n=len(cost), expected=len(table.columns))
    for value in cost:
        if not 0 < value < math.inf:
            raise ChoiceError("bad_cost", value=value)
    return cost
