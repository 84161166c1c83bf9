"""A short list of rules made from a tree: conditions dropped, rules chosen and ordered, a default.

In the manner of C4.5rules, by an algorithm of our own:

1. Each leaf is a rule. A condition is dropped while the share of wrong rows that is to be feared
   (the upper end of Wilson's interval at one-sided 25 %) does not rise.
2. From the rules of step 1 a list is built: always the rule to be feared least on the rows that
   no earlier rule took, as long as it answers some of them better than the default would.
3. The list is cut to the shortest beginning whose errors on the training rows stay within the
   bound: those of the tree, plus ``max_loss`` times the rows. If there is none, the same is
   done with the leaves as they are, which lose nothing (on rows without missing values).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.statistics import wilson
from penjing.data.table import Floats, Table
from penjing.errors import CapabilityError, ChoiceError
from penjing.explain.rule_conditions import Condition, Mask, Plain, conditions_of, conditions_text
from penjing.predict.inputs import align, align_all
from penjing.predict.predict import classes_of
from penjing.text import rule_list as writer
from penjing.tree.tree_data import TreeData

FEARED = 0.6744897501960817
"""The normal deviate that one in four exceeds: C4.5's confidence of 25 %."""
MAX_LOSS = 0.02
"""How much accuracy on the training rows a list may lose against its tree."""


