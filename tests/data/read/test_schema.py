"""What the user says about a column wins; what a tree knows about it too."""

from __future__ import annotations

import numpy as np
import pytest

from penjing.data.read import read
from penjing.data.table import Field
from penjing.errors import ChoiceError, DataError

MELONS = """编号,色泽,密度,size,好瓜
1,青绿,0.697,S,是
2,乌黑,0.774,L,是
3,青绿,0.634,M,否
4,浅白,0.608,S,否
""".encode()


def test_every_word_of_a_schema():
    table = read(
        MELONS,
        schema={
            "编号": "numeric",
            "色泽": ["浅白", "青绿", "乌黑", "墨绿"],
            "密度": "nominal",
            "size": {"ordered": ["S", "M", "L"]},
            "好瓜": ["否", "是"],
        },
    )
    assert table.left_out == ()
    assert table.column("编号").values() == [1.0, 2.0, 3.0, 4.0]
    assert table.column("色泽").levels == ("浅白", "青绿", "乌黑", "墨绿")
    assert table.column("色泽").codes.tolist() == [1, 2, 1, 0]
    assert table.column("密度").levels == ("0.697", "0.774", "0.634", "0.608")
    assert table.column("size").kind == "ordered"
    assert table.column("size").codes.tolist() == [0, 2, 1, 0]
    assert table.target.levels == ("否", "是")
    assert table.target.codes.tolist() == [1, 1, 0, 0]


def test_ignore_and_ordered_by_appearance_or_size():
    table = read(MELONS, schema={"编号": "ordered", "色泽": "ordered", "密度": "ignore"})
    assert table.left_out == (("密度", "ignored"),)
    assert table.column("色泽").levels == ("青绿", "乌黑", "浅白")
    assert table.column("编号").levels == ("1", "2", "3", "4")
    rows = {"n": ["10", "9", "NA", "100"], "class": list("pqpq")}
    column = read(rows, schema={"n": "ordered"}).column("n")
    assert column.levels == ("9", "10", "100")
    assert column.codes.tolist() == [1, 0, -1, 2]


def test_numbers_as_names_on_demand():
    for values in ([3.5, 1.0, 3.5], np.array([3.5, 1.0, 3.5])):
        table = read({"n": values, "class": list("pqp")}, schema={"n": "nominal"})
        assert table.columns[0].levels == (3.5, 1.0)
    table = read(np.array([[3, 0], [1, 1], [3, 0]]), schema={"x1": "nominal"})
    assert table.columns[0].levels == (3, 1)
    table = read(np.array([[3, 0], [1, 1], [5, 0]]), schema={"x1": "ordered"})
    assert table.columns[0].levels == (1, 3, 5)


def test_a_field_is_a_wish_too():
    table = read(MELONS, schema={"色泽": Field("色泽", "nominal", ("乌黑", "浅白", "青绿"))})
    assert table.column("色泽").codes.tolist() == [2, 0, 2, 1]


def test_a_regression_or_classes_on_demand():
    rows = {"a": list("uvuv"), "y": ["1", "2", "3", "1"]}
    assert read(rows, "y", {"y": "numeric"}).is_regression
    assert read(rows, "y", {"y": ["3", "2", "1"]}).target.levels == ("3", "2", "1")
    many = {"a": ["u"] * 30, "y": [str(n) for n in range(30)]}
    assert read(many, "y").is_regression
    assert len(read(many, "y", {"y": "nominal"}).target.levels) == 30


def test_declared_levels_may_be_missing_markers_or_of_another_type():
    rows = {"a": ["NA", "EU", "?", "EU"], "b": ["0", "1", "1", "0"], "class": list("pqpq")}
    table = read(rows, schema={"a": ["NA", "EU"], "b": [1, 0]})
    assert table.column("a").codes.tolist() == [0, 1, -1, 1]
    assert table.column("b").levels == (1, 0)
    assert table.column("b").codes.tolist() == [1, 0, 0, 1]
    truths = read(
        {"t": ["True", "False", " True"], "class": list("pqp")}, schema={"t": [True, False]}
    )
    assert truths.column("t").codes.tolist() == [0, 1, 0]


