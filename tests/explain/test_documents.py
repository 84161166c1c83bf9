"""`why` and `trace` as Markdown, LaTeX and HTML: the numbers and names are those of the text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penjing
from penjing.text.formula import decimals
from penjing.text.labels import quoted
from strategies import RECIPE_NAMES, tables
from written_documents import XELATEX, compile_latex, read_html, read_markdown

RECIPES = ["id3", "c4.5-textbook", "cart-textbook", "cart-binary", "c4.5", "rpart", "sklearn"]


@settings(max_examples=40, deadline=None)
@given(table=tables(), recipe=st.sampled_from(RECIPE_NAMES), lang=st.sampled_from(["en", "zh"]))
def test_documents_have_the_candidates_of_every_node(table, recipe, lang):
    tree = penjing.fit(table, recipe=recipe)
    for node in range(tree.n_nodes):
        why = tree.why(node)
        gains = [decimals(c["gain"]) for c in why.candidates if c["gain"] is not None]
        for page in (read_html(why.to_html(lang)), read_markdown(why.to_markdown(lang))):
            assert [row[2] for row in page.cells[1:]] == gains
    page = read_html(tree.trace.to_html(lang, steps=None))
    listed = [
        " ".join(quoted(c["column"]).split())
        for step in tree.trace
        for c in step["candidates"]
        if c["gain"] is not None
    ]
    shown = [" ".join(row[0].split()) for row in page.cells if row[-1] not in ("remark", "说明")]
    assert len(shown) == len(listed)
    assert all(s.startswith(name) for s, name in zip(shown, listed, strict=True))


def test_every_node_has_its_formulas():
    golf = penjing.example("golf")
    tree = penjing.fit(golf, recipe="c4.5-textbook")
    text = tree.trace.text(formulas=True)
    assert text.count("Ent(D) = ") == tree.n_nodes
    assert text.count("Gain_ratio(D, ") == tree.n_nodes - tree.n_leaves
    markdown = tree.trace.to_markdown()
    assert markdown.count(r"\mathrm{Ent} ( D )") == tree.n_nodes
    assert markdown.count(r"\mathrm{Gain\_ratio}") == tree.n_nodes - tree.n_leaves
    assert "$$" not in tree.trace.to_markdown(formulas=False)


def test_the_text_without_formulas_is_as_it_was():
    golf = penjing.example("golf")
    tree = penjing.fit(golf, recipe="c4.5-textbook")
    lines = tree.trace.text(formulas=True).splitlines()
    without = [line.split() for line in lines if not re.match(r"  (formulas| {8}) ", line)]
    assert without == [line.split() for line in tree.trace.text().splitlines()]


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("kind", ["to_markdown", "to_latex", "to_html"])
def test_a_pruned_tree_and_a_tree_of_numbers_can_be_written(recipe, kind):
    golf = penjing.example("golf")
    tree = penjing.fit(golf, recipe=recipe).prune("pessimistic")
    assert tree.target.name in getattr(tree.why(0, golf), kind)("zh")
    assert tree.target.name in getattr(tree.trace.with_rows(golf), kind)()
    numbers = penjing.read({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.5, 1.0, 7.0, 8.5]}, "y")
    grown = penjing.fit(numbers, recipe="cart-binary")
    assert "Var" in getattr(grown.why(), kind)()
    assert "Var" in getattr(grown.trace, kind)("zh")


def test_a_loaded_tree_without_trace_says_what_to_give(tmp_path):
    tree = penjing.fit(penjing.example("fish"))
    tree.save(tmp_path / "fish.tree")
    loaded = penjing.load(tmp_path / "fish.tree")
    assert "trace" in loaded.trace.to_markdown()


@pytest.mark.skipif(XELATEX is None, reason="XeLaTeX is not installed")
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_latex_of_a_trace_compiles(lang, tmp_path):
    golf = penjing.example("golf" if lang == "en" else "watermelon3.0")
    tree = penjing.fit(golf, recipe="c4.5-textbook")
    log = compile_latex(tree.trace.to_latex(lang), tmp_path)
    assert "Missing character" not in log
    assert "Overfull" not in log
