"""Model files: what is saved is loaded, bit for bit; anything else is refused in one sentence."""

from __future__ import annotations

import contextlib
import copy
import errno
import json
import math
import os
import stat
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from penjing.errors import DataError
from penjing.tree import serialize
from penjing.tree.serialize import write_atomically
from strategies import grown, ordered, part_weights, tables

MELONS = Table(
    (
        nominal(
            "纹理", ["清晰", "清晰", "稍糊", "模糊", "稍糊", "清晰"], ["清晰", "稍糊", "模糊", "无"]
        ),
        numeric("密度", [0.697, 0.774, 0.634, 0.608, 0.556, 0.403]),
        ordered("大小", [0, 1, 2, 0, 1, 2], ["小", "中", "大"]),
    ),
    nominal("好瓜", ["是", "否", "否", "否", "是", "是"]),
    6,
)


@pytest.fixture
def tree():
    return penjing.fit(MELONS, trace=True)


@pytest.fixture
def plain(tree):
    return json.loads(json.dumps(tree.to_json()))


def refused(path: Path, key: str) -> None:
    """Check that a file is refused in one sentence that names it."""
    with pytest.raises(DataError) as caught:
        penjing.load(path)
    assert caught.value.key == key
    assert str(path) in str(caught.value)
    assert caught.value.say("zh") != str(caught.value)


def broken(plain: object, at: str) -> None:
    """Check that plain data is refused, and where."""
    with pytest.raises(DataError) as caught:
        serialize.from_json(plain, "melon.tree")
    assert caught.value.key in ("model_broken", "model_lacks_field")
    assert caught.value.values["at"] == at
    assert str(caught.value).startswith("melon.tree is not a valid model: ")
    assert "\n" not in str(caught.value)


# -- there and back ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["melon.tree", "瓜.tree", "melon.tree.gz", "no-suffix"])
def test_a_tree_comes_back(tree, tmp_path, name):
    tree.save(tmp_path / name)
    again = penjing.load(tmp_path / name)
    assert again == tree
    assert again.kept_trace == tree.kept_trace
    assert str(again) == str(tree)
    again.save(tmp_path / "twice")
    tree.save(tmp_path / "once")
    assert (tmp_path / "twice").read_bytes() == (tmp_path / "once").read_bytes()


@given(
    tables(missing=True) | tables(missing=True, weights=part_weights),
    st.sampled_from(["c4.5-textbook", "id3", "cart-binary"]),
    st.booleans(),
)
def test_every_tree_comes_back_bit_for_bit(tmp_path_factory, table, recipe, trace):
    tree = grown(table, recipe, missing="fraction", trace=trace)
    path = tmp_path_factory.mktemp("laws") / "tree"
    tree.save(path)
    again = penjing.load(path)
    assert again == tree
    for name in ("parent", "column", "cut", "level_start", "level_codes", "total", "gain", "score"):
        mine, theirs = getattr(tree.nodes, name), getattr(again.nodes, name)
        assert mine.tobytes() == theirs.astype(mine.dtype).tobytes(), name
    path.unlink()


@given(tables(regression=True, weights=part_weights))
def test_a_tree_of_numbers_comes_back_bit_for_bit(tmp_path_factory, table):
    tree = grown(table, "cart-binary")
    path = tmp_path_factory.mktemp("laws") / "tree.gz"
    tree.save(path)
    again = penjing.load(path)
    assert again == tree
    assert again.values.tobytes() == tree.values.tobytes()
    path.unlink()


def test_the_file_is_readable_text_with_integers_as_integers(tree, tmp_path):
    tree.save(tmp_path / "melon.tree")
    text = (tmp_path / "melon.tree").read_text("utf-8")
    assert "纹理" in text
    assert json.loads(text)["nodes"][0]["total"] == [3, 3]
    assert "3.0" not in json.dumps(json.loads(text)["nodes"][0]["total"])


