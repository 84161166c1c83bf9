"""Axes, PNG and PDF: the scene of the SVG, Chinese letters included, the same file every time."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import penjing
from golden_trees import TREES
from penjing.errors import CapabilityError, ChoiceError, DataError
from penjing.render import diagram, icicle, plot

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")


@pytest.fixture(autouse=True)
def quiet():
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt  # noqa: PLC0415 - after the choice of a backend

    plt.close("all")


@pytest.mark.parametrize("name", ["fish", "course1", "watermelon2.0alpha"])
@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_axes_hold_every_word_of_the_scene(name, theme):
    tree = TREES[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = tree.plot(lang="zh", theme=theme)
        ax.figure.canvas.draw()  # a letter without a glyph would warn
    words = [text.get_text() for text in ax.texts]
    for box in diagram.build_diagram(tree, lang="zh").boxes:
        for word in (box.name, box.note, box.branch_label, *box.lines, box.test_text):
            assert not word or word in words


def test_a_figure_of_our_own_is_as_large_as_the_tree_and_type_is_eleven_pixels():
    tree = TREES["course1"]()
    ax = tree.plot()
    found = diagram.build_diagram(tree)
    wide, high = ax.figure.get_size_inches() * ax.figure.dpi
    assert wide == pytest.approx(found.width)
    assert high == pytest.approx(found.height + found.heading_layout.height)
    sizes = [text.get_fontsize() * ax.figure.dpi / 72 for text in ax.texts]
    assert min(sizes) == pytest.approx(11)


def test_no_two_texts_on_the_axes_overlap():
    for name in ("course1", "buys_computer"):
        ax = TREES[name]().plot(lang="zh")
        ax.figure.canvas.draw()
        boxes = [text.get_window_extent() for text in ax.texts]
        for i, a in enumerate(boxes):
            for b in boxes[i + 1 :]:
                wide = min(a.x1, b.x1) - max(a.x0, b.x0)
                high = min(a.y1, b.y1) - max(a.y0, b.y0)
                assert wide <= 0.5 or high <= 0.5


@pytest.mark.parametrize("size", [(8, 6), (12, 3), (4, 9)])
def test_given_axes_are_filled_and_type_stays_readable(size):
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    for name in ("large", "titanic", "fish"):
        figure = Figure(figsize=size, dpi=100)
        ax = TREES[name]().plot(ax=figure.add_axes((0, 0, 1, 1)))
        assert min(text.get_fontsize() * 100 / 72 for text in ax.texts) >= plot.SMALLEST_TYPE - 0.01
        wide, high = abs(np.subtract(*ax.get_xlim())), abs(np.subtract(*ax.get_ylim()))
        assert wide / high == pytest.approx(size[0] / size[1], rel=0.02)
        if name != "fish":  # the boxes reach all four sides
            ends = np.array([[p.get_x(), p.get_x() + p.get_width()] for p in cards(ax)])
            assert ends.min() < 0.1 * wide
            assert ends.max() > 0.9 * wide
            assert max(p.get_y() + p.get_height() for p in cards(ax)) > 0.9 * high


def cards(ax):
    from matplotlib.patches import FancyBboxPatch  # noqa: PLC0415 - an extra

    return [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def test_given_axes_are_drawn_on_and_returned():
    import matplotlib.pyplot as plt  # noqa: PLC0415 - after the choice of a backend

    figure, (left, right) = plt.subplots(1, 2)
    assert TREES["fish"]().plot(ax=left) is left
    assert left.texts
    assert not right.texts
    assert figure.axes == [left, right]


def test_files_are_of_their_kind_and_the_same_every_time(tmp_path):
    tree = TREES["course1"]()
    starts = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<svg", "html": b"<!DOCTYPE html>"}
    for kind, start in starts.items():
        paths = [tmp_path / f"{i}.{kind}" for i in range(2)]
        for path in paths:
            tree.save_picture(path, lang="zh", theme="dark")
        assert paths[0].read_bytes().startswith(start)
        assert paths[0].read_bytes() == paths[1].read_bytes()
    tree.save_picture(tmp_path / "i.svg", icicle=True)
    assert "width = number of rows" in (tmp_path / "i.svg").read_text("utf-8")
    for kind in ("txt", "md", "dot"):
        tree.save_picture(tmp_path / f"t.{kind}")
        assert "纹理" in (tmp_path / f"t.{kind}").read_text("utf-8")


def test_an_icicle_is_plotted_with_every_word_of_its_svg(tmp_path):
    tree = TREES["course1"]()
    for kind, start in {"png": b"\x89PNG", "pdf": b"%PDF"}.items():
        tree.save_picture(tmp_path / f"i.{kind}", icicle=True, lang="zh", max_leaves=3)
        tree.save_picture(tmp_path / f"t.{kind}", lang="zh")
        made = (tmp_path / f"i.{kind}").read_bytes()
        assert made.startswith(start)
        assert made != (tmp_path / f"t.{kind}").read_bytes()
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    axes = Figure(figsize=(14, 4)).add_subplot()
    shown = icicle.build_icicle(tree, "dark")
    plot._draw_on(axes, shown, "dark")  # what is in a PNG cannot be read back
    words = [text.get_text() for text in axes.texts]
    assert {bar.name for bar in shown.bars if bar.name} <= set(words)
    assert len(axes.patches) == len(shown.bars) + len(shown.heading.legend)


def test_wrong_wishes_are_told(tmp_path):
    tree = TREES["fish"]()
    with pytest.raises(ChoiceError, match=r"'\.jpg' is not a supported picture format"):
        tree.save_picture(tmp_path / "a.jpg")
    with pytest.raises(ChoiceError, match="theme 'x'"):
        tree.plot(theme="x")
    with pytest.raises(DataError):
        tree.save_picture(tmp_path / "no" / "a.png")


def test_without_matplotlib_a_sentence_says_what_to_install(monkeypatch):
    for name in ("matplotlib", "matplotlib.pyplot", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    tree = TREES["fish"]()
    with pytest.raises(CapabilityError, match=r"penjing\[plot\]"):
        tree.plot()
    with pytest.raises(CapabilityError, match=r"penjing\[plot\]"):
        tree.save_picture("a.png")
    assert tree.write("svg")


def test_nothing_but_plotting_imports_matplotlib():
    code = (
        "import sys, penjing; t = penjing.fit(penjing.example('fish')); t.write('svg');"
        "t.write('html'); t.save_picture(sys.argv[1]); print('matplotlib' in sys.modules)"
    )
    import tempfile  # noqa: PLC0415 - only here

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "a.svg")
        done = subprocess.run(
            [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
        )
    assert done.stdout == "False\n"


def test_printed_classes_differ_in_grey_or_hatching():
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - an extra

    from picture_trees import tree_of  # noqa: PLC0415 - only here

    axes = tree_of("7 classes").plot(Figure(figsize=(30, 20)).add_subplot(), theme="print")
    swatches = [p for p in axes.patches if type(p) is Rectangle][:7]
    looks = {(p.get_facecolor(), p.get_hatch()) for p in swatches}
    assert len(looks) == 7
    assert all(len(set(colour[:3])) == 1 for colour, _ in looks)  # greys


def test_a_pdf_is_one_page_of_the_size_of_the_picture(tmp_path):
    tree = TREES["large"]()
    tree.save_picture(tmp_path / "a.pdf")
    pdf = (tmp_path / "a.pdf").read_bytes()
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    wide, high = map(float, re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf).groups())
    found = diagram.build_diagram(tree)
    assert wide / high == pytest.approx(
        found.width / (found.height + found.heading_layout.height), rel=0.01
    )


def test_characters_that_no_font_has_are_boxes_and_one_note(tmp_path):
    """Neither file prints the warnings of matplotlib, which name a line of penjing."""
    names = ["\U0001f349\U0001f349 ripe", "\U0001f1e8\U0001f1f3", "plain", "\u270c\ufe0f"]
    rows = [{"x": i % 40, "y": names[i % 40 // 10]} for i in range(400)]
    tree = penjing.fit(rows, "y", recipe="cart-binary")
    for ending in ("png", "pdf"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tree.save_picture(tmp_path / f"tree.{ending}")
        (warning,) = caught
        assert issubclass(warning.category, penjing.DataWarning)
        assert str(warning.message).startswith(
            "the fonts have no \U0001f1e8, \U0001f1f3 and \U0001f349;"
        )
        assert warning.filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree.score(rows).chart("confusion").save(tmp_path / f"chart.{ending}")


def test_figures_stay_at_the_right_of_hebrew_names_where_matplotlib_can_draw_them():
    ft2font = pytest.importorskip("matplotlib.ft2font")
    from penjing.render.missing_glyphs import Fonts  # noqa: PLC0415

    name = "\u2068\u05d0\u05d3\u05d5\u05dd\u2069"
    drawn = Fonts(["DejaVu Sans"]).text(f"{name} (75)")
    has_directions = hasattr(ft2font, "__libraqm_version__")
    assert drawn == (f"{name} (75)" if has_directions else f"{name[1:-1]} (75)")
