"""Tables whose trees are chains: each split takes one row away."""

from __future__ import annotations

import numpy as np

from penjing.data.table import Table, nominal, numeric


def chain_table(n: int) -> Table:
    """Return numbers with alternating classes: only the first and the last threshold gain."""
    return Table((numeric("x", np.arange(n)),), nominal("y", list("ab" * n)[:n]), n)
