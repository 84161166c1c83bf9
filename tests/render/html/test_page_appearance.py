"""Pages and reports as they are seen: any number of classes, any width, on paper, step by step."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from penjing.render import diagram
from penjing.render.class_colours import colour_indices
from penjing.render.html import page_data
from penjing.render.report import write as write_report
from penjing.render.theme import PALETTE
from render.html.conftest import card, settle, style_of
from render.test_class_colours import grouped, many, numbers
from watermelon_files import FILES

LONG = "an answer of more letters than a column of a side panel has room for"


@cache
def tall() -> Tree:
    """Return a tree that is taller and wider than a sheet."""
    rng = np.random.RandomState(2)
    x = np.round(rng.rand(3000, 3), 3)
    y = ["ab"[int(v)] for v in (np.floor(x[:, 0] * 40) + rng.rand(3000) * 1.3) % 2]
    columns = tuple(numeric(f"x{c}", x[:, c]) for c in range(3))
    return penjing.fit(Table(columns, nominal("y", y), 3000), recipe="cart-binary", max_leaves=60)


@cache
def named(classes: int) -> Tree:
    """Return a tree with long names of classes and of columns."""
    tree = many(classes)
    return penjing.fit(
        Table(
            (numeric(LONG * 2, range(90)), nominal("c", [LONG + "abc"[i % 3] for i in range(90)])),
            nominal(tree.target.name, [f"{LONG}-{i % classes}" for i in range(90)]),
            90,
        ),
        recipe="cart-binary",
    )


@cache
def course(name: str) -> Table:
    from io import StringIO  # noqa: PLC0415

    return penjing.read(StringIO(FILES[name]), target="好瓜", schema={"编号": "ignore"})


@pytest.mark.parametrize("classes", [2, 8, 9, 40])
def test_the_tree_has_most_of_the_width_whatever_the_classes(opened, classes):
    for tree in (many(classes), named(min(classes, 30))):
        page = opened(tree)
        for wide in (320, 768, 901, 1400):
            page.set_viewport_size({"width": wide, "height": 900})
            for view in range(3):
                page.locator(".tools button").nth(view).click()
                assert page.evaluate("document.documentElement.scrollWidth") <= wide
                assert page.evaluate("document.querySelector('.canvas').clientWidth") > wide / 2
        page.locator(".tools button").first.click()
        page.set_viewport_size({"width": 1400, "height": 900})
        lines = page.locator(".counts tbody tr")
        assert lines.count() == len(tree.classes)
        told = dict(zip(tree.classes, tree.nodes.total[0].tolist(), strict=True))
        for i in range(lines.count()):
            cells = lines.nth(i).locator("th, td").all_text_contents()
            assert float(cells[1]) == told[cells[0]]
        page.close()


def test_a_click_selects_and_only_a_double_click_the_knob_and_the_keyboard_fold(opened):
    tree = penjing.fit(course("Watermelon-train1.csv"), recipe="id3", trace=True)
    page = opened(tree)
    whole = page.locator("[role=treeitem]").count()
    asks = [n for n in range(tree.n_nodes) if not tree.is_leaf[n]]
    for node in asks:
        card(page, node).click()
        assert page.locator("[role=treeitem]").count() == whole
        assert card(page, node).get_attribute("aria-selected") == "true"
        assert page.evaluate("document.activeElement.dataset.node") == str(node)
        outline = "e => getComputedStyle(e.querySelector('rect')).strokeWidth"
        strong = page.eval_on_selector_all("[role=treeitem]", f"all => all.map({outline})")
        assert [width for width in strong if width == "2.5px"] == ["2.5px"]
        assert page.locator("h2").first.text_content() == (f"node {node}" if node else "root")
    node = asks[1]
    for fold in (
        lambda: card(page, node).dblclick(),
        lambda: page.locator(f".knob[data-fold='{node}']").click(),
        lambda: (
            card(page, node).focus(),
            page.keyboard.press("Enter"),
        ),
    ):
        card(page, node).click()
        page.wait_for_timeout(600)  # that the next click is the first of two
        for state in ("false", "true"):
            fold()
            assert card(page, node).get_attribute("aria-expanded") == state
            assert (page.locator("[role=treeitem]").count() == whole) == (state == "true")
            page.wait_for_timeout(600)
    leaf = int(np.flatnonzero(tree.is_leaf)[0])
    assert page.locator(f".knob[data-fold='{leaf}']").count() == 0


def drawn_by_page(
    browser: Any, tree: Tree, show: str = "counts", lang: str = "en"
) -> list[dict[str, Any]]:
    """Return the boxes that the page's own code makes of a tree."""
    script = (Path(penjing.__file__).parent / "render" / "html" / "page.js").read_bytes()
    page = browser.new_page()
    made = page.evaluate(
        """async ([script, data, show]) => {
             const { Drafts, Tree, scene } = await import(`data:text/javascript;base64,${script}`);
             const words = data.words[data.lang];
             const say = (key, values = {}) => (key === "lang" ? data.lang
               : ((values.n === 1 && words[`${key}_one`]) || words[key] || key)
                   .replace(/\\{(\\w+)(:,)?\\}/g, (_, name) => values[name]));
             const tree = new Tree(data);
             return scene(tree, tree.unfolded(), say, new Drafts(tree, say, show)).boxes; }""",
        [b64encode(script).decode(), page_data(tree, lang, "light", None), show],
    )
    page.close()
    return made


