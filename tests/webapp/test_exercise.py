"""Exercises played through: right, nearly right and wrong answers, hints, results, no leaks."""

from __future__ import annotations

import json

import pytest

import penjing
from penjing.i18n import catalogue
from penjing.webapp.exercise import Exercise, worksheet_of_record
from penjing.webapp.judging import judge, parse_number
from penjing.webapp.lab_state import Lab
from penjing.webapp.routes import answer

TABLES = {
    "an example": {"example": "play_tennis", "recipe": "id3"},
    "a drawn table": {"seed": 7, "recipe": "cart-textbook"},
    "numbers": {"example": "golf", "recipe": "c4.5-textbook", "depth": 2},
    "two groups": {"seed": 5, "recipe": "cart-binary", "blanks": "all"},
    "choices": {"seed": 2, "recipe": "c4.5-textbook", "blanks": "choice"},
}
LANGUAGES = ("en", "zh")


class Student:
    """Works on an exercise through the routes; knows the solution from Python."""

    def __init__(self, request):
        self.lab = Lab()
        self.state = self.ask("POST", "exercise", request)
        self.id = self.state["exercise"]
        sheet = self.lab.exercise(self.id).worksheet
        self.worksheet = sheet
        self.answers = {a["id"]: a for a in sheet.solution["answers"]}
        self.blanks = {b["id"]: b for b in self.state["sheet"]["blanks"]}

    def ask(self, method, path, body=None):
        status, plain = answer(self.lab, method, path, body)
        assert status == 200, plain
        return json.loads(json.dumps(plain))

    def check(self, blank, value):
        body = {"id": blank, "value": value}
        return self.ask("POST", f"exercise/{self.id}/check", body)["state"]

    def hint(self, blank):
        return self.ask("POST", f"exercise/{self.id}/hint", {"id": blank})


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", TABLES)
def test_an_exercise_is_played_through(name, lang):
    student = Student({**TABLES[name], "lang": lang, "student": "小明"})
    assert student.state["sheet"]["lang"] == lang
    assert [a["id"] for a in student.state["answers"]] == list(student.answers)
    for blank, expected in student.answers.items():
        kind = student.blanks[blank]["kind"]
        if kind == "number" and expected["value"] is not None:
            value, tolerance = expected["value"], expected["tolerance"]
            assert student.check(blank, value + 20 * tolerance)["verdict"] == "wrong"
            assert student.check(blank, f"{value - 5 * tolerance:.6f}")["verdict"] == "nearly"
            assert student.check(blank, "x = ?")["verdict"] == "unreadable"
            attempts = 2
        elif kind == "count" and expected["value"] is not None:
            assert student.check(blank, expected["value"] + 1)["verdict"] == "wrong"
            attempts = 1
        else:
            assert student.check(blank, "something else")["verdict"] == "wrong"
            attempts = 1
        state = student.check(blank, expected["text"])
        assert state["verdict"] == "right", (blank, expected)
        assert state["answer"] == expected["text"]
        assert state["attempts"] == attempts + 1
        assert student.check(blank, "0")["attempts"] == attempts + 1  # it is closed
    done = student.ask("GET", f"exercise/{student.id}")
    n = len(student.answers)
    assert done["score"] == {"blanks": n, "right": n, "first_try": 0, "given_up": 0, "hints": 0}
    result = student.ask("GET", f"exercise/{student.id}/result")
    plain = json.loads(result["content"])
    assert plain["student"] == "小明"
    assert plain["score"] == done["score"]
    assert [a["verdict"] for a in plain["answers"]] == ["right"] * n
    assert plain["sheet"]["seed"] == TABLES[name].get("seed")


@pytest.mark.parametrize("name", TABLES)
def test_nothing_of_the_solution_is_sent_before_it_is_known(name):
    """Whatever a student asks for, an open answer is in no answer of the server."""
    student = Student(TABLES[name])
    assert "solution" not in student.state
    assert all(a["answer"] is None for a in student.state["answers"])
    sheet = json.dumps(student.state["sheet"])
    measured = [i for i, b in student.blanks.items() if b["kind"] == "number"
                and student.answers[i]["value"] not in (None, 0.0, 1.0)]  # fmt: skip
    for blank in student.blanks:
        texts = [json.dumps(student.check(blank, "-1")), sheet]
        for grade in (1, 2, 3, 3):
            hint = student.hint(blank)
            assert hint["grade"] == grade
            assert all(hint["text"][lang] for lang in LANGUAGES)
            texts.append(json.dumps(hint["text"]))
        value = student.answers[blank]["value"]
        for other in measured:
            assert student.answers[other]["text"] not in texts[0]
            assert all(f" {student.answers[other]['value']:.4f}" not in text for text in texts)
        if blank in measured:
            assert all(student.answers[blank]["text"] not in t for t in texts[2:]), (value, texts)
    state = student.ask("GET", f"exercise/{student.id}")
    assert all(a["answer"] is None for a in state["answers"] if a["verdict"] != "right")


