"""The page in a real browser: from disk, network off, keyboard only, both languages and themes."""

from __future__ import annotations

import json
import re
import shutil
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from penjing.errors import ChoiceError
from penjing.render import diagram
from penjing.render.html import page_data, write

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
Axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing").Axe
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
ODD = "</script><!-- 'Don\\'t Play' & \"é🍉\u2028"


@cache
def melons() -> Tree:
    return penjing.fit(penjing.example("watermelon2.0"), trace=True)


@cache
def large(leaves: int = 2000) -> Tree:
    random = np.random.RandomState(3)
    x = np.round(random.randn(12000, 4), 2)
    y = (x[:, 0] * x[:, 1] > 0) * 1 + (random.rand(len(x)) < 0.25)
    columns = tuple(numeric(f"Horizontal_Distance_{i}", x[:, i]) for i in range(4))
    classes = [("Aspen", "Krummholz", "Spruce/Fir")[v] for v in y]
    table = Table(columns, nominal("cover", classes), len(x))
    return penjing.fit(table, recipe="cart-binary", max_leaves=leaves)


@needs_chromium
@pytest.mark.parametrize("make", [melons, pytest.param(large, marks=pytest.mark.slow)])
def test_axe_finds_nothing_in_any_view_language_or_theme(opened, make):
    page = opened(make())
    for _theme in range(2):
        for _lang in range(2):
            for view in ("tree", "icicle", "list"):
                page.locator(".tools button").nth(["tree", "icicle", "list"].index(view)).click()
                found = Axe().run(page).response["violations"]
                assert not found, [(v["id"], v["nodes"][0]["html"]) for v in found]
            page.locator("button.language").click()
        page.locator("button.theme").click()


