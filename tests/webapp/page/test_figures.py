"""Numbers on the page: data as they are, measures and shares as Python writes them."""

from __future__ import annotations

import json
import re

import pytest

import penjing
from penjing.data.statistics import wilson
from penjing.evaluate.report_text import accuracy_percent, interval_percents
from webapp.page.test_homework import wait_for_step


def open_file(lab, path, target, recipe, **shares):
    lab.page.set_input_files("#lab-file", path)
    lab.page.wait_for_selector("main.data")
    lab.page.locator("#lab-target").select_option(target)
    lab.grow(recipe, **shares)


def cells(lab, selector):
    """Return the texts of a table, line by line."""
    script = "t => [...t.rows].map(row => [...row.cells].map(c => c.textContent))"
    return lab.page.locator(selector).first.evaluate(script)


def test_data_are_shown_as_they_are(open_lab, tmp_path):
    path = tmp_path / "towns.csv"
    rows = [
        [
            2024000123 + i,
            20240101 + i % 28,
            123456789 + 1001 * i,
            round(0.1 * i + 0.2, 7),
            "xy"[i % 2],
        ]
        for i in range(1200)
    ]
    text = "\n".join(",".join(map(str, row)) for row in [["id", "day", "pop", "x", "kind"], *rows])
    path.write_text(text + "\n", "utf-8")
    lab = open_lab()
    lab.page.set_input_files("#lab-file", path)
    lab.page.wait_for_selector("main.data")
    shown = lab.page.locator("table.columns").text_content()
    assert "20240101 – 20240128" in shown
    lab.grow("cart-binary")
    lab.page.wait_for_selector("table.rows")
    head, *lines = cells(lab, "table.rows")
    # The id's own name, the target first, then the columns in the order of the file.
    assert head == ["id", "prediction", "kind", "day", "pop", "x"]
    wanted = {str(row[0]): [row[-1], *row[1:-1]] for row in rows}
    assert len(lines) == 50
    for line in lines:
        assert [line[2], *map(float, line[3:])] == wanted[line[0]]
        assert line[3:5] == [str(value) for value in wanted[line[0]][1:3]]
    assert "1 to 50 of 720" in lab.page.locator(".pager").text_content()
    # Trees are counted with separators.
    lab.page.locator(".why .acts button").first.click()
    wait_for_step(lab, 2)
    leaves = lab.workbook()["history"][0]["leaves"]
    assert f"({leaves:,})" in lab.page.locator(".trail li").first.text_content()
    summary = lab.page.locator(".changed summary").first
    summary.click()
    changed = lab.page.locator(".changed table").first
    assert changed.locator("th").first.text_content() == "id"
    line_height = changed.locator("tbody tr").first.bounding_box()["height"]
    assert line_height < 35, "numbers of rows are not broken into several lines"


SHARES = [(1998, 2000), (9999, 10000), (999999, 1000000), (1, 10000), (17, 17), (0, 40), (7, 10)]


def test_shares_contain_no_false_whole(open_lab):
    """An accuracy is 100% only if all rows are right, and its interval contains it."""
    lab = open_lab()
    lab.open_example("watermelon2.0", "id3")
    state = {}

    def change(route):
        answer = route.fetch()
        plain = answer.json()
        plain["training"] = state
        route.fulfill(response=answer, body=json.dumps(plain))

    lab.page.route(re.compile(r"/tree/\w+\?lang"), change)
    for correct, n in SHARES:
        interval = wilson(correct, n)
        state.update(
            kind="classes", n=n, correct=correct, weight=n, accuracy=correct / n, interval=interval
        )
        lab.page.reload()
        lab.page.wait_for_selector(".figure.training")
        text = lab.page.locator(".figure.training").text_content()
        share, right, whole, low, high = re.search(
            r"accuracy ([\d.]+)% \(([\d,]+) of ([\d,]+)\), 95% confidence interval "
            r"([\d.]+)% to ([\d.]+)%", text
        ).groups()  # fmt: skip
        assert (right, whole) == (f"{correct:,}", f"{n:,}")
        assert share == accuracy_percent(correct, n, interval)
        assert (low, high) == interval_percents(interval)
        assert float(low) <= float(share) <= float(high)
        assert (float(share) == 100) == (correct == n)


@pytest.fixture
def prices(tmp_path):
    path = tmp_path / "prices.csv"
    rows = [
        f"{i * 7 % 61},{i * 5 % 11},{700_000 + 12_345 * (i * 7 % 61) + 997.5 * (i % 7)}"
        for i in range(300)
    ]
    path.write_text("\n".join(["x,z,price", *rows]) + "\n", "utf-8")
    return path


