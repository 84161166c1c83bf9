"""`penjing check`: columns, and what is odd about rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from penjing.formatting.text_table import width

TRAIN, TEST = "Watermelon-train1.csv", "Watermelon-test1.csv"


def test_check_shows_each_kind_of_column(run):
    rows = "".join(
        f"r{i},{1200 + i}%,2024-03-{i + 1:02},{'SML'[i % 3]},x{i // 18},w{i % 15},{i % 2}\n"
        for i in range(20)
    )
    Path("kinds.csv").write_text("name,share,day,size,gap,word,label\n" + rows)
    schema = '{"size": {"ordinal": ["S", "M", "L"]}}'
    done = run("check", "kinds.csv", "--schema", schema, "--ignore", "gap")
    told = [line.split() for line in done.out.splitlines()[1:]]
    assert {line[0]: line[1] for line in told if not line[0].startswith("note")} == {
        "name": "id", "share": "numeric", "day": "date", "size": "ordinal", "gap": "ignored",
        "word": "categorical", "label": "target",
    }  # fmt: skip
    assert "size    ordinal       S 7  M 7  L 6" in done.out
    assert "1200 to 1219, 20 values" in done.out
    assert "--dates month,weekday" in done.err
    assert "'share' was read as numbers: '1200%' as 1200" in done.err.replace("12.0", "1200")
    assert "'word' has 15 distinct values" in done.err


def test_check_shows_the_ends_of_a_column_so_that_they_differ(run):
    Path("ends.csv").write_text(
        "stamp,amount,share,big,y\n"
        "123456789,1234567.25,0.123456789,9007199254740990,p\n"
        "123456999,1234568.75,0.75,9007199254740992,q\n"
        "123456888,1234568,0.5,9007199254740991,q\n"
    )
    out = run("check", "ends.csv").out
    for ends in (
        "123456789 to 123456999",
        "1234567.25 to 1234568.75",
        "0.123457 to 0.75",
        "9007199254740990 to 9007199254740992",
    ):
        assert f"{ends}, 3 values" in out


def test_check_keeps_what_it_is_told_to_keep(run):
    assert "left out" in run("check", TRAIN).out
    assert "left out" not in run("check", TRAIN, "--keep", "编号").out


def test_check_tells_of_rows_that_contradict_each_other(run):
    Path("odd.csv").write_text("a,b,class\nx,p,1\nx,p,0\ny,q,1\ny,q,1\nx,p,1\n")
    done = run("check", "odd.csv")
    assert done.out.splitlines()[-4:] == [
        "note: rows 1 and 5 are identical.",
        "note: rows 3 and 4 are identical.",
        "note: rows 1, 2 and 5 are identical except for the class (1 and 0).",
        "note: no tree can predict more than 4 of these 5 rows correctly.",
    ]
    assert "只有类别标记不同（1 和 0）" in run("check", "odd.csv", "--lang", "zh").out
    keys = [note["key"] for note in run("check", "odd.csv", "--json").data["notes"]]
    assert keys[-1] == "note_ceiling"


def test_check_says_how_many_groups_it_does_not_list(run):
    Path("many.csv").write_text(
        "a,class\n" + "".join(f"{i}x,{j}\n" for i in range(6) for j in "0011")
    )
    out = run("check", "many.csv").out
    assert "note: 9 more groups of rows are identical." in out
    assert "note: 3 more groups of rows are identical except for the class." in out


def test_check_cuts_long_lists_to_the_width(run):
    Path("wide.csv").write_text(
        "a,class\n" + "".join(f"level{i % 40},{i % 2}\n" for i in range(900))
    )
    line = run("check", "wide.csv", "--width", "60").out.splitlines()[1]
    assert width(line) <= 60
    assert line.endswith("more")
    assert "..." in run("check", "wide.csv", "--ascii").out


def test_check_counts_missing_values(run):
    Path("gaps.csv").write_text("a,b,class\nx,,1\n?,2.5,0\ny,3.5,1\n")
    told = run("check", "gaps.csv", "--json").data["columns"]
    assert [column["missing"] for column in told] == [1, 1, 0]
    assert "1 missing" in run("check", "gaps.csv").out


def test_check_says_which_encoding_was_told(run):
    assert "GBK (as given)" in run("check", TRAIN, "--encoding", "gbk").out


def test_columns_of_chinese_text_align(run, melon):
    lines = run("check", TRAIN, "--lang", "zh").out.splitlines()[1:-1]
    starts = {
        width(line[: line.index(value)])
        for line, value in zip(lines[1:], ("青绿", "蜷缩", "浊响", "清晰", "是 8"), strict=True)
    }
    assert len(starts) == 1
    rows = run("why", melon, "--lang", "zh").out.splitlines()[2:6]
    assert len({width(line[: line.rindex("█") + 1].rstrip("█")) for line in rows}) == 1


@pytest.mark.parametrize(("lang", "said"), [("en", "because of its name"), ("zh", "因其名称")])
@pytest.mark.parametrize("verb", ["check", "fit"])
def test_a_target_taken_for_its_name_is_told(tmp_path, run, verb, lang, said):
    (tmp_path / "t.csv").write_text("class,a,survived\nx,1,y\ny,2,n\nx,3,y\ny,4,y\n")
    assert said in run(verb, "t.csv", "--lang", lang).err
    assert said not in run(verb, "t.csv", "--target", "class", "--lang", lang).err