@dataclass(frozen=True, slots=True)
class ListedRule:
    """One rule of a list: what must hold, the answer, and how it does on the rows it takes."""

    conditions: tuple[Condition, ...]
    class_: int
    weight: float
    right: float
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Ruleset:
    """Rules in order, the first that fits answers; the default answers where none does."""

    tree: TreeData
    rules: tuple[ListedRule, ...]
    default: int
    training: tuple[float, float, float]
    """Weight right by the list, right by the tree, and of all training rows."""

    def predict(self, source: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - whatever `align` takes
        """Return the answer for each row."""
        codes = _listed(self.rules, self.default, align_all(self.tree, source))
        answers = np.empty(len(self.tree.classes), object)
        answers[:] = self.tree.classes
        return answers[codes]

    def to_json(self) -> dict[str, Any]:
        """Return the list as plain data."""
        right, of_tree, whole = self.training
        return {
            "rules": [
                {"when": list(r.texts), "answer": self.tree.classes[r.class_]}
                | {"rows": r.weight, "right": r.right, "interval": list(wilson(r.right, r.weight))}
                for r in self.rules
            ],
            "default": self.tree.classes[self.default],
            "training": {"correct": right, "tree": of_tree, "of": whole},
            "leaves": self.tree.n_leaves,
        }

    def text(self, lang: str = "en", *, ascii_only: bool = False) -> str:
        """Return the list as aligned text."""
        return writer.write(self.to_json(), lang, ascii_only=ascii_only)

    def __str__(self) -> str:
        return self.text()


def ruleset(tree: TreeData, data: Any, *, max_loss: float = MAX_LOSS) -> Ruleset:  # noqa: ANN401
    """Return a short list of rules that answers the training rows about as well as the tree.

    Parameters
    ----------
    tree : TreeData
        A tree of classes.
    data : Table or source
        The training rows.
    max_loss : float
        The bound: so much accuracy on these rows may be lost, and no more.

    Examples
    --------
    >>> import penjing
    >>> melons = penjing.example("watermelon2.0")
    >>> print(penjing.fit(melons).ruleset(melons, max_loss=0.1))
      1  是  6  100% (61-100)  when 纹理 = 清晰 and 触感 = 硬滑
      2  是  1  100% (21-100)  when 纹理 = 稍糊 and 触感 = 软粘
    default: 否
    2 rules from 8 leaves, training 16/17 (the tree 17/17)
    """
    if tree.is_regression:
        raise CapabilityError("rules_need_classes", target=tree.target.name)
    if not arguments.is_number(max_loss) or not 0 <= max_loss <= 1:
        raise arguments.refused("bad_max_loss", "max_loss", max_loss, int | float)
    table = align(tree, data)
    if table.target is None:
        raise ChoiceError("rules_need_target", target=tree.target.name)
    known = table.target.codes >= 0
    table = table if known.all() else table.take(known)
    assert table.target is not None
    truth, weight = table.target.codes, table.weights
    of_tree = float(weight[classes_of(tree, table) == truth].sum())
    allowed = float(weight.sum()) - of_tree + max_loss * float(weight.sum())
    leaves = [conditions_of(tree, leaf) for leaf in np.flatnonzero(tree.is_leaf).tolist()]
    simple = list(dict.fromkeys(_simplified(c, k, table) for c, k in leaves))
    for rules in (simple, leaves):
        chosen, default, errors = _chosen(rules, table, tree, allowed)
        if errors <= allowed + 1e-9 * float(weight.sum()):
            break
    listed = _weighed(chosen, table, tree)
    right = float(weight.sum()) - errors
    return Ruleset(tree, listed, default, (right, of_tree, float(weight.sum())))


def _simplified(conditions: tuple[Condition, ...], class_: int, table: Table) -> Plain:
    """Return a rule without the conditions that do not make it better."""
    assert table.target is not None
    wrong = table.weights * (table.target.codes != class_)
    masks = {c: c.holds(table) for c in conditions}
    kept = list(conditions)
    feared = _feared(kept, masks, wrong, table.weights)
    while kept:
        tried = [_feared([c for c in kept if c is not one], masks, wrong, table.weights)
                 for one in kept]  # fmt: skip
        best = int(np.argmin(tried))
        if tried[best] > feared:
            break
        feared = tried[best]
        kept.pop(best)
    return tuple(kept), class_


def _feared(
    conditions: Sequence[Condition], masks: dict[Condition, Mask], wrong: Floats, weight: Floats
) -> float:
    """Return the share of wrong rows to be feared of a rule."""
    rows = np.ones(len(weight), bool)
    for condition in conditions:
        rows &= masks[condition]
    n = float(weight[rows].sum())
    return wilson(float(wrong[rows].sum()), n, FEARED)[1] if n > 0 else 1.0


def _chosen(
    rules: list[Plain], table: Table, tree: TreeData, allowed: float
) -> tuple[list[Plain], int, float]:
    """Return the shortest list within the bound, its default and its errors; or the best one."""
    assert table.target is not None
    truth, weight, n_classes = table.target.codes, table.weights, len(tree.classes)
    masks = [_taken(conditions, table) for conditions, _ in rules]
    left = np.ones(table.n_rows, bool)
    made: list[Plain] = []
    passed = 0.0
    fallback = int(tree.values[0])
    best: tuple[float, int, int] | None = None
    waiting = list(range(len(rules)))
    while True:
        counts = np.bincount(truth[left], weight[left], n_classes)
        default = int(counts.argmax()) if counts.any() else fallback
        errors = passed + float(counts.sum() - counts[default])
        if best is None or errors < best[0] - 1e-12 * max(errors, 1.0):
            best = (errors, len(made), default)
        if errors <= allowed or not waiting:
            break
        pick = _next(waiting, rules, [masks[i] & left for i in waiting], truth, weight, default)
        if pick is None:
            break
        waiting.remove(pick)
        taken = masks[pick] & left
        passed += float(weight[taken & (truth != rules[pick][1])].sum())
        left &= ~taken
        made.append(rules[pick])
    errors, length, default = best
    return made[:length], default, errors


def _next(  # noqa: PLR0917 - what is known of the rules, and of the rows
    waiting: list[int],
    rules: list[Plain],
    masks: list[Mask],
    truth: npt.NDArray[np.int32],
    weight: Floats,
    default: int,
) -> int | None:
    """Return the rule to be feared least on the rows that are left; one that helps, if any."""
    ranked = []
    for i, rows in zip(waiting, masks, strict=True):
        n = float(weight[rows].sum())
        class_ = rules[i][1]
        if n <= 0 or class_ == default:
            continue
        wrong = float(weight[rows & (truth != class_)].sum())
        helps = float(weight[rows & (truth == class_)].sum()) - float(
            weight[rows & (truth == default)].sum()
        )
        if helps > 0:
            ranked.append((wilson(wrong, n, FEARED)[1], -n, len(rules[i][0]), i))
    if not ranked:  # a rule of the default's own class may shield rows from later ones
        for i, rows in zip(waiting, masks, strict=True):
            n = float(weight[rows].sum())
            if n > 0:
                wrong = float(weight[rows & (truth != rules[i][1])].sum())
                ranked.append((wilson(wrong, n, FEARED)[1], -n, len(rules[i][0]), i))
    return min(ranked)[3] if ranked else None


def _taken(conditions: Sequence[Condition], table: Table) -> Mask:
    rows = np.ones(table.n_rows, bool)
    for condition in conditions:
        rows &= condition.holds(table)
    return rows


def _listed(rules: Sequence[ListedRule], default: int, table: Table) -> npt.NDArray[np.intp]:
    """Return the class of each row: of the first rule that fits, else the default."""
    found = np.full(table.n_rows, default, np.intp)
    left = np.ones(table.n_rows, bool)
    for rule in rules:
        rows = _taken(rule.conditions, table) & left
        found[rows] = rule.class_
        left &= ~rows
    return found


def _weighed(rules: list[Plain], table: Table, tree: TreeData) -> tuple[ListedRule, ...]:
    """Return the rules with what they take and get right, each after those before it."""
    assert table.target is not None
    left = np.ones(table.n_rows, bool)
    listed = []
    for conditions, class_ in rules:
        rows = _taken(conditions, table) & left
        left &= ~rows
        right = rows & (table.target.codes == class_)
        texts = conditions_text(conditions, tree, table)
        sums = (float(table.weights[rows].sum()), float(table.weights[right].sum()))
        if sums[0] > 0:
            listed.append(ListedRule(conditions, class_, *sums, texts))
    return tuple(listed)