def test_a_name_that_is_half_a_character_comes_back(tmp_path):
    tree = Tree.from_dict({"a": {"\ud800": "no", "b": "yes"}})
    tree.save(tmp_path / "tree")
    assert penjing.load(tmp_path / "tree") == tree


def test_a_cut_between_ordered_levels_is_saved(tmp_path):
    table = Table(MELONS.columns[2:], nominal("c", list("ppqppq")), 6)
    tree = penjing.fit(table)
    tree.save(tmp_path / "tree")
    assert penjing.load(tmp_path / "tree") == tree
    assert str(tree) == "大小 ≤ 中: p (4)\n大小 > 中: q (2)"


# -- whole or not at all ----------------------------------------------------------------------


@pytest.mark.parametrize("moment", ["write", "fsync", "chmod", "replace"])
@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()]
)
def test_an_interrupted_save_leaves_the_old_file(tree, tmp_path, monkeypatch, moment, error):
    path = tmp_path / "melon.tree"
    path.write_bytes(b"old")

    def fails(*_args: object, **_keywords: object) -> None:
        raise error

    if moment == "write":
        monkeypatch.setattr("os.fdopen", lambda handle, _: Failing(handle, error))
    elif moment == "fsync":
        monkeypatch.setattr("os.fsync", fails)
    else:
        monkeypatch.setattr(Path, moment, fails)
    with pytest.raises(DataError if isinstance(error, OSError) else KeyboardInterrupt) as caught:
        tree.save(path)
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["melon.tree"]
    if isinstance(caught.value, DataError):
        assert str(caught.value) == f"{path} cannot be written: No space left on device."


