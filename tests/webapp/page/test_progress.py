"""Long requests show progress and can be cancelled; many tabs work at once."""

from __future__ import annotations

import numpy as np
import pytest

from penjing.data.table import Table, nominal, numeric
from penjing.webapp.table_source import TableSource
from penjing.webapp.watched_jobs import Job
from webapp.page.conftest import LabPage


def rows_without_a_rule(n, n_columns):
    """Return rows whose tree takes long to grow, because no column predicts the target."""
    rng = np.random.default_rng(1)
    columns = tuple(numeric(f"x{c}", rng.normal(size=n)) for c in range(n_columns))
    return Table(columns, nominal("y", np.array(["a", "b"])[rng.integers(0, 2, n)].tolist()), n)


@pytest.fixture(scope="module")
def large():
    """Return rows whose tree takes about a second to grow."""
    return rows_without_a_rule(300_000, 8)


@pytest.fixture
def _growing_lasts(monkeypatch):
    """Hold every job that grows a tree at its first report, which is repeated until the end."""
    report = Job.report

    def held(job, progress):
        report(job, progress)
        while progress.n_placed < progress.n_rows and not job._is_cancelled.wait(0.3):
            report(job, progress)

    monkeypatch.setattr(Job, "report", held)


def open_table(lab, table):
    """Show the data page of a table."""
    table_id = lab.client.lab.add_table(TableSource("large", None, table))
    lab.page.goto(lab.page.url.partition("#")[0] + f"#screen=data&table={table_id}&lang=en")
    lab.page.reload()
    lab.page.wait_for_selector("form.division")
    return table_id


def expect_one_refusal(open_lab):
    """Chromium notes the one request that was answered with a refusal, the cancelled one."""
    refused = [n for n in open_lab.noise if n.startswith("Failed to load resource")]
    assert len(refused) == 1
    open_lab.noise.remove(refused[0])


@pytest.mark.usefixtures("_growing_lasts")
def test_growing_a_large_tree_shows_progress_and_can_be_cancelled(open_lab, large):
    lab = open_lab()
    open_table(lab, large)
    lab.page.locator(".division select").select_option("cart-binary")
    lab.page.locator(".division button[type=submit]").click()
    lab.page.wait_for_selector(".progress progress[value]")
    assert "of the rows are in a leaf" in lab.page.locator(".progress span").text_content()
    # The page works meanwhile: language and screens.
    lab.page.locator(".language").click()
    assert lab.page.locator(".progress button").text_content() == "取消"
    lab.page.locator(".progress button").click()
    lab.page.wait_for_selector(".failure")
    assert "取消" in lab.page.locator(".failure p").text_content()
    assert lab.page.locator(".progress").count() == 0
    expect_one_refusal(open_lab)
    # What was cancelled left no workbook.
    assert "workbook" not in lab.page.url


@pytest.mark.usefixtures("_growing_lasts")
@pytest.mark.parametrize(
    ("n_rows", "n_columns"),
    [(300_000, 16), pytest.param(1_000_000, 20, marks=pytest.mark.slow)],
    ids=["300,000 x 16", "1,000,000 x 20"],
)
def test_a_step_shows_progress_and_can_be_cancelled(open_lab, n_rows, n_columns):
    lab = open_lab()
    lab.page.set_default_timeout(180_000)
    table = open_table(lab, rows_without_a_rule(n_rows, n_columns))
    body = {"table": table, "recipe": "cart-binary"}
    book = lab.client.ask("POST", "workbook", body)["workbook"]
    leaves = lab.client.ask("GET", f"workbook/{book}")["history"][0]["leaves"]
    lab.page.goto(lab.page.url.partition("#")[0] + f"#workbook={book}&lang=en")
    lab.page.reload()
    lab.page.wait_for_selector(".candidates")
    # The upper part is drawn, which the page says; what it says of the tree are all leaves.
    assert f"{leaves:,}" in lab.page.locator(".notice").text_content()
    lab.card(0).click()
    lab.page.keyboard.press("Delete")
    lab.page.wait_for_selector(".trail li:nth-child(2) [aria-current=step]")
    lab.settle()
    lab.page.keyboard.press("g")
    lab.page.wait_for_selector(".progress progress[value]")
    lab.page.locator(".progress button").click()
    lab.page.wait_for_selector(".failure")
    expect_one_refusal(open_lab)
    assert lab.page.locator(".progress").count() == 0
    # The tree is still the leaf, and the next step is made.
    assert [entry["leaves"] for entry in lab.workbook()["history"]] == [leaves, 1]
    lab.page.locator(".failure button").click()
    lab.card(0).click()
    lab.page.keyboard.press("Control+z")
    lab.page.wait_for_selector(".trail li:nth-child(1) [aria-current=step]")


