"""Recipes as a text table: settings in groups, one column for each recipe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from penjing.formatting.text_table import align_left, max_width
from penjing.i18n import catalogue, say

__all__ = ["GROUPS", "recipes_table", "settings_sheet"]

GROUPS: dict[str, tuple[str, ...]] = {
    "choice": (
        "rules", "criterion", "shape", "zero_gain", "min_gain", "least_gain", "many_levels",
        "screen_share", "screen_few", "screen_many", "near_ties", "pure_share", "slack", "ties",
        "tolerance", "precision", "numbers", "sums", "nominal", "max_features", "random_state",
        "random_start", "monotonic_cst", "interaction_cst",
    ),
    "cuts": ("cut_at", "cut_tolerance", "cut_cost", "gap_cost", "gap", "side_share", "side_most"),
    "sizes": (
        "min_branch", "min_weight", "max_depth", "max_leaves", "minsplit", "minbucket",
        "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf",
        "min_impurity_decrease", "minimum_slips",
    ),
    "missing": (
        "missing", "unseen", "empty", "usesurrogate", "maxsurrogate", "surrogatestyle",
    ),
    "costs": ("prior", "loss", "class_weight", "cost", "laplace"),
    "pruning": (
        "pruning", "collapse", "collapse_share", "confidence", "deviate", "last_errors", "pool",
        "raise_branches", "raise_share", "regrow_share", "global_pruning", "gather", "cp",
        "alpha", "ccp_alpha", "xval", "loss_transposed", "stuck_repeats",
    ),
}  # fmt: skip
"""The settings of each group, in the order of the table."""
ABSENT = "·"
GAP = 2


def recipes_table(recipes: Mapping[str, Mapping[str, str]], lang: str, line_width: int) -> str:
    """Return a table of all recipes; columns that do not fit follow in a further block."""
    names = list(recipes)
    groups = _groups([setting for settings in recipes.values() for setting in settings])
    label_width = max_width([name for group in groups.values() for name in group])
    widths = {name: max_width([name, *recipes[name].values()]) for name in names}
    blocks: list[list[str]] = [[]]
    for name in names:
        width = label_width + sum(widths[column] + GAP for column in blocks[-1])
        if blocks[-1] and width + GAP + widths[name] > line_width:
            blocks.append([])
        blocks[-1].append(name)
    parts = [
        _block({column: recipes[column] for column in block}, groups, label_width, widths, lang)
        for block in blocks
    ]
    return "\n\n".join([*parts, say("recipes_foot", lang)])


def _groups(settings: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the groups; settings of plug-ins, which are in none, follow those of the choice."""
    grouped = {setting for group in GROUPS.values() for setting in group}
    others = dict.fromkeys(setting for setting in settings if setting not in grouped)
    return GROUPS | {"choice": (*GROUPS["choice"], *others)}


def _block(
    recipes: Mapping[str, Mapping[str, str]],
    groups: Mapping[str, Sequence[str]],
    label_width: int,
    widths: Mapping[str, int],
    lang: str,
) -> str:
    def line(first: str, cells: Iterable[str]) -> str:
        padded = [
            align_left(cell, widths[name] + GAP) for name, cell in zip(recipes, cells, strict=True)
        ]
        return (align_left(first, label_width + GAP) + "".join(padded)).rstrip()

    lines = [line("", recipes)]
    for group, group_settings in groups.items():
        used = [
            setting
            for setting in group_settings
            if any(setting in settings for settings in recipes.values())
        ]
        lines += [say(f"recipes_{group}", lang)] if used else []
        lines += [
            line(setting, (settings.get(setting, ABSENT) for settings in recipes.values()))
            for setting in used
        ]
    return "\n".join(lines)


def settings_sheet(
    name: str, settings: Mapping[str, str], options: Mapping[str, Sequence[str]], lang: str
) -> str:
    """Return a table of one recipe: each setting, its value, the program's option, its meaning."""
    rows = [
        (
            setting,
            settings[setting],
            " ".join(options.get(setting, ())),
            catalogue(lang).get(f"setting_{setting}", ""),  # a plug-in need not explain its own
        )
        for group in _groups(settings).values()
        for setting in group
        if setting in settings
    ]
    widths = [max_width([row[i] for row in rows]) + GAP for i in range(3)]
    lines = [name]
    for row in rows:
        cells = [align_left(text, width) for text, width in zip(row[:3], widths, strict=True)]
        lines.append("".join([*cells, row[3]]).rstrip())
    return "\n".join(lines)
