"""What the command tells of a tree, Python tells with the same words: why, trace, report, score."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import penjing
from penjing.cli import main
from penjing.errors import PenjingError

RECIPES = ["id3", "c4.5", "c5.0", "rpart", "sklearn", "cart-binary"]
IRIS = pd.DataFrame(
    {"petal": [1.4, 1.3, 1.5, 4.7, 4.5, 4.9, 6.0, 5.1, 5.9], "sepal": [5, 4, 4, 7, 6, 6, 6, 5, 7]}
)
KIND = pd.Series([0, 0, 0, 1, 1, 1, 2, 2, 2], name="kind")
NAMES = ["setosa", "versicolor", "virginica"]


def without_rows(tree: penjing.Tree) -> penjing.Tree:
    """Return a tree that does not know where its training rows are."""
    return pickle.loads(pickle.dumps(tree))  # noqa: S301 - made here


@pytest.fixture
def run(capsys):
    """Return a function that runs the command and returns what it prints."""

    def printed(*arguments: str) -> str:
        assert main([*arguments]) == 0
        return capsys.readouterr().out

    return printed


@pytest.fixture
def melons() -> penjing.Table:
    return penjing.example("watermelon3.0")


@pytest.fixture
def named() -> penjing.Tree:
    return penjing.fit(IRIS, KIND, "cart-binary")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_why_and_trace_are_those_of_the_command(recipe, lang, tmp_path, run):
    data = tmp_path / "melons.csv"
    penjing.example("watermelon3.0").to_pandas().to_csv(data, index=False)
    model = str(tmp_path / "m.tree")
    run("fit", str(data), "-r", recipe, "--target", "好瓜", "-o", model)
    tree = penjing.load(model)
    for node in range(min(tree.n_nodes, 4)):
        printed = run("why", model, str(node), "--train", str(data), "--lang", lang)
        assert tree.why(node, data).text(lang) == printed.rstrip("\n")
    printed = run("trace", model, "--train", str(data), "--lang", lang)
    whole = tree.trace.with_rows(data)
    assert whole.is_whole
    if tree.trace.is_whole:  # the command tells what the model kept
        assert whole.text(lang) == printed.rstrip("\n")
    else:
        assert len(whole) > len(tree.trace)


def test_why_takes_paths_and_says_what_to_pass(melons):
    tree = penjing.fit(melons, recipe="id3")
    assert tree.why("纹理=清晰").to_dict() == tree.why(tree.why("纹理=清晰").node).to_dict()
    assert tree.why().split == "纹理"
    assert str(tree.why()) == tree.why().text()
    with pytest.raises(PenjingError, match="99"):
        tree.why(99)
    lost = without_rows(tree)
    with pytest.raises(PenjingError, match="training rows"):
        lost.why()
    assert lost.why(0, melons).to_dict() == tree.why().to_dict()


def test_a_trace_without_rows_is_empty_and_says_so(melons):
    tree = penjing.fit(melons, recipe="id3")
    assert str(tree.trace).count("\n") > 20
    lost = without_rows(tree)
    assert not lost.trace
    assert "training rows" in str(lost.trace)
    assert list(lost.trace) == []
    assert str(lost.trace.with_rows(melons)) == str(tree.trace)
    pruned = lost.prune("pessimistic")
    assert len(pruned.trace) == len(pruned.trace.pruning[0]["decisions"])
    assert "training rows" in str(pruned.trace)


def test_a_report_is_the_page_of_the_command(tmp_path, run):
    data, model, page = (str(tmp_path / name) for name in ("w.csv", "w.tree", "w.html"))
    penjing.example("watermelon2.0").to_pandas().to_csv(data, index=False)
    run("fit", data, "-o", model)
    run("report", model, "--train", data, "--no-cross", "-o", page)
    tree = penjing.load(model)
    written = tree.report(tmp_path / "p.html", training=data, cross_validation=False)
    assert (tmp_path / "p.html").read_text("utf-8") == written
    assert written == Path(page).read_text("utf-8")
    assert "<h1" in tree.report(test=data, lang="zh", theme="dark")


@pytest.mark.parametrize("form", [list, np.array, pd.Series, pl.Series, tuple])
def test_score_takes_rows_and_labels(named, form):
    expected = named.score(IRIS.assign(kind=KIND))
    assert named.score(IRIS, form(KIND.to_list())).to_dict()["confusion"] == [
        list(row) for row in expected.confusion
    ]
    numbers = penjing.fit(IRIS, KIND / 2, "cart-binary")
    assert numbers.score(IRIS, form((KIND / 2).to_list())).rmse == 0


def test_score_counts_rows_without_a_label_and_refuses_other_numbers_of_them(named):
    assert named.score(IRIS, [None, *KIND[1:].to_list()]).unlabelled == 1
    with pytest.raises(PenjingError, match="9"):
        named.score(IRIS, [0, 1])
    assert named.score(IRIS, [7] * 9).correct == 0


def test_a_series_is_one_row(named):
    for i in range(len(IRIS)):
        row = IRIS.iloc[i]
        assert named.predict(row).tolist() == named.predict(IRIS.iloc[[i]]).tolist()
        assert named.explain(row).to_dict() == named.explain(dict(row)).to_dict()
        assert named.predict_proba(row).shape == (1, 3)
    mixed = pd.Series({"no surfacing": 1, "flippers": None}, dtype=object)
    tree = penjing.fit(penjing.example("fish"), missing="fraction")
    assert (
        tree.predict(mixed).tolist() == tree.predict({"no surfacing": 1, "flippers": None}).tolist()
    )


@pytest.mark.parametrize("names", [NAMES, np.array(NAMES), dict(enumerate(NAMES))], ids=str)
def test_class_names_stand_in_texts_and_pictures(named, names, tmp_path):
    kinds = ("text", "rules", "markdown", "svg", "html", "dot", "icicle")
    for kind in kinds:
        assert "virginica" in named.write(kind, class_names=names)
        assert "virginica" not in named.write(kind)
    assert "virginica" in named.draw(class_names=names)
    assert "virginica" in named.export("python", class_names=names)
    assert "virginica" in named.explain(IRIS.iloc[8], class_names=names).text()
    named.save_picture(tmp_path / "t.svg", class_names=names)
    assert "virginica" in (tmp_path / "t.svg").read_text("utf-8")
    assert any("virginica" in text.get_text() for text in named.plot(class_names=names).texts)


def test_a_tree_keeps_the_names_of_its_classes(tmp_path):
    tree = penjing.fit(IRIS, KIND, "cart-binary", class_names=NAMES)
    assert tree.predict(IRIS).tolist() == KIND.to_list()
    tree.save(tmp_path / "t.tree")
    for one in (tree, penjing.load(tmp_path / "t.tree"), tree.prune("collapse")):
        assert "setosa" in str(one)
        assert one.classes == (0, 1, 2)
        assert "setosa" not in one.export("python")
    assert "setosa" in str(tree.why())
    assert "setosa" in str(tree.trace)
    assert "setosa" in str(tree.explain(IRIS.iloc[0]))


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["a", "b"], "2 names, but the tree has 3 classes"),
        ({7: "a"}, "'7', which is not a class"),
        ([1, 2, 3], "list of strings"),
        ("abc", "list of strings"),
        ({0: 1}, "list of strings"),
    ],
)
def test_wrong_class_names_are_refused_in_a_sentence(named, names, sentence):
    with pytest.raises(PenjingError, match=sentence):
        named.write("text", class_names=names)
    with pytest.raises(PenjingError, match=sentence):
        penjing.fit(IRIS, KIND, "cart-binary", class_names=names)


def test_numbers_have_no_class_names():
    with pytest.raises(PenjingError, match="is numeric"):
        penjing.fit(IRIS, KIND / 2, "cart-binary", class_names=NAMES)


def results() -> dict[str, object]:
    """Return a result of every kind."""
    melons = penjing.example("watermelon3.0")
    tree = penjing.fit(melons, recipe="id3", trace=True)
    numbers = penjing.fit(IRIS, KIND / 2, "cart-binary")
    return {
        "table": melons,
        "report": tree.score(melons),
        "numbers": numbers.score(IRIS, KIND / 2),
        "cross_validate": penjing.cross_validate(melons, "id3", 3),
        "explanation": tree.explain(next(iter(melons.rows()))),
        "why": tree.why(),
        "trace": tree.trace,
        "stability": penjing.bootstrap(melons, n=3),
        "comparison": penjing.compare(tree, tree.prune("pessimistic"), {"test": melons}),
        "importances": tree.importances(),
        "ruleset": tree.ruleset(melons),
        "votes": tree.ruleset(melons, votes=True),
        "drift": tree.drift(melons),
        "summary": tree.summarize(melons),
    }


RESULTS = results()


@pytest.mark.parametrize("name", RESULTS)
def test_results_print_and_become_frames_and_dicts(name):
    result = RESULTS[name]
    assert str(result) == result.text() == result.text("en")
    assert result.text("zh")
    assert isinstance(result.to_pandas(), pd.DataFrame)
    assert not result.to_pandas().empty
    assert name == "table" or isinstance(result.to_dict(), dict)
    page = result._repr_html_()
    assert page.startswith("<")
    assert "color:#" not in page.replace("border", "")
    with pytest.raises(PenjingError):
        result.text("xx")


def test_html_is_escaped():
    evil = "<script>alert(1)</script>"
    rows = [{evil: f"{evil}{i % 3}", "y": f"{evil}{i % 2}"} for i in range(6)]
    table = penjing.read(rows, "y", quiet=True)
    tree = penjing.fit(table, trace=True)
    for result in (
        table,
        tree.score(table),
        tree.explain(rows[0]),
        tree.why(),
        tree.trace,
        tree.importances(),
        tree.ruleset(table),
        tree.ruleset(table, votes=True),
        penjing.bootstrap(table, n=2),
        penjing.compare(tree, tree.prune("collapse"), names=(evil, "b")),
    ):
        assert "<script" not in result._repr_html_()


def test_nodes_and_rules_are_frames(melons):
    tree = penjing.fit(melons, recipe="id3")
    nodes = tree.to_pandas()
    assert len(nodes) == tree.n_nodes
    assert nodes["is_leaf"].sum() == tree.n_leaves
    assert nodes.loc[0, "split"] == "纹理"
    assert nodes["parent"].isna().sum() == 1
    assert nodes["threshold"].notna().sum() == 1
    rules = tree.to_pandas("rules")
    assert len(rules) == tree.n_leaves
    assert rules["weight"].sum() == 17
    assert set(rules["prediction"]) == {"是", "否"}
    with pytest.raises(PenjingError):
        tree.to_pandas("leaves")
