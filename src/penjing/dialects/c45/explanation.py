"""How decisions of C4.5 and J48 are explained: what ranks columns, and why one is left out."""

from __future__ import annotations

from typing import Any

from penjing.tree import dialect as tree_dialect
from penjing.tree.dialect import Explanation, Settings, screened_out, setting_limit

UNLIMITED = tree_dialect.UNLIMITED | {
    "min_weight": {"min_weight": 0.0, "min_branch": 1.0},
    "min_branch": {"min_branch": 1.0},
    "pruned": {"pruning": "none"},
}


def ranking_message(criterion: str) -> str | None:
    """Return the key of the message that names the number by which columns are ranked."""
    return f"story_by_quinlan_{criterion}" if criterion in ("gain", "gain_ratio") else None


def limit(settings: Settings, stop: str) -> Any:  # noqa: ANN401 - of any setting
    """Return the limit of a stop condition; a node is split if it has two least branches."""
    value = setting_limit(settings, stop)
    return max(value, 2 * settings.get("min_branch", 0)) if stop == "min_weight" else value


def costs_too_much(candidate: Explanation) -> bool:
    """Return whether the cost of a threshold exceeds its gain."""
    gain = candidate.get("criterion_gain")
    return "cut" in candidate and (gain is None or gain <= 0)


def exclusion_reason(explanation: Explanation, candidate: Explanation) -> str:
    """Return why a candidate was not compared.

    Only columns with at least the average gain are compared. Columns with very many levels do not
    count for the average; if no other column has a gain, there is no average and no comparison.
    """
    if costs_too_much(candidate):
        return "costly"
    reason = screened_out(explanation, candidate)
    has_average = explanation["average_gain"] is not None
    if reason == "screened" and explanation["criterion"] == "gain_ratio" and not has_average:
        return "no_average"
    return reason
