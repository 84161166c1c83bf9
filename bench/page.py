"""How long the page of a tree of 2,000 leaves takes to load and to react, in Chromium.

    python bench/page.py [--old REVISION] [--repeats 20]

Medians, in milliseconds, from an action to the end of the next frame, beside a calibration page of
the same run, whose action changes one attribute. ``--old`` also measures the page of another
revision of this repository, from a temporary worktree with this checkout's extension. The pages are
as `penjing.render.html.write` writes them by default. Writes results/page.json.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from results_file import save

ROOT = Path(__file__).resolve().parent.parent
WRITE = """
import sys, penjing
from penjing.render.html import write
open(sys.argv[2], "w", encoding="utf-8").write(write(penjing.load(sys.argv[1])))
"""
CALIBRATION = """<!DOCTYPE html><html lang="en"><title>calibration</title>
<div class="canvas" style="overflow: auto; height: 500px; width: 900px">
<svg width="4000" height="2000"><rect width="100" height="40" role="treeitem"/></svg></div>
<input type="search"><button>+</button><button>-</button>
<script>for (const kind of ["click", "input"]) document.addEventListener(kind, () =>
  document.querySelector("rect").setAttribute("x", Math.random() * 100));</script></html>"""

# Each action is a function of its repetition; `timed` waits for the frame that shows its result.
PRELUDE = """
  const timed = async (run, n) => {
    const found = [];
    for (let i = 0; i < n; i++) {
      await new Promise((done) => setTimeout(done, 30));
      await new Promise(requestAnimationFrame);
      const start = performance.now();
      run(i);
      await new Promise((done) => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = done;
        channel.port2.postMessage(0); }));
      found.push(performance.now() - start);
    }
    return found; };
  const canvas = document.querySelector('.canvas');
"""
ACTIONS = {
    "click": """(i) => { const all = document.querySelectorAll('[role=treeitem]');
        const click = new MouseEvent('click', { bubbles: true, detail: 1 });
        all[(7 * i + 1) % all.length].dispatchEvent(click); }""",
    "search key": """(i) => { const field = document.querySelector('input[type=search]');
        const text = i < 10 ? 'leaf:Aspen' : 'Distance_2';
        field.value = text.slice(0, i % 10 + 1);
        field.dispatchEvent(new InputEvent('input', { bubbles: true })); }""",
    "zoom": """(i) => { const sign = i % 2 ? ['−', '-'] : ['+'];
        const all = [...document.querySelectorAll('button')];
        all.find((b) => sign.includes(b.textContent)).click(); }""",
    "pan": """(i) => { if (!document.querySelector('.camera')) {
          canvas.scrollLeft += i % 2 ? -60 : 60; return; }
        const box = canvas.getBoundingClientRect();
        const [x, y] = [box.left + 300 + (i % 2 ? 60 : 0), box.top + 300];
        const send = (kind, x) => canvas.dispatchEvent(new PointerEvent(kind, {
          pointerId: 1, clientX: x, clientY: y, bubbles: true }));
        canvas.setPointerCapture = () => {};
        send('pointerdown', x); send('pointermove', x + (i % 2 ? -60 : 60));
        send('pointerup', x + (i % 2 ? -60 : 60)); }""",
}
LOADED = """() => new Promise((done) => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => done(performance.now());
  channel.port2.postMessage(0); }))"""


def model_of_2000_leaves(path: Path) -> None:
    """Save a tree of 2,000 leaves."""
    import penjing
    from penjing.data.table import Table, nominal, numeric

    random = np.random.RandomState(3)
    x = np.round(random.randn(12000, 4), 2)
    y = (x[:, 0] * x[:, 1] > 0) * 1 + (random.rand(len(x)) < 0.25)
    columns = tuple(numeric(f"Horizontal_Distance_{i}", x[:, i]) for i in range(4))
    classes = [("Aspen", "Krummholz", "Spruce/Fir")[v] for v in y]
    table = Table(columns, nominal("cover", classes), len(x))
    penjing.fit(table, recipe="cart-binary", max_leaves=2000, trace=False).save(path)


@contextmanager
def sources_of(revision: str) -> Iterator[Path]:
    """Yield the sources of a revision, with this checkout's extension."""
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / "checkout"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "-q", "--detach", str(checkout), revision], check=True)
        try:
            for extension in (ROOT / "src" / "penjing").glob("*.so"):
                shutil.copy(extension, checkout / "src" / "penjing")
            yield checkout / "src"
        finally:
            subprocess.run([*git, "remove", "--force", str(checkout)], check=True)


def write_page(sources: Path, model: Path, path: Path) -> None:
    """Write the page of a model with these sources."""
    environment = os.environ | {"PYTHONPATH": str(sources)}
    command = [sys.executable, "-c", WRITE, str(model), str(path)]
    subprocess.run(command, env=environment, check=True)


def measured(browser: Any, pages: dict[str, Path], repeats: int) -> dict[str, dict[str, float]]:
    """Return the median of each action on each page; the pages take turns."""
    times: dict[str, dict[str, list[float]]] = {
        name: {action: [] for action in ("load", *ACTIONS)} for name in pages
    }
    for _ in range(repeats):
        for name, path in pages.items():
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto(path.as_uri())
            times[name]["load"].append(float(page.evaluate(LOADED)))
            page.close()
    for action, script in ACTIONS.items():
        for name, path in pages.items():
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto(path.as_uri())
            page.wait_for_timeout(300)
            run = f"async (n) => {{ {PRELUDE} return timed({script}, n); }}"
            times[name][action] += page.evaluate(run, repeats)
            page.close()
    return {
        name: {action: round(statistics.median(found), 1) for action, found in actions.items()}
        for name, actions in times.items()
    }


def main() -> None:
    """Measure the pages and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--old", metavar="REVISION", help="measure the page of this revision, too")
    parser.add_argument("--repeats", type=int, default=20)
    arguments = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model_of_2000_leaves(folder / "model.tree")
        pages = {"calibration": folder / "calibration.html", "page": folder / "page.html"}
        pages["calibration"].write_text(CALIBRATION, "utf-8")
        write_page(ROOT / "src", folder / "model.tree", pages["page"])
        if arguments.old:
            pages[arguments.old] = folder / "old.html"
            with sources_of(arguments.old) as sources:
                write_page(sources, folder / "model.tree", pages[arguments.old])
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            figures = measured(browser, pages, arguments.repeats)
            browser.close()
        sizes = {key: path.stat().st_size for key, path in pages.items()}
    for action in ("load", *ACTIONS):
        print(
            f"{action:<12}" + "".join(f"{k}: {v[action]:>8.1f} ms   " for k, v in figures.items())
        )
    print("bytes       " + "".join(f"{key}: {size:>11,}   " for key, size in sizes.items()))
    save("page", {"repeats": arguments.repeats, "milliseconds": figures, "bytes": sizes})


if __name__ == "__main__":
    main()
