"""The division of a table into training, validation and test rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from penjing.arguments import bad_value_error, is_number, is_whole
from penjing.data.folds import hold_out
from penjing.data.table import Table
from penjing.errors import ChoiceError

PARTS = ("training", "validation", "test")
FEW_ROWS = 50
"""Tables of fewer rows are not divided unless somebody asks for it."""


@dataclass(frozen=True, slots=True)
class DividedRows:
    """The rows of each part; None if there are none."""

    training: Table
    validation: Table | None = None
    test: Table | None = None

    def of(self, part: str) -> Table | None:
        """Return the rows of a part by its name."""
        rows: Table | None = getattr(self, part)
        return rows

    def sizes(self) -> dict[str, int]:
        """Return the number of rows of each part."""
        return {part: 0 if (t := self.of(part)) is None else t.n_rows for part in PARTS}


@dataclass(frozen=True, slots=True)
class Shares:
    """Stratified shares of the rows of a table; the seed selects the rows.

    Parameters
    ----------
    training, validation, test : float
        The shares; they add up to 1.
    seed : int
        The seed.

    Examples
    --------
    >>> import penjing
    >>> Shares(0.6, 0.2, 0.2, seed=1).divide(penjing.example("watermelon2.0")).sizes()
    {'training': 10, 'validation': 3, 'test': 4}
    """

    training: float = 0.6
    validation: float = 0.2
    test: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        shares = (self.training, self.validation, self.test)
        are_shares = all(is_number(share) and 0 <= share <= 1 for share in shares)
        if not are_shares or not self.training > 0 or abs(sum(shares) - 1) > 1e-9:
            raise ChoiceError("lab_bad_shares", shares=", ".join(map(str, shares)))
        if not is_whole(self.seed) or self.seed < 0:
            raise ChoiceError("lab_bad_seed", seed=self.seed)

    @staticmethod
    def of(parts: object) -> Shares:
        """Return the shares that a sequence of three numbers means.

        Examples
        --------
        >>> Shares.of((0.5, 0.5, 0)).validation
        0.5
        """
        if not isinstance(parts, tuple | list) or len(parts) != len(PARTS):
            raise bad_value_error("lab_three_shares", "shares", parts, tuple | list)
        return Shares(*parts)

    @property
    def held_out(self) -> float:
        """The share of the rows that are not for training."""
        return self.validation + self.test

    @property
    def tested(self) -> float:
        """The share of the test rows among those that are not for training."""
        return self.test / self.held_out

    def divide(self, table: Table) -> DividedRows:
        """Return the rows of each part; those that `penjing.hold_out` selects."""
        if not self.held_out:
            return DividedRows(table)
        training, rest = hold_out(table, self.held_out, self.seed)
        if not self.test:
            return DividedRows(training, rest)
        if not self.validation:
            return DividedRows(training, None, rest)
        return DividedRows(training, *hold_out(rest, self.tested, self.seed))

    def to_json(self) -> dict[str, Any]:
        """Return the division as plain data."""
        shares = {part: getattr(self, part) for part in PARTS}
        return {"kind": "shares", **shares, "seed": self.seed}


def shares_of(plain: Mapping[str, Any]) -> Shares:
    """Return the shares that plain data means.

    Examples
    --------
    >>> shares_of({"kind": "shares", "training": 1, "validation": 0, "test": 0}).held_out
    0
    """
    known = {"kind", "training", "validation", "test", "seed"}
    if plain.get("kind") != "shares" or not set(plain) <= known:
        raise ChoiceError("lab_bad_division", value=plain)
    return Shares(**{key: value for key, value in plain.items() if key != "kind"})


def default_shares(n_rows: int) -> Shares:
    """Return the shares for a table of this size; a small one is all for training.

    Examples
    --------
    >>> default_shares(17).training, default_shares(1000).training
    (1.0, 0.6)
    """
    return Shares(1.0, 0.0, 0.0) if n_rows < FEW_ROWS else Shares()
