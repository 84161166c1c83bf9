"""Nothing in a picture overlaps, leaves the canvas or is too small, whatever tree is drawn."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import combinations, pairwise

import numpy as np
import pytest

from penjing.render import box_parts, diagram, icicle, svg
from penjing.render import theme as themes
from penjing.render.heading import LINE, TITLE, heading_layout
from penjing.text.font_metrics import width
from picture_trees import TREES, table_of, target_and_names, tree_of

LIGHT = themes.THEMES["light"]
STYLES = [
    {},
    {"show": "counts"},
    {"show": "none"},
    {"show": "data", "layout": "left-to-right"},
    {"layout": "left-to-right", "align_leaves": True, "max_leaves": 20},
    {"align_leaves": True, "max_leaves": 20},
    {"test": True, "lang": "zh"},
]


def texts_of(made: diagram.Diagram) -> Iterator[tuple[float, float, float, float, str]]:
    """Yield left, top, right, bottom of every text of the boxes, and the text."""
    sizes = {"branch": diagram.NAME - 2, "name": diagram.NAME}
    for box in made.boxes:
        for part in box_parts.box_parts(box, LIGHT):
            if not isinstance(part, box_parts.Label) or not part.text:
                continue
            size = sizes.get(part.look, diagram.SMALL)
            wide = width(part.text, size, bold=part.look in sizes)
            left = part.x - wide * {"left": 0, "center": 0.5, "right": 1}[part.anchor]
            # Capitals and digits; letters below the baseline are lower.
            yield left, part.y - 0.75 * size, left + wide, part.y, part.text


def cross(a: tuple[float, ...], b: tuple[float, ...], slack: float = 0.01) -> bool:
    return (
        a[0] < b[2] - slack and b[0] < a[2] - slack and a[1] < b[3] - slack and b[1] < a[3] - slack
    )


@pytest.mark.parametrize("style", STYLES, ids=str)
@pytest.mark.parametrize("name", TREES)
def test_nothing_overlaps_and_nothing_is_outside(name, style):
    tree = tree_of(name)
    if "test" in style:
        style = style | {"test": table_of(99, *target_and_names(name), n=150)}
    made = diagram.build_diagram(tree, **style)
    boxes = [(b.x, b.y, b.x + b.width, b.y + b.height) for b in made.boxes]
    assert not [pair for pair in combinations(boxes, 2) if cross(*pair)]
    texts = list(texts_of(made))
    for left, top, right, bottom, text in texts:
        assert left >= 0, text
        assert right <= made.width, text
        assert bottom <= made.height, text
        assert top >= -diagram.LABEL, text
    for a, b in combinations(texts, 2):
        assert not cross(a, b), (a, b)
    for box, area in zip(made.boxes, boxes, strict=True):
        for part in box_parts.box_parts(box, LIGHT):
            for place in outline(part):
                assert area[0] - 0.01 <= place[0] <= area[2] + 0.01
                assert area[1] - 0.01 <= place[1] <= area[3] + 0.01
    assert not list(edges_through_boxes(made, boxes))


def outline(part: box_parts.Part) -> list[tuple[float, float]]:
    """Return the corners of a part that must lie within its box."""
    if isinstance(part, box_parts.Line):
        return [part.start, part.end]
    if isinstance(part, box_parts.Wedge):
        # Half a wedge may stand over the inset of the card.
        return list(part.points)
    if isinstance(part, box_parts.BarPiece):
        x, y, wide, high = part.area
        assert wide >= 0
        assert high >= 0
        return [(x, y), (x + wide, y + high)]
    return []


def edges_through_boxes(
    made: diagram.Diagram, boxes: list[tuple[float, float, float, float]]
) -> Iterator[tuple[int, int]]:
    """Yield the edges that pass through a box other than their ends."""
    for i, box in enumerate(made.boxes):
        if box.edge is None:
            continue
        start, bend, c1, c2, arrive, end = (np.array(p) for p in box.edge.points)
        t = np.linspace(0, 1, 30)[:, None]
        curve = (
            (1 - t) ** 3 * bend
            + 3 * (1 - t) ** 2 * t * c1
            + 3 * (1 - t) * t**2 * c2
            + t**3 * arrive
        )
        line = np.concatenate([start + t * (bend - start), curve, arrive + t * (end - arrive)])
        for j, (left, top, right, bottom) in enumerate(boxes):
            if j in (i, box.parent):
                continue
            x, y = line[:, 0], line[:, 1]
            if ((x > left) & (x < right) & (y > top) & (y < bottom)).any():
                yield i, j


@pytest.mark.parametrize("layout", ["top-down", "left-to-right"])
@pytest.mark.parametrize("name", TREES)
def test_outlines_of_a_picture_without_heading_are_whole(name, layout):
    made = diagram.build_diagram(tree_of(name), layout=layout, max_leaves=20)
    root = ET.fromstring(svg.draw(made, LIGHT, has_heading=False))  # noqa: S314 - our own text
    (moved,) = (e for e in root if "transform" in e.attrib)
    top = float(re.search(r"translate\(0 ([\d.]+)\)", moved.get("transform"))[1])
    half = float(re.search(r"\.c\{[^}]*stroke-width:([\d.]+)px", root[1].text)[1]) / 2
    cards = [e for e in moved.iter() if e.get("rx")]
    assert len(cards) == len(made.boxes)
    for card in cards:
        x, y, wide, high = (float(card.get(k)) for k in ("x", "y", "width", "height"))
        assert half <= min(x, y + top)
        assert x + wide + half <= float(root.get("width"))
        assert y + top + high + half <= float(root.get("height"))


@pytest.mark.parametrize("name", TREES)
def test_headings_wrap_and_do_not_overlap(name):
    tree = tree_of(name)
    pictures = [diagram.build_diagram(tree), icicle.build_icicle(tree, "light")]
    for made in pictures:
        places = heading_layout(made.heading, made.width)
        areas = []
        for text in places.texts:
            size = TITLE if text.look == "title" else LINE
            wide = width(text.text, size, bold=text.look == "title")
            areas.append((text.x, text.y - 0.75 * size, text.x + wide, text.y))
            assert text.x + wide <= made.width
            assert text.y <= places.height
        areas += [(s.x, s.y, s.x + 12, s.y + 12) for s in places.swatches]
        assert not [pair for pair in combinations(areas, 2) if cross(*pair)]


@pytest.mark.parametrize("theme", sorted(themes.THEMES))
@pytest.mark.parametrize("name", TREES)
def test_type_is_at_least_eleven_pixels_and_the_picture_is_well_formed(name, theme):
    tree = tree_of(name)
    for picture in (svg.write(tree, theme=theme), icicle.write(tree, theme=theme)):
        root = ET.fromstring(picture)  # noqa: S314 - our own text
        sizes = [float(root.get("font-size"))]
        sizes += [float(size) for size in re.findall(r"font-size:([\d.]+)", picture)]
        assert min(sizes) >= 11
        assert "scale(" not in picture
        numbers = [float(v) for v in re.findall(r'(?:width|height)="(-?[\d.]+)"', picture)]
        assert min(numbers) >= 0
        assert "nan" not in re.findall(r'd="([^"]*)"', picture)


@pytest.mark.parametrize("layout", ["top-down", "left-to-right"])
def test_leaves_are_on_one_line(layout):
    tree = tree_of("7 classes")
    made = diagram.build_diagram(tree, layout=layout, align_leaves=True)
    ends = {box.y if layout == "top-down" else box.x for box in made.boxes if box.kind != "split"}
    assert len(ends) == 1
    free = diagram.build_diagram(tree, layout=layout)
    assert len({b.y if layout == "top-down" else b.x for b in free.boxes if b.kind != "split"}) > 1


def test_the_root_is_at_the_left_and_branches_keep_their_order():
    made = diagram.build_diagram(tree_of("2 classes"), layout="left-to-right")
    root = made.boxes[0]
    assert all(box.x > root.x + root.width for box in made.boxes[1:])
    down = diagram.build_diagram(tree_of("2 classes"), layout="top-down")
    order = [[b.node for b in m.boxes if b.parent == 0] for m in (made, down)]
    assert order[0] == order[1]
    for made_, axis in ((made, "y"), (down, "x")):
        places = [getattr(b, axis) for b in made_.boxes if b.parent == 0]
        assert all(a < b for a, b in pairwise(places))


@pytest.mark.parametrize("name", TREES)
def test_cards_show_the_data_up_to_24_leaves(name):
    tree = tree_of(name)
    for max_leaves in (24, 64):
        made = diagram.build_diagram(tree, max_leaves=max_leaves)
        ends = sum(box.kind != "split" for box in made.boxes)
        plotted = {box.node for box in made.boxes if box.plot is not None}
        assert made.show == ("data" if ends <= 24 else "counts")
        large = {b.node for b in made.boxes if b.kind == "split" and tree.weight_of(b.node) >= 5}
        assert plotted == (large if ends <= 24 else set())
    assert not any(box.plot for box in diagram.build_diagram(tree, show="counts").boxes)
    plain = diagram.build_diagram(tree, show="none").boxes
    assert not any(box.plot or box.bar or box.spread or box.note for box in plain)
