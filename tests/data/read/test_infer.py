"""What columns are taken for, and what is said about it."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penjing.data.read import read
from penjing.data.read.ids import is_id_name
from penjing.data.read.numbers import parse_number, parse_numbers
from penjing.errors import ChoiceError, DataError
from penjing.i18n import say


def table_of(cells, title="x", others=None, **options):
    classes = [("p", "q")[row % 2] for row in range(len(cells))]
    return read({title: cells, **(others or {}), "class": classes}, "class", **options)


def keys(table):
    return [note.key for note in table.notes]


def only_note(table, key):
    (found,) = [note for note in table.notes if note.key == key]
    for lang in ("en", "zh"):
        assert say(found.key, lang, **found.values)
    return found.values


# ---------------------------------------------------------------- ids


@pytest.mark.parametrize(
    "name",
    ["id", "ID", "编号", "序号", "学号", "index", "Index", "uuid", "RID", "no", "No.", "number",
     "customer_id", "PassengerId", "学生编号", "row_id", " id ", "Sample ID", "NO："[:2]],
)  # fmt: skip
def test_names_of_ids(name):
    assert is_id_name(name)


@pytest.mark.parametrize(
    "name",
    ["age", "width", "paid", "idea", "humid", "acid", "north", "note", "密度", "David", "性别"],
)
def test_other_names(name):
    assert not is_id_name(name)


@pytest.mark.parametrize("name", ["编号", "RID", "No."])
def test_a_column_named_like_an_id_is_left_out(name):
    table = table_of(["7", "3", "5", "1"], name, {"b": ["u", "v", "u", "u"]})
    assert table.left_out == ((name, "id"),)
    assert only_note(table, "note_left_out_id_name")["column"] == name
    assert table_of(["7", "3", "7", "1"], name).names == (name,)  # it repeats


def test_what_is_to_be_kept_is_kept():
    table = table_of(["7", "3", "5", "1"], "编号", {"b": list("uvuu")}, keep=["编号"])
    assert table.names == ("编号", "b")
    assert table.left_out == ()
    assert table_of(["7", "3", "5", "1"], "编号", keep="编号").names == ("编号",)
    with pytest.raises(ChoiceError, match="Did you mean '编号'"):
        table_of(["7", "3"], "编号", keep=["编好"])


def test_a_column_that_counts_is_left_out():
    counting = [str(n) for n in range(1, 8)]
    table = table_of(counting, others={"b": list("uvuuvuv")})
    assert table.left_out == (("x", "id"),)
    assert "note_left_out_id_count" in keys(table)
    late = [str(n) for n in range(1990, 1997)]
    assert table_of(late, others={"b": list("uvuuvuv")}).names == ("x", "b")
    long = [str(n) for n in range(501, 531)]
    assert table_of(long, others={"b": list("uv") * 15}).left_out == (("x", "id"),)


def test_a_toy_is_not_ruined():
    assert table_of(["1", "2", "3"]).names == ("x",)
    assert table_of(["tom", "ann", "joe"], "name").names == ("name",)
    rows = [
        [x, y]
        for x, y in zip(
            range(1, 11), [5.56, 5.7, 5.91, 6.4, 6.8, 7.05, 8.9, 8.7, 9, 9.05], strict=True
        )
    ]
    table = read(rows, "y", names=["x", "y"])  # the only column counts, and can be cut
    assert table.names == ("x",)
    assert table.left_out == ()
    assert table.is_regression
    assert "note_left_out_id_count" not in keys(table)


def test_a_text_with_a_value_per_row_is_left_out():
    names = [f"name {n}" for n in range(12)]
    table = table_of(names, others={"b": list("uv") * 6})
    assert table.left_out == (("x", "id"),)
    assert only_note(table, "note_left_out_id_text")["n"] == 12
    nine = [f"name {n}" for n in range(9)]
    assert table_of(nine, others={"b": list("uvuvuvuvu")}).names == ("x", "b")


def test_real_numbers_are_never_an_id():
    cells = [f"{n / 7:.4f}" for n in range(1, 30)]
    assert table_of(cells, "id").names == ("id",)
    assert table_of([float(n) for n in range(1, 30)], "x").names == ("x",)


def test_the_target_is_never_an_id():
    table = read({"a": list("uvw"), "id": ["1", "2", "3"]}, "id")
    assert table.target.name == "id"


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12), ("-0.5", -0.5), (".5", 0.5), ("5.", 5), ("1e3", 1000), ("1E-2", 0.01),
        ("１２", 12), ("－１．５", -1.5), ("1,200", 1200), ("1,234,567.5", 1234567.5), ("85%", 85),
        ("８５％", 85), ("¥30", 30), ("￥30", 30), ("$1,200.50", 1200.5), ("-$5", -5), ("€ 9", 9),
        ("30元", 30), ("+3", 3), (" 7 ", 7), ("\u22123", -3), ("1，200", 1200), ("00202", 202),
    ],
)  # fmt: skip
def test_numbers_as_people_write_them(text, value):
    assert parse_number(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "1_000",
        "1,20",
        "0,697",
        "12 apples",
        "1.2.3",
        "--1",
        "+-1",
        "0x10",
        "1,2000",
        "%",
        "$",
        "一",
    ],
)
def test_what_is_no_number(text):
    assert parse_number(text) is None


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_every_float_comes_back_bit_for_bit(values):
    found = parse_numbers([repr(value) for value in values])
    assert found.all
    assert found.values.tolist() == values


def test_a_disguise_is_noted():
    table = table_of(["1,200", "900", "3,400", "75"])
    assert table.columns[0].values() == [1200.0, 900.0, 3400.0, 75.0]
    assert only_note(table, "note_disguised")["value"] == "1,200"
    assert keys(table_of(["1200", "900", "3400"])) == []
    wide = table_of(["１", "２", "３"])
    assert wide.columns[0].is_numeric
    assert only_note(wide, "note_disguised")["number"] == "1"


def test_a_decimal_comma():
    table = read("密度;好瓜\n0,697;是\n0,774;否\n0,6;是\n".encode())
    assert table.columns[0].values() == [0.697, 0.774, 0.6]


def test_two_units_are_no_numbers():
    assert table_of(["85%", "0.9", "12%"]).columns[0].kind == "nominal"
    assert table_of(["$5", "€6", "$7"]).columns[0].kind == "nominal"
    assert table_of(["85%", "9%", "12%"]).columns[0].kind == "numeric"


def test_blanks_around_are_dropped_and_noted():
    table = table_of([" yes", "yes", "no ", "no"])
    assert table.columns[0].levels == ("yes", "no")
    assert only_note(table, "note_trimmed")["columns"] == "x"
    rows = read(b"a, b, class\n1, u, p\n2, v, q\n3, u, p\n")
    assert rows.names == ("a", "b")
    assert only_note(rows, "note_trimmed") == {"source": "bytes", "columns": "b, class", "n": 2}
    assert table_of([" 1", "2 ", " 3 "]).columns[0].values() == [1.0, 2.0, 3.0]
    assert keys(table_of(["a", "  ", "b"])) == []  # a blank cell is just empty


def test_two_integers_are_names():
    assert table_of(["0", "1", "1", "0"]).columns[0].levels == ("0", "1")
    assert table_of([7, 3, 3, 7]).columns[0].levels == (7, 3)
    assert table_of(["0", "1", "2", "0"]).columns[0].is_numeric
    assert table_of(["0.5", "1", "1", "0.5"]).columns[0].is_numeric
    assert table_of(["0", "0", "0", "0"]).columns[0].is_numeric
    assert table_of([True, False, True]).columns[0].levels == (True, False)


def test_a_word_among_numbers_makes_names_and_a_note():
    cells = [str(n * n) for n in range(40)]
    cells[30] = "n.d."
    table = table_of(cells)
    assert table.columns[0].kind == "nominal"
    note = only_note(table, "note_odd_number")
    assert (note["row"], note["value"]) == (31, "n.d.")
    assert table_of(cells, missing=["n.d."]).columns[0].is_numeric
    assert "note_odd_number" not in keys(table_of([*cells[:5], "n.d.", *cells[5:10]]))


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        (["5%", "6", "7%"], ("5%", "6")),
        (["5", "6", "7 ‰"], ("5", "7 ‰")),
        (["$5", "6", "7 €"], ("$5", "7 €")),
        (["USD 5", "EUR 6", "USD 7"], ("USD 5", "EUR 6")),
        (["3", "1.5", "2,5"], ("1.5", "2,5")),
        (["1,234.5", "1.234,5", "7"], ("1,234.5", "1.234,5")),
        ([*(str(n * n) for n in range(40)), "3%"], ("0", "3%")),
    ],
)
def test_numbers_of_different_units_or_marks_are_categories_with_a_note(cells, shown):
    table = table_of(cells * 2)
    assert table.columns[0].kind == "nominal"
    note = only_note(table, "note_different_styles")
    assert (note["column"], note["value"], note["other"]) == ("x", *shown)
    assert "note_odd_number" not in keys(table)
    as_text = table_of(cells * 2, schema={"x": "nominal"})
    assert "note_different_styles" not in keys(as_text)


def test_labels_and_numbers_of_one_style_have_no_note_of_different_styles():
    for cells in (["(1)", "(2)"], ["$5", "6"], ["5%", "6%"], ["1,5", "7"], ["5%", "6", "soft"]):
        assert "note_different_styles" not in keys(table_of(cells * 2))


def test_a_word_in_a_column_said_to_be_numeric_is_refused():
    cells = [str(n) for n in range(60)]
    cells[40] = "n.d."
    with pytest.raises(DataError) as caught:
        table_of(cells, "density", schema={"density": "numeric"}, name="melons.csv")
    assert str(caught.value) == (
        "melons.csv, row 41: 'density' must be a number, found 'n.d.'.\n"
        "To treat it as missing: penjing.read(…, missing=['n.d.'])."
    )


@pytest.mark.parametrize("word", ["inf", "-Inf", "Infinity", "1e999", "∞"])
def test_infinity_is_refused_with_its_row(word):
    with pytest.raises(DataError) as caught:
        table_of(["1.5", "2.5", word, "4"], "密度")
    assert caught.value.key == "infinite_number"
    assert caught.value.values["row"] == 3
    assert caught.value.values["column"] == "密度"


def test_infinity_among_words_is_a_word():
    assert table_of(["low", "high", "inf", "low"]).columns[0].levels == ("low", "high", "inf")


def test_infinity_of_arrays_and_rows_is_refused():
    for source in (np.array([[1.0], [np.inf], [3.0]]), [[1.0], [float("inf")], [2.0]]):
        with pytest.raises(DataError, match="row 2: 'x1' is infinite"):
            read(source, False)
    with pytest.raises(DataError, match="row 1: 'x1' is infinite"):
        read([[10**400], [1], [2]], False)


# ---------------------------------------------------------------- missing values


@pytest.mark.parametrize(
    "word",
    ["", "NA", "na", "N/A", "n/a", "NaN", "nan", "?", "null", "NULL", "缺失", "#N/A", "？", " NA "],
)
def test_usual_words_for_missing(word):
    table = table_of(["a", word, "b", "a"])
    assert table.columns[0].values() == ["a", None, "b", "a"]
    table = table_of(["1.5", word, "2.5", "7"])
    assert table.columns[0].values() == [1.5, None, 2.5, 7.0]


@pytest.mark.parametrize("word", ["none", "None", "NONE", "无"])
def test_doubtful_words_are_missing_among_numbers(word):
    table = table_of(["1.5", word, "2.5", "7"])
    assert table.columns[0].values() == [1.5, None, 2.5, 7.0]
    note = only_note(table, "note_taken_as_missing")
    assert (note["value"], note["n"]) == (word, 1)


def test_none_is_a_value_among_names_and_that_is_noted():
    table = table_of(["none", "half", "full", "none"])
    assert table.columns[0].levels == ("none", "half", "full")
    assert only_note(table, "note_taken_as_value")["value"] == "none"
    assert table_of(["none", "half", "full"], missing=["none"]).columns[0].levels == (
        "half",
        "full",
    )


def test_wu_is_missing_among_names_unless_there_is_you():
    table = table_of(["无", "小学", "中学", "无"])
    assert table.columns[0].levels == ("小学", "中学")
    assert only_note(table, "note_taken_as_missing")["n"] == 2
    table = table_of(["有", "无", "有", "无"])
    assert table.columns[0].levels == ("有", "无")
    assert only_note(table, "note_taken_as_value")["value"] == "无"
    listed = table_of(["无", "小学", "中学"], schema={"x": ["无", "小学", "中学"]})
    assert listed.columns[0].levels == ("无", "小学", "中学")


def test_words_can_be_added_or_named_exactly():
    cells = ["-", "NA", "?", "b", "a"]
    assert table_of(cells).columns[0].levels == ("-", "b", "a")
    assert table_of(cells, missing=["-"]).columns[0].levels == ("b", "a")
    assert table_of(cells, missing="-").columns[0].levels == ("b", "a")
    assert table_of(cells, missing={"only": ["-"]}).columns[0].levels == ("NA", "?", "b", "a")
    assert table_of(cells, missing={"only": []}).columns[0].levels == ("-", "NA", "?", "b", "a")
    for wrong in ({"just": ["-"]}, 3j):
        with pytest.raises(ChoiceError, match="missing must be a list of words"):
            table_of(cells, missing=wrong)


def test_a_number_can_stand_for_missing():
    assert table_of([-999, 3, 5, 7], missing=[-999]).columns[0].values() == [None, 3.0, 5.0, 7.0]
    assert table_of(["-999", "3", "5", "8"], missing=[-999]).columns[0].values()[:2] == [None, 3.0]
    array = np.array([[-999.0], [3.5], [4.5]])
    assert read(array, False, missing=[-999]).columns[0].values() == [None, 3.5, 4.5]


def test_an_empty_column_is_left_out():
    table = table_of(["", "NA", "", ""], others={"b": list("uvuv")})
    assert table.left_out == (("x", "empty"),)
    assert only_note(table, "note_left_out_empty")["column"] == "x"


# ---------------------------------------------------------------- dates


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-03-01", "2024-03-02", "2023-12-31"],
        ["2024/3/1", "2024/3/2", "2023/12/31"],
        ["2024年3月1日", "2024年3月2日", "2023年12月31日"],
        ["2024-03-01 08:30", "2024-03-02T09:00:15", "2023-12-31 23:59:59.5"],
        ["2024.3.1", "2024.3.2", "2023.12.31"],
        ["3/1/2024", "3/2/2024", "12/31/2023"],
        ["1/3/2024", "2/3/2024", "31/12/2023"],
        [dt.date(2024, 3, 1), dt.date(2024, 3, 2), dt.date(2023, 12, 31)],
    ],
)
def test_dates_are_left_out_with_a_hint_or_taken_apart(cells):
    table = table_of(cells, "day", {"b": list("uvu")})
    assert table.left_out == (("day", "date"),)
    assert only_note(table, "note_left_out_date")["column"] == "day"
    table = table_of(cells, "day", dates="year, month,day,weekday")
    assert table.names == ("day.year", "day.month", "day.day", "day.weekday")
    rows = [[row[name] for name in table.names] for row in table.rows()]
    assert rows == [[2024, 3, 1, 5], [2024, 3, 2, 6], [2023, 12, 31, 7]]
    assert only_note(table, "note_dates_made")["made"] == ", ".join(table.names)


def test_hours_and_days_since():
    table = table_of(["1970-01-02 12:00", "1970-01-01 06:00", ""], "t", dates=["hour", "number"])
    assert table.column("t.hour").values() == [12.0, 6.0, None]
    assert table.column("t.number").values() == [1.5, 0.25, None]


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-02-30", "2024-01-01"], ["2024-13-01"] * 2, ["2024", "2025", "2026"],
        ["2024-03-01 10:30.5", "2024-03-01 10:31.5"], ["2024-03-01 10:3015"] * 2,
    ],
)  # fmt: skip
def test_what_is_no_date(cells):
    assert table_of(cells, "x", {"b": list("uvu")[: len(cells)]}).left_out == ()


def test_a_date_can_be_kept_or_demanded():
    cells = ["2024-03-01", "2024-03-02", "2024-03-01"]
    assert table_of(cells, keep=["x"]).columns[0].levels == ("2024-03-01", "2024-03-02")
    assert table_of(cells, schema={"x": "nominal"}).columns[0].kind == "nominal"
    with pytest.raises(DataError, match="row 2: 'x' must be a date"):
        table_of(["2024-03-01", "soon"], schema={"x": "date"})
    with pytest.raises(
        ChoiceError, match=r"dates must be one of .*got 'mont'. Did you mean 'month'"
    ):
        table_of(cells, dates="mont")


# ---------------------------------------------------------------- levels


@pytest.mark.parametrize(
    ("n_levels", "n_rows", "warns"),
    [(51, 1000, True), (50, 1000, False), (11, 54, True), (11, 55, False), (10, 20, False)],
)
def test_many_levels_are_kept_with_a_warning(n_levels, n_rows, warns):
    cells = [f"w{n % n_levels}" for n in range(n_rows)]
    table = table_of(cells)
    assert len(table.columns[0].levels) == n_levels
    assert ("note_many_levels" in keys(table)) == warns


def million(first):
    lines = "\n".join(f"w{row},{'pq'[row % 2]},{'uv'[row % 3 == 0]}" for row in range(1, 10**6))
    return f"name,b,class\n{first},p,u\n{lines}\n".encode()


def test_a_million_levels_are_one_sentence():
    table = read(million("w0"), "class")
    assert table.left_out == (("name", "id"),)
    assert keys(table) == ["note_left_out_id_text"]
    assert only_note(table, "note_left_out_id_text")["n"] == 10**6


@pytest.mark.slow
def test_a_million_levels_but_one_are_one_sentence():
    table = read(million("w1"), "class")
    assert keys(table) == ["note_many_levels"]
    with pytest.raises(DataError, match="'name' has 999,999 classes"):
        read(million("w1"), "name")


def test_levels_and_classes_come_as_they_first_appear():
    table = read({"a": list("zazb"), "class": ["no", "yes", "no", "maybe"]})
    assert table.columns[0].levels == ("z", "a", "b")
    assert table.target.levels == ("no", "yes", "maybe")


# ---------------------------------------------------------------- target and weight


@pytest.mark.parametrize("name", ["class", "Class", "LABEL", "target", "类别", "标签"])
def test_the_target_is_found_by_its_name(name):
    table = read({name: list("pq"), "b": list("uv")})
    assert table.target.name == name
    assert only_note(table, "note_target_named")["column"] == name


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("name", ["class", "Target", "标签"])
def test_a_target_taken_for_its_name_is_noted_wherever_it_stands(name, place):
    columns = [("a", list("uvuv")), ("survived", list("pqqp"))]
    columns.insert(place, (name, list("xyxy")))
    noted = read(dict(columns))
    assert noted.target.name == name
    assert keys(noted) == ["note_target_named"]
    for told in ({"target": name}, {"target": "survived"}, {"schema": {"survived": "target"}}):
        assert keys(read(dict(columns), **told)) == []


def test_the_target_is_the_last_column_if_it_has_few_values():
    table = read({"a": list("uvu"), "b": list("pqp")})
    assert table.target.name == "b"
    assert only_note(table, "note_target_last")["column"] == "b"
    twenty = [f"c{n}" for n in range(20)] * 2
    assert read({"a": twenty, "b": twenty}).target.name == "b"
    many = [f"c{n}" for n in range(21)] * 2
    with pytest.raises(ChoiceError) as caught:
        read({"a": many, "b": many}, name="x.csv")
    assert caught.value.key == "no_target"
    assert "Columns: a, b." in str(caught.value)


def test_whole_numbers_of_many_kinds_are_a_number_and_that_is_said():
    rows = {"a": list(range(21)) * 2, "y": list(range(21)) * 2}
    table = read(rows, "y")
    assert table.target.is_numeric
    note = only_note(table, "note_target_is_number")
    assert (note["column"], note["n"], note["most"]) == ("y", 21, 20)
    assert "schema={'y': 'categorical'}" in say("note_target_is_number", "en", **note)
    named = read(rows, "y", schema={"y": "nominal"})
    assert named.target.levels == tuple(range(21))
    assert not [n for n in named.notes if n.key == "note_target_is_number"]
    labelled = read([[k] for k in range(21)], labels=list(range(21)))
    assert only_note(labelled, "note_target_is_number")["n"] == 21
    assert not read({"a": [1, 2] * 30, "y": [k + 0.5 for k in range(60)]}, "y").notes


def test_the_schema_can_name_target_and_weight():
    table = read(
        {"a": list("pqp"), "w": [1, 2, 3], "b": list("uvu")}, schema={"a": "target", "w": "weight"}
    )
    assert table.target.name == "a"
    assert table.weights.tolist() == [1, 2, 3]
    assert table.names == ("b",)
    assert read({"a": list("pq"), "b": list("uv")}, schema={"b": "ignore"}).target.name == "a"


def test_an_unknown_target_proposes_the_near_miss():
    with pytest.raises(ChoiceError, match="there is no column '好挂' in the table") as caught:
        read({"色泽": list("ab"), "好瓜": list("pq")}, "好挂")
    assert "Did you mean '好瓜'?" in str(caught.value)


def test_no_target_at_all():
    table = read({"a": list("uv"), "b": list("pq")}, False)
    assert table.target is None
    assert table.names == ("a", "b")


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([str(n) for n in range(20)] * 2, "nominal"),
        ([str(n) for n in range(21)] * 2, "numeric"),
        (["0.5", "1.5", "0.5"], "numeric"),
        (["1", "2", "3"], "nominal"),
        ([3, 1, 2], "nominal"),
        ([0.5, 2.0, 0.5], "numeric"),
        ([1.0, 2.0, None], "nominal"),
    ],
)
def test_a_target_is_classes_or_a_number(cells, kind):
    assert read({"a": ["u"] * len(cells), "y": cells}, "y").target.kind == kind


def test_classes_are_plain_values():
    assert read({"a": list("uvu"), "y": [2, 0, 2]}, "y").target.levels == (2, 0)
    assert read(np.array([[1, 2], [3, 0], [5, 2]])).target.levels == (2, 0)


def test_rows_without_a_target_are_dropped_and_numbered():
    table = read({"a": list("uvwx"), "class": ["p", None, "q", "?"]})
    assert table.n_rows == 2
    assert table.row_numbers.tolist() == [1, 3]
    assert only_note(table, "note_target_missing")["n"] == 2
    with pytest.raises(DataError, match="the target 'class' has no values"):
        read({"a": list("uv"), "class": [None, None]}, "class")


def test_weights():
    table = read({"a": list("uvw"), "w": ["2", "0", "1.5"], "class": list("pqp")}, weight="w")
    assert table.weights.tolist() == [2.0, 0.0, 1.5]
    assert table.left_out == (("w", "weight"),)
    assert only_note(table, "note_zero_weight")["n"] == 1


@pytest.mark.parametrize("wrong", ["-1", "", "inf"])
def test_wrong_weights(wrong):
    with pytest.raises(DataError, match="row 2: the weight 'w' is"):
        read({"a": list("uvw"), "w": ["2", wrong, "1.5"], "class": list("pqp")}, weight="w")


def test_weights_that_are_words_or_elsewhere():
    with pytest.raises(DataError, match="row 2: 'w' must be a number, found 'heavy'"):
        read({"w": ["2", "heavy"], "class": list("pq")}, weight="w")
    with pytest.raises(ChoiceError, match="there is no column 'v' in the table"):
        read({"w": ["2", "3"], "class": list("pq")}, weight="v")
    with pytest.raises(DataError, match="no row with a target"):
        read({"w": [0, 0], "class": list("pq")}, weight="w")


def test_there_is_no_negative_zero():
    for cells in (["-0.0", "1.5", "2.5"], [-0.0, 1.5, 2.5], np.array([-0.0, 1.5, 2.5])):
        levels = table_of(cells).columns[0].levels
        assert str(levels[0]) == "0.0"
