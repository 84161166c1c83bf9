"""Pruning in the commands: the validation set, the decisions, figures before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import TYPE_CHECKING, Any

from penjing.cli import sources
from penjing.cli.console import Console
from penjing.cli.progress_bar import progress_bar
from penjing.errors import ChoiceError

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.table import Table

PREPRUNED = "prepruned"
LEAVE_ONE_OUT = 200
"""Leave-one-out grows a tree per row; with more rows it needs an explicit option."""


@dataclass(frozen=True)
class Pruning:
    """The pruning options of the command line."""

    method: str | None
    validate: str | None
    share: float | None
    seed: int = 0
    ties: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_validated(self) -> bool:
        """Whether a validation set was given, as a file or as a share of the rows."""
        return self.validate is not None or self.share is not None

    def given_options(self) -> tuple[str, ...]:
        """Return the options that were given to prune the tree, as they are typed."""
        given = {
            "--prune": self.method,
            "--validate": self.validate,
            "--validate-share": self.share,
        }
        return tuple(name for name, value in given.items() if value is not None)

    def omitted(self) -> Pruning:
        """Return the options as if none of them had been given."""
        return replace(self, method=None, validate=None, share=None)

    def check(self) -> None:
        """Raise an error for impossible combinations before a tree is grown."""
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

    def divide(
        self, console: Console, table: Table, reading: sources.ReadingOptions
    ) -> tuple[Table, Table | None]:
        """Return the training rows and the validation set."""
        from penjing.data.folds import hold_out  # noqa: PLC0415 - heavy

        self.check()
        if self.share is not None:
            train, validation = hold_out(table, self.share, self.seed)
            counts = {"n": train.n_rows, "of": table.n_rows, "rest": validation.n_rows}
            console.print_note("note_grown_from", **counts)
            return train, validation
        if self.validate is None:
            return table, None
        path = str(table.source.get("path", ""))
        if path and sources.are_same_file(self.validate, path):
            console.print_note("note_training_validates", source=self.validate)
        assert table.target is not None
        # The table has applied the schema, ignored columns and weight already.
        rows_only = replace(reading, schema=None, ignore=None, weight=None)
        like = table.source.get("reading")
        return table, rows_only.read_rows(
            console, self.validate, table.schema, table.target.field, like=like
        )

    def grow(
        self, console: Console, train: Table, validation: Table | None, settings: dict[str, Any]
    ) -> tuple[Tree, Tree]:
        """Return the finished tree, and the unpruned tree (the same without pruning)."""
        from penjing.api.fit import fit  # noqa: PLC0415 - heavy

        with progress_bar(console) as report_progress:
            if self.method in (None, PREPRUNED):
                arguments: dict[str, Any] = {
                    "prune": self.method,
                    "ties": self.ties or "cut",
                    "quiet": True,  # the command prints notes itself
                    **settings,
                }
                tree = fit(train, validation=validation, progress=report_progress, **arguments)
                return tree, tree
            unpruned = fit(train, **settings, quiet=True, progress=report_progress)
        return self.prune(unpruned, validation, train), unpruned

    def prune(self, tree: Tree, validation: Table | None, rows: Table | None = None) -> Tree:
        """Return the pruned tree; some methods need the training rows."""
        assert self.method is not None
        options: dict[str, Any] = {"ties": self.ties, **self.options}
        return tree.prune(self.method, validation=validation, training=rows, **options)

    def regrow(
        self, console: Console, tree: Tree, rows: Table | None, reading: sources.ReadingOptions
    ) -> tuple[Tree, Table | None]:
        """Return the tree to prune and its validation set.

        If the validation set is a share of the training rows, the tree is grown again from the
        other rows: a tree must not be validated on rows it was grown from.
        """
        self.check()
        if self.share is None:
            if self.validate is None:
                return tree, None
            source = tree.about.get("source", {})
            if sources.file_digest(self.validate) == source.get("sha256", ""):
                console.print_note("note_training_validates", source=self.validate)
            return tree, reading.read_rows_for(console, tree, self.validate)
        if rows is None:
            raise ChoiceError("share_needs_training")
        from penjing.api.fit import fit  # noqa: PLC0415
        from penjing.training.cross_validate import recipe_from, steering_of  # noqa: PLC0415 - heavy

        train, validation = self.divide(console, rows, reading)
        is_traced = tree.kept_trace is not None
        steering = {k: v for k, v in steering_of(tree).items() if k != "is_strict"}
        settings: dict[str, Any] = {"trace": is_traced, "quiet": True, **steering}
        return fit(train, recipe=recipe_from(tree), **settings), validation


def measure(
    console: Console, tree: Tree, pruned_tree: Tree, rows: Table | None, test_rows: Table | None
) -> dict[str, Any]:
    """Return leaves and correct predictions of both trees on the available rows."""
    figures: dict[str, Any] = {"leaves": [tree.n_leaves, pruned_tree.n_leaves]}
    if tree.is_regression:
        return figures
    counts = [t.about.get("training") for t in (tree, pruned_tree)]
    if rows is not None and not all(counts):  # else the trees have stored the counts
        counts = [count_correct(t, rows) for t in (tree, pruned_tree)]
    if all(counts):
        figures["training"] = counts
    if test_rows is not None:
        figures["test"] = [count_correct(t, test_rows) for t in (tree, pruned_tree)]
    if rows is not None and rows.n_rows <= LEAVE_ONE_OUT:
        held_out = [leave_one_out(console, t, rows) for t in (tree, pruned_tree)]
        if all(held_out):
            figures["leave_one_out"] = held_out
    return figures


def count_correct(tree: Tree, rows: Table) -> dict[str, float]:
    """Return the number of correct predictions."""
    report: Any = tree.score(rows)
    return {"correct": report.correct, "of": report.weight}


def leave_one_out(
    console: Console, tree: Tree, rows: Table, name: str = ""
) -> dict[str, float] | None:
    """Return the number of correct leave-one-out predictions; None if that is impossible."""
    from penjing.evaluate.validation import cross_validate  # noqa: PLC0415 - heavy

    try:
        report: Any = cross_validate(rows, tree, "leave-one-out")
    except ChoiceError as error:
        if name:
            console.print_note(
                "note_no_regrow", name=name, why=console.message(error.key, **error.values)
            )
        return None
    return {"correct": report.correct, "of": report.weight}


def print_pruning(
    console: Console,
    tree: Tree,
    pruned_tree: Tree,
    validation: Table | None,
    figures: dict[str, Any] | None = None,
    *,
    to_stdout: bool = True,
) -> None:
    """Print the pruning decisions, and the figures before and after."""
    from penjing.explain import pruning_text  # noqa: PLC0415 - heavy
    from penjing.text.phrases import method_name  # noqa: PLC0415 - heavy

    if validation is not None and not tree.is_regression:
        from penjing.training.pruning import unknown_class_notes  # noqa: PLC0415 - heavy

        console.print_notes(unknown_class_notes(tree.classes, validation))
    record = pruned_tree.about["pruning"][-1]
    _note_forced_splits(console, tree, pruned_tree)
    figures = figures or {"leaves": [tree.n_leaves, pruned_tree.n_leaves]}
    if validation is not None and not tree.is_regression:
        figures["validation"] = [count_correct(t, validation) for t in (tree, pruned_tree)]
    if record["method"] == PREPRUNED and record["decisions"]:
        _count_from_one_leaf(figures, record)
    if console.as_json:
        if to_stdout:
            console.print_json(
                {**record, "measured": figures, "paths": _decision_paths(tree, record)}
            )
        return
    if figures["leaves"][0] == figures["leaves"][1] and record["method"] != PREPRUNED:
        if to_stdout:
            console.print(
                console.message(
                    "nothing_to_prune", what=pruning_text.measures_line(figures, console.lang)
                )
            )
        return
    if to_stdout:
        console.print(pruning_text.write(tree, record, console.lang, ascii_only=console.ascii_only))
    is_grown = record["method"] == PREPRUNED and bool(record["decisions"])
    changes = pruning_text.before_after_line(figures | {"is_grown": is_grown}, console.lang)
    console.print_note(
        "prune_summary", method=method_name(record["method"], console.lang), what=changes
    )


def _note_forced_splits(console: Console, tree: Tree, pruned_tree: Tree) -> None:
    """Print a note if pruning removed splits that were forced."""
    from penjing.text.labels import quoted  # noqa: PLC0415 - heavy
    from penjing.text.phrases import join_names  # noqa: PLC0415
    from penjing.tree.forced import forced_nodes  # noqa: PLC0415

    left = [act["steps"] for act in forced_nodes(pruned_tree).values()]
    gone = [act for act in forced_nodes(tree).values() if act["steps"] not in left]
    if gone:
        names = join_names([quoted(act["column"]) for act in gone], console.lang)
        console.print_note("note_forced_pruned", splits=names)


def _count_from_one_leaf(figures: dict[str, Any], record: dict[str, Any]) -> None:
    """Set the figures before pre-pruning to those of the root as a single leaf."""
    figures["leaves"][0] = 1
    if "validation" in figures:
        before = {**figures["validation"][0], "correct": record["decisions"][0]["tree_as_leaf"]}
        figures["validation"][0] = before


def _decision_paths(tree: Tree, record: dict[str, Any]) -> dict[str, Any]:
    from penjing.evaluate.compare import path_of  # noqa: PLC0415 - heavy

    return {str(d["node"]): path_of(tree, d["node"]) for d in record["decisions"]}
