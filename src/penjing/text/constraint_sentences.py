"""The constraints of a tree as sentences: in which columns it is monotonic, which it combines."""

from __future__ import annotations

from penjing.i18n import say
from penjing.text.labels import quoted
from penjing.text.phrases import join_names
from penjing.tree.tree_data import TreeData


def constraint_sentences(tree: TreeData, lang: str = "en") -> list[str]:
    """Return a sentence for each constraint of a tree; none if it has none.

    Parameters
    ----------
    tree : TreeData
        A tree.
    lang : str
        ``en`` or ``zh``.

    Examples
    --------
    >>> import penjing
    >>> rows = [{"x": i, "y": i > 2} for i in range(6)]
    >>> tree = penjing.fit(rows, "y", recipe="cart-binary", monotonic_cst={"x": 1})
    >>> constraint_sentences(tree)
    ['The probability of True never decreases as x increases.']
    """
    directions = tree.recipe.get("monotonic_cst") or {}
    sentences = []
    for key, sign in (("increasing", 1), ("decreasing", -1)):
        names = [quoted(name) for name, direction in directions.items() if direction == sign]
        if names:
            values = {"columns": join_names(names, lang), "target": quoted(tree.target.name)}
            if tree.is_regression:
                sentences.append(say(f"monotonic_{key}_number", lang, **values))
            else:
                answer = quoted(tree.classes[-1])
                sentences.append(say(f"monotonic_{key}", lang, answer=answer, **values))
    groups = tree.recipe.get("interaction_cst")
    if isinstance(groups, str):
        sentences.append(say(f"interaction_{groups}", lang))
    elif groups:
        listed = [f"{{{', '.join(map(quoted, group))}}}" for group in groups]
        sentences.append(say("interaction_groups", lang, groups=join_names(listed, lang)))
    return sentences
