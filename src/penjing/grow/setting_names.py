"""Names of settings that people know from other libraries, for recipes that call them otherwise.

A name stands for a setting only where both mean the same. Where they do not, the error names the
nearest setting. A program's own names (`m` of C4.5, `cp` of rpart, every parameter of
scikit-learn's trees) are known to its dialect and are not listed here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from penjing.arguments import is_whole
from penjing.errors import ChoiceError
from penjing.registry import plugins

CRITERIA = {
    "entropy": "gain",
    "log_loss": "gain",
    "information": "gain",
    "information_gain": "gain",
    "info_gain": "gain",
    "gainratio": "gain_ratio",
    "gain-ratio": "gain_ratio",
    "gini_index": "gini",
    "squared_error": "variance",
    "friedman_mse": "variance",
    "mse": "variance",
}
"""Criteria by the names that scikit-learn, rpart and textbooks give them."""

SAME = {
    "max_leaf_nodes": ("max_leaves",),
    "min_samples_split": ("minsplit", "min_weight"),
    "min_samples_leaf": ("minbucket", "min_branch"),
}
"""Parameters of scikit-learn and the settings that mean the same; a recipe has the first or the
second."""

NEAREST = {
    "min_samples_split": "min_weight",
    "min_samples_leaf": "min_branch",
    "min_weight_fraction_leaf": "min_branch",
    "min_impurity_decrease": "min_gain",
    "ccp_alpha": "tree.prune('cost-complexity', alpha=…)",
    "class_weight": "weight",
    "random_state": "seed",
}
"""Parameters of scikit-learn without an equal, and what comes nearest to them."""

NOTHING: Mapping[str, str] = MappingProxyType({})


def known_criterion(criterion: Any) -> Any:  # noqa: ANN401 - a word, or a function
    """Return the criterion that a word stands for; other values as they are.

    Examples
    --------
    >>> known_criterion("entropy"), known_criterion("gini")
    ('gain', 'gini')
    """
    if not isinstance(criterion, str) or criterion.lower() not in CRITERIA:
        return criterion
    is_plugin = criterion in plugins("criterion")
    return criterion if is_plugin else CRITERIA[criterion.lower()]


def known_setting(
    word: str,
    value: object,
    known: Collection[str],
    recipe: str,
    *,
    is_binary: bool,
    replaced: Mapping[str, str] = NOTHING,
) -> str:
    """Return the setting that a parameter of scikit-learn means, or the word itself.

    Parameters
    ----------
    word, value
        The parameter as it was given.
    known : collection of str
        The settings of the recipe.
    recipe : str
        The name of the recipe, for the error.
    is_binary : bool
        Whether every split has two branches: then a smallest leaf is a smallest branch.
    replaced : mapping of str
        The settings that the recipe does not use, and what it has in their place.

    Examples
    --------
    >>> known_setting("max_leaf_nodes", 8, ["max_leaves"], "id3", is_binary=False)
    'max_leaves'
    """
    if word in known or word not in SAME.keys() | NEAREST:
        return word
    name = next((setting for setting in SAME.get(word, ()) if setting in known), None)
    is_count = word == "max_leaf_nodes" or is_whole(value)  # a float is a share of the rows
    is_leaf_size = name == "min_branch" and not is_binary
    if name is None or not is_count or is_leaf_size:
        near = replaced.get(NEAREST[word], NEAREST[word])
        raise ChoiceError("nearest_setting", word=word, recipe=recipe, near=near)
    return name
