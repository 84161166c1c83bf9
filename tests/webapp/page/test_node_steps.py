"""What can be done with a node on the page gives the trees and the numbers of the Python API."""

from __future__ import annotations

import re

import pytest

import penjing
from penjing.data.statistics import percent
from webapp.page.test_homework import shown_tree, wait_for_step


def slider(lab):
    return lab.page.locator(".curve [role=slider]")


def open_candidate(lab, column):
    lab.page.locator(
        ".candidates > li > button", has=lab.page.locator(f".name:text-is('{column}')")
    ).click()


@pytest.fixture(scope="module")
def melons():
    return penjing.fit(penjing.example("watermelon3.0"), recipe="cart-binary")


def test_candidates_are_those_of_why(open_lab, melons):
    lab = open_lab()
    lab.open_example("watermelon3.0", "cart-binary")
    why = melons.why(0).to_dict()
    rows = lab.page.locator(".candidates > li > button")
    names = [rows.nth(i).locator(".name").text_content() for i in range(rows.count())]
    scores = [rows.nth(i).locator(".score").text_content() for i in range(rows.count())]
    assert names == [c["column"] for c in why["candidates"]]
    compared = [c["score"] for c in why["candidates"] if c["score"] is not None]
    for text, score in zip(scores, compared, strict=False):
        assert float(text.strip(" *")) == pytest.approx(score, abs=6e-4)
    lab.page.locator(".story-box summary").click()
    assert lab.page.locator(".story-box pre").text_content() == melons.why(0).text("en")


def previewed(lab):
    """Return the branches that are drawn below the selected node before a split is made."""
    texts = lab.page.locator(".preview-branch")
    return [texts.nth(i).locator("text").all_text_contents() for i in range(texts.count())]


def test_a_candidate_that_is_pointed_at_shows_its_branches_in_the_tree(open_lab):
    lab = open_lab()
    lab.open_example("watermelon2.0", "id3")
    tree = penjing.fit(penjing.example("watermelon2.0"), recipe="id3")
    candidates = {c["column"]: c for c in tree.why(0).to_dict()["candidates"]}
    assert previewed(lab) == []
    rows = lab.page.locator(".candidates > li > button")
    rows.filter(has_text="脐部").hover()
    wanted = [[b["answer"], f"n={b['rows']:g}"] for b in candidates["脐部"]["branches"]]
    assert previewed(lab) == wanted
    # They are below the node.
    card, branch = (
        lab.card(0).bounding_box(),
        lab.page.locator(".preview-card").first.bounding_box(),
    )
    assert branch["y"] > card["y"] + card["height"] - 1
    # The split that the tree has is drawn already.
    rows.filter(has_text="纹理").hover()
    assert previewed(lab) == []
    lab.page.locator(".why h3").hover()
    assert previewed(lab) == []
    # By the keyboard, too; the step replaces them by the nodes themselves.
    lab.card(0).click()
    lab.page.keyboard.press("c")
    lab.wait_until("document.activeElement.closest('.candidates') !== null")
    lab.page.keyboard.press("ArrowDown")
    assert previewed(lab) == wanted
    lab.page.keyboard.press("Enter")
    lab.page.locator(".candidate .primary").click()
    wait_for_step(lab, 2)
    lab.page.locator(".why h3").hover()
    assert previewed(lab) == []


def open_rows(lab, tmp_path, text, target, recipe):
    """Open a table, choose its target, and grow a tree from all rows."""
    path = tmp_path / f"{target}.csv"
    path.write_text(text, "utf-8")
    lab.page.set_input_files("#lab-file", path)
    lab.page.wait_for_selector("main.data")
    lab.page.locator("#lab-target").select_option(target)
    lab.settle()
    lab.grow(recipe, training=100, validation=0, test=0)


