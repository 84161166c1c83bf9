"""The same tables drawn by penjing and others: time, size, type; writes benchmarks/pictures.md.

    python bench/pictures.py [--limit SECONDS] [--only TOOL]

Needs scikit-learn and matplotlib; dtreeviz (with Graphviz's dot), supertree, R with rpart.plot,
and Orange (ORANGE_PYTHON names the interpreter of its environment) where they are installed. Each
drawing is made in a process of its own. What comes out is opened in Chromium, which says how large
its type is and which words lie on each other. Both pages, English and Chinese, are written.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
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
    "rpart.plot": "svg",
    "Orange": "svg",
}
R_SCRIPT = """
words <- commandArgs(trailingOnly = TRUE)
suppressMessages({ library(rpart); library(rpart.plot) })
rows <- read.csv(words[1], stringsAsFactors = TRUE, check.names = FALSE, encoding = "UTF-8")
given <- as.formula(paste0("`", words[2], "` ~ ."))
limits <- rpart.control(maxdepth = as.integer(words[3]), minbucket = as.integer(words[4]),
                        minsplit = 2, cp = 0)
tree <- rpart(given, rows, method = "class", control = limits)
start <- proc.time()
svg(words[5], width = 12, height = 7)
rpart.plot(tree)
invisible(dev.off())
cat(sum((proc.time() - start)[1:2]), "\\n")
"""

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


def rows_of(name: str) -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns, the target last, and the rows as words."""
    sys.path.insert(0, str(HERE.parent / "tests" / "support"))
    if name == "large":
        from golden_trees import N, large

        state, draws = 12345, []
        for _ in range(N * 5):
            state = state * 48271 % 2147483647
            draws.append(state % 1000)
        x = np.asarray(draws).reshape(N, 5)
        y = (x[:, 0] // 250 + (x[:, 1] > 400) * (x[:, 2] // 300) + (x[:, 4] < 120)) % 4
        names = ["Aspen", "Krummholz", "Spruce/Fir", "Lodgepole Pine"]
        head = [field.name for field in large().schema]
        return [*head, "cover"], [
            [*(str(v) for v in row[:4]), names[k]] for row, k in zip(x, y, strict=True)
        ]
    if name == "watermelon":
        from watermelon_files import FILES

        head, *lines = (line.split(",")[1:] for line in FILES["Watermelon-train1.csv"].split())
        return head, lines
    import csv

    from shared import SHARED

    with (SHARED / "data/titanic/titanic-passengers.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    head = ["class", "sex", "age", "sibsp", "parch", "fare", "port", "survived"]
    ages = sorted(float(r["age"]) for r in rows if r["age"])
    words = {
        "class": {"1": "first", "2": "second", "3": "third"},
        "port": {"S": "Southampton", "C": "Cherbourg", "Q": "Queenstown", "": "Southampton"},
        "survived": {"0": "died", "1": "survived"},
    }
    names = {"class": "pclass", "port": "embarked"}
    lines = []
    for row in rows:
        cells = [row[names.get(h, h)] for h in head]
        cells = [words[h][c] if h in words else c for h, c in zip(head, cells, strict=True)]
        cells[2] = cells[2] or str(ages[len(ages) // 2])
        lines.append(cells)
    return head, lines


def coded(name: str) -> tuple[Any, list[str], list[str], Any]:
    """Return the rows for tools that need numbers: a column for each category, with its name."""
    head, lines = rows_of(name)
    columns = list(zip(*lines, strict=True))
    numbers, names = [], []
    for title, cells in zip(head[:-1], columns[:-1], strict=True):
        try:
            numbers.append([float(c) for c in cells])
            names.append(title)
        except ValueError:
            levels = list(dict.fromkeys(cells))
            shown = levels[1:] if len(levels) == 2 else levels
            numbers += [[float(c == level) for c in cells] for level in shown]
            names += [f"{title}={level}" for level in shown]
    classes = sorted(set(columns[-1]))
    y = np.array([classes.index(c) for c in columns[-1]])
    return np.array(numbers).T, names, classes, y


LIMITS = {
    "watermelon": {},
    "titanic": {"max_depth": 5, "min_samples_leaf": 10},
    "large": {"max_leaf_nodes": 2000},
}


def draw(tool: str, name: str, path: str) -> float:
    """Draw one tree with one tool; return the CPU seconds of drawing, growing not counted."""
    if tool.startswith("penjing"):
        return draw_ours(tool, name, path)
    if tool in ("rpart.plot", "Orange"):
        return draw_outside(tool, name, path)
    x, columns, classes, y = coded(name)
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

        about = {
            "feature_names": columns,
            "target_name": rows_of(name)[0][-1],
            "class_names": classes,
        }
        dtreeviz.model(model, X_train=x, y_train=y, **about).view().save(path)
    else:
        from supertree import SuperTree

        SuperTree(model, x, y, columns, classes).save_html(path.removesuffix(".html"))
    after = os.times()
    programs = after.children_user + after.children_system
    programs -= children.children_user + children.children_system
    return time.process_time() - start + programs


def draw_outside(tool: str, name: str, path: str) -> float:
    """Draw with a program that is not in this environment: R, or Orange in its own."""
    import csv

    head, lines = rows_of(name)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "rows.csv"
        with table.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([head, *lines])
        depth, least = (5, 10) if name == "titanic" else (30, 1)
        if tool == "rpart.plot":
            script = Path(folder) / "draw.R"
            script.write_text(R_SCRIPT, encoding="utf-8")
            words = ["Rscript", str(script), str(table), head[-1], str(depth), str(least), path]
        else:
            limits = {"max_depth": depth, "min_samples_leaf": least}
            python = os.environ.get("ORANGE_PYTHON", sys.executable)
            script = HERE / "pictures_orange.py"
            words = [python, str(script), str(table), head[-1], json.dumps(limits), path]
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        missing = "no package called" in done.stderr or "No module named" in done.stderr
        raise SystemExit("not installed here" if missing else done.stderr[-300:])
    return float(done.stdout.split()[-1])


def draw_ours(tool: str, name: str, path: str) -> float:
    """Draw with penjing, from the words of the table."""
    import io

    import penjing

    head, lines = rows_of(name)
    text = "\n".join(",".join(cells) for cells in [head, *lines])
    recipe = {"watermelon": "id3", "titanic": "cart-binary", "large": "sklearn"}[name]
    limits: dict[str, Any] = {"max_depth": 5, "min_branch": 10}
    settings = limits if name == "titanic" else LIMITS[name]
    table = penjing.read(io.StringIO(text), head[-1], quiet=True)
    tree = penjing.fit(table, recipe=recipe, quiet=True, **settings)
    start = time.process_time()
    drawn = tree.write(tool.split()[1])
    took = time.process_time() - start
    Path(path).write_text(drawn, encoding="utf-8")
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
    asked.add_argument("--only", help="one tool; the figures of the others stay on the page")
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
    for lang in TEXTS:
        page = DOCS / lang / "benchmarks" / "pictures.md"
        old = page.read_text(encoding="utf-8") if given.only and page.exists() else ""
        page.write_text(written(results, lang, old), encoding="utf-8")


TEXTS: dict[str, dict[str, Any]] = {
    "en": {
        "head": [
            "# Pictures, side by side",
            "",
            "The same tables drawn by penjing, scikit-learn's `plot_tree`, dtreeviz, supertree,",
            "rpart.plot and Orange. Made by `python bench/pictures.py`, which reproduces all figures.",  # noqa: E501
            "Every tool gets names: penjing, rpart.plot and Orange read the words themselves;",
            "scikit-learn needs numbers, so plot_tree, dtreeviz and supertree get a column for each",  # noqa: E501
            "category, called `sex=male`. Each tool draws the tree of its own kind: penjing ID3, CART",  # noqa: E501
            "and scikit-learn's, rpart.plot that of rpart, Orange its own, the others",
            "scikit-learn's, with the same limits, so the trees are alike but not equal.",
            "",
            "Time is CPU time of the drawing alone (growing not counted; Graphviz counted), type is",  # noqa: E501
            "the smallest that Chromium shows when the file is opened in a window of 1,200 × 700,",
            "overlaps are pairs of words that cover each other. Only what is text in the file can be",  # noqa: E501
            "searched, read aloud and measured: dtreeviz and rpart.plot draw most letters as outlines.",  # noqa: E501
            "plot_tree was saved as SVG with its words as text, so that the browser finds the Chinese",  # noqa: E501
            "characters; as PNG it draws boxes unless a font is selected. Orange's viewer is a window;",  # noqa: E501
            "its scene was saved as SVG without a display, expanded as far as the viewer expands it.",  # noqa: E501
            "Orange has no limit on the number of leaves, so its large tree is grown to the end.",
            "The limit for one drawing was 30 s.",
        ],
        "trees": {
            "watermelon": ("watermelon", "16 melons of the course exercise."),
            "titanic": ("titanic", "891 passengers, depth at most 5, at least 10 rows per leaf."),
            "large": ("large", "16,000 generated rows, 2,000 leaves."),
        },
        "columns": "| tool | seconds | file | texts | smallest type | overlaps | first view |",
        "link": "picture",
        "no text": "no text",
        "versions": "Versions: {versions}.",
    },
    "zh": {
        "head": [
            "# 绘图比较",
            "",
            "同样的数据由 penjing、scikit-learn 的 `plot_tree`、dtreeviz、supertree、rpart.plot 和 Orange 绘制。本页的数由",  # noqa: E501
            "`python bench/pictures.py` 得到，任何人都可以重新运行。所有工具都用名称：penjing、rpart.plot 和 Orange 直接读取文字；",  # noqa: E501
            "scikit-learn 需要数值，因此 plot_tree、dtreeviz 和 supertree 得到每个取值一列，列名如 `sex=male`。每个工具画自己的树：",  # noqa: E501
            "penjing 用 ID3、CART 和 scikit-learn 的算法，rpart.plot 用 rpart，Orange 用自己的算法，其余用 scikit-learn，限制相同，所以各树相近而不相等。",  # noqa: E501
            "",
            "时间是绘图本身的 CPU 时间（不含训练，含 Graphviz）；最小字号是在 1200 × 700 的窗口中用 Chromium 打开时显示的最小的字；",  # noqa: E501
            "重叠是互相覆盖的文字对数。只有以文字形式保存的内容才能搜索和朗读：dtreeviz 和 rpart.plot 把大部分字母画成轮廓。",  # noqa: E501
            "plot_tree 保存为带文字的 SVG，浏览器才能找到中文字体；保存为 PNG 时，不另选字体就只有方框。Orange 的视图是一个窗口，这里在没有显示器的情况下把它的场景保存为 SVG。",  # noqa: E501
            "Orange 不能限制叶结点数，因此它的大树没有限制。每幅图的时限为 30 秒。",
        ],
        "trees": {
            "watermelon": ("西瓜", "课程作业的 16 个西瓜。"),
            "titanic": ("泰坦尼克", "891 名乘客，深度不超过 5，每个叶结点至少 10 个样本。"),
            "large": ("较大的树", "程序生成的 16000 行数据，2000 个叶结点。"),
        },
        "columns": "| 工具 | 秒 | 文件 | 文字 | 最小字号 | 重叠 | 首屏 |",
        "link": "图片",
        "no text": "没有文字",
        "versions": "版本：{versions}。",
    },
}
FAILURES_ZH = {
    "not installed here": "未能安装",
    "not run": "未运行",
    "no file": "没有文件",
}


def written(results: dict[str, dict[str, Any]], lang: str, old: str = "") -> str:
    """Return the page in a language; rows without a result are those of the old page."""
    texts = TEXTS[lang]
    lines = list(texts["head"])
    sections = old.split("\n## ")[1:]
    for i, (name, (heading, rule)) in enumerate(texts["trees"].items()):
        old_rows = sections[i].splitlines() if sections else []
        lines += ["", f"## {heading}", "", rule, "", texts["columns"]]
        lines.append("| --- | --- | --- | --- | --- | --- | --- |")
        for tool in TOOLS:
            kept = [row for row in old_rows if row.startswith(f"| {tool} |")]
            if kept and f"{name}|{tool}" not in results:
                lines += kept
                continue
            found = results.get(f"{name}|{tool}", {"failed": "not run"})
            if "failed" in found:
                lines.append(f"| {tool} | {_failure(found['failed'], lang)} | | | | | |")
                continue
            least = found.get("least")
            smallest = texts["no text"] if least is None else f"{least:.1f} px"
            picture = f"pictures/{name}-{tool.replace(' ', '-')}.png"
            link = f"[{texts['link']}](../../{picture})" if (DOCS / picture).exists() else ""
            size = f"{found['bytes'] / 1000:,.0f} KB"
            words = f"{found['texts']:,}" if "texts" in found else ""
            cells = [tool, f"{found['seconds']:.2f}", size, words, smallest]
            lines.append("| " + " | ".join([*cells, str(found.get("over", "")), link]) + " |")
    versions = {p: _version(p) for p in ("scikit-learn", "dtreeviz", "supertree")}
    versions |= {"rpart.plot": _r_version("rpart.plot"), "Orange": _orange_version()}
    old_versions = old.splitlines()[-1] if old else ""
    for package, now in versions.items():
        before = re.search(rf"{re.escape(package)} (\d[\d.]*\d)", old_versions)
        if now == "not installed" and before:
            versions[package] = before.group(1)
    shown = ("、" if lang == "zh" else ", ").join(f"{p} {v}" for p, v in versions.items())
    return "\n".join([*lines, "", texts["versions"].format(versions=shown), ""])


def _failure(text: str, lang: str) -> str:
    if lang == "zh":
        for english, chinese in FAILURES_ZH.items():
            text = text.replace(english, chinese)
        text = re.sub(r"not finished after (\d+) s", r"\1 秒内未完成", text)
    return text


def _orange_version() -> str:
    python = os.environ.get("ORANGE_PYTHON", sys.executable)
    code = "from importlib.metadata import version; print(version('Orange3'))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "not installed"


def _r_version(package: str) -> str:
    rscript = shutil.which("Rscript")
    if rscript is None:
        return "not installed"
    code = f"cat(as.character(packageVersion('{package}')))"
    done = subprocess.run([rscript, "-e", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "not installed"


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed" if importlib.util.find_spec(package) is None else "?"


if __name__ == "__main__":
    main()
