"""Trees put to the test: right and wrong answers, pruning, cross-validation, comparison."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.align import Places, align, align_to, markers_of, placeless
from penjing.compare import compare
from penjing.errors import ChoiceError, DataError
from penjing.folds import Fold, each_fold, folds, hold_out
from penjing.plugs import load
from penjing.predict import classes_of
from penjing.prune import measure_of
from penjing.prune.carried import Stayed, carried, places, renumbered
from penjing.read import read
from penjing.read.gather import refuse_source
from penjing.recipe import Recipe, recipe_of
from penjing.report import NumberReport, Report, number_report_of, report_of
from penjing.table import Table
from penjing.tree import Tree
from penjing.write.pruning import OWN

__all__ = ["Fold", "compare", "cross_validate", "folds", "hold_out", "prune", "score"]

Grower = Callable[[Table], Tree]
LEAVE_ONE_OUT = "leave-one-out"


def score(
    tree: Tree,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *,
    unseen: Literal["stop", "error"] | None = None,
    missing: Literal["stop", "fraction", "error"] | None = None,
) -> Report | NumberReport:
    """Count a tree's right and wrong answers.

    Parameters
    ----------
    tree : Tree
        Who answers.
    source : Table or source
        Rows with the value to be predicted; rows without it are left out and counted.
    unseen, missing
        As in :func:`penjing.predict.predict`.

    Returns
    -------
    Report or NumberReport
        Of classes or of a number; both can be printed, and told as plain data by ``to_json()``.

    Examples
    --------
    >>> from penjing.table import nominal
    >>> tree = Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}, target="ripe")
    >>> texture = nominal("texture", ["clear", "clear", "faint"])
    >>> print(tree.score(Table((texture,), nominal("ripe", ["yes", "no", "no"]), 3)))
    accuracy 2/3 = 66.7 %   (95 % interval 21 to 94 %)
                  predicted
    actual        yes    no
      yes           1     0
      no            1     1
    wrong: row 2 no→yes
    """
    table, unlabelled = _labelled(align(tree, source), tree.target.name)
    predicted = classes_of(tree, table, unseen=unseen, missing=missing)
    return _report(table, predicted, unlabelled)


def prune(
    tree: Tree,
    method: str,
    *,
    validation: Any = None,  # noqa: ANN401 - whatever `align` takes
    training: Any = None,  # noqa: ANN401 - the same
    folds: int | None = None,
    **options: Any,  # noqa: ANN401 - checked against the method's own
) -> Tree:
    """Return a smaller tree; the one given stays as it is.

    What was decided of every question stands in ``about["pruning"]`` of the new tree.

    Parameters
    ----------
    tree : Tree
        What to prune.
    method : str
        ``reduced-error`` (needs validation rows), ``error-based`` (needs the training rows if
        branches may be raised), or one that needs none: ``pessimistic``, ``cost-complexity``,
        ``minimum-error``, ``mdl``, ``collapse``, ``simplify``.
    validation : Table or source
        Rows that decide; not the training rows, and not the rows that report afterwards.
    training : Table or source
        The rows that the tree was grown from, for raising branches or for ``folds``.
    folds : int
        Cross-validate the complexities of the tree first, in so many parts of the training
        rows; then ``cost-complexity`` needs neither ``cp`` nor ``alpha``.
    **options
        Of the method: ``ties`` of reduced-error; ``confidence`` of pessimistic and error-based,
        ``raise_branches`` of the latter; ``alpha``, ``cp``, ``by``, ``one_se`` of
        cost-complexity; ``m`` of minimum-error; ``slack`` of collapse.

    Examples
    --------
    >>> from penjing.table import nominal
    >>> tree = Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}, target="ripe")
    >>> texture = nominal("texture", ["clear", "faint"])
    >>> table = Table((texture,), nominal("ripe", ["yes", "yes"]), 2)
    >>> tree.prune("reduced-error", validation=table).n_leaves
    1
    """
    pruner = load("prune", method)
    told = inspect.signature(pruner).parameters
    known = {k: p.default for k, p in told.items() if p.kind is p.KEYWORD_ONLY}
    _check_options(method, options, pruner)
    if training is not None:  # methods that do not need it leave it alone
        refuse_source(training)
    if folds is not None:
        tree = _cross_validated(tree, method, training, folds)
    measure = OWN.get(method, "errors")
    record: dict[str, Any] = {"method": method, "options": known | options, "measure": measure}
    if "counter" in told and training is not None:
        options = options | {"counter": _counter(tree, training)}
    if "judge" in told:
        if validation is None:
            raise ChoiceError("needs_validation", method=method)
        if isinstance(validation, int | float | Fold):
            raise ChoiceError("share_needs_rows", value=validation)
        table = judging(tree, validation)
        missing = "fraction" if tree.recipe.get("missing") == "fraction" else "refuse"
        judge = load("engine", "memory")(table, missing=missing, shares_of="tree")
        record |= {"measure": measure_of(judge.reader), "validation": source_of(table)}
        smaller, decisions = pruner(tree, judge, **options)
    elif validation is not None:
        raise ChoiceError("validation_not_used", method=method)
    else:
        smaller, decisions = pruner(tree, **options)
    found = places(tree, smaller)
    record["decisions"] = renumbered([decision.to_json() for decision in decisions], found)
    earlier = [_followed(told, found) for told in tree.about.get("pruning", ())]
    about = dict(smaller.about) | {"pruning": [*earlier, record]}
    if "training" in about:
        about["training"] = _training(tree, smaller)
    about = {key: value for key, value in about.items() if value is not None}
    pruned: Tree = replace(smaller, about=about, kept_trace=carried(tree, smaller, found))
    return pruned


def _followed(record: Mapping[str, Any], found: Stayed) -> Mapping[str, Any]:
    """Return what was decided before, under the numbers that nodes have now."""
    decisions = record.get("decisions", ())
    if not all("now" in decision for decision in decisions):
        return record  # of a model that was written when they were not followed
    return dict(record) | {"decisions": renumbered(decisions, found)}


def _check_options(method: str, given: Mapping[str, Any], pruner: Callable[..., Any]) -> None:
    if given and not arguments.known_options(pruner):
        raise ChoiceError("no_options", word=next(iter(given)), method=method)
    arguments.options(pruner, given, "unknown_option", method=method)


def _counter(tree: Tree, training: Any) -> Any:  # noqa: ANN401 - an engine
    """Return an engine that holds the training rows of a tree."""
    missing = "fraction" if tree.recipe.get("missing") == "fraction" else "refuse"
    return load("engine", "native")(judging(tree, training), missing=missing)


def _cross_validated(tree: Tree, method: str, training: Any, folds: int) -> Tree:  # noqa: ANN401
    if method != "cost-complexity":
        raise ChoiceError("folds_not_used", method=method)
    if training is None:
        raise ChoiceError("folds_need_rows", folds=folds)
    made: Tree = import_module("penjing.cp_errors").cross_validated(tree, training, folds)
    return made


def cross_validate(
    table: Any,  # noqa: ANN401 - a Table, or whatever `read` can read
    how: str | Recipe | Tree | Grower,
    k: int | Literal["leave-one-out"] = 10,
    *,
    target: str | None = None,
    seed: int = 0,
    prune: str | None = None,
    validation: float | None = None,
    **options: Any,  # noqa: ANN401 - options of the pruner
) -> Report | NumberReport:
    """Grow trees on all folds but one, test each on the fold left out, and count all together.

    Parameters
    ----------
    table : Table or source
        All rows: a table, or anything that :func:`penjing.read` can read.
    how : str, Recipe, Tree or function
        How to grow: a recipe, a tree (as it was grown and pruned itself), or a function from
        a table to a tree.
    k : int or "leave-one-out"
        The number of folds; stratified.
    target : str, optional
        The column to predict, by name; not needed for a `Table`.
    seed : int
        Decides which rows make a fold.
    prune : str, optional
        How to prune each tree.
    validation : float, optional
        The share of the training rows of each fold that decides the pruning.
    **options
        Of the pruning method.

    Returns
    -------
    Report or NumberReport
        Over all rows, each answered by the tree that has not seen it.

    Examples
    --------
    >>> from penjing.table import nominal
    >>> texture = nominal("texture", ["clear"] * 4 + ["faint"] * 4)
    >>> table = Table((texture,), nominal("ripe", ["yes"] * 3 + ["no"] * 5), 8)
    >>> cross_validate(table, "id3", "leave-one-out").correct
    7
    """
    table = read(table, target)
    if table.target is None:
        raise DataError("no_target_in_table")
    arguments.some_text("prune", prune)
    grower = grower_of(how, seed, prune, validation, options)
    n_folds: Any = table.n_rows if isinstance(k, str) and k == LEAVE_ONE_OUT else k
    places = Places(table.target.levels)
    # Numbered anew, so that held-out rows know where their answer goes.
    marked = replace(table, row_numbers=np.arange(table.n_rows))
    answers: npt.NDArray[Any] = np.empty(
        table.n_rows, np.float64 if table.is_regression else np.intp
    )
    for train, held_out in each_fold(marked, n_folds, seed):
        tree = grower(train)
        found = classes_of(tree, held_out)
        if not table.is_regression:
            found = np.array([places.of(class_) for class_ in tree.classes])[found]
        assert held_out.row_numbers is not None
        answers[held_out.row_numbers] = found
    return _report(table, answers)


def judging(like: Tree | Table, source: Any) -> Table:  # noqa: ANN401 - whatever `align` takes
    """Return validation rows as an engine wants them.

    Coded as a tree, or the rows that one is to be grown from; without the rows that do not say
    what is to be predicted; and with levels that an order does not know taken for missing.
    """
    if isinstance(like, Tree):
        table, _ = _labelled(align(like, source), like.target.name)
    else:
        assert like.target is not None
        how = {"missing": markers_of(like)}
        aligned = align_to(like.schema, like.target.field, source, **how)
        table, _ = _labelled(aligned, like.target.name)
    return placeless(table, like.schema)


def source_of(table: Table) -> dict[str, Any]:
    """Return what a tree keeps of the rows that decided or tested: name, size, fingerprint."""
    told = {key: table.source[key] for key in ("name", "sha256") if key in table.source}
    return told | {"n_rows": table.n_rows}


def not_a_test(tree: Tree, rows: Table) -> list[str]:
    """Return why rows are no test of a tree, as keys of sentences: they grew or pruned it.

    Files are known by their content, whatever they are called.
    """
    mine = rows.source.get("sha256")
    judges = [record.get("validation", {}) for record in tree.about.get("pruning", ())]
    grew = mine is not None and mine == tree.about.get("source", {}).get("sha256")
    pruned = mine is not None and any(judge.get("sha256") == mine for judge in judges)
    return ["note_training_tested"] * grew + ["note_validation_tested"] * pruned


# -- inside ---------------------------------------------------------------------------------


def _labelled(table: Table, target: str) -> tuple[Table, int]:
    """Return the rows that say what is to be predicted, and how many do not."""
    name = table.source.get("name", "table")
    if table.target is None:
        raise DataError("test_needs_target", source=name, target=target)
    is_known = table.target.codes >= 0
    n = int(is_known.sum())
    if not n:
        raise DataError("test_without_rows", source=name, target=target)
    return (table if n == table.n_rows else table.take(is_known)), table.n_rows - n


def _report(
    table: Table, predicted: npt.NDArray[Any], unlabelled: int = 0
) -> Report | NumberReport:
    if not (weighs := table.weights > 0).all():  # a row of weight 0 is not judged
        table, predicted = table.take(weighs), predicted[weighs]
    assert table.target is not None
    about: dict[str, Any] = {
        "target": table.target.name,
        "source": str(table.source.get("name", "table")),
        "predicted": predicted,
        "weight": table.weights,
        "unlabelled": unlabelled,
    }
    if table.is_regression:
        return number_report_of(actual=table.target.numbers(), **about)
    rows = table.row_numbers
    if rows is None:
        rows = np.arange(1, table.n_rows + 1)
    classes = tuple(table.target.levels)
    return report_of(classes=classes, actual=table.target.codes, rows=rows, **about)


def _training(tree: Tree, smaller: Tree) -> dict[str, Any] | None:
    """Return how many training rows the smaller tree gets right, None if that is not known.

    Counts in the leaves say it, unless rows were shared out over branches: then only the rows
    themselves could tell.
    """
    told: dict[str, Any] = tree.about["training"]
    may_share = tree.recipe.get("missing") == "fraction"
    is_whole = bool((tree.nodes.total == np.floor(tree.nodes.total)).all())
    if may_share and not (is_whole and _right(tree) == told["correct"]):
        return None
    return told | {"correct": _right(smaller)}


def _right(tree: Tree) -> float:
    """Return the weight of the training rows that have the class their leaf answers with."""
    leaves = np.flatnonzero(tree.is_leaf)
    return float(tree.nodes.total[leaves, tree.values[leaves]].sum())


def grower_of(
    how: str | Recipe | Tree | Grower,
    seed: int,
    method: str | None,
    share: float | None,
    options: Mapping[str, Any],
) -> Grower:
    """Return the function from training rows to a finished tree."""
    fit = import_module("penjing.fit").fit  # the room above this one; it prunes with this one
    if isinstance(how, Tree):
        recipe: Any = recipe_from(how)
    else:
        recipe = how if callable(how) else recipe_of(how)
    arguments.whole_number("seed", seed, 0)

    def grown(train: Table) -> Tree:
        rows, held_out = (train, None) if share is None else hold_out(train, share, seed)
        tree: Tree = fit(rows, recipe=recipe) if isinstance(recipe, Recipe) else recipe(rows)
        arguments.instance("how", tree, Tree, "not_grown")
        given: dict[str, Any] = {} if held_out is None else {"validation": held_out}
        if method is not None:
            return prune(tree, method, **given, **options)
        for name, settings in _steps(how, tree) if isinstance(how, Tree) else ():
            tree = prune(tree, name, training=rows, **settings)
        return tree

    return grown


def _steps(like: Tree, grown: Tree) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield how a tree was pruned, but for what its recipe does by itself."""
    done = len(grown.about.get("pruning", ()))
    for record in like.about.get("pruning", ())[done:]:
        if "validation" in record:
            raise ChoiceError("cannot_regrow")
        yield record["method"], dict(record["options"])


def recipe_from(tree: Tree) -> Recipe:
    """Return the recipe that a tree was grown by."""
    settings = dict(tree.recipe)
    return recipe_of(settings.pop("name", "by hand"), **settings)
