"""A workbook: a divided table, a recipe, and the trees that a journal of steps makes of them."""

from __future__ import annotations

import inspect
import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from penjing.api.fit import fit
from penjing.api.settings import RemoteSettings
from penjing.api.tree import Tree, remember_rows
from penjing.data.table import Table
from penjing.errors import ChoiceError, DataError
from penjing.evaluate.validation import score
from penjing.explain.node import (
    has_training_counts,
    recipe_of_tree,
    rows_of_tree,
    training_set_computer,
)
from penjing.grow.trace_steps import TraceComputer
from penjing.i18n import number_text
from penjing.progress import Progress, ProgressCallback
from penjing.registry import load
from penjing.training.training_rows import TrainingRows
from penjing.training.tree_edits import TrainingSet, prune_at, regrow_at, replace_split
from penjing.tree.forced import acts_of, forced_nodes, node_of_steps
from penjing.tree.split import level_text
from penjing.tree.tree_data import TreeData
from penjing.webapp.division import PARTS, DividedRows
from penjing.webapp.failures import ConflictError
from penjing.webapp.fingerprint import canonical, short_hash, table_fingerprint, without_numpy
from penjing.webapp.history import Entry, History, next_id
from penjing.webapp.journal_steps import Step, parse_step
from penjing.webapp.lru import RecentlyUsed
from penjing.webapp.same_tree import have_same_nodes
from penjing.webapp.table_source import TableSource
from penjing.webapp.texts import Text, in_all, message
from penjing.webapp.tree_scores import (
    Predictions,
    changed_rows,
    measure_of,
    predictions_of,
    scored_rows,
    tree_score,
)

Plain = dict[str, Any]

MAX_TREES = 64
"""So many trees of a workbook are kept in memory; others are grown again from the journal."""
MAX_PREDICTIONS = 8
"""Predictions of so many trees and parts are kept."""
MAX_PAGES = 8
"""What the page draws is kept for so many trees."""
MAX_COMPUTERS = 4
"""The candidates of nodes that were asked for are kept for so many trees."""
_NOT_SETTINGS = {*inspect.signature(fit).parameters, *RemoteSettings.__annotations__}
"""Keywords of `penjing.fit` that are no settings of a recipe.

Some of them are files and data bases: they come neither from a page nor from a workbook's file.
"""


@dataclass(frozen=True)
class Growing:
    """How the first tree of a workbook is made.

    Parameters
    ----------
    recipe : str
        The name of the recipe, or ``auto``.
    settings : dict
        Settings of the recipe, as the keywords of :func:`penjing.fit`.
    forbid : tuple of str
        Columns that no split may use.
    model : Tree or None
        A saved tree that the workbook begins with instead; the recipe is then its own.
    model_name : str or None
        The file of the model.
    """

    recipe: str = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)
    forbid: tuple[str, ...] = ()
    model: Tree | None = None
    model_name: str | None = None

    def __post_init__(self) -> None:
        for name in self.settings:
            if name in _NOT_SETTINGS:
                raise ChoiceError("lab_unknown_setting", name=name)
        object.__setattr__(self, "settings", without_numpy(self.settings))

    def to_json(self) -> Plain:
        """Return what identifies the first tree, as plain data."""
        plain: Plain = {
            "recipe": self.recipe,
            "settings": dict(self.settings),
            "forbid": list(self.forbid),
        }
        return plain if self.model is None else plain | {"model": self.model.to_json()}

    def grow(self, training: Table, progress: ProgressCallback | None) -> Tree:
        """Return the first tree."""
        if self.model is not None:
            model = copy(self.model)  # the tree of somebody else keeps its own rows
            return remember_rows(model, TrainingRows(training, None, None, None))
        return fit(
            training,
            recipe=self.recipe,
            sketch=True,
            quiet=True,
            progress=progress,
            forbid=list(self.forbid) or None,
            **self.settings,
        )


@dataclass(frozen=True, slots=True)
class Moved:
    """What a step, or undo and redo, did: the trees before and after it."""

    before: str
    after: str

    @property
    def is_changed(self) -> bool:
        """Whether another tree is shown."""
        return self.before != self.after


@dataclass(frozen=True)
class Finished:
    """The test rows were opened for this tree."""

    tree: str
    score: Plain | None
    report: Plain | None
    text: Text
    validation_looks: int

    def to_json(self) -> Plain:
        """Return the result as plain data."""
        return {
            "tree": self.tree,
            "score": self.score,
            "report": self.report,
            "text": self.text,
            "validation_looks": self.validation_looks,
        }


