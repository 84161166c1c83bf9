"""Lists and counts inside sentences, in each language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from penjing.formatting.lists import join_names
from penjing.i18n import catalogue, say
from penjing.text.labels import quoted, weight_text
from penjing.tree.tree_data import BY_HAND

__all__ = [
    "class_counts", "join_clauses", "join_names", "method_name", "number_word", "recipe_name",
    "rows_of", "value_with_count",
]  # fmt: skip


def join_clauses(clauses: Iterable[str], lang: str = "en", *, semicolon: bool = False) -> str:
    """Return clauses with commas, or semicolons, between them.

    Examples
    --------
    >>> join_clauses(["8 leaves", "depth 4"]), join_clauses(["8 leaves", "depth 4"], semicolon=True)
    ('8 leaves, depth 4', '8 leaves; depth 4')
    """
    return say("clause_semicolon" if semicolon else "clause_comma", lang).join(clauses)


def rows_of(weight: float, lang: str = "en", *, is_weight: bool = False) -> str:
    """Return '8 rows', '1 row' or 'total weight 2.5'; `is_weight` says that rows have weights.

    Examples
    --------
    >>> rows_of(1.0), rows_of(8.0), rows_of(2.5), rows_of(8.0, "zh"), rows_of(2.5, "zh")
    ('1 row', '8 rows', 'total weight 2.5', '8 行', '总权重 2.5')
    """
    if is_weight or weight != int(weight):
        return say("total_weight", lang, weight=weight_text(weight))
    return say("n_rows", lang, n=1 if weight == 1 else weight_text(weight))


def value_with_count(value: object, n: str) -> str:
    """Return a value with its count; after a number with a colon, to separate the two.

    Examples
    --------
    >>> (
    ...     value_with_count("yes", "8"),
    ...     value_with_count(0, "4"),
    ...     value_with_count("no surfacing", "2"),
    ... )
    ('yes 8', '0: 4', "'no surfacing' 2")
    """
    text = quoted(value)
    return f"{text}: {n}" if text[-1].isdigit() else f"{text} {n}"


def class_counts(classes: Sequence[object], total: Sequence[float]) -> str:
    """Return the text of the number of rows of each class.

    Examples
    --------
    >>> class_counts(["yes", "no"], [8, 1.5]), class_counts([0, 1], [4, 3])
    ('yes 8 no 1.5', '0: 4, 1: 3')
    """
    texts = [value_with_count(c, weight_text(w)) for c, w in zip(classes, total, strict=True)]
    return (", " if any(": " in text for text in texts) else " ").join(texts)


def method_name(method: str, lang: str = "en") -> str:
    """Return the name of a pruning method; that of a plug-in is its own.

    Examples
    --------
    >>> method_name("mdl"), method_name("error-based", "zh"), method_name("my-method")
    ('minimum description length pruning', '基于错误的剪枝', 'my-method')
    """
    return catalogue(lang).get(f"method_{method.replace('-', '_')}", method)


def recipe_name(recipe: Mapping[str, Any], lang: str = "en") -> str:
    """Return the name of a recipe; a tree that was made by hand has none of its own.

    Examples
    --------
    >>> recipe_name({"name": "c4.5"}, "zh"), recipe_name({"name": "by hand"}, "zh")
    ('c4.5', '手工给出')
    """
    name = str(recipe.get("name") or "")
    return say("recipe_by_hand", lang) if name == BY_HAND else name


def number_word(n: int, lang: str = "en") -> str:
    """Return a small number as a word.

    Examples
    --------
    >>> number_word(1), number_word(10), number_word(11), number_word(1, "zh")
    ('one', 'ten', '11', '1')
    """
    words = say("numbers", lang).split()
    return words[n] if n < len(words) else str(n)
