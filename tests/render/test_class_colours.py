"""Colours and labels tell the truth: of any number of classes, of levels of any length."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penjing import RECIPES, cross_validate, fit
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from penjing.explain.split_data import with_sketches
from penjing.render import diagram, icicle, plot, svg
from penjing.render import html as html_page
from penjing.render import report as report_page
from penjing.render import theme as themes
from penjing.render.charts.shapes import Mark, Text
from penjing.render.class_colours import MAX_COLOURS, OTHER_CLASSES, colour_indices
from penjing.render.value_scale import short_number, value_tints
from penjing.text.font_metrics import width
from penjing.text.labels import group_names

SVG = f"{{{svg.NAMESPACE}}}"
FEW = settings(max_examples=12, deadline=None)


def many(classes: int, seed: int = 0, n: int = 200) -> Tree:
    """Return a tree of so many classes, of very different sizes."""
    rng = np.random.RandomState(seed)
    x = np.round(rng.rand(n, 3), 2)
    sizes = rng.permutation(classes) ** 2 + 1.0
    of = rng.choice(classes, n, p=sizes / sizes.sum())
    of[:classes] = np.arange(classes)
    near = np.where(rng.rand(n) < 0.5, (x[:, 0] * classes).astype(int) % classes, of)
    columns = tuple(numeric(f"x{c}", x[:, c]) for c in range(3))
    target = nominal("kind", [f"k{v}" for v in near], [f"k{v}" for v in range(classes)])
    return fit(Table(columns, target, n), recipe="cart-binary", max_leaves=12)


def numbers(seed: int = 0, n: int = 300) -> Tree:
    rng = np.random.RandomState(seed)
    x = rng.rand(n, 2)
    y = numeric("price", 1000 * rng.randn() + 50 * (x[:, 0] > 0.5) + 20 * x[:, 1] + rng.randn(n))
    columns = (numeric("a", x[:, 0]), numeric("b", x[:, 1]))
    return fit(Table(columns, y, n), recipe="cart-binary", max_leaves=12)


def bars_in(picture: str) -> dict[int, list[str]]:
    """Return for each node the fills of its bar as drawn, '|' for a line between two."""
    found = {}
    for group in ET.fromstring(picture).iter(f"{SVG}g"):  # noqa: S314 - our own text
        if not group.get("id"):
            continue
        kinds = [path.get("class") or "|" for path in group.iter(f"{SVG}path")]
        found[int(group.get("id")[1:])] = [kind for kind in kinds if kind != "o"]
    return found


def legend_in(picture: str) -> list[str]:
    """Return the fills of the legend."""
    root = ET.fromstring(picture)  # noqa: S314 - our own text
    swatches = [e for e in root.findall(f"{SVG}rect") if e.get("width") == "12"]
    return [swatch.get("fill") for swatch in swatches]


@FEW
@given(st.integers(2, 40), st.integers(0, 1000), st.sampled_from(sorted(themes.THEMES)))
def test_no_two_classes_look_alike_and_no_mixed_node_looks_pure(classes, seed, theme):
    tree = many(classes, seed)
    shades = colour_indices(tree)
    coloured = [shade for shade in shades if shade != OTHER_CLASSES or classes <= MAX_COLOURS]
    assert (
        len(set(coloured))
        == len(coloured)
        == (classes if classes <= MAX_COLOURS else MAX_COLOURS - 1)
    )
    if classes > MAX_COLOURS:  # no grey class is larger than a coloured one
        sizes = tree.nodes.total[0]
        grey = [sizes[k] for k, shade in enumerate(shades) if shade == OTHER_CLASSES]
        assert max(grey) <= min(
            sizes[k] for k, shade in enumerate(shades) if shade != OTHER_CLASSES
        )
    picture = svg.write(tree, theme=theme, show="counts")
    for node, drawn in bars_in(picture).items():
        present = [f"k{shades[k]}" for k in np.flatnonzero(tree.nodes.total[node])]
        assert sorted(kind for kind in drawn if kind != "|") == sorted(present)
        for before, after, then in zip(drawn, drawn[1:], [*drawn[2:], ""], strict=False):
            assert before != after or then == "|"  # a line stands on the edge between them
    fills = legend_in(picture)
    assert len(fills) == len(set(fills)) == min(classes, MAX_COLOURS)
    assert legend_in(icicle.write(tree, theme=theme)) == fills


@FEW
@given(st.integers(2, 40), st.integers(0, 1000), st.sampled_from(["en", "zh"]))
def test_legends_agree_and_count_every_row(classes, seed, lang):
    tree = many(classes, seed)
    legend = diagram.build_diagram(tree, lang=lang).legend
    assert sum(float(count) for _, count in legend) == tree.weight_of(0)
    by_name = dict(zip(tree.classes, tree.nodes.total[0].tolist(), strict=True))
    named = legend if classes <= MAX_COLOURS else legend[:-1]
    assert all(float(count) == by_name[name] for name, count in named)
    if classes > MAX_COLOURS:
        assert str(classes - len(named)) in legend[-1][0]
    assert icicle.build_icicle(tree, "light", lang=lang).heading.legend == legend
    data = html_page.page_data(tree, lang, "light", None)
    assert [data["classes"][k] for k in data["order"] if data["shades"][k] != OTHER_CLASSES] == [
        name for name, _ in named[:OTHER_CLASSES]
    ]
    places = {name: place for place, (name, _) in enumerate(named)}
    for name, shade in zip(data["classes"], data["shades"], strict=True):
        assert places.get(name, OTHER_CLASSES) == shade


def test_axes_have_the_same_colours_and_lines():
    pytest.importorskip("matplotlib")
    from matplotlib.colors import to_hex  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    tree = many(26, 3)
    axes = plot.plot(tree, Figure(figsize=(30, 20)).add_subplot(), show="counts")
    drawn = [patch for patch in axes.patches if type(patch) is Rectangle]
    lines = [patch for patch in drawn if patch.get_width() == 0]
    boxes = diagram.build_diagram(tree, show="counts").boxes
    shades = [[shade for shade, _ in box.bar] for box in boxes]
    wanted = sum(a == b for bar in shades for a, b in pairwise(bar))
    assert len(lines) == wanted > 0
    legend = [to_hex(patch.get_facecolor()) for patch in drawn[:MAX_COLOURS]]
    assert legend == list(themes.PALETTE)


@pytest.mark.parametrize("theme", sorted(themes.THEMES))
def test_an_icicle_of_numbers_is_seen_and_told_as_it_is(theme):
    for seed in range(4):
        tree = numbers(seed)
        made = icicle.build_icicle(tree, theme)
        card = themes.THEMES[theme].card
        strength = [themes.contrast(bar.fill, card) for bar in made.bars]
        values = [float(tree.values[node]) for node in range(len(tree.nodes))]
        assert len(made.bars) == len(values)
        order = np.argsort(values)
        assert (np.diff(np.asarray(strength)[order]) >= -0.002).all()  # colours are rounded
        assert max(strength) > 1.9 * min(strength) > 1.9 * 1.05
        ink = themes.THEMES[theme].text
        assert min(themes.contrast(bar.fill, ink) for bar in made.bars) >= 4.5
    for lang, wrong in (("en", "purity"), ("zh", "纯度")):
        facts = icicle.build_icicle(tree, theme, lang=lang).heading.facts
        assert wrong not in facts
        assert f"{min(values):.3g} " in facts.replace("至", " ")
        assert f"{max(values):.3g}" in facts
        assert html_page.page_data(tree, lang, "light", None)["icicle"][lang] in facts
    seen = "purity" if theme != "print" else "pattern = predicted class"
    assert seen in icicle.build_icicle(many(3), theme).heading.facts


def test_an_icicle_prints_no_part_of_a_number():
    tree = numbers(1, 900)
    whole = {short_number(v) for v in tree.values.tolist()} | {f.name for f in tree.schema} | {""}
    assert {bar.name for bar in icicle.build_icicle(tree, "light").bars} <= whole


@pytest.mark.parametrize("theme", sorted(themes.THEMES))
def test_neighbouring_tints_of_the_legend_are_seen_to_differ(theme):
    look = themes.THEMES[theme]
    tints = value_tints(look)
    shown = [tints[round(k / 5 * (len(tints) - 1))] for k in range(6)]
    assert all(themes.contrast(a, b) >= 1.18 for a, b in pairwise(shown))
    assert min(themes.contrast(tint, look.text) for tint in tints) >= 4.5
    tree = numbers(3)
    fills = [e.get("fill") for e in swatches(icicle.write(tree, theme=theme))]
    assert fills == shown
    assert fills == [e.get("fill") for e in swatches(svg.write(tree, theme=theme))]


def swatches(picture: str) -> list[ET.Element]:
    root = ET.fromstring(picture)  # noqa: S314 - our own text
    return [e for e in root.findall(f"{SVG}rect") if e.get("width") == "12"]


def test_rectangles_of_an_icicle_have_gaps_between_them():
    for tree in (numbers(2), many(5)):
        bars = [bar for bar in icicle.build_icicle(tree, "light").bars if bar.width >= 4]
        for a, b in combinations(bars, 2):
            if a.y == b.y:
                left, right = sorted((a, b), key=lambda bar: bar.x)
                assert left.x + icicle.bar_width(left) <= right.x - 0.9


@FEW
@given(st.permutations(["died", "survived", "Unknown", "class 10", "class 9", "是", "否"]))
def test_a_class_has_its_colour_in_whatever_order_the_rows_come(order):
    x = numeric("x", list(range(70)))
    tree = fit(Table((x,), nominal("y", sorted(order * 10, key=order.index)), 70))
    found = dict(zip(tree.classes, colour_indices(tree), strict=True))
    names = ["class 9", "class 10", "died", "survived", "Unknown", "否", "是"]
    assert found == {name: place for place, name in enumerate(names)}
    assert [name for name, _ in diagram.build_diagram(tree).legend] == names


def test_every_grey_class_is_named_in_the_legend():
    tree = many(26, 3)
    grey = {
        f"{name} ({int(n)})"
        for name, n, shade in zip(
            tree.classes, tree.nodes.total[0], colour_indices(tree), strict=True
        )
        if shade == OTHER_CLASSES
    }
    assert set(diagram.build_diagram(tree).heading.grey) == grey
    drawn = " ".join(t.text or "" for t in ET.fromstring(svg.write(tree)).iter(f"{SVG}text"))  # noqa: S314
    assert all(name in drawn for name in grey)
    assert diagram.build_diagram(many(8)).heading.grey == ()


def test_the_card_of_a_split_names_more_classes_where_there_is_room():
    tree = many(26, 3, 2000)
    letters = replace(tree.target, levels=tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    boxes = diagram.build_diagram(replace(with_sketches(tree), target=letters)).boxes
    named = [box.lines[0].count("%") for box in boxes if box.kind == "split"]
    assert max(named) >= 2
    for box in boxes:
        if box.kind == "split":
            assert sum(width(line, diagram.SMALL) for line in box.lines) + 20 <= box.width


LETTERS = st.text(st.sampled_from("abcdefgh IJKLMNOP-_'市区"), min_size=1, max_size=60)
GROUPS = st.lists(LETTERS.map(str.strip).filter(bool), min_size=2, max_size=30, unique=True)


def grouped(levels: list[str]) -> Tree:
    """Return a tree whose first question divides these levels into two groups."""
    column = nominal("place", levels * 3, levels)
    target = nominal("y", ["ab"[i % 2] for i in range(len(levels))] * 3)
    return fit(Table((column,), target, 3 * len(levels)), recipe="cart-binary", max_depth=1)


def is_of(part: str, name: str) -> bool:
    """Whether a part of a label is a name, or its head and tail with two dots between."""
    if part == name:
        return True
    head, dots, tail = part.partition("..")
    heads = [(head, tail)]
    while dots:  # a name may have dots of its own
        more, dots, tail = tail.partition("..")
        head = f"{head}..{more}"
        heads.append((head, tail))
    return ".." in part and any(
        name.startswith(h) and name.endswith(t) and len(h) + len(t) < len(name) for h, t in heads
    )


def check_label(label: str, names: list[str], size: float, room: float, *, bold: bool) -> None:
    """Check that a label shows first names as they are, and counts the others."""
    assert width(label, size, bold=bold) <= room
    shown = re.sub(r" \+\d+$", "", label)
    left = int(label[len(shown) + 2 :] or 0) if shown != label else 0
    n = len(names) - left
    assert 1 <= n <= 3
    assert shown == ", ".join(names[:n]) or (n == 1 and is_of(shown, names[0]))


@settings(max_examples=60, deadline=None)
@given(GROUPS)
def test_labels_show_levels_that_exist_and_count_the_others(levels):
    tree = grouped(levels)
    for box in diagram.build_diagram(tree).boxes[1:]:
        names = group_names(tree, box.node)
        check_label(box.branch_label, names, diagram.NAME - 2, diagram.MAX_NAME, bold=True)
    bars = icicle.build_icicle(tree, "light").bars
    assert len(bars) == len(tree.nodes)
    for node, bar in enumerate(bars):
        if node and bar.branch_label:
            check_label(
                bar.branch_label, group_names(tree, node), diagram.SMALL, bar.width - 8, bold=False
            )


@pytest.mark.parametrize("classes", [2, 8, 19, 26])
def test_charts_give_a_class_the_colour_that_it_has_in_the_picture(classes):
    tree = many(classes, classes, n=600)
    indices = dict(zip(map(str, tree.classes), colour_indices(tree), strict=True))
    table = tree.training_table()
    of_folds = cross_validate(table, RECIPES["cart-binary"].but(max_leaves=12), 3)
    for report in (tree.score(table), of_folds):
        for kind in ("roc", "precision_recall"):
            chart = report.chart(kind)
            names = {
                dict(shape.values)["class"]: shape.fill
                for shape in chart.shapes
                if isinstance(shape, Mark) and dict(shape.values).get("class")
            }
            assert len(names) == (1 if classes == 2 else OTHER_CLASSES)
            assert names == {name: f"line{indices[name]}" for name in names}
            assert len(set(names.values())) == len(names)
    rows = replace(table, columns=table.columns[:2])
    flat = fit(rows, recipe="cart-binary", max_leaves=12)
    assert colour_indices(flat) == colour_indices(tree)
    plane = flat.plane("x0", "x1", points=rows)
    text = " ".join(shape.text for shape in plane.shapes if isinstance(shape, Text))
    assert all(re.search(rf"\b{name}\b", text) for name in indices)
    points = {dict(s.values)["row"]: s.fill for s in plane.shapes if isinstance(s, Mark)}
    classes_of = map(str, rows.target.values())
    assert points == {row: f"k{indices[name]}" for row, name in enumerate(classes_of, 1)}


@pytest.mark.parametrize("classes", [19, 26])
def test_grey_classes_are_named_in_every_picture(classes):
    tree = many(classes, classes, n=600)
    indices = colour_indices(tree)
    grey = [str(k) for k, i in zip(tree.classes, indices, strict=True) if i == OTHER_CLASSES]
    assert len(grey) == classes - OTHER_CLASSES
    for picture in (svg.write(tree), icicle.write(tree), report_page.write(tree)):
        text = " ".join(re.split(r"<[^>]+>", picture))
        assert all(re.search(rf"\b{name} \(\d+\)", text) for name in grey)
    fills = legend_in(svg.write(tree))
    inside = report_page.write(tree, theme="light")
    swatches = re.findall(r'<span style="background:(#\w+)"></span>', inside)
    assert swatches[: len(fills)] == fills == legend_in(icicle.write(tree))


def sized(weights: list[int]) -> Tree:
    """Return a tree of classes A, B, C … with so many rows."""
    rows = [{"x": i, "y": chr(65 + k)} for k, n in enumerate(weights) for i in range(k, k + n)]
    return fit(rows, "y", recipe="cart-binary", max_leaves=3)


@pytest.mark.parametrize(
    ("weights", "grey"),
    [
        ([9, 8, 1, 7, 6, 5, 4, 3], "C"),
        ([5] * 8, "H"),
        ([2, 9, 9, 9, 9, 2, 9, 9], "F"),
        ([9, 8, 1, 7, 6, 5, 4, 3, 2], "CI"),
        ([5] * 9, "HI"),
        ([1] * 12 + [2] * 7, "ABCDEFGHIJKL"),
        ([1] * 14 + [2] * 5, "CDEFGHIJKLMN"),
        ([9, 8, 1, 7, 6, 5, 4], ""),
    ],
)
def test_of_more_than_seven_classes_the_smallest_are_grey_and_named(weights, grey):
    tree = sized(weights)
    names = [chr(65 + k) for k in range(len(weights))]
    found = dict(zip(tree.classes, colour_indices(tree), strict=True))
    own = [name for name in names if name not in grey]
    assert [found[name] for name in own] == list(range(len(own)))
    assert {found[name] for name in grey} <= {OTHER_CLASSES}
    legend = [name for name, _ in diagram.build_diagram(tree).legend]
    assert legend[: len(own)] == own
    assert legend[len(own) :] == ([grey] if len(grey) == 1 else legend[7:8] if grey else [])
    for box in diagram.build_diagram(tree, show="data").boxes:
        places = [index for index, _ in box.bar]
        assert places == sorted(places)  # grey ones last
    data = html_page.page_data(tree, "en", "light", None)
    assert [data["classes"][k] for k in data["order"]] == own + list(grey)


def test_classes_of_equal_weight_are_chosen_by_name_whatever_the_sums_are_rounded_to():
    sizes = [7, 3, 11, 13, 3, 17, 19, 6, 9, 23]
    rows = [{"x": i, "y": chr(65 + k)} for k, n in enumerate(sizes) for i in range(k, k + n)]
    weights = [1 / sizes[ord(row["y"]) - 65] for row in rows]
    tree = fit(rows, "y", recipe="cart-binary", max_leaves=3, sample_weight=weights)
    found = dict(zip(tree.classes, colour_indices(tree), strict=True))
    assert {name for name, index in found.items() if index == OTHER_CLASSES} == {"H", "I", "J"}
