"""Pictures, pages and texts are as they were looked at; no boxes cross, no type is too small.

``make golden`` writes them anew; look at what changed before it is kept.
"""

from __future__ import annotations

import hashlib
import json
import re
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import pytest

from golden_trees import TREES
from penjing.render import diagram, icicle, svg
from penjing.render import html as html_page
from penjing.render import theme as themes
from penjing.text.font_metrics import width

GOLDEN = Path(__file__).parent / "golden" / "pictures"
MELONS = tuple(name for name in TREES if name.startswith(("watermelon", "course")))
LOOKS = [("en", "light"), ("zh", "dark"), ("zh", "light"), ("en", "dark"), ("en", "print")]
PICTURES = [
    (name, lang, theme)
    for name in TREES
    for lang, theme in (LOOKS if name in MELONS else LOOKS[:2] if name != "large" else LOOKS[:1])
]
SVG = f"{{{svg.NAMESPACE}}}"


def kept(path: Path, text: str, request: pytest.FixtureRequest) -> str:
    """Return what is kept under a name; written first where that is wanted."""
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return path.read_text("utf-8")


@pytest.mark.parametrize(("name", "lang", "theme"), PICTURES)
def test_pictures_are_as_they_were(name, lang, theme, request):
    text = svg.write(TREES[name](), lang=lang, theme=theme)
    assert text == kept(GOLDEN / f"{name}.{lang}.{theme}.svg", text, request)


@pytest.mark.parametrize("name", [name for name in TREES if name != "large"])
def test_texts_and_what_pages_show_are_as_they_were(name, request):
    tree = TREES[name]()
    text = tree.draw(surrogates=True) + "\n\n" + tree.write("rules") + "\n"
    assert text == kept(GOLDEN / f"{name}.txt", text, request)
    data = html_page.page_data(tree, "zh", "light", None)
    for known in ("words", "widths"):  # the catalogue has tests of its own
        data.pop(known)
    plain = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    assert plain == kept(GOLDEN / f"{name}.page.json", plain, request)


def test_what_is_large_is_kept_by_its_digest(request):
    tree = TREES["large"]()
    texts = {
        "text": tree.draw(),
        "icicle.svg": icicle.write(tree),
        "page.json": json.dumps(
            {
                k: v
                for k, v in html_page.page_data(tree, "en", "light", None).items()
                if k != "words"
            }
        ),
    }
    found = {key: hashlib.sha256(text.encode()).hexdigest() for key, text in texts.items()}
    plain = json.dumps(found, indent=1) + "\n"
    assert plain == kept(GOLDEN / "large.digests.json", plain, request)


def area(box: diagram.Box) -> tuple[float, float, float, float]:
    half = max(box.width, width(box.branch_label, diagram.NAME - 2, bold=True)) / 2
    centre = box.x + box.width / 2
    top = box.y - diagram.LABEL if box.branch_label else box.y
    return centre - half, top, centre + half, box.y + box.height


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", TREES)
def test_no_two_boxes_cross_and_every_text_fits(name, lang):
    tree = TREES[name]()
    found = diagram.build_diagram(tree, lang=lang, max_leaves=300)
    for a, b in combinations(map(area, found.boxes), 2):
        assert not (a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3])
    for box in found.boxes:
        assert 0 <= box.x <= box.x + box.width <= found.width
        name_room = width(box.name, diagram.NAME, bold=True)
        if box.kind == "split":
            assert name_room + width(box.note, diagram.SMALL) + 20 <= box.width
            assert sum(width(line, diagram.SMALL) for line in box.lines) + 20 <= box.width
        else:
            assert max(name_room, width(box.lines[0], diagram.SMALL)) <= box.width


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("theme", sorted(themes.THEMES))
@pytest.mark.parametrize("name", TREES)
def test_no_type_is_under_eleven_pixels(name, theme, lang):
    tree = TREES[name]()
    for text in (
        svg.write(tree, theme=theme, lang=lang),
        icicle.write(tree, theme=theme, lang=lang),
    ):
        root = ET.fromstring(text)  # noqa: S314 - our own text
        sizes = [float(root.get("font-size"))]
        sizes += [float(size) for size in re.findall(r"font-size:([\d.]+)", text)]
        assert min(sizes) >= 11
        # No size is set anywhere else, and nothing is drawn smaller than it is.
        assert not [e for e in root.iter() if e is not root and e.get("font-size")]
        assert "scale(" not in text
        _, _, wide, high = map(float, root.get("viewBox").split())
        assert (float(root.get("width")), float(root.get("height"))) == (wide, high)
        assert any(e.tag == f"{SVG}text" for e in root.iter())


def test_sizes_of_two_thousand_leaves():
    tree = TREES["large"]()
    assert tree.n_leaves == 2000
    assert len(svg.write(tree).encode()) <= 100_000
    assert len(icicle.write(tree).encode()) <= 600_000
    assert len(html_page.write(tree).encode()) <= 1_000_000
