"""`make docs` builds without a warning; links lead somewhere, nothing is fetched, search works."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

LANGUAGES = ("en", "zh")
MADE_BY_SPHINX = ("genindex.html", "search.html")


def html_pages(site: Path) -> list[Path]:
    return [p for lang in LANGUAGES for p in sorted((site / lang).rglob("*.html"))]


def links(text: str) -> list[str]:
    return [html.unescape(link) for link in re.findall(r'(?:href|src)="([^"]*)"', text)]


def test_links_lead_somewhere(site: Path):
    pages = {page: page.read_text("utf-8") for page in html_pages(site)}
    names = {page: set(re.findall(r'(?:id|name)="([^"]+)"', text)) for page, text in pages.items()}
    dead, checked = [], 0
    for page, text in pages.items():
        if "_pages" in page.parts:
            continue
        for link in links(text):
            parts = urlsplit(link)
            if parts.scheme:
                assert parts.scheme in ("http", "https", "mailto", "data"), link
                assert parts.scheme == "data" or parts.netloc or parts.path, link
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            checked += 1
            if not target.is_file() or (
                parts.fragment and target in names and unquote(parts.fragment) not in names[target]
            ):
                dead.append(f"{page.relative_to(site)}: {link}")
    assert checked > 3000
    assert not dead, "\n".join(dead[:40])


def test_nothing_is_loaded_from_the_network(site: Path):
    for page in html_pages(site):
        text = page.read_text("utf-8")
        loaded = re.findall(
            r'<(?:script|img|link|iframe|source)\b[^>]*?(?:src|href)="([^"]+)"', text
        )
        assert not [link for link in loaded if re.match(r"(?:https?:)?//", link)], page
    for style in site.glob("*/_static/**/*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//|@import", style.read_text("utf-8")), style


def test_every_page_links_to_the_other_language(site: Path):
    for page in html_pages(site):
        if "_pages" in page.parts:
            continue
        language = page.relative_to(site).parts[0]
        other = {"en": "zh", "zh": "en"}[language]
        twin = site / other / page.relative_to(site / language)
        found = re.findall(r'class="language-switch" href="([^"]+)"', page.read_text("utf-8"))
        assert found, page
        assert [(page.parent / link).resolve() for link in found] == [twin.resolve()], page
        assert twin.exists(), twin


def index(site: Path, language: str) -> dict:
    text = (site / language / "searchindex.js").read_text("utf-8")
    return json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))


@pytest.mark.parametrize(
    ("language", "query", "expected"),
    [
        ("zh", ["信息", "息增", "增益"], "tutorials/watermelon"),
        ("zh", ["剪枝"], "how-to/pruning"),
        ("en", ["prune"], "how-to/pruning"),
        ("en", ["surrog"], "explanation/rpart"),
    ],
)
def test_the_index_finds_pages(site: Path, language: str, query: list[str], expected: str):
    data = index(site, language)
    found = None
    for term in query:
        hits = [data[part].get(term, []) for part in ("terms", "titleterms")]
        here = {n for h in hits for n in ([h] if isinstance(h, int) else h)}
        found = here if found is None else found & here
    assert expected in {data["docnames"][i] for i in found}


@pytest.mark.parametrize(
    ("language", "query", "expected"),
    [
        ("zh", "信息增益", "watermelon.html"),
        ("zh", "剪枝", "pruning.html"),
        ("zh", "熵", "id3.html"),
        ("en", "surrogate", "rpart.html"),
    ],
)
def test_search_works_in_a_browser_without_a_network(site, browser, language, query, expected):
    context = browser.new_context(offline=True)
    page = context.new_page()
    noise: list[str] = []
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.on("request", lambda request: noise.append(request.url))
    page.goto(f"{(site / language / 'search.html').as_uri()}?q={query}")
    # Results are added one by one.
    wanted = f'#search-results ul.search li a[href*="{expected}"]'
    page.wait_for_selector(wanted, timeout=60_000)
    found = page.eval_on_selector_all(
        "#search-results ul.search li a", "links => links.map(link => link.href)"
    )
    context.close()
    assert any(expected in link for link in found), found
    assert not [n for n in noise if not n.startswith((site.as_uri(), "data:"))], noise


def test_columns_of_chinese_outputs_are_kept(site, browser):
    """Beside names of Chinese characters, and beside signs such as ≤ that their fonts draw wide."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto((site / "zh" / "get-started.html").as_uri())
    tables = page.evaluate(
        """() => [...document.querySelectorAll('.highlight pre')].flatMap((pre) => {
          const walker = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT), lines = new Map();
          const range = document.createRange();
          while (walker.nextNode()) {
            const { data } = walker.currentNode;
            for (const match of data.matchAll(/(?<=  )(\\d\\.\\d{4}|条件熵|信息增益)(?=  )/g)) {
              range.setStart(walker.currentNode, match.index);
              range.setEnd(walker.currentNode, match.index + match[0].length);
              const { top, right } = range.getBoundingClientRect();
              const line = Math.round((top + 4) / 10);
              lines.set(line, [...(lines.get(line) ?? []), right]);
            }
          }
          const found = [...lines.values()].filter((line) => line.length >= 2);
          return found.length > 3 ? [found.map((line) => line.slice(0, 2))] : []; })"""
    )
    page.close()
    assert len(tables) >= 2
    for table in tables:
        for column in zip(*table, strict=True):
            assert max(column) - min(column) < 2, table
