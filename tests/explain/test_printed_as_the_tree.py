"""`why`, `explain` and `trace` print thresholds as the tree, missing values and many classes."""

from __future__ import annotations

import numpy as np
import pytest

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.text.labels import answer_text, value_text


@pytest.mark.parametrize("recipe", ["sklearn", "rpart", "c4.5", "cart-binary", "id3"])
def test_the_chosen_split_of_why_is_that_of_the_tree(recipe):
    random = np.random.RandomState(4)
    x = random.randn(300, 2).round(3)
    y = np.where(x[:, 0] < -0.465, "a", np.where(x[:, 1] > 0.113, "b", "c"))
    table = Table((numeric("x", x[:, 0]), numeric("z", x[:, 1])), nominal("k", y), 300)
    tree = penjing.fit(table, recipe=recipe)
    for node in range(tree.n_nodes):
        if tree.is_leaf[node]:
            continue
        why = tree.why(node)
        chosen = next(c for c in why.candidates if c["is_chosen"])
        answers = [branch["answer"] for branch in chosen["branches"]]
        assert answers == [answer_text(tree, node, k) for k in range(len(answers))]
        assert f"{why.split} {answers[0]}" in why.text()
        assert f"{why.split} {answers[0]}" in str(tree)


def test_an_interval_is_written_with_the_threshold_of_the_tree():
    table = Table((numeric("age", [1, 2, 6, 7, 8, 30] * 5),), nominal("k", [*"aaabbb"] * 5), 30)
    tree = penjing.fit(table, recipe="rpart", minsplit=2)
    assert "age < 6.5" in str(tree)
    assert "age < 6.5" in str(tree.explain({"age": 30}))
    assert "age ≥ 6.5" in str(tree.explain({"age": 2}))
    for age in (6.499999999999999, 6.5):
        side = tree.predict({"age": age})[0]
        assert (side == "a") == (age < 6.5)


def test_of_many_classes_the_largest_are_named():
    random = np.random.RandomState(1)
    x = random.rand(800).round(3)
    names = [f"letter {chr(65 + k)}" for k in range(26)]
    classes = [names[int(min(25, v * 13 + 13 * random.rand()))] for v in x]
    table = Table((numeric("x", x), numeric("z", x[::-1])), nominal("k", classes, names), 800)
    tree = penjing.fit(table, recipe="cart-binary", max_depth=3)
    explanation = tree.explain({"x": 0.5, "z": 0.5})
    for lang, others in (("en", " other classes "), ("zh", "其余 ")):
        lines = [line for line in explanation.text(lang).splitlines() if " → " in line]
        for line, node in zip(lines, explanation.to_json()["path"][1:], strict=True):
            assert " : " not in line
            assert others in line
            largest = sorted(range(26), key=lambda k: -node["total"][k])[:3]
            for k in largest:
                assert f"'{names[k]}' {node['total'][k]}" in line
            rest = sum(node["total"]) - sum(node["total"][k] for k in largest)
            assert f" {rest} → " in line
    few = penjing.fit(penjing.example("golf")).explain({"outlook": "sunny", "humidity": 80})
    assert " : " in str(few)


def test_the_trace_counts_missing_values_beside_the_branches():
    ages = [1, 2, None, 7, 8, 30, None] * 6
    table = Table(
        (numeric("age", ages), nominal("s", [*"pqpqpqp"] * 6)), nominal("k", [*"aaabbbb"] * 6), 42
    )
    tree = penjing.fit(table, recipe="rpart", minsplit=2)
    line = next(x for x in tree.trace.text().splitlines() if x.strip().startswith("branches"))
    assert line.endswith("< 4.5 12, ≥ 4.5 18; missing: 12")
    line = next(x for x in tree.trace.text("zh").splitlines() if x.strip().startswith("分支"))
    assert line.endswith("；缺失：12")


@pytest.mark.parametrize(("middle", "step"), [(1e6, 0.02), (2.574e12, 3e6), (10.0, 1.0)])
def test_predicted_numbers_have_the_digits_of_the_tree(middle, step):
    x = np.arange(60) % 12
    y = middle + step * (x // 4) + step / 50 * np.sin(np.arange(60))
    table = Table((numeric("x", x),), numeric("y", y), 60)
    tree = penjing.fit(table, recipe="rpart", trace=True)
    shown = {node: value_text(tree, node) for node in range(tree.n_nodes)}
    leaves = [shown[node] for node in range(tree.n_nodes) if tree.is_leaf[node]]
    assert len(set(leaves)) == 3
    for text in leaves:
        assert f": {text} (" in str(tree)
    for lang, words in (("en", "prediction: "), ("zh", "预测：")):
        explanation = tree.explain({"x": 0})
        lines = explanation.text(lang).splitlines()
        first = tree.path(int(tree.apply({"x": 0})[0]))
        assert lines[0] == words + shown[first[-1]]
        steps = [line.split(" → ")[1] for line in lines if " → " in line]
        assert steps == [shown[node] for node in first[1:]]
        changed = [line.split()[-1] for line in lines[len(first) + 1 :]]
        assert changed
        assert set(changed) <= {*leaves} - {shown[first[-1]]}
    for node in range(tree.n_nodes):
        why, word = tree.why(node), "predicts" if tree.is_leaf[node] else "mean"
        assert f"{word} {shown[node]}" in why.text().replace(":", "")
        assert f"mean {shown[node]}" in why.to_markdown()
        assert f"mean {shown[node]}" in tree.trace.text()