def test_numeric_targets_have_the_figures_of_python(open_lab, prices):
    lab = open_lab()
    open_file(lab, prices, "price", "sklearn", training=60, validation=40, test=0)
    book = lab.workbook()
    own = f"workbook/{book['workbook']}"
    view = lab.client.ask("GET", f"{own}/tree/{book['current']}")
    for part in ("training", "validation"):
        score, text = view[part], lab.page.locator(f".figure.{part}").text_content()
        shown = [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]
        rmse, level, low, high, mae, n = shown[:6]
        assert (level, n) == (95, score["n"])
        wanted = [score["rmse"], *score["interval"], score["mae"]]
        assert [rmse, low, high, mae] == pytest.approx(wanted, rel=1e-3)
    # The label of the axis is not cut off, and there are no error bars to speak of.
    lab.page.locator("#lab-tab-prune").click()
    lab.page.get_by_role("button", name=re.compile("show validation results")).click()
    lab.page.wait_for_selector(".chart .line.validation", state="attached")
    script = (
        "() => Math.min(...[...document.querySelectorAll('.chart text')].map(t => t.getBBox().x))"
    )
    assert lab.page.evaluate(script) >= 0
    assert "standard error" not in lab.page.locator(".facts.key").text_content()
    lab.page.locator(".prune-path input").fill("4")
    lab.page.locator(".prune-path .primary").click()
    wait_for_step(lab, 2)
    assert re.search(r"α = [\d,]+(\.\d)?\)", lab.page.locator(".trail").text_content())
    # Both trees are compared by the same measure.
    lab.page.locator(".top nav button").nth(3).click()
    lab.page.wait_for_selector(".compare pre")
    text = lab.page.locator(".compare pre").text_content()
    assert "training RMSE" in text
    table = penjing.read(prices, "price", quiet=True)
    assert table.is_regression
    for line in cells(lab, ".compare table.rows")[1:]:
        assert all(len(number) <= 10 for number in line[1:]), line


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_tables_of_many_classes_keep_their_columns(open_lab, tmp_path, lang):
    """In a narrow panel they scroll; sentences wrap, and counts are written as in Python."""
    path = tmp_path / "letters.csv"
    rows = [f"{i * 7 % 61},{chr(65 + i * 7 % 61 % 20)}{'甲乙'[i % 2]}" for i in range(2400)]
    path.write_text("\n".join(["x,letter", *rows]) + "\n", "utf-8")
    lab = open_lab(lang)
    open_file(lab, path, "letter", "c4.5", training=100, validation=0, test=0)
    score = penjing.fit(path, "letter", recipe="c4.5", sketch=True, quiet=True).score(path)
    lab.page.locator("#lab-tab-score").click()
    text = lab.page.locator(".score pre")
    text.wait_for()
    assert text.text_content() == score.text(lang)
    tables = text.locator(".table")
    tables.first.wait_for()
    for i in range(tables.count()):
        sizes = tables.nth(i).evaluate(
            """e => { const line = parseFloat(getComputedStyle(e).lineHeight);
            const n = e.textContent.trimEnd().split("\\n").length;
            return [e.clientHeight / line, n, e.clientWidth, e.parentElement.clientWidth]; }"""
        )
        assert abs(sizes[0] - sizes[1]) < 1.9, "a line is broken"
        assert sizes[2] <= sizes[3]
    figure = lab.page.locator(".figure.training").text_content()
    counts = f"{score.correct:,.0f} of 2,400" if lang == "en" else f"{score.correct:.0f}/2400"
    assert counts in figure


def test_values_from_right_to_left_stay_in_their_places(open_lab, tmp_path):
    path = tmp_path / "names.csv"
    rows = [f"{['alef', chr(0x202E) + 'evil', 'tav'][i % 3]},{i % 2}" for i in range(60)]
    path.write_text("\n".join(["word,class", *rows]) + "\n", "utf-8")
    lab = open_lab()
    lab.page.set_input_files("#lab-file", path)
    lab.page.wait_for_selector("main.data")
    lefts = lab.page.locator("td.values").first.evaluate(
        "td => [...td.querySelectorAll('bdi')].map(e => e.getBoundingClientRect().x)"
    )
    assert len(lefts) == 3
    assert lefts == sorted(lefts)