class Workbook:
    """A divided table, a recipe, and the trees that steps made of them.

    Trees are identified by a hash of the journal. Several threads may use a workbook: steps wait
    for each other, questions about trees in memory do not wait for steps.

    Parameters
    ----------
    source : TableSource
        Where the table comes from.
    table : Table
        All rows, as they were read.
    rows : DividedRows
        The same rows, divided.
    division : dict
        How they were divided, as plain data.
    growing : Growing
        How the first tree is made.
    progress : function, optional
        Called with a `Progress` from time to time while the first tree grows.

    Examples
    --------
    >>> from penjing.webapp.division import Shares
    >>> from penjing.webapp.table_source import example_source
    >>> source = example_source("watermelon2.0")
    >>> table, shares = source.read(), Shares(1.0, 0.0, 0.0)
    >>> workbook = Workbook(source, table, shares.divide(table), shares.to_json(), Growing("id3"))
    >>> moved = workbook.step({"act": "split", "column": "脐部"})
    >>> workbook.tree(moved.after).schema[workbook.tree(moved.after).nodes.column[0]].name
    '脐部'
    >>> workbook.undo().after == moved.before
    True
    """

    def __init__(
        self,
        source: TableSource,
        table: Table,
        rows: DividedRows,
        division: Mapping[str, Any],
        growing: Growing,
        *,
        progress: ProgressCallback | None = None,
    ) -> None:
        if table.target is None:
            raise DataError("no_target_in_table")
        self.source, self.table, self.division, self.growing = source, table, division, growing
        self.fingerprint = table_fingerprint(table)
        self._given = rows
        tree = growing.grow(rows.training, progress)
        _poll(progress, tree, rows.training)
        self.rows = self._rows_of(tree, rows)
        _poll(progress, tree, rows.training)
        base = {"data": self.fingerprint, "division": dict(division), **growing.to_json()}
        first = Entry(
            short_hash(canonical(base)), None, None,
            message("lab_step_first" if growing.model is None else "lab_step_model"),
            tree.n_leaves, tree.depth,
        )  # fmt: skip
        self.history = History.of(first)
        self._first_tree = tree
        self._trees: RecentlyUsed[str, Tree] = RecentlyUsed(MAX_TREES)
        self._predictions: RecentlyUsed[tuple[str, str], Predictions] = RecentlyUsed(
            MAX_PREDICTIONS
        )
        self.pages: RecentlyUsed[tuple[str, str], Plain] = RecentlyUsed(MAX_PAGES)
        """What the page draws of trees, by tree and language."""
        self._scores: dict[tuple[str, str], Plain] = {}
        self._looked: set[str] = set()
        self.earlier_looks = 0
        """How many trees were measured before the workbook was saved, if they are not named."""
        self.finished: Finished | None = None
        self._work = threading.RLock()
        self._training: TrainingSet | None = None
        self._asking = threading.Lock()
        self._asked: TrainingSet | None = None
        self._computers: RecentlyUsed[str, TraceComputer] = RecentlyUsed(MAX_COMPUTERS)

    @staticmethod
    def _rows_of(tree: Tree, rows: DividedRows) -> DividedRows:
        """Return the rows of each part, coded like those of the tree."""
        training = rows_of_tree(tree, rows.training)
        if not has_training_counts(tree, training):
            counts = {
                "n": number_text(training.total_weight),
                "grown": number_text(tree.weight_of(0)),
            }
            raise ChoiceError("edit_other_rows", **counts)
        others = {
            part: None if (table := rows.of(part)) is None else scored_rows(tree, table)
            for part in PARTS[1:]
        }
        return DividedRows(scored_rows(tree, training), **others)

    # -- trees ---------------------------------------------------------------------------------

    @property
    def current(self) -> str:
        """The tree that is shown."""
        return self.history.current

    def tree(self, tree_id: str, progress: ProgressCallback | None = None) -> Tree:
        """Return a tree of the history, from memory or grown again from the journal.

        Parameters
        ----------
        tree_id : str
            Its identifier.
        progress : function, optional
            Called with a `Progress` from time to time.
        """
        self.history.entry(tree_id)
        if tree_id == self.history.first:
            return self._first_tree
        tree = self._trees.get(tree_id)
        if tree is not None:
            return tree
        with self._work:
            tree = self._first_tree
            for entry in self.history.steps_to(tree_id):
                known = self._trees.get(entry.id)
                if known is None:
                    assert entry.step is not None
                    known = self.apply(tree, entry.step, progress)
                    self._trees.put(entry.id, known)
                tree = known
            return tree

    def apply(self, tree: Tree, step: Step, progress: ProgressCallback | None = None) -> Tree:
        """Return the tree after a step; the workbook stays as it is.

        Parameters
        ----------
        tree : Tree
            A tree of this workbook.
        step : Step
            The step.
        progress : function, optional
            Called with a `Progress` from time to time.
        """
        if step.act == "prune":
            return self._pruned(tree, step)
        node = step.node(tree)
        if is_own_choice(tree, node, step):
            return tree
        with self._work:  # the engine keeps the rows of one tree at a time
            training = self._training_set(tree)
            if step.act == "leaf":
                changed: TreeData = prune_at(tree, node, training)
            elif step.act == "regrow":
                changed = regrow_at(tree, node, training, step.settings, progress)
            else:
                changed = replace_split(tree, node, step.request(tree), training, progress)
        rows = TrainingRows(self._given.training, None, None, None)
        return remember_rows(Tree.from_data(changed), rows)

    def _training_set(self, tree: Tree) -> TrainingSet:
        if self._training is None:
            rows = rows_of_tree(tree, self._given.training)
            self._training = TrainingSet.of_tree(tree, rows, recipe_of_tree(tree))
        return self._training

    def _pruned(self, tree: Tree, step: Step) -> Tree:
        assert step.method is not None
        rows = self.pruning_rows(step)
        return tree.prune(step.method, **rows, **step.options)

    def pruning_rows(self, step: Step) -> dict[str, Any]:
        """Return the rows that a pruning step needs, by the names of its parameters."""
        method = str(step.method)
        parameters = inspect.signature(load("pruner", method)).parameters
        if "judge" in parameters:
            if self._given.validation is None:
                raise ChoiceError("lab_no_validation", method=method)
            return {"validation": self._given.validation}
        needs_training = "counter" in parameters or "folds" in step.options
        return {"training": self._given.training} if needs_training else {}

    @contextmanager
    def computer(self, tree_id: str) -> Iterator[TraceComputer]:
        """Lend what computes the candidates of a tree's nodes, to one thread at a time.

        It has an engine of its own, so that questions do not wait for steps.
        """
        tree = self.tree(tree_id)
        with self._asking:
            if self._asked is None:
                rows = rows_of_tree(tree, self._given.training)
                self._asked = TrainingSet.of_tree(tree, rows, recipe_of_tree(tree))
            asked = self._asked
            yield self._computers.get_or_make(tree_id, lambda: training_set_computer(tree, asked))

    # -- steps ---------------------------------------------------------------------------------

    def step(self, plain: object, progress: ProgressCallback | None = None) -> Moved:
        """Make a step; one that changes nothing is not recorded.

        Parameters
        ----------
        plain : dict
            The step, as `parse_step` reads it; ``tree`` is the tree that it
            changes, by default the one that is shown.
        progress : function, optional
            Called with a `Progress` from time to time.
        """
        with self._work:
            parent = self._asked_tree(plain)
            tree = self.tree(parent, progress)
            step = parse_step(plain, tree)
            changed = self._known_result(parent, step) or self.apply(tree, step, progress)
            before = self.current
            if have_same_nodes(tree, changed):
                self.history.go(parent)
                return Moved(before, parent)
            _poll(progress, changed, self._given.training)  # nothing is cancelled after this
            new = next_id(parent, step)
            self._trees.put(new, changed)
            size = changed.n_leaves, changed.depth
            self.history.add(Entry(new, parent, step, step.text(tree), *size))
            if step.act == "prune" and "validation" in self.pruning_rows(step):
                self._looked.add(f"{parent} pruned")
            return Moved(before, new)

    def _asked_tree(self, plain: object) -> str:
        asked = plain.get("tree") if isinstance(plain, Mapping) else None
        return self.history.entry(self.current if asked is None else str(asked)).id

    def _known_result(self, parent: str, step: Step) -> Tree | None:
        new = next_id(parent, step)
        return self.tree(new) if new in self.history.entries else None

    def preview(
        self, plain: object, progress: ProgressCallback | None = None
    ) -> tuple[Tree, Tree, Step]:
        """Return the trees before and after a step, which is not made, and the step."""
        tree = self.tree(self._asked_tree(plain), progress)
        step = parse_step(plain, tree)
        return tree, self.apply(tree, step, progress), step

    def undo(self) -> Moved:
        """Show the tree before the one that is shown."""
        with self._work:
            before = self.current
            self.history.move(self.history.undo, "lab_nothing_to_undo")
            return Moved(before, self.current)

    def redo(self) -> Moved:
        """Show the tree that was left last by undo."""
        with self._work:
            before = self.current
            self.history.move(self.history.redo, "lab_nothing_to_redo")
            return Moved(before, self.current)

    def go(self, tree_id: str) -> Moved:
        """Show any tree of the history."""
        with self._work:
            before = self.current
            self.history.go(self.history.entry(tree_id).id)
            return Moved(before, self.current)

    # -- figures -------------------------------------------------------------------------------

    @property
    def validation_looks(self) -> int:
        """How many different trees were measured with the validation rows."""
        return len(self._looked) + self.earlier_looks

    @property
    def looked(self) -> frozenset[str]:
        """The names of the trees that were measured with the validation rows."""
        return frozenset(self._looked)

    def look(self, *names: str) -> None:
        """Count trees that were measured with the validation rows; each name counts once."""
        self._looked.update(names)

    def predictions(self, tree_id: str, part: str) -> Predictions:
        """Return what a tree predicts for the rows of a part."""
        rows = self.rows.of(part)
        assert rows is not None
        return self._predictions.get_or_make(
            (tree_id, part), lambda: predictions_of(self.tree(tree_id), rows)
        )

    def score(self, tree_id: str, part: str) -> Plain | None:
        """Return the score of a tree on the training or validation rows; None without rows."""
        if part not in PARTS[:2]:
            raise ConflictError("lab_part", part=part)
        rows = self.rows.of(part)
        if rows is None:
            return None
        if part == "validation":
            self._looked.add(tree_id)
        known = self._scores.get((tree_id, part))
        if known is None:
            predictions = self.predictions(tree_id, part)
            known = self._scores[tree_id, part] = tree_score(self.tree(tree_id), rows, predictions)
        return known

    def change(self, moved: Moved, part: str) -> Plain | None:
        """Return how scores and predictions of a part changed; None without rows."""
        before, after = self.score(moved.before, part), self.score(moved.after, part)
        rows = self.rows.of(part)
        if before is None or after is None or rows is None:
            return None
        n_changed = 0
        listed: list[Plain] = []
        if moved.is_changed:
            predictions = (self.predictions(tree, part) for tree in (moved.before, moved.after))
            n_changed, listed = changed_rows(self.tree(moved.after), rows, *predictions)
        change = measure_of(after) - measure_of(before)
        id_name = None if rows.row_ids is None else rows.row_ids.name
        return {"change": change, "n_changed": n_changed, "rows": listed, "id_name": id_name}

    def finish(self, *, is_first: bool = True) -> Finished:
        """Open the test rows for the tree that is shown; they are opened for one tree only.

        Parameters
        ----------
        is_first : bool
            Whether these rows have not been opened before, in another workbook.
        """
        with self._work:
            if self.finished is not None:
                if self.finished.tree != self.current:
                    raise ConflictError("lab_test_opened")
                return self.finished
            tree, rows = self.tree(self.current), self.rows.test
            looks = self.validation_looks
            if rows is None:
                self.finished = Finished(
                    self.current, None, None, message("lab_no_test_rows"), looks
                )
                return self.finished
            report = score(tree, rows)
            result = tree_score(tree, rows, predictions_of(tree, rows))
            text = in_all(report.text)
            if not is_first:
                note = message("lab_test_again")
                text = {lang: f"{note[lang]}\n{text[lang]}" for lang in text}
            self.finished = Finished(self.current, result, report.to_json(), text, looks)
            return self.finished

    def training_table(self) -> Table:
        """Return the training rows as they were given to `penjing.fit`."""
        return self._given.training

    def given(self, part: str) -> Table | None:
        """Return the rows of a part as they were read."""
        return self._given.of(part)


