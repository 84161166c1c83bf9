"""The formulas of the textbook with the numbers of a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penjing.text.labels import quoted, weight_text

Plain = Mapping[str, Any]


def decimals(value: float, digits: int = 4) -> str:
    """Return a number with a fixed number of decimals; never -0.

    Examples
    --------
    >>> decimals(0.50259), decimals(-1e-17)
    ('0.5026', '0.0000')
    """
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def times(*, ascii_only: bool) -> str:
    """Return the multiplication sign."""
    return "*" if ascii_only else "×"


def entropy(total: Sequence[float]) -> str:
    """Return -(8/16)log2(8/16) - …, classes without rows left out.

    Examples
    --------
    >>> entropy([7, 1]), entropy([3, 0])
    ('-(7/8)log2(7/8) - (1/8)log2(1/8)', '-(3/3)log2(3/3)')
    """
    whole = weight_text(sum(total))
    shares = [f"{weight_text(part)}/{whole}" for part in total if part > 0]
    return "-" + " - ".join(f"({share})log2({share})" for share in shares)


def gini(total: Sequence[float]) -> str:
    """Return 1 - (7/8)^2 - …, classes without rows left out.

    Examples
    --------
    >>> gini([7, 1])
    '1 - (7/8)^2 - (1/8)^2'
    """
    whole = weight_text(sum(total))
    return "1 - " + " - ".join(f"({weight_text(part)}/{whole})^2" for part in total if part > 0)


def weighted_mean(branches: Sequence[Plain], measure: str, *, ascii_only: bool = False) -> str:
    """Return the weighted mean of a measure of the branches: 8/16 × 0.5436 + 5/16 × 0.7219.

    Examples
    --------
    >>> weighted_mean([{"rows": 1, "gini": 0.0}, {"rows": 3, "gini": 0.5}], "gini", ascii_only=True)
    '1/4 * 0.0000 + 3/4 * 0.5000'
    """
    whole = weight_text(sum(branch["rows"] for branch in branches))
    sign = times(ascii_only=ascii_only)
    return " + ".join(
        f"{weight_text(branch['rows'])}/{whole} {sign} {decimals(branch[measure])}"
        for branch in branches
    )


def gain(candidate: Plain, *, ascii_only: bool = False) -> str:
    """Return the formula of a column's information gain, filled in."""
    parts = weighted_mean(candidate["branches"], "entropy", ascii_only=ascii_only)
    inside = f"{decimals(candidate['entropy_before'])} - ({parts})"
    whole = candidate["known"] + candidate["missing"]
    n_split = sum(branch["rows"] for branch in candidate["branches"])
    # Where missing values have a branch of their own, the split covers all rows.
    if candidate["missing"] and n_split - candidate["known"] < candidate["missing"] / 2:
        sign = times(ascii_only=ascii_only)
        inside = f"{weight_text(candidate['known'])}/{weight_text(whole)} {sign} ({inside})"
    return f"Gain(D, {quoted(candidate['column'])}) = {inside} = {decimals(candidate['gain'])}"


def split_information(candidate: Plain) -> str:
    """Return the formula of a column's split information (intrinsic value), filled in."""
    parts = entropy([branch["rows"] for branch in candidate["branches"]])
    value = decimals(candidate["split_information"])
    return f"IV({quoted(candidate['column'])}) = {parts} = {value}"


def gain_ratio(candidate: Plain) -> str:
    """Return the formula of a column's gain ratio, filled in."""
    above, below = decimals(candidate["gain"]), decimals(candidate["split_information"])
    ratio = decimals(candidate["gain_ratio"])
    return f"Gain_ratio(D, {quoted(candidate['column'])}) = {above} / {below} = {ratio}"


def gini_index(candidate: Plain, *, ascii_only: bool = False) -> str:
    """Return the formula of a column's Gini index, filled in."""
    parts = weighted_mean(candidate["branches"], "gini", ascii_only=ascii_only)
    name = quoted(candidate["column"])
    return f"Gini_index(D, {name}) = {parts} = {decimals(candidate['gini_after'])}"


def variance_gain(candidate: Plain, before: float, *, ascii_only: bool = False) -> str:
    """Return the formula of the decrease of variance, filled in."""
    parts = weighted_mean(candidate["branches"], "variance", ascii_only=ascii_only)
    name, value = quoted(candidate["column"]), decimals(candidate["gain"])
    return f"Gain(D, {name}) = {decimals(before)} - ({parts}) = {value}"
