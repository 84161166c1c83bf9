"""scikit-learn's tests of its own trees pass with ours, but for what the docs list."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
pytest.importorskip("sklearn.tree.tests.test_tree", reason="this wheel came without tests")

import penjing

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs" / "estimators.md"
REFUSED = {"sparse_refused", "outputs_refused", "splitter_refused", "criterion_refused"}
"""The sentences by which a test may end."""
INTERNAL = {"test_huge_allocations"}
"""Tests of Cython's own memory."""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    report = tmp_path_factory.mktemp("swapped") / "report.json"
    source = str(Path(penjing.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, HERE / "swapped.py", report],
        check=False,
        capture_output=True,
        text=True,
        cwd=report.parent,
        env={"PYTHONPATH": source, "PATH": "/usr/bin:/bin"},
    )
    assert report.exists(), done.stdout + done.stderr
    return json.loads(report.read_text("utf-8"))


def test_nothing_fails_but_by_a_sentence_or_inside_cython(outcomes):
    failed = {name: told for name, told in outcomes.items() if told["outcome"] == "failed"}
    odd = {
        name: told
        for name, told in failed.items()
        if told["why"] not in REFUSED and name not in INTERNAL
    }
    assert odd == {}
    assert sum(told["outcome"] == "passed" for told in outcomes.values()) > 2 * len(failed)


def test_the_docs_list_every_test_that_does_not_pass(outcomes):
    listed = set(re.findall(r"`(test_\w+)`", DOCS.read_text("utf-8")))
    failed = Counter(n.partition("[")[0] for n, t in outcomes.items() if t["outcome"] == "failed")
    assert set(failed) <= listed
