"""Why C5.0 does not compare a column."""

from __future__ import annotations

from penjing.dialects.c45.explanation import costs_too_much
from penjing.tree.dialect import Explanation, screened_out


def exclusion_reason(explanation: Explanation, candidate: Explanation) -> str:
    """Return why a candidate was not compared; columns with very many levels are not tried."""
    if costs_too_much(candidate):
        return "costly"
    reason = screened_out(explanation, candidate)
    is_tried = candidate.get("in_average", True)
    return reason if is_tried or reason in ("not_allowed", "no_gain") else "many_levels"
