"""How decisions of rpart are explained: what ranks columns, and by which limits nodes stop."""

from __future__ import annotations

from typing import Any

from penjing.tree import dialect as tree_dialect
from penjing.tree.dialect import Settings, screened_out, setting_limit

exclusion_reason = screened_out
UNLIMITED = tree_dialect.UNLIMITED | {
    "min_weight": {"minsplit": 2, "minbucket": 1},
    "min_branch": {"minbucket": 1},
    "complexity": {"cp": 0.0},
}


def ranking_message(criterion: str) -> str | None:  # noqa: ARG001 - the protocol's
    """Return the key of the message that names the number by which columns are ranked."""
    return "story_by_rpart"


def limit(settings: Settings, stop: str) -> Any:  # noqa: ANN401 - of any setting
    """Return the limit of a stop condition, by rpart's own settings."""
    if stop == "complexity":
        return settings.get("cp")
    if stop == "min_branch":
        least = settings.get("minbucket")
        return round(settings.get("minsplit", 0) / 3) if least is None else least
    value = setting_limit(settings, stop)
    return max(value, settings.get("minsplit", 0)) if stop == "min_weight" else value


def removal_reason(settings: Settings) -> str | None:  # noqa: ARG001 - the protocol's
    """Return why a node that could be split is a leaf: rpart prunes by complexity."""
    return "complexity"
