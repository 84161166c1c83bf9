"""What only rpart's rules know: complexity, minimum sizes, surrogates, priors and losses."""

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
    """The settings of rpart, by its own names; ``maxdepth`` and ``split`` are a recipe's own.

    Parameters
    ----------
    cp : float
        A division must lessen the risk by this share of the root's for each leaf it adds.
    minsplit : int
        A node of fewer rows is not divided.
    minbucket : int or None
        Each side of a division has at least so many rows; a third of ``minsplit`` where None.
    maxsurrogate : int
        How many surrogates a question has at most.
    usesurrogate : int
        0: a row whose value is missing stays at the node. 1: surrogates send it on, if one can.
        2: and if none can, it goes with the majority.
    surrogatestyle : int
        0: agreement is counted of the rows that the question itself knows; 1: of those that
        both know.
    prior : sequence of float, mapping from class, or None
        How likely each class is; as often as it occurs where None.
    loss : matrix of float, mapping of mappings, or None
        ``loss[i][j]`` is what it costs to answer the class j where the class i is true; of
        classes that a mapping leaves out, 1.
    cost : sequence of float, mapping from name, or None
        What it costs to ask about each column; its gains are divided by that.
    xval : int or sequence of int
        Cross-validate the table of complexities: in so many groups (row i is in group i mod
        xval), or in the groups given for each row. 0: not at all.
    loss_transposed : bool
        Whether cross-validation takes the losses the wrong way round, as rpart 4.1 does.
    stuck_repeats : bool
        Whether a left-out row that no surrogate sends on is charged what the row before it was,
        as rpart 4.1 does.
    sums : str
        ``exact``: numbers whose sums differ by rounding only are equal, and the first column
        wins; or ``cases``: they are added up in the order in which rpart has sorted its rows,
        and the last bit decides, as it does there.
    alpha : float or None
        The least decrease of risk for each leaf as such, not as a share of the root's.
    """

    shapes: ClassVar[tuple[str, ...]] = ("binary",)
    counts_weightless: ClassVar[bool] = True
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
        """What rpart decides without a setting."""
        return {
            "cut_at": "midpoint", "cut_cost": "no", "gap": "0", "precision": "double",
            "tolerance": "0", "zero_gain": "no", "pruning": "cost-complexity", "ties": "first",
            "empty": "majority",
        }  # fmt: skip

    def named(self, setting: str) -> list[str]:
        """Return rpart's name for a setting, where it is another."""
        return [name for name, of in _NAMES.items() if of == setting]

    @property
    def least(self) -> int:
        """The least number of rows of a side."""
        # R rounds a half to the even side, as Python does.
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
        """Refuse settings that cannot be used, each with a sentence."""
        for name, least in (("minsplit", 1), ("maxsurrogate", 0), ("minbucket", 1)):
            arguments.optional_whole_number(
                name, getattr(self, name), least, arguments.MAX_WHOLE_NUMBER
            )
        for name, allowed in (
            ("usesurrogate", (0, 1, 2)), ("surrogatestyle", (0, 1)), ("sums", ("exact", "cases")),
        ):  # fmt: skip
            value: Any = getattr(self, name)
            if type(value) is not type(allowed[0]) or value not in allowed:
                raise unknown_name_error("unknown_plug", value, allowed, socket=name)
        arguments.number("cp", self.cp, infinite=True)
        groups = self.xval if isinstance(self.xval, tuple) and self.xval else (self.xval,)
        for group in groups:
            arguments.whole_number("xval", group, 0, arguments.MAX_WHOLE_NUMBER)

    def fits(self, table: Table) -> RpartOptions:
        """Return the settings as they suit a table, or refuse with a sentence."""
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
            square = all(len(row) == n_classes for row in self.loss)
            matrix = np.asarray(self.loss) if square else np.eye(n_classes)
            fair = bool((matrix >= 0).all() and np.isfinite(matrix).all())
            costly = n_classes == 1 or bool(matrix.any(axis=1).all())  # rpart asks for it, too
            if not (square and fair and costly) or np.diag(matrix).any():
                raise ChoiceError("bad_loss", n=n_classes)
        return replace(self, cost=_cost_of(self.cost, table))

    def prepared(self, table: Table) -> Table:
        """Return the table without the rows of which nothing is known.

        With weights they are kept: R counts the weight among what is known of a row.
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

        Sums run in rpart's order: where all classes count the same, their altered priors come
        out as one but for the last bit, and that bit decides ties.
        """
        if table.is_regression:
            return None
        assert table.target is not None
        counts = np.bincount(table.target.codes, table.weights, len(table.target.levels))
        share: Floats = counts.astype(np.float64)
        n = int(table.target.codes.max()) + 1  # rpart sees no later ones
        share = share / share.sum()
        assert not isinstance(self.prior, Mapping)
        prior = share if self.prior is None else np.asarray(self.prior)
        loss = 1.0 - np.eye(len(share)) if self.loss is None else np.asarray(self.loss)
        altered, whole = np.zeros(len(share)), 0.0
        for i in range(n):
            for j in range(n):
                whole += float(loss[i, j] * prior[i])
                altered[i] += loss[i, j] * prior[i]
        factor = np.divide(prior, share, out=prior.copy(), where=share > 0)
        altered = np.divide(altered, whole * share, out=altered, where=whole * share > 0)
        rows = tuple(tuple(row) for row in loss.tolist())
        return Costs(tuple(factor.tolist()), rows, tuple(altered.tolist()), n)

    @property
    def has_costs(self) -> bool:
        """Whether classes count for more or less than they weigh."""
        return self.prior is not None or self.loss is not None


def _row(
    given: tuple[float, ...] | Mapping[Any, float] | None, levels: Sequence[Any]
) -> tuple[float, ...] | None:
    """Return a number for each class; a mapping has to name them all."""
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
    """Return losses as a matrix; errors that a mapping leaves out cost 1."""
    if not isinstance(given, Mapping):
        return given
    found = 1.0 - np.eye(len(levels))
    place = {level: i for i, level in enumerate(levels)}
    for true, row in given.items():
        for answer, loss in row.items():
            i, j = (place[_level("loss", name, levels)] for name in (true, answer))
            found[i, j] = loss
    return tuple(tuple(row) for row in found.tolist())


def _level(option: str, name: object, levels: Sequence[Any]) -> Any:  # noqa: ANN401 - any kind
    """Return the class that an option names; on a command line all names are text."""
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
    """Return numbers by name or in order as such; of losses a row each."""
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
    """Return what each column costs, in the order of the table."""
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
