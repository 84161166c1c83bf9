"""A real browser for the tests of pages: network off, and every message it prints is a fault."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penjing.api.tree import Tree
from penjing.render.html import write

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with sync_api.sync_playwright() as play:
        flags = ["--no-sandbox", "--disable-gpu"] if os.geteuid() == 0 else ["--disable-gpu"]
        opened = play.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield opened
        opened.close()


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
        page.wait_for_selector("[role=treeitem]")
        return page

    yield go
    context.close()
    others = [n for n in noise if not n.startswith((tmp_path.as_uri(), "data:,"))]
    assert not others, others
