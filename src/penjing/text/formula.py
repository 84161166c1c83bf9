"""The formulas of the textbook with the numbers of a node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from penjing.formatting.math_formula import (
    Formula,
    brackets,
    function,
    joined,
    log2,
    name,
    negative,
    number,
    power,
    quotient,
    share,
    share_log,
    share_square,
    size,
    space,
    sum_over,
    symbol,
)
from penjing.text.labels import quoted, weight_text

Plain = Mapping[str, Any]
SMALLEST_IN_FULL, LARGEST_IN_FULL = 0.001, 1e12
"""Variances have four decimals where that of their node lies between."""
ROUNDING = 1e-12
"""A variance that is a smaller share of its node's is zero but for rounding."""


def decimals(value: float, digits: int = 4) -> str:
    """Return a number with a fixed number of decimals; never -0.

    Examples
    --------
    >>> decimals(0.50259), decimals(-1e-17)
    ('0.5026', '0.0000')
    """
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def variance_text(value: float, scale: float) -> str:
    """Return a variance, or its decrease, in the digits that the variance of its node needs.

    Four decimals, unless the unit of the target makes them too few or too many: then there are
    four significant digits.

    Examples
    --------
    >>> variance_text(0.25, 2.25), variance_text(0.0, 2e-9), variance_text(2.5e-10, 2e-9)
    ('0.2500', '0.0000', '2.500e-10')
    """
    in_full = SMALLEST_IN_FULL <= scale < LARGEST_IN_FULL
    return decimals(value) if in_full or abs(value) <= ROUNDING * scale else f"{value:.3e}"


def tie_score_text(score: float) -> str:
    """Return the score of a tie in four decimals, or in four significant digits.

    The score of numbers has the unit of a variance, which may make four decimals too few or too
    many.

    Examples
    --------
    >>> tie_score_text(0.45914), tie_score_text(0.0), tie_score_text(6.25e-14)
    ('0.4591', '0.0000', '6.250e-14')
    """
    is_lost = score != 0 and float(decimals(score)) == 0
    return f"{score:.3e}" if is_lost or abs(score) >= LARGEST_IN_FULL else decimals(score)


def node_variance_text(explanation: Plain) -> str:
    """Return the variance of a node; of equal numbers it is zero, whatever they were rounded to.

    Examples
    --------
    >>> node_variance_text({"variance": 2.25, "answer": 3})
    '2.2500'
    >>> node_variance_text({"variance": 1e-33, "answer": 0.1})
    '0.0000'
    """
    value = float(explanation["variance"])
    is_rounding = value <= (ROUNDING * float(explanation["answer"])) ** 2
    return decimals(0.0) if is_rounding else variance_text(value, value)


def entropy(total: Sequence[float]) -> Formula:
    """Return -(8/16)log2(8/16) - …, classes without rows left out.

    Examples
    --------
    >>> entropy([7, 1]).text(), entropy([3, 0]).text()
    ('-(7/8)log2(7/8) - (1/8)log2(1/8)', '-(3/3)log2(3/3)')
    """
    whole = weight_text(sum(total))
    terms = [share_log(weight_text(part), whole) for part in total if part > 0]
    return negative() + joined(terms, "-")


def gini(total: Sequence[float]) -> Formula:
    """Return 1 - (7/8)^2 - …, classes without rows left out.

    Examples
    --------
    >>> gini([7, 1]).text()
    '1 - (7/8)^2 - (1/8)^2'
    """
    whole = weight_text(sum(total))
    squares = [share_square(weight_text(part), whole) for part in total if part > 0]
    return joined([number("1"), *squares], "-")


def impurity(explanation: Plain) -> Formula:
    """Return the impurity of a node by the criterion of its tree, filled in.

    Examples
    --------
    >>> impurity({"criterion": "gini", "total": [1, 1], "gini": 0.5, "entropy": 1.0}).text()
    'Gini(D) = 1 - (1/2)^2 - (1/2)^2 = 0.5000'
    """
    is_gini = explanation["criterion"] == "gini"
    word, key, parts = ("Gini", "gini", gini) if is_gini else ("Ent", "entropy", entropy)
    return joined(
        [function(word, symbol("D")), parts(explanation["total"]), _value(explanation[key])], "="
    )


def variance(explanation: Plain) -> Formula:
    """Return the variance of the target in a node.

    Examples
    --------
    >>> variance({"variance": 2.25, "answer": 3}).text()
    'Var(D) = 2.2500'
    """
    return joined([function("Var", symbol("D")), number(node_variance_text(explanation))], "=")


