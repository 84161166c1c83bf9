"""Pictures: no two boxes cross, no type is too small, every name is text, printed = model."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from penjing.api.fit import fit
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from penjing.dialects.recipes import RECIPES
from penjing.errors import ChoiceError
from penjing.formatting.markdown_text import escape_markdown
from penjing.render import diagram, dot, icicle, leaf_rules, markdown, svg
from penjing.render import html as html_page
from penjing.render import theme as themes
from penjing.text.font_metrics import clip_middle, width
from strategies import grown, tables

MELONS = {"纹理": {"清晰": {"根蒂": {"蜷缩": "是", "稍蜷": "是", "硬挺": "否"}}, "模糊": "否"}}


def big(n: int = 6000, leaves: int = 400) -> Tree:
    random = np.random.RandomState(7)
    x = np.round(random.randn(n, 4), 2)
    y = (x[:, 0] * x[:, 1] > 0) * 1 + (random.rand(n) < 0.2)
    columns = tuple(numeric(f"Horizontal_Distance_{i}", x[:, i]) for i in range(4))
    classes = [("Aspen", "Krummholz", "Spruce/Fir")[v] for v in y]
    table = Table(columns, nominal("cover", classes), n)
    return fit(table, recipe="cart-binary", max_leaves=leaves, engine="memory")


def cross(a: diagram.Box, b: diagram.Box) -> bool:
    def area(box: diagram.Box) -> tuple[float, float, float, float]:
        label = width(box.branch_label, diagram.NAME - 2, bold=True)
        half = max(box.width, label) / 2
        centre = box.x + box.width / 2
        top = box.y - diagram.LABEL if box.branch_label else box.y
        return centre - half, top, centre + half, box.y + box.height

    (ax0, ay0, ax1, ay1), (bx0, by0, bx1, by1) = area(a), area(b)
    return ax0 < bx1 and bx0 < ax1 and ay0 < by1 and by0 < ay1


@given(tables(max_rows=30), st.sampled_from(sorted(RECIPES)[:3]), st.integers(2, 20))
def test_no_two_boxes_cross_and_all_stand_on_the_paper(table, recipe, max_leaves):
    tree = grown(table, "cart-binary" if recipe.startswith("cart") else "id3")
    found = diagram.build_diagram(tree, max_leaves=max_leaves)
    assert not any(cross(a, b) for a, b in combinations(found.boxes, 2))
    for box in found.boxes:
        assert 0 <= box.x <= box.x + box.width <= found.width
        assert 0 <= box.y <= box.y + box.height <= found.height


@given(tables(max_rows=20))
def test_every_picture_is_well_formed_whatever_the_names(table):
    tree = grown(table)
    for lang in ("en", "zh"):
        ET.fromstring(svg.write(tree, lang=lang))  # noqa: S314 - our own text
        ET.fromstring(icicle.write(tree, lang=lang))  # noqa: S314 - our own text
        names = {str(v) for f in (*tree.schema, tree.target) for v in (f.name, *f.levels)}
        minus_zero = re.search(r"-0\.0(?!\d)", markdown.write(tree, lang=lang))
        assert minus_zero is None or "-0.0" in names
    assert dot.write(tree).count("->") == len(tree.nodes) - 1
    assert len(leaf_rules.write(tree).split("\n")) >= tree.n_leaves


def test_two_thousand_leaves_fold_to_what_can_be_read():
    tree = big(12000, 2000)
    found = diagram.build_diagram(tree)
    shown = [box for box in found.boxes if box.kind != "split"]
    assert len(shown) <= diagram.MAX_LEAVES
    folded = [box for box in shown if box.kind == "folded"]
    assert folded
    assert not any(cross(a, b) for a, b in combinations(found.boxes, 2))
    leaves = diagram.count_leaves(tree)
    assert sum(leaves[box.node] for box in shown) == tree.n_leaves
    hidden = tree.n_leaves - sum(box.kind == "leaf" for box in shown)
    assert found.hidden_note.startswith(f"{hidden:,} leaves")
    assert len(svg.write(tree)) <= 100_000
    assert len(icicle.write(tree)) <= 600_000


@pytest.mark.parametrize("theme", sorted(themes.THEMES))
def test_type_is_at_least_eleven_pixels_and_text_can_be_read(theme):
    picture = svg.write(big(), theme=theme) + icicle.write(big(), theme=theme)
    sizes = [float(size) for size in re.findall(r'font-size[=:]"?([\d.]+)', picture)]
    assert sizes
    assert min(sizes) >= 11
    look = themes.THEMES[theme]
    assert themes.contrast(look.text, look.background) >= 4.5
    assert themes.contrast(look.muted, look.background) >= 4.5
    assert themes.contrast(look.outline, look.background) >= 3
    for shade in themes.PALETTE:
        assert themes.contrast(themes.outline_colour(shade, look), look.background) >= 3
        leaf = themes.blend(shade, look.card, look.tint)
        assert themes.contrast(look.text, leaf) >= 4.5


def test_names_are_text_in_their_own_language():
    picture = svg.write(Tree.from_dict(MELONS, target="好瓜"), lang="zh")
    for word in ("纹理", "清晰", "根蒂", "硬挺", "是", "好瓜", "个叶结点"):
        assert f"{word}" in picture
    assert 'xml:lang="zh"' in picture
    assert "http" not in picture.replace(svg.NAMESPACE, "")


def test_a_notebook_shows_the_picture():
    tree = Tree.from_dict(MELONS, target="好瓜")
    assert tree._repr_html_() == svg.write(tree)


def test_unknown_theme_is_refused_with_the_near_one():
    with pytest.raises(ChoiceError, match="Did you mean 'dark'"):
        svg.write(Tree.from_dict("yes"), theme="darkk")
    with pytest.raises(ChoiceError, match="theme 'x'"):
        icicle.write(Tree.from_dict("yes"), theme="x")


def test_regression_and_many_classes_are_drawn():
    x = numeric("x", range(40))
    number = Table((x,), numeric("y", [v * v for v in range(40)]), 40)
    assert "n=" in svg.write(grown(number, "cart-binary", max_depth=3))
    assert "%" not in leaf_rules.write(grown(number, "cart-binary", max_depth=3))
    many = Table((x,), nominal("k", [f"k{v % 7}" for v in range(40)]), 40)
    assert "%" in svg.write(grown(many, "cart-binary", max_depth=2))
    assert "| k" in markdown.write(grown(many, "cart-binary", max_depth=2))


@given(st.text(max_size=40), st.floats(30, 200))
def test_clipped_text_fits_its_room(text, room):
    short = clip_middle(text, 11, room)
    assert short == text or width(short, 11) <= room


def test_rules_merge_intervals_and_sort_by_support():
    x = numeric("x", range(20))
    classes = ["a"] * 5 + ["b"] * 9 + ["a"] * 6
    tree = grown(Table((x,), nominal("class", classes), 20))
    lines = leaf_rules.write(tree, order="support").split("\n")
    assert lines[0] == "b  9  100% (70-100)  when 4.5 < x ≤ 13.5"
    assert leaf_rules.write(Tree.from_dict("yes")) == "yes"


def test_categories_that_a_split_above_sends_elsewhere_are_not_called_empty():
    """They cannot reach the node: that no training row has them there is no news."""
    random = np.random.RandomState(3)
    codes = random.randint(0, 8, 400)
    table = Table(
        (nominal("place", [f"p{k}" for k in codes]),),
        numeric("y", 3.0 * codes + random.rand(400)),
        400,
    )
    tree = penjing.fit(table, recipe="rpart", cp=0.0001)
    assert any(tree.empty_levels(node) for node in range(tree.n_nodes))  # of single nodes
    assert tree.depth > 1
    assert tree.n_empty == 0
    assert tree.write("text", empty=True) == tree.write("text")
    assert not any(tree.why(node).told["empty"] for node in range(tree.n_nodes))
    assert (
        "no rows; a leaf"
        not in penjing.fit(table, recipe="rpart", cp=0.0001, trace=True).trace.text()
    )
    for text in (svg.write(tree), dot.write(tree), html_page.write(tree)):
        assert not re.search(r"\+\d+ empty|no training rows: p", text)


def test_titles_of_chinese_pictures_have_chinese_punctuation():
    places = nominal("place", [f"p{k % 20}" for k in range(40)])
    many = fit(Table((places,), nominal("y", ["n" if k % 20 < 9 else "y" for k in range(40)]), 40))
    for tree in (fit(penjing.example("watermelon2.0")), many):
        titles = re.findall("<title>(.*?)</title>", svg.write(tree, lang="zh"))
        assert len(titles) > 3
        assert all("：" in title and not re.search("[:,;] ", title) for title in titles), titles
        titles = re.findall("<title>(.*?)</title>", svg.write(tree, lang="en"))
        assert all(": " in title for title in titles)
    assert "place：p0、p1、" in svg.write(many, lang="zh")


def test_ties_empty_branches_surrogates_and_missing_values_are_seen():
    melons = fit(penjing.example("watermelon2.0"))
    for lang, marks in (
        ("en", (" tie<", "+1 empty", "no training rows: ")),
        ("zh", ("并列<", "+1 个空分支", "没有训练样本的取值")),
    ):
        picture = svg.write(melons, lang=lang)
        assert all(mark in picture for mark in marks)
    random = np.random.RandomState(8)
    x = random.rand(80)
    holes = np.where(random.rand(80) < 0.2, np.nan, x)
    columns = (numeric("x", holes), numeric("z", x + 0.9 * random.rand(80)))
    table = Table(columns, nominal("y", np.where(x > 0.35, "big", "small").tolist()), 80)
    tree = fit(table, recipe="rpart")
    picture = svg.write(tree)
    assert "+1 surrogate<" in picture
    assert "(missing)<" in picture
    n = int(np.isnan(holes).sum())
    assert f"missing: x {n}" in picture
    # The tooltip tells the surrogate itself, in words.
    assert re.search(
        r"if x is missing and z [^:]*: x [^(]* \(agrees for [\d.]+% of rows\)", picture
    )
    full = Table((numeric("x", x), columns[1]), table.target, 80)
    assert "surrogate<" not in svg.write(fit(full, recipe="rpart"))  # no value is missing
    text = tree.draw(surrogates=True)
    assert "? z " in text
    assert text.count("?") >= 2
    shared = fit(table, recipe="c4.5-textbook", max_depth=1)
    assert f"missing: x {n}" in svg.write(shared)
    assert re.search(r"n=80<", svg.write(shared))
    assert re.search(r">\d+\.\d+/\d+\.\d+ \d+%<", svg.write(shared))  # shares of rows, as they are


def test_a_question_of_known_or_not_reads_so():
    x = numeric("x", [np.nan] * 5 + [1.0] * 5)
    tree = fit(Table((x,), nominal("y", list("aaaaabbbbb")), 10), recipe="sklearn")
    assert np.isinf(tree.nodes.cut[0])
    assert "x ≠ ?" in leaf_rules.write(tree)
    assert "x = ?" in leaf_rules.write(tree)
    assert "≠ ?" in svg.write(tree)


@pytest.mark.parametrize("ending", ["md", "dot", "txt"])
def test_an_icicle_is_drawn_or_refused(tmp_path, ending):
    tree = penjing.fit(penjing.example("golf"))
    path = tmp_path / f"a.{ending}"
    with pytest.raises(ChoiceError, match=rf"'\.{ending}'.*\.svg, \.html"):
        tree.save_picture(path, icicle=True)
    assert not path.exists()
    for kind, sign in (("svg", "colour intensity"), ("html", '"view":"icicle"')):
        tree.save_picture(tmp_path / f"b.{kind}", icicle=True)
        assert sign in (tmp_path / f"b.{kind}").read_text("utf-8")


SIGNS = st.text(st.sampled_from("ab <>&*_[]`~|\\\n#!()"), min_size=1, max_size=12)


@given(SIGNS)
def test_markdown_shows_a_name_as_it_is(name):
    shown = escape_markdown(name)
    assert "\n" not in shown
    assert "<" not in shown
    # Every sign that Markdown would act on has a backslash of its own before it.
    bare = re.sub(r"\\[\\*_\[\]`~]", "", shown)
    assert not set(bare) & set("\\*_[]`~")
    back = re.sub(r"\\([\\*_\[\]`~])", r"\1", shown)
    back = back.replace("&lt;", "<").replace("&amp;", "&")
    assert back == " ".join(name.splitlines())


def test_markdown_of_hostile_names_is_inert():
    levels = ["<script>alert(1)</script>", "*bold* _i_", "`x`"]
    tree = Tree.from_dict({"a|b": dict.fromkeys(levels, "[yes](no)")})
    text = markdown.write(tree)
    assert "<script" not in text
    assert r"\*bold\* \_i\_" in text
    assert r"\`x\`" in text
    assert r"\[yes\](no)" in text
    assert r"a\|b" in text


def test_what_rpart_improves_is_not_called_a_gain():
    table = penjing.example("golf")
    tree = penjing.fit(table, recipe="rpart", minsplit=2)
    assert "improvement " in svg.write(tree)
    assert "改进量 " in svg.write(tree, lang="zh")
    assert "Gini gain" not in svg.write(tree)
    assert html_page.page_data(tree, "en", "light", None)["criterion"] == "improvement"
    assert "Gini gain" in svg.write(penjing.fit(table, recipe="sklearn"))


def many_categories(n: int, target: str) -> Tree:
    """Return a tree whose root has so many branches."""
    levels = [f"v{k}" for k in range(n) for _ in range(1 + k % 3)]
    numbers = [int(v[1:]) for v in levels]
    if target == "number":
        values = numeric("y", [float(k * k) for k in numbers])
    else:
        values = nominal(
            "y", [("a", "b", "c")[k % 3] if target == "class" else f"c{k}" for k in numbers]
        )
    table = Table((nominal("code", levels),), values, len(levels))
    return fit(table, recipe="id3" if target != "number" else "cart", max_depth=1)


def test_the_leaves_of_many_categories_are_gathered_by_their_prediction():
    tree = many_categories(200, "class")
    assert tree.n_children[0] == 200
    made = diagram.build_diagram(tree)
    assert [box.kind for box in made.boxes] == ["split", *["gathered"] * 3]
    assert made.hidden_note == "200 leaves are drawn as 3 boxes, by their predictions"
    assert "按预测合并" in diagram.build_diagram(tree, lang="zh").hidden_note
    weights = [float(re.search(r"n=(\d+)", box.lines[0])[1]) for box in made.boxes[1:]]
    assert sum(weights) == tree.weight_of(0)
    assert {box.name for box in made.boxes[1:]} == {"a", "b", "c"}
    assert made.width < 1000
    bars = made.boxes[0].plot.bars  # one for each box below
    assert [sum(p.rows for p in bar.pieces) for bar in bars] == sorted(weights, reverse=True)


def test_a_first_split_of_many_classes_is_drawn_in_part_and_says_so():
    tree = many_categories(500, "classes")
    made = diagram.build_diagram(tree)
    assert len(made.boxes) == 1 + diagram.MAX_LEAVES
    assert {tree.weight_of(box.node) for box in made.boxes[1:]} == {3.0}
    assert (
        made.hidden_note
        == "436 of the 500 branches of the root, those with the fewest rows, are not drawn"
    )
    assert made.layout == "left-to-right"  # a long list instead of a strip
    assert "没有画出" in diagram.build_diagram(tree, lang="zh").hidden_note
    assert len(diagram.build_diagram(tree, max_leaves=1000).boxes) == 501


def test_rules_are_told_in_chinese():
    column = nominal("c", ["x", "y", "z", "z"] * 3)
    number = numeric("n", [1, 2, 3, 4] * 3)
    table = Table((column, number), nominal("t", ["a", "a", "a", "b"] * 3), 12)
    tree = fit(table, recipe="cart-binary")
    assert "when" in leaf_rules.write(tree)
    told = leaf_rules.write(fit(penjing.example("watermelon3.0"), recipe="cart-binary"), lang="zh")
    assert "  条件 " in told
    assert " 且 " in told
    assert " ∈ {" in told
    assert not re.search(r" (when|and|in) ", told)


def test_the_score_of_c45_is_not_called_a_ratio():
    tree = fit(penjing.example("golf"), recipe="c4.5")
    assert "score 0." in svg.write(tree)
    # The tooltips of the picture and the details of the page say what the number is.
    explained = "score: gain ratio or gain, less the penalty of a threshold"
    assert explained in svg.write(tree)
    assert explained in str(html_page.page_data(tree, "en", "light", None))
    assert "ratio 0." not in svg.write(tree)
    assert "ratio 0." in svg.write(fit(penjing.example("golf"), recipe="c4.5-textbook"))


def test_dot_has_the_colours_order_and_missing_values_of_the_picture():
    random = np.random.RandomState(8)
    x = random.rand(80)
    holes = np.where(random.rand(80) < 0.2, np.nan, x)
    columns = (numeric("x", holes), numeric("z", x + 0.9 * random.rand(80)))
    table = Table(columns, nominal("y", np.where(x > 0.35, "big", "small").tolist()), 80)
    tree = fit(table, recipe="rpart")
    text, boxes = tree.write("dot"), diagram.build_diagram(tree).boxes
    leaves = [box for box in boxes if box.kind == "leaf"]
    for box in leaves:
        fill, outline = themes.leaf_colours(box.colour_index, themes.THEMES["light"])
        counts = re.escape(box.lines[0])
        label = rf'n{box.node} \[label="{box.name}\\n{counts}", style="rounded,filled"'
        assert re.search(rf'{label}, fillcolor="{fill}", color="{outline}"\]', text)
    assert "(missing)" in text
    assert "（缺失）" in tree.write("dot", lang="zh")
    melons = fit(penjing.example("watermelon2.0"))
    drawn = [int(b) for a, b in re.findall(r"n(\d+) -> n(\d+)", melons.write("dot")) if a == "0"]
    shown = [box.node for box in diagram.build_diagram(melons).boxes if box.parent == 0]
    places = {box.node: box.x for box in diagram.build_diagram(melons).boxes}
    assert drawn == sorted(shown, key=places.get)
    assert re.search(r"\\n[\d.]+ ± [\d.]+, n=\d+", regression_tree().write("dot"))


def regression_tree() -> Tree:
    x = numeric("x", range(40))
    return fit(Table((x,), numeric("y", [v * v for v in range(40)]), 40), recipe="cart-binary")


def test_regression_has_three_digits_shares_of_variance_and_its_fit():
    tree = regression_tree()
    made = diagram.build_diagram(tree, max_leaves=6)
    y = np.arange(40.0) ** 2
    leaves = tree.apply([{"x": float(v)} for v in range(40)])
    rmse = np.sqrt(np.mean((y - tree.values[leaves]) ** 2))
    assert f"training RMSE {float(f'{rmse:.3g}'):g}" in made.facts.replace(".0 ", " ")
    assert "R² " in made.facts
    root = made.boxes[0]
    below = [y[: int(tree.weight[1])], y[int(tree.weight[1]) :]]
    share = 1 - sum(part.var() * len(part) for part in below) / (y.var() * 40)
    assert root.note == f"variance −{100 * share:.3g}%"
    for box in made.boxes:
        digits = re.sub(r"\D", "", box.name).strip("0") if box.kind != "split" else ""
        assert len(digits) <= 3
        assert box.spread is not None
        assert 0 <= box.spread.low <= box.spread.mark <= box.spread.high <= 1
    # One axis: a node's mark stands where its mean is, whatever the node.
    scale = made.heading.scale
    for box in made.boxes:
        at = (float(tree.values[box.node]) - scale.axis_low) / (scale.axis_high - scale.axis_low)
        assert box.spread.mark == pytest.approx(at)
    assert f"{scale.axis_low:g} to {scale.axis_high:g}" in made.heading.scale_note
    fills = {box.value for box in made.boxes if box.kind == "leaf"}
    assert len(fills) == sum(box.kind == "leaf" for box in made.boxes)


@pytest.mark.parametrize(
    "source",
    [
        {"a": {"x": "p", "y": {"b": {"u": "q", "v": "p", "w": "q"}}, "z": "p"}},
        {"a": {"<= 1": 2.5, "> 1": {"b": {"u": 1.0, "v": 4.0}}}},
    ],
)
def test_pictures_of_a_tree_without_counts_show_none(source):
    tree = Tree.from_dict(source)
    for show in (None, "counts", "data", "none"):
        made = diagram.build_diagram(tree, show=show)
        assert not any(box.bar or box.spread or box.plot for box in made.boxes)
        assert len({box.edge.width for box in made.boxes if box.edge is not None}) == 1
        assert not any("n=" in line for box in made.boxes for line in box.lines)
        assert "no counts" in made.facts
    folded = diagram.build_diagram(tree, max_leaves=2)
    assert not any("n=" in line for box in folded.boxes for line in box.lines)
    drawn = icicle.build_icicle(tree, "light")
    assert "number of leaves" in drawn.heading.facts
    assert "number of rows" not in drawn.heading.facts
    fills = [bar.fill for bar in drawn.bars]
    splits = [fill for bar, fill in zip(drawn.bars, fills, strict=True) if bar.name in ("a", "b")]
    assert set(splits) == {themes.THEMES["light"].card}


@pytest.mark.parametrize(("weights", "told"), [(2.5, "8 rows (total weight 20)"), (1.0, "8 rows")])
def test_rows_and_their_weight_are_told_apart(weights, told):
    x = np.arange(8.0)
    target = nominal("kind", ["a", "b"] * 4)
    table = Table((numeric("x", x),), target, 8, weight=np.full(8, weights))
    tree = fit(table, recipe="cart-binary", max_depth=1)
    assert diagram.build_diagram(tree).facts.split(" | ")[1] == told
    summary = tree.report(cross_validation=False).split("</section>")[0]
    assert told in summary
    assert "20 rows" not in summary
