"""Contact sheets: small copies of what is made of eight different trees.

``python docs/site/contact_sheet.py [NAME ...]`` writes docs/pictures/contact-sheet-NAME.webp for
``pictures`` (as saved), ``page``, ``report``, ``pdf`` and ``phone`` (page and report, 390 pixels wide);
default: all of them. It needs the data sets of the folder that the environment variable PENJING_SHARED
names, ``penjing[plot]``, Chromium and pdftoppm. The sheets are for people who change what is drawn:
look at them before and after.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import penjing
from penjing import Tree
from penjing.data.table import Table, nominal, numeric

FOLDER = Path(__file__).resolve().parents[1] / "pictures"
CAPTION, GAP = 26, 12
SHEETS: dict[str, tuple[tuple[int, int], int, int]] = {
    "pictures": ((760, 560), 2, 240_000),
    "page": ((900, 579), 2, 230_000),
    "report": ((500, 800), 4, 220_000),
    "pdf": ((640, 470), 2, 120_000),
    "phone": ((260, 563), 8, 200_000),
}
"""The size of the cells of each sheet, how many stand side by side, and the most bytes of the file."""
PHONE, WINDOW, REPORT = (390, 844), (1400, 900), (1000, 1600)


def _data(name: str) -> Path:
    return Path(os.environ["PENJING_SHARED"]) / "data" / name


def titanic() -> Tree:
    """Return rpart's tree of the passengers of the Titanic, with words for classes."""
    columns = ("survived", "pclass", "sex", "age", "sibsp", "fare", "embarked")
    table = penjing.read(_data("titanic/titanic-passengers.csv"), target="survived")
    others = {c.name: "ignore" for c in table.columns if c.name not in columns}
    schema = {"survived": "nominal", "pclass": "nominal"} | others
    table = penjing.read(_data("titanic/titanic-passengers.csv"), target="survived", schema=schema)
    names = {0: "died", 1: "survived"}
    return penjing.fit(table, recipe="rpart", cp=0.003, maxdepth=5, class_names=names)


def letters() -> Tree:
    """Return a tree of 26 classes."""
    rng = np.random.RandomState(1)
    letter, centres = rng.randint(0, 26, 6000), rng.rand(26, 8) * 10
    x = np.round(centres[letter] + 1.2 * rng.randn(6000, 8), 1)
    columns = tuple(numeric(f"edge {i}", x[:, i]) for i in range(8))
    target = nominal("letter", [chr(65 + k) for k in letter])
    return penjing.fit(Table(columns, target, 6000), recipe="cart-binary", max_leaves=24)


def cover() -> Tree:
    """Return a tree of 2,000 leaves and seven classes."""
    rng = np.random.RandomState(2)
    n = 16_000
    x = np.round(1000 * rng.rand(n, 5))
    kind = (x[:, 0] // 250 + (x[:, 1] > 400) * (x[:, 2] // 300) + 3 * (x[:, 4] < 120)) % 7
    noisy = np.where(rng.rand(n) < 0.25, rng.randint(0, 7, n), kind).astype(int)
    names = ("elevation", "aspect", "slope", "distance to water", "shade")
    kinds = (
        "Spruce/Fir",
        "Lodgepole Pine",
        "Ponderosa",
        "Willow",
        "Aspen",
        "Douglas-fir",
        "Krummholz",
    )
    columns = tuple(numeric(name, x[:, i]) for i, name in enumerate(names))
    target = nominal("cover", [kinds[k] for k in noisy])
    return penjing.fit(Table(columns, target, n), recipe="cart-binary", max_leaves=2000)


def cities() -> Tree:
    """Return a tree with 200 categories of long names."""
    rng = np.random.RandomState(3)
    n = 3000
    code = rng.randint(0, 200, n)
    names = [
        f"City of {chr(65 + k % 26)}{'aeiou'[k % 5] * 3}ton-upon-Water {k}" for k in range(200)
    ]
    income = np.round(100 * rng.rand(n))
    bought = [("no", "yes", "later")[k * 7 % 3] for k in code]
    columns = (nominal("city", [names[k] for k in code]), numeric("income", income))
    return penjing.fit(Table(columns, nominal("bought", bought), n), recipe="id3", max_depth=2)


def hostile() -> Tree:
    """Return a tree whose names are markup, programs, formulas and signs of other scripts."""
    names = [
        "</script><img onerror=alert(1)>", "javascript:alert(1)", "=cmd|' /C calc'!A0",
        "שלום \u202eabc", "العمر", "x" * 300,
    ]  # fmt: skip
    rng = np.random.RandomState(4)
    code, age = rng.randint(0, len(names), 200), rng.randint(0, 90, 200)
    classes = [
        ("<b>&amp;", "]]>", "是, 否")[(k + (a > 40)) % 3] for k, a in zip(code, age, strict=True)
    ]
    columns = (nominal('"><svg onload=x>', [names[k] for k in code]), numeric("年龄", age))
    return penjing.fit(Table(columns, nominal("</title>", classes), 200), recipe="id3")


def _fit(path: str, recipe: str, target: str | None = None) -> Tree:
    return penjing.fit(penjing.read(_data(path), target=target), recipe=recipe)


TREES: dict[str, tuple[Callable[[], Tree], str]] = {
    "watermelon 2.0, Chinese": (lambda: penjing.fit(penjing.example("watermelon2.0")), "zh"),
    "Titanic (rpart)": (titanic, "en"),
    "Boston housing (rpart)": (lambda: _fit("housing/housing.csv", "rpart", "class"), "en"),
    "soybean: 19 classes": (lambda: _fit("soybean/soybean.csv", "rpart", "class"), "en"),
    "26 letters": (letters, "en"),
    "2,000 leaves": (cover, "en"),
    "200 categories": (cities, "en"),
    "hostile names": (hostile, "en"),
}
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "Boston housing, icicle": ("Boston housing (rpart)", {"icicle": True}),
    "2,000 leaves, icicle": ("2,000 leaves", {"icicle": True}),
    "Titanic, left to right, dark, leaves on one line": (
        "Titanic (rpart)", {"layout": "left-to-right", "align_leaves": True, "theme": "dark"}
    ),
    "Titanic, print, tested on its own rows": (
        "Titanic (rpart)",
        {"theme": "print", "test": "titanic/titanic-passengers.csv", "max_leaves": 5},
    ),
}  # fmt: skip
"""More pictures: other ways to draw these trees."""


