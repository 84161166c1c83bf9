"""Reports with names of any script in a browser: figures stay beside them, and long ones wrap."""

from __future__ import annotations

import numpy as np
import pytest

import penjing

HEBREW, ARABIC = "\u05d0\u05d3\u05d5\u05dd \u05db\u05d4\u05d4", "\u0623\u0632\u0631\u0642 45"
NAMES = [HEBREW, ARABIC, "\u7eff\u8272", "y" * 150, "a name longer than most columns " * 4]
COLUMNS = ("\u05de\u05d9\u05d3\u05ea \u05d4\u05d7\u05d5\u05dd", "\u0635\u0628\u0639", "y")

FIGURES = r"""() => {
  // How far a figure stands to the right of the name before it.
  const found = [];
  const place = (node, start, length) => {
    const range = document.createRange();
    range.setStart(node, start); range.setEnd(node, start + length);
    return range.getBoundingClientRect();
  };
  const letter = '[\\p{Script=Hebrew}\\p{Script=Arabic}]';
  const between = `[\\u2068\\u2069'"]*[ :(<>=\\u2264\\u2265]+`;
  const ofName = `[\\d.]| *['\\u2069]| *${letter}`;
  const pair = new RegExp(`(${letter}${between})([\\d.]+)(?!${ofName})`, 'gu');
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest('svg')) continue;
    for (const match of node.data.matchAll(pair)) {
      const [name, figure] = [place(node, match.index, 1),
        place(node, match.index + match[1].length, match[2].length)];
      if (Math.abs(name.top - figure.top) < 4) found.push([match[0], figure.left - name.left]);
    }
  }
  return found;
}"""
SIZES = "(names) => [...document.querySelectorAll(names)].map(e => [e.offsetWidth, e.offsetHeight])"
SWATCHES = """[...document.querySelectorAll('.legend > li')].map((entry) => {
  const range = document.createRange();
  range.selectNodeContents(entry.lastChild);
  const swatch = entry.firstChild.getBoundingClientRect();
  const line = range.getClientRects()[0];
  return [line.left - swatch.right, swatch.top - line.top];
})"""
WIDER = """[...document.querySelectorAll('pre, p')]
  .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"""


def report(lang: str, *, is_number: bool) -> str:
    rng = np.random.RandomState(0)
    x = rng.rand(300).round(3).tolist()
    kinds = [NAMES[k] for k in rng.randint(0, 5, 300)]
    codes = [(int(3 * a) + NAMES.index(b)) % 5 for a, b in zip(x, kinds, strict=True)]
    y = [1e5 * k + a if is_number else NAMES[k] for a, k in zip(x, codes, strict=True)]
    rows = [dict(zip(COLUMNS, values, strict=True)) for values in zip(x, kinds, y, strict=True)]
    tree = penjing.fit(rows, "y", recipe="rpart")
    tree = tree if is_number else tree.prune("pessimistic")
    return tree.report(training=rows, test=rows, lang=lang, folds=2, trace=True)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("is_number", [False, True])
def test_figures_stay_beside_names_of_any_script_and_names_wrap(browser, tmp_path, lang, is_number):
    path = tmp_path / "report.html"
    path.write_text(report(lang, is_number=is_number), "utf-8")
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    for wide in (1400, 390):
        page.set_viewport_size({"width": wide, "height": 900})
        found = page.evaluate(FIGURES)
        assert len(found) > 10
        assert [text for text, distance in found if distance <= 0] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= wide
        # Names leave room for figures, and sentences between tables wrap.
        sizes = page.evaluate(SIZES, "th[scope], td:not(.n)")
        assert max(width for width, _ in sizes) <= max(0.56 * wide, 240)
        assert max(height for _, height in page.evaluate(SIZES, "th[scope=col]")) <= 220
        assert page.evaluate(WIDER) == []
        places = page.evaluate(SWATCHES)
        assert all(0 < left < 12 and above > -3 for left, above in places)
        assert len(places) == (6 if is_number else 5)
    page.close()


ENDS = r"""() => {
  // The right ends of the numbers with four decimals on each line of a table, in pixels.
  const span = document.querySelector('#root pre .table');
  const lines = new Map();
  const range = document.createRange();
  const walker = document.createTreeWalker(span, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    for (const match of walker.currentNode.data.matchAll(/ \d+\.\d{4}(?= |\n|$)/g)) {
      range.setStart(walker.currentNode, match.index + 1);
      range.setEnd(walker.currentNode, match.index + match[0].length);
      const box = range.getBoundingClientRect();
      const line = Math.round(box.top);
      lines.set(line, [...(lines.get(line) ?? []), box.right]);
    }
  }
  return [...lines.values()];
}"""


def test_columns_of_chinese_texts_are_kept_beside_signs_of_any_width(browser, tmp_path):
    rng = np.random.RandomState(1)
    x = rng.rand(200, 4).round(2)
    rows = [
        {"含糖率": a, "b": b, "色泽": "青绿" if c > 0.4 else "乌黑", "d": d, "y": 3 * a + b}
        for a, b, c, d in x.tolist()
    ]
    text = penjing.fit(rows, "y", recipe="cart-binary", max_depth=2).report(
        training=rows, lang="zh", cross_validation=False
    )
    assert "≤" in text
    path = tmp_path / "report.html"
    path.write_text(text, "utf-8")
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    page.goto(path.as_uri())
    lines = page.evaluate(ENDS)
    assert len(lines) >= 4
    last = [line[-3:] for line in lines]
    assert np.ptp(np.array(last), axis=0).max() < 2
    page.close()
