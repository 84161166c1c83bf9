"""What is said of a file that is no table, no model, or the wrong sheet."""

from __future__ import annotations

from pathlib import Path

import pytest

import penjing
from penjing.data.read import stream
from penjing.errors import DataError
from workbook import write_workbook

ROWS = [["a", "n", "y"], *([f"{'pq'[i % 2]}", f"{i}.5", "yn"[i > 11]] for i in range(24))]


def written(name, rows, separator=","):
    Path(name).write_text("".join(separator.join(row) + "\n" for row in rows), "utf-8")
    return name


@pytest.fixture
def model(run):
    assert run("fit", written("x.csv", ROWS), "-o", "m.tree").code == 0
    return "m.tree"


COVERS = {
    "empty": [],
    "one cell": [["Report"]],
    "a title and lines": [["Report"], ["by the office"], ["of 2024"]],
}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("cover", COVERS)
def test_a_cover_sheet_is_refused_and_the_other_sheets_are_named(run, model, cover, lang):
    cells = [*ROWS[:1], *([a, float(n), y] for a, n, y in ROWS[1:])]
    book = write_workbook("x.xlsx", {"cover": COVERS[cover], "data": cells, "more": [["z"]]})
    lines = [["fit", book], ["check", book], ["test", model, book], ["predict", model, book]]
    for line in lines:
        done = run(*line, "--lang", lang)
        assert done.code == 1, (line, done.out)
        for word in ("cover", "data", "more", "--sheet"):
            assert word in done.err, (line, done.err)
        assert run(*line, "--sheet", "data", "--lang", lang).code == 0
    with pytest.raises(DataError, match="sheet='NAME'"):
        penjing.read(book)
    with pytest.raises(DataError, match="data"):
        penjing.load(model).predict(book)


def test_a_sheet_that_is_the_only_one_or_was_named_is_said_to_have_no_rows(run, model):
    book = write_workbook("x.xlsx", {"only": [["a", "n", "y"]]})
    done = run("test", model, book)
    assert done.code == 1
    assert "header but no rows" in done.err
    assert "--sheet" not in done.err
    assert "tree" not in done.err


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_model_is_not_a_table_and_a_table_is_not_a_model(run, model, lang):
    words = {"en": ("is a model", "is a table"), "zh": ("是模型", "是数据表")}[lang]
    lines = [["fit", model], ["check", model], ["bootstrap", model], ["cross-validate", model]]
    lines += [["predict", model, model], ["test", model, model], ["drift", model, model]]
    lines += [["fit", model, "--engine", "disk"]]
    for line in lines:
        done = run(*line, "--lang", lang)
        assert done.code == 1, line
        assert words[0] in done.err, (line, done.err)
    penjing.load(model).save("m.tree.gz")
    for line in (["show", "x.csv"], ["predict", "x.csv", model], ["test", "x.csv", "x.csv"]):
        done = run(*line, "--lang", lang)
        assert done.code == 1, line
        assert words[1] in done.err, (line, done.err)
    with pytest.raises(DataError, match="is a model"):
        penjing.read(model)
    with pytest.raises(DataError, match="is a table"):
        penjing.load("x.csv")


def test_a_row_with_semicolons_or_a_comma_in_a_value(run, model):
    done = run("explain", model, "--row", "n=3.5; a=p")
    assert done.code == 1
    assert "with commas" in done.err
    assert "--missing-marker" not in done.err
    done = run("explain", model, "--row", "n=1,200.5, a=p")
    assert done.code == 1
    assert "'200.5'" in done.err
    assert "JSON" in done.err
    assert run("explain", model, "--row", '{"n": "1,200.5", "a": "p"}').code == 0
    assert "is not a row" in run("explain", model, "--row", "3.5").err


@pytest.mark.parametrize("row", [0, 1, 2, 5])
def test_an_open_quote_is_found_in_its_row(run, row, monkeypatch):
    lines = ["a,n", *(f"p,{i}" for i in range(1, 9))]
    lines[row] = '"' + lines[row]
    Path("q.csv").write_text("\n".join(lines) + "\n", "utf-8")
    where = "header:" if row == 0 else f"row {row}:"
    assert f"q.csv, {where} a quotation mark" in run("check", "q.csv").err
    if row:
        assert f"第 {row} 行：" in run("check", "q.csv", "--lang", "zh").err
    monkeypatch.setattr(stream, "WHOLE_BYTES", 4)
    monkeypatch.setattr(stream, "PIECE_CHARACTERS", 9)
    with pytest.raises(DataError, match=where):
        list(stream.read_batches(stream.TableSource("q.csv")))


def test_a_file_that_shares_no_column_with_the_model_is_split_at_its_own_separator(run):
    assert run("fit", written("x.csv", ROWS, ";"), "-o", "m.tree").code == 0
    done = run("predict", "m.tree", "example:golf")
    assert done.code == 1
    assert "outlook, temperature, humidity" in done.err


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_column_without_a_name_has_the_same_name_in_every_language(run, lang):
    rows = [["", "n", "y"], *(["uv"[y == "y"], a, y] for a, n, y in ROWS[1:])]
    done = run("fit", written("x.csv", rows), "-o", "m.tree", "--lang", lang)
    assert done.code == 0
    assert "#1" in done.err
    assert "#1 = u" in done.out
    other = {"en": "zh", "zh": "en"}[lang]
    assert run("test", "m.tree", "x.csv", "--lang", other).code == 0
    text = Path("m.tree").read_text("utf-8").replace('"#1"', '"column 1"')
    Path("m.tree").write_text(text, "utf-8")  # as penjing 0.1 named it
    assert run("test", "m.tree", "x.csv").code == 0
