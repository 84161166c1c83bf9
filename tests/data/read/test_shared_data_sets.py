"""All data sets of the shared folder: as declared, and how often plain inference agrees."""

from __future__ import annotations

import json

import pytest

from penjing.data.read import read
from shared import SHARED, shared

INDEX = SHARED / "data" / "index.json"
SETS = json.loads(INDEX.read_text("utf-8")) if INDEX.exists() else {}

DIGITS = 51
"""Columns in which digits are names, or names of rows repeat: no CSV can tell."""


def wishes(facts):
    said = {}
    for attribute in facts["attributes"]:
        kind = attribute["type"]
        if kind == "nominal":
            said[attribute["name"]] = attribute["values"]
        else:
            said[attribute["name"]] = "numeric" if kind == "numeric" else "ignore"
    return said


@pytest.mark.parametrize("name", SETS)
def test_a_set_is_read_as_declared(name):
    facts = SETS[name]
    table = read(shared(f"data/{facts['file']}"), facts["target"], wishes(facts))
    kinds = {a["name"]: a["type"] for a in facts["attributes"]}
    for column in (*table.columns, table.target):
        assert column.kind == kinds[column.name]
    ignored = {name for name, kind in kinds.items() if kind in ("identifier", "string")}
    assert {name for name, _ in table.left_out} == ignored
    missing_classes = sum(
        note.values["n"] for note in table.notes if note.key == "note_target_missing"
    )
    assert table.n_rows + missing_classes == facts["rows"]
    for attribute in facts["attributes"]:
        if attribute["type"] == "nominal":
            column = table.column(attribute["name"])
            assert list(column.levels) == attribute["values"]
            seen = {column.levels[code] for code in set(column.codes.tolist()) - {-1}}
            unused = set(attribute.get("unused", []))
            if not missing_classes:
                assert seen == set(attribute["values"]) - unused
    if "missing_cells" in facts and not missing_classes and not ignored:
        gaps = sum(int((c.codes < 0).sum()) for c in (*table.columns, table.target))
        assert gaps == facts["missing_cells"]


def test_how_often_inference_agrees(record_property):
    shared("data/index.json")
    agree = total = 0
    for facts in SETS.values():
        table = read(shared(f"data/{facts['file']}"), facts["target"])
        kinds = {column.name: column.kind for column in (*table.columns, table.target)}
        for attribute in facts["attributes"]:
            if attribute["type"] != "string":
                wanted = {"identifier": None}.get(attribute["type"], attribute["type"])
                agree += kinds.get(attribute["name"]) == wanted
                total += 1
    record_property("agreement", f"{agree}/{total}")
    assert total - agree == DIGITS


@pytest.mark.parametrize("name", [name for name, facts in SETS.items() if "arff" in facts])
def test_an_arff_file_says_what_the_index_says(name):
    facts = SETS[name]
    table = read(shared(f"data/{facts['arff']}"))
    assert table.target.name == facts["target"]
    assert table.n_rows == facts["rows"]
    as_csv = read(shared(f"data/{facts['file']}"), facts["target"], wishes(facts))
    for attribute in facts["attributes"]:
        if attribute["type"] in ("nominal", "numeric"):
            column = table.column(attribute["name"])
            assert column.kind == attribute["type"]
            assert column.values() == as_csv.column(attribute["name"]).values()


@pytest.mark.parametrize("name", [name for name, facts in SETS.items() if "c45" in facts])
def test_a_names_file_is_read(name):
    facts = SETS[name]
    table = read(shared(f"data/{facts['c45']}"))
    (target,) = [a for a in facts["attributes"] if a["name"] == facts["target"]]
    assert set(table.target.levels) == {value.replace("_", " ") for value in target["values"]}
    assert len(table.columns) + len(table.left_out) == len(facts["attributes"]) - 1


@pytest.mark.parametrize("name", SETS)
def test_the_target_is_found_where_it_can_be(name):
    facts = SETS[name]
    if facts["task"] != "regression":
        assert read(shared(f"data/{facts['file']}")).target.name == facts["target"]
