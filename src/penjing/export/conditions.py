"""When a row takes a branch, as a condition that any language can write."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from penjing.export.plan import STOP, Ask, Plan, Test


@dataclass(frozen=True, slots=True)
class AtMost:
    """A number is at most a cut; false where it is missing."""

    column: int
    cut: float


@dataclass(frozen=True, slots=True)
class MoreThan:
    """A number is more than a cut; false where it is missing."""

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
    """A level is one of these; false where it is missing."""

    column: int
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NoneOf:
    """A level is none of these; true where it is missing."""

    column: int
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds; without parts: always."""

    parts: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Any:
    """Some part holds; without parts: never."""

    parts: tuple[Condition, ...] = ()


Condition = AtMost | MoreThan | Missing | Known | OneOf | NoneOf | All | Any
ALWAYS, NEVER = All(), Any()


def all_of(parts: Iterable[Condition]) -> Condition:
    """Return the condition that all hold, as short as it can be."""
    kept = tuple(p for p in parts if p != ALWAYS)
    if NEVER in kept:
        return NEVER
    return kept[0] if len(kept) == 1 else All(kept)


def any_of(parts: Iterable[Condition]) -> Condition:
    """Return the condition that some hold, as short as it can be."""
    kept = tuple(p for p in parts if p != NEVER)
    if ALWAYS in kept:
        return ALWAYS
    return kept[0] if len(kept) == 1 else Any(kept)


def none_of(column: int, codes: tuple[int, ...]) -> Condition:
    """Return the condition that a level is none of these."""
    return NoneOf(column, codes) if codes else ALWAYS


def branches(plan: Plan, ask: Ask) -> list[Condition]:
    """Return for each branch of a node when it is taken; where none is, the row stops."""
    return [_taken(plan, ask, branch) for branch in range(len(ask.children))]


def shared(plan: Plan, ask: Ask) -> Condition:
    """Return when a row is lost at a node that shares it out."""
    test = ask.tests[0]
    if plan.unseen == "missing" and not plan.is_numeric(test.column):
        return none_of(test.column, tuple(range(len(plan.levels(test.column)))))
    return Missing(test.column)


def unseen(plan: Plan, ask: Ask) -> Condition:
    """Return when a row has a level that nobody knows, at a node that asks for it."""
    c = ask.tests[0].column
    if plan.is_numeric(c) or ask.tests[0].odd != STOP:
        return NEVER
    return all_of([Known(c), none_of(c, tuple(range(len(plan.levels(c)))))])


def _taken(plan: Plan, ask: Ask, branch: int) -> Condition:
    found: Condition = ALWAYS if ask.last == branch else NEVER
    for k, test in reversed(list(enumerate(ask.tests))):
        lost = _lost(plan, test, is_own=k == 0)
        found = any_of([_hit(test, branch), all_of([lost, found])])
    return found


def _hit(test: Test, branch: int) -> Condition:
    if branch == test.odd:  # any level will do
        return Known(test.column)
    if test.cut is None:
        codes = test.groups[branch]
        return OneOf(test.column, codes) if codes else NEVER
    if math.isinf(test.cut) and test.cut > 0:  # known or not: no number is above it
        return Known(test.column) if branch == test.below else NEVER
    return (AtMost if branch == test.below else MoreThan)(test.column, test.cut)


def _lost(plan: Plan, test: Test, *, is_own: bool) -> Condition:
    if test.cut is not None:
        return Missing(test.column)
    codes = tuple(code for group in test.groups for code in group)
    if not is_own or plan.unseen == "missing":
        return none_of(test.column, codes)
    lost = OneOf(test.column, test.lost) if test.lost else NEVER
    return any_of([Missing(test.column), lost])
