"""Trees as text: what is printed is read back; what cannot be read is an error with its line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Column, Table, nominal, numeric
from penjing.errors import DataError, DataWarning
from strategies import ODD_WORDS, tables, words

RECIPES = ("id3", "c4.5-textbook", "cart-textbook", "cart-binary", "c4.5", "j48", "c5.0", "rpart")
MELON = """\
纹理 = 清晰
│  密度 ≤ 0.3815: 否 (2)
│  密度 > 0.3815: 是 (7)
纹理 in {稍糊, 模糊}: 否 (8/1)"""


def fits_in_32_bits(table: Table) -> bool:
    """Say whether C4.5 and scikit-learn can hold the numbers of a table."""
    return not any(c.is_numeric and np.abs(c.levels).max(initial=0) > 3e38 for c in table.columns)


def fitted(table: Table, recipe: str, **changes: object) -> Tree | None:
    """Return a tree of a recipe, None if the recipe does not take the table."""
    if recipe in ("c4.5", "sklearn") and not fits_in_32_bits(table):
        return None
    options = {"minsplit": 2, "minbucket": 1, "cp": 0.0} if recipe == "rpart" else {}
    try:
        return penjing.fit(table, recipe=recipe, quiet=True, **options, **changes)
    except penjing.DataError:
        return None
    except penjing.CapabilityError:
        return None


def routes_alike(tree: Tree, again: Tree, table: Table) -> bool:
    """Say whether two trees lead every row to a leaf of the same path."""
    assert again.n_leaves == tree.n_leaves
    one, other = tree.apply(table).tolist(), again.apply(table).tolist()
    pairs = set(zip(one, other, strict=True))
    is_one_to_one = len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)
    answers = [str(answer) for answer in tree.predict(table)]
    return is_one_to_one and answers == [str(answer) for answer in again.predict(table)]


@pytest.mark.parametrize("recipe", RECIPES)
@settings(max_examples=25)
@given(table=tables(), is_ascii=st.booleans(), has_empty=st.booleans())
def test_a_printed_tree_routes_every_row_as_the_tree(recipe, table, is_ascii, has_empty):
    tree = fitted(table, recipe)
    if tree is None:
        return
    text = tree.draw(ascii_only=is_ascii, empty=has_empty)
    ordered = [field for field in tree.schema if field.kind == "ordered"]
    again = Tree.from_text(text, "class", [*ordered, tree.target], quiet=True)
    if has_empty:  # a branch without rows is printed as a leaf of its own
        answers = [str(answer) for answer in again.predict(table)]
        assert answers == [str(answer) for answer in tree.predict(table)]
        assert again.n_leaves == tree.n_leaves + tree.n_empty
    else:
        assert routes_alike(tree, again, table)


@given(table=tables(regression=True), recipe=st.sampled_from(["cart-binary", "rpart", "id3"]))
def test_a_printed_regression_tree_routes_every_row_as_the_tree(table, recipe):
    tree = fitted(table, recipe)
    if tree is None:
        return
    again = Tree.from_text(str(tree), "y", [*tree.schema, tree.target], quiet=True)
    assert again.is_regression
    one, other = tree.apply(table), again.apply(table)
    assert again.n_leaves == tree.n_leaves
    assert len(set(zip(one, other, strict=True))) == len(set(one)) == len(set(other))
    assert np.allclose(again.predict(table), tree.predict(table), rtol=1e-5, atol=1e-5)


@given(table=tables(kinds=("nominal", "numeric"), missing=True))
def test_branches_of_missing_values_come_back(table):
    tree = fitted(table, "cart-binary", missing="branch")
    if tree is None:
        return
    again = Tree.from_text(str(tree), "class", [tree.target], quiet=True)
    assert routes_alike(tree, again, table)


@given(table=tables(), recipe=st.sampled_from(["id3", "cart-binary"]))
def test_a_dict_as_python_text_comes_back(table, recipe, tmp_path_factory):
    tree = fitted(table, recipe)
    if tree is None:
        return
    path = tmp_path_factory.mktemp("dict") / "tree.txt"
    path.write_text(repr(tree.to_dict()), "utf-8", errors="surrogatepass") if "\ud800" not in str(
        tree.to_dict()
    ) else None
    if not path.exists() or not str(tree.to_dict()).startswith("{"):
        return
    again = Tree.from_file(path, "class", [tree.target], encoding="utf-8")
    assert [str(a) for a in again.predict(table)] == [str(a) for a in tree.predict(table)]


@given(column=words, levels=st.lists(words, min_size=2, max_size=3, unique=True), answer=words)
def test_names_with_any_characters_come_back(column, levels, answer):
    tree = Tree.from_dict({column: {(level,): answer for level in levels}})
    again = Tree.from_text(str(tree), schema={"class": "categorical"})
    assert again.schema[0].levels == tuple(levels)
    assert (again.schema[0].name, again.classes) == (column, (answer,))


@pytest.mark.parametrize("word", ODD_WORDS)
def test_a_threshold_of_a_column_with_an_odd_name_comes_back(word):
    tree = Tree.from_dict({word: {"<= 5": "a", "> 5": "b"}})
    assert Tree.from_text(str(tree), quiet=True).to_dict() == {word: {"<= 5.0": "a", "> 5.0": "b"}}
    assert Tree.from_dict(tree.to_dict()) == tree


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_lines_of_show_below_the_tree_are_left_out(lang):
    from penjing.render.summary import size_line, ties_line  # noqa: PLC0415

    tree = penjing.fit(penjing.example("watermelon2.0"), recipe="id3")
    shown = "\n".join([str(tree), size_line(tree, lang), ties_line(tree, lang)])
    again = Tree.from_text(shown, "好瓜")
    assert str(again) == str(tree)
    assert again.has_counts
    assert again.about["training"] == {"correct": 17.0, "of": 17.0}
    short = "\n".join(line for line in shown.split("\n") if "模糊" not in line)
    with pytest.raises(DataError, match="7 leaves"):
        Tree.from_text(short)


FORMS = {
    "printed": MELON,
    "ascii": MELON.replace("│", "|").replace("≤", "<="),
    "blanks": MELON.replace("│  ", "    "),
    "tabs": MELON.replace("│  ", "\t"),
    "close": MELON.replace(" ≤ ", "≤").replace(" > ", ">").replace(" = ", "=").replace(": ", ":"),
    "chinese": MELON.replace(": ", "：").replace(" in ", " ∈ ").replace("稍糊, 模糊", "稍糊，模糊"),
    "words": MELON.replace(" in ", " 属于 "),
    "wide": MELON.replace("≤", "≦"),
    "quoted": MELON.replace("纹理", "'纹理'").replace("稍糊", '"稍糊"').replace("否", "'否'"),
    "lines": "\r\n" + MELON.replace("\n", "\r\n\r\n") + "\r\n",
    "other way": "\n".join([MELON.split("\n")[i] for i in (3, 0, 2, 1)]),
    "no counts": MELON.replace(" (2)", "").replace(" (7)", "").replace(" (8/1)", ""),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_way_to_write_a_tree_is_read(form):
    tree = Tree.from_text(FORMS[form], "好瓜", quiet=True)
    assert tree.score(penjing.example("watermelon3.0")).correct == 16
    rows = [{"纹理": "清晰", "密度": d} for d in (0.3815, 0.38150001)]
    assert tree.predict(rows).tolist() == ["否", "是"]


def test_an_open_threshold_keeps_its_side():
    tree = Tree.from_text("x < 2.5: a\nx >= 2.5: b")
    assert tree.predict([{"x": 2.5}, {"x": 2.4}]).tolist() == ["b", "a"]
    assert str(tree) == "x < 2.5: a\nx ≥ 2.5: b"


WRONG = {
    "x <= 5: a\nx > 6: b": ("text_bad_cut", 2),
    "x <= 5: a\nx >= 5: b": ("text_bad_cut", 2),
    "x < 5: a\nx > 5: b": ("text_bad_cut", 2),
    "x <= 5: a": ("text_one_side", 1),
    "y = u\n  x <= 5: a\ny = v: b": ("text_one_side", 2),
    "x <= 5: a\nx = 6: b": ("text_bad_cut", 2),
    "x <= 5: a\nx <= 6: b\nx > 6: c": ("text_bad_cut", 2),
    "x = u: a\nz = v: b": ("text_other_column", 2),
    "x = u: a\nx = u: b": ("text_level_twice", 2),
    "x = u: a\nx in {v, u}: b": ("text_level_twice", 2),
    "x = u\nx = v: b": ("text_no_prediction", 1),
    "x = u: a\n  z = v: b\nx = w: b": ("text_below_leaf", 2),
    "x = u\n    z = v: b\n  z = w: a\nx = w: b": ("text_bad_indent", 3),
    "x = u: a\nx equals v: b": ("text_bad_line", 2),
    "x = u: a\nx = v = w: b": ("text_bad_line", 2),
    "x = u: a: b\nx = v: b": ("text_bad_line", 1),
    "x = u (3): a\nx = v: b": ("text_bad_line", 1),
    "x = u, v: a\nx = w: b": ("text_bad_line", 1),
    "x in {u, v: a\nx = w: b": ("text_bad_line", 1),
    "x = 'u: a\nx = v: b": ("text_bad_line", 1),
    "x = u: a (2/3)\nx = v: b": ("text_bad_line", 1),
    "x = u: [S1]\nx = v: b": ("text_no_subtree", 1),
    "x = u: a\nx = v: b\n\n[S1]\ny = 1: a\ny = 2: b": ("text_no_subtree", 5),
    "x <= M: a\nx > M: b": ("text_no_order", 1),
    "x <= nan: a\nx > nan: b": ("text_no_order", 1),
    "x <= 1_0: a\nx > 1_0: b": ("text_no_order", 1),
    "x <= 5\n  x = 3: a\n  x = 4: b\nx > 5: c": ("text_mixed_column", 2),
    "a,b,class\n1,2,yes": ("text_bad_line", 1),
    "yes\nno": ("text_bad_line", 1),
    "x ≠ ?: a\nx = u: b": ("text_bad_cut", 2),
    "": ("text_without_tree", None),
}


@pytest.mark.parametrize("text", WRONG)
def test_a_line_that_cannot_be_read_is_named(text):
    key, line = WRONG[text]
    with pytest.raises(DataError) as caught:
        Tree.from_text(text)
    assert caught.value.key == key
    assert caught.value.values.get("line") == line
    for lang in ("en", "zh"):
        assert str(line or "") in caught.value.say(lang)


@given(table=tables(kinds=("nominal", "numeric")), data=st.data())
def test_a_lost_line_is_an_error_or_only_a_lost_branch(table, data):
    """No line can be lost so that another row is led elsewhere, but to the node above."""
    tree = fitted(table, "cart-binary")
    if tree is None or tree.n_leaves < 2:
        return
    lines = str(tree).split("\n")
    lost = data.draw(st.integers(0, len(lines) - 1))
    try:
        again = Tree.from_text("\n".join(lines[:lost] + lines[lost + 1 :]), "class", quiet=True)
    except DataError:
        return
    leads = again.is_leaf[again.apply(table)]
    for row in np.flatnonzero(leads).tolist():
        one = table.take([row])
        assert str(again.predict(one)[0]) == str(tree.predict(one)[0])


def test_an_order_is_needed_and_used():
    text = "size ≤ M: a\nsize > M: b"
    tree = Tree.from_text(text, schema={"size": {"ordinal": ["S", "M", "L"]}})
    assert tree.schema[0].kind == "ordered"
    assert tree.predict([{"size": s} for s in "SML"]).tolist() == ["a", "a", "b"]
    assert str(tree) == text
    with pytest.raises(DataError, match="'X' is not one of"):
        Tree.from_text(text.replace("M", "X"), schema={"size": {"ordinal": ["S", "M", "L"]}})
    with pytest.raises(DataError, match="line 2"):
        Tree.from_text("size ≤ L: a\nsize > L: b", schema={"size": {"ordinal": ["S", "M", "L"]}})


def test_numbers_at_leaves_are_told_from_classes():
    assert not Tree.from_text("x <= 5: 0\nx > 5: 1").is_regression
    with pytest.warns(DataWarning, match="predicts 'class' as a number"):
        tree = Tree.from_text("x <= 5: 0.5 (3)\nx > 5: 1 (4)")
    assert tree.is_regression
    assert tree.predict([{"x": 1}, {"x": 9}]).tolist() == [0.5, 1.0]
    assert not Tree.from_text("x <= 5: '0.5'\nx > 5: '1.5'").is_regression
    assert Tree.from_text("x <= 5: 0\nx > 5: 1", "y", {"y": "numeric"}).is_regression


def test_counts_are_kept_only_if_they_are_known_by_class():
    pure = Tree.from_text("x = u: a (3)\nx = v: b (2)")
    assert pure.nodes.total.tolist() == [[3, 2], [3, 0], [0, 2]]
    with pytest.warns(DataWarning, match="do not show the actual classes of the errors"):
        unclear = Tree.from_text("x = u: a (3/1)\nx = v: b (2)")
    assert not unclear.has_counts
    clear = Tree.from_text("x = u: a (3/1)\nx = v: b (2)", "y", {"y": ["a", "b"]})
    assert clear.nodes.total.tolist() == [[2, 3], [2, 1], [0, 2]]
    assert str(clear) == "x = u: a (3/1)\nx = v: b (2)"


def test_deep_trees_are_read_in_parts():
    chain: object = "end"
    for i in range(200):
        chain = {f"c{i}": {0: "no", 1: chain}}
    tree = Tree.from_dict(chain)
    assert "[S1]" in str(tree)
    assert str(Tree.from_text(str(tree))) == str(tree)


def test_a_table_of_a_tree_read_as_text_can_be_predicted_with_its_own_types():
    levels = Column("n", "nominal", (0, 1, 2), np.array([0, 1, 2], np.int32))
    table = Table((levels, numeric("x", [1.0, 2.0, 3.0])), nominal("y", [True, False, True]), 3)
    tree = penjing.fit(table, recipe="id3")
    again = Tree.from_text(str(tree), "y")
    assert [str(a) for a in again.predict(table)] == ["True", "False", "True"]
