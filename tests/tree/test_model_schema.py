"""docs/model.schema.json and the loader say the same of every file."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import jsonschema
import pytest

import hostile_models
import penjing
from export_trees import TREES
from penjing.errors import DataError
from penjing.tree import serialize

PAGE = Path(__file__).parents[2] / "docs" / "model.schema.json"
FIXTURES = sorted(Path(__file__).with_name("saved_models").glob("format-*.json"))
RELATED = (
    "a node before this one", "a node that asks", "the number of children", "taken once",
    "levels of the parent's column", "there for a branch", "there for an order", "a column",
    "a branch", "those of two branches", "levels of the column", "different", "at least one class",
    "a class", "on both sides", "of no negative weight", "of weights that can be added", "for ",
    "a column that offered", "plain and not nested", "of different names", "finite number",
    "a whole number from 0 to", "a list of texts or", "two groups", "one entry for each",
    "ascending", "a count for each", "a number of nodes", "one for each node",
    "a whole number from -1 to", "only values that a code has",
)  # fmt: skip
"""What only a look at several places, or at the whole, can tell."""


@cache
def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(PAGE.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    # a whole number is one that is written as one: 7.0 is none
    kinds = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_whole)
    strict = jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=kinds)
    return strict(schema)


def _is_whole(_, value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@pytest.mark.parametrize("name", TREES)
def test_what_is_saved_is_valid(name):
    validator().validate(json.loads(json.dumps(TREES[name]().to_json())))


def test_the_schema_knows_the_newest_format():
    assert json.loads(PAGE.read_text())["properties"]["format"]["maximum"] == serialize.FORMAT


def test_what_the_schema_refuses_the_loader_refuses_and_the_other_way_round():
    agreed = {"loaded": 0, "refused": 0, "related": 0}
    for seed in range(400):
        try:
            plain = json.loads(hostile_models.damaged(seed))
        except (ValueError, RecursionError):
            continue
        fits = validator().is_valid(plain)
        try:
            serialize.from_json(plain)
        except DataError as error:
            if not fits:
                agreed["refused"] += 1
                continue
            expected = str(error.values.get("expected"))
            if not any(word in expected for word in RELATED):
                pytest.fail(f"{seed}: {error}")
            agreed["related"] += 1
        else:
            assert fits, (seed, next(iter(validator().iter_errors(plain))).message[:200])
            agreed["loaded"] += 1
    assert min(agreed.values()) > 20


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_files_of_every_format_stay_readable(path):
    tree = penjing.load(path)
    told = json.loads(path.with_name(path.stem + ".answers").read_text("utf-8"))
    assert tree.predict(told["rows"]).tolist() == told["answers"]
    assert tree.draw()


def test_there_is_a_file_of_every_format():
    assert {path.stem for path in FIXTURES} >= {
        f"format-{n}" for n in range(1, serialize.FORMAT + 1)
    }


def test_what_format_2_adds_comes_back_and_goes_with_the_nodes_it_names():
    tree = penjing.load(FIXTURES[-1])
    assert tree.reading == {"missing": ["-", "n/a"], "encoding": "gb18030"}
    assert tree.sketch[0]["counts"][0] == [16, 3, 8]
    assert tree.skeleton["n_nodes"] == tree.n_nodes
    plain = tree.to_json()
    assert serialize.from_json(json.loads(json.dumps(plain))).to_json() == plain
    smaller = tree.prune("cost-complexity", cp=0.05)
    assert 1 < smaller.n_leaves < tree.n_leaves
    assert smaller.reading == tree.reading
    assert smaller.skeleton == tree.skeleton  # that of the first pruning stays
    for sketch in smaller.sketch:
        assert smaller.nodes.column[sketch["node"]] == sketch["column"]


@pytest.mark.parametrize(
    ("change", "at"),
    [
        (lambda m: m["sketch"][0].update(node=99), "sketch[0].node"),
        (lambda m: m["sketch"][0].update(column=1), "sketch[0].column"),
        (lambda m: m["sketch"][0].update(classes=[0, 7]), "sketch[0].classes"),
        (lambda m: m["sketch"][0].update(codes=[0, 1, 2, 3, 4, 9]), "sketch[0].codes"),
        (lambda m: m["sketch"][0]["counts"].pop(), "sketch[0].counts"),
        (lambda m: m["sketch"][0]["counts"][0].pop(), "sketch[0].counts"),
        (lambda m: m["sketch"][1]["bounds"].reverse(), "sketch[1].bounds"),
        (lambda m: m["sketch"][1].update(range=[1]), "sketch[1].range"),
        (lambda m: m["sketch"][0].update(runner_up="x"), "sketch[0].runner_up"),
        (lambda m: m["skeleton"].pop("nodes"), "skeleton.nodes"),
        (lambda m: m["skeleton"]["nodes"].clear(), "skeleton.nodes"),
        (lambda m: m["skeleton"]["nodes"].append(7), "skeleton.nodes[17]"),
        (lambda m: m["skeleton"]["nodes"][3].update(parent=16), "skeleton.nodes[3].parent"),
        (lambda m: m["skeleton"]["nodes"][3].update(column=60), "skeleton.nodes[3].column"),
        (lambda m: m["skeleton"]["nodes"][3].update(total=[1]), "skeleton.nodes[3].total"),
        (lambda m: m["skeleton"]["nodes"][3].update(gain=1), "skeleton.nodes[3]"),
        (lambda m: m["skeleton"].update(n_nodes=3), "skeleton.n_nodes"),
        (lambda m: m["about"].update(stops={"validation": [99]}), "about.stops.validation[0]"),
    ],
)
def test_a_damaged_sketch_or_skeleton_is_refused(change, at):
    plain = json.loads(FIXTURES[-1].read_text("utf-8"))
    change(plain)
    with pytest.raises(DataError) as refusal:
        serialize.from_json(plain)
    assert refusal.value.values["at"] == at


@pytest.mark.parametrize("key", ["reading", "sketch", "skeleton"])
def test_format_1_has_none_of_it(key):
    plain = penjing.load(FIXTURES[-1]).to_json() | {"format": 1}
    others = {k: v for k, v in plain.items() if k not in {"reading", "sketch", "skeleton"} - {key}}
    assert not validator().is_valid(others)
    with pytest.raises(DataError, match=key):
        serialize.from_json(others)


def test_how_a_table_was_read_moves_out_of_the_remarks_of_format_1():
    plain = penjing.load(FIXTURES[0]).to_json() | {"format": 1}
    plain["about"] = {**plain["about"], "reading": {"missing": ["-"]}}
    assert validator().is_valid(plain)
    tree = serialize.from_json(plain)
    assert tree.reading == {"missing": ["-"]}
    assert "reading" not in tree.about
    assert not validator().is_valid(plain | {"about": {"reading": {"missing": 3}}})