def test_of_many_branches_the_first_are_drawn(open_lab, tmp_path):
    lines = "".join(f"town{i % 9}ofmanyletters,{'pq'[i % 2]},{'ab'[i % 2]}\n" for i in range(180))
    lab = open_lab()
    open_rows(lab, tmp_path, f"town,k,class\n{lines}", "class", "id3")
    lab.page.locator(".candidates > li:not(.chosen) > button", has_text="town").hover()
    assert len(previewed(lab)) == 6
    names = [name for name, _ in previewed(lab)]
    assert names == [f"town{i}ofmany…" for i in range(6)]
    assert lab.page.locator(".preview > text").text_content() == "+3"


def test_branches_of_numbers_are_drawn(open_lab, tmp_path):
    lines = "".join(f"{i % 7},{i % 5},{(i * i) % 23}.5\n" for i in range(120))
    lab = open_lab()
    open_rows(lab, tmp_path, f"x,y,price\n{lines}", "price", "cart-binary")
    lab.page.locator(".candidates > li:not(.chosen) > button").first.hover()
    assert [text[0][0] for text in previewed(lab)] == ["≤", ">"]


def test_branches_with_weights_are_drawn_with_their_weights(open_lab, tmp_path):
    lines = "".join(f"{i % 7},{'uvw'[i % 3]},{0.5 + i % 2},{'ab'[i % 7 > 3]}\n" for i in range(120))
    path = tmp_path / "weighted.csv"
    path.write_text(f"x,z,w,class\n{lines}", "utf-8")
    lab = open_lab()
    lab.page.set_input_files("#lab-file", path)
    lab.page.wait_for_selector("main.data")
    lab.page.get_by_label("type of w", exact=True).select_option("weight")
    lab.settle()
    lab.grow("cart-binary", training=100, validation=0, test=0)
    lab.page.locator(".candidates > li:not(.chosen) > button").first.hover()
    sizes = [size for _, size in previewed(lab)]
    assert len(sizes) == 2
    assert all(re.fullmatch(r"weight \d+(\.\d+)?", size) for size in sizes), sizes


def test_a_threshold_is_dragged_along_the_curve(open_lab, melons):
    lab = open_lab()
    lab.open_example("watermelon3.0", "cart-binary")
    open_candidate(lab, "密度")
    box = slider(lab).bounding_box()
    lab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    lab.page.mouse.down()
    lab.page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 30, steps=4)
    lab.page.mouse.up()
    text = slider(lab).get_attribute("aria-valuetext")
    cut = float(re.search(r"threshold ([\d.]+)", text)[1])
    assert cut > 0.65
    lab.page.locator(".curve button").click()
    wait_for_step(lab, 2)
    assert shown_tree(lab) == melons.replace_split(0, "密度", cut).write("text")


def test_a_threshold_moves_by_keys(open_lab, melons):
    lab = open_lab()
    lab.open_example("watermelon3.0", "cart-binary")
    first = melons.replace_split(0, "密度")
    lab.page.locator(".candidates > li > button", has_text="密度").click()
    lab.page.locator(".candidate .primary").click()
    wait_for_step(lab, 2)
    lab.card(0).click()
    lab.page.keyboard.press("]")
    lab.wait_until("document.activeElement.getAttribute('role') === 'slider'")
    start = int(slider(lab).get_attribute("aria-valuenow"))
    for key in ("]", "]", "["):
        lab.page.keyboard.press(key)
    assert int(slider(lab).get_attribute("aria-valuenow")) == start + 1
    cut = float(re.search(r"threshold ([\d.]+)", slider(lab).get_attribute("aria-valuetext"))[1])
    lab.page.keyboard.press("Enter")
    wait_for_step(lab, 3)
    assert shown_tree(lab) == first.replace_split(0, "密度", cut).write("text")
    lab.wait_until("document.activeElement.getAttribute('role') === 'treeitem'")