@cache
def tree_of(name: str) -> Tree:
    """Return a tree; each is grown once."""
    return TREES[name][0]()


def pictures(folder: Path) -> Iterator[tuple[str, Image.Image]]:
    """Yield pictures as penjing saves them."""
    for name, (_, lang) in TREES.items():
        yield name, _picture(tree_of(name), folder, lang=lang)
    for name, (of, style) in VARIANTS.items():
        test = {"test": _data(style["test"])} if "test" in style else {}
        yield name, _picture(tree_of(of), folder, **style | test)


def _picture(tree: Tree, folder: Path, **style: Any) -> Image.Image:
    path = folder / "picture.png"
    tree.save_picture(path, dpi=100, **style)
    return _opened(path)


def pdf(folder: Path) -> Iterator[tuple[str, Image.Image]]:
    """Yield the PDF files of trees, drawn by another program."""
    for name, (_, lang) in TREES.items():
        path = folder / "picture.pdf"
        tree_of(name).save_picture(path, lang=lang)
        command = ("pdftoppm", "-r", "80", "-png", "-singlefile", str(path), str(folder / "sheet"))
        subprocess.run(command, check=True)
        yield name, _opened(folder / "sheet.png")


def page(folder: Path) -> Iterator[tuple[str, Image.Image]]:
    """Yield the first view of pages."""
    yield from _screens(folder, _write_page, WINDOW)


def report(folder: Path) -> Iterator[tuple[str, Image.Image]]:
    """Yield the beginning of reports."""
    yield from _screens(folder, _write_report, REPORT)


def phone(folder: Path) -> Iterator[tuple[str, Image.Image]]:
    """Yield pages and reports on a phone."""
    for kind, write in (("page", _write_page), ("report", _write_report)):
        for name, picture in _screens(folder, write, PHONE):
            yield f"{kind}: {name}", picture


def _write_page(name: str, path: Path) -> None:
    tree_of(name).save_picture(path, lang=TREES[name][1])


def _write_report(name: str, path: Path) -> None:
    tree = tree_of(name)
    has_folds = None if tree.n_leaves < 30 else False
    tree.report(path, lang=TREES[name][1], theme="light", cross_validation=has_folds)


def _screens(
    folder: Path, write: Callable[[str, Path], None], size: tuple[int, int]
) -> Iterator[tuple[str, Image.Image]]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only here

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        window = browser.new_page(viewport={"width": size[0], "height": size[1]})
        for i, name in enumerate(TREES):
            path = folder / f"{write.__name__}{i}.html"
            if not path.exists():
                write(name, path)
            window.goto(path.as_uri())
            window.wait_for_timeout(300)
            yield name, Image.open(io.BytesIO(window.screenshot())).convert("RGB")
        browser.close()


def _opened(path: Path) -> Image.Image:
    return Image.open(io.BytesIO(path.read_bytes())).convert("RGB")


MAKERS = {
    "pictures": pictures, "page": page, "report": report, "pdf": pdf, "phone": phone,
}  # fmt: skip


def sheet(name: str, folder: Path) -> Image.Image:
    """Return the pictures of a sheet, each scaled to its cell."""
    cell, n_columns, _ = SHEETS[name]
    made = list(MAKERS[name](folder))
    step = (cell[0] + GAP, cell[1] + CAPTION + GAP)
    n_rows = -(-len(made) // n_columns)
    whole = Image.new("RGB", (n_columns * step[0] + GAP, n_rows * step[1] + GAP), "#d5d8db")
    pen, font = ImageDraw.Draw(whole), ImageFont.load_default(16 if cell[0] > 300 else 12)
    for i, (title, picture) in enumerate(made):
        left, top = GAP + i % n_columns * step[0], GAP + i // n_columns * step[1]
        pen.text((left, top + 3), title, fill="#1a1d21", font=font)
        picture.thumbnail(cell, Image.Resampling.LANCZOS)
        whole.paste(picture, (left, top + CAPTION))
    return whole


def main() -> None:
    """Write the sheets, each as sharp as its size allows."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or SHEETS:
            whole = sheet(name, Path(folder))
            for quality in (80, 70, 60, 50, 40, 30):
                buffer = io.BytesIO()
                whole.save(buffer, "WEBP", quality=quality, method=6)
                if len(buffer.getvalue()) <= SHEETS[name][2]:
                    break
            (FOLDER / f"contact-sheet-{name}.webp").write_bytes(buffer.getvalue())
            sys.stdout.write(f"{name}: {len(buffer.getvalue()):,} bytes, quality {quality}\n")


if __name__ == "__main__":
    main()
