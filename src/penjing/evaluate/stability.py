"""How steady a tree is: how often it asks the same when grown from rows drawn anew."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from penjing.arguments import MANY, whole_number
from penjing.data.read import read
from penjing.grow.recipe import Recipe
from penjing.i18n import say
from penjing.text.labels import quoted, reading
from penjing.text.text_table import left, right, widest
from penjing.training.train import train


@dataclass(frozen=True, slots=True)
class Stability:
    """What trees grown from rows drawn with replacement have in common.

    Parameters
    ----------
    n : int
        How many trees were grown.
    root : str or None
        What the tree of all rows asks first; None if it is a leaf.
    roots : dict
        How many trees ask each column first, most first.
    cuts : dict
        For each numeric column asked first, all the cuts it was asked at, ascending.
    used : dict
        How many trees ask each column anywhere.
    leaves : tuple of int
        The number of leaves of each tree, ascending.
    """

    n: int
    root: str | None
    roots: dict[str, int]
    cuts: dict[str, list[float]]
    used: dict[str, int]
    leaves: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "n": self.n,
            "root": self.root,
            "roots": dict(self.roots),
            "cuts": {name: list(cuts) for name, cuts in self.cuts.items()},
            "used": dict(self.used),
            "leaves": list(self.leaves),
        }

    def text(self, lang: str = "en") -> str:
        """Return it as text: roots, their cuts, how often each column is asked, sizes."""
        names = [quoted(name) for name in self.used]
        room = widest([*names, say("why_column", lang)], 6)
        heads = [say("bootstrap_root", lang), say("bootstrap_used", lang)]
        first = left(say("why_column", lang), room)
        lines = ["  ".join([first, *(right(head, 6) for head in heads)])]
        for name in self.used:
            shares = [100 * count / self.n for count in (self.roots.get(name, 0), self.used[name])]
            line = f"{left(quoted(name), room)}  " + "  ".join(
                right(f"{share:.0f} %", 6) for share in shares
            )
            if cuts := self.cuts.get(name):
                low, middle, high = (
                    reading(float(c)) for c in np.quantile(cuts, [0.05, 0.5, 0.95])
                )
                told = say("bootstrap_cuts", lang, low=low, middle=middle, high=high)
                line += f"  {told}"
            lines.append(line)
        sizes = self.leaves
        middle_size = sizes[len(sizes) // 2]
        lines.append(
            say(
                "bootstrap_size", lang, n=self.n, least=sizes[0], middle=middle_size, most=sizes[-1]
            )
        )
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


def bootstrap(
    data: Any,  # noqa: ANN401 - whatever `read` can read
    target: str | None = None,
    recipe: str | Recipe = "id3",
    n: int = 100,
    *,
    seed: int = 0,
    **changes: Any,  # noqa: ANN401 - settings of the recipe
) -> Stability:
    """Grow a tree again and again from rows drawn with replacement, and count what it asks.

    Parameters
    ----------
    data, target, recipe, **changes
        As in :func:`penjing.fit`.
    n : int
        How many trees to grow.
    seed : int
        Decides which rows are drawn.

    Examples
    --------
    >>> import penjing
    >>> steady = bootstrap(penjing.example("watermelon2.0"), n=20)
    >>> steady.root, max(steady.roots, key=steady.roots.get)
    ('纹理', '纹理')
    """
    n = whole_number("n", n, 1, MANY)
    draw = np.random.default_rng(whole_number("seed", seed, 0))
    table = read(data, target)
    whole = train(table, recipe=recipe, **changes)
    names = [field.name for field in whole.schema]
    roots: Counter[str] = Counter()
    used: Counter[str] = Counter()
    cuts: dict[str, list[float]] = {}
    leaves = []
    for _ in range(n):
        rows = draw.integers(0, table.n_rows, table.n_rows)
        tree = train(table.take(rows), recipe=recipe, **changes)
        leaves.append(tree.n_leaves)
        asked = tree.nodes.column[~tree.is_leaf]
        used.update(names[c] for c in np.unique(asked).tolist())
        if tree.is_leaf[0]:
            continue
        first = names[int(tree.nodes.column[0])]
        roots[first] += 1
        if np.isfinite(tree.nodes.cut[0]) and tree.schema[int(tree.nodes.column[0])].is_numeric:
            cuts.setdefault(first, []).append(float(tree.nodes.cut[0]))
    place = {name: i for i, name in enumerate(names)}
    by_count = {k: dict(sorted(c.items(), key=lambda p: (-p[1], place[p[0]])))
                for k, c in (("roots", roots), ("used", used))}  # fmt: skip
    root = None if whole.is_leaf[0] else names[int(whole.nodes.column[0])]
    ascending = {name: sorted(found) for name, found in cuts.items()}
    return Stability(n, root, by_count["roots"], ascending, by_count["used"], tuple(sorted(leaves)))
