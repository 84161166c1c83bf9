"""Both languages have the same pages, and all of the public API is on them."""

from __future__ import annotations

import re

import penjing
from docs_site import DOCS, LANGUAGES, build, pages

SHARED = {
    "project/architecture.md",
    "project/changelog.md",
    "project/contributing.md",
    "project/security.md",
}
"""Pages that exist once in the repository; a Chinese version replaces them on the Chinese site."""


def test_every_english_page_has_its_chinese_page():
    english, chinese = (
        {p.relative_to(DOCS / language).as_posix() for p in pages(language)}
        for language in LANGUAGES
    )
    assert english - chinese == set()
    assert chinese - english - SHARED == set()
    assert len(english) > 40


def test_a_chinese_page_is_written_in_chinese():
    for page in pages("zh"):
        text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        title = text.splitlines()[0]
        assert re.search(r"[\u4e00-\u9fff]", title), page
        chinese = len(re.findall(r"[\u4e00-\u9fff]", text))
        assert chinese >= 8, page


def test_the_same_code_is_on_both_pages():
    """A step that is added in one language is missing in the other until it is written."""
    for page in pages("en"):
        other = DOCS / "zh" / page.relative_to(DOCS / "en")
        commands = [
            re.findall(r"^\$ penjing (\S+)", path.read_text("utf-8"), re.MULTILINE)
            for path in (page, other)
        ]
        assert commands[0] == commands[1], page


def test_every_public_name_is_in_the_api_reference():
    for language in LANGUAGES:
        folder = DOCS / language / "reference" / "api"
        text = "\n".join(path.read_text("utf-8") for path in folder.glob("*.md"))
        missing = [name for name in dir(penjing) if not re.search(rf":: penjing\.{name}\b", text)]
        assert missing == [], language


def test_chinese_lines_are_joined_without_a_space():
    kept = "：\n\n1. 好；\n2. 坏；\n- 甲\n\n```text\n一\n二\n```\n| 甲 |\n| 乙 |"
    assert build.joined("西瓜，\n`penjing` 的\n树" + kept) == "西瓜，`penjing` 的树" + kept
    assert build.joined("- 甲，\n  乙") == "- 甲，乙"
