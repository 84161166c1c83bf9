"""A page in a real browser: network off, and every message it prints is a fault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penjing.api.tree import Tree
from penjing.render.html import write


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Return a function that opens a tree's page with the network off and watches for noise."""
    context = browser.new_context(offline=True, viewport={"width": 1400, "height": 900})
    noise: list[str] = []

    def go(tree: Tree, **style: Any) -> Any:
        path = tmp_path / "tree.html"
        path.write_text(write(tree, **style), encoding="utf-8")
        page = context.new_page()
        page.on("console", lambda message: noise.append(message.text))
        page.on("pageerror", lambda error: noise.append(str(error)))
        page.on("request", lambda request: noise.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector(".canvas > *")
        return page

    yield go
    context.close()
    others = [n for n in noise if not n.startswith((tmp_path.as_uri(), "data:,", "blob:"))]
    assert not others, others


def settle(page: Any) -> None:
    """Wait until the size of the window, and what was just done, have been drawn."""
    for _ in range(1_200):
        if page.viewport_size is None or page.evaluate("innerWidth") == page.viewport_size["width"]:
            break
        page.wait_for_timeout(50)
    page.evaluate(FRAMES)


FRAMES = """async () => {
    for (let i = 0; i < 4; i++) {
        await new Promise(requestAnimationFrame);
        await new Promise((done) => setTimeout(done));
    }
}"""


def card(page: Any, node: int) -> Any:
    """Return the card of a node."""
    return page.locator(f"[role=treeitem][data-node='{node}']")


def style_of(page: Any, selector: str, name: str) -> str:
    """Return a computed style of the first element that a selector finds."""
    script = "([selector, name]) => getComputedStyle(document.querySelector(selector))[name]"
    return str(page.evaluate(script, [selector, name]))
