"""The page offers what works, asks before work is left, and finds it again."""

from __future__ import annotations

import re

import pytest

from penjing.webapp.table_source import TableSource
from webapp.page.conftest import NARROW, WIDE
from webapp.page.test_figures import open_file, prices  # noqa: F401 - a fixture
from webapp.page.test_homework import shown_tree, wait_for_step
from webapp.page.test_node_steps import open_candidate

ROWS = "id,w,v,x,colour,class\n" + "".join(
    f"{100 + i},{1 + i % 3},{0.5 * (i % 5) + 0.5},{i * 7 % 13},{('red', 'green', 'blue')[i % 3]},"
    f"{'ab'[i * 7 % 13 > 5 + i % 2]}\n"
    for i in range(90)
)


def forgive_one_refusal(open_lab):
    """Chromium itself says that a request was refused."""
    refused = [n for n in open_lab.noise if n.startswith("Failed to load resource")]
    assert len(refused) == 1
    open_lab.noise.remove(refused[0])


def column_names(lab):
    script = "rows => rows.map(row => row.firstElementChild.firstChild.textContent)"
    return lab.page.locator("table.columns tbody tr").evaluate_all(script)


def test_types_of_columns(open_lab, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(ROWS, "utf-8")
    lab = open_lab()
    lab.page.set_input_files("#lab-file", path)
    lab.page.wait_for_selector("main.data")
    assert "100, 101, 102" in lab.page.locator("tr", has_text="id").first.text_content()
    names = column_names(lab)
    lab.page.locator(".division select").select_option("cart-binary")
    lab.page.locator(".division input[type=number]").nth(3).fill("7")
    lab.page.get_by_label("type of w", exact=True).select_option("weight")
    lab.settle()
    assert lab.page.get_by_label("type of w", exact=True).input_value() == "weight"
    # There is one column of weights, every column keeps its place, and the form its values.
    lab.page.get_by_label("type of v", exact=True).select_option("weight")
    lab.settle()
    assert lab.page.get_by_label("type of v", exact=True).input_value() == "weight"
    assert lab.page.get_by_label("type of w", exact=True).input_value() == "numeric"
    assert column_names(lab) == names
    assert lab.page.locator(".division select").input_value() == "cart-binary"
    assert lab.page.locator(".division input[type=number]").nth(3).input_value() == "7"
    # A type that is refused is not shown.
    lab.page.get_by_label("type of colour").select_option("numeric")
    lab.page.wait_for_selector(".failure")
    assert lab.page.get_by_label("type of colour").input_value() == "categorical"
    forgive_one_refusal(open_lab)
    lab.page.locator(".division input[type=number]").nth(0).fill("50")
    lab.page.locator(".division button[type=submit]").click()
    lab.page.wait_for_selector(".failure")
    assert "add up to 90%" in lab.page.locator(".failure").text_content()
    lab.grow("cart-binary", training=100, validation=0, test=0)
    weights = sum(0.5 * (i % 5) + 0.5 for i in range(90))
    assert f"of {weights:g})" in lab.page.locator(".figure.training").text_content()


def test_a_weight_of_the_command_is_shown_and_can_be_changed(open_lab, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(ROWS, "utf-8")
    lab = open_lab()
    source = TableSource("rows.csv", str(path), str(path), {"target": "class", "weight": "w"})
    lab.client.lab.start.table = lab.client.lab.add_table(source)
    other = open_lab()
    other.page.wait_for_selector("main.data")
    field = other.page.get_by_label("type of w", exact=True)
    assert field.input_value() == "weight"
    field.select_option("numeric")
    other.settle()
    assert field.input_value() == "numeric"


def every_method_works(lab):
    """Prune by every method that is offered; return their names."""
    lab.page.locator("#lab-tab-prune").click()
    lab.page.wait_for_selector("#lab-pruner")
    names = lab.page.locator("#lab-pruner option").evaluate_all("all => all.map(o => o.value)")
    for name in names:
        lab.page.locator("#lab-pruner").select_option(name)
        lab.page.locator(".prune button", has_text=re.compile("^(prune|剪枝)$")).click()
        lab.settle()
        assert lab.page.locator(".failure").count() == 0, name
        if lab.workbook()["undo"]:
            lab.page.locator(".trail > button").first.click()
            wait_for_step(lab, 1)
            lab.settle()
    return names


def test_only_methods_that_work_are_offered(open_lab, prices):  # noqa: F811 - the fixture
    lab = open_lab()
    lab.open_example("watermelon3.0", "cart-binary", training=60, validation=40, test=0)
    names = every_method_works(lab)
    assert names[0] == "reduced-error"
    assert {"pessimistic", "error-based", "mdl"} <= set(names)
    assert "cost-complexity" not in names  # the path above does it
    lab = open_lab()
    lab.open_example("watermelon3.0", "cart-binary")
    assert "reduced-error" not in every_method_works(lab)
    lab = open_lab()
    open_file(lab, prices, "price", "rpart", training=60, validation=40, test=0)
    assert {"reduced-error", "simplify"} <= set(every_method_works(lab))


def test_groups_are_offered_where_they_work(open_lab, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(ROWS, "utf-8")
    lab = open_lab()
    open_file(lab, path, "class", "sklearn")
    open_candidate(lab, "colour")
    lab.settle()
    assert lab.page.locator(".candidate").count() == 1
    assert lab.page.locator(".groups").count() == 0
    lab.page.locator(".top nav button").nth(1).click()
    lab.grow("cart-binary")
    open_candidate(lab, "colour")
    lab.page.wait_for_selector(".groups")
    # A split that the tree has already is said to change nothing.
    lab.page.locator(".candidates > li.chosen > button").first.click()
    lab.page.locator(".candidate .primary").click()
    lab.page.wait_for_selector(".unchanged")
    # An ordinal column has thresholds.
    lab.page.locator(".top nav button").nth(1).click()
    lab.page.get_by_label("type of colour").select_option("ordinal")
    lab.settle()
    lab.grow("cart-binary")
    open_candidate(lab, "colour")
    lab.page.wait_for_selector(".curve")
    assert lab.page.locator(".groups").count() == 0


def test_a_workbook_with_steps_is_not_lost(open_lab):
    lab = open_lab()
    lab.open_example("watermelon2.0", "id3")
    open_candidate(lab, "脐部")
    lab.page.locator(".candidate .primary").click()
    wait_for_step(lab, 2)
    wanted = shown_tree(lab)
    book = lab.workbook()["workbook"]
    # A file that is dropped on any screen is opened, but not before the question is answered.
    drop = """() => {
        const data = new DataTransfer();
        data.items.add(new File(["a,class\\n1,x\\n2,y\\n3,x\\n"], "drop.csv"));
        const about = { dataTransfer: data, bubbles: true, cancelable: true };
        const event = new DragEvent("drop", about);
        document.querySelector(".canvas").dispatchEvent(event);
        return event.defaultPrevented;
    }"""
    assert lab.page.evaluate(drop)
    lab.page.get_by_role("button", name="cancel").click()
    assert lab.page.locator("dialog").count() == 0
    assert lab.workbook()["workbook"] == book
    lab.page.locator(".top nav button").nth(1).click()
    lab.page.get_by_label("type of 色泽").select_option("ignore")
    lab.page.wait_for_selector("dialog[open]")
    lab.page.keyboard.press("Escape")
    lab.page.wait_for_selector("dialog", state="detached")
    assert lab.page.get_by_label("type of 色泽").input_value() == "categorical"
    lab.page.locator(".top nav button").nth(0).click()
    lab.page.locator(".examples:not(.workbooks) button", has_text="golf").click()
    lab.page.get_by_role("button", name="continue").click()
    lab.page.wait_for_selector("main.data")
    assert "golf" in lab.page.locator("h2").text_content()
    # It is listed on the first screen.
    lab.page.locator(".top nav button").nth(0).click()
    entry = lab.page.locator(".workbooks button")
    assert "1 step" in entry.text_content()
    entry.click()
    wait_for_step(lab, 2)
    assert lab.workbook()["workbook"] == book
    assert shown_tree(lab) == wanted


def test_another_tab_has_its_own_history(open_lab):
    lab = open_lab()
    lab.open_example("watermelon2.0", "id3")
    first = lab.workbook()
    other = lab.page.context.new_page()
    other.set_default_timeout(60_000)
    other.goto(f"{lab.page.url}&token={lab.client.token}")
    other.wait_for_selector(".candidates")
    other.locator(".why .acts button").first.click()
    other.wait_for_selector(".trail li:nth-child(2) [aria-current=step]")
    assert lab.workbook() == first
    # The tab itself keeps its workbook.
    lab.page.reload()
    lab.page.wait_for_selector(".candidates")
    assert lab.workbook()["workbook"] == first["workbook"]


def test_chinese_names_of_methods_and_formats(open_lab):
    lab = open_lab("zh")
    lab.open_example("watermelon3.0", "cart-binary", training=60, validation=40, test=0)
    lab.page.locator("#lab-tab-prune").click()
    lab.page.wait_for_selector("#lab-pruner")
    methods = lab.page.locator("#lab-pruner option").all_text_contents()
    assert methods[0] == "错误率降低剪枝"
    lab.page.locator(".prune-path input").fill("1")
    lab.page.locator(".prune-path .primary").click()
    wait_for_step(lab, 2)
    trail = lab.page.locator(".trail li").nth(1).text_content()
    assert trail.startswith("2. 代价复杂度剪枝（α = ")
    lab.page.locator(".top nav button").nth(5).click()
    formats = lab.page.locator("#lab-export option").all_text_contents()
    for text in [*methods, trail, *formats]:
        assert not re.search(r"\b[a-z]{3,}", text), text


@pytest.mark.parametrize(("lang", "colon"), [("en", ": "), ("zh", "：")])
def test_bars_say_what_they_are(open_lab, lang, colon):
    lab = open_lab(lang)
    lab.page.locator(".examples button", has_text="golf").click()
    lab.page.wait_for_selector("main.data")
    bars = lab.page.locator("tr", has_text="windy").locator(".histogram title")
    assert set(bars.all_text_contents()) == {f"false{colon}8", f"true{colon}6"}


def test_columns_without_thresholds_have_no_curve(open_lab, tmp_path):
    path = tmp_path / "gaps.csv"
    rows = "".join(f"{'' if i % 3 else 1 + i % 2},{'xy'[i % 3 > 0]}\n" for i in range(60))
    path.write_text(f"a,class\n{rows}", "utf-8")
    lab = open_lab()
    open_file(lab, path, "class", "sklearn", training=100, validation=0, test=0)
    for card in range(lab.page.locator("[role=treeitem]").count()):
        lab.card(card).click()
        lab.settle()
        if lab.page.locator(".candidates button").count():
            lab.page.locator(".candidates button").first.click()
            lab.settle()
        assert "undefined" not in lab.page.locator(".why").text_content()


def test_the_first_tree_of_the_path_can_be_taken(open_lab, tmp_path):
    """Splits that change no prediction are cut at no cost, so the path begins below the tree."""
    path = tmp_path / "same.csv"
    rows = "".join(f"{'uv'[i % 2]},{'b' if i % 10 < 3 + i % 2 else 'a'}\n" for i in range(60))
    path.write_text(f"c,class\n{rows}", "utf-8")
    lab = open_lab()
    open_file(lab, path, "class", "id3", training=100, validation=0, test=0)
    assert lab.workbook()["history"][0]["leaves"] == 2
    lab.page.locator("#lab-tab-prune").click()
    lab.page.get_by_role("button", name="prune to 1 leaf").click()
    wait_for_step(lab, 2)
    assert lab.workbook()["history"][1]["leaves"] == 1
    lab.settle()
    assert "nothing to prune" in lab.page.locator(".prune").text_content()


def test_long_names_and_many_classes_leave_room(open_lab, tmp_path):
    path = tmp_path / "wide.csv"
    classes = [chr(97 + i) for i in range(26)]
    rows = "".join(f"{i * 7 % 83},{i % 5},{classes[i * 7 % 83 % 26]}\n" for i in range(400))
    path.write_text(f"{'very long ' * 30},z,class\n{rows}", "utf-8")
    lab = open_lab()
    lab.page.set_input_files("#lab-file", path)
    lab.page.wait_for_selector("main.data")
    heights = lab.page.locator("table.columns thead th").evaluate_all(
        "all => all.map(th => th.getBoundingClientRect().height)"
    )
    assert max(heights) < 40
    lab.grow("cart-binary")
    assert lab.page.locator(".candidates").bounding_box()["y"] < 700
    lab.page.locator("#lab-tab-row").click()
    fields = lab.page.locator(".field :is(input, select)")
    assert all(fields.nth(i).bounding_box()["height"] < 60 for i in range(fields.count()))


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_branches_of_many_classes_stay_in_the_panel(open_lab, tmp_path, size):
    path = tmp_path / "letters.csv"
    rows = "".join(f"{i * 7 % 83},{'pq'[i % 2]},{chr(97 + i * 7 % 83 % 26)}\n" for i in range(2600))
    path.write_text(f"x,z,class\n{rows}", "utf-8")
    lab = open_lab(size=size)
    lab.page.set_input_files("#lab-file", path)
    lab.page.wait_for_selector("main.data")
    lab.grow("cart-binary")
    for column in ("x", "z"):
        open_candidate(lab, column)
        lab.settle()
        if column == "z":
            lab.page.locator(".groups summary").click()
        box = lab.page.locator(".candidate").bounding_box()
        tables = lab.page.locator(".candidate .branches")
        assert tables.count() == (2 if column == "z" else 1)
        for cell in tables.locator(":is(th, td)").all():
            at = cell.bounding_box()
            assert at["x"] + at["width"] <= box["x"] + box["width"] + 1
        names = tables.locator("tbody th")
        assert all(names.nth(i).bounding_box()["width"] > 40 for i in range(names.count()))
        # Every count is there, and none is broken.
        counts = tables.first.locator("tbody tr").first.locator(".small")
        assert len(counts.text_content().split(" : ")) == 26
        assert counts.evaluate("e => getComputedStyle(e).overflowWrap") == "normal"