LEVELS = [
    *("Don't Play", 'a "quoted" one', "\u200d zero", "two\nlines", "x" * 70, "a,b", "市区 一", "é"),
    *("plain", "back\\slash", 'it\'s "both"', "tab\there", "constructor", "🍉", "1 2"),
]


def test_the_page_writes_the_labels_and_bars_of_the_picture(browser):
    rng = np.random.RandomState(4)
    trees = [many(k, k) for k in (2, 8, 9, 26, 40)]
    trees += [grouped(list(rng.choice(LEVELS, k, replace=False))) for k in range(2, len(LEVELS))]
    trees += [grouped([f"{LONG} {i}" for i in range(9)]), grouped([True, False])]
    trees += [grouped([1.0, 2.5, 3.0]), numbers()]
    for tree in trees:
        for show, lang in (("counts", "en"), ("data", "zh"), ("none", "en")):
            boxes = drawn_by_page(browser, tree, show, lang)
            picture = diagram.build_diagram(tree, show=show, lang=lang, layout="top-down")
            check_same(boxes, picture.boxes)


def many_branches(kind: str, n: int = 40) -> Tree:
    """Return a tree whose root has many branches: leaves of few predictions, and some splits."""
    rng = np.random.RandomState(7)
    code = np.repeat(np.arange(n), 6)
    columns = (
        nominal("place of birth", [f"the town of {LEVELS[k % 7]} {k}" for k in code]),
        numeric("age", rng.randint(20, 60, 6 * n)),
    )
    if kind == "numbers":
        target = numeric("income", np.round(10.0 * (code % 9) + 3 * rng.rand(6 * n), 2))
        return penjing.fit(Table(columns, target, 6 * n), recipe="cart-textbook", max_depth=1)
    is_mixed = np.isin(code, (3, 17)) & (rng.rand(6 * n) < 0.5)
    labels = [("no", "yes", "later")[(k + m) % 3] for k, m in zip(code, is_mixed, strict=True)]
    return penjing.fit(Table(columns, nominal("bought", labels), 6 * n), recipe="id3")


@pytest.mark.parametrize("kind", ["classes", "numbers", "no counts"])
def test_the_page_gathers_the_leaves_of_many_branches_as_the_picture_does(browser, kind):
    tree = many_branches(kind)
    if kind == "no counts":
        tree = Tree.from_dict({"a": {f"x{i}": "pq"[i % 2] for i in range(30)}})
    for show, lang in (("counts", "en"), ("data", "zh"), ("none", "en")):
        boxes = drawn_by_page(browser, tree, show, lang)
        picture = diagram.build_diagram(tree, show=show, lang=lang, layout="top-down")
        assert "gathered" in {box.kind for box in picture.boxes}
        assert {b["node"] for b in boxes if b["kind"] == "gathered"} == {
            box.node for box in picture.boxes if box.kind == "gathered"
        }
        check_same(boxes, picture.boxes)


def check_same(boxes: list[dict[str, Any]], wanted: Sequence[diagram.Box]) -> None:
    """Check that the page has the boxes of the picture: texts, places, bars and plots."""
    for key, name in (("label", "branch_label"), ("name", "name"), ("note", "note")):
        assert [b[key] for b in boxes] == [getattr(box, name) for box in wanted]
    assert [tuple(b["lines"]) for b in boxes] == [box.lines for box in wanted]
    for found, box in zip(boxes, wanted, strict=True):
        assert [shade for shade, _ in found["bar"]] == [shade for shade, _ in box.bar]
        assert np.allclose([part for _, part in found["bar"]], [part for _, part in box.bar])
        # The picture puts a narrow tree into the middle.
        assert abs(found["x"] - boxes[0]["x"] - (box.x - wanted[0].x)) < 0.5
        assert abs(found["y"] - boxes[0]["y"] - (box.y - wanted[0].y)) < 0.5
        assert abs(found["wide"] - box.width) < 0.5
        assert found["high"] == box.height
        assert (found["plot"] is None) == (box.plot is None)
        if box.plot is not None:
            assert len(found["plot"]["bars"]) == len(box.plot.bars)
            assert found["plot"]["threshold"] == box.plot.threshold
        assert (found["spread"] is None) == (box.spread is None)
        if box.spread is not None:
            ends = [box.spread.low, box.spread.mark, box.spread.high]
            assert np.allclose(found["spread"], ends, atol=1e-3)