class Failing:
    """A file whose disk is full."""

    def __init__(self, handle, error):
        self._handle, self._error = handle, error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._handle)

    def write(self, data):
        os.write(self._handle, data[: len(data) // 2])
        raise self._error


def test_a_saved_file_has_the_permissions_of_any_new_file(tree, tmp_path):
    tree.save(tmp_path / "melon.tree")
    (tmp_path / "other").touch()
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("melon.tree", "other")]
    assert modes[0] == modes[1]


def test_the_longest_file_name_can_be_written(tree, tmp_path):
    path = tmp_path / ("瓜" * 85)  # 255 bytes, all that Linux allows
    tree.save(path)
    assert penjing.load(path) == tree


def test_what_cannot_be_written_is_said(tree, tmp_path):
    with pytest.raises(DataError, match="Is a directory") as caught:
        tree.save(tmp_path)
    assert caught.value.key == "output_is_folder"
    with pytest.raises(DataError, match="cannot be written: No such file"):
        tree.save(tmp_path / "nowhere" / "melon.tree")
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot be written: Not a directory"):
        tree.save(tmp_path / "file" / "melon.tree")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write and read everywhere")
def test_no_permission_is_said(tree, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(DataError, match="cannot be written: Permission denied"):
        tree.save(tmp_path / "locked" / "melon.tree")
    tree.save(tmp_path / "melon.tree")
    (tmp_path / "melon.tree").chmod(0)
    refused(tmp_path / "melon.tree", "no_permission")


def test_a_refused_permission_is_said(tree, tmp_path, monkeypatch):
    def denied(*_args: object, **_keywords: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    tree.save(tmp_path / "melon.tree")
    with monkeypatch.context() as closed:
        closed.setattr(Path, "open", denied)
        refused(tmp_path / "melon.tree", "no_permission")
    monkeypatch.setattr("tempfile.mkstemp", denied)
    with pytest.raises(DataError, match="cannot be written: Permission denied"):
        tree.save(tmp_path / "melon.tree")


# -- files that are no models -----------------------------------------------------------------


def test_a_missing_file_and_a_folder_are_said(tmp_path):
    refused(tmp_path / "nothing", "no_model_file")
    refused(tmp_path, "is_a_directory")


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_file_cut_off_anywhere_is_called_truncated(tree, tmp_path, suffix):
    whole = tmp_path / f"whole{suffix}"
    tree.save(whole)
    data = whole.read_bytes()
    path = tmp_path / "part.tree"
    for length in sorted({*range(3 if suffix else 0, 400), *range(0, len(data) - 1, 23)}):
        if suffix and length < 3:
            continue  # not yet to be seen that it is compressed
        path.write_bytes(data[:length])
        refused(path, "model_truncated")


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\xff\xfe binary junk",
        b"PK\x03\x04",
        b"hello",
        b"{'format': 1}",
        b'{"format": 1} and more',
        b'{"format": NaN}',
        b'{"format": 1, "centre": Infinity}',
        b'{"format": 1, "centre": -Infinity}',
        b'{"format": 1, "centre": 1e400}',
        b'{"format": 1, "centre": -1e400}',
        b'{"format": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b'{"format": "\\u12"}',
        b'{"a": "b}',
        b"\xff{}",
    ],
)
def test_what_is_not_json_is_not_a_model(tmp_path, data):
    path = tmp_path / "melon.tree"
    path.write_bytes(data)
    refused(path, "model_not_json")


def test_a_damaged_archive_is_no_model(tree, tmp_path):
    path = tmp_path / "melon.tree.gz"
    tree.save(path)
    data = path.read_bytes()
    for place in range(10, len(data), 7):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        with pytest.raises(DataError):
            penjing.load(path)


def test_a_file_beyond_the_limit_is_refused_unread(tree, tmp_path, monkeypatch):
    tree.save(tmp_path / "melon.tree")
    tree.save(tmp_path / "melon.tree.gz")
    packed = (tmp_path / "melon.tree.gz").stat().st_size
    monkeypatch.setattr(
        serialize, "MAX_BYTES", packed
    )  # the archive passes, what is in it does not
    refused(tmp_path / "melon.tree", "model_too_large")
    refused(tmp_path / "melon.tree.gz", "model_too_large")


def test_a_newer_format_is_said(plain, tmp_path):
    for newer in (serialize.FORMAT + 1, 10**30):
        (tmp_path / "melon.tree").write_text(json.dumps(plain | {"format": newer}))
        refused(tmp_path / "melon.tree", "model_newer")


# -- JSON that is no model --------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, [], "tree", 1, True, 1.5])
def test_a_model_is_an_object(value):
    with pytest.raises(DataError) as caught:
        serialize.from_json(value)
    assert caught.value.key == "model_not_object"


@pytest.mark.parametrize(
    "key", ["format", "penjing", "recipe", "schema", "target", "centre", "nodes", "about", "trace"]
)
def test_every_key_is_needed_and_has_its_type(plain, key):
    broken({k: v for k, v in plain.items() if k != key}, key)
    for wrong in (True, "text", 1.5, [1], None, {"a": 1}):
        if isinstance(wrong, type(plain[key])) or (key, wrong) in (
            ("centre", 1.5),
            ("trace", None),
        ):
            continue
        with pytest.raises(DataError) as caught:
            serialize.from_json(plain | {key: wrong})
        assert caught.value.key == "model_broken"


def changed(plain: dict, path: list, value: object) -> dict:
    """Return plain data with one place changed; the value `...` takes it out."""
    plain = copy.deepcopy(plain)
    spot = plain
    for step in path[:-1]:
        spot = spot[step]
    if value is ...:
        del spot[path[-1]]
    else:
        spot[path[-1]] = value
    return plain


@pytest.mark.parametrize(
    ("path", "value", "at"),
    [
        (["extra"], 1, "extra"),
        (["format"], 0, "format"),
        (["format"], -1, "format"),
        (["centre"], 10**400, "centre"),
        (["target", "extra"], 1, "target.extra"),
        (["target", "name"], 5, "target.name"),
        (["target", "name"], ..., "target.name"),
        (["target", "kind"], "text", "target.kind"),
        (["target", "kind"], [], "target.kind"),
        (["target", "levels"], [], "target.levels"),
        (["target", "levels"], ["a", "a"], "target.levels"),
        (["target", "levels"], [1, True], "target.levels"),
        (["target", "levels"], [1, 1.0], "target.levels"),
        (["target", "levels"], [None, "a"], "target.levels"),
        (["target", "levels"], [["a"], "b"], "target.levels"),
        (["target", "levels"], [math.nan, 1.0], "target.levels"),
        (["target", "levels"], "ab", "target.levels"),
        (["target", "levels"], ["a", "b", "c"], "nodes[0].total"),
        (["schema"], [1], "schema[0]"),
        (["schema", 0], "纹理", "schema[0]"),
        (["schema", 1, "name"], "纹理", "schema"),
        (["schema", 0, "colour"], 1, "schema[0].colour"),
        (["nodes"], [], "nodes"),
        (["nodes", 0], [], "nodes[0]"),
        (["nodes", 0, "parent"], 0, "nodes[0].parent"),
        (["nodes", 0, "parent"], ..., "nodes[0].parent"),
        (["nodes", 1, "parent"], -1, "nodes[1].parent"),
        (["nodes", 1, "parent"], 1, "nodes[1].parent"),
        (["nodes", 1, "parent"], 10**30, "nodes[1].parent"),
        (["nodes", 1, "parent"], 0.0, "nodes[1].parent"),
        (["nodes", 1, "parent"], False, "nodes[1].parent"),
        (["nodes", 1, "parent"], "0", "nodes[1].parent"),
        (["nodes", 1, "extra"], 0, "nodes[1].extra"),
        (["nodes", 0, "total"], [3], "nodes[0].total"),
        (["nodes", 0, "total"], [3, -3], "nodes[0].total"),
        (["nodes", 0, "total"], [3, math.nan], "nodes[0].total"),
        (["nodes", 0, "total"], [3, math.inf], "nodes[0].total"),
        (["nodes", 0, "total"], [3, 10**400], "nodes[0].total"),
        (["nodes", 0, "total"], [3, True], "nodes[0].total"),
        (["nodes", 0, "total"], [3, "3"], "nodes[0].total"),
        (["nodes", 0, "total"], {"a": 1}, "nodes[0].total"),
        (["nodes", 0, "total"], ..., "nodes[0].total"),
        (["nodes", 0, "column"], 3, "nodes[0].column"),
        (["nodes", 0, "column"], -1, "nodes[0].column"),
        (["nodes", 0, "column"], 0.0, "nodes[0].column"),
        (["nodes", 0, "column"], None, "nodes[0].column"),
        (["nodes", 0, "column"], ..., "nodes[0]"),
        (["nodes", 0, "gain"], ..., "nodes[0].gain"),
        (["nodes", 0, "score"], "1", "nodes[0].score"),
        (["nodes", 0, "levels"], [0], "nodes[0].levels"),
    ],
)
def test_one_wrong_place_is_named(plain, path, value, at):
    broken(changed(plain, path, value), at)


def test_questions_and_branches_must_fit():
    by_level = Tree.from_dict({"a": {0: "no", 1: "yes"}}).to_json()
    for value, at in (
        ([], "nodes[1].levels"),
        ([2], "nodes[1].levels"),
        ([-1], "nodes[1].levels"),
        ([0.0], "nodes[1].levels"),
        ([True], "nodes[1].levels"),
        (0, "nodes[1].levels"),
        ([1], "nodes[2].levels"),
        ([0, 0], "nodes[1].levels"),
    ):
        broken(changed(by_level, ["nodes", 1, "levels"], value), at)
    broken(changed(by_level, ["nodes", 0, "cut"], 1.0), "nodes[0].cut")
    broken(changed(by_level, ["nodes", 1, "gain"], 1.0), "nodes[1]")
    broken(by_level | {"nodes": by_level["nodes"][:1]}, "nodes[0]")
    by_cut = Tree.from_dict({"x": {"<= 1.0": "no", "> 1.0": "yes"}}).to_json()
    broken(changed(by_cut, ["nodes", 0, "cut"], ...), "nodes[0].cut")
    broken(changed(by_cut, ["nodes", 0, "cut"], math.nan), "nodes[0].cut")
    broken(changed(by_cut, ["nodes", 0, "gap"], [0.0]), "nodes[0].gap")
    broken(changed(by_cut, ["nodes", 0, "gap"], [2.0, 3.0]), "nodes[0].gap")
    broken(changed(by_cut, ["nodes", 0, "gap"], [0.0, 1.0]), "nodes[0].gap")
    broken(changed(by_cut, ["nodes", 1, "levels"], [0]), "nodes[1].levels")
    broken(by_cut | {"nodes": by_cut["nodes"][:2]}, "nodes[0]")
    broken(by_cut | {"nodes": [*by_cut["nodes"], by_cut["nodes"][2]]}, "nodes[0]")


HOLES = Table(
    (
        numeric("x", [1, 2, 3, 4, 5, 6, 7, math.nan] * 4),
        nominal("a", ["u", "u", "v", "v", "v", "v", "v", "v"] * 4),
        numeric("y", [9, 8, 2, 3, 2, 2, 1, 1] * 4),
    ),
    nominal("c", ["p", "p", "p", "q", "q", "q", "q", "q"] * 4),
    32,
)


def test_surrogates_come_back(tmp_path):
    tree = penjing.fit(HOLES, recipe="rpart")
    assert {s.cut is None for s in tree.split(0).surrogates} == {True, False}
    tree.save(tmp_path / "tree")
    again = penjing.load(tmp_path / "tree")
    assert again == tree
    assert again.predict(HOLES).tolist() == tree.predict(HOLES).tolist()
    assert "surrogates" in json.loads((tmp_path / "tree").read_text("utf-8"))["nodes"][0]


@pytest.mark.parametrize(
    ("path", "value", "at"),
    [
        (["missing"], 2, ".missing"),
        (["missing"], True, ".missing"),
        (["surrogates"], [], ".surrogates"),
        (["surrogates"], {}, ".surrogates"),
        (["surrogates", 0], 5, ".surrogates[0]"),
        (["surrogates", 0, "extra"], 5, ".surrogates[0].extra"),
        (["surrogates", 0, "column"], 3, ".surrogates[0].column"),
        (["surrogates", 0, "agreement"], "1", ".surrogates[0].agreement"),
        (["surrogates", 0, "adjusted"], ..., ".surrogates[0].adjusted"),
        (["surrogates", 0, "is_used"], 1, ".surrogates[0].is_used"),
    ],
)
def test_a_wrong_surrogate_is_named(path, value, at):
    plain = penjing.fit(HOLES, recipe="rpart").to_json()
    broken(changed(plain, ["nodes", 0, *path], value), f"nodes[0]{at}")


def test_a_surrogate_has_what_its_column_needs():
    plain = penjing.fit(HOLES, recipe="rpart").to_json()
    told = plain["nodes"][0]["surrogates"]
    by_level, by_cut = (
        next(i for i, s in enumerate(told) if (key in s)) for key in ("groups", "cut")
    )
    for k, key, value, at in (
        (by_level, "groups", [[0]], ""),
        (by_level, "groups", [[0], [2]], ".groups"),
        (by_level, "groups", [[0], [0]], ".groups"),
        (by_level, "cut", 1.0, ".cut"),
        (by_cut, "cut", ..., ".cut"),
        (by_cut, "cut", None, ".cut"),
        (by_cut, "below", 2, ""),
    ):
        place = ["nodes", 0, "surrogates", k, key]
        broken(changed(plain, place, value), f"nodes[0].surrogates[{k}]{at}")


def test_a_known_or_unknown_value_is_a_question_too(tmp_path):
    """A cut at infinity (scikit-learn) parts known values from missing ones."""
    x = numeric("x", [1, 1, 1, math.nan, math.nan, math.nan])
    table = Table((x,), nominal("c", ["p", "p", "p", "q", "q", "q"]), 6)
    tree = penjing.fit(table, recipe="sklearn")
    assert tree.nodes.cut[0] == math.inf
    tree.save(tmp_path / "tree")
    assert penjing.load(tmp_path / "tree") == tree
    assert tree.to_dict() == {"x": {"!= ?": "p", "= ?": "q"}}
    assert Tree.from_dict(tree.to_dict()).to_dict() == tree.to_dict()


@pytest.mark.parametrize("answer", [2, -1, True, "p", None])
def test_an_answer_of_its_own_is_a_class(plain, answer):
    broken(changed(plain, ["nodes", 0, "answer"], answer), "nodes[0].answer")


def test_nodes_out_of_order_are_refused():
    deep = Tree.from_dict({"a": {0: {"b": {0: "x", 1: "y"}}, 1: {"c": {0: "x", 1: "y"}}}})
    plain = deep.to_json()
    nodes = plain["nodes"]
    # Depth first instead of breadth first: node 4's parent would come before node 3's.
    swapped = [*nodes[:3], nodes[5], nodes[6], nodes[3], nodes[4]]
    broken(plain | {"nodes": swapped}, "nodes[5].parent")
    lost = changed(plain, ["nodes", 4, "parent"], 3)
    broken(lost, "nodes[4].parent")


@pytest.mark.parametrize(
    ("path", "value", "at"),
    [
        (["recipe", "name"], 5, "recipe.name"),
        (["recipe", "missing"], ["fraction"], "recipe.missing"),
        (["recipe", "max_depth"], 1.5, "recipe.max_depth"),
        (["recipe", "deep"], [[[[[[[[[[[[[[1]]]]]]]]]]]]]], "recipe.deep"),
        (["recipe", "far"], math.inf, "recipe.far"),
        (["about", "counted"], 1, "about.counted"),
        (["about", "n_ties"], "2", "about.n_ties"),
        (["about", "ties"], {}, "about.ties"),
        (["about", "ties"], [{"node": 0, "columns": [99], "score": 1}], "about.ties[0].columns[0]"),
        (["about", "ties"], [{"node": 99, "columns": [0], "score": 1}], "about.ties[0].node"),
        (["about", "ties"], [{"node": 0, "columns": [0]}], "about.ties[0].score"),
        (["about", "source"], "melon.csv", "about.source"),
        (["about", "training"], 5, "about.training"),
        (["about", "training"], {"correct": 5}, "about.training.of"),
        (["about", "training"], {"correct": math.nan, "of": 6}, "about.training.correct"),
        (["about", "pruning"], {}, "about.pruning"),
        (["about", "pruning"], [{"method": 1}], "about.pruning[0].method"),
        (["about", "costs"], {"factor": [1], "loss": [[0]], "altered": [1]}, "about.costs"),
        (["about", "costs"], [], "about.costs"),
        (["trace"], {"steps": []}, "trace.is_whole"),
        (["trace", "steps"], 5, "trace.steps"),
        (["trace", "steps", 0], None, "trace.steps[0]"),
        (["trace", "steps", 0, "node"], 99, "trace.steps[0].node"),
        (["trace", "steps", 0, "node"], True, "trace.steps[0].node"),
        (["trace", "steps", 0, "chosen"], 3, "trace.steps[0].chosen"),
        (["trace", "steps", 0, "candidates"], [], "trace.steps[0].chosen"),
        (["trace", "steps", 0, "candidates", 0, "gain"], "1", "trace.steps[0].candidates[0].gain"),
        (
            ["trace", "steps", 0, "candidates", 0, "column"],
            ...,
            "trace.steps[0].candidates[0].column",
        ),
    ],
)
def test_what_is_said_besides_nodes_is_checked_too(plain, path, value, at):
    broken(changed(plain, path, value), at)


def test_other_remarks_are_kept(plain):
    """Other versions and other rules may have more to tell."""
    plain["about"]["weather"] = {"sunny": [1, 2.5, "x", None, True]}
    plain["recipe"]["priors"] = [[0.5, 0.5]]
    tree = serialize.from_json(plain)
    assert tree.to_json() == plain


# -- and whatever else ------------------------------------------------------------------------

junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10)
    | st.sampled_from([10**30, -(10**400), 2**31, 2**63])
    | st.floats()
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=6,
)


