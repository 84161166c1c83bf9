"""Where benches keep their figures: one file a bench, bench/results/NAME.json, the newest run."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"


def new_run() -> str:
    """Return the name of a run that begins now."""
    return time.strftime("%Y%m%d-%H%M%S")


def save(bench: str, figures: dict[str, Any]) -> Path:
    """Write the figures of a run in place of the last one; return where."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{bench}.json"
    text = json.dumps({"run": new_run()} | figures, indent=1) + "\n"
    path.write_text(text, "utf-8")
    return path


def merge_rows(kept: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows of earlier runs and of this one; a case goes when a later run has all its tools.

    Ratios are made inside one run only, so a run that measured fewer tools replaces nothing.
    """
    tools: dict[Any, set[str]] = {}
    for row in new:
        tools.setdefault(_case(row), set()).add(row["tool"])
    earlier: dict[Any, set[str]] = {}
    for row in kept:
        earlier.setdefault((_case(row), row["run"]), set()).add(row["tool"])
    rest = [
        row for row in kept
        if not earlier[_case(row), row["run"]] <= tools.get(_case(row), set())
    ]  # fmt: skip
    return rest + new


def _case(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["table"], row["task"], row["max_depth"], row["threads"]
