"""What only one program's rules know: its settings beyond those that all recipes share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from penjing import arguments
from penjing.errors import ChoiceError
from penjing.table import Field, Table
from penjing.tally import Costs


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of the textbook's rules beyond a recipe's own: none.

    The rules of a program have a subclass of this with a field for each of its settings;
    `Recipe.but` finds them by name, `Recipe.settings` lists them beside the recipe's own.
    """

    shapes: ClassVar[tuple[str, ...]] = ("multiway", "binary")
    """The shapes of a division that these rules know."""
    criteria: ClassVar[tuple[str, ...] | None] = None
    """The criteria that these rules know; None for any, one's own included."""
    counts_weightless: ClassVar[bool] = False
    """Whether a row of weight 0 is still a row, which minimum sizes count."""

    @property
    def fixed(self) -> dict[str, str]:
        """What these rules decide that others have a setting for, by that setting's name."""
        return {
            "cut_at": "midpoint", "cut_cost": "no", "gap": "0", "precision": "double",
            "tolerance": "0", "zero_gain": "yes", "collapse": "no", "pruning": "none",
            "empty": "majority", "ties": "first",
        }  # fmt: skip

    def named(self, setting: str) -> list[str]:  # noqa: ARG002 - of those that have other names
        """Return the program's own options that stand for a setting."""
        return []

    @property
    def centred(self) -> bool:
        """Whether the mean is taken from a number before its squares are summed."""
        return True

    @property
    def one_by_one(self) -> bool:
        """Whether nodes must be grown one after the other, depth first."""
        return False

    def check(self) -> None:
        """Refuse settings that cannot be used, each with a sentence."""

    def fits(self, table: Table) -> Options:  # noqa: ARG002 - for those that have to look at it
        """Return the settings as they suit a table, or refuse with a sentence."""
        return self

    def prepared(self, table: Table) -> Table:
        """Return the table as these rules see it."""
        return table

    def costs(self, table: Table) -> Costs | None:  # noqa: ARG002 - for those that have any
        """Return what the classes of a table count for; None where every row counts the same."""
        return None

    def alias(self, name: str) -> str:
        """Return the setting that a program's own option name stands for, or the name itself."""
        return name

    def setting(self, name: str, value: Any) -> tuple[str, Any]:  # noqa: ANN401 - any setting's
        """Return the setting and its value that an option of a program stands for."""
        return ("laplace" if name == "A" else self.alias(name)), value


TEXTBOOK = Options()


