"""Settings of the C4.5 dialect: those of C4.5 release 8 and J48."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from penjing import arguments
from penjing.data.table import Field, Table
from penjing.errors import ChoiceError
from penjing.grow.dialect_options import DialectOptions


@dataclass(frozen=True, slots=True)
class C45Options(DialectOptions):
    """The settings of C4.5 and J48; the defaults are those of C4.5 release 8.

    Of the shared settings, ``min_branch`` is their minimum number of cases (m), a node lighter
    than twice that being a leaf, and ``shape`` how categorical columns are split: ``multiway``,
    ``merged`` (C4.5 -s: categories are merged greedily) or ``one-level`` (J48 -B: one category
    against all others).

    Parameters
    ----------
    precision : str
        ``double``, or ``single``: sums, gains and thresholds are rounded to 32 bits as in C4.5.
    sums : str
        ``exact``: independent of the order of rows; or ``cases``: fractions of rows are added in
        32 bits in the order in which C4.5 sorts its cases. The results differ only if values are
        missing. ``cases`` needs the native engine, single precision, and no groups of categories.
    tolerance : float
        Numbers closer than this are equal; J48 has 1e-6 nearly everywhere, C4.5 none.
    gap : float
        A threshold lies only between values that are further apart than this.
    side_share, side_most : float
        The least weight of each side of a threshold: this share of the known weight per class,
        but no less than ``min_branch`` and no more than ``side_most``.
    cut_cost : bool
        Whether log2(number of thresholds) / weight is subtracted from the gain of a threshold.
    cut_at : str
        The threshold: the largest training ``value`` below the ``midpoint``, or the midpoint.
    cut_tolerance : float
        That value may lie above the midpoint by this much (Weka 3.6).
    slack : float
        The tolerance of comparisons with the average gain and the least split information, and
        of errors when subtrees are collapsed.
    many_levels : float
        A categorical column with at least this share of the rows as categories is left out of
        the average gain.
    zero_gain : bool
        Whether a split without gain may be chosen.
    collapse : bool
        Whether a subtree that makes no fewer training errors than a leaf becomes one.
    pruning : str
        ``error-based``, ``reduced-error`` (by a validation set), or ``none``.
    confidence : float
        The confidence (CF) of error-based pruning.
    deviate : str
        The normal deviate of the confidence: by linear interpolation in C4.5's ``table``, or
        the ``quantile`` itself.
    last_errors : float
        The part of the cases not yet wrong that is added where errors are within half a case
        of all.
    raise_branches : bool
        Whether the largest branch may replace its parent.
    minimum_slips : bool
        Whether the minimum number of cases falls to 1 for all nodes still to be grown once a
        column whose categories are merged has no known value in a node: a bug of C4.5 -s. Trees
        are then grown depth first, one node at a time.
    empty : str
        The prediction of a branch without training rows: the ``majority`` class of its node with
        probability 1, or the class ``shares`` there.
    """

    criteria: ClassVar[tuple[str, ...] | None] = ("gain", "gain_ratio")
    shapes: ClassVar[tuple[str, ...]] = ("multiway", "merged", "one-level")
    missing_policies: ClassVar[tuple[str, ...]] = ()

    precision: Literal["double", "single"] = "double"
    sums: Literal["exact", "cases"] = "exact"
    tolerance: float = 0.0
    gap: float = 1e-5
    side_share: float = 0.1
    side_most: float = 25.0
    cut_cost: bool = True
    cut_at: Literal["value", "midpoint"] = "value"
    cut_tolerance: float = 0.0
    slack: float = 1e-3
    many_levels: float = 0.3
    zero_gain: bool = True
    collapse: bool = True
    pruning: Literal["error-based", "reduced-error", "none"] = "error-based"
    confidence: float = 0.25
    deviate: Literal["table", "quantile"] = "table"
    last_errors: float = 0.67
    raise_branches: bool = True
    minimum_slips: bool = False
    empty: Literal["majority", "shares"] = "majority"

    @property
    def fixed(self) -> dict[str, str]:
        """What these programs do that other dialects have a setting for."""
        return {"ties": "first"}

    def named(self, setting: str) -> list[str]:
        """Return the options of C4.5 (small letters) and J48 that stand for a setting."""
        names = [name for name, of in _VALUES.items() if of == setting]
        names += [name for name, of in _SWITCHES.items() if of[0] == setting]
        names += ["c"] if setting == "confidence" else []
        return sorted(f"-{name}" for name in names)

    @property
    def depth_first(self) -> bool:
        """Whether nodes must be grown one at a time, depth first."""
        return self.minimum_slips

    def untraceable(self, shape: str) -> str | None:
        """Return the message why tallies do not reproduce the search, None if they do.

        Sums depend on the order of C4.5's cases, or the minimum on the order of nodes.
        """
        if self.sums == "cases":
            return "sums_need_native"
        return "slips_not_traced" if self.minimum_slips and shape == "merged" else None

    @property
    def pruning_method(self) -> str | None:
        """The method that prunes the tree after training: J48 -R."""
        return "reduced-error" if self.pruning == "reduced-error" else None

    def check(self) -> None:
        """Raise an error for settings that cannot be used."""
        for name, allowed in _WORDS.items():
            arguments.one_of(name, getattr(self, name), allowed)
        for name in _NUMBERS:
            arguments.number(name, getattr(self, name), infinite=True)
        if self.cut_tolerance > max(self.gap, CLOSEST) / 2:
            raise ChoiceError("cut_tolerance_too_large", value=self.cut_tolerance)
        if self.sums == "cases" and self.precision != "single":
            raise ChoiceError("sums_need_single")
        arguments.confidence(self.confidence)

    @property
    def tie(self) -> float:
        """By how much a score must exceed another to be better.

        In 32 bits every machine rounds alike, so 0 will do. In 64 bits equal scores may differ
        by rounding, so a difference has to exceed that.
        """
        return self.tolerance or (0.0 if self.precision == "single" else _ROUNDING)

    def in_average(self, schema: Sequence[Field], n: float) -> list[bool]:
        """Return which columns of n rows count for the average gain.

        Columns with very many categories do not, unless all columns have.
        """
        most = self.many_levels * n - self.tolerance
        few = [field.has_order or len(field.levels) < most for field in schema]
        return few if any(few) else [True] * len(few)

    def prepared(self, table: Table) -> Table:
        """Return the table as it is; raise an error if its target is a number."""
        if table.is_regression:
            assert table.target is not None
            raise ChoiceError("quinlan_needs_classes", target=table.target.name)
        return table

    def setting(self, name: str, value: Any) -> tuple[str, Any]:  # noqa: ANN401 - any setting's
        """Return the setting that an option of C4.5 (-m -c -g -s) or J48 (-C -M …) stands for.

        Examples
        --------
        >>> C45Options().setting("c", 10), C45Options().setting("U", True)
        (('confidence', 0.1), ('pruning', 'none'))
        """
        if name == "c":  # C4.5 takes the confidence in per cent
            return "confidence", share_of_percentage(name, value)
        if name in _VALUES:
            return _VALUES[name], value
        if name in _SWITCHES:
            setting, if_on, if_off = _SWITCHES[name]
            return setting, if_on if value else if_off
        return name, value


def share_of_percentage(name: str, value: Any) -> Any:  # noqa: ANN401 - refused later
    """Return a percentage as a share; what is no number as it is."""
    if not arguments.is_number(value):
        return value
    if not 0 < value < 100:
        raise ChoiceError("bad_percentage", name=name, value=value)
    return value / 100


CLOSEST = 1e-5
"""C4.5 and J48 put a threshold only between values that are further apart than this."""
_ROUNDING = 1e-12
"""Equal scores (bits, or ratios of them) may differ by this much after rounding."""
_WORDS = {
    "precision": ("double", "single"),
    "sums": ("exact", "cases"),
    "cut_at": ("value", "midpoint"),
    "pruning": ("error-based", "reduced-error", "none"),
    "deviate": ("table", "quantile"),
    "empty": ("majority", "shares"),
}
_NUMBERS = (
    "tolerance", "gap", "side_share", "side_most", "cut_tolerance", "slack", "many_levels",
    "last_errors",
)  # fmt: skip
_VALUES = {"m": "min_branch", "M": "min_branch", "C": "confidence"}
_SWITCHES: dict[str, tuple[str, Any, Any]] = {
    "g": ("criterion", "gain", "gain_ratio"),
    "s": ("shape", "merged", "multiway"),
    "B": ("shape", "one-level", "multiway"),
    "U": ("pruning", "none", "error-based"),
    "R": ("pruning", "reduced-error", "error-based"),
    "S": ("raise_branches", False, True),
    "A": ("laplace", True, False),
    "O": ("collapse", False, True),
    "J": ("cut_cost", False, True),
    "doNotMakeSplitPointActualValue": ("cut_at", "midpoint", "value"),
}
