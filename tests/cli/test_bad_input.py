"""Bad input: one clear sentence, exit code 1, nothing written."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

import penjing
from penjing.cli import Exit

TRAIN, TEST = "Watermelon-train1.csv", "Watermelon-test1.csv"


BAD = {
    "empty.csv": (b"", "is empty", "空"),
    "header.csv": (b"a,b,class\n", "has a header but no rows", "没有数据行"),
    "ragged.csv": (b"a,b,class\nx,1,yes\ny,2\nz,3,no\n", "row 2: found 2 cells", "第 2 行"),
    "junk.csv": (bytes(range(256)) * 20, "is not a text file", "不是文本"),
    "twins.csv": (b"a,a,class\nx,1,yes\ny,2,no\n", "columns 1 and 2 are both named 'a'", "“a”"),
    "infinite.csv": (
        b"a,class\n1.5,yes\ninf,no\n2.5,no\n3.5,no\n",
        "row 2: 'a' is infinite ('inf')",
        "第 2 行",
    ),
    "gaps.csv": (b"a,class\nx,1\n,0\ny,1\n", "--recipe c4.5-textbook", "--missing fraction"),
    "nothing.csv": (b"a,class\nx,\ny,\n", "has no values", "没有任何值"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_bad_tables_are_refused_with_a_sentence(run, name, lang):
    data, english, chinese = BAD[name]
    Path(name).write_bytes(data)
    done = run("fit", name, "--recipe", "id3", "-o", "out.tree", "--lang", lang)
    assert done.code == Exit.INVALID
    assert done.out == ""
    errors = [line for line in done.err.splitlines() if line.startswith(("error: ", "错误："))]
    assert len(errors) == 1
    assert (english if lang == "en" else chinese) in done.err
    assert "Traceback" not in done.err
    assert not Path("out.tree").exists()


def test_an_unknown_target_gets_a_near_miss(run):
    done = run("fit", TRAIN, "--target", "好挂", "-o", "out.tree")
    assert done.code == Exit.INVALID
    assert done.err == (
        "error: there is no column '好挂' in the table."
        " Columns: 编号, 色泽, 根蒂, 敲声, 纹理, 好瓜.\n"
        "Did you mean '好瓜'?\n"
    )
    assert "是不是“好瓜”？" in run("fit", TRAIN, "--target", "好挂", "--lang", "zh").err
    assert not Path("out.tree").exists()


def test_folders_and_absent_files_are_refused(run):
    Path("folder").mkdir()
    assert "contains no table" in run("fit", "folder").err
    assert "Did you mean 'Watermelon-train1.csv'?" in run("fit", "Watermelon-trian1.csv").err
    done = run("fit", TRAIN, "-o", "folder")
    assert done.code == Exit.INVALID
    assert "folder" in done.err
    assert run("fit", TRAIN, "-o", "nowhere/out.tree").code == Exit.INVALID


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="whoever runs this may read everything"
)
def test_a_file_that_may_not_be_read_is_refused(run):
    Path(TRAIN).chmod(0)
    done = run("fit", TRAIN)
    assert done.code == Exit.INVALID
    assert "Permission denied" in done.err


def test_rows_without_a_target_are_dropped_and_said(run):
    Path("gaps.csv").write_text("a,class\nx,1\ny,\nz,0\nx,\n")
    done = run("fit", "gaps.csv")
    assert done.code == 0
    assert "2 rows without a value in 'class' were dropped." in done.err


def test_missing_numbers_are_missing(run):
    Path("gaps.csv").write_text("a,class\n1.5,yes\nnan,no\n2.5,no\n3.5,no\n")
    assert run("fit", "gaps.csv", "--recipe", "id3").code == Exit.INVALID
    assert run("fit", "gaps.csv", "--recipe", "c4.5-textbook").code == 0
    Path("odd.csv").write_text(
        "a,class\n" + "".join(f"{i}.5,{i % 2}\n" for i in range(30)) + "none,1\n"
    )
    schema = ("--schema", '{"a": "numeric"}', "--recipe", "c4.5-textbook")
    Path("odd.csv").write_text(Path("odd.csv").read_text().replace("none", "oops"))
    done = run("fit", "odd.csv", *schema)
    assert "To treat it as missing: --missing-marker 'oops'." in done.err
    assert run("fit", "odd.csv", *schema, "--missing-marker", "oops").code == 0


def test_a_million_levels_are_survived(run):
    lines = "".join(f"n{i},{'yes' if i % 3 else 'no'}\n" for i in range(1_000_000))
    Path("many.csv").write_text("name,class\nn0,yes\n" + lines)
    done = run("fit", "many.csv", "--no-trace", "--max-depth", "0")
    assert done.code == 0
    assert "'name' has 1,000,000 distinct values" in done.err


def test_a_schema_must_be_understood(run):
    assert (
        "is neither valid JSON nor an existing file" in run("fit", TRAIN, "--schema", "nothing").err
    )
    Path("list.json").write_text("[1]")
    assert "must be a JSON object" in run("fit", TRAIN, "--schema", "list.json").err
    Path("schema.json").write_text('{"色泽": "ignore"}', "utf-8")
    told = run("fit", TRAIN, "--schema", "schema.json", "--json").data
    assert [field["name"] for field in told["schema"]] == ["根蒂", "敲声", "纹理"]


def test_choices_that_do_not_exist_are_refused(run):
    for option, word in (("--recipe", "id4"), ("--criterion", "gin"), ("--engine", "nativ")):
        done = run("fit", TRAIN, option, word, "-o", "out.tree")
        assert done.code == Exit.INVALID
        assert "Did you mean '" in done.err
    assert "--max-depth" not in run("fit", TRAIN, "--max-depth", "3").err
    assert run("fit", TRAIN, "--max-depth", "-1").code == Exit.INVALID
    assert run("fit", TRAIN, "--encoding", "klingon").code == Exit.INVALID
    assert not Path("out.tree").exists()


def test_broken_models_are_refused(run, melon):
    text = Path(melon).read_text("utf-8")
    Path("cut.tree").write_text(text[: len(text) // 2], "utf-8")
    newer, extra = json.loads(text), json.loads(text)
    newer["format"], extra["extra"] = 99, 1
    Path("newer.tree").write_text(json.dumps(newer))
    Path("extra.tree").write_text(json.dumps(extra))
    said = {
        "cut.tree": "truncated",
        "newer.tree": "format 99",
        "extra.tree": "extra",
        "no.tree": "No such file",
    }
    for name, words in said.items():
        for args in (
            ("show", name),
            ("test", name, TEST),
            ("predict", name, TEST, "-o", "out.csv"),
        ):
            done = run(*args)
            assert done.code == Exit.INVALID
            assert words in done.err
            assert done.out == ""
    assert not Path("out.csv").exists()


@pytest.mark.parametrize(
    "about",
    [
        {"source": 3},
        {"pruning": [3]},
        {"pruning": [{"validation": "x"}]},
        {"ties": 3},
        {"ties": [{"node": 99, "columns": [0], "score": 1}]},
        {"ties": [{"node": 0, "columns": [99], "score": 1}]},
    ],
)
def test_models_that_say_nonsense_about_themselves_are_refused(run, melon, about):
    plain = json.loads(Path(melon).read_text("utf-8"))
    plain["about"] |= about
    Path("odd.tree").write_text(json.dumps(plain), "utf-8")
    done = run("show", "odd.tree")
    assert done.code == Exit.INVALID
    assert f"about.{next(iter(about))}" in done.err


def test_tables_without_a_header_can_be_named(run):
    Path("bare.csv").write_text("x,1\ny,0\nx,1\n")
    done = run("fit", "bare.csv", "--names", "a,class")
    assert done.out.startswith("a = x: 1 (2)\n")


def test_separators_weights_and_dates_are_read(run):
    Path("rows.tsv").write_text("a\tw\tday\tclass\nx\t2\t2024-03-01\t1\ny\t3\t2024-04-01\t0\n")
    how = ("--separator", "\\t", "--weight", "w", "--dates", "month", "--keep", "a")
    done = run("fit", "rows.tsv", *how, "--json")
    assert [field["name"] for field in done.data["schema"]] == ["a", "day.month"]
    assert done.data["nodes"][0]["total"] == [2, 3]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["why", "--foo"], "没有选项 --foo。"),
        (["blah"], "没有命令“blah”"),
        (["draw"], "缺少参数“模型”。"),
        (["draw", "m.tree"], "缺少选项 --output。"),
        (["why", "m.tree", "--width", "x"], "--width 的值“x”无效：应为整数。"),
        (["why", "m.tree", "root", "more"], "多余的参数：more。"),
    ],
)
def test_a_wrong_command_line_is_told_in_chinese(run, args, said):
    done = run(*args, "--lang", "zh")
    assert done.code == 2
    assert said in done.err
    assert "Error" not in done.err
    assert "用法：" in done.err
    assert "Usage" in run(*args).err


def test_a_row_of_a_table_is_given_by_its_number_or_its_id(run):
    assert run("fit", TRAIN, "-o", "new.tree").code == 0
    done = run("explain", "new.tree", "--data", TRAIN, "--row", "纹理=清晰")
    assert done.code == Exit.INVALID
    assert "--row must be the number of a row of the table, or its id as 编号=VALUE" in done.err
    assert run("explain", "new.tree", "--data", TRAIN, "--row", "编号=7").code == 0


def test_one_row_cannot_be_cross_validated(run):
    Path("one.csv").write_text("a,y\nu,n\n")
    done = run("cross-validate", "one.csv", "--target", "y", "--recipe", "id3")
    assert done.err == "error: cross-validation needs at least two rows, got 1.\n"


def test_numbers_by_name_have_an_example_of_their_own(run):
    for option, example in (("--prior", "yes=0.3,no=0.7"), ("--loss", '{"yes": {"no": 5}}')):
        done = run("fit", TRAIN, "--recipe", "rpart", option, "oops")
        assert f"error: {option} must be " in done.err
        assert f"{example}; got 'oops'." in done.err


def test_a_whole_line_is_not_proposed_as_a_column(run):
    assert run("fit", TRAIN, "-o", "new.tree").code == 0
    done = run("test", "new.tree", TEST, "--separator", "|")
    assert "there is no column" in done.err
    assert "Did you mean" not in done.err


def test_a_source_without_a_file_name_is_named_in_the_language(run, monkeypatch):
    for content, words in (
        (b"", ("check", "-")),
        (b"a,y\n1,2,3\n", ("fit", "-")),
        (b"x", ("show", "-")),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        done = run(*words, "--lang", "zh")
        assert done.code == Exit.INVALID
        assert "标准输入" in done.err
        assert "standard" not in done.err
    with pytest.raises(penjing.DataError) as raised:
        penjing.read([[1], [2, 3]])
    assert raised.value.say("zh").startswith("数据表 第 2 行")


def test_a_built_in_table_is_not_a_model(run):
    done = run("show", "example:fish")
    assert "example:fish is a table, not a model." in done.err
