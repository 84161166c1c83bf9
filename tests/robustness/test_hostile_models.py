"""Files made to do harm load cleanly or are refused in one sentence, and never run anything."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import hostile_models
import penjing
from penjing.data.read import read
from penjing.errors import PenjingError

FEW, MANY = range(120), range(500)
MEMORY = 4 * 2**30
"""The address space of the process that loads damaged files."""
SECONDS = 20
"""Processor time that one file may take, loaded and used; most take milliseconds."""


def bear(seeds, path: Path) -> dict[str, int]:
    """Load each damaged model and use it; return how many loaded and how many were refused."""
    found = {"loaded": 0, "refused": 0}
    for number in seeds:
        path.write_bytes(hostile_models.damaged(number))
        start = time.process_time()
        try:
            tree = penjing.load(path)
        except PenjingError as problem:
            assert len(str(problem)) < 1000, number  # noqa: PT017
            found["refused"] += 1
        else:
            hostile_models.used(tree)
            found["loaded"] += 1
        assert time.process_time() - start < SECONDS, number
    return found


def test_damaged_models_load_or_are_refused(tmp_path):
    found = bear(FEW, tmp_path / "m.tree")
    assert min(found.values()) > 5


@pytest.mark.slow
def test_five_hundred_damaged_models_in_bounded_memory(tmp_path):
    code = (
        "import resource, sys, pathlib; from test_hostile_models import *;"
        "hostile_models.models();"
        f"resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}));"
        "found = bear(MANY, pathlib.Path(sys.argv[1])); print(found)"
    )
    here = Path(__file__).parent
    place = {"PYTHONPATH": f"{here}:{here.parent / 'support'}", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "m.tree"],
        capture_output=True, check=False, env=place, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert "'loaded'" in done.stdout
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < MEMORY // 1024


@pytest.mark.parametrize(
    ("at", "odd"),
    [
        (("trace", "steps", 0, "stop"), "odd"),
        (("trace", "steps", 0, "average_gain"), "odd"),
        (("recipe", "unseen"), "odd"),
        (("recipe", "min_weight"), "odd"),
        (("recipe", "min_branch"), []),
        (("about", "missing"), 5),
    ],
)
def test_words_that_writers_rely_on_are_checked(tmp_path, at, odd):
    tree = penjing.fit(penjing.example("golf"), recipe="c4.5", trace=True)
    model = json.loads(json.dumps(tree.to_json()))
    part = model
    for key in at[:-1]:
        part = part[key]
    part[at[-1]] = odd
    (tmp_path / "odd.tree").write_text(json.dumps(model), "utf-8")
    with pytest.raises(PenjingError, match=at[-1]):
        penjing.load(tmp_path / "odd.tree")


def test_loading_runs_nothing(tmp_path):
    for text in (
        b"cos\nsystem\n(S'touch ran'\ntR.",  # a pickle
        b"\x80\x04\x95\x1e\x00\x00\x00",
        b"__import__('os').system('touch ran')",
        b'{"__reduce__": ["os.system", "touch ran"]}',
    ):
        (tmp_path / "m.tree").write_bytes(text)
        with pytest.raises(PenjingError):
            penjing.load(tmp_path / "m.tree")
    assert not (tmp_path / "ran").exists()


# -- tables ---------------------------------------------------------------------------------

PIECES = [
    "a,b,c\n", "1,2,x\n", "?,,NA\n", '"', '""', "'", "\\", "\0", "\n\n", "\r", "\t", ";", "|", "%",
    "@relation r\n", "@attribute a {x,y}\n", "@attribute b real\n", "@attribute c numeric\n",
    "@data\n", "{0 x, 1 3}\n", "yes, no.\n", "a: continuous.\n", "b: x, y.\n", "c: ignore.\n",
    "b: discrete 3.\n", "1e999,-1e999,nan\n", "Infinity,0x10,1_000\n", "=1+1,@SUM(A1),-2\n",
    "2024-13-45,31/02/2020,12:61\n", "色泽,好瓜\n", "\ufeff", "\u202e", "𝕏", "[" * 50, "{" * 50,
    "9" * 400, "x" * 3000, ",".join("a" * 200) + "\n", '{"a": 1}\n', '[{"a": 1}]', "PAR1",
    "\x1f\x8b", "sep=;\n",
]  # fmt: skip
FORMS = (".csv", ".tsv", ".arff", ".names", ".data", ".jsonl", ".json", ".parquet", ".gz", "")

texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=25).map("".join)
contents = texts.map(lambda t: t.encode("utf-8", "replace")) | st.binary(max_size=200)


def borne(folder: Path, form: str, data: bytes) -> None:
    """Read a table and grow a tree from it; whatever is wrong is said in a sentence."""
    path = folder / f"t{form}"
    path.write_bytes(data)
    if form == ".data":
        (folder / "t.names").write_bytes(data[: len(data) // 2])
    for target in (None, False):
        try:
            table = read(path, target)
            if table.target is not None:
                hostile_models.used(penjing.fit(table, recipe="c4.5-textbook", max_depth=3))
        except PenjingError as problem:
            assert 0 < len(str(problem)) < 4000  # noqa: PT017
    for left in folder.iterdir():
        left.unlink()


QUIET = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}


@settings(max_examples=60, derandomize=True, **QUIET)
@given(st.sampled_from(FORMS), contents)
def test_damaged_tables_are_read_or_refused(tmp_path_factory, form, data):
    borne(tmp_path_factory.mktemp("t"), form, data)


@pytest.mark.slow
def test_damaged_tables_for_ten_minutes(tmp_path):
    end, turn = time.monotonic() + 600, 0
    while time.monotonic() < end:
        turn += 1

        @seed(turn)
        @settings(max_examples=300, **QUIET)
        @given(st.sampled_from(FORMS), contents)
        def bears(form, data):
            borne(tmp_path, form, data)

        bears()
