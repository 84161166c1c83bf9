"""A dialect from outside the package on every engine: the tree of memory, or a refusal."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import penjing
from engines.test_every_engine import (
    DATABASES,
    HERE,
    Case,
    check,
    coarse,
    declared,
    grown,
    parquet_in,
    put,
    random_table,
    spark_session,
)
from penjing import registry
from penjing.dialects import recipes
from penjing.explain import node_text, trace_text
from penjing.explain.node import explain, story
from penjing.i18n import LANGUAGES, catalogue

__all__ = ["coarse", "put", "spark_session"]  # fixtures

FOLDER = Path(__file__).parents[1] / "support" / "chi_dialect"
CASES = [
    Case(recipe, "classes", missing, weights)
    for recipe, weights in product(("chi", "chi-binary"), ("no", "yes"))
    for missing in ("none", "fraction")
]


def forget() -> None:
    """Let the registry look for plug-ins again."""
    for cached in (registry.plugins, registry._loaded, recipes._recipes, recipes.named_recipe):
        cached.cache_clear()


@pytest.fixture(scope="module", autouse=True)
def installed() -> Iterator[None]:
    """Install the package of the dialect, by its entry point."""
    messages = {lang: dict(catalogue(lang)) for lang in LANGUAGES}
    sys.path.insert(0, str(FOLDER))
    forget()
    yield
    sys.path.remove(str(FOLDER))
    sys.modules.pop("chi_dialect", None)
    forget()
    for lang, before in messages.items():
        catalogue(lang).clear()
        catalogue(lang).update(before)


def table_of(case: Case, n: int = 100) -> penjing.Table:
    return random_table(case, np.random.default_rng(1), n)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("engine", ["native", "disk"])
def test_here(engine, case):
    assert declared(engine, case)
    check(engine, case, table_of(case))


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("engine", ["duckdb", pytest.param("postgres", marks=pytest.mark.slow)])
def test_in_a_database(engine, case, put):
    assert declared(engine, case) == (case.missing == "none" and case.weights == "no")
    check(engine, case, table_of(case, 80), put(engine))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.usefixtures("spark_session")
@pytest.mark.parametrize("case", [case for case in CASES if case.weights == "no"], ids=str)
def test_by_spark(case, tmp_path):
    assert declared("spark", case) == (case.missing == "none")
    check("spark", case, table_of(case, 80), parquet_in(tmp_path))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_its_own_rules_grew_the_tree(case):
    own = penjing.fit(table_of(case), recipe=case.recipe, **case.settings)
    assert own.recipe["rules"] == "chi"
    assert own.recipe["least_rows"] == 6.0
    inner = np.flatnonzero(~own.is_leaf)
    assert inner.size
    assert (own.weight[inner] >= 6).all()
    assert (own.nodes.score[inner] >= 2).all()
    for node in inner.tolist():
        children = own.children(node)
        assert not all(own.is_leaf[c] for c in children) or len({*own.values[children]}) > 1
    textbook = penjing.fit(table_of(case), recipe="cart-binary", **case.settings)
    assert own.to_dict() != textbook.to_dict()


def test_a_refusal_names_the_recipes_that_an_engine_knows(put):
    case = Case("c5.0", "classes", "none", "no")
    with pytest.raises(penjing.CapabilityError, match="j48, rpart, chi, chi-binary"):
        grown("duckdb", table_of(case), case, put("duckdb"))


def test_it_brings_its_recipes_settings_and_words():
    assert recipes.RECIPES["pearson"] is recipes.RECIPES["chi"]
    assert list(recipes.RECIPES)[-1] == "pearson"
    golf = penjing.example("golf")
    tree = penjing.fit(golf, recipe="pearson", least_rows=3, least_chi=0.5, trace=True)
    for lang, word in (("en", "Pearson's chi-squared"), ("zh", "按卡方统计量比较")):
        assert word in node_text.write(explain(tree), lang)
    about = {"target": "play", "recipe": tree.recipe, "rows": 14, "steps": 9, "is_whole": True}
    for lang, word in (("en", "chi-squared"), ("zh", "卡方统计量")):
        assert word in trace_text.write(story(tree), about, lang)
    assert "score" in tree.write("svg")
    with pytest.raises(penjing.ChoiceError, match="least_rows"):
        penjing.fit(golf, recipe="chi", least_row=3)
    with pytest.raises(penjing.ChoiceError, match="chi-binary"):
        penjing.fit(golf, recipe="chi-binnary")


def test_the_command_knows_it(tmp_path):
    start = f"import sys; sys.path.insert(0, {str(FOLDER)!r})\n"
    code = f"{start}from penjing.__main__ import run; raise SystemExit(run())"
    model, rows = tmp_path / "golf.json", tmp_path / "golf.csv"
    rows.write_text("wind,play\n" + "no,yes\n" * 9 + "yes,no\n" * 9, "utf-8")
    for words in (
        ("fit", str(rows), "--target", "play", "--recipe", "chi", "-o", str(model)),
        ("show", str(model)),
        ("recipes", "chi"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert words[0] != "recipes" or "the least number of rows" in done.stdout
        assert words[0] != "recipes" or "least_chi" in done.stdout


def test_a_model_is_shown_and_predicts_where_the_dialect_is_not_installed(tmp_path):
    golf = penjing.example("golf")
    tree = penjing.fit(golf, recipe="chi", least_rows=3, least_chi=0.5)
    tree.save(tmp_path / "tree.json")
    code = f"""
import penjing
tree = penjing.load({str(tmp_path / "tree.json")!r})
golf = penjing.example("golf")
print(tree.predict(golf).tolist())
print(tree.write("text"))
assert tree.write("svg") and tree.write("html")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{tree.predict(golf).tolist()}\n{tree.write('text')}\n"


def test_every_engine_is_asked():
    assert {*HERE, *DATABASES, "spark"} == set(registry.BUILT_IN["engine"])