def test_a_foreign_value_is_refused_with_its_near_miss():
    with pytest.raises(DataError) as caught:
        read(MELONS, schema={"色泽": ["青绿", "乌黑色", "浅白"]}, name="melons.csv")
    assert str(caught.value) == (
        "melons.csv, row 2: '乌黑' is not a category of '色泽'. Categories: 青绿, 乌黑色, 浅白.\n"
        "Did you mean '乌黑色'?"
    )
    with pytest.raises(DataError) as caught:
        read(MELONS, schema={"size": {"ordered": ["x", "y"]}})
    assert caught.value.key == "unknown_category"


@pytest.mark.parametrize(
    ("schema", "key"),
    [
        ({"色择": "nominal"}, "unknown_column_near"),
        ({"xyz": "nominal"}, "unknown_column"),
        ({"色泽": "categorial"}, "unknown_kind_near"),
        ({"色泽": "qqq"}, "unknown_kind"),
        ({"色泽": 3}, "bad_schema"),
        ({"色泽": {"sorted": ["a"]}}, "bad_schema"),
        ({"色泽": {"ordered": "abc"}}, "bad_schema"),
        ({"色泽": []}, "bad_levels"),
        ({"色泽": ["a", "b", "a"]}, "bad_levels"),
        (["色泽"], "schema_shape"),
    ],
)
def test_mistakes_in_a_schema(schema, key):
    with pytest.raises(ChoiceError) as caught:
        read(MELONS, schema=schema)
    assert caught.value.key == key


# ---------------------------------------------------------------- the fields of a tree


@pytest.fixture
def known():
    return read(MELONS, keep=["编号"])


def test_columns_come_as_the_tree_has_them(known):
    data = (
        "extra,好瓜,size,色泽,密度,编号\nx,否,XL,墨绿,７０,9\ny,是,S,乌黑,,NA\nz,坏,?,浅白,0.5,3\n"
    )
    table = read(data.encode(), known.target.field, known.schema)
    assert table.schema[0].name == "编号"
    assert table.names == known.names
    colour = table.column("色泽")
    assert colour.levels == ("青绿", "乌黑", "浅白", "墨绿")
    assert colour.codes.tolist() == [3, 1, 2]
    assert table.column("密度").is_numeric
    size = table.column("size")
    assert size.levels == ("S", "L", "M", "XL")
    assert size.codes.tolist() == [3, 0, -1]
    assert table.target.levels == ("是", "否", "坏")
    assert table.target.codes.tolist() == [1, 0, 2]


def test_lenient_numbers(known):
    fields = [field for field in known.schema if field.name == "密度"]
    table = read("密度;x\n１,200;\n0.5;\nNA;\n".encode(), None, fields)
    assert table.columns[0].values() == [1200, 0.5, None]
    with pytest.raises(DataError, match="row 2: '密度' must be a number, found 'soft'"):
        read("密度\n0.5\nsoft\n".encode(), None, fields)


def test_a_target_may_be_absent_empty_or_unwanted(known):
    fields, aim = known.schema, known.target.field
    without = b"".join(line.rpartition(b",")[0] + b"\n" for line in MELONS.splitlines())
    assert read(without, aim, fields).target is None
    assert read(MELONS, None, fields).target is None
    assert read(MELONS, False, fields).target is None
    empty = b"".join(line.rpartition(b",")[0] + b",\n" for line in MELONS.splitlines()[1:])
    table = read(MELONS.splitlines()[0] + b"\n" + empty, aim, fields)
    assert table.target is None
    assert table.n_rows == 4
    assert read(MELONS, "好瓜", fields).target.levels == ("是", "否")
    with pytest.raises(ChoiceError, match="there is no column 'xx' in the table"):
        read(MELONS, "xx", fields)


