"""Stability of a tree: how often trees of bootstrap samples split on the same columns."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from penjing.arguments import MAX_REPETITIONS, optional_text, whole_number
from penjing.data.read import read
from penjing.data.source import Source
from penjing.data.table import Table
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_table
from penjing.formatting.text_table import align_left, align_right, max_width
from penjing.grow.recipe import Recipe
from penjing.i18n import say
from penjing.text.labels import cut_label, quoted
from penjing.training.auto_recipe import RecipeChoice, choose_recipe
from penjing.training.pruning import prune as prune_tree
from penjing.training.train import train
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.formatting.frame import DataFrame


@dataclass(frozen=True, slots=True)
class Stability:
    """How much trees of bootstrap samples (rows drawn with replacement) have in common.

    Parameters
    ----------
    n : int
        How many trees were grown.
    root : str or None
        The column at the root of the tree of all rows; None if that tree is a leaf.
    roots : dict
        How many trees have each column at the root, most frequent first.
    cuts : dict
        For each numeric column at a root, its thresholds there, ascending.
    used : dict
        How many trees split on each column anywhere, most frequent first.
    leaves : tuple of int
        The number of leaves of each tree, ascending.

    Examples
    --------
    >>> import penjing
    >>> stability = penjing.bootstrap(penjing.example("fish"), n=20)
    >>> stability.root, stability.roots
    ('no surfacing', {'no surfacing': 14, 'flippers': 4})
    >>> print(stability)
    column            root    used
    'no surfacing'     70%     80%
    flippers           20%     55%
    20 trees with 1 to 3 leaves (median 2)
    """

    n: int
    root: str | None
    roots: dict[str, int]
    cuts: dict[str, list[float]]
    used: dict[str, int]
    leaves: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain data, ready for JSON.

        Examples
        --------
        >>> import penjing
        >>> penjing.bootstrap(penjing.example("fish"), n=20).to_json()["roots"]
        {'no surfacing': 14, 'flippers': 4}
        """
        return {
            "n": self.n,
            "root": self.root,
            "roots": dict(self.roots),
            "cuts": {name: list(cuts) for name, cuts in self.cuts.items()},
            "used": dict(self.used),
            "leaves": list(self.leaves),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the same as :meth:`to_json`.

        Examples
        --------
        >>> import penjing
        >>> penjing.bootstrap(penjing.example("fish"), n=20).to_dict()["n"]
        20
        """
        return self.to_json()

    def to_pandas(self) -> DataFrame:
        """Return the share of trees that split on each column, at the root and anywhere.

        Examples
        --------
        >>> import penjing
        >>> penjing.bootstrap(penjing.example("fish"), n=20).to_pandas()
                      root  used
        column
        no surfacing   0.7  0.80
        flippers       0.2  0.55
        """
        shares = {
            "root": [self.roots.get(name, 0) / self.n for name in self.used],
            "used": [count / self.n for count in self.used.values()],
        }
        return frame_of(shares, list(self.used), "column")

    def _repr_html_(self) -> str:
        head, rows, size = self._cells("en")
        return html_table([head], rows, size)

    def text(self, lang: str = "en") -> str:
        """Return a table of the columns, and the sizes of the trees, as text.

        For each column: the share of trees that have it at the root, the share that split on it
        anywhere, and the median of its thresholds at the root with their 5% and 95% quantiles.

        Parameters
        ----------
        lang : str
            The language: ``en`` or ``zh``.

        Examples
        --------
        >>> import penjing
        >>> print(penjing.bootstrap(penjing.example("golf"), recipe="id3", n=20).text())
        column         root    used
        outlook         55%     95%
        humidity        15%     70%  threshold at the root 82.5 (90% between 79.35 and 82.5)
        temperature     20%     60%  threshold at the root 68.75 (90% between 66.575 and 76.45)
        windy           10%     45%
        20 trees with 4 to 8 leaves (median 5)
        """
        head, rows, size = self._cells(lang)
        name_width = max_width([head[0], *(name for name, *_ in rows)], 6)
        lines = []
        for name, root, used, cuts in [head, *rows]:
            shares = f"{align_right(root, 6)}  {align_right(used, 6)}"
            lines.append(
                f"{align_left(name, name_width)}  {shares}" + (f"  {cuts}" if cuts else "")
            )
        return "\n".join([*lines, size])

    def _cells(self, lang: str) -> tuple[list[str], list[list[str]], str]:
        """Return the heading, a row per column, and the sizes of the trees."""
        head = [say(key, lang) for key in ("why_column", "bootstrap_root", "bootstrap_used")]
        rows = []
        for name in self.used:
            shares = [100 * count / self.n for count in (self.roots.get(name, 0), self.used[name])]
            quantiles = ""
            if cuts := self.cuts.get(name):
                low, middle, high = (
                    cut_label(float(c)) for c in np.quantile(cuts, [0.05, 0.5, 0.95])
                )
                quantiles = say("bootstrap_cuts", lang, low=low, middle=middle, high=high)
            rows.append([quoted(name), *(f"{share:.0f}%" for share in shares), quantiles])
        least, most = self.leaves[0], self.leaves[-1]
        middle_size = self.leaves[len(self.leaves) // 2]
        sizes = {"n": self.n, "least": least, "middle": middle_size, "most": most}
        return [*head, ""], rows, say("bootstrap_size", lang, **sizes)

    def __str__(self) -> str:
        return self.text()


def bootstrap(
    data: Source,
    target: str | None = None,
    recipe: str | Recipe = "auto",
    n: int = 100,
    *,
    seed: int = 0,
    prune: str | None = None,
    **changes: Any,  # noqa: ANN401 - settings of the recipe
) -> Stability:
    """Grow trees from rows drawn with replacement, and count their splits.

    Parameters and the result are those of :func:`penjing.bootstrap`.

    Examples
    --------
    >>> import penjing
    >>> stability = bootstrap(penjing.example("watermelon2.0"), n=20)
    >>> stability.root, max(stability.roots, key=stability.roots.get)
    ('纹理', '纹理')
    """
    n = whole_number("n", n, 1, MAX_REPETITIONS)
    random = np.random.default_rng(whole_number("seed", seed, 0))
    table = read(data, target)
    choice = choose_recipe(recipe, table, changes, optional_text("prune", prune))
    full_tree = _grow(table, choice)
    names = [field.name for field in full_tree.schema]
    roots: Counter[str] = Counter()
    used: Counter[str] = Counter()
    cuts: dict[str, list[float]] = {}
    leaves = []
    for _ in range(n):
        rows = random.integers(0, table.n_rows, table.n_rows)
        tree = _grow(table.take(rows), choice)
        leaves.append(tree.n_leaves)
        columns = tree.nodes.column[~tree.is_leaf]
        used.update(names[c] for c in np.unique(columns).tolist())
        if tree.is_leaf[0]:
            continue
        root = int(tree.nodes.column[0])
        roots[names[root]] += 1
        if np.isfinite(tree.nodes.cut[0]) and tree.schema[root].is_numeric:
            cuts.setdefault(names[root], []).append(float(tree.nodes.cut[0]))
    first = None if full_tree.is_leaf[0] else names[int(full_tree.nodes.column[0])]
    ascending = {name: sorted(column_cuts) for name, column_cuts in cuts.items()}
    return Stability(
        n, first, _by_count(roots, names), ascending, _by_count(used, names), tuple(sorted(leaves))
    )


def _grow(table: Table, choice: RecipeChoice) -> TreeData:
    tree = train(table, recipe=choice.recipe)
    if choice.prune is None:
        return tree
    return prune_tree(tree, choice.prune, training=table, **choice.pruning_options)


def _by_count(counts: Counter[str], names: list[str]) -> dict[str, int]:
    """Return counts, the largest first; equal ones in the order of the names."""
    position = {name: i for i, name in enumerate(names)}
    return dict(sorted(counts.items(), key=lambda item: (-item[1], position[item[0]])))