def test_categories_are_put_into_other_groups(open_lab, melons):
    lab = open_lab()
    lab.open_example("watermelon3.0", "cart-binary")
    open_candidate(lab, "色泽")
    lab.page.locator(".groups summary").click()
    for category, group in (("青绿", "1"), ("乌黑", "2"), ("浅白", "2")):
        lab.page.get_by_label(f"branch of {category}").select_option(label=group)
    lab.page.get_by_role("button", name="split into 2 branches").click()
    wait_for_step(lab, 2)
    wanted = melons.replace_split(0, "色泽", groups=[["青绿"], ["乌黑", "浅白"]])
    assert shown_tree(lab) == wanted.write("text")


def test_pruning_along_the_path_counts_its_looks(open_lab):
    lab = open_lab()
    lab.open_example("watermelon3.0", "cart-binary", training=60, validation=40, test=0)
    assert lab.workbook()["validation_looks"] == 1
    lab.page.locator("#lab-tab-prune").click()
    lab.page.wait_for_selector(".prune-path")
    assert lab.page.locator(".chart .error-bar").count() == 0
    book = lab.workbook()
    points = lab.client.ask(
        "GET", f"workbook/{book['workbook']}/tree/{book['current']}/pruning?validation=0"
    )["points"]
    lab.page.get_by_role("button", name=re.compile("show validation results")).click()
    lab.page.wait_for_selector(".chart .error-bar", state="attached")
    assert lab.page.locator(".chart .error-bar").count() == len(points)
    lab.wait_until(f"document.querySelector('.looks').textContent.endsWith(' {len(points)}')")
    assert lab.workbook()["validation_looks"] == len(points)
    lab.page.locator(".prune-path input").fill("1")
    assert (
        lab.page.locator(".prune-path .primary").text_content()
        == f"prune to {points[1]['leaves']} leaves"
    )
    lab.page.locator(".prune-path .primary").click()
    wait_for_step(lab, 2)
    assert lab.workbook()["history"][1]["leaves"] == points[1]["leaves"]


def test_figures_follow_a_step(open_lab):
    lab = open_lab()
    lab.open_example("watermelon3.0", "cart-binary", training=60, validation=40, test=0)
    lab.page.locator(".why .acts button").first.click()
    wait_for_step(lab, 2)
    view = lab.client.ask(
        "GET", f"workbook/{lab.workbook()['workbook']}/tree/{lab.workbook()['current']}"
    )
    for part in ("training", "validation"):
        score, text = view[part], lab.page.locator(f".figure.{part}").text_content()
        share = percent(score["correct"], score["n"])
        assert f"accuracy {share}% ({score['correct']} of {score['n']})" in text
        low, high = (round(100 * end) for end in score["interval"])
        assert f"95% confidence interval {low}% to {high}%" in text
        assert re.search(r"[−±+][\d.]+ points", text)
    summary = lab.page.locator(".changed summary").first
    n = int(summary.text_content().split()[0])
    summary.click()
    assert lab.page.locator(".changed table").first.locator("tbody tr").count() == n
    assert lab.page.locator(".looks").text_content() == "trees evaluated on the validation rows: 2"


def test_selecting_a_node_does_not_wait_for_the_server(open_lab):
    lab = open_lab()
    lab.open_example("watermelon2.0", "id3")
    held = []

    def hold(route):
        held.append(route)

    lab.page.route("**/api/1/**", hold)
    lab.card(1).click()
    assert lab.card(1).get_attribute("aria-selected") == "true"
    assert lab.page.locator(".why .rule").text_content().startswith("when 纹理 = 清晰")
    lab.page.wait_for_selector(".waiting")
    lab.page.unroute("**/api/1/**")
    for route in held:
        route.continue_()
    lab.page.wait_for_selector(".candidates")


def test_the_address_leads_back_to_the_node(open_lab):
    lab = open_lab()
    lab.open_example("watermelon2.0", "id3")
    lab.card(2).click()
    lab.page.locator("#lab-tab-rules").click()
    assert "token" not in lab.page.url
    lab.page.reload()
    lab.page.wait_for_selector(".rules")
    assert lab.card(2).get_attribute("aria-selected") == "true"
    lab.page.locator(".rules button").first.click()
    assert lab.card(2).get_attribute("aria-selected") == "false"
