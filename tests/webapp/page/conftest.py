"""The lab in a real browser against the real server; foreign requests and messages are faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lab_client import running_lab
from penjing.webapp.lab_state import Lab, Start

QUIET = """async () => {
    const root = document.querySelector('.penjing');
    const wait = (start) => new Promise((done) => start(done));
    const end = performance.now() + 120_000;
    for (let quiet = 0; quiet < 2 && performance.now() < end; ) {
        // Effects run after a frame, questions about a node when it is still selected 60 ms later.
        await wait(requestAnimationFrame);
        await wait((done) => setTimeout(done, 80));
        quiet = root.dataset.pending === '0' ? quiet + 1 : 0;
    }
    return root.dataset.pending;
}"""
"""Waits by the page's own clock, which on a busy machine is late together with its timers."""

WIDE, NARROW = {"width": 1400, "height": 900}, {"width": 390, "height": 800}


class LabPage:
    """A tab with the lab, and a client of the same server."""

    def __init__(self, page: Any, client: Any) -> None:
        self.page, self.client = page, client

    def __getattr__(self, name: str) -> Any:
        return getattr(self.page, name)

    def settle(self) -> None:
        """Wait until no request is on its way, nor about to be sent."""
        assert self.page.evaluate(QUIET) == "0"

    def open_example(self, name: str = "watermelon2.0", recipe: str = "id3", **shares: int) -> None:
        """Open an example by mouse and grow its tree."""
        self.page.locator(".examples button", has=self.page.locator(f"b:text-is('{name}')")).click()
        self.grow(recipe, **shares)

    def grow(self, recipe: str = "id3", **shares: int) -> None:
        """Divide the rows of the table that is shown and grow a tree."""
        self.page.wait_for_selector("form.division")
        for i, part in enumerate(("training", "validation", "test")):
            if part in shares:
                self.page.locator(".division input[type=number]").nth(i).fill(str(shares[part]))
        self.page.locator(".division select").select_option(recipe)
        self.page.locator(".division button[type=submit]").click()
        self.page.wait_for_selector(".candidates")

    def card(self, node: int) -> Any:
        """Return the card of a node."""
        return self.page.locator(f"[role=treeitem][data-node='{node}']")

    def focused(self) -> str:
        """Return what has the focus, as its text, label or value."""
        script = """() => { const e = document.activeElement;
            return e.getAttribute('aria-label') ?? e.textContent ?? ''; }"""
        return str(self.page.evaluate(script))

    def tab_to(self, selector: str, most: int = 120) -> None:
        """Press Tab until an element has the focus."""
        for _ in range(most):
            if self.page.evaluate("s => document.activeElement.matches(s)", selector):
                return
            self.page.keyboard.press("Tab")
        message = f"the keyboard does not reach {selector}"
        raise AssertionError(message)

    def wait_until(self, script: str) -> None:
        """Wait until an expression is true; the page's CSP forbids Playwright's own polling."""
        self.wait_for(lambda: self.page.evaluate(script), script)

    def wait_for(self, condition: Callable[[], object], what: str) -> None:
        """Wait until a condition is true."""
        for _ in range(1_200):
            if condition():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(what)

    def workbook(self) -> dict[str, Any]:
        """Return the workbook of the address, as the server has it."""
        script = "() => new URLSearchParams(location.hash.slice(1)).get('workbook')"
        return self.client.ask("GET", f"workbook/{self.page.evaluate(script)}")

    def model(self) -> str:
        """Return the model file of the tree that is shown."""
        book = self.workbook()
        path = f"workbook/{book['workbook']}/tree/{book['current']}/export/model"
        return str(self.client.ask("GET", path)["content"])


@pytest.fixture
def open_lab(browser: Any):
    """Return a function that opens a lab in a tab of its own."""
    noise: list[str] = []
    contexts: list[Any] = []
    with running_lab(Lab(start=Start())) as client:
        own = f"http://127.0.0.1:{client.port}"

        def go(
            lang: str = "en", theme: str = "light", size: dict[str, int] = WIDE, place: str = ""
        ) -> LabPage:
            context = browser.new_context(viewport=size, color_scheme=theme, accept_downloads=True)
            contexts.append(context)
            page = context.new_page()
            page.set_default_timeout(60_000)
            page.on("console", lambda message: noise.append(message.text))
            page.on("pageerror", lambda error: noise.append(str(error)))
            page.on("request", lambda request: noise.append(request.url))
            page.goto(f"{own}/#token={client.token}&lang={lang}{place}")
            page.wait_for_selector(".top")
            return LabPage(page, client)

        go.noise = noise
        yield go
        for context in contexts:
            context.close()
    others = [n for n in noise if not n.startswith((own + "/", f"blob:{own}", "data:,"))]
    assert not others, others
