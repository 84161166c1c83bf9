"""By the keyboard alone: categories are put into other groups, and an exercise is played through.

Elements are only looked at; every change is a key that is pressed.
"""

from __future__ import annotations

import json
import re

import pytest

import penjing
from webapp.page.conftest import NARROW, WIDE
from webapp.page.test_homework import shown_tree, wait_for_step

hands = pytest.mark.parametrize(
    ("lang", "size"),
    [(lang, size) for lang in ("en", "zh") for size in (WIDE, NARROW)],
    ids=[f"{lang}-{size['width']}" for lang in ("en", "zh") for size in (WIDE, NARROW)],
)


def choose(lab, text):
    """Choose an option of the select that has the focus, by Home and the arrow."""
    lab.page.keyboard.press("Home")
    for _ in range(60):
        if lab.page.evaluate("document.activeElement.selectedOptions[0].textContent") == text:
            return
        lab.page.keyboard.press("ArrowDown")
    raise AssertionError(text)


def open_example(lab, name, recipe):
    """Open an example and grow its tree."""
    names = lab.page.locator(".examples button b").all_text_contents()
    lab.tab_to(f".examples li:nth-child({names.index(name) + 1}) button")
    lab.page.keyboard.press("Enter")
    lab.page.wait_for_selector("main.data")
    lab.settle()
    lab.tab_to(".division select")
    choose(lab, recipe)
    lab.tab_to(".division button")
    lab.page.keyboard.press("Enter")
    lab.page.wait_for_selector(".candidates")


def open_groups(lab, column):
    """Go from the tree to the categories of a candidate."""
    press = lab.page.keyboard.press
    lab.tab_to("[role=treeitem]")
    press("c")
    lab.wait_until("document.activeElement.closest('.candidates') !== null")
    for _ in range(20):
        name = "document.activeElement.querySelector('.name').textContent"
        if lab.page.evaluate(name) == column:
            break
        press("ArrowDown")
    press("Enter")
    lab.page.wait_for_selector(".groups")
    lab.tab_to(".groups summary")
    press("Enter")


@hands
def test_categories_are_put_into_other_groups(open_lab, lang, size):
    lab = open_lab(lang, "light", size)
    open_example(lab, "watermelon3.0", "cart-binary")
    open_groups(lab, "色泽")
    groups = {"青绿": "1", "乌黑": "2", "浅白": "2"}
    shown = lab.page.locator(".groups tbody th").all_text_contents()
    assert set(shown) == set(groups)
    for i, category in enumerate(shown):
        lab.tab_to(f".groups tbody tr:nth-child({i + 1}) select")
        assert category in lab.focused()
        choose(lab, groups[category])
    lab.tab_to(".groups > button")
    lab.page.keyboard.press("Enter")
    wait_for_step(lab, 2)
    tree = penjing.fit(penjing.example("watermelon3.0"), recipe="cart-binary")
    wanted = tree.replace_split(0, "色泽", groups=[["青绿"], ["乌黑", "浅白"]])
    assert shown_tree(lab) == wanted.write("text")
    lab.wait_until("document.activeElement.getAttribute('role') === 'treeitem'")


def begin_exercise(lab, name, recipe, student):
    """Open the exercise screen and begin one of one level."""
    lab.tab_to(".top nav button:nth-of-type(5)")
    lab.page.keyboard.press("Enter")
    lab.page.wait_for_selector("#lab-exercise-data")
    lab.settle()
    for field, text in (("data", name), ("recipe", recipe)):
        lab.tab_to(f"#lab-exercise-{field}")
        choose(lab, text)
    lab.tab_to(".exercise input[type=number]")
    lab.page.keyboard.press("Control+a")
    lab.page.keyboard.type("1")
    lab.tab_to(".exercise input:not([type])")
    lab.page.keyboard.type(student)
    lab.page.keyboard.press("Enter")
    lab.page.wait_for_selector(".blanks")
    lab.settle()


@hands
def test_an_exercise_is_played_through(open_lab, tmp_path, lang, size):
    lab = open_lab(lang, "dark", size)
    press = lab.page.keyboard.press
    begin_exercise(lab, "watermelon2.0", "id3", "Li Lei")
    sheet = penjing.worksheet(
        "example:watermelon2.0", recipe="id3", depth=1, lang=lang, quiet=True
    ).solution
    answers = sheet["answers"]

    def field(id_):
        return f"#lab-blank-{id_.replace('.', '-')}"

    first, *rest = answers
    lab.tab_to(field(first["id"]))
    # A wrong answer is judged and can be corrected where it stands; so is asking for hints.
    lab.page.keyboard.type("999")
    press("Enter")
    lab.page.wait_for_selector(".blank.wrong")
    assert lab.page.evaluate("s => document.activeElement.matches(s)", field(first["id"]))
    lab.tab_to(".blank .acts button:nth-child(2)")
    for grade in range(3):
        assert re.search(rf"\b{grade + 1}\b", lab.focused())
        press("Enter")
        lab.settle()
    press("Shift+Tab")
    press("Shift+Tab")
    press("Control+a")
    lab.page.keyboard.type(first["text"])
    press("Enter")
    # Every right answer leads to the next blank.
    for answer in rest:
        lab.wait_until(f"document.activeElement.matches('{field(answer['id'])}')")
        if lab.page.evaluate("document.activeElement.tagName") == "SELECT":
            choose(lab, answer["text"])
        else:
            lab.page.keyboard.type(answer["text"])
        press("Enter")
        lab.page.wait_for_selector(f".blank.right {field(answer['id'])}")
    lab.settle()
    for _ in range(60):
        if lab.page.evaluate("document.activeElement.matches('.save-result')"):
            break
        press("Shift+Tab")
    with lab.page.expect_download() as waiting:
        press("Enter")
    waiting.value.save_as(tmp_path / "result.json")
    result = json.loads((tmp_path / "result.json").read_text("utf-8"))
    assert result["student"] == "Li Lei"
    assert result["score"]["right"] == result["score"]["blanks"] == len(answers)
    assert result["score"]["hints"] == 3