def test_classes_beyond_eight_are_grey_and_divided_on_the_page(opened):
    page = opened(many(26, 5))
    page.locator(".legend summary").click()
    names = page.locator(".legend ul li").all_text_contents()
    assert len(names) == 26 - 7  # the grey ones are named
    swatches = page.eval_on_selector_all(
        ".legend .swatch", "all => all.map(e => getComputedStyle(e).backgroundColor)"
    )
    assert len(swatches) == len(set(swatches)) == 8
    assert page.locator(".picture .between").count() > 0


def test_the_icicle_of_numbers_is_seen_on_the_page(opened):
    tree = numbers(2)
    page = opened(tree)
    for theme in range(2):
        page.locator(".tools button").nth(1).click()
        fills = page.eval_on_selector_all(
            ".cell", "all => all.map(e => [Number(e.dataset.node), getComputedStyle(e).fill])"
        )
        paper = page.evaluate(
            "getComputedStyle(document.querySelector('.penjing')).backgroundColor"
        )
        assert len({fill for _, fill in fills}) > len(fills) / 2
        assert paper not in {fill for _, fill in fills}
        told = page.locator(".canvas .facts").text_content()
        assert "purity" not in told
        assert told.endswith(f"{tree.values.max():.3g}")
        if not theme:
            page.locator("button.theme").click()


def pages_of(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("make", [tall, lambda: many(26), lambda: named(30), numbers])
def test_a_printed_page_is_one_sheet_dark_on_white(opened, make, theme):
    page = opened(make(), theme=theme)
    for view in (0, 1):
        page.locator(".tools button").nth(view).click()
        for landscape in (False, True):
            assert pages_of(page.pdf(format="A4", landscape=landscape)) == 1
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 703, "height": 1032})
        area = page.evaluate(
            """() => { const box = document.querySelector('.picture').getBoundingClientRect();
                 return [box.left, box.top, box.right, box.bottom, box.width, box.height]; }"""
        )
        assert area[0] >= 0
        assert area[2] <= 703.5
        assert area[3] <= 1032
        assert min(area[4:]) > 20
        assert style_of(page, ".penjing", "backgroundColor") == "rgb(255, 255, 255)"
        inks = page.evaluate(
            "[document.querySelector('h1'), document.querySelector('.picture text')].map("
            "e => getComputedStyle(e)).map(s => [s.color, s.fill])"
        )
        assert inks[0][0] == inks[1][1] == "rgb(26, 29, 33)"
        exact = page.evaluate(
            "getComputedStyle(document.querySelector('.picture')).printColorAdjust"
        )
        assert exact == "exact"
        page.emulate_media(media="null")
        page.set_viewport_size({"width": 1400, "height": 900})
    page.locator(".tools button").nth(2).click()  # a list may run over several sheets
    assert pages_of(page.pdf(format="A4")) >= 1


BROKEN = """() => {
  const found = [];
  for (const cell of document.querySelectorAll('td, th')) {
    const range = document.createRange();
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      if (walker.currentNode.parentElement.closest('code')) continue;
      for (const match of walker.currentNode.data.matchAll(/[A-Za-z0-9_.%]+/g)) {
        if (match[0].length > 40) continue;  // longer than a line of a phone
        range.setStart(walker.currentNode, match.index);
        range.setEnd(walker.currentNode, match.index + match[0].length);
        const tops = new Set([...range.getClientRects()].map((r) => Math.round(
          getComputedStyle(cell).writingMode === 'vertical-rl' ? r.left : r.top)));
        if (tops.size > 1) found.push(match[0]);
      }
    }
  }
  return found; }"""


