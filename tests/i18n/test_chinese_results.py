"""Results and errors with names, groups and places inside are wholly Chinese."""

from __future__ import annotations

import re

import pytest

import penjing
from penjing.errors import ChoiceError
from penjing.formatting.lists import numbered_rows
from penjing.i18n import Word, say

MELONS = penjing.example("watermelon2.0")


def grouped():
    """Return a tree with a group of categories, and rows with a category that it does not have."""
    tree = penjing.fit(MELONS, recipe="cart-binary")
    rows = MELONS.to_pandas()
    rows["纹理"] = rows["纹理"].replace("模糊", "碎裂")
    return tree, rows


@pytest.mark.parametrize("what", ["drift", "summarize"])
def test_rules_and_counts_have_chinese_signs(what):
    tree, rows = grouped()
    text = getattr(tree, what)(rows).text("zh")
    assert "纹理 ∈ {" in text
    assert "碎裂（3）" in text
    assert not re.search(r" in \{|\(\d", text)
    assert " in {" in getattr(tree, what)(rows).text()


def forced(**options: object) -> ChoiceError:
    with pytest.raises(ChoiceError) as error:
        penjing.fit(MELONS, recipe="id3", **options)  # type: ignore[arg-type]
    return error.value


@pytest.mark.parametrize(
    "splits",
    [
        {"": "纹理 in {清晰, 稍糊, 模糊}"},
        {"": None, "纹理=清晰": "触感"},
    ],
)
def test_the_root_has_its_chinese_name_in_errors(splits):
    error = forced(force_splits=splits)
    assert "root" in str(error)
    told = say(error.key, "zh", **error.values)
    assert "根结点" in told
    assert "root" not in told


def test_the_root_of_a_single_leaf_has_its_chinese_name():
    leaf = penjing.fit(MELONS, recipe="id3", max_depth=0)
    with pytest.raises(ChoiceError) as error:
        leaf.prune_at(0)
    assert "“根结点”" in say(error.value.key, "zh", **error.value.values)


def test_a_word_is_said_in_each_language():
    assert say("edit_leaf_already", node=Word("root")) == "node 'root' is a leaf already."
    assert say("edit_leaf_already", "zh", node=Word("root")) == "结点“根结点”已经是叶结点。"


def test_many_rows_are_counted():
    many = range(1, 93)
    assert numbered_rows([4], "zh") == "第 4 行"
    assert numbered_rows([4, 7], "zh") == "第 4 和 7 行"
    assert numbered_rows(many, "zh") == "第 1、2、3、4、5、6、7、8、9、10 行以及另外 82 行"
    assert numbered_rows(many) == "rows 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 82 more"
    assert numbered_rows([4]) == "row 4"


def test_one_changed_row_is_a_singular():
    tree = penjing.fit(MELONS, recipe="id3")
    cost = tree.prune_at("纹理=稍糊").edit_cost
    assert str(cost).endswith("16/17, 1 row predicted differently")
    assert cost.text("zh").endswith("16/17，1 行的预测改变")


def test_comparisons_count_many_rows():
    """Of two trees in a sentence, of more in a table."""
    data = penjing.read([{"a": i, "y": "u" if i % 3 else "v"} for i in range(40)], "y")
    tree = penjing.fit(data, recipe="cart-binary")
    leaf, table = tree.prune_at(0), {"test": data}
    pair = penjing.compare(tree, leaf, table)
    several = penjing.compare(tree, leaf, tree, tables=table)
    assert "以及另外" in pair.text("zh")
    for comparison in (pair, several):
        assert "行以及另外 4 行" in comparison.text("zh")
        assert "个 行" not in comparison.text("zh")
        assert "rows 1, 4, 7, 10, 13, 16, 19, 22, 25, 28 and 4 more" in comparison.text()


def test_rows_that_stop_at_the_root_have_a_name_in_the_table_of_leaves():
    rows = [{"a": i % 2, "y": "u" if i % 2 else "v"} for i in range(8)] + [{"a": None, "y": "u"}]
    tree = penjing.fit(rows, "y", recipe="c4.5-textbook", schema={"a": "categorical"})
    lift = tree.score(rows).lift("u")
    assert lift.text("zh").splitlines()[2].endswith("  （所有行）")
    assert lift.text().splitlines()[2].endswith("  (all rows)")


HALF_COLON = re.compile(r"[\u4e00-\u9fff]\u2069?: ")


def test_a_colon_in_a_chinese_chart_is_a_chinese_one():
    tree = penjing.fit(MELONS, recipe="id3")
    charts = [tree.score(MELONS).chart(kind, lang="zh").svg() for kind in ("roc", "confusion")]
    labels = re.findall(r"<text\b[^>]*>([^<]*)|<title>([^<]*ROC 曲线[^<]*)", "".join(charts))
    compared = penjing.compare(tree, tree.prune_at(1), names=["甲", "乙"]).chart(lang="zh").svg()
    labels += re.findall(r"<text\b[^>]*>([^<]*)()", compared)
    assert any("甲：" in text for text, _ in labels)
    assert [text for pair in labels for text in pair if HALF_COLON.search(text)] == []
