"""Paths of the reference data and of the goldens of other programs; tests skip without them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("PENJING_SHARED", Path(__file__).parents[3] / "shared"))


def shared(path: str) -> Path:
    """Return the path of a shared file; without it the test is skipped."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"{found} is not there; PENJING_SHARED names the folder")
    return found
