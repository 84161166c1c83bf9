"""Trees for other programs: Python, SQL, C, JavaScript, Java, PMML, ONNX, Excel.

One file a kind, one line each in :mod:`penjing.plugs`. What a program answers is what `predict`
answers, for missing and unseen values too; where a target cannot, it is refused in a sentence.
"""

from __future__ import annotations

from typing import Any

from penjing import arguments
from penjing.plugs import load
from penjing.tree import Tree

__all__ = ["export"]


def export(tree: Tree, kind: str, **options: Any) -> Any:  # noqa: ANN401 - text, bytes or a dict
    """Return a tree as a program or a document of another kind.

    Parameters
    ----------
    tree : Tree
        The tree.
    kind : str
        ``python``, ``sql``, ``c``, ``javascript``, ``java``, ``pmml``, ``onnx``, ``excel``,
        ``nested`` or ``dict``.
    **options
        Of the kind: ``missing`` and ``unseen`` as `predict` takes them (most kinds); ``dialect``,
        ``table`` and ``proba`` of ``sql``; ``cells`` of ``excel``; ``name`` of ``java``.

    Returns
    -------
    str, bytes or dict
        Bytes for ``onnx``, a dict for ``dict``, text for all others.

    Examples
    --------
    >>> tree = Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> print(tree.export("excel"))
    =IF(EXACT(A2,"0"),"fish",IF(EXACT(A2,"2"),"bird","fish"))
    """
    write = load("export", kind)
    arguments.options(write, options, "export_option", kind=kind)
    return write(tree, **options)
