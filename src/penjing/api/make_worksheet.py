"""Makes worksheets: checks of the table and the recipe, random tables, what is left blank."""

from __future__ import annotations

from typing import Any

from penjing import arguments
from penjing.api.data_warnings import warn_of_text
from penjing.api.fit import fit
from penjing.api.read_table import read_rows
from penjing.api.tree import Tree
from penjing.data.source import Source, Target
from penjing.data.table import Table
from penjing.dialects.recipes import RECIPES, recipe_of
from penjing.errors import ChoiceError, DataError
from penjing.explain.node import story
from penjing.grow.recipe import Recipe
from penjing.i18n import LANGUAGES, Names, say
from penjing.render.worksheets.draw_table import RandomNumbers, draw_table, shape_of, topic_shape
from penjing.render.worksheets.sheet_and_solution import Worksheet
from penjing.render.worksheets.sheet_record import sheet_record, solution_record, split_nodes
from penjing.render.worksheets.slots import LEVELS, MEASURES
from penjing.render.worksheets.unique_answer import has_unique_answer
from penjing.text.labels import quoted
from penjing.text.phrases import join_names
from penjing.tree.dialect import dialect_of

MAX_ROWS = 100
"""A worksheet lists all rows; this many fit on two pages."""
MAX_NODES = 40
"""A tree with more splits is too large to be computed by hand."""
MAX_DEPTH = 4
"""The largest depth of a drawn tree."""
_MAX_DRAWN_NODES = 6
"""The largest number of splits of a drawn tree, for each level of its depth beyond the first."""


def make_worksheet(
    data: Source | None,
    target: Target | None,
    recipe: str | Recipe,
    *,
    seed: int | None,
    depth: int | None,
    n_rows: int | None,
    blanks: str,
    lang: str,
    quiet: bool,
) -> Worksheet:
    """Return a worksheet; parameters as in :func:`penjing.worksheet`.

    Examples
    --------
    >>> drawn = make_worksheet(
    ...     None, None, "id3", seed=1, depth=1, n_rows=8, blanks="all", lang="en", quiet=False
    ... )
    >>> drawn.sheet["n_nodes"]
    1
    """
    lang = arguments.one_of("lang", lang, LANGUAGES)
    level = arguments.one_of("blanks", blanks, LEVELS)
    depth = arguments.optional_whole_number("depth", depth, 1)
    settings = _textbook_recipe(recipe).but(max_depth=depth)
    table = None if data is None else _with_classes(read_rows(data, target, quiet=quiet))
    if seed is not None:
        table = _drawn(table, settings, arguments.whole_number("seed", seed, 0), n_rows, lang)
    elif table is None:
        raise ChoiceError("worksheet_needs_data")
    elif n_rows is not None:
        raise ChoiceError("worksheet_rows_seed")
    sheet = _worksheet(_complete(table), settings, level, lang, seed)
    if not arguments.boolean("quiet", quiet):
        for node, columns in sheet.ties:
            warn_of_text(say("note_worksheet_tie", n=node, columns=join_names(columns)))
    return sheet


def _textbook_recipe(recipe: str | Recipe) -> Recipe:
    """Return a recipe whose scores are the formulas of the textbook."""
    named = recipe_of(recipe)
    if not is_worksheet_recipe(named):
        known = [name for name, other in RECIPES.items() if is_worksheet_recipe(other)]
        raise ChoiceError("worksheet_recipe", recipe=named.name, known=Names(known))
    return named


def is_worksheet_recipe(recipe: Recipe) -> bool:
    """Return whether the scores of a recipe are formulas of the textbook."""
    is_known = isinstance(recipe.criterion, str) and recipe.criterion in MEASURES
    has_shape = recipe.shape in ("multiway", "binary")
    return is_known and has_shape and dialect_of(recipe.rules).ranks_by_criterion


def _with_classes(table: Table) -> Table:
    """Return a table whose target are classes; others are refused."""
    if table.target is None:
        raise DataError("no_target_in_table")
    if table.is_regression:
        raise ChoiceError("worksheet_numbers", target=table.target.name)
    return table


def _complete(table: Table) -> Table:
    """Return a small table without missing values or weights; others are refused."""
    assert table.target is not None
    if table.n_rows > MAX_ROWS:
        raise ChoiceError("worksheet_rows", n=table.n_rows, most=MAX_ROWS)
    if table.weight is not None:
        raise ChoiceError("worksheet_weights")
    missing = [c.name for c in (*table.columns, table.target) if c.has_missing]
    if missing:
        raise ChoiceError("worksheet_missing", columns=Names(map(quoted, missing)))
    return table


def _drawn(table: Table | None, recipe: Recipe, seed: int, n_rows: int | None, lang: str) -> Table:
    """Return a random table whose tree has the wanted depth, and is clearly the only answer."""
    depth = 2 if recipe.max_depth is None else recipe.max_depth
    if depth > MAX_DEPTH:
        raise ChoiceError("worksheet_depth", depth=depth, most=MAX_DEPTH)
    wanted = 4 + 4 * depth if n_rows is None else n_rows
    size = arguments.whole_number("rows", wanted, 4, MAX_ROWS)
    random = RandomNumbers(seed)
    shape = (
        topic_shape(random, lang, size, depth) if table is None else shape_of(random, table, size)
    )

    def is_good(drawn: Table) -> bool:
        tree = fit(drawn, recipe=recipe, quiet=True)
        n_splits = tree.n_nodes - tree.n_leaves
        if tree.depth != depth or n_splits > _MAX_DRAWN_NODES * max(1, depth - 1):
            return False
        return has_unique_answer(story(tree, drawn), drawn)

    return draw_table(shape, depth, random, is_good)


def _worksheet(table: Table, recipe: Recipe, level: str, lang: str, seed: int | None) -> Worksheet:
    tree: Tree = fit(table, recipe=recipe, quiet=True)
    nodes = split_nodes(tree)
    if not nodes:
        raise ChoiceError("worksheet_one_leaf")
    if len(nodes) > MAX_NODES:
        raise ChoiceError("worksheet_large", n=len(nodes), most=MAX_NODES)
    explanations: dict[int, dict[str, Any]] = {
        node: tree.why(node, table).to_dict() for node in range(tree.n_nodes)
    }
    about = {name: getattr(recipe, name) for name in ("name", "criterion", "shape", "max_depth")}
    sheet = sheet_record(table, about, len(nodes), level=level, lang=lang, seed=seed)
    sheet, solution = solution_record(sheet, tree, explanations)
    return Worksheet(sheet, solution, table, tree, [explanations[node] for node in nodes])
