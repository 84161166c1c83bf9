"""Groups of categories have one form: ``in {a, b}`` in English, ``∈ {a, b}`` in Chinese."""

from __future__ import annotations

import re

import pytest

import penjing
from penjing.text.labels import condition_text

MELONS = penjing.example("watermelon2.0")
TREE = penjing.fit(MELONS, recipe="cart-binary")
TEXTS = {
    "draw": lambda lang: TREE.draw(lang=lang),
    "rules": lambda lang: TREE.write("rules", lang=lang),
    "markdown": lambda lang: TREE.write("markdown", lang=lang),
    "svg": lambda lang: TREE.write("svg", lang=lang),
    "icicle": lambda lang: TREE.write("icicle", lang=lang),
    "why": lambda lang: "\n".join(TREE.why(n).text(lang) for n in range(TREE.n_nodes)),
    "trace": TREE.trace.text,
    "pruning": TREE.prune("pessimistic").trace.text,
    "explain": lambda lang: "\n".join(TREE.explain(r).text(lang) for r in MELONS.rows()),
    "ruleset": lambda lang: TREE.ruleset(MELONS).text(lang),
    "report": lambda lang: TREE.report(lang=lang, cross_validation=False),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_each_language_has_one_sign(kind):
    english, chinese = TEXTS[kind]("en"), TEXTS[kind]("zh")
    assert re.search(r"\bin \{", english)
    assert "∈ {" in chinese
    assert not re.search(r"(?<![\w-])in \{[^\n{}]*[\u4e00-\u9fff]", chinese)
    assert "∈ {" not in english


def test_only_sets_are_changed():
    assert condition_text("in {a, b}", "zh") == "∈ {a, b}"
    assert condition_text("x in {a, b}", "zh", ascii_only=True) == "x in {a, b}"
    assert condition_text("x = '}'", "zh") == "x = '}'"
    assert condition_text("margin {a}", "zh") == "margin {a}"


@pytest.mark.parametrize("sign", ["in", "∈"])
def test_a_printed_path_can_be_typed_again(sign):
    assert TREE.why(f"纹理 {sign} {{稍糊, 模糊}}").to_dict()["node"] == 1