def _poll(progress: ProgressCallback | None, tree: TreeData, rows: Table) -> None:
    """Report that a tree has grown; a request that was cancelled meanwhile ends here."""
    if progress is not None:
        n = rows.n_rows
        progress(Progress(n * max(tree.depth, 1), n, n, tree.n_leaves))


def is_own_choice(tree: TreeData, node: int, step: Step) -> bool:
    """Return whether a step asks for the split that the recipe chose for a node.

    Such a split is not forced, and nothing below it was changed by hand, so that nothing would
    change.
    """
    if step.act != "split" or tree.is_leaf[node] or node in forced_nodes(tree):
        return False
    if any(_is_below(tree, node, act.get("steps", ())) for act in acts_of(tree)):
        return False
    split = tree.split(node)
    assert split is not None
    field_ = tree.schema[split.column]
    if field_.name != step.column:
        return False
    if step.threshold is not None:
        if split.cut is None or not math.isfinite(split.cut):
            return False
        own = split.cut if field_.is_numeric else level_text(field_, math.floor(split.cut))
        return bool(step.threshold == own)
    return step.groups is None


def _is_below(tree: TreeData, node: int, steps: Sequence[dict[str, Any]]) -> bool:
    at = node_of_steps(tree, steps)
    return at is not None and node in tree.path(at)
