"""The pages and scripts of the documentation site, and the READMEs."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "site"))

import blocks  # noqa: E402, F401 - after the path
import build  # noqa: E402, F401 - idem
import readme  # noqa: E402, F401 - idem

LANGUAGES = ("en", "zh")


def pages(language: str) -> list[Path]:
    """Return the pages written for a language."""
    return sorted((DOCS / language).rglob("*.md"))


def name_of(page: Path) -> str:
    """Return a page's name for a test's."""
    return page.relative_to(DOCS).with_suffix("").as_posix()
