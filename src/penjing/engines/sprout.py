"""What a node of a generation became: its test, its children, and how rows find them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from penjing.split import Split
from penjing.table import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Sprout:
    """A node that is divided.

    Parameters
    ----------
    node : int
        Which one.
    split : Split
        Its test.
    tied : tuple of int
        The columns that would have done as well.
    after : (branches, S)
        The sums of its children.
    gap : (float, float) or None
        The numbers on both sides of its cut.
    branch : array or None
        The branch of each code, where codes are exact. Else rows go by the cut: which bucket holds
        it is not told here, since a later run may have other buckets.
    """

    node: int
    split: Split
    tied: tuple[int, ...]
    after: Floats
    gap: tuple[float, float] | None
    branch: npt.NDArray[np.int32] | None

    def plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        split = self.split
        return {
            "node": self.node, "column": split.column, "cut": split.cut,
            "groups": [codes.tolist() for codes in split.groups],
            "gain": float(split.gain), "score": float(split.score), "tied": list(self.tied),
            "after": np.asarray(self.after).tolist(), "gap": self.gap,
            "branch": None if self.branch is None else self.branch.tolist(),
        }  # fmt: skip

    @classmethod
    def again(cls, told: Mapping[str, Any]) -> Sprout:
        """Return what `plain` has told of."""
        groups = tuple(np.array(codes, np.int32) for codes in told["groups"])
        split = Split(told["column"], told["cut"], groups, told["gain"], told["score"])
        branch = None if told["branch"] is None else np.array(told["branch"], np.int32)
        gap = None if told["gap"] is None else (told["gap"][0], told["gap"][1])
        after = np.array(told["after"], np.float64)
        return cls(told["node"], split, tuple(told["tied"]), after, gap, branch)


class Memory(Protocol):
    """Who remembers what generations became."""

    def divided(self, nodes: Sequence[int]) -> tuple[list[Sprout], list[int]] | None:
        """Return what these nodes became, and which of them wait for the end."""

    def keep_divided(
        self, nodes: Sequence[int], sprouts: Sequence[Sprout], parked: Sequence[int]
    ) -> None:
        """Remember it."""
