"""Without the folder of one dialect, and its line in the registry, all other recipes work."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import penjing

SOURCES = Path(penjing.__file__).parent
TESTS = Path(__file__).parents[1]
DELETED = {
    "c50": {"c50": "c50"},
    "rpart": {"rpart": "rpart"},
    "sklearn": {"sklearn": "sklearn"},
    "c45 and c50": {"quinlan": "c45", "c50": "c50"},  # C5.0 builds on C4.5
}
"""Names and folders of dialects; the textbook's stays: a recipe is of it if it names none."""

FITS = """
import json, sys
import numpy as np
import penjing
from penjing.data.table import Column, Table, numeric
from penjing.errors import CapabilityError
from penjing.explain.node import explain
from penjing.explain import node_text
from penjing.tree import serialize

rng = np.random.default_rng(7)
x, codes = np.round(rng.normal(size=90), 2), rng.integers(0, 3, 90).astype(np.int32)
y = ((x + codes + rng.normal(size=90)) > 1).astype(np.int32)
columns = numeric("x", x), Column("c", "nominal", ("a", "b", "d"), codes)
table = Table(columns, Column("y", "nominal", ("no", "yes"), y), 90)
models = {}
for name in sorted({recipe.name for recipe in penjing.RECIPES.values()}):
    for engine in ("memory", "native", "disk", "duckdb"):
        try:
            tree = penjing.fit(table, recipe=name, engine=engine, trace=engine == "native")
        except CapabilityError:
            models[f"{name} {engine}"] = "refused"
            continue
        text = tree.write("svg") + tree.write("text") + repr(tree.predict(table).tolist())
        if engine == "native":
            text += node_text.write(explain(tree))
        pruned = tree.prune("cost-complexity", alpha=1.0, by="impurity")
        models[f"{name} {engine}"] = [serialize.to_json(tree), text, pruned.n_leaves]
json.dump(models, sys.stdout)
"""


def copy_without(deleted: dict[str, str], path: Path) -> Path:
    """Copy the package to a folder, without some dialects."""
    copy = path / "penjing"
    shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("__pycache__"))
    registry = copy / "registry.py"
    for name, folder in deleted.items():
        shutil.rmtree(copy / "dialects" / folder)
        line = rf'        "{name}": "penjing\.dialects\..*\n'
        text, n = re.subn(line, "", registry.read_text("utf-8"))
        assert n == 1
        registry.write_text(text, "utf-8")
    return path


def run(source: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(source)}
    command = [sys.executable, *words]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, cwd=TESTS.parent
    )


@pytest.fixture(scope="module")
def models() -> dict[str, Any]:
    """The models of all recipes, by this package."""
    return json.loads(run(SOURCES.parent, "-c", FITS).stdout)


@pytest.mark.parametrize("which", DELETED)
def test_all_other_recipes_grow_the_same_trees(which, models, tmp_path):
    deleted = DELETED[which]
    own = {recipe.name for recipe in penjing.RECIPES.values() if recipe.rules in deleted}
    without = run(copy_without(deleted, tmp_path), "-c", FITS)
    assert without.returncode == 0, without.stderr
    found = json.loads(without.stdout)
    assert found == {key: model for key, model in models.items() if key.split()[0] not in own}
    assert sum(model != "refused" for model in found.values()) >= 16


def test_a_recipe_of_a_missing_dialect_is_refused_in_a_sentence(tmp_path):
    source = copy_without(DELETED["rpart"], tmp_path)
    code = "import penjing; penjing.fit(penjing.example('golf'), recipe='cart')"
    done = run(source, "-c", code)
    assert "ChoiceError" in done.stderr
    assert "cart-binary" in done.stderr


OTHERS = [
    "tests/dialects/test_c45.py",
    "tests/dialects/test_c50.py",
    "tests/dialects/test_sklearn.py",
    "tests/textbook",
    "tests/grow/test_search.py",
    "tests/grow/test_loop.py",
    "tests/engines/test_every_engine.py::test_here",
    "tests/engines/test_every_engine.py::test_in_a_database",
]


@pytest.mark.slow
def test_the_tests_of_all_other_recipes_pass_without_rpart(tmp_path):
    source = copy_without(DELETED["rpart"], tmp_path)
    known = run(source, "-c", "import penjing; print(penjing.__file__, *penjing.RECIPES)")
    assert str(source) in known.stdout, known.stderr
    assert "rpart" not in known.stdout.split()
    others = "not cart-classes and not cart-number and not rpart and not postgres"
    words = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", "-k", others, *OTHERS]
    done = run(source, "-m", "pytest", *words)
    assert done.returncode == 0, done.stdout[-4000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 300


@pytest.mark.parametrize("which", DELETED)
def test_the_copy_lacks_the_dialect(which, tmp_path):
    source = copy_without(DELETED[which], tmp_path)
    for name in DELETED[which]:
        code = f"from penjing.registry import load; load('dialect', {name!r})"
        assert run(SOURCES.parent, "-c", code).returncode == 0
        assert "ChoiceError" in run(source, "-c", code).stderr