@needs_chromium
def test_the_keyboard_alone_reaches_a_leaf_and_its_rule(opened):
    page = opened(melons())
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "treeitem":
            break
    for key in ("ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    spoken = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert spoken == "根蒂 = 蜷缩, 5 rows, 5 是, 0 否, predicts 是"
    assert page.locator(".rule").text_content() == "when 纹理 = 清晰 and 根蒂 = 蜷缩: 是"
    assert page.locator(".live").text_content() == spoken
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    page.keyboard.press("End")
    assert "模糊" in page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Home")
    assert page.evaluate("document.activeElement.dataset.node") == "0"


@needs_chromium
def test_the_path_of_a_row_lights_up_and_says_what_would_flip_it(opened):
    tree = melons()
    page = opened(tree, lang="zh")
    said = {"纹理": "清晰", "根蒂": "硬挺"}
    row = {field.name: said.get(field.name) for field in tree.schema}
    page.get_by_role("tab", name="输入一个样本试试").click()
    for name, level in said.items():
        page.get_by_label(name, exact=True).select_option(label=level)
    told = tree.explain(row).text("zh").splitlines()[0]  # with share and interval
    assert told.startswith(f"预测：{tree.predict([row])[0]}，100%（95% 置信区间")
    assert page.locator(".answer").text_content() == told
    lit = page.eval_on_selector_all("[role=treeitem].lit", "all => all.map(e => +e.dataset.node)")
    assert lit == tree.path(int(tree.apply([row])[0]))
    assert "若 根蒂 = 蜷缩" in page.locator(".changes").text_content()


@needs_chromium
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_places_boxes_where_the_picture_does(opened, lang):
    weighted = [
        penjing.fit(penjing.example("fish"), weight=[2.5, 1, 1, 3, 1]),
        penjing.fit(penjing.example("watermelon2.0alpha"), recipe="c4.5-textbook"),
    ]
    uncounted = Tree.from_dict({"a": {0: "x", 1: "y"}})
    for tree in (melons(), large(300), _regression(), uncounted, *weighted):
        page = opened(tree, lang=lang, max_leaves=64)
        assert (page.locator(".plot").count() > 0) == (tree.n_leaves <= 24 and tree.has_counts)
        told = page.eval_on_selector_all(
            "[role=treeitem]",
            """all => all.map(e => [+e.dataset.node, ...['x', 'width', 'height'].map(
                 k => Number(e.querySelector('rect').getAttribute(k)))])""",
        )
        boxes = diagram.build_diagram(tree, lang=lang).boxes
        assert [t[0] for t in told] == [box.node for box in boxes]
        for (_, x, wide, high), box in zip(told, boxes, strict=True):
            assert abs(x - told[0][1] - (box.x - boxes[0].x)) < 0.5
            assert abs(wide - box.width) < 0.5
            assert high == box.height
        page.close()


@needs_chromium
def test_no_text_is_wider_than_the_room_it_was_given(opened):
    page = opened(large(300), max_leaves=300)
    over = page.evaluate(
        """() => [...document.querySelectorAll('.picture .node text')].map(t => {
             const card = t.closest('g').previousElementSibling.querySelector('rect');
             return t.classList.contains('label') || !card ? 0
                    : t.getBBox().width - card.getBBox().width; }).filter(d => d > 0)"""
    )
    assert over == []


@needs_chromium
def test_odd_names_neither_end_the_script_nor_become_markup(opened):
    classes = [ODD, "plain"]
    tree = Tree.from_dict({ODD: {ODD: classes[0], "<b>": classes[1]}}, target=ODD)
    page = opened(tree, title=ODD)
    assert page.locator("h1").text_content() == ODD
    assert page.locator("b").count() == 0


def test_two_thousand_leaves_make_less_than_a_megabyte():
    assert len(write(large()).encode()) <= 1_000_000


def test_the_file_speaks_its_language_and_names_no_address():
    text = write(melons(), lang="zh", theme="dark")
    assert '<html lang="zh">' in text
    assert 'data-theme="dark"' in text
    assert '<meta charset="utf-8">' in text
    assert "<title>好瓜</title>" in text
    addresses = re.findall(r"https?://[^\s\"']+", text)
    assert {a.rpartition("/")[0] for a in addresses} <= {  # names of namespaces
        "http://www.w3.org/2000", "http://www.w3.org/1999", "http://www.w3.org/1998/Math",
    }  # fmt: skip
    data = re.search(r'application/json">(.*?)</script>', text).group(1)
    assert json.loads(data)["classes"] == ["是", "否"]
    for wrong in ({"theme": "blue"}, {"lang": "fr"}):
        with pytest.raises(ChoiceError):
            write(melons(), **wrong)


def _regression() -> Tree:
    x = numeric("x", range(60))
    table = Table((x,), numeric("y", [v * v / 7 for v in range(60)]), 60)
    return penjing.fit(table, recipe="cart-binary", max_depth=4)


def _gappy(recipe: str, **options: Any) -> tuple[Tree, Table]:
    """Return a tree grown from rows with missing values, and the rows."""
    random = np.random.RandomState(5)
    n = 120
    x, z = np.round(random.randn(2, n), 1)
    colour = random.choice(["red", "green", "blue"], n)
    y = np.where(x + (colour == "red") > 0.3, "yes", "no")
    hole = random.rand(3, n) < 0.15
    table = Table(
        (
            numeric("x", np.where(hole[0], np.nan, x)),
            numeric("z", np.where(hole[1], np.nan, x + z)),
            nominal(
                "colour", [None if h else str(c) for c, h in zip(colour, hole[2], strict=True)]
            ),
        ),
        nominal("class", y.tolist()),
        n,
    )
    return penjing.fit(table, recipe=recipe, **options), table


@needs_chromium
@pytest.mark.parametrize("recipe", ["rpart", "sklearn", "c4.5-textbook", "c4.5", "cart-binary"])
def test_the_page_answers_rows_with_unknown_values_as_the_tree_does(browser, recipe):
    options = {"missing": "fraction"} if recipe == "cart-binary" else {}
    if recipe == "sklearn":  # asks only numbers
        tree, table = _gappy(recipe, max_depth=4)
    else:
        tree, table = _gappy(recipe, **options)
    rows = []
    for row in table.rows():
        cells = [row[field.name] for field in tree.schema]
        rows.append(
            [
                "" if value is None else value if f.is_numeric else f.levels.index(value)
                for value, f in zip(cells, tree.schema, strict=True)
            ]
        )
    script = (Path(penjing.__file__).parent / "render" / "html" / "page.js").read_bytes()
    page = browser.new_page()
    answers = page.evaluate(
        """async ([script, data, rows]) => {
             const page = await import(`data:text/javascript;base64,${script}`);
             const tree = new page.Tree(data);
             return rows.map((row) => page.predict(tree, row).answer); }""",
        [b64encode(script).decode(), page_data(tree, "en", "light", None), rows],
    )
    page.close()
    assert answers == tree.predict(table).tolist()


@needs_chromium
def test_ties_empty_branches_surrogates_and_missing_values_are_seen(opened):
    tree = melons()
    page = opened(tree)
    text = page.locator(".picture").text_content()
    assert " tie" in text
    assert "+1 empty" in text
    tied = page_data(tree, "en", "light", None)["ties"][0]
    page.locator(f"[role=treeitem][data-node='{tied}']").click()
    assert "tie: " in page.locator(".details .notes").text_content()
    page.close()
    tree = _gappy("rpart")[0]
    page = opened(tree)
    assert "surrogate" in page.locator(".picture").text_content()
    assert "(missing)" in page.locator(".picture").text_content()
    assert "missing: " in page.locator(".facts").text_content()
    page.locator(".missing summary").click()
    notes = page.locator(".missing li").all_text_contents()
    used = [s for s in tree.nodes.surrogates[0] if s.is_used]
    assert len(notes) == len(used) + 1
    assert all("if x is missing" in note for note in notes)


@needs_chromium
def test_a_click_changes_two_cards_and_not_the_whole_tree(opened):
    page = opened(large(), max_leaves=64)
    changed = page.evaluate(
        """async () => {
             const touched = new Set();
             const watch = new MutationObserver((all) => all.forEach((r) => touched.add(r.target)));
             const picture = document.querySelector('.picture');
             watch.observe(picture, { childList: true, attributes: true, subtree: true });
             const card = document.querySelectorAll('[role=treeitem].leaf')[3];
             card.dispatchEvent(new MouseEvent('click', { bubbles: true }));
             await new Promise((done) => setTimeout(done, 50));
             return [touched.size, document.querySelectorAll('*').length]; }"""
    )
    assert 0 < changed[0] <= 3
    assert changed[1] < 4000
