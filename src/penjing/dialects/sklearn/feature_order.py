"""The order in which scikit-learn looks at columns: drawn anew in each node, by its own generator.

Of columns that divide a node equally well the first one drawn wins; hence its trees depend on
``random_state`` even where every column is looked at. Columns known to be constant in a node are
not looked at below it, and the drawing takes account of that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from penjing.data.table import Codes

_MOST = 2**31 - 1
_WORD = 2**32 - 1
NEVER = 2**31 - 1
"""When a column is looked at that is constant, or was not drawn."""


class Drawing:
    """One growth's drawings; nodes have to be asked for in the order in which they are grown.

    Parameters
    ----------
    n_columns : int
        How many columns there are.
    start : int
        Where the generator starts.
    is_best_first : bool
        Whether nodes are grown best first; then nothing is remembered of constant columns.
    n_looked_at : int, optional
        How many columns are looked at in a node; more, as long as all of them are constant.
    """

    def __init__(
        self, n_columns: int, start: int, *, is_best_first: bool, n_looked_at: int | None = None
    ) -> None:
        self._most = n_columns if n_looked_at is None else n_looked_at
        self._state = start
        self._columns = list(range(n_columns))
        self._constant = [0] * n_columns
        self._forgets = is_best_first
        self._n_known: dict[int, int] = {}

    def ranks(self, node: int, parent: int, is_constant: Sequence[bool]) -> Codes:
        """Return when each column of a node is looked at; NEVER for those that are not."""
        known = 0 if self._forgets else self._n_known.get(parent, 0)
        columns, constant = self._columns, self._constant
        end, drawn, found, visited = len(columns), 0, 0, 0
        ranks = np.full(len(columns), NEVER, np.int32)
        while end > known + found and (visited < self._most or visited <= found + drawn):
            visited += 1
            place = drawn + self._draw() % (end - found - drawn)
            if place < known:
                columns[drawn], columns[place] = columns[place], columns[drawn]
                drawn += 1
                continue
            place += found
            column = columns[place]
            if is_constant[column]:
                first = known + found
                columns[place], columns[first] = columns[first], column
                found += 1
                continue
            end -= 1
            columns[end], columns[place] = column, columns[end]
            ranks[column] = visited
        columns[:known] = constant[:known]
        constant[known : known + found] = columns[known : known + found]
        self._n_known[node] = known + found
        return ranks

    def _draw(self) -> int:
        """Return the next number of a 32-bit xorshift generator (Marsaglia 2003)."""
        x = self._state or 1
        x ^= (x << 13) & _WORD
        x ^= x >> 17
        x ^= (x << 5) & _WORD
        self._state = x
        return x % (_MOST + 1)
