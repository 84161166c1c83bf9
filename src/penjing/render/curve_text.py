"""Learning, pruning and calibration curves as text tables."""

from __future__ import annotations

from typing import Any

from penjing.formatting.text_table import right_aligned
from penjing.i18n import say


def text(curve: dict[str, Any], lang: str = "en") -> str:
    """Return a curve as a text table with one line for each point.

    Examples
    --------
    >>> points = [{"rows": 10, "train": 1.0, "test": 0.5}]
    >>> print(text({"kind": "learning", "measure": "accuracy", "points": points}))
      rows  training   test
        10     1.000  0.500
    """
    keys = {
        "learning": ("rows", "train", "test", "se"),
        "pruning": ("alpha", "leaves", "train", "test", "se"),
        "calibration": ("said", "right", "weight"),
    }[curve["kind"]]
    points = curve["points"]
    keys = tuple(key for key in keys if key != "se" or any(p.get("se") is not None for p in points))
    headings = [say(f"curve_{key}", lang) for key in keys]
    rows = [[_cell(key, point.get(key)) for key in keys] for point in points]
    return "\n".join(right_aligned([headings, *rows]))


def _cell(key: str, value: float | None) -> str:
    if value is None:
        return "-"
    if key in ("leaves", "rows", "weight"):
        return f"{value:.10g}" if float(value).is_integer() else f"{value:.1f}"
    return f"{value:.4g}" if key == "alpha" else f"{value:.3f}"
