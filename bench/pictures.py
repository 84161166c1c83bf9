"""The same trees drawn by penjing and others: time, size, type; writes benchmarks/pictures.md.

    python bench/pictures.py [--limit SECONDS] [--only TOOL]

Needs scikit-learn and matplotlib; dtreeviz (with Graphviz's dot) and supertree where they are
installed. Each drawing is made in a process of its own. What comes out is opened in Chromium,
which says how large its type is and which words lie on each other.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent / "docs"
TREES = ("watermelon", "titanic", "large")
TOOLS = {
    "penjing svg": "svg",
    "penjing icicle": "svg",
    "penjing html": "html",
    "plot_tree": "svg",
    "dtreeviz": "svg",
    "supertree": "html",
}
RULES = {
    "watermelon": "16 melons of the course exercise; the other tools get the categories as numbers",
    "titanic": "891 passengers, depth at most 5, at least 10 rows per leaf",
    "large": "16,000 rows made by a generator, 2,000 leaves",
}

MEASURE = """() => {
  const texts = [...document.querySelectorAll('svg text')].filter((t) => t.textContent.trim()
    && getComputedStyle(t).visibility !== 'hidden');
  const sizes = texts.map((t) => {
    const m = t.getScreenCTM();
    return parseFloat(getComputedStyle(t).fontSize) * Math.hypot(m.a, m.b);
  });
  const boxes = texts.map((t) => t.getBoundingClientRect()).filter((b) => b.width > 0);
  boxes.sort((a, b) => a.left - b.left);
  let over = 0;
  for (let i = 0; i < boxes.length; i++) {
    for (let j = i + 1; j < boxes.length && boxes[j].left < boxes[i].right - 1; j++) {
      const [a, b] = [boxes[i], boxes[j]];
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (high > 3) over++;
    }
  }
  const svg = document.querySelector('svg')?.getBoundingClientRect();
  return { texts: texts.length, least: sizes.length ? Math.min(...sizes) : null, over,
           wide: svg ? Math.round(svg.width) : 0, high: svg ? Math.round(svg.height) : 0 };
}"""


# -- one drawing, in a process of its own --------------------------------------------------


def tables(name: str) -> tuple[Any, list[str], list[str], Any]:
    """Return the rows as numbers, the names of columns, the classes, and each row's class."""
    sys.path.insert(0, str(HERE.parent / "tests" / "support"))
    if name == "large":
        from golden_trees import N, large

        state, draws = 12345, []
        for _ in range(N * 5):
            state = state * 48271 % 2147483647
            draws.append(state % 1000)
        x = np.asarray(draws, float).reshape(N, 5)
        tree = large()
        y = (x[:, 0] // 250 + (x[:, 1] > 400) * (x[:, 2] // 300) + (x[:, 4] < 120)) % 4
        names = ["Aspen", "Krummholz", "Spruce/Fir", "Lodgepole Pine"]
        return x[:, :4], [f.name for f in tree.schema], names, y.astype(int)
    if name == "watermelon":
        from watermelon_files import FILES

        head, *lines = (line.split(",")[1:] for line in FILES["Watermelon-train1.csv"].split())
    else:
        import csv

        from shared import SHARED

        path = SHARED / "data/titanic/titanic-passengers.csv"
        with path.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        head = ["pclass", "sex", "age", "sibsp", "parch", "fare", "embarked", "survived"]
        ages = sorted(float(r["age"]) for r in rows if r["age"])
        lines = [
            [r[h] or (str(ages[len(ages) // 2]) if h == "age" else "S") for h in head] for r in rows
        ]
    columns = list(zip(*lines, strict=True))
    coded = []
    for cells in columns[:-1]:
        try:
            coded.append([float(c) for c in cells])
        except ValueError:
            levels = list(dict.fromkeys(cells))
            coded.append([float(levels.index(c)) for c in cells])
    classes = list(dict.fromkeys(columns[-1]))
    y = np.array([classes.index(c) for c in columns[-1]])
    return np.array(coded).T, head[:-1], classes, y


LIMITS = {
    "watermelon": {},
    "titanic": {"max_depth": 5, "min_samples_leaf": 10},
    "large": {"max_leaf_nodes": 2000},
}


def draw(tool: str, name: str, path: str) -> float:
    """Draw one tree with one tool; return the CPU seconds of drawing, growing not counted."""
    x, columns, classes, y = tables(name)
    if tool.startswith("penjing"):
        return draw_ours(tool, name, path, (x, columns, classes, y))
    from sklearn.tree import DecisionTreeClassifier, plot_tree

    model = DecisionTreeClassifier(random_state=0, **LIMITS[name]).fit(x, y)
    start = time.process_time()
    children = os.times()
    if tool == "plot_tree":
        import matplotlib as mpl

        mpl.use("Agg")
        mpl.rcParams["svg.fonttype"] = "none"
        import matplotlib.pyplot as plt

        plt.figure(figsize=(12, 8))
        plot_tree(model, feature_names=columns, class_names=classes, filled=True)
        plt.savefig(path)
    elif tool == "dtreeviz":
        import dtreeviz

        told = {"feature_names": columns, "target_name": "class", "class_names": classes}
        dtreeviz.model(model, X_train=x, y_train=y, **told).view().save(path)
    else:
        from supertree import SuperTree

        SuperTree(model, x, y, columns, classes).save_html(path.removesuffix(".html"))
    after = os.times()
    programs = after.children_user + after.children_system
    programs -= children.children_user + children.children_system
    return time.process_time() - start + programs


def draw_ours(tool: str, name: str, path: str, data: tuple[Any, ...]) -> float:
    """Draw with penjing: the same tree (recipe sklearn), or the melons by their names."""
    import penjing

    x, columns, classes, y = data
    if name == "watermelon":
        from golden_trees import TREES as OURS

        tree = OURS["course1"]()
    else:
        from penjing.data.table import Table, nominal, numeric

        fields = tuple(numeric(c, x[:, i]) for i, c in enumerate(columns))
        table = Table(fields, nominal("class", [classes[k] for k in y], classes), len(y))
        tree = penjing.fit(table, recipe="sklearn", **LIMITS[name])
    start = time.process_time()
    text = tree.write(tool.split()[1])
    took = time.process_time() - start
    Path(path).write_text(text, encoding="utf-8")
    return took


# -- all of them ------------------------------------------------------------------------------


def run(tool: str, name: str, path: Path, limit: float) -> dict[str, Any]:
    """Draw in a process of its own and return what is known of the drawing."""
    words = [sys.executable, __file__, "--draw", tool, name, str(path)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"failed": f"not finished after {limit:.0f} s"}
    if done.returncode or not path.exists():
        return {"failed": (done.stderr.strip().splitlines() or ["no file"])[-1][:80]}
    return {"seconds": json.loads(done.stdout.splitlines()[-1]), "bytes": path.stat().st_size}


def looked_at(page: Any, path: Path, picture: Path | None) -> dict[str, Any]:
    """Open a drawing in the browser, measure it, keep a picture of it."""
    page.goto(path.as_uri(), timeout=60_000)
    page.wait_for_timeout(1500 if path.suffix == ".html" else 100)
    found: dict[str, Any] = page.evaluate(MEASURE)
    if picture is not None:
        page.screenshot(path=str(picture))
    return found


def main() -> None:
    """Draw everything and write the page."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    asked.add_argument("--limit", type=float, default=120.0, help="seconds for one drawing")
    asked.add_argument("--draw", nargs=3, help=argparse.SUPPRESS)
    asked.add_argument("--only", help="one tool")
    given = asked.parse_args()
    if given.draw:
        print(json.dumps(draw(*given.draw)))
        return
    from playwright.sync_api import sync_playwright

    pictures = DOCS / "pictures"
    pictures.mkdir(exist_ok=True)
    results: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        for name in TREES:
            for tool, ending in TOOLS.items():
                if given.only and tool != given.only:
                    continue
                path = Path(folder) / f"{name}-{tool.replace(' ', '-')}.{ending}"
                found = run(tool, name, path, given.limit)
                if "failed" not in found:
                    view = {"width": 1200, "height": 700}
                    page = browser.new_page(viewport=view, offline=True)
                    picture = pictures / f"{path.stem}.png"
                    try:
                        found |= looked_at(page, path, picture)
                    except Exception as error:  # noqa: BLE001 - a browser that gives up is a finding
                        found["least"] = None
                        found["gave_up"] = type(error).__name__
                    page.close()
                results[f"{name}|{tool}"] = found
                print(name, tool, found, flush=True)
        browser.close()
    (DOCS / "en" / "benchmarks" / "pictures.md").write_text(written(results), encoding="utf-8")


def written(results: dict[str, dict[str, Any]]) -> str:
    """Return the page."""
    lines = [
        "# Pictures, side by side",
        "",
        "The same trees drawn by penjing, scikit-learn's `plot_tree`, dtreeviz and supertree.",
        "Made by `python bench/pictures.py`, which reproduces all figures.",
        "Time is CPU time of the drawing alone (growing not counted; Graphviz counted), type is",
        "the smallest that Chromium shows when the file is opened in a window of 1,200 × 700,",
        "overlaps are pairs of words that cover each other. Only what is text in the file can be",
        "searched, read aloud and measured: dtreeviz draws most letters as outlines.",
        "plot_tree was saved as SVG with its words as text, so that the browser finds the Chinese",
        "characters; as PNG it draws boxes unless a font is selected.",
    ]
    for name in TREES:
        lines += ["", f"## {name}", "", f"{RULES[name]}.", ""]
        lines.append("| tool | seconds | file | texts | smallest type | overlaps | first view |")
        lines.append("| --- | --- | --- | --- | --- | --- | --- |")
        for tool in TOOLS:
            found = results.get(f"{name}|{tool}", {"failed": "not run"})
            if "failed" in found:
                lines.append(f"| {tool} | {found['failed']} | | | | | |")
                continue
            least = "no text" if found.get("least") is None else f"{found['least']:.1f} px"
            picture = f"pictures/{name}-{tool.replace(' ', '-')}.png"
            link = f"[picture](../../{picture})" if (DOCS / picture).exists() else ""
            size = f"{found['bytes'] / 1000:,.0f} KB"
            over = found.get("over", "")
            cells = [tool, f"{found['seconds']:.2f}", size, str(found.get("texts", "")), least]
            cells += [str(over), link]
            lines.append("| " + " | ".join(cells) + " |")
    versions = ", ".join(f"{p} {_version(p)}" for p in ("scikit-learn", "dtreeviz", "supertree"))
    return "\n".join([*lines, "", f"Versions: {versions}.", ""])


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed" if importlib.util.find_spec(package) is None else "?"


if __name__ == "__main__":
    main()