def test_hints_name_the_blanks_that_come_first_and_then_show_the_calculation():
    student = Student({"example": "play_tennis"})
    for _ in range(3):
        hint = student.hint("1.impurity")
    # Blanks are called what the page calls them, and nothing is counted as a hint.
    assert "'rows of class no' and 'rows of class yes'" in hint["text"]["en"]
    assert "“类别 no 的样本数” 和 “类别 yes 的样本数”" in hint["text"]["zh"]
    assert (hint["grade"], hint["state"]["hints"]) == (3, 2)
    labels = student.state["labels"]
    assert labels["1.class.1"] == {"en": "rows of class no", "zh": "类别 no 的样本数"}
    assert {blank["id"] for blank in student.state["sheet"]["blanks"]} <= set(labels)
    for k, count in (("1", 9), ("2", 5)):
        if student.check(f"1.class.{k}", count)["verdict"] != "right":
            student.check(f"1.class.{k}", 14 - count)
    text = student.hint("1.impurity")["text"]
    assert "log2" in text["en"]
    assert "0.940" not in text["en"]
    assert student.state["rules"]["text"]["zh"]


@pytest.mark.parametrize("recipe", ["id3", "cart-binary", "c4.5-textbook"])
def test_the_three_hints_of_a_blank_differ(recipe):
    """No hint says again what the one before it said, and no list of rows is cut off."""
    sheet = penjing.worksheet(
        "example:watermelon3.0", recipe=recipe, depth=2, blanks="all", quiet=True
    )
    seen = set()
    for blank in sheet.sheet["blanks"]:
        about = {k: v for k, v in blank.items() if k in ("kind", "measure", "branch")}
        kind = (*about.values(), *sorted(blank), blank["id"].rpartition(".")[2], blank["node"] > 1)
        if kind in seen:
            continue
        seen.add(kind)
        exercise = Exercise(sheet)
        for expected in sheet.solution["answers"]:
            if expected["id"] != blank["id"]:
                exercise.check(expected["id"], expected["text"])
        hints = [exercise.hint(blank["id"])["text"] for _ in range(3)]
        for lang in LANGUAGES:
            texts = [hint[lang] for hint in hints]
            assert len(set(texts)) == 3, (blank["id"], texts)
            assert not any(" more" in text or "另有" in text for text in texts)
            assert lang == "en" or not any("; " in text for text in texts), texts


def test_giving_up_shows_the_answer_and_is_counted():
    student = Student({"seed": 4})
    blank = next(iter(student.answers))
    given = student.ask("POST", f"exercise/{student.id}/give-up", {"id": blank})
    assert given["state"]["verdict"] == "given up"
    assert given["state"]["answer"] == student.answers[blank]["text"]
    assert student.check(blank, student.answers[blank]["text"])["verdict"] == "given up"
    assert given["score"]["given_up"] == 1


def test_a_nearly_best_column_is_nearly_right():
    blank, expected = {"kind": "column"}, {"value": "a", "accepted": ["a"]}
    scores = {"a": 0.25, "b": 0.235, "c": 0.1}
    assert [judge(blank, expected, name, scores) for name in ("A", "b", "c", "d")] == [
        "right", "nearly", "wrong", "wrong",
    ]  # fmt: skip
    tie = {"value": "a", "accepted": ["a", "b"]}
    assert judge(blank, tie, "b", scores) == "right"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("0.940", "right"), ("0.942", "right"), ("0.938", "right"), ("0,94", "right"),
        ("94%", "right"), (".94", "right"), ("０．９４", "right"), ("47/50", "right"),
        ("0.9425", "nearly"), ("0.96", "nearly"), ("0.92", "nearly"), ("0.961", "wrong"),
        ("0.9", "wrong"), ("-0.94", "wrong"), ("94", "wrong"), ("–", "wrong"),
        ("", "unreadable"), ("nan", "unreadable"), ("inf", "unreadable"), ("1/0", "unreadable"),
        ("0.9.4", "unreadable"), ("a", "unreadable"), ("1e999", "wrong"),
        ("0 47/50", "unreadable"), ("47 / 50", "right"), ("0 .94", "right"),
    ],
)  # fmt: skip
def test_numbers_are_judged_as_stated(text, verdict):
    expected = {"value": 0.94, "tolerance": 0.002}
    assert judge({"kind": "number"}, expected, text, {}) == verdict


