"""The tree as plain data: nodes, splits, counts, builder, model files."""

from penjing.tree.nodes import Nodes

__all__ = ["Nodes"]


def __getattr__(name: str) -> object:
    if name == "Tree":  # where pickles of 0.1.0 look for it; removed in 0.3.0
        import penjing  # noqa: PLC0415 - the package finds its public names by itself

        return penjing.Tree
    message = f"module 'penjing.tree' has no attribute {name!r}"
    raise AttributeError(message)
