"""Results and errors with names, groups and places inside are wholly Chinese."""

from __future__ import annotations

import re

import pytest

import penjing
from penjing.errors import ChoiceError
from penjing.i18n import Word, say
from penjing.render.wrong_predictions import numbered_rows

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
