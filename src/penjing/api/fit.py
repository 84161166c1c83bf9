"""From data to a tree in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal, Unpack

from penjing.api.class_names import keep_class_names
from penjing.api.data_warnings import warn_of_text, with_warnings
from penjing.api.read_table import ExplainRecipeAsTarget
from penjing.api.settings import Settings
from penjing.api.tree import Tree, remember_rows
from penjing.arguments import whole_number
from penjing.data.folds import Fold
from penjing.data.source import ClassNames, ForcedSplits, Source, Target, Weights
from penjing.dialects.recipes import recipe_of
from penjing.errors import ChoiceError
from penjing.grow.recipe import Recipe
from penjing.progress import Progress, ProgressCallback
from penjing.training.auto_recipe import is_auto
from penjing.training.train import train, training_part
from penjing.training.training_rows import TrainingRows
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.data.source import ColumnSchema

__all__ = ["Progress", "fit"]


def fit(
    data: Source,
    target: Target | None = None,
    recipe: str | Recipe = "auto",
    *,
    validation: Source | float | Fold | None = None,
    prune: str | None = None,
    ties: Literal["cut", "keep"] = "cut",
    engine: str = "auto",
    memory_limit: float | str | None = None,
    work: str | None = None,
    query: str | None = None,
    threads: int | None = None,
    trace: bool | Literal["auto"] = False,
    sketch: bool = False,
    schema: Mapping[str, ColumnSchema] | None = None,
    weight: Weights | None = None,
    sample_weight: Weights | None = None,
    class_names: ClassNames | None = None,
    seed: int = 0,
    progress: ProgressCallback | None = None,
    quiet: bool = False,
    force_splits: ForcedSplits | None = None,
    forbid: Sequence[str] | None = None,
    **settings: Unpack[Settings],
) -> Tree:
    """Grow a decision tree.

    Parameters
    ----------
    data : Table or source
        A table, or anything that :func:`penjing.read` can read.
    target : str or values, optional
        The column to predict, by name; not needed for a `Table`. Or the class (or number) of
        each row, if the rows do not hold it: ``fit(X, y)``.
    recipe : str or Recipe
        ``auto`` chooses for the table: ``id3`` for at most 1,000 rows of categorical columns
        without missing values, ``c4.5`` for other classes, ``rpart`` with cross-validated
        pruning for numbers; ``tree.about["auto"]`` says what was chosen and why. By name, in any
        case: ``id3``, ``c4.5-textbook``, ``cart-textbook``, ``cart-binary``; or the recipe of a
        program: ``c4.5``, ``j48``, ``c5.0``, ``rpart`` (also ``cart``), ``sklearn``.
    validation : source, Table, float or Fold, optional
        The validation set, which is used to choose what to prune: other data, a share of these
        rows (stratified, by ``seed``), or a fold of them. Shares and folds are taken out of the
        training rows.
    prune : str, optional
        ``prepruned`` (the default if ``validation`` is given), ``reduced-error``,
        ``pessimistic``, or any other that `penjing plugins` lists.
    ties : str
        ``cut`` or ``keep`` a split if pruning it leaves the accuracy on the validation set
        unchanged.
    engine : str
        Engine that computes the counts: ``native`` (C++), ``disk`` (for tables larger than
        memory), ``memory`` (NumPy, readable), or another that `penjing plugins` lists. ``auto``
        is ``native`` if the table fits the memory limit, otherwise ``disk``; which one and why is
        kept in ``tree.about["engine"]`` if a file was read.
    memory_limit : int or str, optional
        How much memory may be used, in bytes or as ``"2GB"``; by default half of the free
        memory.
    work : str, optional
        The folder in which the ``disk`` engine encodes its rows. An interrupted run is resumed
        there; nothing is left in it after a fit.
    query : str, optional
        For a database (``data="duckdb:FILE"``, ``"postgresql://…"``): a SQL query, or the name of
        a table. The engines ``duckdb`` and ``postgres`` compute the counts in the database.
    threads : int, optional
        The number of threads; by default as many as the machine has. The tree is the same for
        any number.
    trace : bool or "auto"
        Keep every candidate of every node in the tree. ``"auto"`` keeps them if they take less
        than 200 KB, as the command does. The candidates are computed when they are asked for.
    sketch : bool
        Keep how the rows of the 64 largest nodes are distributed over their split columns, for
        pictures of a saved model, as the command does. A sketch counts at least 5 rows, but it
        may still reveal something about individuals. Sketches of a small table take longer than
        its tree.
    schema : dict, optional
        As in :func:`penjing.read`; a `Table` has been read already.
    weight : str or values, optional
        The column with the weight of each row; or the weights themselves, one number per row.
    sample_weight : str or values, optional
        Another name for ``weight``.
    class_names : list or dict, optional
        What texts and pictures call the classes, in ascending order of the classes or by class:
        ``["setosa", "versicolor", "virginica"]`` for 0, 1 and 2. Predictions
        are still the classes themselves.
    seed : int
        The seed that selects the rows of a share.
    progress : function, optional
        Called now and then with a :class:`penjing.progress.Progress`: rows scanned, rows that
        have reached a leaf, leaves.
    quiet : bool
        Do not warn about decisions made while reading the data.
    force_splits : dict or list, optional
        The splits of some nodes, by their paths: ``{"": "navel", "navel=hollow": "density<=0.4"}``
        (``""`` is the root). A split is a column; a column with its threshold; ``"texture in {a,
        b}"`` or ``{"texture": [["a", "b"], ["c"]]}`` for groups of categories; None for a leaf.
        Below forced splits the recipe decides. Or texts ``"PATH => SPLIT"``, as ``--force`` takes
        them. A forced split need not meet the minimum sizes of the recipe, and its pruning keeps
        it; it must divide the rows of its node, and its node must exist, or it is an error.
    forbid : list of str, optional
        Columns that no split may use. Unlike columns that the schema ignores, they are still
        columns of the table and of the model, and `why` lists them.
    **settings
        Settings of the recipe: ``criterion``, ``max_depth``, ``min_weight``, ``min_gain``,
        ``max_leaves``, ``missing``, …; see :class:`penjing.Recipe` and
        :class:`penjing.api.settings.Settings`. Names of scikit-learn are accepted where they
        mean the same: ``max_leaf_nodes``, ``min_samples_split``, ``random_state``, and
        ``min_samples_leaf`` for splits in two; ``criterion="entropy"`` is ``"gain"``.

    Returns
    -------
    Tree

    Warns
    -----
    DataWarning
        For each decision made while reading: a column left out, rows dropped, a type inferred;
        and if the tree is a single leaf, why it is, and what grows more.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("watermelon2.0"), recipe="id3")
    >>> tree.depth, tree.n_leaves
    (4, 8)
    """
    parameters: dict[str, Any] = {**locals()}
    for name in ("quiet", "sample_weight", "class_names"):
        parameters.pop(name)
    if sample_weight is not None:
        if weight is not None:
            raise ChoiceError("setting_twice", one="sample_weight", other="weight")
        parameters["weight"] = weight = sample_weight
    changes = parameters.pop("settings")
    if changes:
        _refuse_reading_options(changes)
    parameters["seed"] = _seed(seed, recipe, changes)
    rows = TrainingRows(data, target, schema, weight)
    with ExplainRecipeAsTarget(target):
        tree = Tree.from_data(
            with_warnings(lambda: train(**changes, **parameters, origin=rows), quiet=quiet)
        )
    if class_names is not None:
        tree = keep_class_names(tree, class_names)
    if tree.n_nodes == 1 and not quiet:
        from penjing.explain.one_leaf import GivenOptions, one_leaf

        pruning = {"prune": prune, "validation": validation}

        def regrow(
            *,
            is_unpruned: bool = False,
            without: Sequence[str] = (),
            **changed: Any,  # noqa: ANN401
        ) -> TreeData:
            options = {**parameters, "recipe": changed.pop("recipe", recipe), "trace": False}
            if is_unpruned:
                options |= dict.fromkeys(pruning)
            kept = {name: value for name, value in changes.items() if name not in without}
            return train(**{**kept, **changed}, **options)

        table = training_part(rows.read_from(data, target, weight), rows.recipe, validation, seed)
        given = GivenOptions(
            tuple(name for name, value in pruning.items() if value is not None),
            {name: name for name in changes},
        )
        if reason := one_leaf(tree, table, regrow, given):
            warn_of_text(reason.text())
    is_part = isinstance(validation, float | Fold)  # some of the rows did not grow the tree
    return remember_rows(tree, None if is_part else rows)


def _option_names(recipe: str | Recipe) -> set[str]:
    return {field.name for field in fields(recipe_of(recipe).options)}


_READING_OPTIONS = frozenset(
    ("encoding", "keep", "dates", "names", "separator", "decimal", "fold_case", "sheet")
)
"""Parameters of `penjing.read` that are neither parameters of `fit` nor settings of a recipe."""


def _refuse_reading_options(settings: Mapping[str, Any]) -> None:
    """Raise an error that says where an option of reading has to be given."""
    for name, value in settings.items():
        if name in _READING_OPTIONS:
            raise ChoiceError("setting_of_read", name=name, value=value)


def _seed(seed: int, recipe: str | Recipe, changes: dict[str, Any]) -> int:
    """Return the seed, which scikit-learn calls random_state, as its recipe does."""
    if "random_state" not in changes:
        return seed
    if not is_auto(recipe) and "random_state" in _option_names(recipe):
        return seed
    if seed != 0:
        raise ChoiceError("setting_twice", one="random_state", other="seed")
    state = changes.pop("random_state")
    return 0 if state is None else whole_number("random_state", state, 0)