@pytest.mark.slow
def test_ten_tabs_keep_working_while_a_large_tree_grows(open_lab, large):
    """Tabs of one browser share six connections; a seventh request must not wait for ever."""
    first = open_lab()
    context, address = first.page.context, first.page.url.partition("#")[0]
    tabs = [first]
    for _ in range(9):
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: open_lab.noise.append(message.text))
        page.on("pageerror", lambda error: open_lab.noise.append(str(error)))
        page.goto(f"{address}#token={first.client.token}&lang=en")
        tabs.append(LabPage(page, first.client))
    open_table(first, large)
    first.page.locator(".division select").select_option("cart-binary")
    first.page.locator(".division button[type=submit]").click()
    for tab in tabs[1:]:
        tab.page.locator(".examples button").first.wait_for()
        tab.open_example("watermelon2.0", "id3")
    for tab in tabs[1:]:
        tab.page.locator(".candidates > li > button", has_text="脐部").click()
        tab.page.locator(".candidate .primary").click()
    for tab in tabs[1:]:
        tab.page.wait_for_selector(".trail li:nth-child(2) [aria-current=step]")
    first.page.wait_for_selector(".candidates", timeout=120_000)
    books = [tab.workbook() for tab in tabs]
    assert len({book["workbook"] for book in books}) == 10
    # The same table and the same step give the same tree in nine workbooks.
    assert len({book["current"] for book in books[1:]}) == 1
    assert all(len(book["history"]) == 2 for book in books[1:])


@pytest.mark.parametrize(
    ("lang", "title", "notice"),
    [
        ("en", "8 rules", "The first 3 rules are listed; Finish saves all of them."),
        ("zh", "8 条规则", "此处列出前 3 条规则，“完成”页可保存全部规则。"),
    ],
)
def test_of_many_rules_the_first_are_listed(open_lab, monkeypatch, lang, title, notice):
    monkeypatch.setattr("penjing.webapp.questions.MAX_RULES", 3)
    lab = open_lab(lang)
    lab.open_example("watermelon2.0", "id3")
    lab.page.locator("#lab-tab-rules").click()
    lab.page.wait_for_selector("ol.rules li")
    assert lab.page.locator("ol.rules li").count() == 3
    assert lab.page.locator("#lab-panel-rules h3").text_content() == title
    assert lab.page.locator("#lab-panel-rules .notice").text_content() == notice


def test_a_large_tree_is_changed_on_the_page(open_lab, large):
    lab = open_lab()
    open_table(lab, large.take(np.arange(40_000)))
    lab.grow("cart-binary")
    leaves = lab.workbook()["history"][0]["leaves"]
    assert leaves > 4_000
    assert lab.page.locator("[role=treeitem]").count() < 300
    lab.card(0).click()
    lab.page.keyboard.press("ArrowRight")
    sentence = lab.focused()
    lab.settle()
    lab.page.keyboard.press("Delete")
    lab.page.wait_for_selector(".trail li:nth-child(2) [aria-current=step]")
    assert lab.workbook()["history"][1]["leaves"] < leaves
    # The node has the focus still, and is a leaf now.
    lab.wait_until("document.activeElement.getAttribute('role') === 'treeitem'")
    assert lab.focused().split(",")[0] == sentence.split(",")[0]
    assert "predicts" in lab.focused()
