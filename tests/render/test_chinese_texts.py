"""No English is left in Chinese pictures, reports, charts and explanations."""

from __future__ import annotations

import pytest

from chinese_trees import PROPER, TREES, WORD, english_words
from penjing.api.tree import Tree
from written_texts import written_texts


def settings_of(tree: Tree) -> set[str]:
    """Return the names and values of the settings of a recipe, which are typed as they are."""
    typed = [str(part) for item in tree.recipe.items() for part in item]
    return {word for text in typed for word in (text, *WORD.findall(text))}


@pytest.mark.parametrize("name", TREES)
def test_chinese_texts_have_no_english_words(name):
    tree, rows = TREES[name]()
    found = {}
    for writer, texts in written_texts(tree, rows, "zh"):
        recipe = WORD.findall(str(tree.recipe.get("name")))
        known = PROPER | set(recipe) | (settings_of(tree) if writer == "report" else set())
        if "hand" in name:
            known -= {"by", "hand"}
        if english := dict(english_words(writer, texts, known)):
            found[writer] = english
    assert found == {}
