"""Settings of the C5.0 dialect: those of C4.5, and one for each difference from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from penjing import arguments
from penjing.data.table import Field
from penjing.dialects.c45.options import C45Options, share_of_percentage
from penjing.errors import CapabilityError, unknown_name_error


@dataclass(frozen=True, slots=True)
class C50Options(C45Options):
    """The settings of C5.0; those that it shares with C4.5 keep their names.

    Entropies are computed in double precision, and a threshold may lie between any two different
    numbers (``gap`` is 0).

    Parameters
    ----------
    numbers : str
        Numbers of the table are compared in ``single`` or in ``double`` precision.
    least_gain : float
        A column with a smaller gain is not a candidate.
    screen_share : float
        The gain of a column must be at least this share of the required gain.
    screen_few, screen_many : float
        The required gain is the average gain with up to ``screen_few`` rows per class, 0.9
        log2(candidates) / weight with at least ``screen_many``, and interpolated between them.
    near_ties : float
        If gain ratios differ from the best by no more than this share, the number of branches,
        and then the gain, decide.
    gap_cost : bool
        Whether a threshold in a wide gap costs less: log2(range / gap), if that is smaller than
        the number of thresholds.
    pure_share : float
        A node is pure if one class has at least this share of it.
    collapse_share : float
        A subtree that makes at least this share of a leaf's errors becomes a leaf.
    pool : bool
        Whether the errors of branches that are lighter than ``min_branch`` are estimated
        together.
    raise_share, regrow_share : float
        A branch may replace its parent only with at least the first share of its rows; with
        less than the second share it is grown again.
    global_pruning : bool
        Whether the weakest subtrees are pruned as long as the added errors stay within one
        standard error.
    gather : bool
        Whether leaves of one class below a categorical split become one branch.
    """

    shapes: ClassVar[tuple[str, ...]] = ("multiway",)

    gap: float = 0.0
    zero_gain: bool = False
    numbers: Literal["double", "single"] = "single"
    least_gain: float = 1e-4
    screen_share: float = 0.999
    screen_few: float = 500.0
    screen_many: float = 1000.0
    near_ties: float = 1e-3
    gap_cost: bool = True
    pure_share: float = 0.999
    collapse_share: float = 0.999
    pool: bool = True
    raise_share: float = 0.1
    regrow_share: float = 0.95
    global_pruning: bool = True
    gather: bool = True

    def in_average(self, schema: Sequence[Field], n: float) -> list[bool]:
        """Return which columns of n rows are tried: not those with very many categories.

        If all columns have very many, all are tried. C5.0 counts one more category than a column
        has, for values that are not applicable.
        """
        few = [f.has_order or len(f.levels) + 1 < self.many_levels * n for f in schema]
        return few if any(few) else [True] * len(few)

    @property
    def fixed(self) -> dict[str, str]:
        """What C5.0 does that other dialects have a setting for."""
        return {"ties": "fewest_branches, gain, first"}

    def named(self, setting: str) -> list[str]:
        """Return the options of C5.0 that stand for a setting."""
        return sorted(f"-{name}" for name, of in _NAMES.items() if of == setting)

    def check(self) -> None:
        """Raise an error for settings that cannot be used."""
        C45Options.check(self)
        arguments.one_of("numbers", self.numbers, ("double", "single"))
        for name in _NUMBERS:
            arguments.number(name, getattr(self, name), infinite=True)
        if self.precision != "double":
            raise unknown_name_error(
                "unknown_choice", self.precision, ("double",), kind="c5.0 precision"
            )
        if self.pruning == "reduced-error":
            words = ("error-based", "none")
            raise unknown_name_error("unknown_choice", self.pruning, words, kind="c5.0 pruning")

    def setting(self, name: str, value: Any) -> tuple[str, Any]:  # noqa: ANN401 - any setting's
        """Return the setting that an option of C5.0 (-c -m -g) stands for; -s is refused.

        Examples
        --------
        >>> C50Options().setting("c", 10), C50Options().setting("g", True)
        (('confidence', 0.1), ('global_pruning', False))
        """
        if name == "s" and value:
            raise CapabilityError("c50_subsets")
        if name == "r" and value:
            raise CapabilityError("c50_rules")
        if name == "c":  # in per cent
            return "confidence", share_of_percentage(name, value)
        if name == "g":
            return "global_pruning", not value
        return _NAMES.get(name, name), value


_NAMES = {"m": "min_branch", "c": "confidence", "g": "global_pruning"}
_NUMBERS = (
    "least_gain", "screen_share", "screen_few", "screen_many", "near_ties", "pure_share",
    "collapse_share", "raise_share", "regrow_share",
)  # fmt: skip
