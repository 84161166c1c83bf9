"""Printed = model: whoever follows the printed words and numbers answers as the tree does.

Short cuts route every training row, the values on both sides of each cut and the printed number
itself as the model does, in every node; where a tree prints every digit (`exact`), the floats
next to the cut are routed alike, too.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import parse_printed as printed
import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from penjing.predict.flat import comparison_cuts
from penjing.render.html import page_data
from penjing.text.labels import cut_text

RECIPES = ("id3", "c4.5-textbook", "cart-binary", "c4.5", "j48", "rpart", "sklearn")
NUMBERS = {
    "tiny": st.floats(-1e-300, 1e-300, allow_subnormal=True),
    "huge": st.floats(1e300, 1.7e308) | st.floats(-1.7e308, -1e300),
    "negative": st.floats(-1e6, -1e-6),
    "integer": st.integers(-(2**53), 2**53).map(float) | st.integers(0, 9).map(float),
    "date": st.integers(19000101, 20991231).map(float) | st.integers(18_000, 21_000).map(float),
    "stamp": st.integers(1_600_000_000, 1_800_000_000).map(lambda s: s + 0.25),
    "near": st.integers(0, 6).map(lambda k: 0.1 + k * 2.0**-55),
    "decimal": st.integers(-5000, 5000).map(lambda k: k / 1000),
}
LEVELS = ("a", "b c", "a, b", "≤ 5", "'", '"', "|", "\\", "清晰", "in {a}", "x: y", " and ", "when")


@st.composite
def mixed(draw: st.DrawFn) -> Table:
    """Draw a table of numbers of all sizes and of levels with odd names."""
    n = draw(st.integers(2, 16))
    columns = []
    for i in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from([*NUMBERS, "level"]))
        if kind == "level":
            pool = draw(st.lists(st.sampled_from(LEVELS), min_size=1, max_size=4, unique=True))
            cells = draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))
            columns.append(nominal(draw(st.sampled_from(LEVELS)) + str(i), cells, pool))
        else:
            pool = draw(st.lists(NUMBERS[kind], min_size=1, max_size=8))
            cells = draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))
            columns.append(numeric(f"{kind}, {i}", cells))
    classes = draw(st.lists(st.sampled_from(LEVELS), min_size=2, max_size=3, unique=True))
    target = draw(st.lists(st.sampled_from(classes), min_size=n, max_size=n))
    return Table(tuple(columns), nominal("class", target, classes), n)


def plain_rows(table: Table) -> list[dict[str, Any]]:
    return [{k: v for k, v in row.items() if k != "class"} for row in table.rows()]


def at_gaps(tree: Tree, table: Table) -> list[dict[str, Any]]:
    """Return, for each cut, the training rows next to it, moved to the number that is printed.

    Such a row stays on its side of the cut, so it meets the questions that it met in training.
    """
    rows, found = plain_rows(table), []
    stops = tree.apply(tabled(tree, rows)).tolist()
    passed = [
        (node, row) for row, stop in zip(rows, stops, strict=True) for node in tree.path(stop)
    ]
    is_single = tree.recipe.get("precision") == "single"
    for node, row in passed:
        field = tree.schema[int(tree.nodes.column[node])]
        if tree.is_leaf[node] or not field.is_numeric or not np.isfinite(tree.nodes.cut[node]):
            continue
        number = float(cut_text(tree, node).number)
        is_above = (float(np.float32(number)) if is_single else number) > comparison_cuts(tree)[
            node
        ]
        if row[field.name] == tree.nodes.gap[node, int(is_above)]:
            found.append(row | {field.name: number})
    return found


def at_cuts(tree: Tree, table: Table) -> list[dict[str, Any]]:
    """Return some training rows with each number at a cut and next to it."""
    rows, found = plain_rows(table), []
    for node in np.flatnonzero(np.isfinite(tree.nodes.cut)).tolist():
        name = tree.schema[int(tree.nodes.column[node])].name
        cut = float(tree.nodes.cut[node])
        places = [cut, float(np.nextafter(cut, np.inf)), float(np.nextafter(cut, -np.inf))]
        found += [row | {name: at} for row in rows[:3] for at in places if np.isfinite(at)]
    return found


def tabled(tree: Tree, rows: list[dict[str, Any]]) -> Table:
    cells = [[row[field.name] for row in rows] for field in tree.schema]
    columns = tuple(
        numeric(f.name, values) if f.is_numeric else nominal(f.name, values, f.levels)
        for f, values in zip(tree.schema, cells, strict=True)
    )
    return Table(columns, None, len(rows))


def check(tree: Tree, rows: list[dict[str, Any]]) -> None:
    """Follow every form of the tree with every row that its values lead to a leaf."""
    where = tree.apply(tabled(tree, rows)).tolist()
    led = [(row, node) for row, node in zip(rows, where, strict=True) if is_led(tree, row, node)]
    rows, stops = [row for row, _ in led], [node for _, node in led]  # others have no line
    expected = [str(answer) for answer in tree.predict(tabled(tree, rows))] if rows else []
    order: dict[str, list[str]] = {}
    picture = tree.write("svg", max_leaves=10**6)
    forms = {
        "text": list(printed.of_text(tree.draw())),
        "rules": list(printed.of_rules(tree.write("rules"))),
        "markdown": list(printed.of_markdown(tree.write("markdown"))),
        "svg": list(printed.of_svg(picture)),
    }
    for form, rules in forms.items():
        assert len(rules) == tree.n_leaves, form
        assert [printed.answer(rules, row, order) for row in rows] == expected, form
    for row in rows[-6:]:
        told = tree.explain(row, flips=0).text()
        assert all(test(row, order) for test in printed.of_explained(told)), told
    edges = printed.edges_of_dot(tree.write("dot"))
    for row, stop in zip(rows, stops, strict=True):
        assert followed(tree, edges, row) == stop
    labels = printed.labels_of_svg(picture)
    for row, stop in zip(rows, stops, strict=True):
        for node in tree.path(stop)[1:]:
            parent, _ = tree.parent_of(node)
            asked = tree.schema[int(tree.nodes.column[parent])]
            if asked.is_numeric:  # names may be cut to their room, numbers never are
                assert printed.answered(row[asked.name], labels[node], None)


def is_led(tree: Tree, row: dict[str, Any], stop: int) -> bool:
    """Say whether a row comes to a leaf by branches that its own levels have."""
    for node in tree.path(stop)[1:]:
        parent, _ = tree.parent_of(node)
        asked = tree.schema[int(tree.nodes.column[parent])]
        codes = tree.nodes.levels(node).tolist()
        if np.isnan(tree.nodes.cut[parent]) and asked.levels.index(row[asked.name]) not in codes:
            return False
    return bool(tree.is_leaf[stop])


def followed(tree: Tree, edges: dict[int, tuple[int, str]], row: dict[str, Any]) -> int:
    """Return where the printed edges of a graph lead."""
    node = 0
    while True:
        name = tree.schema[int(tree.nodes.column[node])].name
        ways = [
            child
            for child, (parent, text) in edges.items()
            if parent == node and printed.answered(row[name], text, None)
        ]
        if not ways:
            return node
        assert len(ways) == 1
        node = ways[0]


@pytest.mark.parametrize("recipe", ["cart-binary", "rpart", "sklearn", "c4.5"])
def test_the_page_prints_what_the_model_does(recipe, tmp_path):
    """The rules that the page's own script prints, run by Node.js, in one process for all trees."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    made = []
    for seed in range(6):
        rng = np.random.RandomState(seed)
        x = np.round(rng.randn(60, 2), 1 + seed % 3) * 10.0 ** (seed - 3)
        columns = tuple(numeric(f"x {c}", x[:, c]) for c in range(2))
        classes = (x.sum(axis=1) + x.std() * rng.randn(60) > 0).astype(str).tolist()
        table = Table(columns, nominal("class", classes), 60)
        made.append((penjing.fit(table, recipe=recipe), table))
    pages = [page_data(tree, "en", "light", None) for tree, _ in made]
    (tmp_path / "pages.json").write_text(json.dumps(pages), "utf-8")
    script = (files("penjing.render.html") / "page.js").read_text(encoding="utf-8")
    (tmp_path / "page.mjs").write_text(script, "utf-8")
    (tmp_path / "main.mjs").write_text(
        'import { readFileSync } from "node:fs"; import { Tree } from "./page.mjs";'
        'const told = JSON.parse(readFileSync("pages.json")).map((data) => {'
        "const tree = new Tree(data); return data.parent.map((_, node) => node)"
        ".filter((node) => tree.isLeaf(node)).map((node) => [node, tree.conditions(node)]); });"
        "process.stdout.write(JSON.stringify(told));"
    )
    done = subprocess.run(["node", "main.mjs"], cwd=tmp_path, capture_output=True, check=True)
    n_open = 0
    for (tree, table), told in zip(made, json.loads(done.stdout), strict=True):
        n_open += sum(cut_text(tree, n).is_open for n in np.flatnonzero(~tree.is_leaf).tolist())
        rules = [([printed.test_of(text) for text in texts], str(node)) for node, texts in told]
        rows = plain_rows(table) + at_gaps(tree, table)
        found = [printed.answer(rules, row, {}) for row in rows]
        assert found == [str(node) for node in tree.apply(tabled(tree, rows))]
    assert n_open > 0 or recipe == "c4.5"  # which cuts at training values


@pytest.mark.parametrize("recipe", RECIPES)
@given(table=mixed())
def test_the_printed_tree_answers_as_the_model_does(recipe, table):
    if recipe == "sklearn" and not all(c.is_numeric for c in table.columns):
        table = Table(tuple(c for c in table.columns if c.is_numeric), table.target, table.n_rows)
        if not table.columns:
            return
    if recipe in ("sklearn", "c4.5") and any(
        c.is_numeric and np.abs(np.asarray(c.levels)).max() > 3e38 for c in table.columns
    ):
        return  # they hold numbers in 32 bits
    options = {"minsplit": 2, "minbucket": 1, "cp": 0.0} if recipe == "rpart" else {}
    tree = penjing.fit(table, recipe=recipe, **options)
    check(tree, plain_rows(table) + at_gaps(tree, table))
    if tree.recipe.get("precision") != "single":  # those round a value before they compare it
        check(tree.exact(), at_cuts(tree, table))
