"""Worksheets and explanations in a real browser: nothing loaded, nothing cut off, axe is clean."""

from __future__ import annotations

import pytest

import penjing

Axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing").Axe


def pages() -> dict[str, str]:
    """Return pages with narrow and wide tables, and short and long formulas."""
    melons = penjing.example("watermelon3.0")
    golf = penjing.worksheet("example:golf", recipe="c4.5-textbook", blanks="all", quiet=True)
    binary = penjing.worksheet(melons, recipe="cart-binary", lang="zh", depth=2, quiet=True)
    tree = penjing.fit(melons, recipe="c4.5-textbook")
    return {
        "sheet": golf.to_html(),
        "solution": golf.to_html(solution=True),
        "练习": binary.to_html(),
        "答案": binary.to_html(solution=True),
        "why": tree.why().to_html(),
        "过程": tree.trace.to_html("zh"),
    }


def test_pages_load_nothing_and_fit_screens_and_paper(browser, tmp_path):
    noise = []
    for name, text in pages().items():
        path = tmp_path / f"{name}.html"
        path.write_text(text, "utf-8")
        for width, scheme in ((1200, "light"), (390, "dark")):
            context = browser.new_context(
                offline=True, viewport={"width": width, "height": 800}, color_scheme=scheme
            )
            page = context.new_page()
            page.on("console", lambda message: noise.append(message.text))
            page.on("request", lambda request: noise.append(request.url))
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            violations = Axe().run(page).response["violations"]
            assert not violations, [(v["id"], v["nodes"][0]["html"]) for v in violations]
            if scheme == "light":
                # as wide as the text of an A4 page at 96 dots an inch
                page.set_viewport_size({"width": 680, "height": 1000})
                page.emulate_media(media="print")
                assert page.evaluate("document.documentElement.scrollWidth") <= 680, name
                lines = "[...document.querySelectorAll('table, .formula math, figure svg')]"
                rights = f"Math.max(...{lines}.map(e => e.getBoundingClientRect().right))"
                assert page.evaluate(rights) <= 681, name
            context.close()
    assert [n for n in noise if not n.startswith((tmp_path.as_uri(), "data:,"))] == []