def test_rows_without_a_class_are_dropped(known):
    data = MELONS.replace("S,否".encode(), b"S,?")
    table = read(data, known.target.field, known.schema)
    assert table.row_numbers.tolist() == [1, 2, 3]
    assert [note.key for note in table.notes] == ["note_target_missing"]


def test_a_column_that_is_not_there(known):
    with pytest.raises(ChoiceError, match="there is no column '色泽' in the table") as caught:
        read(MELONS.replace("色泽".encode(), "色择".encode()), None, known.schema)
    assert "Did you mean '色择'?" in str(caught.value)


def test_values_of_any_type_meet_the_levels_of_another():
    fields = (Field("n", "nominal", (0, 1)), Field("t", "nominal", ("True", "False")))
    rows = [
        {"n": "1", "t": True},
        {"n": 1.0, "t": False},
        {"n": 0, "t": None},
        {"n": "2", "t": "?"},
    ]
    table = read(rows, None, fields)
    assert table.column("n").codes.tolist() == [1, 1, 0, 2]
    assert table.column("t").codes.tolist() == [0, 1, -1, -1]
    assert table.column("n").levels == (0, 1, "2")


def test_parts_of_dates_are_made_again():
    data = b"day,class\n2024-03-01,p\n2024-04-02,q\n2024-05-01,p\n"
    known = read(data, dates="month")
    table = read(b"day\n2023-12-05\n", None, known.schema)
    assert table.names == ("day.month",)
    assert table.columns[0].values() == [12.0]
    with pytest.raises(ChoiceError, match=r"there is no column 'day\.month' in the table"):
        read(b"day\nsoon\n", None, known.schema)


def test_an_unseen_word_for_missing_is_missing_but_a_known_one_is_a_level():
    fields = (Field("a", "nominal", ("none", "NA", "half")),)
    table = read(b"a\nNA\nnull\nnone\n  half \n", None, fields)
    assert table.columns[0].codes.tolist() == [1, -1, 0, 2]


def test_a_table_can_be_read_for_a_tree(known):
    weighted = read(MELONS, weight="编号").take([3, 1])
    table = read(
        weighted, known.target.field, [known.column("色泽").field, known.column("密度").field]
    )
    assert table.names == ("色泽", "密度")
    assert table.row_numbers.tolist() == [4, 2]
    assert table.weights.tolist() == [4.0, 2.0]
    assert table.column("密度").values() == [0.608, 0.774]
    assert read(weighted) is weighted


def test_weights_for_a_tree(known):
    table = read(MELONS, None, known.schema[1:], weight="编号")
    assert np.array_equal(table.weights, [1, 2, 3, 4])


def test_dates_of_which_none_is_known_are_left_out():
    table = read({"d": ["?", "", "NA"], "x": [1, 2, 3], "y": ["p", "q", "p"]}, "y", {"d": "date"})
    assert table.names == ("x",)
    assert table.left_out == (("d", "empty"),)


def test_a_marker_is_gone_however_the_number_is_written():
    rows = [{"a": a, "y": "pq"[i % 2]} for i, a in enumerate([True, -1.0, -1, 1, "u", 1.0])]
    assert read(rows, "y", missing=[-1]).columns[0].levels == (True, 1, "u", 1.0)
    assert [*map(type, read(rows, "y", missing=[1]).columns[0].levels)] == [bool, float, int, str]


@pytest.mark.parametrize(("word", "kind"), [("categorical", "nominal"), ("ordinal", "ordered")])
def test_types_have_the_names_that_check_prints_and_the_early_ones(word, kind):
    for spec in (word, kind, {word: ["a", "b"]}, {kind: ["a", "b"]}):
        table = read([{"x": "a", "y": 1}, {"x": "b", "y": 0}], "y", schema={"x": spec})
        assert table.columns[0].kind == kind
