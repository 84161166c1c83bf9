"""The replay: the tree grows split by split, then it is pruned, up to the finished tree."""

from __future__ import annotations

import re
from functools import cache
from io import StringIO
from typing import Any

import numpy as np
import pytest

import penjing
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric
from penjing.render.html import page_data
from penjing.render.html.replay import replay_data
from render.html.conftest import settle
from watermelon_files import FILES

METHODS = ["pessimistic", "reduced-error", "cost-complexity", "mdl"]
SHOWN = "all => all.map(e => [+e.dataset.node, e.classList.contains('question')])"


@cache
def course(name: str) -> Table:
    return penjing.read(StringIO(FILES[name]), target="好瓜", schema={"编号": "ignore"})


def pruned(method: str, recipe: str, *, trace: bool = True) -> Tree:
    tree = penjing.fit(course("Watermelon-train1.csv"), recipe=recipe, trace=trace)
    given: dict[str, Any] = {}
    if method == "reduced-error":
        given["validation"] = course("Watermelon-test1.csv")
    if method == "cost-complexity":
        given["alpha"] = 1.0
    return tree.prune(method, **given)


@cache
def noisy(n: int = 400) -> Table:
    rng = np.random.RandomState(7)
    x = np.round(rng.randn(n, 3), 2)
    y = ["ab"[int(v)] for v in (x[:, 0] + x[:, 1] + rng.randn(n) > 0)]
    columns = tuple(numeric(f"x{c}", x[:, c]) for c in range(3))
    return Table(columns, nominal("y", y), n)


def frames_of(page: Any) -> int:
    return int(page.locator(".step").text_content().split(" / ")[1])


def next_frame(page: Any) -> None:
    page.get_by_role("button", name="next", exact=True).click()


@pytest.mark.parametrize("recipe", ["id3", "cart-binary"])
@pytest.mark.parametrize("method", METHODS)
def test_a_pruned_tree_is_grown_and_pruned_to_the_last_step(opened, method, recipe):
    tree = pruned(method, recipe)
    grown = penjing.fit(course("Watermelon-train1.csv"), recipe=recipe)
    replay = page_data(tree, "en", "light", None)["replay"]
    assert tree.n_nodes < grown.n_nodes  # something was pruned
    assert replay["grown"]["parent"] == grown.nodes.parent.tolist()
    page = opened(tree)
    page.get_by_role("tab", name="replay").click()
    n, seen, sizes = frames_of(page), [], []
    for step in range(n):
        assert page.locator(".step").text_content() == f"{step + 1} / {n}"
        shown = page.eval_on_selector_all("[role=treeitem]", SHOWN)
        sizes.append(sum(is_split for _, is_split in shown))
        seen.append(page.locator(".story").text_content())
        if step < n - 1:
            next_frame(page)
    n_splits = int((~grown.is_leaf).sum())
    top = sizes.index(n_splits)  # every split of the grown tree was drawn
    assert sizes[: top + 1] == sorted(sizes[: top + 1])  # it grows
    assert sizes[top:] == sorted(sizes[top:], reverse=True)  # and shrinks
    assert sizes[-1] == int((~tree.is_leaf).sum())
    for decision in replay["pruning"]:
        assert decision["text"]["en"] in seen
    for text in replay["texts"].values():
        assert text["en"] in seen
    nodes = page.eval_on_selector_all("[role=treeitem]", "all => all.map(e => +e.dataset.node)")
    assert nodes == list(range(tree.n_nodes))
    following = page.get_by_role("button", name="next", exact=True)
    assert following.get_attribute("aria-disabled") == "true"
    following.click(force=True)  # nothing happens at the end
    assert page.locator(".step").text_content() == f"{n} / {n}"


@pytest.mark.parametrize("recipe", ["id3", "rpart"])
def test_a_split_that_pruning_removes_is_not_called_a_leaf_while_the_tree_grows(opened, recipe):
    if recipe == "rpart":  # grows further than its complexity allows, and prunes
        tree = penjing.fit(noisy(), recipe="rpart", cp=0.03, trace=True)
    else:
        tree = pruned("pessimistic", "id3")
    page = opened(tree)
    page.get_by_role("tab", name="replay").click()
    n_told = 0
    for _ in range(frames_of(page) - 1):
        if page.locator("[role=treeitem].question.now").count():
            n_told += 1
            told = page.locator(".story").text_content()
            assert not re.search(r"^ *leaf ", told, re.MULTILINE)
        next_frame(page)
    assert n_told > 3


def test_first_last_and_previous_and_back_to_the_tree(opened):
    tree = pruned("pessimistic", "id3")
    page = opened(tree)
    page.get_by_role("tab", name="replay").click()
    n = frames_of(page)
    for name, wanted in (("last", n), ("first", 1), ("last", n), ("previous", n - 1)):
        page.get_by_role("button", name=name, exact=True).click()
        assert page.locator(".step").text_content() == f"{wanted} / {n}"
    page.get_by_role("tab", name="details").click()
    assert page.locator("[role=treeitem]").count() == tree.n_nodes


def test_replay_goes_on_by_the_keyboard_alone_and_keeps_the_focus(opened):
    page = opened(pruned("pessimistic", "id3"))
    page.get_by_role("tab", name="replay").click()
    n = frames_of(page)
    page.get_by_role("button", name="next", exact=True).focus()
    for step in range(2, n + 2):
        page.keyboard.press("Enter")
        assert page.locator(".step").text_content() == f"{min(step, n)} / {n}"
        assert page.evaluate("document.activeElement.textContent") == "next"


