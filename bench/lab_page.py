"""What the browser adds to a step of the lab, and how long selecting a node takes; medians of 20.

`python bench/lab_page.py` prints milliseconds for 60,000 rows and 10 columns: from the click to the
redrawn page, less the time of the request itself, as Chromium measures both. The steps are undo and
redo, whose trees the server has already grown: `step_ms` is not the time of a new split.
"""

from __future__ import annotations

import os
import shutil
import statistics
from typing import Any

import results_file
from lab import RUNS, serving, table_for
from playwright.sync_api import sync_playwright

from penjing.webapp.lab_state import Lab
from penjing.webapp.table_source import TableSource

STEP = """async (button) => {
    performance.clearResourceTimings();
    const before = document.querySelectorAll('.trail li').length;
    const now = () => document.querySelector('[aria-current=step]').textContent;
    const shown = now();
    const start = performance.now();
    document.querySelector(button).click();
    while (now() === shown && before === document.querySelectorAll('.trail li').length)
        await new Promise((done) => requestAnimationFrame(done));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const whole = performance.now() - start;
    const asked = performance.getEntriesByType('resource')
        .filter(({ name }) => /(undo|redo)\\?/.test(name));
    return [whole, whole - asked[0].duration];
}"""
SELECT = """async (node) => {
    const start = performance.now();
    const card = document.querySelector(`[role=treeitem][data-node='${node}']`);
    card.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return performance.now() - start;
}"""


def measure(page: Any) -> dict[str, float]:
    """Return the medians of steps and of selections."""
    steps = []
    for run in range(RUNS):
        steps.append(page.evaluate(STEP, f".trail > button:nth-of-type({1 + run % 2})"))
        page.wait_for_timeout(200)
    nodes = page.locator("[role=treeitem]").evaluate_all("all => all.map((e) => e.dataset.node)")
    picked = [page.evaluate(SELECT, nodes[run % len(nodes)]) for run in range(RUNS)]
    return {
        "step_ms": statistics.median(whole for whole, _ in steps),
        "page_adds_ms": statistics.median(adds for _, adds in steps),
        "select_ms": statistics.median(picked),
    }


def main() -> None:
    """Print the figures and keep them."""
    lab = Lab()
    flags = ["--no-sandbox", "--disable-gpu"] if os.geteuid() == 0 else ["--disable-gpu"]
    with serving(lab) as server, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        table = lab.add_table(TableSource("rows", None, table_for(60_000, 10)))
        figures = {}
        for recipe in ("cart-binary", "c4.5"):
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.set_default_timeout(120_000)
            page.goto(f"{server.address}&table={table}")
            page.locator(".division select").select_option(recipe)
            page.locator(".division button[type=submit]").click()
            page.locator(".candidates > li > button").nth(1).click()
            page.locator(".candidate .primary").click()
            page.wait_for_selector(".trail li:nth-child(2) [aria-current=step]")
            figures[recipe] = measure(page)
            print(recipe, {key: round(ms, 1) for key, ms in figures[recipe].items()})
            page.close()
        browser.close()
    results_file.save("lab_page", {"rows": 60_000, "columns": 10, "runs": RUNS, **figures})


if __name__ == "__main__":
    main()
