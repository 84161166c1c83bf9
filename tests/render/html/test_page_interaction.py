"""What a reader does with the page: move, zoom, search, follow a row, copy, save, share a link."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penjing import fit
from penjing.data.table import Table, nominal, numeric
from penjing.render.html import write
from render.html.conftest import card, settle, style_of
from render.html.test_page import _gappy, _regression, large, melons
from render.html.test_page_appearance import many_branches
from render.test_class_colours import many


def scale(page: Any) -> float:
    return float(re.search(r"scale\(([\d.]+)\)", style_of_camera(page)).group(1))


def style_of_camera(page: Any) -> str:
    both = "['.moved', '.camera'].map((s) => document.querySelector(s).style.transform).join(' ')"
    return str(page.evaluate(both))


def is_in_view(page: Any, node: int) -> bool:
    """Whether the card of a node lies within the canvas."""
    return bool(
        page.evaluate(
            """(node) => {
                 const card = document.querySelector(`[role=treeitem][data-node='${node}'] rect`);
                 if (!card) return false;
                 const [a, b] = [card, document.querySelector('.canvas')].map(
                   (e) => e.getBoundingClientRect());
                 return a.left >= b.left - 1 && a.right <= b.right + 1
                   && a.top >= b.top - 1 && a.bottom <= b.bottom + 1; }""",
            node,
        )
    )


def middle_of(page: Any) -> tuple[float, float]:
    box = page.locator(".canvas").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_wheel_drag_buttons_and_keys_move_the_picture(opened):
    page = opened(melons())
    x, y = middle_of(page)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -200)
    page.wait_for_function(
        "!document.querySelector('.camera').style.transform.includes('scale(1)')"
    )
    assert scale(page) > 1
    page.get_by_role("button", name="fit to window").click()
    assert scale(page) <= 1
    before = style_of_camera(page)
    whole = page.locator("[role=treeitem]").count()
    page.mouse.move(x, y + 200)
    page.mouse.down()
    page.mouse.move(x - 150, y + 150, steps=4)
    page.mouse.up()
    assert style_of_camera(page) != before
    assert page.locator("[role=treeitem]").count() == whole  # a drag folds and selects nothing
    assert card(page, 0).get_attribute("aria-selected") == "true"
    page.get_by_role("button", name="zoom in").click()
    assert scale(page) > 1
    card(page, 0).focus()
    for key, is_larger in (("-", False), ("+", True), ("0", False)):
        old = scale(page)
        page.keyboard.press(key)
        assert (scale(page) > old) == is_larger
    before = style_of_camera(page)
    page.keyboard.press("Shift+ArrowRight")
    assert style_of_camera(page) != before


def test_a_drag_that_begins_on_a_card_does_not_select_it(opened):
    page = opened(melons())
    box = card(page, 1).bounding_box()
    x, y = box["x"] + 20, box["y"] + 20
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 30, steps=4)
    page.mouse.up()
    assert card(page, 1).get_attribute("aria-selected") == "false"
    card(page, 1).click()
    assert card(page, 1).get_attribute("aria-selected") == "true"


def test_two_fingers_zoom(opened):
    page = opened(melons())
    x, y = middle_of(page)
    page.evaluate(
        """([x, y]) => {
             const canvas = document.querySelector('.canvas');
             const send = (kind, id, x) => canvas.dispatchEvent(new PointerEvent(kind, {
               pointerId: id, pointerType: 'touch', clientX: x, clientY: y, bubbles: true }));
             canvas.setPointerCapture = () => {};
             send('pointerdown', 1, x - 50); send('pointerdown', 2, x + 50);
             for (let i = 1; i <= 10; i++) {
               send('pointermove', 1, x - 50 - 5 * i); send('pointermove', 2, x + 50 + 5 * i); }
             send('pointerup', 1, x - 100); send('pointerup', 2, x + 100); }""",
        [x, y],
    )
    assert 1.8 < scale(page) < 2.2


def test_fit_shows_an_unfolded_tree_whole_and_the_map_moves_it(opened):
    page = opened(large())
    page.get_by_role("button", name="expand all").click()
    assert "400 of 2,000 leaves" in page.locator(".notice").text_content()
    assert page.locator("[role=treeitem].leaf, [role=treeitem].folded").count() <= 400
    assert page.locator(".overview").is_visible()
    before = style_of_camera(page)
    box = page.locator(".overview").bounding_box()
    page.mouse.click(box["x"] + 3, box["y"] + box["height"] - 3)
    assert style_of_camera(page) != before
    page.get_by_role("button", name="fit to window").click()
    inside = page.evaluate(
        """() => { const [a, b] = ['.picture', '.canvas'].map(
             (s) => document.querySelector(s).getBoundingClientRect());
             return a.left >= b.left - 1 && a.right <= b.right + 1 && a.bottom <= b.bottom + 1; }"""
    )
    assert inside
    assert page.locator(".overview").count() == 0  # all is seen


def test_the_first_view_is_whole_and_large_enough_to_read(opened):
    page = opened(large())
    assert scale(page) >= 0.6
    assert page.locator("[role=treeitem]").count() >= 11
    nodes = page.eval_on_selector_all("[role=treeitem]", "all => all.map(e => +e.dataset.node)")
    assert all(is_in_view(page, node) for node in nodes)


def test_search_shows_each_match_marks_them_in_every_view_and_is_undone(opened):
    tree = large()
    page = opened(tree)
    before = page.locator("[role=treeitem]").count()
    looked = style_of_camera(page)
    field = page.get_by_label("search", exact=True)
    hits = [n for n in range(tree.n_nodes) if tree.is_leaf[n] and tree.answer(n) == "Aspen"]
    field.fill("leaf:aspen")  # in any case of letters
    for i, node in enumerate([*hits[:4], hits[3]]):
        assert page.locator(".found-text").text_content() == f"{min(i, 3) + 1} of {len(hits)} found"
        assert page.evaluate("document.activeElement.type") == "search"
        assert "found" in card(page, node).get_attribute("class")
        assert is_in_view(page, node)
        if i < 3:
            page.keyboard.press("Enter")
    page.keyboard.press("Shift+Enter")
    assert page.locator(".found-text").text_content().startswith("3 of")
    page.get_by_role("button", name="next match").click()
    assert page.locator(".found-text").text_content().startswith("4 of")
    folded = page.locator("[role=treeitem].folded.holds").count()
    assert folded > 0  # folded subtrees say that matches are in them
    page.get_by_role("button", name="icicle plot").click()
    assert page.locator(".cell.found").count() > 100
    page.get_by_role("button", name="list", exact=True).click()
    assert page.locator("li.found").count() >= 1
    page.get_by_role("button", name="tree", exact=True).click()
    field.fill("")
    assert page.locator("[role=treeitem]").count() == before
    assert style_of_camera(page) == looked
    assert page.locator(".found, .holds").count() == 0
    for query, n in (
        ("n>=6000", int((tree.weight >= 6000).sum())),
        ("column:Distance_2", int((tree.nodes.column == 2).sum())),
        ("属性：Distance_2", int((tree.nodes.column == 2).sum())),
        ("叶结点:aspen", len(hits)),
    ):
        field.fill(query)
        assert page.locator(".found-text").text_content() == f"1 of {n} found"
    field.fill("no such thing")
    assert page.locator(".found-text").text_content() == "0 found"
    page.keyboard.press("Escape")
    assert page.locator("[role=treeitem]").count() == before


def test_the_path_of_a_row_is_followed_into_view(opened):
    tree = large()
    page = opened(tree)
    page.get_by_role("tab", name="try a row").click()
    rng = np.random.RandomState(0)
    for values in np.round(rng.randn(3, 4), 2).tolist():
        for column, value in enumerate(values):
            page.get_by_label(f"Horizontal_Distance_{column}", exact=True).fill(str(value))
        row = {f.name: v for f, v in zip(tree.schema, values, strict=True)}
        end = int(tree.apply([row])[0])
        lit = page.eval_on_selector_all(
            "[role=treeitem].lit", "all => all.map(e => +e.dataset.node)"
        )
        assert lit == tree.path(end)
        assert is_in_view(page, end)
        told = tree.explain(row).text("en").splitlines()[0]
        assert page.locator(".answer").text_content() == told


@pytest.mark.parametrize("recipe", ["c4.5", "rpart", "c4.5-textbook"])
def test_predictions_of_rows_are_told_as_the_command_tells_them(opened, recipe):
    tree, table = _gappy(recipe)
    page = opened(tree)
    page.get_by_role("tab", name="try a row").click()
    used = sorted({int(c) for c in tree.nodes.column.tolist() if c >= 0})
    for row in list(table.rows())[:12]:
        cells = {f.name: row[f.name] for f in tree.schema}
        for column in used:
            field = tree.schema[column]
            box, value = page.get_by_label(field.name, exact=True), cells[field.name]
            if field.is_numeric:
                box.fill("" if value is None else str(value))
            else:
                box.select_option("" if value is None else str(field.levels.index(value)))
        if any(cells[tree.schema[column].name] is not None for column in used):
            told = tree.explain(cells).text("en").splitlines()[0]
            assert page.locator(".answer").text_content() == told


def test_the_address_leads_to_what_is_shown(opened):
    page = opened(melons())
    card(page, 4).click()
    page.locator("button.language").click()
    page.locator("button.theme").click()
    page.locator("[role=tab]").nth(2).click()
    page.get_by_role("button", name="下一步").click()
    assert page.locator("html").get_attribute("lang") == "zh"
    address = page.url
    assert "#" in address
    other = opened(melons())
    other.goto("about:blank")
    other.goto(address)
    other.wait_for_selector("[role=treeitem]")
    assert other.locator(".step").text_content().startswith("2 / ")
    assert other.locator(".penjing").get_attribute("data-theme") == "dark"
    assert other.locator("html").get_attribute("lang") == "zh"
    other.locator("[role=tab]").first.click()
    assert card(other, 4).get_attribute("aria-selected") == "true"
    other.evaluate("location.hash = '#view=icicle&node=1&lang=en&step=zz&theme=pink'")
    other.wait_for_selector(".icicle")
    assert other.locator("h2").text_content() == "node 1"


def test_the_page_follows_the_readers_colours_until_one_is_chosen(browser, tmp_path):
    path = tmp_path / "tree.html"
    path.write_text(write(melons()), encoding="utf-8")
    for scheme, other in (("dark", "light"), ("light", "dark")):
        context = browser.new_context(color_scheme=scheme)
        page = context.new_page()
        page.goto(path.as_uri())
        assert page.locator(".penjing").get_attribute("data-theme") == scheme
        page.emulate_media(color_scheme=other)
        page.locator(f".penjing[data-theme={other}]").wait_for()
        page.locator("button.theme").click()
        assert page.locator(".penjing").get_attribute("data-theme") == scheme
        context.close()


def test_the_focus_is_never_lost(opened):
    page = opened(melons())
    for control in ("button.language", "button.theme", "button.copy"):
        page.locator(control).focus()
        page.keyboard.press("Enter")
        settle(page)
        assert page.evaluate("(s) => document.activeElement.matches(s)", control)
    for view in range(3):
        button = page.locator(".tools button").nth(view)
        button.focus()
        page.keyboard.press("Enter")
        assert button.evaluate("e => e === document.activeElement")
    tab = page.locator("[role=tab]").first
    tab.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.getAttribute('aria-selected')") == "true"


def test_the_icicle_is_as_wide_as_the_canvas_zooms_and_marks_the_selected_cell(opened):
    tree = large()
    page = opened(tree, view="icicle")
    for width in (1400, 1100, 390):
        page.set_viewport_size({"width": width, "height": 900})
        settle(page)
        canvas, root = (
            page.locator(s).first.bounding_box() for s in (".canvas", ".cell[data-node='0']")
        )
        assert abs(canvas["width"] - root["width"]) < 3
    page.set_viewport_size({"width": 1400, "height": 900})
    settle(page)
    cells = page.locator(".cell").count()
    target = tree.path(int(np.argmax(tree.depths)))[3]
    page.locator(f".cell[data-node='{target}']").click()
    assert page.locator("h2").text_content() == f"node {target}"
    page.locator(f".cell[data-node='{target}']").dblclick()
    wide = page.locator(f".cell[data-node='{target}']").bounding_box()["width"]
    assert abs(wide - page.locator(".canvas").bounding_box()["width"]) < 3
    assert page.locator(".selection").count() == 1
    page.locator(".canvas").focus()
    page.keyboard.press("Escape")
    assert page.locator(".cell").count() == cells
    page.keyboard.press("ArrowDown")
    kids = tree.children(target)
    assert page.locator("h2").text_content() in {f"node {kid}" for kid in kids}
    page.keyboard.press("Enter")
    assert page.locator(".cell").count() != cells
    page.get_by_role("button", name="fit to window").click()
    x, y = middle_of(page)
    page.mouse.move(x, y - 200)
    page.mouse.wheel(0, -400)
    settle(page)
    assert page.locator(".cell").count() != cells


def test_a_rule_is_copied_and_pictures_are_saved(opened):
    tree = many(9)
    for theme in ("light", "dark"):
        page = opened(tree, theme=theme)
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        leaf = int(np.flatnonzero(tree.is_leaf)[0])
        card(page, leaf).click()
        page.get_by_role("button", name="copy rule").click()
        page.get_by_role("button", name="copied").wait_for()
        rule = page.locator(".rule").text_content()
        assert page.evaluate("navigator.clipboard.readText()") == rule
        for view in (0, 1):
            page.locator(".tools button").nth(view).click()
            with page.expect_download() as download:
                page.get_by_role("button", name="save SVG").click()
            text = Path(download.value.path()).read_text("utf-8")
            assert download.value.suggested_filename.endswith(".svg")
            assert text.startswith("<svg")
            assert "var(" not in text
            assert "color-mix" not in text
            assert "color(" not in text
            picture = page.context.new_page()
            picture.set_content(text)
            assert picture.locator("svg text").count() > 3
            texts = picture.locator("svg text").all_text_contents()
            assert tree.target.name in texts
            assert any(f"{tree.n_leaves} leaves" in told for told in texts)
            counts = zip(tree.classes, tree.nodes.total[0].tolist(), strict=True)
            assert {f"{class_} ({count:g})" for class_, count in counts} <= set(texts)
            top, head = (
                picture.evaluate(
                    "name => document.querySelector(name).getBoundingClientRect().toJSON()", name
                )
                for name in ("svg", "[data-heading]")
            )
            assert head["top"] >= top["top"]
            assert head["right"] <= top["right"]
            tops = picture.evaluate(
                "() => [...document.querySelectorAll('svg text')].filter((t) => t.textContent &&"
                " !t.closest('[data-heading]')).map((t) => t.getBoundingClientRect().top)"
            )
            assert min(tops) >= head["bottom"] - 2
            picture.close()
            with page.expect_download() as download:
                page.get_by_role("button", name="save PNG").click()
            assert Path(download.value.path()).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        page.close()


def test_two_pages_live_in_one_document(browser, tmp_path):
    first, second = write(melons(), lang="zh"), write(_regression(), theme="dark")
    body = re.search(r"(<div class=\"penjing.*?</script>)", second, re.DOTALL).group(1)
    one = re.search(r"(<div class=\"penjing.*?</script>)", first, re.DOTALL).group(1)
    both = first.replace(one, one + body).replace('"is_document":true', '"is_document":false')
    path = tmp_path / "both.html"
    path.write_text(both, encoding="utf-8")
    page = browser.new_page()
    noise: list[str] = []
    page.on("console", lambda message: noise.append(message.text))
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.goto(path.as_uri())
    pages = page.locator(".penjing")
    assert pages.count() == 2
    ids = page.eval_on_selector_all("[id]", "all => all.map(e => e.id)")
    assert len(ids) == len(set(ids)) > 4
    pages.nth(1).locator("[role=treeitem]").nth(1).click()
    assert pages.nth(0).locator("h2").text_content() == "根结点"
    assert pages.nth(1).locator("h2").text_content() == "node 1"
    assert style_of(page, ".penjing", "colorScheme") == "light"
    assert page.url == path.as_uri()
    assert not noise
    page.close()


def test_the_page_runs_under_a_strict_policy(browser, tmp_path):
    path = tmp_path / "tree.html"
    path.write_text(write(melons()), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    ran = page.evaluate(
        """() => {
             const script = document.createElement('script');
             script.textContent = 'window.ran = true';
             document.body.append(script);
             return window.ran ?? false; }"""
    )
    assert ran is False
    page.close()


def test_max_leaves_folds_the_page(opened):
    tree = large()
    for n in (1, 4, 30):
        page = opened(tree, max_leaves=n)
        ends = page.locator("[role=treeitem].leaf, [role=treeitem].folded").count()
        assert 1 < ends <= max(n, 2)
        page.close()


def test_details_of_a_tapped_node_are_seen_on_a_phone(browser, tmp_path):
    path = tmp_path / "tree.html"
    path.write_text(write(many(26, 5)), encoding="utf-8")
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(path.as_uri())
    page.locator("[role=treeitem]").nth(1).tap()
    heading = page.locator(".details h2")
    assert heading.text_content() != "root"
    box = heading.bounding_box()
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 844
    context.close()


def test_leaves_of_many_branches_are_gathered_and_each_can_be_shown(opened):
    tree = many_branches("classes", 200)
    page = opened(tree)
    boxes = page.locator("[role=treeitem]")
    gathered = page.locator("[role=treeitem].gathered")
    assert boxes.count() < 40
    assert gathered.count() == 3
    assert page.locator(".picture").bounding_box()["width"] <= 1400
    # Selected, its details list the leaves; each gets a box of its own.
    before = boxes.count()
    first = int(gathered.first.get_attribute("data-node"))
    gathered.first.click()
    n = page.locator(".members button").count()
    assert n > 50
    assert page.locator("h2").first.text_content() == f"{n} leaves"
    assert f"{n} leaves" in gathered.first.get_attribute("aria-label")
    rows = page.locator(".counts td").all_text_contents()
    assert sum(int(text) for text in rows if text.strip()) == 6 * n
    wanted = page.locator(".members button").nth(5)
    name = wanted.text_content().removesuffix(" (6)")
    wanted.click()
    assert boxes.count() == before + 1
    single = int(page.locator("[role=treeitem][aria-selected=true]").get_attribute("data-node"))
    assert is_in_view(page, single)
    assert page.locator("h2").first.text_content() == f"node {single}"
    assert name in page.locator(".rule").text_content()
    # It is put back, and all of them are shown one by one, by the keyboard too.
    for key in ("Enter", None):
        if key:
            page.keyboard.press(key)
        else:
            page.locator(f".knob[data-fold='{first}']").click()
        assert boxes.count() == before
        assert card(page, first).get_attribute("aria-selected") == "true"
        card(page, first).focus()
        page.keyboard.press("ArrowRight")
        assert boxes.count() == before + n - 1
        page.wait_for_timeout(600)  # that the next click is the first of two
    page.get_by_role("button", name="collapse all").click()
    assert gathered.count() == 3
    page.get_by_role("button", name="expand all").click()
    assert gathered.count() == 0
    assert boxes.count() == tree.n_nodes


def test_search_rows_and_links_take_a_leaf_out_of_its_box(opened, tmp_path):
    tree = many_branches("classes", 200)
    page = opened(tree)
    boxes, before = page.locator("[role=treeitem]"), page.locator("[role=treeitem]").count()
    page.locator("[role=treeitem].gathered").nth(1).click()
    name = page.locator(".members button").nth(7).text_content().removesuffix(" (6)").strip("'")
    field = page.get_by_label("search", exact=True)
    field.fill(name)
    assert page.locator(".found-text").text_content().startswith("1 of ")
    assert boxes.count() == before + 1
    node = int(page.locator("[role=treeitem].found").first.get_attribute("data-node"))
    assert is_in_view(page, node)
    field.fill("")
    assert boxes.count() == before
    page.get_by_role("tab").nth(1).click()
    code = tree.schema[0].levels.index(name)
    page.locator(".field select").first.select_option(str(code))
    assert "lit" in card(page, node).get_attribute("class")
    assert boxes.count() == before + 1
    path = tmp_path / "other.html"
    path.write_text(write(tree), encoding="utf-8")
    page.goto(path.as_uri() + f"#node={node}")
    page.wait_for_selector(".canvas > *")
    assert card(page, node).get_attribute("aria-selected") == "true"
    page.get_by_role("button", name="icicle").click()
    assert page.locator("h2").first.text_content() == f"node {node}"


@pytest.mark.parametrize("name", ["טוב", "جيد 3", "טוב (מאוד)"])
def test_right_to_left_names_do_not_move_the_figures_beside_them(opened, name):
    columns = (numeric("x", np.arange(20.0)),)
    table = Table(columns, nominal("y", [name] * 12 + ["b"] * 8), 20)
    page = opened(fit(table, recipe="cart-binary"), lang="en")
    card(page, 0).click()
    places = page.evaluate(
        """() => {
          const sentence = document.querySelector('.interval');
          const name = sentence.querySelector('bdi').getBoundingClientRect();
          const last = sentence.lastChild, range = document.createRange();
          const at = last.data.search(/[0-9]/);
          range.setStart(last, at); range.setEnd(last, at + 1);
          const first = range.getBoundingClientRect();
          range.setStart(last, last.data.lastIndexOf('%') - 1);
          range.setEnd(last, last.data.lastIndexOf('%'));
          const end = range.getBoundingClientRect();
          const order = (box) => 10000 * Math.round(box.top / 8) + box.left;
          return [order(name), order(first), order(end)];
        }"""
    )
    assert places == sorted(places)
    assert name in page.locator(".interval bdi").text_content()
    assert page.locator(".legend bdi").first.text_content()
    page.close()
