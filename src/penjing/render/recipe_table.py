"""The recipes side by side: all settings, group after group, a column for each recipe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from penjing.i18n import say
from penjing.text.text_table import align_left, max_width

__all__ = ["GROUPS", "sheet", "table"]

GROUPS: dict[str, tuple[str, ...]] = {
    "choice": (
        "rules", "criterion", "shape", "zero_gain", "min_gain", "least_gain", "many_levels",
        "screen_share", "screen_few", "screen_many", "near_ties", "pure_share", "slack", "ties",
        "tolerance", "precision", "numbers", "sums", "nominal", "max_features", "random_state",
        "random_start",
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
"""The settings as the table lists them."""
ABSENT = "·"
GAP = 2


def table(recipes: Mapping[str, Mapping[str, str]], lang: str, places: int) -> str:
    """Return all recipes and all settings; as many columns side by side as have room."""
    names = list(recipes)
    label = max_width([name for group in GROUPS.values() for name in group])
    widths = {name: max_width([name, *recipes[name].values()]) for name in names}
    blocks: list[list[str]] = [[]]
    for name in names:
        used = label + sum(widths[n] + GAP for n in blocks[-1])
        if blocks[-1] and used + GAP + widths[name] > places:
            blocks.append([])
        blocks[-1].append(name)
    parts = [_block({n: recipes[n] for n in block}, label, widths, lang) for block in blocks]
    return "\n\n".join([*parts, say("recipes_foot", lang)])


def _block(
    recipes: Mapping[str, Mapping[str, str]], label: int, widths: Mapping[str, int], lang: str
) -> str:
    def line(first: str, cells: Iterable[str]) -> str:
        padded = [
            align_left(cell, widths[name] + GAP) for name, cell in zip(recipes, cells, strict=True)
        ]
        return (align_left(first, label + GAP) + "".join(padded)).rstrip()

    lines = [line("", recipes)]
    for group, settings in GROUPS.items():
        known = [s for s in settings if any(s in told for told in recipes.values())]
        lines += [say(f"recipes_{group}", lang)] if known else []
        lines += [line(s, (told.get(s, ABSENT) for told in recipes.values())) for s in known]
    return "\n".join(lines)


def sheet(
    name: str, told: Mapping[str, str], options: Mapping[str, Sequence[str]], lang: str
) -> str:
    """Return one recipe: each setting, its value, the program's own option, what it means."""
    rows = [
        (s, told[s], " ".join(options.get(s, ())), say(f"setting_{s}", lang))
        for group in GROUPS.values()
        for s in group
        if s in told
    ]
    widths = [max_width([row[i] for row in rows]) + GAP for i in range(3)]
    lines = [name]
    for row in rows:
        cells = [align_left(text, width) for text, width in zip(row[:3], widths, strict=True)]
        lines.append("".join([*cells, row[3]]).rstrip())
    return "\n".join(lines)
