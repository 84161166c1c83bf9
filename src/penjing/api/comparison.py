"""Compare trees, and the recipes that grow them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from penjing import arguments
from penjing.api.data_warnings import warn_of
from penjing.api.fit import fit
from penjing.api.read_table import read_rows
from penjing.api.settings import Settings
from penjing.api.tree import Tree
from penjing.data.notes import Note
from penjing.data.source import Source, Target
from penjing.data.table import Table
from penjing.errors import CapabilityError, ChoiceError, DataError
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.evaluate.compare import Comparison
    from penjing.evaluate.compare_several import TreesComparison

Tables = Mapping[str, Source]


@overload
def compare(
    a: TreeData,
    b: TreeData,
    tables: Tables | None = None,
    names: tuple[str, str] = ("a", "b"),
) -> Comparison: ...
@overload
def compare(
    a: TreeData,
    b: TreeData,
    *others: TreeData,
    tables: Tables | None = None,
    names: Sequence[str] | None = None,
    folds: int | Literal["leave-one-out"] | None = None,
    seed: int = 0,
) -> TreesComparison: ...
def compare(
    a: TreeData,
    b: TreeData,
    *others: TreeData | Tables | Sequence[str] | None,
    tables: Tables | None = None,
    names: Sequence[str] | None = None,
    folds: int | Literal["leave-one-out"] | None = None,
    seed: int = 0,
) -> Comparison | TreesComparison:
    """Compare two or more trees: sizes, scores, where they differ, and on which rows.

    Parameters
    ----------
    a, b, *others : Tree
        The trees. After two trees, ``tables`` and ``names`` may also be given by position.
    tables : dict from name to Table or source, optional
        Rows that all trees predict, by name. The names ``training`` and ``test`` have a
        meaning: the sign test uses the rows of ``test``, cross-validation those of ``training``.
    names : sequence of str
        What to call the trees; ``a``, ``b``, ``c`` … if not given.
    folds : int or "leave-one-out", optional
        Cross-validate the recipe of every tree on the table ``training``; the result is then
        that of several trees.
    seed : int
        The seed that assigns rows to folds.

    Returns
    -------
    Comparison
        Of two trees. It prints as text. ``trees``: the name, leaves and depth of each tree, and
        for each table how many rows it predicts correctly (``correct`` of ``weight``) or its sum
        of squared errors (``squares``). ``same``: whether both have the same splits and
        predictions. ``differences``: each place where they differ, from the root down. ``rows``:
        for each table the rows that they predict differently, with both predictions.
    TreesComparison
        Of more trees, or with ``folds``: ``trees`` as above, with intervals of the accuracy, and
        ``pairs``, which compares every two trees.

    Examples
    --------
    >>> import penjing
    >>> a = penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}})
    >>> b = penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "yes"}})
    >>> penjing.compare(a, b).differences[0]["kind"]
    'answer'
    >>> [pair["same"] for pair in penjing.compare(a, b, a).pairs]
    [False, True, False]
    """
    from penjing.evaluate import compare as two_trees
    from penjing.evaluate.compare_several import compare_several

    more: list[Any] = list(others)
    if more and not isinstance(more[0], TreeData) and tables is None and len(more) <= 2:
        tables = more.pop(0)
        if more and names is None:
            names = more.pop(0)
    arguments.whole_number("seed", seed, 0)
    if more or folds is not None:
        return compare_several([a, b, *more], tables, names, folds=folds, seed=seed)
    pair: Any = ("a", "b") if names is None else names
    return two_trees.compare(a, b, tables, pair)


def compare_recipes(
    data: Source,
    recipes: Sequence[str] = ("id3", "c4.5-textbook", "cart-textbook"),
    target: Target | None = None,
    *,
    test: Source | None = None,
    folds: int | Literal["leave-one-out"] | None = None,
    seed: int = 0,
    quiet: bool = False,
    **settings: Unpack[Settings],
) -> TreesComparison:
    """Grow a tree by each of several recipes from one table, and compare them.

    A recipe that cannot grow a tree of this table, for example because it does not accept missing
    values, is left out with a warning.

    Parameters
    ----------
    data, target
        As in :func:`penjing.fit`.
    recipes : sequence of str
        The names of the recipes.
    test : Table or source, optional
        Rows with the target that the trees predict, besides those of training.
    folds : int or "leave-one-out", optional
        Cross-validate every recipe.
    seed : int
        The seed that assigns rows to folds.
    quiet : bool
        Do not warn about decisions made while reading the data.
    **settings
        Settings that all recipes get, as in :func:`penjing.fit`.

    Examples
    --------
    >>> import penjing
    >>> comparison = penjing.compare_recipes(penjing.example("watermelon2.0"))
    >>> comparison.to_pandas()["leaves"].tolist()
    [8, 7, 8]
    """
    from penjing.evaluate.compare_several import TRAINING, compare_several

    names = arguments.texts("recipes", recipes)
    if len(names) < 2:
        raise ChoiceError("compare_needs_two", n=len(names))
    table = read_rows(data, target, quiet=quiet)
    trees, notes = trees_by_recipe(table, names, {"seed": seed, **settings})
    if not quiet:
        warn_of(notes)
    tables: dict[str, Source] = {TRAINING: table}
    if test is not None:
        tables["test"] = test
    return compare_several(list(trees.values()), tables, list(trees), folds=folds, seed=seed)


def trees_by_recipe(
    table: Table, names: Sequence[str], settings: Mapping[str, Any]
) -> tuple[dict[str, Tree], list[Note]]:
    """Return a tree by each recipe that can grow one of a table, and notes about the others.

    Parameters
    ----------
    table : Table
        The training rows.
    names : sequence of str
        The names of the recipes.
    settings : mapping
        Arguments of :func:`penjing.fit` for all recipes.
    """
    trees: dict[str, Tree] = {}
    notes: list[Note] = []
    for name in dict.fromkeys(names):
        try:
            trees[name] = fit(table, recipe=name, quiet=True, **settings)
        except (CapabilityError, ChoiceError, DataError) as problem:
            refuses_missing = problem.key.startswith("missing_refused")
            if isinstance(problem, ChoiceError) and not refuses_missing:
                raise
            why = Note("why_missing_refused" if refuses_missing else problem.key, problem.values)
            notes.append(Note("note_recipe_left_out", {"recipe": name, "why": why}))
    if len(trees) < 2:
        raise ChoiceError("compare_needs_two", n=len(trees))
    return trees, notes