@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
def test_a_report_breaks_no_word_and_prints_dark_on_white(browser, tmp_path, theme):
    table = course("Watermelon-train1.csv")
    pairs = [(penjing.fit(table, recipe="id3"), table)]
    for classes in (3, 26):
        rng = np.random.RandomState(classes)
        x = rng.rand(260, 2)
        kinds = [f"Lodgepole-Pine{int(v * classes)}" for v in x[:, 0]]
        columns = (numeric("Horizontal_Distance_To_Roadways", x[:, 0]), numeric("b", x[:, 1] * 1e6))
        rows = Table(columns, nominal("cover", kinds), 260)
        pairs.append((penjing.fit(rows, recipe="cart-binary", max_leaves=40), rows))
    for tree, rows in pairs:
        path = tmp_path / "report.html"
        path.write_text(write_report(tree, rows, rows, theme=theme, folds=3), "utf-8")
        page = browser.new_page(color_scheme="dark")
        page.goto(path.as_uri())
        for wide in (320, 390, 800, 1400):
            page.set_viewport_size({"width": wide, "height": 900})
            assert page.evaluate(BROKEN) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= wide
        page.emulate_media(media="print", color_scheme="dark")
        page.set_viewport_size({"width": 703, "height": 1032})
        assert page.evaluate(BROKEN) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 703
        boxes = page.evaluate(
            """[...document.querySelectorAll('figure svg')].map(e => e.getBoundingClientRect())
               .filter(box => box.width).map(box => [box.right, box.height])"""
        )
        assert len(boxes) >= 3
        assert all(right <= 703.5 and high <= 1032 for right, high in boxes)
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(26, 29, 33)"
        light = page.evaluate(
            """[...document.querySelectorAll('figure svg > rect:first-of-type')].map(
                 e => getComputedStyle(e).fill == 'rgb(255, 255, 255)')"""
        )
        assert len(light) == len(boxes)
        assert all(light)
        page.close()


@pytest.mark.parametrize("classes", [19, 26])
def test_classes_have_the_colours_of_the_picture_in_details_legend_leaves_and_icicle(
    opened, classes
):
    tree = many(classes, classes)
    wanted = {
        str(class_): PALETTE[index]
        for class_, index in zip(tree.classes, colour_indices(tree), strict=True)
    }
    page = opened(tree)

    def hex_colours(selector: str, name: str) -> list[str]:
        script = f"all => all.map(e => getComputedStyle(e).{name})"
        texts = page.eval_on_selector_all(selector, script)
        return ["#" + "".join(f"{int(v):02x}" for v in re.findall(r"\d+", t)[:3]) for t in texts]

    names = page.locator(".counts th").all_text_contents()
    assert sorted(names) == sorted(wanted)
    assert hex_colours(".counts .swatch", "backgroundColor") == [wanted[name] for name in names]
    own = [text.split(" (")[0] for text in page.locator(".legend > li").all_text_contents()[:-1]]
    colours = hex_colours(".legend > li > .swatch", "backgroundColor")
    assert colours == [wanted[name] for name in own]
    assert len(set(colours)) == 7
    greys = page.locator(".legend details li").all_text_contents()
    assert {text.split(" (")[0] for text in greys} | set(own) == set(wanted)
    shades = page.eval_on_selector_all(
        "[role=treeitem]:not(.question)",
        "all => all.map(e => [+e.dataset.node, e.querySelector('rect').style.cssText])",
    )
    assert shades
    for node, style in shades:
        assert wanted[str(tree.answer(node))] in style
    page.locator(".tools button").nth(1).click()
    cells = page.eval_on_selector_all(
        ".cell", "all => all.map(e => [+e.dataset.node, e.style.cssText + e.getAttribute('fill')])"
    )
    assert len(cells) > 5
    for node, style in cells:
        assert wanted[str(tree.answer(node))] in style


