"""SVG pictures in Chromium: no texts overlap, nothing is cut off, and each prints on one sheet."""

from __future__ import annotations

import re

import pytest

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
