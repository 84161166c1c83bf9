"""How decisions of scikit-learn are explained: what ranks columns, and by which limits."""

from __future__ import annotations

from typing import Any

from penjing.tree import dialect as tree_dialect
from penjing.tree.dialect import Settings, screened_out, setting_limit

exclusion_reason = screened_out
UNLIMITED = tree_dialect.UNLIMITED | {
    "min_weight": {"min_samples_split": 2, "min_samples_leaf": 1},
    "min_branch": {"min_samples_leaf": 1},
    "min_gain": {"min_impurity_decrease": 0.0, "min_gain": 0.0},
    "complexity": {"ccp_alpha": 0.0},
}


def ranking_message(criterion: str) -> str | None:  # noqa: ARG001 - the protocol's
    """Return the key of the message that names the number by which columns are ranked."""
    return "story_by_sklearn"


def limit(settings: Settings, stop: str) -> Any:  # noqa: ANN401 - of any setting
    """Return the limit of a stop condition, by scikit-learn's own parameters."""
    if stop == "complexity":
        return settings.get("ccp_alpha")
    value = setting_limit(settings, stop)
    return max(value, settings.get("min_samples_split", 0)) if stop == "min_weight" else value


def removal_reason(settings: Settings) -> str | None:
    """Return why a node that could be split is a leaf: pruning by complexity."""
    return "complexity" if settings.get("ccp_alpha") else None
