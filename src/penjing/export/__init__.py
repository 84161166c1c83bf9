"""Export of trees: Python, SQL, C, JavaScript, Java, PMML, ONNX, Excel.

Each format has a module and an entry in :mod:`penjing.registry`. Exported programs predict as
`predict` does, also for missing and unseen values; what a format cannot express raises an error.
"""

from __future__ import annotations

from typing import Any

from penjing import arguments
from penjing.registry import load
from penjing.tree.tree_data import TreeData

__all__ = ["export"]


def export(tree: TreeData, kind: str, **options: Any) -> Any:  # noqa: ANN401 - text, bytes or a dict
    """Return a tree as a program or a document in another format.

    Parameters
    ----------
    tree : TreeData
        The tree.
    kind : str
        ``python``, ``sql``, ``c``, ``javascript``, ``java``, ``pmml``, ``onnx``, ``excel``,
        ``nested`` or ``dict``.
    **options
        Options of the format: ``missing`` and ``unseen`` as for `predict` (most formats);
        ``dialect``, ``table``, ``proba`` and ``clean`` (``sql``); ``cells`` (``excel``); ``name``
        (``java``).

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
