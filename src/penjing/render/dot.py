"""A tree in the DOT language of Graphviz."""

from __future__ import annotations

from penjing.text.labels import answer_text, counts_text, value_text
from penjing.tree.tree_data import TreeData


def write(tree: TreeData, *, name: str = "tree") -> str:
    """Return a tree in the DOT language.

    Examples
    --------
    >>> import penjing
    >>> print(write(penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}})))
    digraph "tree" {
      node [shape=box, style=rounded, fontname="sans-serif"];
      n0 [label="texture"];
      n1 [label="yes", shape=ellipse];
      n2 [label="no", shape=ellipse];
      n0 -> n1 [label="= clear"];
      n0 -> n2 [label="= faint"];
    }
    """
    lines = [
        f"digraph {_quote(name)} {{",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
    ]
    for node in range(len(tree.nodes)):
        if tree.is_leaf[node]:
            label = value_text(tree, node) + counts_text(tree, node)
            lines.append(f"  n{node} [label={_quote(label)}, shape=ellipse];")
        else:
            column = tree.schema[int(tree.nodes.column[node])].name
            lines.append(f"  n{node} [label={_quote(column + counts_text(tree, node))}];")
    for node in range(1, len(tree.nodes)):
        parent, branch = tree.parent_of(node)
        label = answer_text(tree, parent, branch)
        lines.append(f"  n{parent} -> n{node} [label={_quote(label)}];")
    return "\n".join([*lines, "}"])


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", " ").replace("\n", "\\n")
    return f'"{escaped}"'
