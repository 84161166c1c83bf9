"""Reports and charts in a real browser: nothing cut off or broken, nothing loaded, axe is clean."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.evaluate.curves import learning_curve, pruning_curve
from penjing.render.charts.chart import Chart
from render.test_class_colours import many

LONG = "a name of a class that is longer than most columns of a table"

BROKEN = """() => {
  const found = [];
  for (const cell of document.querySelectorAll('th, td:not(.long)')) {
    if (cell.closest('details:not([open])') || cell.querySelector('code')) continue;
    for (const node of cell.childNodes) {
      if (node.nodeType !== 3) continue;
      for (const match of node.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(node, match.index); range.setEnd(node, match.index + match[0].length);
        const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
        if (lines.size > 1 && !/[-/]/.test(match[0])) found.push(match[0]);
      }
    }
  }
  return found;
}"""
"""Words and numbers of cells that stand on two lines."""

TEXTS = """() => {
  const found = { outside: [], overlap: [], small: [] };
  for (const svg of document.querySelectorAll('svg')) {
    const area = svg.getBoundingClientRect();
    if (!area.width) continue;
    const texts = [...svg.querySelectorAll('text')].map((t) => [t, t.getBoundingClientRect()]);
    for (const [t, box] of texts) {
      if (box.left < area.left - 1 || box.right > area.right + 1 || box.top < area.top - 1
          || box.bottom > area.bottom + 1) found.outside.push(t.textContent);
    }
    for (let i = 0; i < texts.length; i++) for (let j = i + 1; j < texts.length; j++) {
      const [a, b] = [texts[i][1], texts[j][1]];
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1.5 && high > 3) {
        found.overlap.push([texts[i][0].textContent, texts[j][0].textContent]);
      }
    }
  }
  return found;
}"""


def rows_of_classes(n_classes: int, n: int, seed: int, *, long: bool = False) -> Table:
    random = np.random.RandomState(seed)
    x = random.rand(n, 3).round(3)
    codes = (x[:, 0] * n_classes + (random.rand(n) < 0.25)).astype(int) % n_classes
    names = [f"{LONG} {k}" if long else f"class-{k:02}" for k in range(n_classes)]
    columns = tuple(numeric(f"x{i}", x[:, i]) for i in range(3))
    return Table(columns, nominal("kind", [names[k] for k in codes], names), n)


def numbers(n: int, seed: int) -> Table:
    random = np.random.RandomState(seed)
    x = random.rand(n, 2).round(3)
    y = (x[:, 0] * 1e6 + 1e5 * random.rand(n)).round(2)
    return Table((numeric("x0", x[:, 0]), numeric("x1", x[:, 1])), numeric("price", y), n)


@cache
def fitted(name: str) -> tuple[Any, Table, Table]:
    if name == "numbers":
        train, test = numbers(300, 0), numbers(120, 1)
        return penjing.fit(train, recipe="rpart"), train, test
    n_classes, long = int(name.removeprefix("long")), name.startswith("long")
    train = rows_of_classes(n_classes, 500, 0, long=long)
    test = rows_of_classes(n_classes, 200, 1, long=long)
    tree = penjing.fit(train, recipe="cart-binary", max_depth=7)
    return tree.prune("pessimistic"), train, test


BACKGROUND = "e => getComputedStyle(e).backgroundColor"
NAMES = ("2", "7", "19", "26", "numbers", "long3")


def _charts(name: str, lang: str) -> list[Chart]:
    tree, train, test = fitted(name)
    report = tree.score(test)
    kinds = (
        ("predictions",)
        if name == "numbers"
        else ("confusion", "roc", "precision_recall", "calibration")
    )
    return [
        *(report.chart(kind, lang=lang) for kind in kinds),
        tree.importances().chart(lang=lang),
        tree.why().chart(lang=lang),
        tree.why().chart("x0", lang=lang),
        pruning_curve(tree, train, test).chart(lang=lang),
        learning_curve(train, tree, k=3, shares=[0.3, 1.0]).chart(lang=lang),
        penjing.compare(tree, tree.prune_at("root")).chart(lang=lang, max_leaves=8),
    ]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_texts_of_charts_are_inside_and_do_not_overlap(browser, tmp_path, name, lang):
    path = tmp_path / "charts.html"
    pictures = "".join(f"<div>{chart.svg()}</div>" for chart in _charts(name, lang))
    path.write_text(f"<!doctype html><meta charset=utf-8>{pictures}", "utf-8")
    page = browser.new_page(viewport={"width": 1400, "height": 900}, offline=True)
    page.goto(path.as_uri())
    found = page.evaluate(TEXTS)
    page.close()
    assert found["outside"] == []
    assert found["overlap"] == []


Axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing").Axe


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("lang", "theme"), [("en", "auto"), ("zh", "dark")])
def test_a_report_fits_screens_and_paper_and_axe_is_clean(browser, tmp_path, name, lang, theme):
    tree, train, test = fitted(name)
    path = tmp_path / "report.html"
    path.write_text(
        tree.report(training=train, test=test, lang=lang, theme=theme, folds=3, trace=True), "utf-8"
    )
    noise: list[str] = []
    context = browser.new_context(offline=True, color_scheme="dark")
    page = context.new_page()
    page.on("console", lambda message: noise.append(message.text))
    page.on("request", lambda request: noise.append(request.url))
    page.goto(path.as_uri())
    for wide in (1400, 1100, 390):
        page.set_viewport_size({"width": wide, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= wide
        assert page.evaluate(BROKEN) == []
        assert page.evaluate(TEXTS)["outside"] == []
        if wide != 1100:
            violations = Axe().run(page).response["violations"]
            assert not violations, [(v["id"], v["nodes"][0]["html"][:200]) for v in violations]
    page.set_viewport_size({"width": 688, "height": 1000})  # an A4 page without its margins
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 688
    assert page.evaluate(BROKEN) == []
    rights = "[...document.querySelectorAll('table, figure svg, pre, p')]"
    rights = f"Math.max(...{rights}.map(e => e.getBoundingClientRect().right))"
    assert page.evaluate(rights) <= 689
    heights = "[...document.querySelectorAll('figure')].map(e => e.getBoundingClientRect().height)"
    assert max(page.evaluate(heights)) <= 1000  # no picture is divided between two pages
    ink = "getComputedStyle(document.querySelector('figure svg text')).fill"
    assert page.evaluate(ink) == "rgb(26, 29, 33)"
    context.close()
    assert [n for n in noise if not n.startswith((tmp_path.as_uri(), "data:,"))] == []


def test_a_picture_of_a_report_follows_the_theme_of_the_screen(browser, tmp_path):
    tree, _, test = fitted("2")
    path = tmp_path / "report.html"
    path.write_text(tree.report(test=test, cross_validation=False), "utf-8")
    inks = {}
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.goto(path.as_uri())
        inks[scheme] = page.evaluate(
            """[...document.querySelectorAll('figure svg')].map((svg) =>
                 [getComputedStyle(svg.querySelector('rect')).fill,
                  getComputedStyle(svg.querySelector('text')).fill])"""
        )
        page.close()
    assert all(pair == ["rgb(255, 255, 255)", "rgb(26, 29, 33)"] for pair in inks["light"])
    assert all(pair == ["rgb(22, 25, 29)", "rgb(240, 242, 244)"] for pair in inks["dark"])


def test_the_report_has_the_names_of_the_classes():
    """Names that a tree keeps stand everywhere, and change no number."""
    rng = np.random.RandomState(0)
    x = rng.rand(120)
    y = ((x > 0.4) ^ (rng.rand(120) < 0.1)).astype(int).tolist()
    table = Table((numeric("x", x),), nominal("y", y), 120)
    names = {0: "<died>", 1: "survived"}
    plain = penjing.fit(table, recipe="rpart").report(test=table, positive=0, folds=3)
    named = penjing.fit(table, recipe="rpart", class_names=names).report(
        test=table, positive=0, folds=3
    )
    texts = [
        [t.strip() for t in re.split(r"<[^>]+>", page[page.index("<main") :]) if t.strip()]
        for page in (plain, named)
    ]
    assert len(texts[0]) == len(texts[1])  # nothing is missing
    assert "0" in texts[0]
    assert "&lt;died&gt;" in texts[1]
    is_number = re.compile(r"[\d.]+%?")
    figures = [
        [t for t in page if is_number.fullmatch(t) and t not in ("0", "1")] for page in texts
    ]
    assert figures[0] == figures[1]


def test_a_wide_tree_is_first_seen_at_its_root(browser, tmp_path):
    """On a phone, the picture is scrolled to the root; the page itself stays at its beginning."""
    rng = np.random.RandomState(3)
    x = np.round(rng.rand(400, 3), 2)
    y = [f"class {int(4 * a + 3 * b) % 5}" for a, b, _ in x]
    columns = tuple(numeric(f"x{c}", x[:, c]) for c in range(3))
    tree = penjing.fit(Table(columns, nominal("y", y), 400), recipe="cart-binary", max_leaves=14)
    path = tmp_path / "report.html"
    path.write_text(tree.report(cross_validation=False), encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(path.as_uri())
    figure = page.locator("figure").first
    assert figure.evaluate("e => e.scrollWidth > e.clientWidth + 100")
    ends = figure.evaluate(
        """e => { const [a, b] = [e.querySelector('#n0, [id$=n0]'), e].map(
             x => x.getBoundingClientRect()); return [a.left - b.left, b.right - a.right]; }"""
    )
    assert min(ends) >= 0
    assert page.evaluate("[scrollX, scrollY]") == [0, 0]
    for width in (390, 700, 1200):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.mark.parametrize(("lang", "word"), [("en", "column"), ("zh", "属性")])
def test_the_table_of_importances_is_headed_as_by_the_command(lang, word):
    tree = penjing.fit(penjing.example("watermelon3.0"), recipe="rpart", minsplit=4)
    section = tree.report(lang=lang, cross_validation=False).partition('id="importance"')[2]
    assert re.search(r"<th[^>]*>(\w+)</th>", section)[1] == word
    assert tree.importances().text(lang).split()[0] == word


def test_counts_of_the_summary_have_thousands_separators():
    rows = [{"x": i % 97, "y": "ab"[i % 97 > 40]} for i in range(4000)]
    tree = penjing.fit(rows, "y", recipe="cart-binary")
    summary = tree.report(test=rows[:3000]).split("</section>")[0]
    assert "<strong>4,000</strong>" in summary
    assert "3,000 of 3,000" in summary
    assert "3000" not in summary.split("<svg")[0]


@pytest.mark.parametrize("n_classes", [2, 7, 19, 0])
def test_the_report_names_the_colours_beside_the_picture(browser, tmp_path, n_classes):
    tree = many(n_classes) if n_classes else penjing.fit(numbers(300, 0), recipe="rpart")
    path = tmp_path / "report.html"
    tree.report(path, cross_validation=False)
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(path.as_uri())
    entries = page.locator(".legend > li")
    assert entries.count() == (min(n_classes, 8) or 6)
    for i in range(entries.count()):
        box = entries.nth(i).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    legend, picture = (page.locator(s).first.bounding_box() for s in (".legend", "figure"))
    assert legend["y"] + legend["height"] <= picture["y"]
    fills = [entry.evaluate(BACKGROUND) for entry in page.locator(".legend > li > span").all()]
    assert len(set(fills)) == len(fills)
    facts = page.locator("#verdict h3 + p")
    assert f"{tree.n_leaves} leaves" in facts.inner_text()
    assert facts.evaluate("e => e.scrollWidth <= e.clientWidth")
    picture = page.locator("figure svg").first  # they are not told twice, and never cut
    assert f"{tree.n_leaves} leaves" not in " ".join(picture.locator("text").all_text_contents())
    page.set_viewport_size({"width": 1100, "height": 900})
    assert page.locator(".legend").first.is_visible()
    page.close()