def test_conditions_and_results_may_be_written_in_several_ways():
    condition = {"value": "≤ 82.5", "accepted": ["≤ 82.5", "> 82.5"]}
    kind = {"kind": "condition"}
    for text in ("<= 82.5", "≤82.5", "> 82.5", "＞ 82.5"):
        assert judge(kind, condition, text, {}) == "right"
    assert judge(kind, condition, "<= 82.51", {}) == "nearly"
    assert judge(kind, condition, "<= 90", {}) == "wrong"
    groups = {"value": "sunny, rain", "accepted": ["sunny, rain", "overcast"]}
    assert judge(kind, groups, "rain，Sunny", {}) == "right"
    assert judge(kind, groups, "rain", {}) == "wrong"
    node = {"value": {"node": 2}}
    for text in ("node 2", "2", "结点 2", "结点2", "Node2"):
        assert judge({"kind": "result"}, node, text, {}) == "right"
    assert judge({"kind": "result"}, node, "node 3", {}) == "wrong"
    assert judge({"kind": "number"}, {"value": None}, "–", {}) == "right"
    assert parse_number("5/14") == 5 / 14


@pytest.mark.parametrize("recipe", ["id3", "c4.5-textbook", "cart-textbook", "cart-binary"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_worksheet_file_opens_as_an_exercise(recipe, lang):
    for source in ({"seed": 6}, {"data": "example:golf", "depth": 2}):
        sheet = penjing.worksheet(recipe=recipe, lang=lang, quiet=True, **source)
        record = json.loads(sheet.text_for("sheet.json"))
        made = worksheet_of_record(record)
        assert made.solution["answers"] == sheet.solution["answers"]
        assert made.sheet == sheet.sheet
        assert Exercise(made).score()["blanks"] == len(sheet.sheet["blanks"])


def test_what_is_no_worksheet_is_refused():
    record = penjing.worksheet(seed=6).sheet
    for broken in (None, [], {}, {"format": "penjing-worksheet"}, record | {"rows": []},
                   record | {"n_nodes": 9}, record | {"recipe": "rpart"},
                   record | {"columns": 5}, record | {"classes": ["a"]}):  # fmt: skip
        status, plain = answer(Lab(), "POST", "exercise", {"sheet": broken})
        assert status == 400, plain


def test_requests_that_mean_nothing_are_refused():
    student = Student({"seed": 1})
    for path, body, status in (
        ("check", {"id": "9.nothing", "value": 1}, 404),
        ("check", {"id": ["x"], "value": 1}, 404),
        ("check", {"id": "1.chosen", "value": {"a": 1}}, 400),
        ("check", {"id": "1.chosen", "value": "x" * 5000}, 400),
        ("check", {"id": "1.impurity", "value": "%" * 1000}, 200),
        ("check", {"id": "1.impurity", "value": "1/" + "%" * 990}, 200),
        ("hint", {}, 404),
        ("give-up", {"id": None}, 404),
    ):
        assert answer(student.lab, "POST", f"exercise/{student.id}/{path}", body)[0] == status
    for body in ({}, {"seed": -1}, {"seed": "a"}, {"example": "../x"}, {"seed": 1, "student": 5},
                 {"table": "x"}, {"seed": 1, "recipe": "rpart"}):  # fmt: skip
        assert answer(student.lab, "POST", "exercise", body)[0] in (400, 404)


def test_names_that_differ_in_case_only_are_not_taken_for_each_other():
    rows = [
        ["p", "u", "Yes"],
        ["P", "v", "yes"],
        ["p", "v", "Yes"],
        ["P", "u", "yes"],
        ["q", "v", "no"],
    ]
    table = penjing.read(rows, "y", names=["a", "A", "y"], quiet=True)
    exercise = Exercise(penjing.worksheet(table, recipe="id3", depth=1, quiet=True))
    answers = {a["id"]: a for a in exercise.worksheet.solution["answers"]}
    result = next(id_ for id_, a in answers.items() if a["value"] == {"class": "Yes"})
    branch = next(
        id_ for id_, a in answers.items() if id_.startswith("1.branch") and a["value"] == "p"
    )
    assert answers["1.chosen"]["value"] == "a"
    for id_, other, sloppy in (
        ("1.chosen", "A", " 'a' "),
        (result, "yes", ' "Yes" '),
        (branch, "P", "'p'"),
    ):
        assert exercise.check(id_, other)["state"]["verdict"] == "wrong"
        assert exercise.check(id_, sloppy)["state"]["verdict"] == "right"


def test_a_table_that_is_too_large_for_an_exercise_is_told_in_the_words_of_the_page():
    lab = Lab()
    content = b"a,y\n" + b"".join(b"%d,%d\n" % (i % 5, i % 2) for i in range(120))
    table = answer(lab, "POST", "table?name=a.csv", None, content)[1]["table"]
    status, failed = answer(lab, "POST", "exercise", {"table": table, "recipe": "id3"})
    assert (status, failed["error"]["key"]) == (400, "worksheet_rows")
    for lang, text in failed["error"]["message"].items():
        assert catalogue(lang)["lab_page_exercise_drawn"] in text
