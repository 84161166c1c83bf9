"""What a story shows is what decided, and every leaf has its reason."""

from __future__ import annotations

import numpy as np
import pytest

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.explain import node_text
from penjing.explain.node import explain, story
from penjing.explain.trace_text import step_lines


def mixed(n=200, seed=1):
    """Return rows that a group of levels and a number decide together, with some noise."""
    draw = np.random.default_rng(seed)
    cat, num = draw.choice(list("abcd"), n), draw.normal(size=n).round(3)
    k = draw.choice(list("pq"), n)
    is_u = np.isin(cat, ["a", "b"]) != (num > 0.3)
    is_u ^= draw.random(n) < 0.08
    columns = (nominal("cat", cat.tolist()), numeric("num", num), nominal("k", k.tolist()))
    return Table(columns, nominal("y", np.where(is_u, "u", "v").tolist()), n)


TABLE = mixed()
RECIPES = (
    "id3",
    "cart-binary",
    "cart-textbook",
    "c4.5-textbook",
    "c4.5",
    "j48",
    "rpart",
    "sklearn",
)


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_numbers_shown_rank_as_the_choice_does(recipe):
    tree = penjing.fit(TABLE, recipe=recipe, trace=True)
    steps = story(tree)
    for i, step in enumerate(steps, start=1):
        lines = step_lines(step, i, len(steps), tree.recipe, "en", ascii_only=True)
        weigh = next((line for line in lines if line.startswith("  weigh")), None)
        if weigh is None or step["question"] is None:
            continue
        texts = weigh.removeprefix("  weigh").split(" (")[0].split(", ")
        shown = [float(text.split()[-1]) for text in texts]
        is_least = "smallest is best" in weigh
        assert shown[0] == (min(shown) if is_least else max(shown))
        assert ("score" in weigh) == (step["rules"] != "textbook")


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_leaf_of_a_story_has_a_question_answered_yes(recipe):
    tree = penjing.fit(TABLE, recipe=recipe, trace=True)
    for lang, yes in (("en", ": yes"), ("zh", "：是")):
        steps = story(tree)
        for i, step in enumerate(steps, start=1):
            stop = step_lines(step, i, len(steps), tree.recipe, lang, ascii_only=False)[2]
            assert stop.endswith(yes) == (step["question"] is None)


def test_c45_says_what_left_a_column_out():
    reasons, stops = set(), set()
    for seed in range(8):
        tree = penjing.fit(mixed(40, seed), recipe="c4.5", trace=True, pruning="none")
        for node in range(tree.n_nodes):
            told = explain(tree, node)
            divides = [c for c in told["candidates"] if c["gain"] is not None]
            out = {node_text.exclusion_reason(told, c) for c in divides if c["score"] is None}
            reasons |= out
            stops.add(told["stop"])
            # Not everything can be below the average of it all.
            assert "below" not in out or any(c["score"] is not None for c in divides)
            assert told["stop"] != "alike" or not divides
            assert told["stop"] != "no_gain" or divides
    assert reasons >= {"below", "costly"}
    assert stops >= {"pure", "no_gain"}


@pytest.mark.parametrize("recipe", ["c4.5", "rpart", "sklearn"])
def test_rows_weighed_anew_give_the_reason_that_growing_gave(recipe):
    tree = penjing.fit(TABLE, recipe=recipe, trace=True)
    for node in np.flatnonzero(tree.is_leaf).tolist():
        kept, anew = explain(tree, node)["stop"], explain(tree, node, TABLE)["stop"]
        assert kept == anew
