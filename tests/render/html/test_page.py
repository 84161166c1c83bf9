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
            page.get_by_role("button", name=re.compile("^(English|中文)$")).click()
        page.get_by_role("button", name=re.compile("^(dark|light|深色|浅色)$")).click()


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
    assert page.locator("#rule").text_content() == "when 纹理 = 清晰 and 根蒂 = 蜷缩: 是"
    assert page.locator(".live").text_content() == spoken
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    page.keyboard.press("End")
    assert "模糊" in page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Home")
    assert page.evaluate("document.activeElement.id") == "n0"


@needs_chromium
def test_the_path_of_a_row_lights_up_and_says_what_would_flip_it(opened):
    tree = melons()
    page = opened(tree, lang="zh")
    said = {"纹理": "清晰", "根蒂": "硬挺"}
    row = {field.name: said.get(field.name) for field in tree.schema}
    for name, level in said.items():
        page.get_by_label(name, exact=True).select_option(label=level)
    assert page.locator("#answer").text_content() == f"预测：{tree.predict([row])[0]}"
    lit = page.eval_on_selector_all("[role=treeitem].lit", "all => all.map(e => e.id)")
    assert lit == [f"n{node}" for node in tree.path(int(tree.apply([row])[0]))]
    assert "若 根蒂 = 蜷缩" in page.locator("#flips").text_content()


@needs_chromium
def test_the_steps_of_growing_are_replayed(opened):
    page = opened(melons(), lang="zh")
    page.get_by_role("button", name="下一步").click()
    assert "第 2 步" in page.locator(".story").text_content()
    page.get_by_role("button", name="最后一步").click()
    assert page.get_by_role("button", name="下一步").is_disabled()


@needs_chromium
def test_search_opens_the_way_to_what_it_finds(opened):
    tree = large()
    page = opened(tree)
    for query, expected in (
        (
            "leaf:Aspen",
            sum(tree.answer(n) == "Aspen" for n in range(tree.n_nodes) if tree.is_leaf[n]),
        ),
        ("n>=6000", int((tree.weight >= 6000).sum())),
        ("column:Distance_2", int((tree.nodes.column == 2).sum())),
    ):
        page.get_by_label("search").fill(query)
        assert page.locator("#found").text_content() == f"{expected} found"
    page.get_by_label("search").fill("n>=6000")
    assert page.locator("[role=treeitem].found").count() == int((tree.weight >= 6000).sum())


@needs_chromium
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_places_boxes_where_the_picture_does(opened, lang):
    for tree in (melons(), large(300), _regression(), Tree.from_dict({"a": {0: "x", 1: "y"}})):
        page = opened(tree, lang=lang)
        told = page.eval_on_selector_all(
            "[role=treeitem]",
            """all => all.map(e => [e.id, ...['x', 'width', 'height'].map(
                 k => Number(e.querySelector('rect').getAttribute(k)))])""",
        )
        boxes = diagram.build_diagram(tree, lang=lang).boxes
        assert [t[0] for t in told] == [f"n{box.node}" for box in boxes]
        for (_, x, wide, high), box in zip(told, boxes, strict=True):
            assert abs(x - box.x) < 0.5
            assert abs(wide - box.width) < 0.5
            assert high == box.height
        page.close()


@needs_chromium
def test_no_text_is_wider_than_the_room_it_was_given(opened):
    page = opened(large(300))
    over = page.evaluate(
        """() => [...document.querySelectorAll('svg text')].map(t => {
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
    assert '<html lang="zh" data-theme="dark">' in text
    assert '<meta charset="utf-8">' in text
    assert "<title>好瓜</title>" in text
    addresses = re.findall(r"https?://[^\s\"']+", text)
    assert set(addresses) == {"http://www.w3.org/2000/svg"}
    data = re.search(r'id="data">(.*?)</script>', text).group(1)
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
    script = (Path(penjing.__file__).parent / "render" / "html" / "view.js").read_bytes()
    page = browser.new_page()
    answers = page.evaluate(
        """async ([script, data, rows]) => {
             const { Tree } = await import(`data:text/javascript;base64,${script}`);
             const tree = new Tree(data);
             return rows.map((row) => tree.answerTo(row)); }""",
        [b64encode(script).decode(), page_data(tree, "en", "light", None), rows],
    )
    page.close()
    assert answers == tree.predict(table).tolist()


@needs_chromium
def test_ties_empty_branches_surrogates_and_missing_values_are_seen(opened):
    page = opened(melons())
    text = page.locator("svg").text_content()
    assert " tie" in text
    assert "+1 empty" in text
    tied = page.locator("[role=treeitem]", has=page.locator("title", has_text="tie: "))
    tied.first.click()
    assert "tie: " in page.locator("#marks").text_content()
    page.close()
    page = opened(_gappy("rpart")[0])
    assert "surrogate" in page.locator("svg").text_content()
    assert "(missing)" in page.locator("svg").text_content()
    assert "missing: " in page.locator(".facts").text_content()


@needs_chromium
def test_a_click_draws_once_and_not_the_whole_tree(opened):
    page = opened(large())
    drawn = page.evaluate(
        """() => { let n = 0;
             const watch = new MutationObserver(() => {});
             watch.observe(document.getElementById('canvas'), { childList: true });
             const folded = document.querySelector('.folded[role=treeitem]');
             folded.dispatchEvent(new MouseEvent('click', { bubbles: true }));
             n = watch.takeRecords().length;
             return [n, document.querySelectorAll('*').length]; }"""
    )
    assert drawn[0] == 1
    assert drawn[1] < 4000
