"""Model files back to trees."""

from __future__ import annotations

from pathlib import Path

from penjing.api.tree import Tree
from penjing.tree.serialize import load as load_data


def load(path: str | Path) -> Tree:
    """Read a tree from a model file; nothing in the file is executed.

    Parameters
    ----------
    path : str or Path
        A file that :meth:`penjing.Tree.save` has written, also ``.json.gz``. Files of earlier
        versions of penjing can be read.

    Returns
    -------
    Tree

    Examples
    --------
    >>> import tempfile, penjing
    >>> tree = penjing.fit(penjing.example("fish"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tree.save(f"{folder}/fish.tree")
    ...     penjing.load(f"{folder}/fish.tree").n_leaves
    3
    """
    return Tree.from_data(load_data(path))
