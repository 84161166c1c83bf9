"""Trees of other programs are grown again, node for node: the core ones, and slowly all."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from reference.check import check, comparer
from reference.golden import Golden, chosen, goldens
from reference.programs import program_of, tiny
from reference.which import PAGES, page
from shared import SHARED

REFERENCE, DATA = SHARED / "reference", SHARED / "data"
HERE = Path(__file__).parents[2]

DOCS = Path(__file__).parents[2] / "docs"


def told(verdict: str) -> set[str]:
    """Return the goldens of which docs/en/explanation/fidelity.md says so, with the reason."""
    rows = (DOCS / "en" / "explanation" / "fidelity.md").read_text(encoding="utf-8").splitlines()
    cells = [row.split("|") for row in rows if row.startswith("| `")]
    return {n for c in cells if c[2].strip() == verdict for n in re.findall(r"`([^`]+)`", c[1])}


KNOWN = told("different")
TIES = told("tie")


def all_goldens() -> list[Golden]:
    if not (REFERENCE / "compare.py").exists():
        return []
    found = chosen(goldens(REFERENCE, tiny), (), core=False)
    return [g for g in found if program_of(g.program) is not None]


def parameters() -> list[pytest.param]:
    found = []
    for golden in all_goldens():
        quick = golden.is_core or golden.name.startswith("tiny/")
        marks = [] if quick else [pytest.mark.slow]
        found.append(pytest.param(golden, id=golden.name.replace(" ", "_"), marks=marks))
    return found or [pytest.param(None, marks=pytest.mark.skip(f"{REFERENCE} is not there"))]


@pytest.mark.parametrize("golden", parameters())
def test_a_golden_is_grown_again(golden):
    result = check(golden, DATA, comparer(REFERENCE))
    if result.verdict == "not tried":
        assert golden.name in told("not tried"), result.text
        return
    if golden.name in KNOWN:
        assert result.verdict == "different", "the same now: remove it from fidelity.md"
        return
    assert result.verdict in ("identical", "tie"), result.text
    if not golden.name.startswith("tiny/"):
        assert (result.verdict == "tie") == (golden.name in TIES), "fidelity.md lists ties"
    if golden.is_core and result.verdict == "tie":
        assert "ties" in json.dumps(golden.plain["tree"])


def test_any_folder_of_goldens_will_do(tmp_path):
    reference, data = tmp_path / "reference", tmp_path / "data"
    reference.mkdir()
    data.mkdir()
    (data / "mine.csv").write_text("id,x,y\n1,1,a\n2,2,a\n3,3,b\n4,4,b\n", encoding="utf-8")
    leaf = {"leaf": True, "class": "a", "n": 2, "counts": [2, 0], "errors": 0}
    other = {"leaf": True, "class": "b", "n": 2, "counts": [0, 2], "errors": 0}
    branches = [{"op": "<=", "child": leaf}, {"op": ">", "child": other}]
    root = {"attribute": "x", "kind": "threshold", "threshold": 2, "counts": [2, 2], "n": 4}
    golden = {
        "format": "tree-golden/1",
        "program": "J48",
        "version": "Weka 3.6.14",
        "settings": {"options": "-U -M 2"},
        "data": {
            "file": "mine.csv",
            "target": "y",
            "classes": ["a", "b"],
            "attributes": [{"name": "x", "type": "numeric"}],
        },
        "tree": root | {"branches": branches},
        "summary": {"size": 3, "train_errors": 0},
    }
    (reference / "mine.json").write_text(json.dumps(golden), encoding="utf-8")
    done = harness("--reference", reference, "--data", data)
    assert done.stdout.splitlines()[-1] == "identical / tie / different: 1 / 0 / 0"
    assert done.returncode == 0
    golden["tree"]["threshold"] = 3
    (reference / "mine.json").write_text(json.dumps(golden), encoding="utf-8")
    done = harness("--reference", reference, "--data", data)
    assert "threshold on x: golden 3, other 2" in done.stdout
    assert done.returncode == 1


def harness(*words: object) -> subprocess.CompletedProcess[str]:
    compare = REFERENCE / "compare.py"
    if not compare.exists():
        pytest.skip(f"{compare} is not there")
    command = [sys.executable, "-m", "tests.reference", *map(str, words), "--compare", REFERENCE]
    return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)


def test_counts_are_told_for_each_program():
    done = harness("--reference", REFERENCE, "--data", DATA, "--programs", "Id3", "--core")
    counts = Counter(line.split()[0] for line in done.stdout.splitlines())
    assert counts["identical"] == 1 + 6
    assert done.stdout.splitlines()[-2] == "Id3: 6 / 0 / 0"


def test_programs_are_named_with_commas_too_and_a_wrong_name_is_told():
    done = harness("--reference", REFERENCE, "--data", DATA, "--programs", "Id3,j49", "--core")
    assert done.stdout.splitlines()[-1] == "identical / tie / different: 6 / 0 / 0"
    assert "no golden begins with 'j49'" in done.stderr


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_of_tiny_tables_is_as_the_trees_are(lang):
    if not REFERENCE.exists():
        pytest.skip(f"{REFERENCE} is not there")
    assert PAGES[lang].read_text(encoding="utf-8") == page(REFERENCE, DATA, lang), (
        "make it anew: python -m tests.reference.which"
    )
