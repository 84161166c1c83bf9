"""Where things are on the page: any data, any window, on paper; the tree keeps its room."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from penjing.render.diagram import build_diagram
from penjing.render.html import write
from penjing.render.theme import contrast
from render.html.conftest import settle
from render.html.test_page import large
from render.html.test_page_appearance import named, pages_of
from render.test_class_colours import many, numbers

Axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing").Axe

WIDTHS = (1400, 1100, 390)


@cache
def categories(n: int = 200) -> Tree:
    """Return a tree whose root has a branch for each of many categories with long names."""
    rng = np.random.RandomState(1)
    names = [f"the city of Upper Something in the province number {i}" for i in range(n)]
    column = nominal("city", [names[i % n] for i in range(4 * n)])
    classes = ["ab"[int(v)] for v in rng.rand(4 * n) < (np.arange(4 * n) % n) / n]
    return penjing.fit(Table((column,), nominal("y", classes), 4 * n), recipe="id3")


@cache
def grouped_categories(n: int = 200) -> Tree:
    rng = np.random.RandomState(1)
    names = [f"the city of Upper Something in the province number {i}" for i in range(n)]
    column = nominal("city", [names[i % n] for i in range(4 * n)])
    classes = ["ab"[int(v)] for v in rng.rand(4 * n) < (np.arange(4 * n) % n) / n]
    return penjing.fit(Table((column,), nominal("y", classes), 4 * n), recipe="cart-binary")


@cache
def hostile() -> Tree:
    odd = [
        "</script><img src=x onerror=alert(1)>", "javascript:alert(1)", "=cmd|' /C calc'!A0",
        "\u202eright to left", "👨\u200d👩\u200d👧", "x" * 300, "עברית", "العربية", "\u2028",
        "%3Cb%3E",
    ]  # fmt: skip
    names = nominal(odd[0], [odd[i % len(odd)] for i in range(200)])
    number = numeric(odd[1], [i % 17 for i in range(200)])
    target = nominal(odd[3], [odd[(i * i + i % 17) % 7] for i in range(200)])
    return penjing.fit(Table((names, number), target, 200), recipe="cart-binary")


TREES: dict[str, Callable[[], Tree]] = {
    "2 classes": lambda: many(2),
    "7 classes": lambda: many(7),
    "19 classes": lambda: many(19, 3),
    "26 classes": lambda: many(26, 5),
    "regression": lambda: numbers(2),
    "200 categories": categories,
    "groups of 200 categories": grouped_categories,
    "long names": lambda: named(7),
    "26 long names": lambda: named(26),
    "hostile names": hostile,
    "2,000 leaves": large,
}

ESCAPED = """() => {
  const canvas = document.querySelector('.canvas').getBoundingClientRect();
  const found = [];
  // Within a card, texts end before the card does, and do not meet each other.
  for (const card of document.querySelectorAll('[role=treeitem]')) {
    const box = card.querySelector('rect').getBBox();
    const texts = [...card.nextElementSibling.querySelectorAll('text:not(.label)')]
      .filter((text) => text.textContent).map((text) => [text.textContent, text.getBBox()]);
    for (const [text, t] of texts) {
      if (t.x < box.x || t.x + t.width > box.x + box.width + 0.5) found.push(text);
      if (t.y < box.y - 1 || t.y + t.height > box.y + box.height + 1) found.push(text);
      for (const [other, o] of texts) {
        const isBeside = o.x >= t.x + t.width || t.x >= o.x + o.width;
        const isBelow = o.y + 4 >= t.y + t.height || t.y + 4 >= o.y + o.height;
        if (other !== text && !isBeside && !isBelow) found.push(`${text} meets ${other}`);
      }
    }
  }
  // Everything else stays within the window.
  const others = 'button, input, select, h1, .facts, .legend li, .counts';
  for (const element of document.querySelectorAll(others)) {
    const box = element.getBoundingClientRect();
    const isOut = box.left < -0.5 || box.right > innerWidth + 0.5;
    if (box.width && isOut) found.push(element.outerHTML);
  }
  return found; }"""


def check_screens(page: Any) -> None:
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900 if width > 400 else 844})
        settle(page)
        for view in range(3):
            page.locator(".tools button").nth(view).click()
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.locator(".canvas").bounding_box()["width"] >= width / 2
            if view == 0:
                assert page.evaluate(ESCAPED) == []
        for tab in range(page.locator("[role=tab]").count()):
            page.locator("[role=tab]").nth(tab).click()
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert (
                page.evaluate(
                    "[...document.querySelectorAll('aside section')].filter("
                    "e => e.scrollWidth > e.clientWidth + 1).length"
                )
                == 0
            )
        page.locator("[role=tab]").first.click()


@pytest.mark.parametrize("name", TREES)
def test_the_tree_keeps_half_the_width_and_nothing_is_cut(opened, name):
    page = opened(TREES[name]())
    check_screens(page)


@pytest.mark.parametrize("size", [(1100, 700), (1400, 900), (900, 600)])
def test_buttons_cover_no_box_of_a_picture_that_is_seen_whole(opened, size):
    """A tree that grows to the lower right, first as it is opened and then all of it."""
    lines = [f"{'│  ' * d}x{d} = {end}" for d in range(40) for end in ("yes: A", "no")]
    page = opened(Tree.from_text("\n".join([*lines[:-1], f"{lines[-1]}: B"])))
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.reload()
    page.wait_for_selector(".canvas > *")
    for button in (None, "expand all"):
        if button:
            page.get_by_role("button", name=button).click()
            page.get_by_role("button", name="fit to window").click()
        settle(page)
        zoom = page.locator(".zoom").bounding_box()
        for box in page.locator("[role=treeitem]").all():
            place = box.bounding_box()
            is_left = place["x"] + place["width"] <= zoom["x"]
            assert is_left or place["y"] + place["height"] <= zoom["y"] + 1, button
    # Saving, language and colours stay together when the toolbar breaks.
    tops = [b.bounding_box()["y"] for b in page.locator(".others button").all()]
    assert len(tops) == 4
    assert len(set(tops)) == 1
    page.close()


@pytest.mark.parametrize("name", TREES)
def test_on_a_phone_the_legend_is_seen_above_the_tree(opened, name):
    page = opened(TREES[name]())
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    boxes = {
        part: page.locator(part).first.bounding_box()
        for part in ("h1", ".tools", ".legend", ".stage", "header > .facts", "aside")
    }
    legend, stage, aside = (boxes[part] for part in (".legend", ".stage", "aside"))
    assert legend["height"] > 0
    assert boxes[".tools"]["y"] + boxes[".tools"]["height"] <= legend["y"] + 1
    assert legend["y"] + legend["height"] <= stage["y"] + 1
    assert aside["y"] - stage["y"] >= 150  # so much of the tree is seen at once
    assert stage["y"] + stage["height"] <= boxes["header > .facts"]["y"]
    entries = page.locator(".legend > li")
    assert entries.count() > 0
    for i in range(entries.count()):
        box = entries.nth(i).bounding_box()
        assert box["height"] >= 12
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


@pytest.mark.parametrize("name", TREES)
def test_the_page_prints_on_one_sheet_in_light_colours(opened, name):
    page = opened(TREES[name](), theme="dark")
    for view in (0, 1):
        page.locator(".tools button").nth(view).click()
        for landscape in (False, True):
            assert pages_of(page.pdf(format="A4", landscape=landscape)) == 1
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 703, "height": 1032})
        box = page.locator(".picture").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 703.5
        assert box["y"] + box["height"] <= 1032
        # All of the picture is there, not the part that was seen.
        seen = page.evaluate(
            """() => { const p = document.querySelector('.picture'); const box = p.getBBox();
                 return [p.viewBox.baseVal.width - box.width, getComputedStyle(
                   document.querySelector('.camera') ?? document.body).transform]; }"""
        )
        assert seen[1] == "none"
        page.emulate_media(media="null")
        page.set_viewport_size({"width": 1400, "height": 900})


@pytest.mark.parametrize("name", ["26 classes", "regression", "200 categories", "hostile names"])
def test_axe_finds_nothing_in_any_view_tab_or_theme(opened, name):
    page = opened(TREES[name](), theme="light")
    for width in (1400, 390):
        page.set_viewport_size({"width": width, "height": 844})
        for _theme in range(2):
            for view in range(3):
                page.locator(".tools button").nth(view).click()
                for tab in range(page.locator("[role=tab]").count() if view == 0 else 1):
                    page.locator("[role=tab]").nth(tab).click()
                    found = Axe().run(page).response["violations"]
                    assert not found, [(v["id"], v["nodes"][0]["html"]) for v in found]
                page.locator("[role=tab]").first.click()
            page.locator("button.theme").click()


def hex_of(colour: str) -> str:
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3])


def test_neighbouring_cells_of_a_regression_icicle_differ(opened):
    """Cells whose predictions differ by a tenth of the range have visibly different tints."""
    tree = numbers(2)
    page = opened(tree, view="icicle")
    for _theme in range(2):
        fills = dict(
            page.eval_on_selector_all(
                ".cell", "all => all.map(e => [e.dataset.node, getComputedStyle(e).fill])"
            )
        )
        values = tree.values
        span = values.max() - values.min()
        pairs = 0
        for node in map(int, fills):
            below = [] if tree.is_leaf[node] else tree.children(node)
            for a, b in pairwise(child for child in below if str(child) in fills):
                if abs(values[a] - values[b]) >= span / 10:
                    pairs += 1
                    assert contrast(*(hex_of(fills[str(node)]) for node in (a, b))) > 1.05
        assert pairs > 0
        page.locator("button.theme").click()


@pytest.mark.slow
def test_43000_nodes_open_and_move(browser, tmp_path):
    rng = np.random.RandomState(0)
    x = np.round(rng.rand(60_000, 6), 4)
    y = ["abc"[int(v)] for v in rng.randint(0, 3, 60_000)]
    columns = tuple(numeric(f"x{c}", x[:, c]) for c in range(6))
    table = Table(columns, nominal("y", y), 60_000)
    tree = penjing.fit(table, recipe="cart-binary", trace=False, max_leaves=21_500)
    assert tree.n_nodes > 42_000
    path = tmp_path / "tree.html"
    path.write_text(write(tree), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(path.as_uri())
    check_screens(page)
    page.get_by_label("search", exact=True).fill("leaf:a")
    assert page.locator(".found-text").text_content().startswith("1 of ")
    assert pages_of(page.pdf(format="A4")) == 1
    page.close()


@cache
def many_subtrees(n: int = 60) -> Tree:
    """Return a tree whose root has many branches, each with a split below it."""
    rng = np.random.RandomState(1)
    codes, x = rng.randint(0, n, 50 * n), rng.randn(50 * n)
    places = nominal("city", [f"city of number {c}" for c in codes])
    kinds = ["ab"[int((c % 3 == 0) ^ (v > 0.5))] for c, v in zip(codes, x, strict=True)]
    table = Table((places, numeric("x", x)), nominal("y", kinds), 50 * n)
    return penjing.fit(table, recipe="c4.5-textbook", max_depth=2)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_many_branches_stand_below_each_other_where_the_picture_has_them(opened, lang):
    tree = many_subtrees()
    page = opened(tree, lang=lang, max_leaves=64)
    drawn = build_diagram(tree, lang=lang)
    assert drawn.layout == "left-to-right"
    found = page.eval_on_selector_all(
        "[role=treeitem]",
        """all => all.map(e => [+e.dataset.node, ...['x', 'y', 'width', 'height'].map(
             k => Number(e.querySelector('rect').getAttribute(k)))])""",
    )
    assert [t[0] for t in found] == [box.node for box in drawn.boxes]
    for (_, *place), box in zip(found, drawn.boxes, strict=True):
        moved = [place[i] - found[0][i + 1] for i in (0, 1)]
        assert abs(moved[0] - (box.x - drawn.boxes[0].x)) < 0.5
        assert abs(moved[1] - (box.y - drawn.boxes[0].y)) < 0.5
    # Labels stand between their branches and boxes, and the root is seen at the left.
    ends = page.eval_on_selector_all(
        ".label", "all => all.map(e => e.getBBox()).map(b => [b.x, b.x + b.width])"
    )
    first = [left for left, right in ends if right < found[1][1]]
    assert len(first) == 60
    assert min(first) > found[0][1] + found[0][3]
    assert page.locator("[role=treeitem]").first.bounding_box()["x"] < 100
    seen = page.evaluate(
        """() => { const c = document.querySelector('.canvas').getBoundingClientRect();
           return [...document.querySelectorAll('[role=treeitem] rect')].filter((e) => {
             const b = e.getBoundingClientRect();
             return b.top >= c.top && b.bottom <= c.bottom && b.right <= c.right; }).length; }"""
    )
    assert seen >= 15


def test_many_branches_are_within_the_window_and_move_by_the_keyboard(opened):
    page = opened(many_subtrees())
    check_screens(page)
    page.set_viewport_size({"width": 1400, "height": 900})
    page.locator("[role=treeitem]").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    by_height = page.eval_on_selector_all(
        "[role=treeitem][aria-level='2']",
        """all => all.map(e => [e.querySelector('rect').y.baseVal.value, e.dataset.node])""",
    )
    assert page.evaluate("document.activeElement.dataset.node") == sorted(by_height)[1][1]
