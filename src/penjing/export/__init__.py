"""Trees for other programs: Python, SQL, C, JavaScript, Java, PMML, ONNX, Excel.

One file a kind, one line each in :mod:`penjing.registry`. What a program answers is what `predict`
answers, for missing and unseen values too; where a target cannot, it is refused in a sentence.
"""

from __future__ import annotations

from typing import Any

from penjing import arguments
from penjing.registry import load
from penjing.tree.tree_data import TreeData

__all__ = ["export"]


def export(tree: TreeData, kind: str, **options: Any) -> Any:  # noqa: ANN401 - text, bytes or a dict
    """Return a tree as a program or a document of another kind.

    Parameters
    ----------
    tree : TreeData
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
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> print(tree.export("excel"))
    =IF(EXACT(A2,"0"),"fish",IF(EXACT(A2,"2"),"bird","fish"))
    """
    write = load("export", kind)
    arguments.check_options(write, options, "export_option", kind=kind)
    return write(tree, **options)
