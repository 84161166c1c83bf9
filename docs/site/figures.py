"""Pictures of the site, drawn by penjing while the site is built; none is kept in the repository."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from typing import Any

import penjing
from penjing import Tree
from penjing.render.theme import PALETTE, find_theme

Point = tuple[float, float]
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 330, 62, 46, 34, 18


@cache
def grown(table: str, recipe: str, **changes: Any) -> Tree:
    """Return a tree of an example table."""
    return penjing.fit(penjing.example(table), recipe=recipe, **changes)


@cache
def large_tree() -> Tree:
    """Return a tree of several hundred leaves, of made-up rows."""
    import numpy as np  # noqa: PLC0415 - only here

    rng = np.random.default_rng(7)
    x = rng.normal(size=(6000, 6))
    y = np.digitize(x[:, 0] + np.sin(3 * x[:, 1]) + 0.5 * rng.normal(size=6000), [-0.7, 0.7])
    names = ["income", "age", "visits", "balance", "distance", "orders"]
    return penjing.fit(
        penjing.read(np.column_stack([x, y]), "y", names=[*names, "y"]),
        recipe="cart-binary",
        min_weight=20,
    )


@cache
def price_tree() -> Tree:
    """Return a tree with a numeric target, of made-up rows."""
    import numpy as np  # noqa: PLC0415 - only here

    rng = np.random.default_rng(3)
    area, age = rng.uniform(30, 160, 400).round(), rng.integers(0, 90, 400)
    city = rng.choice(["centre", "north", "south"], 400)
    price = 2.1 * area - 0.6 * age + 90 * (city == "centre") + rng.normal(0, 25, 400)
    columns = {"area": area, "age": age, "district": city, "price": price.round(1)}
    return penjing.fit(columns, target="price", recipe="cart-binary", max_leaves=7)


def line_chart(
    lines: Sequence[tuple[str, Sequence[Point]]], x_name: str, y_name: str, theme: str,
    mark: Point | None = None,
) -> str:  # fmt: skip
    """Return a small chart of lines, with a legend and an optional marked point."""
    look = find_theme(theme)
    xs = [x for _, points in lines for x, _ in points]
    ys = [y for _, points in lines for _, y in points]
    low, high = min(xs), max(xs)
    top = max(ys) * 1.08

    def place(x: float, y: float) -> Point:
        return (
            LEFT + (x - low) / (high - low) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - y / top * (HEIGHT - BOTTOM - TOP),
        )

    parts = _frame(look, x_name, y_name)
    for i in range(5):
        x, y = low + (high - low) * i / 4, top / 1.08 * i / 4
        (px, _), (_, py) = place(x, 0), place(low, y)
        parts.append(_text(px, HEIGHT - BOTTOM + 17, f"{x:.3g}", look, "middle"))
        parts.append(_text(LEFT - 8, py + 4, f"{y:.2f}", look, "end"))
        parts.append(
            f'<path d="M{LEFT} {py:.1f}H{WIDTH - RIGHT}" stroke="{look.edge}" stroke-opacity=".3"/>'
        )
    for i, (name, points) in enumerate(lines):
        colour = PALETTE[i]
        path = "L".join("{:.1f} {:.1f}".format(*place(*point)) for point in points)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2.2"/>')
        at = LEFT + 12 + i * 190
        parts.append(f'<path d="M{at} {TOP - 16}h22" stroke="{colour}" stroke-width="3"/>')
        parts.append(_text(at + 28, TOP - 12, name, look, "start"))
    if mark is not None:
        x, y = place(*mark)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{PALETTE[1]}"/>')
        label = f"{mark[0]:.4g} → {mark[1]:.3f}"
        anchor = "start" if x < WIDTH * 0.7 else "end"
        parts.append(_text(x + (9 if anchor == "start" else -9), y - 8, label, look, anchor))
    return _svg(parts, look, WIDTH, HEIGHT)


def bar_chart(rows: Sequence[tuple[str, float]], title: str, theme: str, digits: int = 3) -> str:
    """Return horizontal bars with their numbers; the first one is the chosen one."""
    look = find_theme(theme)
    height = 44 + 30 * len(rows)
    parts = [_text(14, 22, title, look, "start", "bold")]
    most = max(value for _, value in rows) or 1.0
    for i, (name, value) in enumerate(rows):
        y = 38 + 30 * i
        parts.append(_text(104, y + 15, name, look, "end"))
        width = max(value / most * (WIDTH - 220), 1)
        opacity = "1" if i == 0 else ".45"
        parts.append(
            f'<rect x="114" y="{y}" width="{width:.1f}" height="20" rx="3" fill="{PALETTE[0]}" fill-opacity="{opacity}"/>'
        )
        parts.append(_text(122 + width, y + 15, f"{value:.{digits}f}", look, "start"))
    return _svg(parts, look, WIDTH, height)


def _frame(look: Any, x_name: str, y_name: str) -> list[str]:
    axes = f"M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"
    return [
        f'<path d="{axes}" fill="none" stroke="{look.edge}"/>',
        _text((LEFT + WIDTH) / 2, HEIGHT - 8, x_name, look, "middle"),
        f'<text transform="translate(16 {(HEIGHT - BOTTOM + TOP) / 2}) rotate(-90)" text-anchor="middle" fill="{look.text}">{escape(y_name)}</text>',
    ]


def _text(  # noqa: PLR0917 - a short name for a long element
    x: float, y: float, words: str, look: Any, anchor: str, weight: str = "normal"
) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" fill="{look.text}">{escape(words)}</text>'


def _svg(parts: Sequence[str], look: Any, width: int, height: int) -> str:
    fonts = "'DejaVu Sans', 'Segoe UI', Helvetica, Arial, 'Noto Sans CJK SC', 'Microsoft YaHei', 'PingFang SC', sans-serif"
    start = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="{fonts}" font-size="13">'
    return "\n".join(
        [
            start,
            f'<rect width="{width}" height="{height}" fill="{look.background}"/>',
            *parts,
            "</svg>",
        ]
    )


def _impurity(language: str, theme: str) -> str:
    shares = [i / 100 for i in range(101)]
    words = {
        "en": ("entropy", "Gini index", "error rate", "share of the first class p", "impurity"),
        "zh": ("信息熵", "基尼值", "错误率", "第一类样本所占比例 p", "不纯度"),
    }[language]
    lines = [
        (words[0], [(i / 100, penjing.entropy("a" * i + "b" * (100 - i))) for i in range(101)]),
        (words[1], [(p, 1 - p * p - (1 - p) ** 2) for p in shares]),
        (words[2], [(p, min(p, 1 - p)) for p in shares]),
    ]
    return line_chart(lines, words[3], words[4], theme)


def _root(table: str, recipe: str) -> dict[str, Any]:
    return penjing.fit(penjing.example(table), recipe=recipe, trace=True).trace[0]


def _candidates(recipe: str, key: str, titles: dict[str, str]) -> Callable[[str, str], str]:
    def make(language: str, theme: str) -> str:
        rows = [(c["column"], c[key]) for c in _root("watermelon2.0", recipe)["candidates"]]
        return bar_chart(rows, titles[language], theme)

    return make


def _thresholds(language: str, theme: str) -> str:
    found = next(c for c in _root("watermelon3.0", "id3")["candidates"] if c["column"] == "密度")
    points = list(zip(found["cuts"], found["gains"], strict=True))
    words = {
        "en": ("threshold on 密度 (density)", "information gain"),
        "zh": ("密度的划分点", "信息增益"),
    }
    best = max(points, key=lambda point: point[1])
    return line_chart([("密度", points)], *words[language], theme, mark=best)


def _tree(table: str, recipe: str, **changes: Any) -> Callable[[str, str], str]:
    def make(language: str, theme: str) -> str:
        return str(grown(table, recipe, **changes).write("svg", theme=theme, lang=language))

    return make


SVG_FIGURES: dict[str, Callable[[str, str], str]] = {
    "watermelon-id3": _tree("watermelon2.0", "id3"),
    "watermelon3-c45": _tree("watermelon3.0", "c4.5-textbook"),
    "watermelon-cart": _tree("watermelon2.0", "cart-textbook"),
    "watermelon-binary": _tree("watermelon3.0", "cart-binary"),
    "tennis": _tree("play_tennis", "id3"),
    "golf-c45": _tree("golf", "c4.5"),
    "prices": lambda language, theme: str(price_tree().write("svg", theme=theme, lang=language)),
    "melon-sideways": lambda language, theme: str(
        grown("watermelon3.0", "c4.5-textbook").write(
            "svg", theme=theme, lang=language, layout="left-to-right", align_leaves=True
        )
    ),
    "large-svg": lambda language, theme: str(large_tree().write("svg", theme=theme, lang=language)),
    "large-icicle": lambda language, theme: str(
        large_tree().write("icicle", theme=theme, lang=language)
    ),
    "impurity": _impurity,
    "gains": _candidates(
        "id3", "gain", {"en": "Information gain at the root", "zh": "根结点处的信息增益"}
    ),
    "gain-ratios": _candidates(
        "c4.5-textbook", "gain_ratio", {"en": "Gain ratio at the root", "zh": "根结点处的增益率"}
    ),
    "thresholds": _thresholds,
}
PAGES: dict[str, Callable[[str], str]] = {
    "watermelon": lambda language: str(grown("watermelon2.0", "id3").write("html", lang=language)),
    "large": lambda language: str(large_tree().write("html", lang=language)),
}
