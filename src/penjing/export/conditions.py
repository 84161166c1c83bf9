"""The conditions under which a row takes a branch, independent of the target language."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from penjing.export.plan import STOP, Plan, SplitPlan, Test


@dataclass(frozen=True, slots=True)
class AtMost:
    """A number is at most a threshold; false if it is missing."""

    column: int
    cut: float


@dataclass(frozen=True, slots=True)
class MoreThan:
    """A number is greater than a threshold; false if it is missing."""

    column: int
    cut: float


@dataclass(frozen=True, slots=True)
class Missing:
    """A value is missing."""

    column: int


@dataclass(frozen=True, slots=True)
class Known:
    """A value is not missing."""

    column: int


@dataclass(frozen=True, slots=True)
class OneOf:
    """A category is one of these; false if it is missing."""

    column: int
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NoneOf:
    """A category is none of these; true if it is missing."""

    column: int
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class All:
    """All parts hold; without parts always true."""

    parts: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Any:
    """At least one part holds; without parts always false."""

    parts: tuple[Condition, ...] = ()


Condition = AtMost | MoreThan | Missing | Known | OneOf | NoneOf | All | Any
ALWAYS, NEVER = All(), Any()


def all_of(parts: Iterable[Condition]) -> Condition:
    """Return the simplified condition that all parts hold."""
    needed = tuple(part for part in parts if part != ALWAYS)
    if NEVER in needed:
        return NEVER
    return needed[0] if len(needed) == 1 else All(needed)


def any_of(parts: Iterable[Condition]) -> Condition:
    """Return the simplified condition that at least one part holds."""
    needed = tuple(part for part in parts if part != NEVER)
    if ALWAYS in needed:
        return ALWAYS
    return needed[0] if len(needed) == 1 else Any(needed)


def none_of(column: int, codes: tuple[int, ...]) -> Condition:
    """Return the condition that a category is none of these."""
    return NoneOf(column, codes) if codes else ALWAYS


def branches(plan: Plan, split: SplitPlan | None) -> list[tuple[int, Condition]]:
    """Return each child with the condition of its branch; a row for which none holds stops.

    A leaf, whose split is None, has no branches.
    """
    if split is None:
        return []
    return [(child, _branch_condition(plan, split, k)) for k, child in enumerate(split.children)]


def fraction_condition(plan: Plan, split: SplitPlan) -> Condition:
    """Return the condition under which a fraction of a row goes down each branch."""
    test = split.tests[0]
    if plan.unseen == "missing" and not plan.is_numeric(test.column):
        return none_of(test.column, tuple(range(len(plan.levels(test.column)))))
    return Missing(test.column)


def unseen_condition(plan: Plan, split: SplitPlan) -> Condition:
    """Return the condition that a row has an unseen category at a split that needs it."""
    c = split.tests[0].column
    if plan.is_numeric(c) or split.tests[0].unseen_branch != STOP:
        return NEVER
    return all_of([Known(c), none_of(c, tuple(range(len(plan.levels(c)))))])


def _branch_condition(plan: Plan, split: SplitPlan, branch: int) -> Condition:
    condition: Condition = ALWAYS if split.fallback == branch else NEVER
    for k, test in reversed(list(enumerate(split.tests))):
        undecided = _does_not_decide(plan, test, is_first=k == 0)
        condition = any_of([_selects_branch(test, branch), all_of([undecided, condition])])
    return condition


def _selects_branch(test: Test, branch: int) -> Condition:
    if branch == test.unseen_branch:  # any known value selects this branch
        return Known(test.column)
    if test.cut is None:
        codes = test.groups[branch]
        return OneOf(test.column, codes) if codes else NEVER
    if math.isinf(test.cut) and test.cut > 0:  # tests whether the value is missing
        return Known(test.column) if branch == test.below else NEVER
    return (AtMost if branch == test.below else MoreThan)(test.column, test.cut)


def _does_not_decide(plan: Plan, test: Test, *, is_first: bool) -> Condition:
    if test.cut is not None:
        return Missing(test.column)
    codes = tuple(code for group in test.groups for code in group)
    if not is_first or plan.unseen == "missing":
        return none_of(test.column, codes)
    undecided = OneOf(test.column, test.as_missing) if test.as_missing else NEVER
    return any_of([Missing(test.column), undecided])
