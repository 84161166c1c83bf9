"""Exercises played through in the browser: three tables in both languages."""

from __future__ import annotations

import json
import re

import pytest

import penjing

TABLES = {"watermelon2.0": "id3", "golf": "cart-binary", "play_tennis": "c4.5-textbook"}


def blank(lab, id_):
    return lab.page.locator(f"#lab-blank-{id_.replace('.', '-')}")


def fill(lab, id_, text):
    """Write an answer and check it by Enter."""
    field = blank(lab, id_)
    if field.evaluate("e => e.tagName") == "SELECT":
        field.select_option(text if text != "–" else "")
    else:
        field.fill(text)
    field.press("Enter")


def verdict_of(lab, id_):
    return blank(lab, id_).locator("xpath=..").get_attribute("class").split()[1:]


def begin(lab, name, recipe, blanks, depth="1"):
    lab.page.locator(".top nav button").nth(4).click()
    lab.page.locator("#lab-exercise-data").select_option(f"example:{name}")
    lab.page.locator("#lab-exercise-recipe").select_option(recipe)
    lab.page.locator("#lab-exercise-blanks").select_option(blanks)
    lab.page.locator(".exercise input[type=number]").fill(depth)
    lab.page.locator(".exercise input:not([type])").fill("学生 <b>")
    lab.page.locator(".exercise .primary").click()
    lab.page.wait_for_selector(".blanks")


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_exercise_is_played_through(open_lab, tmp_path, lang, name):
    lab = open_lab(lang)
    begin(lab, name, TABLES[name], "measures")
    sheet = penjing.worksheet(
        f"example:{name}", recipe=TABLES[name], depth=1, lang=lang, quiet=True
    )
    answers = sheet.solution["answers"]
    assert lab.page.locator(".blanks label").count() == len(answers)
    # Nothing of the solution is on the page before it is earned.
    first = next(a for a in answers if a["id"] == "1.impurity")
    assert first["text"] not in lab.page.locator(".blanks").text_content()
    fill(lab, "1.impurity", "9.9")
    lab.page.wait_for_selector(".blank.wrong")
    fill(lab, "1.impurity", f"{float(first['text']) + 0.01:.3f}")
    lab.page.wait_for_selector(".blank.nearly")
    fill(lab, "1.impurity", "abc")
    lab.page.wait_for_selector(".blank.unreadable")
    # Three grades of hints, each another sentence.
    blank(lab, "1.impurity").focus()
    hints = []
    for grade in range(3):
        button = lab.page.locator(".blank .acts button").nth(1)
        assert f"{grade + 1}" in button.text_content()
        button.click()
        lab.settle()
        hints.append(lab.page.locator("#lab-blank-1-impurity-told").text_content())
    assert len(set(hints)) == 3
    for answer in answers:
        fill(lab, answer["id"], answer["text"])
        lab.wait_until(
            f"document.querySelector('#lab-blank-{answer['id'].replace('.', '-')}')"
            ".parentElement.classList.contains('right')"
        )
    # The result for the teacher.
    with lab.page.expect_download() as waiting:
        lab.page.locator(".save-result").click()
    waiting.value.save_as(tmp_path / "result.json")
    result = json.loads((tmp_path / "result.json").read_text("utf-8"))
    assert result["student"] == "学生 <b>"
    assert result["score"]["right"] == result["score"]["blanks"] == len(answers)
    assert result["score"]["hints"] == 2  # the third only said what to fill in first
    assert {a["id"]: a["attempts"] for a in result["answers"]}["1.impurity"] == 3


def test_an_answer_is_shown_and_counts_as_given_up(open_lab):
    lab = open_lab()
    begin(lab, "fish", "id3", "choice")
    blank(lab, "1.chosen").focus()
    lab.page.locator(".blank .acts button").nth(2).click()
    lab.page.wait_for_selector(".blank.given-up")
    assert blank(lab, "1.chosen").input_value() == "'no surfacing'"
    assert "answers shown: 1" in lab.page.locator(".result").text_content()


def test_a_worksheet_file_opens_as_an_exercise(open_lab, tmp_path):
    sheet = penjing.worksheet(seed=3, recipe="id3", depth=1, quiet=True)
    path = tmp_path / "sheet.json"
    path.write_text(json.dumps(sheet.sheet, ensure_ascii=False), "utf-8")
    lab = open_lab("zh")
    lab.page.set_input_files("#lab-file", path)
    lab.page.wait_for_selector(".blanks")
    assert lab.page.locator(".blanks label").count() == len(sheet.sheet["blanks"])


def test_an_exercise_survives_a_reload(open_lab):
    lab = open_lab()
    begin(lab, "fish", "id3", "measures")
    fill(lab, "1.rows", "5")
    lab.page.wait_for_selector(".blank.right")
    lab.page.reload()
    lab.page.wait_for_selector(".blanks")
    assert blank(lab, "1.rows").input_value() == "5"


def test_the_order_of_the_branches_and_the_names_of_blanks_are_shown(open_lab):
    lab = open_lab()
    lab.page.locator(".top nav button").nth(4).click()
    names = lab.page.locator("#lab-exercise-data option").all_text_contents()
    assert "watermelon3.0" in names
    assert "watermelon2.0alpha" not in names  # it has missing values
    begin(lab, "watermelon3.0", "c4.5-textbook", "all")
    sheet = penjing.worksheet(
        "example:watermelon3.0", recipe="c4.5-textbook", depth=1, blanks="all", quiet=True
    ).sheet
    shown = lab.page.locator(".exercise-columns .notes li").all_text_contents()
    wanted = [
        f"{c['name']}: {', '.join(c['categories'])}" for c in sheet["columns"] if c["categories"]
    ]
    assert shown == wanted
    # The data stay in sight while the lower blanks are filled in.
    blank(lab, "1.chosen").focus()
    top = lab.page.locator(".exercise-columns > .scroll").bounding_box()["y"]
    assert top >= 0
    # A hint names blanks as the page does, and is not counted if it only says what comes first.
    for _ in range(3):
        blank(lab, "1.impurity").focus()
        lab.page.locator(".blank .acts button").nth(1).click()
        lab.settle()
    text = lab.page.locator("#lab-blank-1-impurity-told").text_content()
    labels = lab.page.locator(".blanks label").all_text_contents()
    named = re.findall(r"'([^']*)'", text)
    assert named
    assert set(named) <= set(labels)
    assert "hints: 2" in lab.page.locator(".result").text_content()
    # A sheet that is half done is left after a question only.
    fill(lab, "1.rows", "17")
    lab.page.wait_for_selector(".blank.right")
    assert blank(lab, "1.rows").locator("xpath=..").locator(".told").text_content() == ""
    lab.page.get_by_role("button", name="another exercise").click()
    lab.page.get_by_role("button", name="cancel").click()
    assert blank(lab, "1.rows").input_value() == "17"


def test_an_exercise_is_found_again_beside_a_workbook(open_lab):
    lab = open_lab()
    lab.open_example("fish", "id3")
    begin(lab, "fish", "id3", "measures")
    fill(lab, "1.rows", "5")
    lab.page.wait_for_selector(".blank.right")
    lab.page.locator(".top nav button").nth(2).click()
    lab.page.reload()
    lab.page.wait_for_selector(".candidates")
    lab.page.locator(".top nav button").nth(4).click()
    assert blank(lab, "1.rows").input_value() == "5"
    with lab.page.expect_download() as waiting:
        lab.page.locator(".save-result").click()
    assert waiting.value.suggested_filename == "exercise-result-学生--b-.json"