def test_play_runs_to_the_end_and_stops(opened):
    page = opened(pruned("pessimistic", "id3"))
    page.get_by_role("tab", name="replay").click()
    n = frames_of(page)
    page.get_by_label("speed").select_option("8")
    page.get_by_role("button", name="play").click()
    page.get_by_role("button", name="pause").wait_for()
    page.locator(".step", has_text=f"{n} / {n}").wait_for()
    page.get_by_role("button", name="play").wait_for()
    page.get_by_role("button", name="play").click()  # from the beginning again
    page.get_by_role("button", name="pause").click()
    step = page.locator(".step").text_content()
    page.wait_for_timeout(400)
    assert page.locator(".step").text_content() == step


@pytest.mark.parametrize("recipe", ["rpart", "c4.5", "sklearn", "id3"])
def test_trees_without_a_trace_are_replayed_from_their_counts(opened, recipe):
    tree = penjing.fit(noisy(), recipe=recipe, trace=False)
    page = opened(tree)
    page.get_by_role("tab", name="replay").click()
    n = frames_of(page)
    n_splits = int((~tree.is_leaf).sum())
    assert n >= n_splits
    page.get_by_role("button", name="last", exact=True).click()
    assert page.locator("[role=treeitem].question").count() > 0
    if tree.skeleton is not None:
        assert page.locator(".story").text_content().startswith("the finished tree")


@pytest.mark.parametrize("recipe", ["rpart", "c4.5", "j48", "id3", "cart-binary"])
@pytest.mark.parametrize("prunings", [(), ("pessimistic",), ("pessimistic", "cost-complexity")])
def test_all_cuts_applied_to_the_grown_tree_give_the_pruned_tree(recipe, prunings):
    tree = penjing.fit(noisy(), recipe=recipe)
    for method in prunings:
        tree = tree.prune(method, **({"alpha": 2.0} if method == "cost-complexity" else {}))
    replay = replay_data(tree)
    if replay["grown"] is None:
        assert not prunings or tree.skeleton is None
        return
    if any(step["kind"] == "raise" for step in replay["pruning"]):
        pytest.skip("a branch was raised: the finished tree is the last frame")
    cut = {step["node"] for step in replay["pruning"] if step["kind"] == "cut"}
    parent, total = replay["grown"]["parent"], replay["grown"]["total"]
    kept = [0]
    for node in range(1, len(parent)):
        if parent[node] in kept and parent[node] not in cut:
            kept.append(node)
    assert len(kept) == tree.n_nodes
    assert [[float(v) for v in total[node]] for node in kept] == np.round(
        tree.nodes.total, 3
    ).tolist()


def test_a_large_tree_is_replayed_in_a_bounded_number_of_steps(opened):
    tree = penjing.fit(noisy(6000), recipe="cart-binary")
    assert tree.n_leaves > 700
    page = opened(tree)
    page.get_by_role("tab", name="replay").click()
    assert frames_of(page) <= 501
    page.get_by_role("button", name="last", exact=True).click()
    assert page.locator("[role=treeitem]").count() <= 300


COVERED = """() => {
  const node = document.querySelector('[role=treeitem].now');
  if (!node) return 'no node is marked';
  const box = node.querySelector('rect').getBoundingClientRect();
  const canvas = document.querySelector('.canvas').getBoundingClientRect();
  const isIn = box.left >= canvas.left - 1 && box.right <= canvas.right + 1
    && box.top >= canvas.top - 1 && box.bottom <= canvas.bottom + 1;
  if (!isIn) return 'outside the view';
  for (const other of document.querySelectorAll('.overview, .zoom')) {
    const o = other.getBoundingClientRect();
    const isBeside = o.right <= box.left || o.left >= box.right;
    if (!isBeside && o.bottom > box.top && o.top < box.bottom) return `under ${other.classList}`;
  }
  return ''; }"""


@pytest.mark.parametrize("width", [1400, 390])
def test_the_node_of_a_frame_is_seen_beside_map_and_buttons(opened, width):
    tree = penjing.fit(noisy(), recipe="cart-binary").prune("pessimistic")
    page = opened(tree)
    page.set_viewport_size({"width": width, "height": 844})
    page.get_by_role("tab", name="replay").click()
    n_mapped = 0
    for _ in range(min(frames_of(page) - 1, 60)):
        next_frame(page)
        settle(page)
        n_mapped += page.locator(".overview").count()
        if page.locator("[role=treeitem].now").count():
            assert page.evaluate(COVERED) == ""
    assert n_mapped > 10


def test_an_address_opens_the_node_of_its_frame(opened):
    tree = penjing.fit(noisy(), recipe="cart-binary").prune("pessimistic")
    page = opened(tree)
    page.get_by_role("tab", name="replay").click()
    last = frames_of(page) - 1
    for step, is_reloaded in ((last // 3, False), (last // 2, True), (last - 2, False)):
        page.goto(page.url.partition("#")[0] + f"#tab=replay&step={step}")
        if is_reloaded:
            page.reload()
        page.wait_for_selector("[role=treeitem].now", timeout=60_000)
        settle(page)
        assert page.locator(".step").text_content() == f"{step + 1} / {last + 1}"
        assert page.evaluate(COVERED) == ""
