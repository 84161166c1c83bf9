"""A tree in the DOT language of Graphviz, with the colours, order and labels of the pictures."""

from __future__ import annotations

from penjing.i18n import catalogue, say
from penjing.render.annotations import receives_missing
from penjing.render.class_colours import colour_indices
from penjing.render.theme import THEMES, leaf_colours
from penjing.render.value_scale import ValueScale, short_number, spreads_of, value_scale
from penjing.text.branch_order import children_in_order, walk_in_order
from penjing.text.labels import answer_text, condition_text, value_text, weight_text
from penjing.text.row_amounts import size_of
from penjing.tree.tree_data import TreeData


def write(tree: TreeData, *, name: str = "tree", lang: str = "en") -> str:
    """Return a tree in the DOT language.

    Parameters
    ----------
    tree : TreeData
        The tree.
    name : str
        The name of the graph.
    lang : str
        ``en`` or ``zh``.

    Examples
    --------
    >>> import penjing
    >>> print(write(penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}})))
    digraph "tree" {
      graph [ordering=out];
      node [shape=box, style=rounded, fontname="sans-serif"];
      edge [fontname="sans-serif"];
      n0 [label="texture"];
      n1 [label="yes", style="rounded,filled", fillcolor="#f7e0ad", color="#b87f00"];
      n2 [label="no", style="rounded,filled", fillcolor="#add2e6", color="#0072b2"];
      n0 -> n1 [label="= clear"];
      n0 -> n2 [label="= faint"];
    }
    """
    catalogue(lang)  # raises an error for an unknown language
    lines = [
        f"digraph {_quote(name)} {{",
        "  graph [ordering=out];",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
        '  edge [fontname="sans-serif"];',
    ]
    order = list(walk_in_order(tree))
    scale = value_scale(tree)
    looks = _leaf_looks(tree, scale)
    spreads = spreads_of(tree).tolist() if tree.is_regression else []
    is_weight = tree.has_weights
    for node in order:
        look = looks.get(node, "")
        if scale is None:
            label = _label(tree, node, lang, is_weight=is_weight)
        else:
            label = _number_label(tree, node, scale, spreads[node], lang)
        lines.append(f"  n{node} [label={_quote(label)}{look}];")
    lines += [
        f"  n{node} -> n{child} [label={_quote(_branch(tree, child, lang))}];"
        for node in order
        for child in children_in_order(tree, node)
    ]
    return "\n".join([*lines, "}"])


def _label(tree: TreeData, node: int, lang: str, *, is_weight: bool) -> str:
    """Return the text of a node: the column or the class, and the rows on the next line."""
    column = int(tree.nodes.column[node])
    name = tree.schema[column].name if column >= 0 else value_text(tree, node)
    if not tree.has_counts:
        return name
    weight = float(tree.weight[node])
    n = size_of(weight, lang, is_weight=is_weight)
    correct = float(tree.nodes.total[node, tree.values[node]])
    share = f" {round(100 * correct / weight)}%" if weight > 0 else ""
    if column >= 0:
        return f"{name}\n{value_text(tree, node)}{share}, {n}"
    return f"{name}\n{weight_text(correct)}/{weight_text(weight)}{share}"


def _number_label(tree: TreeData, node: int, scale: ValueScale, spread: float, lang: str) -> str:
    """Return the text of a node of a regression tree: with the mean, and the spread of its rows."""
    column = int(tree.nodes.column[node])
    value = scale.text(float(tree.values[node]))
    name = tree.schema[column].name if column >= 0 else value
    if not tree.has_counts:
        return name
    n = size_of(float(tree.weight[node]), lang, is_weight=tree.has_weights)
    mean = f"{value} " if column >= 0 else ""
    return f"{name}\n{mean}± {short_number(spread)}, {n}"


def _leaf_looks(tree: TreeData, scale: ValueScale | None) -> dict[int, str]:
    """Return the attributes of leaves: tints of classes, or of values."""
    theme = THEMES["light"]
    indices = colour_indices(tree)
    looks = {}
    for node, is_leaf in enumerate(tree.is_leaf.tolist()):
        if is_leaf and scale is not None:
            value = float(tree.values[node])
            looks[node] = _filled(scale.tint(value, theme), theme.outline)
        elif is_leaf:
            looks[node] = _filled(*leaf_colours(indices[int(tree.values[node])], theme))
    return looks


def _filled(fill: str, outline: str) -> str:
    return f', style="rounded,filled", fillcolor="{fill}", color="{outline}"'


def _branch(tree: TreeData, node: int, lang: str) -> str:
    """Return the text of the branch into a node, and whether rows without a value take it."""
    text = condition_text(answer_text(tree, *tree.parent_of(node)), lang)
    return f"{text} {say('mark_missing', lang)}" if receives_missing(tree, node) else text


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", " ").replace("\n", "\\n")
    return f'"{escaped}"'
