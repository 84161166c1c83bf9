"""Trees of the packages below the API, as users hold them: with methods."""

from __future__ import annotations

from typing import Any

from penjing.api.tree import Tree
from penjing.grow import loop


def grow(*args: Any, **options: Any) -> Tree:
    """Grow a tree by the readable loop."""
    return Tree.from_data(loop.grow(*args, **options))
