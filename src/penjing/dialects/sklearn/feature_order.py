"""The random order in which scikit-learn tries the columns of a node, by its own generator.

Of tied columns the first in this order wins; so its trees depend on ``random_state`` even if all
columns are tried. Columns that are constant in a node are not tried below it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from penjing.data.table import Codes

_RAND_MAX = 2**31 - 1
_MASK_32 = 2**32 - 1
NEVER = 2**31 - 1
"""The rank of a column that is constant, or was not drawn."""


class FeatureOrder:
    """The order of columns in each node of one tree; nodes must come in the order of growing.

    Parameters
    ----------
    n_columns : int
        How many columns there are.
    start : int
        The initial state of the generator.
    is_best_first : bool
        Whether nodes are grown best first; then constant columns are not remembered.
    n_looked_at : int, optional
        How many columns are tried in a node; more, as long as all of them are constant.
    """

    def __init__(
        self, n_columns: int, start: int, *, is_best_first: bool, n_looked_at: int | None = None
    ) -> None:
        self._max_features = n_columns if n_looked_at is None else n_looked_at
        self._settings = n_columns, start, is_best_first, self._max_features
        self._state = start
        self._columns = list(range(n_columns))
        self._constant = [0] * n_columns
        self._is_best_first = is_best_first
        self._n_known: dict[int, int] = {}

    def restarted(self) -> FeatureOrder:
        """Return an order with the same settings that has drawn nothing yet."""
        n_columns, start, is_best_first, most = self._settings
        return FeatureOrder(n_columns, start, is_best_first=is_best_first, n_looked_at=most)

    def has_settings_of(self, other: FeatureOrder) -> bool:
        """Return whether both draw the same order."""
        return self._settings == other._settings

    def ranks(self, node: int, parent: int, is_constant: Sequence[bool]) -> Codes:
        """Return the rank of each column in the order of a node; NEVER if it is not tried."""
        n_known = 0 if self._is_best_first else self._n_known.get(parent, 0)
        columns, constant = self._columns, self._constant
        end, n_drawn, n_constant, n_visited = len(columns), 0, 0, 0
        ranks = np.full(len(columns), NEVER, np.int32)
        while end > n_known + n_constant and (
            n_visited < self._max_features or n_visited <= n_constant + n_drawn
        ):
            n_visited += 1
            position = n_drawn + self._next_random() % (end - n_constant - n_drawn)
            if position < n_known:
                columns[n_drawn], columns[position] = columns[position], columns[n_drawn]
                n_drawn += 1
                continue
            position += n_constant
            column = columns[position]
            if is_constant[column]:
                first = n_known + n_constant
                columns[position], columns[first] = columns[first], column
                n_constant += 1
                continue
            end -= 1
            columns[end], columns[position] = column, columns[end]
            ranks[column] = n_visited
        columns[:n_known] = constant[:n_known]
        constant[n_known : n_known + n_constant] = columns[n_known : n_known + n_constant]
        self._n_known[node] = n_known + n_constant
        return ranks

    def _next_random(self) -> int:
        """Return the next number of a 32-bit xorshift generator (Marsaglia 2003)."""
        x = self._state or 1
        x ^= (x << 13) & _MASK_32
        x ^= x >> 17
        x ^= (x << 5) & _MASK_32
        self._state = x
        return x % (_RAND_MAX + 1)
