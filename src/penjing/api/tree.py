"""The tree that users hold: predict, explain, prune, draw, export, save."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy.typing as npt

from penjing import arguments
from penjing.api.class_names import KEY, NamedRows, shown
from penjing.api.data_warnings import warn_of, warns_of_rows, with_warnings
from penjing.api.keywords import accepts_other_options, given_options
from penjing.api.settings import SubtreeSettings
from penjing.data.source import ClassNames, ColumnSchema, Label, Source, Target
from penjing.data.table import Field, Floats, Table
from penjing.i18n import catalogue
from penjing.predict import predict as prediction
from penjing.predict.inputs import align_all
from penjing.registry import load as load_plugin
from penjing.training.training_rows import TrainingRows
from penjing.tree.nodes import Ids
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from penjing.api.lab_view import LabView
    from penjing.evaluate.drift import Drift
    from penjing.evaluate.edit_cost import EditCost
    from penjing.evaluate.importance import Importances
    from penjing.evaluate.metrics import Report
    from penjing.evaluate.number_report import NumberReport
    from penjing.evaluate.prediction_summary import PredictionSummary
    from penjing.explain.node_explanation import NodeExplanation
    from penjing.explain.row import Explanation
    from penjing.explain.rule_votes import Votes
    from penjing.explain.rules import Ruleset
    from penjing.explain.trace import Trace
    from penjing.formatting.frame import DataFrame
    from penjing.grow.recipe import Recipe
    from penjing.render.charts.chart import Chart

_ROWS = "_training_rows"
"""The attribute of a tree that leads to its training rows; it is neither saved nor pickled."""
_COST = "_edit_cost"
"""The attribute of a tree with what its last change cost; it is neither saved nor pickled."""
_WITH_DATA = ("svg", "html")
"""The kinds of pictures that show the data of splits."""
Unseen = Literal["stop", "missing", "error"]
Missing = Literal["stop", "fraction", "error"]
Language = Literal["en", "zh"]
Show = Literal["data", "counts", "none"]
Layout = Literal["top-down", "left-to-right"]
TextKind = Literal["text", "rules", "markdown", "svg", "html", "icicle", "dot", "nested"]
ProgramKind = Literal["python", "sql", "c", "javascript", "java", "pmml", "excel", "nested"]


@dataclass(frozen=True, eq=False, repr=False)
class Tree(TreeData):
    """A decision tree: splits, predictions, and the counts they were learnt from.

    Trees are immutable: pruning and the like return new ones. ``penjing.fit`` grows a tree,
    ``penjing.load`` reads one from a file, ``Tree.from_dict`` makes one from a nested dict.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("fish"))
    >>> tree.depth, tree.n_leaves
    (2, 3)
    """

    __module__ = "penjing"

    @classmethod
    def from_data(cls, data: TreeData) -> Tree:
        """Return a plain record as a tree with methods; both share their arrays.

        Parameters
        ----------
        data : TreeData
            The nodes, the columns and everything else that a model file contains.

        Examples
        --------
        >>> import penjing
        >>> from penjing.tree.from_dict import from_dict
        >>> penjing.Tree.from_data(from_dict({"legs": {0: "fish", 2: "bird"}})).n_leaves
        2
        """
        if isinstance(data, cls):
            return data
        tree = cls.__new__(cls)
        tree.__dict__.update(data.__dict__)
        return tree

    def training_table(self) -> Table | None:
        """Return the training rows while they are available; None for a loaded model.

        They are what `fit` was given, while that exists unchanged; a file is read again. Tables of
        at most 200,000 cells are kept by the tree itself, but neither saved nor pickled.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> tree = penjing.fit(fish)
        >>> tree.training_table() is fish
        True
        """
        rows: TrainingRows | None = self.__dict__.get(_ROWS)
        if rows is None:
            return None
        table = rows.read()
        if table is None or table.target is None:
            return rows.kept()
        is_unchanged = rows.is_unchanged(table)
        if is_unchanged is None:  # it was never read into memory
            source = self.about.get("source", {})
            is_same_file = table.source.get("sha256") == source.get("sha256")
            is_unchanged = is_same_file and table.n_rows == source.get("n_rows")
        return table if is_unchanged else rows.kept()

    def training_recipe(self) -> Recipe | None:
        """Return the recipe that `fit` was given, with a custom criterion; None if loaded.

        Examples
        --------
        >>> import penjing
        >>> penjing.fit(penjing.example("fish")).training_recipe().name
        'id3'
        """
        rows: TrainingRows | None = self.__dict__.get(_ROWS)
        return None if rows is None else rows.recipe

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds: nothing that leads to the training rows, or was counted."""
        from penjing.explain.split_data import KEPT

        unsaved = (_ROWS, _COST, KEPT)
        return {key: value for key, value in self.__dict__.items() if key not in unsaved}

    # -- predictions ---------------------------------------------------------------------------

    @warns_of_rows
    def predict(
        self, source: Source, *, unseen: Unseen | None = None, missing: Missing | None = None
    ) -> npt.NDArray[Any]:
        """Return the prediction for each row: a class of the tree, or a number.

        Parameters
        ----------
        source : Table, dict, Series or source
            A table, one row as a dict or as a series of pandas (``df.iloc[0]``), or anything
            that :func:`penjing.read` can read.
        unseen : str, optional
            What to do with a category that is not in the training rows: ``stop`` at the node
            that splits on it and use its prediction, treat it as ``missing``, or raise an
            ``error``. The default is that of the tree's recipe.
        missing : str, optional
            What to do with a missing value: ``stop``, ``fraction`` (fractional cases), or
            raise an ``error``. By default missing values are handled as in training.

        Returns
        -------
        (rows,) array
            Classes keep their type; an object array unless they are all numbers of one type.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
        >>> tree.predict([{"legs": 2}, {"legs": 0}]).tolist()
        ['bird', 'fish']
        """
        return prediction.predict(self, source, unseen=unseen, missing=missing)

    @warns_of_rows
    def predict_proba(
        self, source: Source, *, unseen: Unseen | None = None, missing: Missing | None = None
    ) -> Floats:
        """Return the predicted probability of each class for each row.

        Parameters
        ----------
        source, unseen, missing
            As in :meth:`predict`.

        Returns
        -------
        (rows, classes) array
            Columns are in the order of ``tree.classes``.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"), max_depth=1)
        >>> tree.classes, tree.predict_proba({"no surfacing": 1}).round(3).tolist()
        (('yes', 'no'), [[0.667, 0.333]])
        """
        return prediction.predict_proba(self, source, unseen=unseen, missing=missing)

    @warns_of_rows
    def apply(
        self, source: Source, *, unseen: Unseen | None = None, missing: Missing | None = None
    ) -> Ids:
        """Return the number of the node where each row stops.

        Parameters
        ----------
        source, unseen, missing
            As in :meth:`predict`; with ``missing="fraction"`` a row does not stop in one node.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
        >>> tree.apply([{"legs": 2}, {"legs": 0}]).tolist()
        [2, 1]
        """
        return prediction.apply(self, source, unseen=unseen, missing=missing)

    # -- explanations and evidence ---------------------------------------------------------------

    @property
    def trace(self) -> Trace:
        """How the tree was grown and pruned, step by step; it prints as `penjing trace` does.

        Steps that were not kept are computed from :meth:`training_table`. The trace
        of a loaded model that kept none is empty (and false); ``tree.trace.with_rows(rows)``
        computes it from the training rows.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"), trace=True)
        >>> [step["question"] for step in tree.trace][:2]
        ['no surfacing', 'flippers']
        """
        from penjing.explain.trace import of_tree

        return of_tree(self)

    @warns_of_rows
    def why(self, node: int | str = 0, data: Source | None = None) -> NodeExplanation:
        """Return why a node splits as it does: every candidate, with the formula filled in.

        Parameters
        ----------
        node : int or str
            The number of the node, or a path such as ``"texture=clear, root=curled"``.
        data : Table or source, optional
            The training rows; needed for a loaded model that did not keep its trace.

        Returns
        -------
        NodeExplanation
            It prints as `penjing why` does.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> print(tree.why(1).text().splitlines()[0])
        'no surfacing' = 1, 3 rows, yes 2 no 1, Ent(D) = -(2/3)log2(2/3) - (1/3)log2(1/3) = 0.9183
        """
        from penjing.explain.node import about_empty, explain, rows_of_tree
        from penjing.explain.node_explanation import NodeExplanation
        from penjing.text.node_path import find_node

        rows = None if data is None else rows_of_tree(self, data)
        if isinstance(node, str):
            node, empty_branch = find_node(self, node)
            if empty_branch is not None:
                return NodeExplanation(about_empty(self, node, empty_branch), self)
        return NodeExplanation(explain(self, self.checked(node), rows), self, rows)

    @warns_of_rows
    def report(
        self,
        path: str | Path | None = None,
        *,
        training: Source | None = None,
        test: Source | None = None,
        lang: Language = "en",
        theme: Literal["auto", "light", "dark"] = "auto",
        title: str | None = None,
        folds: int = 10,
        seed: int = 0,
        cross_validation: bool | None = None,
        positive: Label | None = None,
        trace: bool = False,
    ) -> str:
        """Return a report as one HTML page: summary, metrics, rules, curves, data, provenance.

        Parameters
        ----------
        path : str or Path, optional
            A file to write the page to, completely or not at all.
        training : Table or source, optional
            The training rows, for the profile of the data, cross-validation and curves; by
            default those that the tree was fitted to, if they are available.
        test : Table or source, optional
            The test set, for metrics and calibration.
        lang : str
            ``en`` or ``zh``.
        theme : str
            ``auto``, ``light`` or ``dark``.
        title : str, optional
            The heading; the name of the target if not given.
        folds, seed : int
            The number of folds and the seed of cross-validation.
        cross_validation : bool, optional
            Whether to grow more trees for cross-validation and curves; by default unless there
            are many rows.
        positive : object, optional
            The class to which lift and scores refer, as in :meth:`score`.
        trace : bool
            Add how the tree was grown, step by step.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> page = penjing.fit(fish).report(test=fish, cross_validation=False)
        >>> page[:15]
        '<!doctype html>'
        """
        from penjing.explain.node import rows_of_tree
        from penjing.explain.split_data import with_sketches
        from penjing.predict.inputs import align
        from penjing.render.report import THEMES, write
        from penjing.tree.serialize import write_atomically

        arguments.optional_text("title", title)
        catalogue(lang)  # raises an error for an unknown language
        arguments.one_of("theme", theme, THEMES)
        if cross_validation is not None:
            arguments.boolean("cross_validation", cross_validation)
        rows = self.training_table() if training is None else rows_of_tree(self, training)
        test_rows = None if test is None else align(self, test)
        tree = self
        if KEY in self.about:
            named, tree = NamedRows(self), shown(with_sketches(self))
            rows, test_rows = named.table(rows), named.table(test_rows)
            positive = None if positive is None else named.name_of(positive)
        page = write(
            tree,
            rows,
            test_rows,
            lang=lang,
            theme=theme,
            title=title,
            folds=arguments.whole_number("folds", folds, 2),
            seed=arguments.whole_number("seed", seed, 0),
            cross_validation=cross_validation,
            positive=positive,
            trace=arguments.boolean("trace", trace),
        )
        if path is not None:
            write_atomically(arguments.path("path", path), page.encode("utf-8"))
        return page

    @warns_of_rows
    def explain(
        self, row: Source, *, flips: int = 3, class_names: ClassNames | None = None
    ) -> Explanation:
        """Return why a row is predicted as it is, and what would change the prediction.

        Parameters
        ----------
        row : dict, Series, or a table of one row
            The row; columns that the tree never splits on may be left out.
        flips : int
            How many changes to look for that would change the prediction.
        class_names : list or dict, optional
            What to call the classes, as in :meth:`write`.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
        >>> tree.explain({"legs": 2}).to_json()["answer"]
        'bird'
        """
        from penjing.explain.row import explain_row

        return explain_row(shown(self, class_names), row, flips=flips)

    @warns_of_rows
    def score(
        self,
        source: Source,
        y: Target | None = None,
        *,
        unseen: Unseen | None = None,
        missing: Missing | None = None,
        positive: Label | None = None,
    ) -> Report | NumberReport:
        """Return a report of correct and wrong predictions for rows whose target is known.

        Parameters
        ----------
        source : Table or source
            Rows with the target; rows without it are left out and counted.
        y : values, optional
            The class (or number) of each row, if the rows do not hold it: ``score(X, y)``.
        unseen, missing
            As in :meth:`predict`.
        positive : object, optional
            The class to which lift, cut-offs and, with two classes, the scores refer; by
            default the rarer one of two classes in the training rows.

        Returns
        -------
        Report or NumberReport
            Of classes, or of a number. Both print as text, and ``to_json()`` returns plain data.
            In comparisons, formats and ``float()`` a report is the number that scikit-learn's
            ``score`` returns: the accuracy, or R².

        Warns
        -----
        DataWarning
            If a tree written by hand has categories that no row has, or no branch for one.

        Examples
        --------
        >>> import penjing
        >>> melons = penjing.example("watermelon2.0")
        >>> report = penjing.fit(melons).score(melons)
        >>> report.correct, report.n, float(report), report > 0.9
        (17, 17, 1.0, True)
        """
        from penjing.evaluate.validation import score

        if not self.has_counts and y is None:  # a mistyped category of a tree written by hand
            from penjing.predict.inputs import align
            from penjing.training.count_rows import notes_of
            from penjing.training.pruning import validation_rows

            source = align(self, source)
            warn_of(notes_of(self, validation_rows(self, source)))
        return score(self, source, y, unseen=unseen, missing=missing, positive=positive)

    def summarize(
        self, source: Source, *, unseen: Unseen | None = None, missing: Missing | None = None
    ) -> PredictionSummary:
        """Return a summary of predictions: shares of classes and leaves, unseen and missing values.

        Parameters
        ----------
        source, unseen, missing
            As in :meth:`predict`.

        Returns
        -------
        PredictionSummary
            It prints as `penjing predict --summary` does.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
        >>> tree.summarize([{"legs": 2}, {"legs": 6}]).columns[0].categories
        ((6, 1),)
        """
        from penjing.evaluate.prediction_summary import summarize

        return summarize(self, source, unseen=unseen, missing=missing)

    def drift(self, source: Source, training: Source | None = None) -> Drift:
        """Compare new rows with the training rows, by the population stability index (PSI).

        Parameters
        ----------
        source : Table or source
            The new rows; the target is not needed.
        training : Table or source, optional
            The training rows; by default those that the tree was fitted to, if they are available,
            or the distributions of its columns in a saved model (``fit(sketch=True)``).

        Returns
        -------
        Drift
            It prints as `penjing drift` does.

        Examples
        --------
        >>> import penjing
        >>> melons = penjing.example("watermelon2.0")
        >>> drift = penjing.fit(melons).drift(melons)
        >>> drift.leaves_psi, drift.columns[0].psi
        (0.0, 0.0)
        """
        from penjing.evaluate.drift import drift

        rows = self.training_table() if training is None else training
        known = None if rows is None else align_all(self, rows, keeps_weight=True)
        return drift(self, source, known)

    @warns_of_rows
    def importances(
        self,
        kind: Literal["impurity", "permutation"] = "impurity",
        data: Source | None = None,
        *,
        surrogates: bool = False,
        n: int = 10,
        seed: int = 0,
    ) -> Importances:
        """Return the importance of each column, by name, largest first.

        Parameters
        ----------
        kind : str
            ``impurity``: the decrease in impurity by the splits on a column, as shares of the
            sum. ``permutation``: the loss in accuracy (or in explained variance) on ``data`` when
            the column is shuffled, a mean.
        data : Table or source, optional
            Rows with the target, for ``permutation``; preferably not the training rows.
        surrogates : bool
            Count surrogates too (for ``impurity``), as rpart does.
        n : int
            How often each column is shuffled.
        seed : int
            The seed of the shuffling.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("golf"), recipe="cart-binary")
        >>> list(tree.importances())[0]
        'temperature'
        """
        from penjing.evaluate.importance import importances

        return importances(self, kind, data, surrogates=surrogates, n=n, seed=seed)

    @overload
    def ruleset(
        self, data: Source, *, votes: Literal[False] = False, max_loss: float | None = None
    ) -> Ruleset: ...
    @overload
    def ruleset(
        self, data: Source, *, votes: Literal[True], confidence: float | None = None
    ) -> Votes: ...
    @overload
    def ruleset(
        self,
        data: Source,
        *,
        votes: bool,
        max_loss: float | None = None,
        confidence: float | None = None,
    ) -> Ruleset | Votes: ...
    @accepts_other_options
    @warns_of_rows
    def ruleset(
        self,
        data: Source,
        *,
        votes: bool = False,
        max_loss: float | None = None,
        confidence: float | None = None,
        other_options: Mapping[str, object] | None = None,
    ) -> Ruleset | Votes:
        """Return a short list of rules, or rules that vote.

        Parameters
        ----------
        data : Table or source
            The training rows.
        votes : bool
            Return rules that vote, in the manner of C5.0, instead of a list.
        max_loss : float, optional
            How much accuracy on the training rows a list may lose against the tree; 0.02 if not
            given. Not for rules that vote.
        confidence : float, optional
            The confidence of pruning of rules that vote; that of the tree's recipe if not given.
        other_options : mapping, optional
            Refused: there are no others.

        Examples
        --------
        >>> import penjing
        >>> melons = penjing.example("watermelon2.0")
        >>> rules = penjing.fit(melons).ruleset(melons)
        >>> rules.to_json()["training"]["correct"]
        17.0
        """
        options: dict[str, Any] = given_options(locals(), "data", "votes")
        from penjing.explain.rule_votes import votes as voting_rules
        from penjing.explain.rules import ruleset

        make: Any = voting_rules if arguments.boolean("votes", votes) else ruleset
        rules: Ruleset | Votes = make(self, data, **options)
        return rules

    # -- changed trees -----------------------------------------------------------------------------

    @accepts_other_options
    @warns_of_rows
    def prune(
        self,
        method: str,
        *,
        validation: Source | None = None,
        training: Source | None = None,
        folds: int | None = None,
        ties: Literal["cut", "keep"] | None = None,
        confidence: float | None = None,
        raise_branches: bool | None = None,
        deviate: Literal["table", "quantile"] | None = None,
        last_errors: float | None = None,
        tolerance: float | None = None,
        precision: Literal["double", "single"] | None = None,
        alpha: float | None = None,
        cp: float | None = None,
        by: Literal["errors", "impurity"] | None = None,
        one_se: bool | None = None,
        m: float | None = None,
        slack: float | None = None,
        share: float | None = None,
        other_options: Mapping[str, object] | None = None,
    ) -> Tree:
        """Return a smaller tree; this one stays as it is.

        Every decision is kept in ``about["pruning"]`` of the new tree. An option that is None
        takes the default of the method.

        Parameters
        ----------
        method : str
            ``reduced-error`` (needs validation rows), ``error-based`` (needs the training rows if
            branches may be raised), or one that needs no rows: ``pessimistic``,
            ``cost-complexity``, ``minimum-error``, ``mdl``, ``collapse``, ``simplify``.
        validation : Table or source, optional
            The validation set: neither the training rows nor the test set.
        training : Table or source, optional
            The rows that the tree was grown from, for raising branches or for ``folds``.
        folds : int, optional
            Cross-validate the complexities of the tree with this number of folds of the
            training rows; ``cost-complexity`` then needs neither ``cp`` nor ``alpha``.
        ties : str, optional
            Of reduced-error: ``cut`` (the default) or ``keep`` a split if pruning it leaves
            the accuracy on the validation set unchanged.
        confidence : float, optional
            Of pessimistic and error-based: the confidence (CF), 0.25 by default.
        raise_branches, deviate, last_errors, tolerance, precision : optional
            Of error-based: as in the recipe ``c4.5``.
        alpha, cp : float, optional
            Of cost-complexity: the complexity, absolute or as a share of the root's error.
        by : str, optional
            Of cost-complexity: what a subtree costs, ``errors`` or ``impurity``.
        one_se : bool, optional
            Of cost-complexity by cross-validation: take the smallest tree within one standard
            error of the best, which is the default.
        m : float, optional
            Of minimum-error: the weight of the prior.
        slack, share : float, optional
            Of collapse: how many more errors a leaf may make, absolute and as a factor.
        other_options : mapping, optional
            Options of a plug-in's method.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("watermelon2.0"))
        >>> tree.n_leaves, tree.prune("pessimistic").n_leaves
        (8, 4)
        """
        options: dict[str, Any] = given_options(locals(), "method")
        from penjing.training.pruning import prune

        return remember_rows(
            Tree.from_data(prune(self, method, **options)), self.__dict__.get(_ROWS)
        )

    def replace_split(
        self,
        node: int | str,
        column: str,
        threshold: float | str | None = None,
        groups: Sequence[Sequence[Label]] | None = None,
        *,
        data: Source | None = None,
        validation: Source | None = None,
    ) -> Tree:
        """Return a tree in which a node has another split; the subtree below it is grown again.

        Only the rows of the node are used, with the weights that they have there. The new
        branches are grown and pruned with the recipe of the tree; the given split itself is
        kept. ``edit_cost`` of the new tree has the cost of the change.

        Parameters
        ----------
        node : int or str
            The number of the node, or its path: ``"texture=clear"``; ``""`` is the root.
        column : str
            The column to split on, or a split as it is printed: ``"density<=0.38"``.
        threshold : float or str, optional
            The threshold of a numeric or ordinal column; by default the best one.
        groups : list of lists, optional
            The categories of each branch; those in no group form one more. By default as the
            recipe splits the column.
        data : Table or source, optional
            The training rows; needed for a loaded model.
        validation : Table or source, optional
            More rows with the target, for ``edit_cost``.

        Examples
        --------
        >>> import penjing
        >>> melons = penjing.example("watermelon2.0")
        >>> tree = penjing.fit(melons).replace_split("", "脐部")
        >>> list(tree.to_dict()), tree.edit_cost.training.changed
        (['脐部'], 0)
        """
        from penjing.api.edited_tree import edited_tree, requested_split
        from penjing.training.tree_edits import replace_split

        request = requested_split(self, column, threshold, groups)
        return edited_tree(
            self, node, lambda at, rows: replace_split(self, at, request, rows), data, validation
        )

    def prune_at(
        self, node: int | str, *, data: Source | None = None, validation: Source | None = None
    ) -> Tree:
        """Return a tree in which a node is a leaf.

        Parameters
        ----------
        node : int or str
            The number of the node, or its path.
        data, validation : Table or source, optional
            As in :meth:`replace_split`; without training rows ``edit_cost`` lacks them.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("watermelon2.0"))
        >>> tree.prune_at("纹理=清晰").n_leaves
        4
        """
        from penjing.api.edited_tree import edited_tree
        from penjing.training.tree_edits import prune_at

        return edited_tree(
            self,
            node,
            lambda at, rows: prune_at(self, at, rows),
            data,
            validation,
            needs_rows=False,
        )

    def regrow_at(
        self,
        node: int | str,
        *,
        data: Source | None = None,
        validation: Source | None = None,
        **settings: Unpack[SubtreeSettings],
    ) -> Tree:
        """Return a tree in which the subtree below a node is grown again from its rows.

        Forced splits below the node are dropped.

        Parameters
        ----------
        node : int or str
            The number of the node, or its path.
        data, validation : Table or source, optional
            As in :meth:`replace_split`.
        **settings
            Settings of the recipe that differ for this subtree: ``max_depth`` (counted from the
            root), ``criterion``, ``min_weight``, ``confidence``, …

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("watermelon2.0"))
        >>> tree.regrow_at("纹理=清晰", max_depth=2).n_leaves, tree.regrow_at("") == tree
        (6, True)
        """
        from penjing.api.edited_tree import edited_tree
        from penjing.training.tree_edits import regrow_at

        return edited_tree(
            self, node, lambda at, rows: regrow_at(self, at, rows, settings), data, validation
        )

    @property
    def edit_cost(self) -> EditCost | None:
        """The cost of the change that made this tree; None without a change, or if it was loaded.

        Examples
        --------
        >>> import penjing
        >>> melons = penjing.example("watermelon2.0")
        >>> tree = penjing.fit(melons)
        >>> tree.edit_cost is None, tree.prune_at(1).edit_cost.to_dict()["training"]["correct"]
        (True, [17.0, 15.0])
        """
        cost: EditCost | Callable[[], EditCost] | None = self.__dict__.get(_COST)
        if callable(cost):
            cost = self.__dict__[_COST] = cost()
        return cost

    # -- texts and pictures ------------------------------------------------------------------------

    def to_dict(self, *, empty: bool = True) -> dict[str, Any] | Label:
        """Return the nested dict ``{column: {category: class or dict}}``; a class for one leaf.

        Parameters
        ----------
        empty : bool
            Whether branches that no training row took are listed, with their prediction.

        Examples
        --------
        >>> import penjing
        >>> penjing.fit(penjing.example("fish")).to_dict()
        {'no surfacing': {1: {'flippers': {1: 'yes', 0: 'no'}}, 0: 'no'}}
        """
        from penjing.render.nested_dict import write

        nested: dict[str, Any] | Label = write(self, empty=arguments.boolean("empty", empty))
        return nested

    def to_pandas(self, what: Literal["nodes", "rules"] = "nodes") -> DataFrame:
        """Return the nodes of the tree, or its rules, as a data frame; needs pandas.

        Parameters
        ----------
        what : str
            ``nodes``: one row per node, from the root: its parent, depth, the branch that leads
            to it, its split, weight and prediction, and the weight of each class. ``rules``: one
            row per leaf: its conditions, prediction, weight and confidence.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.to_pandas("rules")[["prediction", "weight"]]
             prediction  weight
        node
        3           yes     2.0
        4            no     1.0
        2            no     2.0
        """
        from penjing.render.tree_frames import nodes_frame, rules_frame

        make = {"nodes": nodes_frame, "rules": rules_frame}
        return make[arguments.one_of("what", what, tuple(make))](shown(self))

    @overload
    def write(
        self,
        kind: TextKind,
        *,
        ascii_only: bool | None = None,
        class_names: ClassNames | None = None,
        empty: bool | Literal["majority", "shares"] | None = None,
        lang: Language | None = None,
        max_leaves: int | None = None,
        name: str | None = None,
        node: int | None = None,
        order: str | None = None,
        surrogates: bool | None = None,
        theme: str | None = None,
        title: str | None = None,
        view: str | None = None,
        width: int | None = None,
        show: Show | None = None,
        layout: Layout | None = None,
        align_leaves: bool | None = None,
        test: Source | None = None,
        other_options: Mapping[str, object] | None = None,
    ) -> str: ...
    @overload
    def write(
        self,
        kind: str,
        *,
        ascii_only: bool | None = None,
        class_names: ClassNames | None = None,
        empty: bool | Literal["majority", "shares"] | None = None,
        lang: Language | None = None,
        max_leaves: int | None = None,
        name: str | None = None,
        node: int | None = None,
        order: str | None = None,
        surrogates: bool | None = None,
        theme: str | None = None,
        title: str | None = None,
        view: str | None = None,
        width: int | None = None,
        show: Show | None = None,
        layout: Layout | None = None,
        align_leaves: bool | None = None,
        test: Source | None = None,
        other_options: Mapping[str, object] | None = None,
    ) -> object: ...
    @warns_of_rows
    @accepts_other_options
    def write(
        self,
        kind: str,
        *,
        ascii_only: bool | None = None,
        class_names: ClassNames | None = None,
        empty: bool | Literal["majority", "shares"] | None = None,
        lang: Language | None = None,
        max_leaves: int | None = None,
        name: str | None = None,
        node: int | None = None,
        order: str | None = None,
        surrogates: bool | None = None,
        theme: str | None = None,
        title: str | None = None,
        view: str | None = None,
        width: int | None = None,
        show: Show | None = None,
        layout: Layout | None = None,
        align_leaves: bool | None = None,
        test: Source | None = None,
        other_options: Mapping[str, object] | None = None,
    ) -> object:
        """Return the tree as text or as a picture.

        An option that is None takes the default of the kind; an option that the kind does not
        have is refused.

        Parameters
        ----------
        kind : str
            ``text``, ``rules``, ``markdown``, ``svg``, ``html``, ``icicle``, ``dot``, ``dict``,
            ``nested``, or that of a plug-in; `penjing plugins` lists them.
        ascii_only : bool, optional
            Of text: use ASCII characters only.
        class_names : list or dict, optional
            What to call the classes: in ascending order of the classes, or by class, such as
            ``["setosa", "versicolor", "virginica"]`` for 0, 1 and 2.
        empty : bool or str, optional
            Of text and dict: whether branches without training rows are listed. Of nested: what
            such a branch predicts, the ``majority`` or the class ``shares``.
        lang : str, optional
            ``en`` or ``zh``.
        max_leaves : int, optional
            Of svg and html: the largest number of leaves that is drawn (at first); deeper nodes
            are folded.
        name : str, optional
            Of dot: the name of the graph.
        node : int, optional
            Of text: start at this node.
        order : str, optional
            Of text and rules: the order of the branches, or of the rules.
        surrogates : bool, optional
            Of text: list the surrogates of each split.
        theme : str, optional
            Of pictures: ``light``, ``dark`` or ``print``; of html ``auto`` (the default), ``light``
            or ``dark``.
        title : str, optional
            Of pictures and markdown: a heading.
        view : str, optional
            Of html: which view is shown first, ``tree``, ``icicle`` or ``list``.
        width : int, optional
            Of text and rules: abbreviate groups of categories in lines that are wider than this.
        show : str, optional
            Of svg: what the boxes show, as in :meth:`plot`.
        layout : str, optional
            Of svg: ``top-down`` or ``left-to-right``, as in :meth:`plot`.
        align_leaves : bool, optional
            Of svg: put all leaves on one line.
        test : Table or source, optional
            Of svg: test rows, as in :meth:`plot`.
        other_options : mapping, optional
            Options of a plug-in's renderer.

        Examples
        --------
        >>> import penjing
        >>> print(penjing.fit(penjing.example("fish")).write("rules"))
        yes  2  100% (34-100)  when 'no surfacing' = 1 and flippers = 1
        no   1  100% (21-100)  when 'no surfacing' = 1 and flippers = 0
        no   2  100% (34-100)  when 'no surfacing' = 0
        """
        style: dict[str, Any] = given_options(locals(), "kind", "class_names")
        renderer = load_plugin("renderer", kind)
        arguments.check_options(renderer, style, "write_option", kind=kind)
        tree = (
            self._pictured(style, class_names) if kind in _WITH_DATA else shown(self, class_names)
        )
        written: object = renderer(tree, **style)
        return written

    @accepts_other_options
    def draw(
        self,
        *,
        ascii_only: bool = False,
        empty: bool = False,
        order: str = "rows",
        node: int = 0,
        surrogates: bool = False,
        lang: Language = "en",
        width: int | None = None,
        class_names: ClassNames | None = None,
        other_options: Mapping[str, object] | None = None,
    ) -> str:
        """Return the tree drawn as indented text.

        Parameters
        ----------
        ascii_only : bool
            Use ASCII characters only.
        empty : bool
            List branches that no training row took.
        order : str
            ``rows``: largest branches first; ``levels``: in the order of the categories.
        node : int
            Start at this node.
        surrogates : bool
            List the surrogates of each split.
        lang : str
            ``en`` or ``zh``.
        width : int, optional
            Abbreviate groups of categories in lines that are wider than this.
        class_names : list or dict, optional
            What to call the classes, as in :meth:`write`.
        other_options : mapping, optional
            Refused: there are no others.

        Examples
        --------
        >>> import penjing
        >>> print(penjing.fit(penjing.example("fish")).draw(ascii_only=True))
        'no surfacing' = 1
        |  flippers = 1: yes (2)
        |  flippers = 0: no (1)
        'no surfacing' = 0: no (2)
        """
        style: dict[str, Any] = given_options(locals(), "class_names", is_none_given=True)
        from penjing.render import tree_text

        arguments.check_options(tree_text.write, style, "write_option", kind="text")
        return tree_text.write(shown(self, class_names), **style)

    @warns_of_rows
    @accepts_other_options
    def plot(
        self,
        ax: Axes | None = None,
        *,
        lang: Language = "en",
        theme: str = "light",
        title: str | None = None,
        max_leaves: int = 64,
        show: Show | None = None,
        layout: Layout | None = None,
        align_leaves: bool = False,
        test: Source | None = None,
        class_names: ClassNames | None = None,
        other_options: Mapping[str, object] | None = None,
    ) -> Axes:
        """Draw the tree on matplotlib's axes; needs ``penjing[plot]``.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw: the tree fills the axes, and subtrees are folded as far as needed to
            keep text readable. Default: a new figure of the tree's size.
        lang : str
            ``en`` or ``zh``.
        theme : str
            ``light``, ``dark`` or ``print``.
        title : str, optional
            A heading.
        max_leaves : int
            The largest number of leaves that is drawn; deeper nodes are folded.
        show : str, optional
            ``data``: the distribution of the split column in each box, by class or with the means
            of the branches; ``counts``: the counts only; ``none``: neither. Default: the data of
            trees with at most 24 visible leaves, the counts of others.
        layout : str, optional
            ``top-down`` or ``left-to-right``. Default: top-down, unless a node has more than
            twelve visible branches.
        align_leaves : bool
            Put all leaves on one line.
        test : Table or source, optional
            Test rows: each leaf shows how many of them it predicts correctly, with the 95%
            interval; for regression, their mean and error.
        class_names : list or dict, optional
            What to call the classes, as in :meth:`write`.
        other_options : mapping, optional
            Refused: there are no others.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import penjing
        >>> axes = penjing.fit(penjing.example("fish")).plot()
        >>> axes.axison
        False
        """
        style: dict[str, Any] = given_options(locals(), "ax", "class_names", is_none_given=True)
        from penjing.render.plot import plot

        arguments.check_options(plot, style, "write_option", kind="plot")
        return plot(self._pictured(style, class_names), ax, **style)

    @warns_of_rows
    @accepts_other_options
    def save_picture(
        self,
        path: str | Path,
        *,
        lang: Language | None = None,
        theme: str | None = None,
        title: str | None = None,
        max_leaves: int | None = None,
        icicle: bool = False,
        dpi: int | None = None,
        show: Show | None = None,
        layout: Layout | None = None,
        align_leaves: bool | None = None,
        test: Source | None = None,
        class_names: ClassNames | None = None,
        other_options: Mapping[str, object] | None = None,
    ) -> None:
        """Write a picture to a file, completely or not at all; the suffix determines the format.

        Parameters
        ----------
        path : str or Path
            The file: ``.svg``, ``.html``, ``.png``, ``.pdf``, ``.txt``, ``.md`` or ``.dot``. PNG
            and PDF need ``penjing[plot]``.
        lang : str, optional
            ``en`` (the default) or ``zh``.
        theme : str, optional
            ``light`` (the default), ``dark`` or ``print``; of a page ``auto`` (the default), which
            follows the reader's system, ``light`` or ``dark``.
        title : str, optional
            A heading.
        max_leaves : int, optional
            The largest number of leaves that is drawn; deeper nodes are folded.
        icicle : bool
            Draw every node as a rectangle below its parent; not for texts.
        dpi : int, optional
            Pixels per inch of a PNG.
        show : str, optional
            What the boxes show: ``data``, ``counts`` or ``none``, as in :meth:`plot`.
        layout : str, optional
            ``top-down`` or ``left-to-right``, as in :meth:`plot`.
        align_leaves : bool, optional
            Put all leaves on one line.
        test : Table or source, optional
            Test rows, as in :meth:`plot`.
        class_names : list or dict, optional
            What to call the classes, as in :meth:`write`.
        other_options : mapping, optional
            Options of a plug-in's renderer.

        Examples
        --------
        >>> import pathlib, tempfile, penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tree.save_picture(f"{folder}/fish.svg")
        ...     pathlib.Path(folder, "fish.svg").read_text(encoding="utf-8")[:4]
        '<svg'
        """
        style: dict[str, Any] = given_options(locals(), "path", "icicle", "class_names")
        from penjing.render.save import save_picture

        save_picture(self._pictured(style, class_names), path, icicle=icicle, **style)

    def _pictured(self, style: dict[str, Any], class_names: ClassNames | None) -> Tree:
        """Return the tree as pictures show it: with names of classes, and sketches if wanted.

        Test rows in the style are replaced by their results, by the classes that they have.
        """
        from penjing.evaluate.leaf_results import leaf_results
        from penjing.explain.split_data import with_sketches

        if style.get("test") is not None:
            style["test"] = leaf_results(self, style["test"])
        show = arguments.optional_text("show", style.get("show"))
        named = shown(self, class_names)
        if named is self or show not in (None, "data"):  # sketches are counted if they are drawn
            return named
        return shown(with_sketches(self), class_names)

    def plane(
        self,
        x: str,
        y: str,
        points: Source | None = None,
        *,
        lang: Language = "en",
        theme: str = "light",
        title: str | None = None,
    ) -> Chart:
        """Return the regions of the leaves over two numeric columns, as a chart.

        Parameters
        ----------
        x, y : str
            The columns across and up. The tree must not split on other columns.
        points : Table or source, optional
            Rows that are drawn as points, in the colour of their class.
        lang : str
            ``en`` or ``zh``.
        theme : str
            ``light``, ``dark`` or ``print``.
        title : str, optional
            The heading; default: the target.

        Returns
        -------
        Chart
            Notebooks show it; ``save`` writes an SVG, PNG or PDF file.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"a": a, "b": 0.0, "y": "u" if a < 2 else "v"} for a in (0.0, 1.0, 3.0, 4.0)]
        >>> penjing.fit(rows, "y", recipe="cart-binary").plane("a", "b", rows).kind
        'plane'
        """
        style: dict[str, Any] = {"lang": lang, "theme": theme, "title": title}
        made: Chart = load_plugin("chart", "plane")(self, x, y, points, **style)
        return made

    # -- programs and files ------------------------------------------------------------------------

    @overload
    def export(
        self,
        kind: ProgramKind,
        *,
        missing: Missing | None = None,
        unseen: Unseen | None = None,
        dialect: str | None = None,
        table: str | None = None,
        proba: bool | None = None,
        clean: bool | None = None,
        cells: Mapping[str, str] | None = None,
        class_names: ClassNames | None = None,
        name: str | None = None,
        empty: Literal["majority", "shares"] | None = None,
        other_options: Mapping[str, object] | None = None,
    ) -> str: ...
    @overload
    def export(
        self, kind: Literal["onnx"], *, missing: Missing | None = None, unseen: Unseen | None = None
    ) -> bytes: ...
    @overload
    def export(
        self,
        kind: str,
        *,
        missing: Missing | None = None,
        unseen: Unseen | None = None,
        dialect: str | None = None,
        table: str | None = None,
        proba: bool | None = None,
        clean: bool | None = None,
        cells: Mapping[str, str] | None = None,
        class_names: ClassNames | None = None,
        name: str | None = None,
        empty: bool | Literal["majority", "shares"] | None = None,
        other_options: Mapping[str, object] | None = None,
    ) -> object: ...
    @accepts_other_options
    def export(
        self,
        kind: str,
        *,
        missing: Missing | None = None,
        unseen: Unseen | None = None,
        dialect: str | None = None,
        table: str | None = None,
        proba: bool | None = None,
        clean: bool | None = None,
        cells: Mapping[str, str] | None = None,
        class_names: ClassNames | None = None,
        name: str | None = None,
        empty: bool | Literal["majority", "shares"] | None = None,
        other_options: Mapping[str, object] | None = None,
    ) -> object:
        """Return the tree as a program or as a document for other software.

        An option that is None takes the default of the kind; an option that the kind does not
        have is refused.

        Parameters
        ----------
        kind : str
            ``python``, ``sql``, ``c``, ``javascript``, ``java``, ``pmml``, ``onnx``, ``excel``,
            ``nested`` or ``dict``.
        missing, unseen : str, optional
            As in :meth:`predict`; the program predicts what :meth:`predict` does.
        dialect : str, optional
            Of sql: ``duckdb`` (the default), ``postgres``, ``sqlite`` and others.
        table : str, optional
            Of sql: the table that the query reads, ``rows`` if not given.
        proba : bool, optional
            Of sql: return the predicted probabilities as well.
        clean : bool, optional
            Of sql (``duckdb``, ``postgres``, ``sqlite``): the table is raw text, as in a file; the
            query reads its cells as the model's table was read, and adds ``clean(x)`` for each
            column ``x`` that the tree uses.
        cells : mapping, optional
            Of excel: the cell of each column, such as ``{"legs": "B2"}``.
        class_names : list or dict, optional
            What the program returns instead of the classes, as in :meth:`write`.
        name : str, optional
            Of java: the name of the class, ``PenjingTree`` if not given.
        empty : bool or str, optional
            Of dict and nested: as in :meth:`write`.
        other_options : mapping, optional
            Options of a plug-in's export.

        Returns
        -------
        str, bytes or dict
            Bytes for ``onnx``, a dict for ``dict``, text for all others.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
        >>> print(tree.export("excel"))
        =IF(EXACT(A2,"0"),"fish",IF(EXACT(A2,"2"),"bird","fish"))
        """
        options = given_options(locals(), "kind", "class_names")
        from penjing.export import export

        # Names that `fit` was given are for people; a program predicts what the tree predicts.
        tree = self if class_names is None else shown(self, class_names)
        exported: object = export(tree, kind, **options)
        return exported

    def spark_udf(self) -> Callable[..., object]:
        """Return a function that makes a Spark column of predictions; needs ``penjing[spark]``.

        ``frame.withColumn("predicted", tree.spark_udf()())`` reads the columns that have the
        names of the tree's columns; others can be named, in the order of the tree's schema.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
        >>> predicted = tree.spark_udf()  # doctest: +SKIP
        >>> frame.withColumn("animal", predicted("legs"))  # doctest: +SKIP
        """
        from penjing.engines.spark.udf import spark_udf

        return spark_udf(self)

    @staticmethod
    def from_dict(
        tree: Mapping[str, Any] | Label,
        target: str = "class",
        schema: Mapping[str, ColumnSchema] | Sequence[Field] | None = None,
    ) -> Tree:
        """Return the tree of a nested dict, such as :meth:`to_dict` returns.

        Such a tree has no counts; :meth:`with_counts` counts the rows of a table into it.

        Parameters
        ----------
        tree : dict
            ``{column: {category: class or dict}}``; branches of a numeric column are ``"<= 2.5"``
            and ``"> 2.5"``. A class alone is a tree of one leaf. If all leaves are numbers and
            one of them is a float, the tree predicts numbers.
        target : str
            The name of the target.
        schema : dict, or fields, optional
            Types of columns and of the target as in :func:`penjing.read`; the order of an
            ordinal column is needed for ``"<= M"`` and ``"> M"``.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.Tree.from_dict({"legs": {"<= 1": "fish", "> 1": "bird"}})
        >>> tree.predict({"legs": 2}).tolist()
        ['bird']
        """
        from penjing.tree.from_dict import from_dict

        return Tree.from_data(from_dict(tree, target, schema))

    @staticmethod
    def from_text(
        text: str,
        target: str = "class",
        schema: Mapping[str, ColumnSchema] | Sequence[Field] | None = None,
        *,
        quiet: bool = False,
    ) -> Tree:
        """Return the tree in a text, as ``print(tree)`` writes it or written by hand.

        A line that cannot be read, or does not fit the lines around it, is an error that names
        the line.

        Parameters
        ----------
        text : str
            One branch per line, indented below the branch that it splits: ``texture = clear``,
            ``texture in {faint, blurry}: no``, ``density <= 0.38: no (5/1)``. Put names that
            contain signs, commas, colons or brackets in quotes.
        target : str
            The name of the target, which the text does not contain.
        schema : dict, or fields, optional
            As in :meth:`from_dict`; a target of type ``"numeric"`` means that leaves are numbers.
        quiet : bool
            Do not warn about what the text leaves open.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> penjing.Tree.from_text(str(tree), target="fish").to_dict()
        {'no surfacing': {'1': {'flippers': {'1': 'yes', '0': 'no'}}, '0': 'no'}}
        """
        from penjing.tree.from_text import from_text

        data = with_warnings(lambda: from_text(text, target, schema), quiet=quiet)
        return Tree.from_data(data)

    @staticmethod
    def from_file(
        path: str | Path,
        target: str = "class",
        schema: Mapping[str, ColumnSchema] | Sequence[Field] | None = None,
        *,
        encoding: str | None = None,
        quiet: bool = False,
    ) -> Tree:
        """Return the tree in a file: a nested dict (JSON or Python), or text.

        :func:`penjing.load` reads models that :meth:`save` wrote; this method reads trees
        written by hand.

        Parameters
        ----------
        path : str or Path
            The file.
        target, schema, quiet
            As in :meth:`from_text`.
        encoding : str, optional
            The encoding of the file; by default it is detected.

        Examples
        --------
        >>> import pathlib, tempfile, penjing
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "legs.json")
        ...     _ = file.write_text('{"legs": {"0": "fish", "2": "bird"}}')
        ...     penjing.Tree.from_file(file).n_leaves
        2
        """
        from penjing.data.read.files import read_file
        from penjing.tree.from_file import tree_of_file

        name = str(arguments.path("path", path))
        arguments.optional_text("encoding", encoding)
        data = read_file(name)
        return Tree.from_data(
            with_warnings(lambda: tree_of_file(data, name, target, schema, encoding), quiet=quiet)
        )

    def with_counts(
        self,
        data: Source,
        *,
        missing: Literal["stop", "fraction"] | None = None,
        quiet: bool = False,
    ) -> Tree:
        """Return the tree with the rows of a table counted at its nodes.

        Splits and the predictions of leaves stay as they are. With counts a tree written by hand
        can be pruned, drawn with counts, explained and compared.

        Parameters
        ----------
        data : Table or source
            Rows with the target, and weights if they have some.
        missing : str, optional
            A row whose value is missing stays at the node that splits on it (``stop``), or is
            spread over all branches (``fraction``). By default the setting of the tree.
        quiet : bool
            Do not warn about categories and classes that only the tree or only the rows have,
            and about leaves that no row reaches.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.Tree.from_dict({"flippers": {0: "no", 1: "yes"}}, target="fish")
        >>> print(tree.with_counts(penjing.example("fish")))
        flippers = 1: yes (4/2)
        flippers = 0: no (1)
        """
        from penjing.training.count_rows import with_counts

        counted = with_warnings(lambda: with_counts(self, data, missing), quiet=quiet)
        return remember_rows(Tree.from_data(counted), TrainingRows(data, None, None, None))

    def lab(self, training: Source | None = None, *, lang: Language = "en") -> LabView:
        """Open the lab in a notebook with this tree; needs ``penjing[notebook]``.

        Parameters
        ----------
        training : Table or source, optional
            The training rows; by default those that the tree was fitted to, if they are available.
        lang : str
            The language of the page, ``en`` or ``zh``.

        Returns
        -------
        LabView
            ``widget.tree`` is the tree that the page shows: every step makes a new one.

        Examples
        --------
        >>> import penjing
        >>> melons = penjing.example("watermelon2.0")
        >>> widget = penjing.fit(melons).lab()
        >>> widget.tree.n_leaves
        8
        """
        import penjing  # the lab is in a package above this one

        view: LabView = penjing.lab(self, training=training, lang=lang)
        return view

    def save(self, path: str | Path) -> None:
        """Write the tree to a model file, completely or not at all.

        Parameters
        ----------
        path : str or Path
            The file; JSON, compressed if the name ends in ``.gz``.

        Examples
        --------
        >>> import tempfile, penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tree.save(f"{folder}/fish.tree")
        ...     penjing.load(f"{folder}/fish.tree") == tree
        True
        """
        from penjing.tree.serialize import save

        save(self, path)

    def __str__(self) -> str:
        return self.draw()

    def _repr_html_(self) -> str:
        """Return the picture that notebooks show."""
        return self.write("svg")


def remember_cost(tree: Tree, origin: Tree, cost: Callable[[], EditCost]) -> Tree:
    """Return a new tree that can tell what it cost, and where its training rows are."""
    tree.__dict__[_COST] = cost
    return remember_rows(tree, origin.__dict__.get(_ROWS))


def remember_rows(tree: Tree, rows: TrainingRows | None) -> Tree:
    """Return a new tree that nobody else holds yet; it knows where its training rows are."""
    if rows is not None:
        tree.__dict__[_ROWS] = rows
    return tree