@dataclass(frozen=True, slots=True)
class Quinlan(Options):
    """What C4.5 and J48 decide by; the defaults are those of C4.5 release 8.

    Of the shared settings, ``min_branch`` is their minimum number of cases (m), a node lighter
    than twice that being a leaf, and ``shape`` how nominal columns are divided: ``multiway``,
    ``merged`` (C4.5 -s: levels are merged greedily) or ``one-level`` (J48 -B: one level
    against all others).

    Parameters
    ----------
    precision : str
        ``double``, or ``single``: sums, gains and cuts rounded to 32 bits as C4.5 rounds them.
    sums : str
        ``exact``, whatever the order of rows; or ``cases``: parts of rows are added up in 32
        bits in the order in which C4.5's cases lie, as it sorts and groups them. Only where
        values are missing does that make a difference. The native engine can, in single
        precision and without groups of levels.
    tolerance : float
        Numbers closer than this are equal; J48 has 1e-6 nearly everywhere, C4.5 none.
    gap : float
        A cut lies only between values that are further apart than this.
    side_share, side_most : float
        Each side of a cut weighs at least this share of the known weight per class, but no less
        than ``min_branch`` and no more than ``side_most``.
    cut_cost : bool
        Whether the gain of a cut is less by log2(cuts tried) / weight.
    cut_at : str
        Where the cut is: at the largest training ``value`` below the ``midpoint``, or there.
    cut_tolerance : float
        That value may lie above the midpoint by so much (Weka 3.6).
    slack : float
        What two numbers may differ by in the screens: average gain, least split information,
        and errors when subtrees are collapsed.
    many_levels : float
        A nominal column with at least this share of the rows as levels is left out of the
        average gain.
    zero_gain : bool
        Whether a division that gains nothing may be chosen.
    collapse : bool
        Whether a subtree that makes no fewer training errors than a leaf becomes one.
    pruning : str
        ``error-based``, ``reduced-error`` (by rows held out), or ``none``.
    confidence : float
        The CF of error-based pruning.
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
        column whose levels are merged has no known value in a node: a slip of C4.5 -s. Trees
        are then grown depth first, node after node.
    empty : str
        What a branch that no training row took answers: the ``majority`` of its node for sure,
        or the class ``shares`` there.
    """

    criteria: ClassVar[tuple[str, ...] | None] = ("gain", "gain_ratio")
    shapes: ClassVar[tuple[str, ...]] = ("multiway", "merged", "one-level")

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
        """What these rules decide without a setting."""
        return {"ties": f"first by {self.tolerance:g}" if self.tolerance else "first"}

    def named(self, setting: str) -> list[str]:
        """Return the options of C4.5 (small letters) and J48 that stand for a setting."""
        found = [name for name, of in _QUINLAN_VALUES.items() if of == setting]
        found += [name for name, of in _QUINLAN_SWITCHES.items() if of[0] == setting]
        found += ["c"] if setting == "confidence" else []
        return sorted(f"-{name}" for name in found)

    @property
    def one_by_one(self) -> bool:
        """Whether nodes must be grown one after the other, depth first."""
        return self.minimum_slips

    def check(self) -> None:
        """Refuse settings that cannot be used, each with a sentence."""
        for name, allowed in _QUINLAN_WORDS.items():
            arguments.word(name, getattr(self, name), allowed)
        for name in _QUINLAN_NUMBERS:
            arguments.number(name, getattr(self, name), infinite=True)
        if self.cut_tolerance > max(self.gap, CLOSEST) / 2:
            raise ChoiceError("cut_tolerance_too_large", value=self.cut_tolerance)
        if self.sums == "cases" and self.precision != "single":
            raise ChoiceError("sums_need_single")
        arguments.confidence(self.confidence)

    @property
    def tie(self) -> float:
        """By how much a score must exceed another.

        32 bits are coarse enough for every machine to round alike; 64 are not, so that equal
        scores are told from others by more than their rounding.
        """
        return self.tolerance or (0.0 if self.precision == "single" else _ROUNDING)

    def in_average(self, schema: Sequence[Field], n: float) -> list[bool]:
        """Return which columns of n rows take part in the average gain.

        Not those with very many levels, unless all are such columns.
        """
        most = self.many_levels * n - self.tolerance
        few = [field.has_order or len(field.levels) < most for field in schema]
        return few if any(few) else [True] * len(few)

    def prepared(self, table: Table) -> Table:
        """Return the table as it is; one whose target is a number is refused."""
        if table.is_regression:
            assert table.target is not None
            raise ChoiceError("quinlan_needs_classes", target=table.target.name)
        return table

    def setting(self, name: str, value: Any) -> tuple[str, Any]:  # noqa: ANN401 - any setting's
        """Return the setting that an option of C4.5 (-m -c -g -s) or J48 (-C -M …) stands for.

        Examples
        --------
        >>> Quinlan().setting("c", 10), Quinlan().setting("U", True)
        (('confidence', 0.1), ('pruning', 'none'))
        """
        if name == "c":  # C4.5 takes the confidence in per cent
            return "confidence", hundredth(value)
        if name in _QUINLAN_VALUES:
            return _QUINLAN_VALUES[name], value
        if name in _QUINLAN_SWITCHES:
            setting, if_on, if_off = _QUINLAN_SWITCHES[name]
            return setting, if_on if value else if_off
        return name, value


def hundredth(value: Any) -> Any:  # noqa: ANN401 - what is no number is refused as it came
    """Return a number in per cent as a share."""
    return value / 100 if arguments.is_number(value) else value


CLOSEST = 1e-5
"""Values that C4.5 and J48 cut apart are further apart than this."""
_ROUNDING = 1e-12
"""Equal scores (bits, or ratios of them) may differ by this much after rounding."""
_QUINLAN_WORDS = {
    "precision": ("double", "single"),
    "sums": ("exact", "cases"),
    "cut_at": ("value", "midpoint"),
    "pruning": ("error-based", "reduced-error", "none"),
    "deviate": ("table", "quantile"),
    "empty": ("majority", "shares"),
}
_QUINLAN_NUMBERS = (
    "tolerance", "gap", "side_share", "side_most", "cut_tolerance", "slack", "many_levels",
    "last_errors",
)  # fmt: skip
_QUINLAN_VALUES = {"m": "min_branch", "M": "min_branch", "C": "confidence"}
_QUINLAN_SWITCHES: dict[str, tuple[str, Any, Any]] = {
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
