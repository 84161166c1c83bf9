"""Every screen in both languages, both themes and two sizes: axe is clean, nothing is cut off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import penjing
from lab_rows import csv_rows
from webapp.page.test_homework import looks, shown_tree, wait_for_step

Axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing").Axe

HOSTILE = [
    "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "{n} {column} ${x} `y`",
    "a\"b'c&amp;d", "长" * 60, "x" * 80, "\u202eabc", "__proto__", "constructor",
]  # fmt: skip
"""Names of columns; categories and classes are as hostile."""


def axe_is_clean(lab):
    found = Axe().run(lab.page).response["violations"]
    assert not found, [
        (v["id"], v["nodes"][0]["html"], v["nodes"][0]["failureSummary"]) for v in found
    ]


def fits_its_width(lab):
    script = "() => document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
    assert lab.page.evaluate(script) <= 1


def open_details(lab, part):
    """Open what is folded in a part of the page: groups, the calculation, keys, changed rows."""
    folded = lab.page.locator(f"{part} details:not([open]) > summary:visible")
    for _ in range(folded.count()):
        folded.first.click()


def visit_every_screen(lab, check):
    """Show every screen and every tab; `check` looks at each."""
    check(lab)
    tabs = lab.page.locator("[role=tab]")
    for i in range(tabs.count()):
        tabs.nth(i).click()
        lab.settle()
        check(lab)
    lab.page.locator("#lab-tab-why").click()
    candidates = lab.page.locator(".candidates > li > button")
    for i in (candidates.count() - 1, 0):
        candidates.nth(i).click()
        lab.settle()
        open_details(lab, "aside")
        check(lab)
    lab.page.locator(".why .acts button").first.click()
    wait_for_step(lab, 2)
    open_details(lab, ".figures")
    check(lab)
    for screen in range(6):
        lab.page.locator(".top nav button").nth(screen).click()
        lab.settle()
        check(lab)


@looks
def test_axe_finds_nothing_on_any_screen(open_lab, lang, theme, size):
    lab = open_lab(lang, theme, size)

    def check(lab):
        axe_is_clean(lab)
        fits_its_width(lab)

    check(lab)
    lab.open_example("watermelon3.0", "c4.5", training=60, validation=20, test=20)
    visit_every_screen(lab, check)
    lab.page.locator(".finish .primary").click()
    lab.page.wait_for_selector(".finish pre")
    check(lab)
    lab.page.locator(".top nav button").nth(4).click()
    lab.page.locator(".exercise .primary").click()
    lab.page.locator(".blanks input").first.fill("3")
    lab.page.keyboard.press("Enter")
    lab.page.wait_for_selector(".blank.wrong")
    lab.page.locator(".blank .acts button").nth(1).click()
    lab.settle()
    open_details(lab, ".exercise")
    check(lab)
    lab.page.locator(".blank .acts button").nth(2).click()
    lab.page.wait_for_selector(".blank.given-up")
    check(lab)
    # What is refused is one sentence.
    lab.page.locator(".top nav button").nth(0).click()
    lab.page.set_input_files("#lab-file", {"name": "a.csv", "mimeType": "", "buffer": b"a\n"})
    lab.page.wait_for_selector("dialog[open]")  # there are steps that would be left
    check(lab)
    lab.page.locator("dialog button").first.click()
    lab.page.wait_for_selector(".failure")
    check(lab)
    open_lab.noise.remove(next(n for n in open_lab.noise if n.startswith("Failed to load")))
    # A table with warnings.
    rows = "".join(
        f"{i * 7 % 13},{'yes' if i % 3 else 'no'},{'xy'[i % 3 > 0]}\n" for i in range(600)
    )
    leak = f"age,refund,bought\n{rows}".encode()
    lab.page.set_input_files("#lab-file", {"name": "leak.csv", "mimeType": "", "buffer": leak})
    lab.page.locator("dialog button").first.click()
    lab.page.wait_for_selector(".notes .warning")
    check(lab)


def hostile_table(tmp_path: Path) -> Path:
    rows = []
    for i in range(60):
        row = [HOSTILE[(i * (c + 2)) % len(HOSTILE)] for c in range(4)]
        rows.append(
            [*row, *(str((i * (c + 3)) % 7 + 0.5) for c in range(len(HOSTILE) - 4)), HOSTILE[i % 3]]
        )
    import csv  # noqa: PLC0415

    path = tmp_path / "hostile <b>.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[*HOSTILE, "class <i>"], *rows])
    return path


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [1400, 390])
def test_hostile_names_are_only_text(open_lab, tmp_path, lang, width):
    lab = open_lab(lang, "light", {"width": width, "height": 900})
    lab.page.set_input_files("#lab-file", hostile_table(tmp_path))
    lab.page.wait_for_selector("main.data")
    lab.page.locator("#lab-target").select_option("class <i>")
    lab.settle()

    def check(lab):
        # One script, no image, no element of a name: names are text everywhere.
        assert lab.page.evaluate("document.querySelectorAll('img, script, i').length") == 1
        fits_its_width(lab)

    check(lab)
    lab.grow("c4.5", training=60, validation=20, test=20)
    visit_every_screen(lab, check)
    lab.page.locator(".finish .primary").click()
    lab.page.wait_for_selector(".finish pre")
    lab.page.locator(".top nav button").nth(4).click()
    lab.page.locator("#lab-exercise-data").select_option("table")
    lab.page.locator(".exercise .primary").click()
    lab.page.wait_for_selector(".blanks, .failure")
    check(lab)


def test_the_badge_beside_a_long_name_is_one_line(open_lab, tmp_path):
    rows = "".join(f"{i % 9},{'pq'[i % 9 > 4]}\n" for i in range(60))
    (tmp_path / "a.csv").write_text(f"{'x' * 200},class\n{rows}")
    lab = open_lab()
    lab.page.set_input_files("#lab-file", tmp_path / "a.csv")
    lab.grow("cart-binary")
    assert lab.page.evaluate("document.querySelector('.candidates .badge').offsetHeight") < 24


def test_numbers_beside_names_from_right_to_left_keep_their_columns(open_lab, tmp_path):
    rows = "".join(f"{i % 9},{'כן' if (i % 9 > 5) ^ (i % 7 == 0) else 'לא'}\n" for i in range(90))
    (tmp_path / "a.csv").write_text(f"a,class\n{rows}", encoding="utf-8")
    lab = open_lab()
    lab.page.set_input_files("#lab-file", tmp_path / "a.csv")
    lab.grow("rpart", training=100, validation=0, test=0)
    lab.page.locator("#lab-tab-score").click()
    lab.settle()
    # Where each number of the table is drawn, line by line.
    script = """() => [...document.querySelectorAll('.story .table')].flatMap((table) => {
        const walk = document.createTreeWalker(table, NodeFilter.SHOW_TEXT), found = [];
        for (let node; (node = walk.nextNode()); )
            for (const match of node.data.matchAll(/[\\d.]+/g)) {
                const range = document.createRange();
                range.setStart(node, match.index);
                range.setEnd(node, match.index + match[0].length);
                const { left, top } = range.getBoundingClientRect();
                found.push([Math.round(top), left]);
            }
        return found;
    })"""
    lines: dict[int, list[float]] = {}
    for top, left in lab.page.evaluate(script):
        lines.setdefault(top, []).append(left)
    assert sum(len(places) > 1 for places in lines.values()) >= 4
    assert all(places == sorted(places) for places in lines.values()), lines


def test_columns_of_chinese_texts_are_kept_beside_signs_of_any_width(open_lab):
    lab = open_lab("zh")
    lab.open_example("watermelon3.0", "cart-binary")
    lab.page.locator(".story-box summary").click()
    assert "≤" in lab.page.locator(".story-box .table.wide").first.text_content()
    # Where the numbers with four decimals end, line by line.
    ends = lab.page.evaluate("""() => {
        const lines = new Map();
        for (const cell of document.querySelector('.story-box .table.wide').children) {
            if (!/^\\d+\\.\\d{4}$/.test(cell.textContent)) continue;
            const { top, right } = cell.getBoundingClientRect();
            lines.set(Math.round(top), [...(lines.get(Math.round(top)) ?? []), right]);
        }
        return [...lines.values()];
    }""")
    last = [line[-3:] for line in ends]
    assert len(last) >= 4
    assert max(max(column) - min(column) for column in zip(*last, strict=True)) < 2


@pytest.mark.parametrize("width", [390, 700, 1000])
def test_the_panel_has_room_in_small_windows(open_lab, width):
    lab = open_lab("en", "light", {"width": width, "height": 800})
    lab.open_example("watermelon3.0", "cart-binary")
    for tab in ("rows", "why", "prune", "row", "rules", "score"):
        lab.page.locator(f"#lab-tab-{tab}").click()
        lab.settle()
        assert lab.page.locator(f"#lab-panel-{tab}").bounding_box()["height"] >= 150
        assert lab.page.locator(".canvas").bounding_box()["height"] >= 250
    fits_its_width(lab)


@pytest.mark.parametrize("width", [1100, 1400, 1900])
def test_the_tree_has_half_the_width(open_lab, tmp_path, width):
    path = tmp_path / "wide.csv"
    names = ",".join(f"{'column ' * 4}{i}" for i in range(30))
    lines = [
        ",".join(str((i * k) % 17 / 16) for k in range(1, 31)) + f",{'abc'[i % 3]}"
        for i in range(90)
    ]
    path.write_text("\n".join([f"{names},class", *lines]) + "\n", "utf-8")
    lab = open_lab("en", "light", {"width": width, "height": 900})
    lab.page.set_input_files("#lab-file", path)
    lab.grow("cart-binary")
    for tab in ("why", "prune", "row", "rules", "score"):
        lab.page.locator(f"#lab-tab-{tab}").click()
        lab.settle()
        box = lab.page.locator(".canvas").bounding_box()
        assert box["width"] >= 0.5 * width
        assert box["height"] >= 0.5 * 900


def test_kinds_and_target_can_be_changed(open_lab):
    lab = open_lab()
    lab.page.locator(".examples button", has_text="golf").click()
    lab.page.wait_for_selector("main.data")
    lab.page.get_by_label("type of windy").select_option("ignore")
    lab.settle()
    lab.page.get_by_label("type of outlook").select_option("ordinal")
    lab.settle()
    assert lab.page.get_by_label("type of windy").input_value() == "ignore"
    assert lab.page.get_by_label("type of outlook").input_value() == "ordinal"
    lab.page.locator("#lab-target").select_option("outlook")
    lab.settle()
    lab.grow("cart-binary")
    assert lab.workbook()["target"] == "outlook"
    assert "windy" not in shown_tree(lab)


def test_a_numeric_target_can_be_read_as_classes(open_lab, tmp_path):
    path = tmp_path / "marks.csv"
    path.write_text("x,mark\n" + "".join(f"{i % 9},{i % 25}\n" for i in range(200)), "utf-8")
    lab = open_lab()
    lab.page.set_input_files("#lab-file", path)
    lab.page.wait_for_selector("main.data")
    lab.page.locator("#lab-target").select_option("mark")
    lab.settle()
    assert "choose 'categorical' as its type below" in lab.page.locator(".notes").text_content()
    kind = lab.page.get_by_label("type of mark")
    assert kind.locator("option").all_text_contents() == ["categorical", "numeric"]
    kind.select_option("categorical")
    lab.settle()
    lab.grow("c4.5")
    book = lab.workbook()
    view = lab.client.ask("GET", f"workbook/{book['workbook']}/tree/{book['current']}")
    assert view["training"]["kind"] == "classes"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_validation_and_test_rows_come_from_files(open_lab, tmp_path, lang):
    contents = {part: csv_rows(seed, 100) for part, seed in (("a", 1), ("b", 2), ("c", 3))}
    for name, content in contents.items():
        (tmp_path / f"{name}.csv").write_bytes(content)
    lab = open_lab(lang)
    # Chromium passes dialogs on only after it was told to, which on a busy machine can take longer
    # than the key press does; so the listener is there from the start.
    dialogs: list[Any] = []

    def opened(dialog: Any) -> None:  # Playwright takes functions of Python, not built-in methods
        dialogs.append(dialog)

    lab.page.on("filechooser", opened)
    lab.page.set_input_files("#lab-file", tmp_path / "a.csv")
    lab.page.wait_for_selector("form.division")
    lab.settle()
    # By the keyboard, as far as the browser's own dialog.
    lab.tab_to(".division input[type=checkbox]")
    lab.page.keyboard.press("Space")
    assert lab.page.locator(".division input[type=number]").count() == 0
    lab.tab_to(".division .choose-file")
    lab.page.keyboard.press("Enter")
    lab.wait_for(lambda: dialogs, "the dialog of a file")
    dialogs[0].set_files(tmp_path / "b.csv")
    lab.page.wait_for_selector(".file-validation:not(:empty)")
    assert lab.page.locator(".file-validation").text_content() == (
        "b.csv (100 rows)" if lang == "en" else "b.csv（100 行）"
    )
    lab.page.set_input_files("#lab-file-test", tmp_path / "c.csv")
    lab.page.wait_for_selector(".file-test:not(:empty)")
    axe_is_clean(lab)
    lab.grow("cart-binary")
    book = lab.workbook()
    assert book["division"]["rows"] == {"training": 100, "validation": 100, "test": 100}
    tree = penjing.fit(contents["a"], "target", "cart-binary", quiet=True)
    view = lab.client.ask("GET", f"workbook/{book['workbook']}/tree/{book['current']}")
    assert view["validation"]["correct"] == tree.score(contents["b"]).correct
    lab.page.locator(".top nav button").nth(5).click()
    lab.page.locator(".finish .primary").click()
    lab.page.wait_for_selector(".finish pre")
    assert lab.workbook()["finished"]["score"]["correct"] == tree.score(contents["c"]).correct


def test_a_validation_file_that_does_not_fit_is_one_sentence(open_lab, tmp_path):
    (tmp_path / "a.csv").write_bytes(csv_rows(1, 100))
    (tmp_path / "b.csv").write_bytes(csv_rows(2, 100).replace(b"target", b"other", 1))
    lab = open_lab()
    lab.page.set_input_files("#lab-file", tmp_path / "a.csv")
    lab.page.wait_for_selector("form.division")
    lab.page.locator(".division input[type=checkbox]").check()
    lab.page.set_input_files("#lab-file-validation", tmp_path / "b.csv")
    lab.page.wait_for_selector(".file-validation:not(:empty)")
    lab.page.locator(".division button[type=submit]").click()
    lab.page.wait_for_selector(".failure")
    assert "b.csv has no column 'target'" in lab.page.locator(".failure p").text_content()
    open_lab.noise.remove(next(n for n in open_lab.noise if n.startswith("Failed to load")))


def test_a_file_is_opened_and_a_wrong_one_is_one_sentence(open_lab, tmp_path):
    lab = open_lab()
    wrong = tmp_path / "wrong.parquet"
    wrong.write_bytes(b"no parquet")
    lab.page.set_input_files("#lab-file", wrong)
    lab.page.wait_for_selector(".failure")
    assert lab.page.locator(".failure p").text_content().strip().endswith(".")
    # Chromium itself says that a request was refused; nothing else is said.
    refused = [n for n in open_lab.noise if n.startswith("Failed to load resource")]
    assert len(refused) == 1
    open_lab.noise.remove(refused[0])
    lab.page.locator(".failure button").click()
    assert lab.page.locator(".failure").count() == 0
    good = tmp_path / "瓜.csv"
    good.write_text("a,b,class\n" + "".join(f"{i},{i % 3},{'xy'[i % 2]}\n" for i in range(80)))
    lab.page.set_input_files("#lab-file", good)
    lab.page.wait_for_selector("main.data")
    assert "瓜.csv" in lab.page.locator("h2").text_content()


def test_a_column_that_gives_the_target_away_is_a_warning(open_lab, tmp_path):
    path = tmp_path / "leak.csv"
    rows = "".join(
        f"{i * 7 % 13},{'yes' if i % 3 else 'no'},{'xy'[i % 3 > 0]}\n" for i in range(600)
    )
    path.write_text(f"age,refund,bought\n{rows}", "utf-8")
    lab = open_lab()
    lab.page.set_input_files("#lab-file", path)
    lab.page.wait_for_selector("main.data")
    lab.page.locator("#lab-target").select_option("bought")
    lab.page.wait_for_selector(".notes .warning")
    assert (
        "'refund' is nearly a copy of 'bought'"
        in lab.page.locator(".notes .warning").text_content()
    )
    lab.page.get_by_label("type of refund").select_option("ignore")
    lab.settle()
    assert lab.page.locator(".notes .warning").count() == 0


def test_a_dropped_file_is_opened(open_lab):
    lab = open_lab()
    lab.page.evaluate("""() => {
        const data = new DataTransfer();
        data.items.add(new File(["a,class\\n1,x\\n2,y\\n3,x\\n"], "drop.csv"));
        const event = new DragEvent("drop", { dataTransfer: data, bubbles: true });
        document.querySelector(".drop").dispatchEvent(event);
    }""")
    lab.page.wait_for_selector("main.data")
    assert "drop.csv" in lab.page.locator("h2").text_content()


def test_without_the_token_the_page_says_so(browser, open_lab):
    lab = open_lab()
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"http://127.0.0.1:{lab.client.port}/")
    page.wait_for_selector(".failure")
    assert "penjing lab" in page.locator(".failure p").text_content()
    context.close()


def test_the_end_saves_files_that_open_again(open_lab, tmp_path):
    lab = open_lab()
    lab.open_example("watermelon2.0", "id3")
    lab.page.locator(".candidates > li > button", has_text="脐部").click()
    lab.page.locator(".candidate .primary").click()
    wait_for_step(lab, 2)
    wanted = shown_tree(lab)
    lab.page.locator(".top nav button").nth(5).click()
    saved = {}
    for name in ("model", "report", "script", "workbook"):
        with lab.page.expect_download() as waiting:
            lab.page.locator(f".save-{name}").click()
        saved[name] = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(saved[name])
    assert penjing.load(saved["model"]).write("text") == wanted
    assert saved["report"].read_text("utf-8").startswith("<!doctype html>")
    assert "replace_split" in saved["script"].read_text("utf-8")
    assert json.loads(saved["workbook"].read_text("utf-8"))["format"] == "penjing-workbook"
    # The workbook opens on the first screen of a new tab.
    other = open_lab()
    other.page.set_input_files("#lab-file", saved["workbook"])
    other.page.wait_for_selector(".tree-screen")
    assert shown_tree(other) == wanted


def test_the_test_rows_are_opened_once(open_lab):
    lab = open_lab()
    lab.open_example("watermelon3.0", "c4.5", training=60, validation=20, test=20)
    lab.page.locator(".top nav button").nth(5).click()
    lab.page.locator(".finish .primary").click()
    lab.page.wait_for_selector(".finish pre")
    finished = lab.workbook()["finished"]
    score = finished["score"]
    text = lab.page.locator(".finish .rule").text_content()
    assert f"({score['correct']} of {score['n']})" in text
    assert lab.page.locator(".finish pre").text_content() == finished["text"]["en"]
    assert lab.page.locator(".finish .primary").count() == 0


def test_two_trees_are_compared(open_lab):
    lab = open_lab()
    lab.open_example("watermelon2.0", "id3")
    lab.page.locator(".candidates > li > button", has_text="脐部").click()
    lab.page.locator(".candidate .primary").click()
    wait_for_step(lab, 2)
    lab.page.locator(".top nav button").nth(3).click()
    lab.page.wait_for_selector(".compare pre")
    tree = penjing.fit(penjing.example("watermelon2.0"), recipe="id3")
    other = tree.replace_split(0, "脐部")
    same = penjing.compare(tree, other, {"training": penjing.example("watermelon2.0")})
    assert lab.page.locator(".compare pre").text_content() == same.text("en")


def test_tabs_of_one_server_keep_their_own_trees(open_lab):
    labs = [open_lab() for _ in range(3)]
    for lab, name in zip(labs, ("watermelon2.0", "golf", "fish"), strict=True):
        lab.open_example(name, "auto")
    assert [lab.workbook()["name"] for lab in labs] == [
        f"example:{n}" for n in ("watermelon2.0", "golf", "fish")
    ]


@pytest.mark.slow
def test_ten_tabs_of_one_browser_keep_working(open_lab):
    """A browser has six connections to a server, which all tabs share."""
    lab = open_lab()
    address = f"http://127.0.0.1:{lab.client.port}/#token={lab.client.token}"
    lab.page.context.set_default_timeout(60_000)
    tabs = [lab.page.context.new_page() for _ in range(10)]
    for tab in tabs:
        tab.goto(address)
        tab.locator(".examples button").first.click()
    for tab in tabs:
        tab.locator(".division button[type=submit]").click()
    for tab in tabs:
        tab.wait_for_selector(".candidates")
        tab.locator(".candidates > li > button").nth(1).click()
        tab.locator(".candidate .primary").click()
    for tab in tabs:
        tab.wait_for_selector(".trail li:nth-child(2) [aria-current=step]")
    assert len({tab.url.partition("workbook=")[2][:32] for tab in tabs}) == 10


@pytest.mark.parametrize("kind", ["table", "workbook", "exercise"])
def test_the_page_starts_with_what_was_opened(open_lab, kind):
    lab = open_lab()
    book = lab.client.workbook("watermelon2.0")
    exercise = lab.client.ask("POST", "exercise", {"example": "fish"})
    ids = {"table": book["table"], "workbook": book["workbook"], "exercise": exercise["exercise"]}
    setattr(lab.client.lab.start, kind, ids[kind])
    other = open_lab()
    screen = {"table": "main.data", "workbook": ".candidates", "exercise": ".blanks"}
    other.page.wait_for_selector(screen[kind])


def test_the_address_holds_the_state_and_no_secret(open_lab):
    """The address holds the state, and holds neither the token nor a name of a column."""
    lab = open_lab("zh", "dark")
    lab.open_example("watermelon2.0", "id3")
    lab.card(1).click()
    url = lab.page.url
    assert lab.client.token not in url
    for word in ("screen=tree", "node=1", "lang=zh", "tab=why"):
        assert word in url
