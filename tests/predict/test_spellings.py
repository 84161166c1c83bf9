"""One category in the spellings of several programs: TRUE, True and true; 1 and 1.0."""

import json
import subprocess

import duckdb
import pandas as pd
import pytest

import export_programs as programs
import penjing
from penjing.data.read.level_index import LevelIndex

WORDS = {"excel": ("TRUE", "FALSE"), "python": ("True", "False"), "sql": ("true", "false")}
WINDY = [True, False, True, True, False, False, True, False]
PLAY = ["no" if windy else "yes" for windy in WINDY]


def table_file(folder, kind, header="windy,play"):
    """Return a CSV file whose truth values are written as a program writes them."""
    true, false = WORDS[kind]
    path = folder / f"{kind}.csv"
    lines = [f"{true if windy else false},{play}" for windy, play in zip(WINDY, PLAY, strict=True)]
    path.write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    return path


def sources(folder):
    """Return the same rows in every form that users have."""
    frame = pd.DataFrame({"windy": WINDY, "play": PLAY})
    frame.to_parquet(folder / "rows.parquet")
    files = [table_file(folder, kind) for kind in WORDS]
    rows = [{"windy": windy} for windy in WINDY]
    return [*files, frame, folder / "rows.parquet", rows]


@pytest.mark.parametrize("recipe", ["id3", "c4.5", "cart-binary", "rpart", "c5.0"])
@pytest.mark.parametrize("trained", range(5))
def test_truth_values_are_the_same_in_every_source(tmp_path, trained, recipe):
    every = sources(tmp_path)
    settings = {"minsplit": 2, "minbucket": 1, "cp": 0.0} if recipe == "rpart" else {}
    tree = penjing.fit(every[trained], "play", recipe, quiet=True, **settings)
    assert tree.n_leaves == 2
    for source in every:
        assert tree.predict(source).tolist() == PLAY
    for source in every[:5]:
        assert tree.score(source).accuracy == 1.0
    assert tree.predict({"windy": True}).tolist() == ["no"]


def test_truth_values_as_a_target_are_known():
    for kind in WORDS:
        rows = [{"x": int(value), "y": WORDS[kind][not value]} for value in WINDY]
        tree = penjing.fit(rows, "y", "cart-binary", quiet=True)
        for other in WORDS:
            same = [{"x": int(value), "y": WORDS[other][not value]} for value in WINDY]
            assert tree.score(same).accuracy == 1.0
        assert tree.score([{"x": int(value), "y": value} for value in WINDY]).accuracy == 1.0


def test_whole_numbers_match_with_and_without_a_decimal(tmp_path):
    for one, other in ((("1", "2"), ("1.0", "2.0")), (("1.0", "2.0"), ("1", "2"))):
        for name, values in (("one", one), ("other", other)):
            lines = [f"{value},{'ab'[i]}" for i, value in enumerate(values)] * 4
            (tmp_path / f"{name}.csv").write_text("\n".join(["g,y", *lines, ""]), encoding="utf-8")
        tree = penjing.fit(tmp_path / "one.csv", "y", schema={"g": "categorical"}, quiet=True)
        for source in (tmp_path / "other.csv", pd.read_csv(tmp_path / "other.csv")):
            assert tree.predict(source).tolist() == ["a", "b"] * 4


def test_levels_of_a_table_are_never_merged():
    levels = LevelIndex(["TRUE", "true", "01", "1"])
    assert [levels.of(value) for value in ("TRUE", "true", "True", True)] == [0, 1, -1, -1]
    assert [levels.of(value) for value in ("01", "1", "1.0", 1.0, "01.0")] == [2, 3, 3, 3, -1]


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_exported_programs_know_the_spellings(tmp_path, language):
    tree = penjing.fit(table_file(tmp_path, "excel"), "play", "id3", quiet=True)
    values = [*WORDS["excel"], *WORDS["python"], *WORDS["sql"], True, False, "maybe", None]
    expected = [tree.predict({"windy": value}).tolist()[0] for value in values]
    rows = [{"windy": value} for value in values]
    if language == "python":
        program = {}
        exec(tree.export("python"), program)  # noqa: S102 - our own program
        assert [program["predict"](row) for row in rows] == expected
        return
    node = programs.need("node")
    (tmp_path / "run.mjs").write_text(
        f"{tree.export('javascript')}\nconsole.log(JSON.stringify({json.dumps(rows)}.map(predict)));\n",
        encoding="utf-8",
    )
    done = subprocess.run([node, tmp_path / "run.mjs"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == expected


def test_cleaning_sql_knows_the_spellings(tmp_path):
    tree = penjing.fit(table_file(tmp_path, "excel"), "play", "id3", quiet=True)
    for kind in WORDS:
        path = table_file(tmp_path, kind)
        with duckdb.connect() as link:
            for truth in ("BOOLEAN", "VARCHAR"):
                rows = f"SELECT windy::{truth} AS windy, play FROM read_csv('{path}')"  # noqa: S608
                link.execute(f"CREATE OR REPLACE TABLE rows AS {rows}")
                query = tree.export("sql", table="rows", dialect="duckdb", clean=True)
                found = [row[-1] for row in link.execute(query).fetchall()]
                assert sorted(found) == sorted(PLAY)
