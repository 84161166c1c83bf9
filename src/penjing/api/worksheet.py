"""Worksheets from a table, or from a random one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from penjing.data.source import Source, Target
from penjing.grow.recipe import Recipe

if TYPE_CHECKING:
    from penjing.render.worksheets.sheet_and_solution import Worksheet


def worksheet(
    data: Source | None = None,
    target: Target | None = None,
    recipe: str | Recipe = "id3",
    *,
    seed: int | None = None,
    depth: int | None = None,
    rows: int | None = None,
    blanks: Literal["choice", "measures", "all"] = "measures",
    lang: str = "en",
    quiet: bool = False,
) -> Worksheet:
    """Make a worksheet with blanks, and its solution, from a table or a random table.

    Parameters
    ----------
    data : Table or source, optional
        A table, or anything that :func:`penjing.read` can read. With ``seed``, only its columns,
        categories and classes are used, at most six columns and three classes; without a table,
        they come from a built-in list.
    target : str or values, optional
        The column to predict; not needed for a `Table`.
    recipe : str or Recipe
        A recipe of the textbook: ``id3``, ``c4.5-textbook``, ``cart-textbook``, ``cart-binary``.
    seed : int, optional
        Generate a random table with a unique answer: no ties at any node, scores well apart. The
        same seed gives the same table everywhere.
    depth : int, optional
        The largest depth of the tree; by default no limit, and 2 for a random table, whose tree
        has exactly this depth.
    rows : int, optional
        The number of rows of a random table; by default 8, 12, 16, … for a depth of 1, 2, 3, …
    blanks : str
        How much is left blank. ``choice``: the scores of the columns, the chosen one and its
        branches; those of the root are given. ``measures``: also the class counts, the impurity
        and the steps to each score. ``all``: also those of every branch of every column.
    lang : str
        ``en`` or ``zh``.
    quiet : bool
        Do not warn about decisions made while reading the data, and about ties.

    Returns
    -------
    Worksheet
        ``save(path)`` writes it and its solution.

    Examples
    --------
    >>> import penjing
    >>> sheet = penjing.worksheet("example:play_tennis", recipe="id3", blanks="all")
    >>> sheet.sheet["n_nodes"], sheet.solution["answers"][-2]
    (3, {'id': '3.branch.3.rows', 'kind': 'count', 'value': None, 'text': '–'})
    >>> drawn = penjing.worksheet(recipe="cart-textbook", seed=7, lang="zh")
    >>> len(drawn.sheet["rows"]), drawn.ties
    (12, [])
    """
    from penjing.api.make_worksheet import make_worksheet

    return make_worksheet(
        data, target, recipe, seed=seed, depth=depth, n_rows=rows, blanks=blanks, lang=lang,
        quiet=quiet,
    )  # fmt: skip
