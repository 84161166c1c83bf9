"""What is printed is the tree: the drawing, read back by a reader of its own, routes every row."""

from __future__ import annotations

import re
from ast import literal_eval
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table
from strategies import RECIPE_NAMES, grown, part_weights, tables, whole_weights

WORD = r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+?)"""
LINE = re.compile(rf"((?:│  )*){WORD} (=|≤|<|>|≥|in) (.*?)(?:: (\[S\d+\]|{WORD}(?: \(.*\))?))?$")


def unquoted(word: str) -> str:
    return literal_eval(word) if word[0] in "'\"" else word


def words_of(text: str) -> list[str]:
    return [unquoted(word) for word in re.findall(rf"{WORD}(?:, |}}|$)", text.lstrip("{"))]


class FeatureOrder:
    """The lines of a drawing as a list of (depth, column, sign, words, answer or subtree)."""

    def __init__(self, text: str) -> None:
        self.parts: dict[str, list[Any]] = {"": []}
        self.lone: str | None = None
        name = ""
        for line in text.split("\n"):
            if re.fullmatch(r"\[S\d+\]", line):
                name = line
                self.parts[name] = []
            elif found := LINE.fullmatch(line):
                bars, column, sign, words, answer = found.groups()[:5]
                self.parts[name].append(
                    (len(bars) // 3, unquoted(column), sign, words_of(words), answer)
                )
            elif line:
                self.lone = unquoted(re.fullmatch(rf"{WORD}(?: \(.*\))?", line)[1])

    def answer(self, row: dict[str, Any], order: dict[str, list[str]]) -> str | None:
        """Return what the drawing answers for a row; None where no line fits."""
        if self.lone is not None:
            return self.lone
        part, depth, i = self.parts[""], 0, 0
        while i < len(part):
            at, column, sign, words, answer = part[i]
            i += 1
            if at < depth:
                return None
            if at > depth or not fits(row[column], sign, words, order.get(column)):
                continue
            if answer is None:
                depth += 1
            elif answer in self.parts:
                part, depth, i = self.parts[answer], 0, 0
            else:
                return unquoted(re.match(WORD + r"(?: \(.*\))?$", answer)[1])
        return None


def fits(value: Any, sign: str, words: list[str], order: list[str] | None) -> bool:
    if sign in ("=", "in"):
        return str(value) in words
    if order is not None:
        below = order.index(str(value)) <= order.index(words[0])
    else:
        below = value < float(words[0]) if sign in "<≥" else value <= float(words[0])
    return below if sign in "≤<" else not below


def check_drawing(tree: Tree, table: Table) -> None:
    text = str(tree)
    drawing = FeatureOrder(text)
    order = {f.name: list(map(str, f.levels)) for f in tree.schema if f.kind == "ordered"}
    answers = [str(a) for a in tree.predict(table)]
    assert [drawing.answer(row, order) for row in table.rows()] == answers
    assert text.isprintable() or set(filter(lambda c: not c.isprintable(), text)) == {"\n"}


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
@given(table=tables() | tables(weights=part_weights))
def test_the_drawing_routes_every_row_as_the_tree_does(recipe, table):
    tree = penjing.fit(table, recipe=recipe)
    check_drawing(tree, table)
    check_drawing(Tree.from_dict(tree.to_dict()), table)


@given(table=tables(("numeric",), max_rows=12))
def test_rounded_cuts_route_every_row_even_of_extreme_numbers(table):
    tree = penjing.fit(table, recipe="cart-binary")
    check_drawing(tree, table)
    check_drawing(grown(table, "cart-binary"), table)  # knows no gaps, so prints every digit


@given(table=tables(), order=st.sampled_from(["rows", "levels"]))
def test_empty_branches_are_drawn_on_request(table, order):
    tree = penjing.fit(table)
    lines = tree.draw(empty=True, order=order).split("\n")
    assert len([line for line in lines if line]) == len(str(tree).split("\n")) + tree.n_empty
    assert sum(line.endswith(" (0)") for line in lines) >= tree.n_empty


@given(
    table=tables(missing=True, weights=whole_weights)
    | tables(missing=True, weights=part_weights)
    | tables(regression=True)
)
def test_no_number_is_printed_as_negative_zero_or_with_needless_digits(table):
    names = {column.name for column in table.columns} | {"y", "class"}
    tree = grown(table, "c4.5-textbook")
    for line in str(tree).split("\n"):
        bare = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", "", line)  # names are not numbers
        for word in bare.split():
            if word not in names and re.fullmatch(r"[(]?-0(\.0*)?[),:]*", word):
                levels = {str(v) for f in (*tree.schema, tree.target) for v in f.levels}
                assert word.strip("(),:") in levels
    assert " (nan" not in str(tree)


@given(table=tables())
def test_plain_characters_are_plain(table):
    for line in penjing.fit(table).draw(ascii_only=True).split("\n"):
        assert not re.match(r"│", line)
        assert " ≤ " not in re.sub(r"'.*?'", "", line)


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
@given(table=tables() | tables(missing=True))
def test_a_tree_as_a_dict_comes_back_and_answers_the_same(recipe, table):
    tree = grown(table, recipe, missing="fraction")
    for empty in (True, False):
        plain = tree.to_dict(empty=empty)
        again = Tree.from_dict(plain, table.target.name)
        assert again.to_dict() == plain
    whole = table.take([not any(v is None for v in row.values()) for row in table.rows()])
    asked = np.unique(tree.nodes.column[~tree.is_leaf])
    if whole.n_rows and asked.size:
        assert again.predict(whole).tolist() == tree.predict(whole).tolist()
