"""SVG pictures in Chromium: no texts overlap, nothing is cut off, and each prints on one sheet."""

from __future__ import annotations

import re

import numpy as np
import pytest

import penjing
from penjing.data.table import Table, nominal
from penjing.render import icicle, svg
from picture_trees import TREES, tree_of

OVERLAPS = """() => {
  const view = document.documentElement.viewBox.baseVal;
  const all = [...document.querySelectorAll("text")].map((e) => {
    const size = parseFloat(getComputedStyle(e).fontSize);
    const box = e.getBoundingClientRect();
    // Capitals and digits: a line box is higher than its letters.
    const base = box.top + 0.93 * size;
    return {text: e.textContent, left: box.left, right: box.right, top: base - 0.72 * size, base};
  });
  const out = all.filter((t) => t.left < 0 || t.right > view.width + 0.5 || t.base > view.height);
  const pairs = [];
  for (let i = 0; i < all.length; i++) for (let j = 0; j < i; j++) {
    const [a, b] = [all[i], all[j]];
    if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.base - 1 && b.top < a.base - 1) {
      pairs.push([a.text, b.text]);
    }
  }
  return [out.map((t) => t.text), pairs];
}"""


NAMES_FIRST = """(names) => [...document.querySelectorAll("text")].flatMap((e) => {
  const text = e.textContent, name = names.find((n) => text.includes(n));
  const rest = text.search(/[(%]|[+]\\d|: ROC/);
  if (!name || rest < text.indexOf(name)) return [];
  const at = (i) => e.getStartPositionOfChar(i).x;
  const first = text.indexOf(name), of_name = [...name].map((_, i) => at(first + i));
  return [[text, Math.max(...of_name) < at(rest) + 1]]; })"""
RIGHT_TO_LEFT = ["אלון", "7זית9", "تين 3", "oak/גפן", "תאנה"]


def test_figures_are_at_the_right_of_names_written_from_the_right(browser, tmp_path):
    codes = np.random.RandomState(2).randint(0, 5, 500)
    noise = (codes + (np.arange(500) % 9 == 0)) % 5
    names = [RIGHT_TO_LEFT[k] for k in codes]
    kinds = [RIGHT_TO_LEFT[k] for k in noise]
    table = Table((nominal("x", names),), nominal(RIGHT_TO_LEFT[0], kinds), 500)
    tree = penjing.fit(table, recipe="rpart", max_depth=2)
    roc = tree.score(table).chart("roc").svg()
    page = browser.new_page()
    for i, text in enumerate((svg.write(tree), icicle.write(tree), roc)):
        (tmp_path / f"{i}.svg").write_text(text, "utf-8")
        page.goto((tmp_path / f"{i}.svg").as_uri())
        found = page.evaluate(NAMES_FIRST, RIGHT_TO_LEFT)
        assert len(found) >= 5
        assert [text for text, is_right in found if not is_right] == []
    page.close()


@pytest.mark.parametrize("name", TREES)
def test_texts_neither_overlap_nor_leave_the_picture(browser, tmp_path, name):
    tree = tree_of(name)
    pictures = {
        "default": svg.write(tree, lang="zh"),
        "sideways": svg.write(tree, layout="left-to-right", max_leaves=20),
        "counts": svg.write(tree, show="counts", max_leaves=30),
        "icicle": icicle.write(tree),
    }
    page = browser.new_page()
    for kind, text in pictures.items():
        (tmp_path / f"{kind}.svg").write_text(text, "utf-8")
        page.goto((tmp_path / f"{kind}.svg").as_uri())
        assert page.evaluate(OVERLAPS) == [[], []], kind
        for landscape in (False, True):
            pdf = page.pdf(format="A4", landscape=landscape)
            assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    page.close()
