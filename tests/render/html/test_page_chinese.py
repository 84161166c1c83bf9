"""No English is left in the Chinese page."""

from __future__ import annotations

import re

import pytest

import penjing
from chinese_trees import PROPER, TREES, WORD, english_words


@pytest.mark.parametrize("name", ["rpart", "pruned", "made by hand", "rpart, number", "weights"])
def test_the_chinese_page_has_no_english_words(opened, name):
    tree, _ = TREES[name]()
    page = opened(tree, lang="zh")
    known = PROPER | set(WORD.findall(str(tree.recipe.get("name")))) - {"by", "hand"}
    known |= {
        "SVG",
        "PNG",
        "English",
        "Enter",
        "Shift",
        "Esc",
        "Home",
        "End",
        "Tab",
    }
    tabs = page.locator("[role=tab]")
    found = []
    for i in range(max(1, tabs.count())):
        if tabs.count():
            tabs.nth(i).click()
        texts = page.evaluate(
            """() => [...document.querySelectorAll('body *')].flatMap(e => [
                 ...[...e.childNodes].filter(n => n.nodeType === 3
                   && !['SCRIPT', 'STYLE'].includes(e.tagName)).map(n => n.textContent),
                 ...['aria-label', 'title', 'placeholder'].map(k => e.getAttribute(k) || '')])"""
        )
        found += english_words("page", [t for t in texts if t.strip()], known)
    assert found == []


def test_the_score_follows_a_chinese_colon(opened):
    page = opened(penjing.fit(penjing.example("watermelon3.0"), recipe="c4.5-textbook"), lang="zh")
    assert "：0.400" in page.locator(".score").inner_text()


TOLD = """() => {
    const told = '[role=treeitem], .list button, .rule, [aria-live], title';
    return [...document.querySelectorAll(told)].flatMap(e => [e.getAttribute('aria-label') ?? '',
        e.closest('.list, .rule, [aria-live], svg') ? e.textContent : '']);
}"""
"""What is said of nodes: to the eye, to the pointer and by a screen reader."""


@pytest.mark.parametrize("name", ["made by hand", "weights"])
def test_sentences_about_nodes_have_chinese_punctuation(opened, name):
    page = opened(TREES[name]()[0], lang="zh")
    texts = page.evaluate(TOLD)
    page.locator("[role=treeitem]").last.click()
    texts += page.evaluate(TOLD)
    page.get_by_role("button", name="列表").click()
    texts += page.evaluate(TOLD)
    assert sum("，" in text for text in texts) > 2
    assert any("：" in text for text in texts)
    told = [re.sub(r"\{[^}]*\}", "", text) for text in texts]  # but for sets of categories
    assert not [text for text in told if re.search("[,:;] ", text)]