def places(plain: object) -> list[list]:
    """Return the path of every part of plain data."""
    found: list[list] = []
    waiting: list[tuple[list, object]] = [([], plain)]
    while waiting:
        path, part = waiting.pop()
        if path:
            found.append(path)
        steps = (
            part.items()
            if isinstance(part, dict)
            else enumerate(part)
            if isinstance(part, list)
            else ()
        )
        waiting += [([*path, step], below) for step, below in steps]
    return found


@given(st.data())
def test_a_changed_model_loads_as_a_usable_tree_or_is_refused(tmp_path_factory, data):
    plain = copy.deepcopy(penjing.fit(MELONS).to_json())
    plain = changed(
        plain, data.draw(st.sampled_from(places(plain))), data.draw(junk | st.just(...))
    )
    path = tmp_path_factory.mktemp("fuzz") / "tree"
    path.write_text(json.dumps(plain), "utf-8")
    with contextlib.suppress(DataError):  # nothing else may be raised
        tree = penjing.load(path)
        assert str(tree)
        assert repr(tree)
        assert len(tree.predict(MELONS)) == 6
        assert penjing.Tree.from_dict(tree.to_dict()).n_leaves >= tree.n_leaves
        tree.save(path)
        assert penjing.load(path) == tree
    path.unlink()