def test_the_name_of_a_long_class_does_not_make_a_split_wide(opened):
    """Of more than four classes, the card of a split names the largest one."""
    long = [f"{letter * 110} {letter}" for letter in "abcdef"]
    rows = [{"x": i % 60, "z": i % 7, "y": long[i % 60 // 10]} for i in range(600)]
    tree = penjing.fit(rows, "y", recipe="cart-binary")
    boxes = [box for box in diagram.build_diagram(tree).boxes if box.kind == "split"]
    assert len(boxes) >= 5
    assert max(box.width for box in boxes) < 330
    page = opened(tree)
    page.locator(".tools button", has_text="expand all").click()
    widths = page.eval_on_selector_all(
        "[role=treeitem] rect", "all => all.map(e => Number(e.getAttribute('width')))"
    )
    assert len(widths) >= 11
    assert max(widths) < 330


SWATCH_AND_NAME = """(entries) => entries.map((entry) => {
  const range = document.createRange();
  range.selectNodeContents(entry.querySelector('bdi'));
  const [swatch, line] = [entry.querySelector('.swatch').getBoundingClientRect(),
    range.getClientRects()[0]];
  return [line.left - swatch.right, swatch.top - line.top, line.bottom - swatch.bottom];
})"""


@pytest.mark.parametrize("width", [1400, 390])
def test_swatches_stand_beside_the_first_line_of_long_names(opened, width):
    names = ["z" * 200, "several words " * 20, "\u202eevil", "\u05d0\u05d3\u05d5\u05dd", "short"]
    rows = [{"x": i, "y": names[i // 20]} for i in range(100)]
    page = opened(penjing.fit(rows, "y", recipe="cart-binary"))
    page.set_viewport_size({"width": width, "height": 900})
    for entries in (".legend > li", ".counts th"):
        places = page.locator(entries).evaluate_all(SWATCH_AND_NAME)
        assert len(places) == len(names)
        assert all(0 < left < 12 and above > -3 and below > -3 for left, above, below in places)
    high = page.locator(".legend > li").evaluate_all("all => all.map(e => e.offsetHeight)")
    assert max(high) < (60 if width == 390 else 100)  # counts are not broken
    texts = page.locator(".legend > li, .counts th").all_text_contents()
    assert not any("\u202e" in text for text in texts)  # it would turn the rest of the line around
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_long_title_leaves_room_for_the_tree_on_a_phone(opened):
    page = opened(many(3), title="z" * 300)
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    assert page.locator("h1").bounding_box()["height"] < 80
    stage, aside = (page.locator(part).first.bounding_box() for part in (".stage", "aside"))
    assert aside["y"] - stage["y"] >= 150


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_toolbar_ends_where_the_page_ends_and_shows_the_whole_hint(opened, lang):
    page = opened(named(3), lang=lang)
    right = "e => e.getBoundingClientRect().right"
    end = page.locator("aside").evaluate(right)
    assert page.locator(".others").evaluate(right) == pytest.approx(end, abs=1)
    for width in (1400, 390):
        page.set_viewport_size({"width": width, "height": 900})
        hint, room = page.locator(".search input").evaluate(
            """e => { const style = getComputedStyle(e);
                 const context = document.createElement('canvas').getContext('2d');
                 context.font = style.font;
                 return [context.measureText(e.placeholder).width,
                         e.clientWidth - parseFloat(style.paddingLeft) - 14]; }"""
        )
        assert hint <= room  # beside the sign that clears the field


def test_the_legend_of_numbers_explains_bars_only_where_there_are_bars(opened):
    page = opened(numbers(1))
    assert page.locator(".legend .facts").count() == 1
    page.locator(".tools button").nth(1).click()
    assert page.locator(".legend .facts").count() == 0
    page.locator(".tools button").nth(0).click()
    assert page.locator(".legend .facts").count() == 1


FIGURES_AFTER_NAMES = r"""() => [...document.querySelectorAll('.picture text')].flatMap((text) => {
  const found = /[\u05d0-\u06ff](?=[\u2069'\u05d0-\u06ff]* (\d+)%)/.exec(text.textContent);
  if (!found) return [];
  const figure = text.textContent.indexOf(found[1], found.index);
  return [text.getExtentOfChar(figure).x - text.getExtentOfChar(found.index).x];
})"""


def test_figures_of_cards_stay_beside_names_from_the_right_and_rules_are_copied_without_marks(
    browser, tmp_path
):
    names = ["\u05d0\u05d3\u05d5\u05dd", "\u0623\u0632\u0631\u0642", *"cdefgh"]
    rows = [{"x": i, "y": names[i // 20 if i % 7 else 0]} for i in range(160)]
    tree = penjing.fit(rows, "y", recipe="cart-binary", max_leaves=8)
    path = tmp_path / "tree.html"
    path.write_text(tree.write("html"), "utf-8")
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector(".canvas > *")
    distances = page.evaluate(FIGURES_AFTER_NAMES)
    assert distances
    assert min(distances) > 0
    leaf = next(n for n in np.flatnonzero(tree.is_leaf) if tree.answer(int(n)) == names[0])
    card(page, int(leaf)).click()
    page.locator(".copy").click()
    page.get_by_role("button", name="copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert names[0] in copied
    assert not set(copied) & set("\u2068\u2069")
    page.locator(".search input").fill(names[0])
    settle(page)
    assert "found" in page.locator(".found-text").inner_text()
    assert not page.locator(".found-text").inner_text().startswith("0")
    context.close()
