"""How the verbs prune: which rows decide, what was decided, and the numbers before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import TYPE_CHECKING, Any

from penjing.cli import sources
from penjing.cli.console import Voice
from penjing.cli.progress_bar import growing
from penjing.errors import ChoiceError

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.table import Table

PREPRUNED = "prepruned"
METHODS = ("method_prepruned", "method_reduced_error", "method_pessimistic")
LEAVE_ONE_OUT = 200
"""Leaving one out grows a tree for each row; beyond so many rows it is done on request only."""


@dataclass(frozen=True)
class Pruning:
    """What the command line says about pruning."""

    method: str | None
    validate: str | None
    share: float | None
    seed: int = 0
    ties: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    folds: int | None = None

    def check(self) -> None:
        """Refuse what cannot be done before any tree is grown."""
        from penjing.registry import load  # noqa: PLC0415 - heavy

        if self.validate is not None and self.share is not None:
            raise ChoiceError("two_validations")
        if self.method is None or self.validate is not None or self.share is not None:
            return
        needs_rows = (
            self.method == PREPRUNED or "judge" in signature(load("pruner", self.method)).parameters
        )
        if needs_rows:
            raise ChoiceError("needs_validation", method=self.method)

    def divided(
        self, voice: Voice, table: Table, reading: sources.Reading
    ) -> tuple[Table, Table | None]:
        """Return the rows that grow a tree and those that decide its pruning."""
        from penjing.data.folds import hold_out  # noqa: PLC0415 - heavy

        self.check()
        if self.share is not None:
            train, judges = hold_out(table, self.share, self.seed)
            told = {"n": train.n_rows, "of": table.n_rows, "rest": judges.n_rows}
            voice.note("note_grown_from", **told)
            return train, judges
        if self.validate is None:
            return table, None
        path = str(table.source.get("path", ""))
        if path and sources.are_same(self.validate, path):
            voice.note("note_training_validates", source=self.validate)
        assert table.target is not None
        plain = replace(reading, schema=None, ignore=None, weight=None)  # settled by the table
        return table, plain.rows(voice, self.validate, table.schema, table.target.field)

    def grown(
        self, voice: Voice, train: Table, judges: Table | None, how: dict[str, Any]
    ) -> tuple[Tree, Tree]:
        """Return the finished tree, and the tree before it was pruned (the same if it was not)."""
        from penjing.api.fit import fit  # noqa: PLC0415 - heavy

        with growing(voice) as watcher:
            if self.method in (None, PREPRUNED):
                gate: dict[str, Any] = {"prune": self.method, "ties": self.ties or "cut", **how}
                tree = fit(train, validation=judges, progress=watcher, **gate)
                return tree, tree
            whole = fit(train, **how, progress=watcher)
        return self.pruned(whole, judges, train), whole

    def pruned(self, tree: Tree, judges: Table | None, rows: Table | None = None) -> Tree:
        """Return the pruned tree; training rows are for methods that look at them again."""
        assert self.method is not None
        options: dict[str, Any] = {"ties": self.ties, **self.options}
        given = {key: value for key, value in options.items() if value is not None}
        return tree.prune(self.method, validation=judges, training=rows, folds=self.folds, **given)

    def regrown(
        self, voice: Voice, tree: Tree, rows: Table | None, reading: sources.Reading
    ) -> tuple[Tree, Table | None]:
        """Return the tree to prune and the rows that decide.

        A share of the training rows can only decide about a tree that has not seen them, so the
        tree is grown again from the others.
        """
        self.check()
        if self.share is None:
            if self.validate is None:
                return tree, None
            source = tree.about.get("source", {})
            if sources.digest(self.validate) == source.get("sha256", ""):
                voice.note("note_training_validates", source=self.validate)
            return tree, reading.rows_for(voice, tree, self.validate)
        if rows is None:
            raise ChoiceError("share_needs_training")
        from penjing.api.fit import fit  # noqa: PLC0415
        from penjing.training.cross_validate import recipe_from  # noqa: PLC0415 - heavy

        train, judges = self.divided(voice, rows, reading)
        return fit(train, recipe=recipe_from(tree), trace=tree.kept_trace is not None), judges


def measured(
    voice: Voice, tree: Tree, smaller: Tree, rows: Table | None, tested: Table | None
) -> dict[str, Any]:
    """Return how both trees do on the rows that are at hand."""
    told: dict[str, Any] = {"leaves": [tree.n_leaves, smaller.n_leaves]}
    if tree.is_regression:
        return told
    pairs = [t.about.get("training") for t in (tree, smaller)]
    if rows is not None and not all(pairs):  # else the trees know, whatever share grew them
        pairs = [right_of(t, rows) for t in (tree, smaller)]
    if all(pairs):
        told["training"] = pairs
    if tested is not None:
        told["test"] = [right_of(t, tested) for t in (tree, smaller)]
    if rows is not None and rows.n_rows <= LEAVE_ONE_OUT:
        left_out = [leave_one_out(voice, t, rows) for t in (tree, smaller)]
        if all(left_out):
            told["leave_one_out"] = left_out
    return told


def right_of(tree: Tree, rows: Table) -> dict[str, float]:
    """Return how many rows a tree answers rightly."""
    report: Any = tree.score(rows)
    return {"correct": report.correct, "of": report.weight}


def leave_one_out(voice: Voice, tree: Tree, rows: Table, name: str = "") -> dict[str, float] | None:
    """Return how many rows are right if each is answered by a tree that has not seen it."""
    from penjing.evaluate.validation import cross_validate  # noqa: PLC0415 - heavy

    try:
        report: Any = cross_validate(rows, tree, "leave-one-out")
    except ChoiceError as error:
        if name:
            voice.note("note_no_regrow", name=name, why=voice.say(error.key, **error.values))
        return None
    return {"correct": report.correct, "of": report.weight}


def tell(
    voice: Voice,
    tree: Tree,
    smaller: Tree,
    judges: Table | None,
    told: dict[str, Any] | None = None,
    *,
    to_stdout: bool = True,
) -> None:
    """Print what was decided, and the numbers before and after."""
    from penjing.render import pruning_text  # noqa: PLC0415 - heavy

    record = smaller.about["pruning"][-1]
    told = told or {"leaves": [tree.n_leaves, smaller.n_leaves]}
    if judges is not None and not tree.is_regression:
        told["validation"] = [right_of(t, judges) for t in (tree, smaller)]
    if record["method"] == PREPRUNED and record["decisions"]:
        _from_one_leaf(told, record)
    if voice.as_json:
        if to_stdout:
            voice.data({**record, "measured": told, "paths": _paths(tree, record)})
        return
    if told["leaves"][0] == told["leaves"][1] and record["method"] != PREPRUNED:
        if to_stdout:
            voice.out(
                voice.say("nothing_to_prune", what=pruning_text.measures_line(told, voice.lang))
            )
        return
    if to_stdout:
        voice.out(pruning_text.write(tree, record, voice.lang, ascii_only=voice.ascii_only))
    what = pruning_text.before_after_line(told, voice.lang)
    voice.note("prune_summary", method=_method(voice, record["method"]), what=what)


def _method(voice: Voice, method: str) -> str:
    """Return what a way of pruning is called; a stranger's by its own name."""
    key = method.replace("-", "_")
    return voice.say(f"method_{key}") if f"method_{key}" in METHODS else method


def _from_one_leaf(told: dict[str, Any], record: dict[str, Any]) -> None:
    """Count from the root as a leaf: that is the tree before its first division was judged."""
    told["leaves"][0] = 1
    if "validation" in told:
        before = {**told["validation"][0], "correct": record["decisions"][0]["tree_as_leaf"]}
        told["validation"][0] = before


def _paths(tree: Tree, record: dict[str, Any]) -> dict[str, Any]:
    from penjing.evaluate.compare import path_of  # noqa: PLC0415 - heavy

    return {str(d["node"]): path_of(tree, d["node"]) for d in record["decisions"]}