def weighted_mean(
    branches: Sequence[Plain], measure: str, text: Callable[[float], str] = decimals
) -> Formula:
    """Return the weighted mean of a measure of the branches: 8/16 × 0.5436 + 5/16 × 0.7219.

    Examples
    --------
    >>> branches = [{"rows": 1, "gini": 0.0}, {"rows": 3, "gini": 0.5}]
    >>> weighted_mean(branches, "gini").text(ascii_only=True)
    '1/4 * 0.0000 + 3/4 * 0.5000'
    """
    whole = weight_text(sum(branch["rows"] for branch in branches))
    terms = [
        joined([share(weight_text(branch["rows"]), whole), number(text(branch[measure]))], "×")
        for branch in branches
    ]
    return joined(terms, "+")


def gain(candidate: Plain) -> Formula:
    """Return the formula of a column's information gain, filled in."""
    parts = weighted_mean(candidate["branches"], "entropy")
    inside = joined([_value(candidate["entropy_before"]), brackets(parts)], "-")
    whole = candidate["known"] + candidate["missing"]
    n_split = sum(branch["rows"] for branch in candidate["branches"])
    # Where missing values have a branch of their own, the split covers all rows.
    if candidate["missing"] and n_split - candidate["known"] < candidate["missing"] / 2:
        known = share(weight_text(candidate["known"]), weight_text(whole))
        inside = joined([known, brackets(inside)], "×")
    return joined([_of_column("Gain", candidate), inside, _value(candidate["gain"])], "=")


def split_information(candidate: Plain) -> Formula:
    """Return the formula of a column's split information (intrinsic value), filled in."""
    parts = entropy([branch["rows"] for branch in candidate["branches"]])
    value = _value(candidate["split_information"])
    return joined([function("IV", name(quoted(candidate["column"]))), parts, value], "=")


def gain_ratio(candidate: Plain) -> Formula:
    """Return the formula of a column's gain ratio, filled in."""
    ratio = quotient(_value(candidate["gain"]), _value(candidate["split_information"]))
    value = _value(candidate["gain_ratio"])
    return joined([_of_column("Gain_ratio", candidate), ratio, value], "=")


def gini_index(candidate: Plain) -> Formula:
    """Return the formula of a column's Gini index, filled in."""
    parts = weighted_mean(candidate["branches"], "gini")
    value = _value(candidate["gini_after"])
    return joined([_of_column("Gini_index", candidate), parts, value], "=")


def variance_gain(candidate: Plain, before: float) -> Formula:
    """Return the formula of the decrease of variance, filled in."""
    text = partial(variance_text, scale=before)
    parts = weighted_mean(candidate["branches"], "variance", text)
    inside = joined([number(text(before)), brackets(parts)], "-")
    return joined([_of_column("Gain", candidate), inside, number(text(candidate["gain"]))], "=")


def definitions(criterion: str) -> list[Formula]:
    """Return the formulas of the textbook for a criterion: ``gain``, ``gain_ratio`` or ``gini``.

    Examples
    --------
    >>> for formula in definitions("gain"):
    ...     print(formula.text())
    Ent(D) = -sum over k of p_k log2 p_k
    Gain(D, a) = Ent(D) - sum over v of |D_v| / |D| Ent(D_v)
    """
    d, part, column = symbol("D"), symbol("D", "v"), symbol("a")
    weight = sum_over("v") + quotient(size(part), size(d))
    squares = sum_over("k") + power(symbol("p", "k"), "2")
    if criterion == "gini":
        return [
            joined([function("Gini", d), joined([number("1"), squares], "-")], "="),
            joined(
                [function("Gini_index", d, column), weight + space() + function("Gini", part)], "="
            ),
        ]
    logs = sum_over("k") + symbol("p", "k") + space() + log2(symbol("p", "k"))
    after = weight + space() + function("Ent", part)
    gain_of = joined([function("Ent", d), after], "-")
    formulas = [
        joined([function("Ent", d), negative() + logs], "="),
        joined([function("Gain", d, column), gain_of], "="),
    ]
    if criterion == "gain_ratio":
        shares = weight + space() + log2(quotient(size(part), size(d)))
        ratio = quotient(function("Gain", d, column), function("IV", column))
        formulas += [
            joined([function("IV", column), negative() + shares], "="),
            joined([function("Gain_ratio", d, column), ratio], "="),
        ]
    return formulas


def _of_column(word: str, candidate: Plain) -> Formula:
    return function(word, symbol("D"), name(quoted(candidate["column"])))


def _value(value: float) -> Formula:
    return number(decimals(value))
