"""The report on a tree as one HTML file: the verdict first, then evidence, last the provenance.

The file loads nothing from the network and contains no scripts.
"""

from __future__ import annotations

from collections.abc import Sequence

from penjing.data.source import Label
from penjing.data.table import Table
from penjing.dialects.recipes import recipe_of
from penjing.errors import ChoiceError, PenjingError, unknown_name_error
from penjing.evaluate.curves import learning_curve, pruning_curve
from penjing.evaluate.metrics import class_code
from penjing.evaluate.validation import cross_validate, not_a_test, score
from penjing.i18n import LANGUAGES, say
from penjing.render.report import evaluation, provenance, tree_sections
from penjing.render.report.page import Page
from penjing.render.report.verdict import AnyReport, add_verdict
from penjing.render.summary import size_line
from penjing.tree.tree_data import TreeData

MAX_ROWS_FOR_CURVES = 20_000
"""With more training rows, trees for curves are grown only on request."""
THEMES = ("auto", "light", "dark")


def write(
    tree: TreeData,
    train: Table | None = None,
    test: Table | None = None,
    *,
    lang: str = "en",
    theme: str = "auto",
    title: str | None = None,
    folds: int = 10,
    seed: int = 0,
    cross_validation: bool | None = None,
    warnings: Sequence[str] = (),
    positive: Label | None = None,
    trace: bool = False,
) -> str:
    """Return the report on a tree as the text of an HTML file.

    Parameters
    ----------
    tree : TreeData
        The tree.
    train : Table, optional
        The training rows, for the profile of the data, cross-validation and curves.
    test : Table, optional
        The test set, for metrics and calibration.
    lang : str
        ``en`` or ``zh``.
    theme : str
        ``auto``, ``light`` or ``dark``.
    title : str, optional
        The heading; default: the target's name.
    folds, seed : int
        Number of folds and seed of cross-validation.
    cross_validation : bool, optional
        Whether to grow more trees for cross-validation and curves; default: unless there are many
        rows.
    warnings : sequence of str
        Keys of further messages about the test set.
    positive : object, optional
        The class that lift and scores are about; default: the rarer one of two classes.
    trace : bool
        Add how the tree was grown, step by step.

    Examples
    --------
    >>> import penjing
    >>> page = write(penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}))
    >>> page.startswith("<!doctype html>"), "http:" in page.replace("http://www.w3.org", "")
    (True, False)
    """
    _check_choices(tree, train, lang, theme, folds=folds, positive=positive)
    page = Page(lang, theme)
    page.set_heading(title or tree.target.name, size_line(tree, lang))
    tested = None if test is None else score(tree, test, positive=positive)
    k = 0 if train is None else min(folds, train.n_rows)
    if cross_validation is None:
        cross_validation = train is not None and train.n_rows <= MAX_ROWS_FOR_CURVES
    is_crossed = (
        cross_validation
        and train is not None
        and train.target is not None
        and k >= 2
        and _can_grow_again(tree)
    )
    in_folds: tuple[AnyReport, int] | None = None
    if is_crossed and train is not None:
        in_folds = cross_validate(train, tree, k, seed=seed, positive=positive), k
    sentences: list[str] = []
    if test is not None:
        keys = dict.fromkeys([*not_a_test(tree, test), *warnings])
        sentences = evaluation.warning_sentences(page, test, keys)
    add_verdict(page, tree, tested, in_folds, sentences)
    if tested is not None:
        heading = say("document_test", lang)
        evaluation.add_predictions(page, "test", heading, tested, sentences)
    tree_sections.add_rules(page, tree)
    tree_sections.add_importances(page, tree)
    tree_sections.add_root(page, tree, train)
    tree_sections.add_pruning(page, tree)
    if in_folds is not None and train is not None:
        rows = train
        heading = say("document_folds", lang, k=k)
        evaluation.add_predictions(page, "folds", heading, in_folds[0])
        curves = [
            lambda: learning_curve(rows, tree, k=min(5, k), seed=seed),
            lambda: pruning_curve(tree, rows, test, k=k, seed=seed),
        ]
        evaluation.add_curves(page, curves)
    elif not is_crossed and tree.has_counts and (train is not None or test is not None):
        evaluation.add_curves(
            page, [lambda: pruning_curve(tree, train, test, cross_validation=False)]
        )
    if trace:
        tree_sections.add_trace(page, tree, train)
    provenance.add_recipe(page, tree)
    if train is not None:
        provenance.add_data(page, train)
    provenance.add_provenance(page, tree)
    return page.html()


def _check_choices(
    tree: TreeData,
    train: Table | None,
    lang: str,
    theme: str,
    *,
    folds: int,
    positive: Label | None,
) -> None:
    """Raise an error for a choice that does not exist."""
    if lang not in LANGUAGES:
        raise unknown_name_error("unknown_choice", lang, LANGUAGES, kind="lang")
    if theme not in THEMES:
        raise unknown_name_error("unknown_choice", theme, THEMES, kind="theme")
    if folds < 2:
        raise ChoiceError("bad_folds", value=folds, n=0 if train is None else train.n_rows)
    if positive is not None:
        class_code(positive, tree.classes)


def _can_grow_again(tree: TreeData) -> bool:
    """Return whether the recipe is known, and pruning needed no validation set."""
    try:
        settings = dict(tree.recipe)
        recipe_of(settings.pop("name", "by hand"), **settings)
    except PenjingError:
        return False
    return not any("validation" in record for record in tree.about.get("pruning", ()))
