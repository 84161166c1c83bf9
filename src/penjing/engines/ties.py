"""The nodes of a tree grown in C++ where several columns came out equal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penjing.table import Floats


def ties_of(told: Mapping[str, Any], score: Floats) -> list[dict[str, Any]]:
    """Return the nodes where several columns came out equal, as a tree's story holds them."""
    start, columns = told["tie_start"].tolist(), told["tie_columns"].tolist()
    tied = told["tied_nodes"]
    return [
        {"columns": columns[start[i] : start[i + 1]], "score": at, "node": node}
        for i, (node, at) in enumerate(zip(tied.tolist(), score[tied].tolist(), strict=True))
    ]
