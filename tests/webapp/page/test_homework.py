"""The watermelon homework in the lab: by mouse, and by the keyboard alone."""

from __future__ import annotations

import pytest

import penjing
from webapp.page.conftest import NARROW, WIDE

LOOKS = [
    (lang, theme, size)
    for lang in ("en", "zh")
    for theme in ("light", "dark")
    for size in (WIDE, NARROW)
]
QUICK = (("en", "light", WIDE), ("zh", "dark", NARROW))
"""Each language, theme and width once; all eight of them in the long suite."""
looks = pytest.mark.parametrize(
    ("lang", "theme", "size"),
    [
        pytest.param(
            *look,
            id=f"{look[0]}-{look[1]}-{look[2]['width']}",
            marks=() if look in QUICK else pytest.mark.slow,
        )
        for look in LOOKS
    ],
)
SPLIT = {"en": "split on {}", "zh": "按 {} 划分"}


@pytest.fixture(scope="module")
def tree():
    return penjing.fit(penjing.example("watermelon2.0"), recipe="id3")


def shown_tree(lab):
    """Return the tree that the page shows as text: in its cards, and as the server exports it."""
    book = lab.workbook()
    path = f"workbook/{book['workbook']}/tree/{book['current']}/export/text"
    return lab.client.ask("GET", path)["content"].rstrip()


def wait_for_step(lab, number):
    """Wait until a tree of the history is shown."""
    lab.page.wait_for_selector(f".trail li:nth-child({number}) [aria-current=step]")


def cards(lab):
    """Return the sentences of the cards in the picture."""
    labels = lab.page.locator("[role=treeitem]")
    return [labels.nth(i).get_attribute("aria-label") for i in range(labels.count())]


@looks
def test_the_homework_by_mouse(open_lab, tree, lang, theme, size):
    lab = open_lab(lang, theme, size)
    lab.open_example("watermelon2.0", "id3")
    assert shown_tree(lab) == tree.write("text")
    assert lab.page.locator(".penjing").get_attribute("data-theme") == theme
    # The gains of the root are those of the book: 纹理 0.381.
    first = lab.page.locator(".candidates > li").first
    assert first.locator(".name").text_content() == "纹理"
    assert first.locator(".score").text_content() == "0.381"
    # Another column at the root.
    lab.page.locator(".candidates > li > button", has_text="脐部").click()
    lab.page.get_by_role("button", name=SPLIT[lang].format("脐部"), exact=True).click()
    wait_for_step(lab, 2)
    changed = tree.replace_split(0, "脐部")
    assert shown_tree(lab) == changed.write("text")
    if size == WIDE:
        assert len(cards(lab)) == changed.n_nodes
    # Undo and redo.
    lab.page.locator(".trail > button").first.click()
    wait_for_step(lab, 1)
    assert shown_tree(lab) == tree.write("text")
    lab.page.locator(".trail > button").nth(1).click()
    wait_for_step(lab, 2)
    # A leaf by its button, then back to the first tree by the trail, and a branch of the history.
    lab.card(1).click()
    lab.page.locator(".acts button").first.click()
    wait_for_step(lab, 3)
    leaf = changed.prune_at(1)
    assert shown_tree(lab) == leaf.write("text")
    lab.page.locator(".trail li button").first.click()
    wait_for_step(lab, 1)
    lab.card(0).click()
    lab.page.locator(".candidates > li > button", has_text="根蒂").click()
    lab.page.get_by_role("button", name=SPLIT[lang].format("根蒂"), exact=True).click()
    wait_for_step(lab, 4)
    assert shown_tree(lab) == tree.replace_split(0, "根蒂").write("text")
    assert lab.page.locator(".trail .from").count() == 1
    assert [entry["parent"] is None for entry in lab.workbook()["history"]] == [True] + [False] * 3


@looks
def test_the_homework_by_keyboard_alone(open_lab, tree, lang, theme, size):
    lab = open_lab(lang, theme, size)
    press = lab.page.keyboard.press
    lab.tab_to(".examples button")
    press("Enter")
    lab.page.wait_for_selector("main.data")
    lab.tab_to(".division select")
    lab.page.keyboard.type("id3")
    lab.tab_to(".division button")
    press("Enter")
    lab.page.wait_for_selector(".candidates")
    assert shown_tree(lab) == tree.write("text")
    lab.tab_to("[role=treeitem]")
    # C leads to the candidates; arrows choose one, Enter shows it, and its button splits.
    press("c")
    lab.wait_until("document.activeElement.closest('.candidates') !== null")
    while "脐部" not in lab.focused():
        press("ArrowDown")
    press("Enter")
    lab.tab_to(".candidate .primary")
    assert lab.focused() == SPLIT[lang].format("脐部")
    press("Enter")
    wait_for_step(lab, 2)
    changed = tree.replace_split(0, "脐部")
    assert shown_tree(lab) == changed.write("text")
    # The focus is on the node; Ctrl+Z undoes, Ctrl+Shift+Z does it again.
    lab.wait_until("document.activeElement.getAttribute('role') === 'treeitem'")
    press("Control+z")
    wait_for_step(lab, 1)
    press("Control+Shift+Z")
    wait_for_step(lab, 2)
    # A leaf, and growing again.
    press("ArrowRight")
    press("Delete")
    wait_for_step(lab, 3)
    node = int(lab.page.evaluate("document.activeElement.dataset.node"))
    assert shown_tree(lab) == changed.prune_at(node).write("text")
    press("g")
    wait_for_step(lab, 4)
    assert shown_tree(lab) == changed.write("text")
    # P leads to pruning.
    press("p")
    lab.wait_until("document.activeElement.type === 'range'")
    press("ArrowRight")
    lab.tab_to(".prune-path .primary")
    press("Enter")
    wait_for_step(lab, 5)
    assert lab.workbook()["history"][4]["step"]["act"] == "prune"
