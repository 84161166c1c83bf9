"""Trees as users have them, with methods, made by the packages below the API."""

from __future__ import annotations

from typing import Any

from penjing.api.tree import Tree
from penjing.grow import loop
from penjing.tree import serialize


def grow(*args: Any, **options: Any) -> Tree:
    """Grow a tree by the readable loop."""
    return Tree.from_data(loop.grow(*args, **options))


def from_json(plain: Any, source: str = "model") -> Tree:
    """Read a tree from plain data."""
    return Tree.from_data(serialize.from_json(plain, source))