def test_a_link_is_followed_and_a_pipe_written_into(tmp_path):
    real, link, pipe = (tmp_path / name for name in ("real", "link", "pipe"))
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"through")
    reader.join()
    assert got == [b"through"]
    assert pipe.is_fifo()


@pytest.mark.parametrize("recipe", ["sklearn", "c4.5", "j48", "rpart", "c5.0"])
def test_a_trace_of_missing_values_is_saved_and_loaded(tmp_path, recipe):
    """A split of scikit-learn into known and missing values was saved, but not loaded."""
    tree = penjing.fit(penjing.example("watermelon2.0alpha"), recipe=recipe, trace=True)
    tree.save(tmp_path / "m.tree")
    assert penjing.load(tmp_path / "m.tree") == tree
    for step in tree.trace:
        if step["kind"] == "grow" and step["question"] is not None:
            assert step["candidates"][0]["branches"]


@pytest.mark.parametrize("seed", [2, 3, 7, 11])
def test_a_raised_branch_of_more_categories_is_saved_and_loaded(tmp_path, seed):
    """It got a third branch, but kept its surrogates, which are for two."""
    random = np.random.default_rng(seed)
    n = 90
    columns = [nominal(f"c{i}", random.integers(0, 6, n).tolist()) for i in range(3)]
    codes = [np.asarray(column.codes) for column in columns]
    y = (codes[0] % 3 + codes[1] % 2 + random.integers(0, 2, n)) % 3
    table = Table(tuple(columns), nominal("y", y.tolist()), n)
    grown_tree = penjing.fit(table, recipe="rpart", cp=0.0, minsplit=4)
    tree = grown_tree.prune("error-based", training=table)
    assert tree.n_children.max() > 2
    tree.save(tmp_path / "m.tree")
    loaded = penjing.load(tmp_path / "m.tree")
    assert loaded == tree
    assert loaded.predict(table).tolist() == tree.predict(table).tolist()


@pytest.mark.parametrize("wrong", ["x", [], {}, True])
def test_every_value_of_a_candidate_in_a_trace_has_its_type(wrong):
    tree = penjing.fit("example:golf", recipe="c4.5-textbook", trace=True, quiet=True)
    known = tree.to_json()
    first = known["trace"]["steps"][0]["candidates"][0]
    for key, value in first.items():
        if isinstance(wrong, type(value)):
            continue
        plain = copy.deepcopy(known)
        plain["trace"]["steps"][0]["candidates"][0][key] = wrong
        with pytest.raises(DataError):
            serialize.from_json(plain)
