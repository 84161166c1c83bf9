"""Every code block of every page runs and prints what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs_site import DOCS, LANGUAGES, blocks, name_of, pages

PAGES = [page for language in LANGUAGES for page in pages(language)]
NOT_RUN = 19
"""Blocks for other programs or machines: a new one is a decision, so it is counted here."""


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_shows_what_its_code_prints(page: Path, tmp_path: Path):
    text = page.read_text("utf-8")
    language = page.relative_to(DOCS).parts[0]
    now = blocks.run_page(text, tmp_path, language)
    assert now == text, f"run: python docs/site/update_output.py {page}"


def test_a_block_that_cannot_run_says_so():
    marked, silent = [], []
    for page in PAGES:
        for block in blocks.blocks_of(page.read_text("utf-8")):
            if "not run" in block.notes:
                marked.append(page)
                assert block.notes["not run"], f"{page}:{block.line} gives no reason"
            elif block.language in blocks.MUST_BE_MARKED and block.file is None:
                silent.append(f"{page}:{block.line}")
    assert not silent
    assert len(marked) == NOT_RUN


def test_code_is_in_fences():
    """A block that is only indented would not be run."""
    for page in PAGES:
        text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        assert not re.search(r"(?:^|[^-*\d:].*)\n\n    \S", text), page


def test_a_wrong_output_is_found(tmp_path: Path):
    page = "# x\n\n```console\n$ echo one\ntwo\n```\n\n```python\n>>> 1 + 1\n3\n```\n"
    assert blocks.run_page(page, tmp_path, "en") == page.replace("two", "one").replace("3", "2")


@pytest.mark.parametrize(
    "block",
    [
        "```console\n$ false\n```\n",
        "```console\n$ penjing show nothing.tree\n```\n",
        "```python\n>>> 1 / 0\n```\n",
        "```console\nno command\n```\n",
    ],
)
def test_a_block_that_fails_is_an_error(block: str, tmp_path: Path):
    with pytest.raises(blocks.BlockError):
        blocks.run_page(block, tmp_path, "en")
