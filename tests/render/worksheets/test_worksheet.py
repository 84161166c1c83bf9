"""Worksheets: one answer, the numbers of `why`, one entry a blank, and nothing told beforehand."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import oracle_worksheet as oracle
import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.errors import ChoiceError, DataWarning
from penjing.formatting.document_formats import write_document
from penjing.render.worksheets.sheet_document import sheet_document
from penjing.render.worksheets.sheet_record import sheet_record, split_nodes
from strategies import RECIPE_NAMES, tables
from written_documents import XELATEX, compile_latex, read_html, read_markdown

GOLDEN = Path(__file__).parent / "golden" / "drawn_tables.json"
recipes = st.sampled_from(RECIPE_NAMES)
levels = st.sampled_from(["choice", "measures", "all"])
languages = st.sampled_from(["en", "zh"])
drawn = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def sheets(draw):
    """Draw the worksheet of a random table, or of a table that a seed draws."""
    options = {"recipe": draw(recipes), "blanks": draw(levels), "lang": draw(languages)}
    if draw(st.booleans()):
        return penjing.worksheet(seed=draw(st.integers(0, 10**6)), **options)
    table = draw(tables())
    try:
        return penjing.worksheet(table, **options)
    except ChoiceError as error:
        assume(error.key != "worksheet_one_leaf")
        raise


def numbers_of(sheet):
    """Return the answers of a worksheet by their ids."""
    return {answer["id"]: answer for answer in sheet.solution["answers"]}


@drawn
@given(seed=st.integers(0, 2**40), recipe=recipes, lang=languages, depth=st.integers(1, 3))
def test_a_drawn_sheet_has_one_answer_which_is_that_of_the_definition(seed, recipe, lang, depth):
    made = penjing.worksheet(seed=seed, recipe=recipe, depth=depth, lang=lang)
    sheet, answers = made.sheet, numbers_of(made)
    names = [c["name"] for c in sheet["columns"]]
    rows = [dict(zip([*names, sheet["target"]], row, strict=True)) for row in sheet["rows"]]
    is_binary = sheet["shape"] == "binary"
    nodes = oracle.grow(
        rows, names, sheet["target"], sheet["criterion"], binary=is_binary, depth=depth
    )
    assert len(nodes) == sheet["n_nodes"]
    by_path = {answers[f"{k}.rows"]["value"] for k in range(1, len(nodes) + 1)}
    assert by_path == {len(node["rows"]) for node in nodes}
    found = Counter(answers[f"{k}.chosen"]["value"] for k in range(1, len(nodes) + 1))
    assert found == Counter(node["best"] for node in nodes)
    for node in nodes:
        assert node["lead"] > 0.019
        assert node["own_lead"] > 0.009
        assert node["ratio_gap"] > 0.009
    for i, name in enumerate(names, start=1):  # the root comes first in both
        for measure, value in nodes[0]["measures"].get(name, {}).items():
            if f"1.{measure}.{i}" in answers:
                assert answers[f"1.{measure}.{i}"]["value"] == pytest.approx(value, abs=1e-12)


@drawn
@given(sheets())
def test_the_solution_is_what_why_computes(made):
    answers, tree, table = numbers_of(made), made.tree, made.table
    for k, node in enumerate(split_nodes(tree), start=1):
        why = penjing.Tree.from_data(tree).why(node, table).to_dict()
        candidates = {c["column"]: c for c in why["candidates"] if c["gain"] is not None}
        for i, column in enumerate(made.sheet["columns"], start=1):
            for measure in (
                "entropy_after",
                "gain",
                "split_information",
                "gain_ratio",
                "gini_after",
            ):
                answer = answers.get(f"{k}.{measure}.{i}")
                if answer is not None:
                    assert answer["value"] == candidates.get(column["name"], {}).get(measure)
        assert answers[f"{k}.chosen"]["value"] == why["question"]
        if f"{k}.impurity" in answers:
            assert answers[f"{k}.impurity"]["value"] in (why["entropy"], why["gini"])
        if k > 1:
            assert answers[f"{k}.path"]["value"] == why["path"]


@drawn
@given(sheets())
def test_every_row_is_predicted_by_walking_through_the_answers(made):
    answers, lang = numbers_of(made), made.sheet["lang"]
    n_lines = max(int(key.split(".")[2]) for key in answers if ".branch." in key)
    for k in range(1, made.sheet["n_nodes"] + 1):
        lines = [answers[f"{k}.branch.{b}.rows"]["value"] for b in range(1, n_lines + 1)]
        told = made.steps[k - 1]
        assert sum(n for n in lines if n is not None) == told["rows"]
        results = [answers[f"{k}.branch.{b}.result"]["value"] for b in range(1, n_lines + 1)]
        assert all((n is None) == (r is None) for n, r in zip(lines, results, strict=True))
    targets = Counter(
        a["value"]["node"] for a in answers.values() if a["kind"] == "result" and a["value"]
        and "node" in a["value"]
    )  # fmt: skip
    assert targets == Counter(range(2, made.sheet["n_nodes"] + 1)), lang


@drawn
@given(sheets())
def test_every_blank_has_one_answer_in_every_format(made):
    ids = [blank["id"] for blank in made.sheet["blanks"]]
    assert len(set(ids)) == len(ids)
    assert [answer["id"] for answer in made.solution["answers"]] == ids
    assert sorted(read_html(made.to_html()).blanks) == sorted(ids)
    solved = read_html(made.to_html(solution=True))
    assert solved.blanks == []
    assert "script" not in solved.tags
    cells = sum(len(row) for row in read_html(made.to_html()).cells)
    assert cells == sum(len(row) for row in read_markdown(made.to_markdown()).cells)
    assert made.to_latex().count("\\blank{") == len(ids)
    assert made.to_latex(solution=True).count("\\blank{") == 0
    assert json.loads(made.text_for("x.json")) == made.sheet


@drawn
@given(sheets())
def test_the_student_s_file_follows_from_the_table_and_the_number_of_nodes_alone(made):
    assume(made.sheet["level"] != "choice")  # it gives the scores of the root
    kept = ("criterion", "shape", "max_depth")
    about = {"name": made.sheet["recipe"], **{key: made.sheet[key] for key in kept}}
    blind = sheet_record(
        made.table, about, made.sheet["n_nodes"], level=made.sheet["level"],
        lang=made.sheet["lang"], seed=made.sheet["seed"],
    )  # fmt: skip
    for kind in ("html", "md", "tex"):
        page = write_document(sheet_document(blind | {"given": []}), kind)
        assert page == made.text_for(f"x.{kind}")
    assert blind | {"given": []} == made.sheet


@drawn
@given(seed=st.integers(0, 10**6), recipe=recipes, level=levels)
def test_no_answer_stands_in_the_student_s_file(seed, recipe, level):
    made = penjing.worksheet(seed=seed, recipe=recipe, blanks=level)
    page = made.to_html()
    given_texts = {given["text"] for given in made.sheet["given"]} | {"0.002"}
    numbers = {a["text"] for a in made.solution["answers"] if a["kind"] == "number"}
    shown = " ".join(read_html(page).texts)
    assert not [n for n in numbers - given_texts if n in shown and n != "–"]
    paths = [a["text"] for a in made.solution["answers"] if a["kind"] == "path"]
    assert not [path for path in paths if path in page]
    assert str(made.tree) not in page
    assert json.dumps(made.solution["answers"], ensure_ascii=False)[:40] not in page


def test_the_least_level_gives_the_scores_of_the_root_only():
    made = penjing.worksheet("example:play_tennis", blanks="choice")
    assert [given["text"] for given in made.sheet["given"]] == ["0.247", "0.029", "0.152", "0.048"]
    assert {given["id"].split(".")[0] for given in made.sheet["given"]} == {"1"}
    assert "0.247" in made.to_markdown()


def test_drawn_tables_are_the_same_everywhere(request):
    found = {
        f"{recipe} {lang} {seed}": penjing.worksheet(seed=seed, recipe=recipe, lang=lang).to_csv()
        for recipe in RECIPE_NAMES
        for lang in ("en", "zh")
        for seed in (0, 1)
    }
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", "utf-8")
    assert found == json.loads(GOLDEN.read_text("utf-8"))


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
def test_the_saved_rows_give_the_same_answers(recipe, tmp_path):
    for seed in range(5):
        made = penjing.worksheet(seed=seed, recipe=recipe, lang="zh")
        (tmp_path / "rows.csv").write_text(made.to_csv(), "utf-8")
        again = penjing.worksheet(tmp_path / "rows.csv", recipe=recipe, lang="zh", quiet=True)
        assert again.solution["answers"] == made.solution["answers"]


def test_tables_are_drawn_in_the_shape_of_another_one():
    golf = penjing.example("golf")
    made = penjing.worksheet(golf, seed=5, recipe="cart-textbook", rows=14)
    assert [c["name"] for c in made.sheet["columns"]] == list(golf.names)
    humidity = set(golf.column("humidity").values())
    assert {row[2] for row in made.sheet["rows"]} <= humidity
    assert len(made.sheet["rows"]) == 14
    assert made.to_csv() != penjing.worksheet(golf, recipe="cart-textbook").to_csv()


def test_a_large_table_with_gaps_gives_its_columns_and_classes():
    random = np.random.RandomState(3)
    words = [["p", "q", "r", None][i] for i in random.randint(0, 4, 400)]
    columns = [nominal(f"c{i}", np.roll(words, 7 * i).tolist()) for i in range(9)]
    target = nominal("y", [f"k{i}" for i in random.randint(0, 8, 400)])
    made = penjing.worksheet(Table(tuple(columns), target, 400), seed=3)
    assert len(made.sheet["columns"]) == 6
    assert len(made.sheet["classes"]) == 3
    assert set(made.sheet["classes"]) <= set(target.levels)


def test_ties_are_warned_of():
    with pytest.warns(DataWarning, match="at node 2, 根蒂, 脐部 and 触感 tie"):
        penjing.worksheet(penjing.example("watermelon2.0"), depth=2)


def test_what_cannot_be_computed_by_hand_is_refused_in_a_sentence():
    fish = penjing.example("fish")

    def refused(*args, **options):
        with pytest.raises(ChoiceError) as caught:
            penjing.worksheet(*args, quiet=True, **options)
        return caught.value.key

    for recipe in ("c4.5", "j48", "c5.0", "rpart", "sklearn"):
        assert refused(fish, recipe=recipe) == "worksheet_recipe"
    assert refused(penjing.example("watermelon2.0alpha")) == "worksheet_missing"
    assert refused({"x": [1.0, 2.0, 3.0], "y": [0.5, 1.5, 2.5]}, "y") == "worksheet_numbers"
    weighted = Table(fish.columns, fish.target, 5, np.ones(5) * 2)
    assert refused(weighted) == "worksheet_weights"
    pure = Table((nominal("a", "xyxy"),), nominal("c", "kkkk", "kl"), 4)
    assert refused(pure) == "worksheet_one_leaf"
    long = Table((nominal("a", "xy" * 60),), nominal("c", "kl" * 60), 120)
    assert refused(long) == "worksheet_rows"
    deep = Table((numeric("a", range(100)),), nominal("c", "kl" * 50), 100)
    assert refused(deep) == "worksheet_large"
    assert refused() == "worksheet_needs_data"
    assert refused(fish, rows=12) == "worksheet_rows_seed"
    assert refused(seed=1, depth=9) == "worksheet_depth"
    assert refused(fish.take([0, 1, 2, 3]), seed=1, depth=4, rows=90) == "worksheet_not_drawn"
    for options in ({"blanks": "none"}, {"lang": "fr"}, {"depth": 0}, {"seed": -1}):
        with pytest.raises(ChoiceError):
            penjing.worksheet(fish, **options)


def test_files_are_written_by_their_extension(tmp_path):
    made = penjing.worksheet("example:fish", quiet=True)
    made.save(tmp_path / "a.md")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a-solution.md", "a.md"]
    made.save(tmp_path / "b.json", tmp_path / "c.html")
    assert json.loads((tmp_path / "b.json").read_text("utf-8"))["format"] == "penjing-worksheet"
    with pytest.raises(ChoiceError, match="extensions"):
        made.save(tmp_path / "a.pdf")
    rows = tmp_path / "rows.json"
    rows.write_text('[{"a": "x", "c": "k"}, {"a": "y", "c": "l"}]')
    with pytest.raises(ChoiceError, match="overwritten"):
        penjing.worksheet(rows, "c").save(rows)
    assert rows.read_text().startswith("[")
    with pytest.raises(ChoiceError, match="same file"):
        made.save(tmp_path / "d.md", tmp_path / "d.md")
    assert not (tmp_path / "d.md").exists()


@pytest.mark.skipif(XELATEX is None, reason="XeLaTeX is not installed")
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("solution", [False, True])
def test_latex_of_a_worksheet_compiles(lang, solution, tmp_path):
    data = "example:golf" if lang == "en" else "example:watermelon3.0"
    made = penjing.worksheet(data, recipe="c4.5-textbook", blanks="all", lang=lang, quiet=True)
    log = compile_latex(made.to_latex(solution=solution), tmp_path)
    assert "Missing character" not in log
    assert "Overfull" not in log
